// What every call goes through, whatever its service: request id, access, deadline, status with details, metrics, log
// line. A service contains none of that.
#ifndef BENCHWIRE_SERVER_RPC_CALL_H_
#define BENCHWIRE_SERVER_RPC_CALL_H_

#include <grpcpp/grpcpp.h>

#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/status/statusor.h"
#include "server/base/clock.h"
#include "server/base/random.h"
#include "server/rpc/access.h"
#include "server/rpc/metrics.h"
#include "server/rpc/status_conversion.h"

namespace benchwire::rpc {

// What all services share. Borrowed, outlives them.
struct CallEnvironment {
  const Clock& clock;
  RandomSource& random;
  CallMetrics& metrics;
};

// One call from its arrival to its end. Not for several threads at once.
class Call {
 public:
  Call(CallEnvironment& environment, grpc::ServerContextBase& context, std::string method);

  // PERMISSION_DENIED, DEADLINE_EXCEEDED: the call must end with this and have no effect.
  absl::Status Admit() const;
  const Principal& principal() const { return principal_; }

  // Records the end, once, and gives the status to answer with.
  grpc::Status End(const absl::Status& status);

 private:
  CallEnvironment& environment_;
  grpc::ServerContextBase& context_;
  const std::string method_;
  const MonotonicTime begin_;
  const Principal& principal_;
  std::string request_id_;
};

// A unary call: `use_case(principal)` gives the response as StatusOr, or a Status where there is nothing to respond.
template <typename Response, typename UseCase>
grpc::Status Unary(CallEnvironment& environment, grpc::ServerContext& context, const char* method, Response& response,
                   const UseCase& use_case) {
  Call call(environment, context, method);
  absl::Status status = call.Admit();
  if (status.ok()) {
    try {
      auto result = use_case(call.principal());
      if constexpr (std::is_same_v<decltype(result), absl::Status>) {
        status = std::move(result);
      } else if (result.ok()) {
        response = *std::move(result);
      } else {
        status = result.status();
      }
    } catch (const std::exception& error) {
      // A library threw: this call fails, the others do not.
      status = absl::InternalError(std::string("unexpected: ") + error.what());
    }
  }
  return call.End(status);
}

}  // namespace benchwire::rpc

#endif  // BENCHWIRE_SERVER_RPC_CALL_H_
