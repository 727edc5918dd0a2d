// A server stream that is opened again where it broke off. For the .cc files of this folder.
#ifndef BENCHWIRE_CLIENTS_CPP_WATCH_H_
#define BENCHWIRE_CLIENTS_CPP_WATCH_H_

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "clients/cpp/call.h"

namespace benchwire::client {

enum class Take { kMore, kStop };

// `open` starts a stream from where the last message left off; `take` handles one message. Ends OK with the stream's
// own end or with kStop; with the error where one is not worth another try, where the server was never reached over
// this connection (after a few tries), or where nothing came for the whole outage policy; CANCELLED with the token.
template <typename Message>
absl::Status Watch(
    Connection& connection,
    const std::function<std::unique_ptr<grpc::ClientReaderInterface<Message>>(grpc::ClientContext*)>& open,
    const std::function<absl::StatusOr<Take>(const Message&)>& take,
    const std::function<bool(const absl::Status&)>& may_resume) {
  bool reached = connection.server_facts().version.has_value();  // Any call was answered.
  for (int failures = 1;; ++failures) {
    grpc::ClientContext context;
    SetDeadline(context, connection.options().stream_timeout);
    CancelToken::Registration cancel(connection.cancel(), [&context] { context.TryCancel(); });
    auto reader = open(&context);
    Message message;
    while (reader->Read(&message)) {
      reached = true;
      failures = 1;
      absl::StatusOr<Take> more = take(message);
      if (more.ok() && *more == Take::kMore) continue;
      context.TryCancel();
      while (reader->Read(&message)) continue;
      reader->Finish();
      return more.status();
    }
    const absl::Status status = Outcome(connection, reader->Finish());
    if (status.ok()) return status;
    if (status.code() == absl::StatusCode::kDeadlineExceeded) reached = true;
    if (!may_resume(status)) return status;
    const RetryPolicy& policy = reached ? connection.options().outage : connection.options().retry;
    absl::Status transient = MayRetry(status) ? status : absl::UnavailableError(status.message());
    const auto delay = RetryDelay(policy, failures, transient, connection.Jitter());
    if (!delay) return status;
    if (connection.cancel().WaitFor(*delay)) return absl::CancelledError("interrupted");
  }
}

}  // namespace benchwire::client

#endif  // BENCHWIRE_CLIENTS_CPP_WATCH_H_
