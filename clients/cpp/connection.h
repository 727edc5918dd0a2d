// What the typed clients share: a channel, the deadlines, the retry policy and the token that cancels them all. The
// owner keeps it alive longer than the clients made from it. Any thread.
#ifndef BENCHWIRE_CLIENTS_CPP_CONNECTION_H_
#define BENCHWIRE_CLIENTS_CPP_CONNECTION_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "clients/cpp/cancel.h"
#include "clients/cpp/retry.h"
#include "server/base/clock.h"
#include "server/base/mutex.h"
#include "server/base/random.h"

namespace grpc {
class Channel;
class ClientContext;
}  // namespace grpc

namespace benchwire::client {

struct ConnectionOptions {
  std::string server = "127.0.0.1:7411";
  // Deadline of a unary call, each try.
  std::chrono::milliseconds call_timeout{10'000};
  // Deadline of a stream. A watch that reaches it goes on with a new stream where it was.
  std::chrono::milliseconds stream_timeout{600'000};
  // For unary calls that may be tried again.
  RetryPolicy retry;
  // For watches and waits once they have reached the server: about ten minutes of outage.
  RetryPolicy outage{.max_attempts = 240};
};

// What the server said about itself in the initial metadata of its latest answer (`benchwire-version`, and
// `benchwire-time` in milliseconds since 1970). Empty where it said nothing.
struct ServerFacts {
  std::optional<std::string> version;
  // Server clock minus local clock.
  std::optional<std::chrono::milliseconds> clock_offset;
};

class Connection {
 public:
  // `clock` and `random` outlive the connection. The channel connects with the first call.
  Connection(ConnectionOptions options, const Clock& clock, RandomSource& random);

  const ConnectionOptions& options() const { return options_; }
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  CancelToken& cancel() { return cancel_; }
  ServerFacts server_facts() const EXCLUDES(mutex_);
  // A new id that makes a create safe to try again.
  std::string NewRequestId() EXCLUDES(mutex_);
  // Uniform in [0, 1).
  double Jitter() EXCLUDES(mutex_);
  // Takes the facts from a call that was answered.
  void Note(const grpc::ClientContext& context) EXCLUDES(mutex_);

 private:
  const ConnectionOptions options_;
  const std::shared_ptr<grpc::Channel> channel_;
  const Clock& clock_;
  CancelToken cancel_;
  mutable Mutex mutex_;
  RandomSource& random_ GUARDED_BY(mutex_);
  ServerFacts facts_ GUARDED_BY(mutex_);
};

// Asks grpc.health.v1.Health for the whole server. True: SERVING. Errors: as any call; UNIMPLEMENTED where it has no
// such service.
absl::StatusOr<bool> CheckHealth(Connection& connection);

}  // namespace benchwire::client

#endif  // BENCHWIRE_CLIENTS_CPP_CONNECTION_H_
