#include "server/gateway/safety.h"

#include <algorithm>

#include "server/base/status.h"
#include "server/gateway/json.h"

namespace benchwire::gateway {
namespace {

// `host` or `host:port` without the port; an IPv6 address keeps its brackets.
std::string_view WithoutPort(std::string_view host) {
  const size_t bracket = host.rfind(']');
  const size_t colon = host.rfind(':');
  if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket)) return host;
  return host.substr(0, colon);
}

bool IsAllowedHost(std::string_view host, const std::vector<std::string>& allowed) {
  const std::string_view name = WithoutPort(host);
  for (const std::string_view own : {"localhost", "127.0.0.1", "[::1]"}) {
    if (EqualsIgnoreCase(name, own)) return true;
  }
  return std::any_of(allowed.begin(), allowed.end(), [name](const auto& own) { return EqualsIgnoreCase(name, own); });
}

bool IsJson(const std::string* content_type) {
  if (content_type == nullptr) return false;
  std::string_view type = std::string_view(*content_type).substr(0, content_type->find(';'));
  while (type.ends_with(' ') || type.ends_with('\t')) type.remove_suffix(1);
  return EqualsIgnoreCase(type, "application/json");
}

HttpResponse Refuse(int http_status, absl::StatusCode code, const std::string& reason, const std::string& message) {
  return ErrorResponse(MakeError(code, reason, message), http_status);
}

}  // namespace

std::optional<HttpResponse> CheckSafety(const HttpRequest& request, const std::vector<std::string>& allowed_hosts) {
  const std::string* host = request.Header("Host");
  if (host == nullptr || host->empty()) {
    return Refuse(400, absl::StatusCode::kInvalidArgument, "HOST_MISSING", "the request has no Host header");
  }
  if (!IsAllowedHost(*host, allowed_hosts)) {
    return Refuse(
        421, absl::StatusCode::kPermissionDenied, "HOST_NOT_ALLOWED",
        "this server does not answer for the host in the request; use localhost or a host it was configured for");
  }
  if (request.method == "GET" || request.method == "HEAD") return std::nullopt;
  const std::string* origin = request.Header("Origin");
  if (origin != nullptr && !EqualsIgnoreCase(*origin, "http://" + *host) &&
      !EqualsIgnoreCase(*origin, "https://" + *host)) {
    return Refuse(403, absl::StatusCode::kPermissionDenied, "ORIGIN_NOT_ALLOWED",
                  "requests that change something are not accepted from pages of another origin");
  }
  if (!IsJson(request.Header("Content-Type"))) {
    return Refuse(415, absl::StatusCode::kInvalidArgument, "CONTENT_TYPE_NOT_JSON",
                  request.method + " requests need the header Content-Type: application/json, with or without a body");
  }
  return std::nullopt;
}

HeaderList SecurityHeaders() {
  return {
      {"Content-Security-Policy",
       "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
  };
}

bool IsRequestId(const std::string& text) {
  const auto is_id_char = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
  };
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), is_id_char);
}

}  // namespace benchwire::gateway
