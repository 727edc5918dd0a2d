#include "server/gateway/route_table.h"

#include <google/api/annotations.pb.h>

#include <algorithm>

#include "server/base/status.h"
#include "server/gateway/field_path.h"

namespace benchwire::gateway {
namespace {

using google::api::HttpRule;
using google::protobuf::DescriptorPool;
using google::protobuf::MethodDescriptor;

absl::Status BadAnnotation(const MethodDescriptor* method, const std::string& why) {
  return absl::InvalidArgumentError(method->full_name() + ": " + why);
}

absl::StatusOr<std::pair<std::string, std::string>> Pattern(const MethodDescriptor* method, const HttpRule& rule) {
  switch (rule.pattern_case()) {
    case HttpRule::kGet:
      return std::make_pair(std::string("GET"), rule.get());
    case HttpRule::kPut:
      return std::make_pair(std::string("PUT"), rule.put());
    case HttpRule::kPost:
      return std::make_pair(std::string("POST"), rule.post());
    case HttpRule::kDelete:
      return std::make_pair(std::string("DELETE"), rule.delete_());
    case HttpRule::kPatch:
      return std::make_pair(std::string("PATCH"), rule.patch());
    default:
      return BadAnnotation(method, "no method and path in google.api.http");
  }
}

absl::StatusOr<Route> MakeRoute(const MethodDescriptor* method, const HttpRule& rule) {
  if (method->client_streaming()) return BadAnnotation(method, "a client stream cannot be served over HTTP");
  Route route;
  ASSIGN_OR_RETURN(auto pattern, Pattern(method, rule));
  route.http_method = pattern.first;
  ASSIGN_OR_RETURN(route.path, PathTemplate::Parse(pattern.second));
  route.body = rule.body();
  route.method = method;
  route.rpc_path = "/" + method->service()->full_name() + "/" + method->name();
  for (const std::string& field : route.path.fields()) {
    if (!FindField(method->input_type(), field).ok()) return BadAnnotation(method, "no field " + field);
  }
  if (!route.body.empty() && route.body != "*") {
    const auto field = FindField(method->input_type(), route.body);
    if (!field.ok() || field->back()->message_type() == nullptr || field->back()->is_repeated()) {
      return BadAnnotation(method, "body is not a message field");
    }
  }
  return route;
}

}  // namespace

absl::StatusOr<RouteTable> RouteTable::Build(const std::vector<std::string>& services) {
  RouteTable table;
  for (const std::string& name : services) {
    const auto* service = DescriptorPool::generated_pool()->FindServiceByName(name);
    if (service == nullptr) return absl::NotFoundError("no service " + name + " is compiled in");
    for (int i = 0; i < service->method_count(); ++i) {
      const MethodDescriptor* method = service->method(i);
      if (!method->options().HasExtension(google::api::http)) continue;
      const HttpRule& rule = method->options().GetExtension(google::api::http);
      ASSIGN_OR_RETURN(Route route, MakeRoute(method, rule));
      table.routes_.push_back(std::move(route));
      for (const HttpRule& more : rule.additional_bindings()) {
        ASSIGN_OR_RETURN(Route additional, MakeRoute(method, more));
        table.routes_.push_back(std::move(additional));
      }
    }
  }
  std::stable_sort(table.routes_.begin(), table.routes_.end(),
                   [](const Route& a, const Route& b) { return a.path.specificity() > b.path.specificity(); });
  return table;
}

RouteMatch RouteTable::Find(const std::string& http_method, const RequestPath& path) const {
  RouteMatch match;
  int specificity = 0;
  for (const Route& route : routes_) {
    // `jobs/x:cancel` is a job of that name only where no verb fits it.
    if (!match.allowed.empty() && route.path.specificity() < specificity) break;
    auto bindings = route.path.Match(path);
    if (!bindings) continue;
    if (route.http_method == http_method) return {&route, *std::move(bindings), {}};
    specificity = route.path.specificity();
    match.allowed.push_back(route.http_method);
    if (route.http_method == "GET") match.allowed.emplace_back("HEAD");
  }
  return match;
}

}  // namespace benchwire::gateway
