// One unary call with its deadline, cancellation and retries. For the .cc files of this folder.
#ifndef BENCHWIRE_CLIENTS_CPP_CALL_H_
#define BENCHWIRE_CLIENTS_CPP_CALL_H_

#include <grpcpp/grpcpp.h>

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "clients/cpp/channel.h"
#include "clients/cpp/connection.h"
#include "server/base/status.h"

namespace benchwire::client {

enum class Repeat {
  // Doing it twice is the same as doing it once: tried again after a transient error.
  kSafe,
  // A lost answer may hide a change that was made: never tried again.
  kUnsafe,
};

// How a call ended. CANCELLED is ours alone: a server that is shut down cancels what it has not answered, which is an
// outage.
inline absl::Status Outcome(Connection& connection, const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  if (connection.cancel().cancelled()) return absl::CancelledError("interrupted");
  if (status.error_code() == grpc::StatusCode::CANCELLED) return absl::UnavailableError("the server ended the call");
  return ToStatus(status);
}

// CANCELLED where the connection's token was cancelled meanwhile.
template <typename Stub, typename Request, typename Response>
absl::StatusOr<Response> Call(Connection& connection, Stub& stub,
                              grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                              const Request& request, Repeat repeat) {
  for (int failures = 1;; ++failures) {
    grpc::ClientContext context;
    SetDeadline(context, connection.options().call_timeout);
    Response response;
    absl::Status status;
    {
      CancelToken::Registration cancel(connection.cancel(), [&context] { context.TryCancel(); });
      status = Outcome(connection, (stub.*method)(&context, request, &response));
    }
    connection.Note(context);
    if (status.ok()) return response;
    if (repeat == Repeat::kUnsafe) return status;
    const auto delay = RetryDelay(connection.options().retry, failures, status, connection.Jitter());
    if (!delay) return status;
    if (connection.cancel().WaitFor(*delay)) return absl::CancelledError("interrupted");
  }
}

// Walks a paged list. `fetch` takes a page token and returns a page; `take` is given the page and says whether to go
// on.
template <typename Page>
absl::Status ForEachPage(const std::function<absl::StatusOr<Page>(const std::string&)>& fetch,
                         const std::function<bool(const Page&)>& take) {
  std::string token;
  while (true) {
    ASSIGN_OR_RETURN(const Page page, fetch(token));
    if (!take(page) || page.next_page_token().empty()) return absl::OkStatus();
    if (page.next_page_token() == token) return absl::InternalError("the server repeats a page of a list for ever");
    token = page.next_page_token();
  }
}

// Gives each item of a page to `take`; false where it said to stop.
template <typename Items, typename Item>
bool TakeAll(const Items& items, const std::function<bool(const Item&)>& take) {
  for (const auto& item : items) {
    if (!take(item)) return false;
  }
  return true;
}

}  // namespace benchwire::client

#endif  // BENCHWIRE_CLIENTS_CPP_CALL_H_
