// Path templates of google.api.http: `/v1/{name=jobs/*/attempts/*}/log:watch`. Pure. `**` is not supported.
#ifndef BENCHWIRE_SERVER_GATEWAY_PATH_TEMPLATE_H_
#define BENCHWIRE_SERVER_GATEWAY_PATH_TEMPLATE_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace benchwire::gateway {

// A request path taken apart: decoded segments, and what stands behind the last colon of the last one.
struct RequestPath {
  std::vector<std::string> segments;
};

// INVALID_ARGUMENT: not percent-encoded UTF-8, or an encoded `/`, `\` or control character, which would be another
// segment to some readers.
absl::StatusOr<RequestPath> ParsePath(std::string_view path);

using PathBindings = std::vector<std::pair<std::string, std::string>>;  // Field path, value.

class PathTemplate {
 public:
  // INVALID_ARGUMENT: not a template of the supported form.
  static absl::StatusOr<PathTemplate> Parse(std::string_view text);

  // The variables' values where the path fits, else nothing. Without a verb in the template, a colon in the path is an
  // ordinary character.
  std::optional<PathBindings> Match(const RequestPath& path) const;

  // Names of the fields it binds.
  std::vector<std::string> fields() const;
  // Literal segments and verb: of two templates that fit, the one with more is meant.
  int specificity() const;

 private:
  struct Variable {
    std::string field;
    size_t first = 0;  // Its segments are [first, first + count).
    size_t count = 0;
  };

  std::vector<std::optional<std::string>> segments_;  // Nothing: any one segment.
  std::vector<Variable> variables_;
  std::string verb_;
};

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_PATH_TEMPLATE_H_
