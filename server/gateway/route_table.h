// Which RPC answers which HTTP request, from the google.api.http annotations of the compiled-in services. Built once,
// then read by any thread.
#ifndef BENCHWIRE_SERVER_GATEWAY_ROUTE_TABLE_H_
#define BENCHWIRE_SERVER_GATEWAY_ROUTE_TABLE_H_

#include <google/protobuf/descriptor.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/gateway/path_template.h"

namespace benchwire::gateway {

struct Route {
  std::string http_method;
  PathTemplate path;
  std::string body;      // Empty: none; `*`: the whole request; else the field that the body holds.
  std::string rpc_path;  // `/package.Service/Method`.
  const google::protobuf::MethodDescriptor* method = nullptr;
};

struct RouteMatch {
  const Route* route = nullptr;  // Null: see `allowed`.
  PathBindings bindings;
  std::vector<std::string>
      allowed;  // Methods that would fit this path, where the request's does not. Empty: no such path.
};

class RouteTable {
 public:
  // Takes every annotated method of `services` (full names). NOT_FOUND: no such service. INVALID_ARGUMENT: an
  // annotation is malformed, names a field that does not exist, or belongs to a client-streaming method.
  static absl::StatusOr<RouteTable> Build(const std::vector<std::string>& services);

  RouteMatch Find(const std::string& http_method, const RequestPath& path) const;
  const std::vector<Route>& routes() const { return routes_; }

 private:
  std::vector<Route> routes_;  // The most specific first.
};

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_ROUTE_TABLE_H_
