// Errors as values. Every error carries a canonical code, a message for people and, for programs, a
// google.rpc.ErrorInfo with domain `benchwire`; a bad field adds google.rpc.BadRequest. They travel as payloads of
// absl::Status under their type URL, so that server/rpc and clients/cpp convert to and from gRPC without loss. Any
// thread.
#ifndef BENCHWIRE_SERVER_BASE_STATUS_H_
#define BENCHWIRE_SERVER_BASE_STATUS_H_

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace benchwire {

inline constexpr char kErrorDomain[] = "benchwire";
inline constexpr char kTypeUrlPrefix[] = "type.googleapis.com/";

// An error with an ErrorInfo. `reason` is UPPER_SNAKE_CASE; `metadata` is for programs.
absl::Status MakeError(absl::StatusCode code, const std::string& reason, const std::string& message,
                       const std::map<std::string, std::string>& metadata = {});

// INVALID_ARGUMENT/BAD_FIELD for one field: `field` is its path in the request, `value` what was sent (cut at 200
// bytes), `expected` what would be right.
absl::Status BadField(const std::string& field, const std::string& value, const std::string& expected);

// NOT_FOUND/NOT_FOUND for a resource name.
absl::Status NotFound(const std::string& resource);

// FAILED_PRECONDITION with a reason.
absl::Status Precondition(const std::string& reason, const std::string& message,
                          const std::map<std::string, std::string>& metadata = {});

// Adds google.rpc.RetryInfo: worth trying again after `delay`.
absl::Status WithRetryAfter(absl::Status status, std::chrono::milliseconds delay);

// The ErrorInfo reason of a status, or empty.
std::string ErrorReason(const absl::Status& status);
// A metadata value of its ErrorInfo, or nothing.
std::optional<std::string> ErrorMetadata(const absl::Status& status, const std::string& key);

// The status of a call that ended with `code` and `message`, from the bytes of the google.rpc.Status that travelled
// with it (gRPC's error_details); server/rpc/status_conversion.h is the other way.
absl::Status StatusFromWire(int code, const std::string& message, const std::string& details);

}  // namespace benchwire

// __COUNTER__, not __LINE__: a lambda within the expression may use the macros again, and all of it is one line to the
// preprocessor.
#define BENCHWIRE_CONCAT_INNER_(a, b) a##b
#define BENCHWIRE_CONCAT_(a, b) BENCHWIRE_CONCAT_INNER_(a, b)
#define RETURN_IF_ERROR(expr) RETURN_IF_ERROR_(BENCHWIRE_CONCAT_(status_, __COUNTER__), expr)
#define RETURN_IF_ERROR_(tmp, expr)                       \
  do {                                                    \
    if (absl::Status tmp = (expr); !tmp.ok()) return tmp; \
  } while (false)
#define ASSIGN_OR_RETURN(lhs, expr) ASSIGN_OR_RETURN_(BENCHWIRE_CONCAT_(status_or_, __COUNTER__), lhs, expr)
#define ASSIGN_OR_RETURN_(tmp, lhs, expr) \
  auto tmp = (expr);                      \
  if (!tmp.ok()) return tmp.status();     \
  lhs = std::move(tmp).value()

#endif  // BENCHWIRE_SERVER_BASE_STATUS_H_
