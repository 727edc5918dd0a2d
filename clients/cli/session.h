// What a command works with: outputs, clients (made when first asked for), clock and signals. Made once in app.cc. One
// thread.
#ifndef BENCHWIRE_CLIENTS_CLI_SESSION_H_
#define BENCHWIRE_CLIENTS_CLI_SESSION_H_

#include <google/protobuf/message.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/cli/output.h"
#include "clients/cli/signals.h"
#include "clients/cli/table.h"
#include "clients/cpp/connection.h"
#include "clients/cpp/digest_client.h"
#include "clients/cpp/event_client.h"
#include "clients/cpp/fleet_client.h"
#include "clients/cpp/job_client.h"
#include "server/base/clock.h"
#include "server/base/random.h"

namespace benchwire::cli {

struct Globals {
  std::string server = "127.0.0.1:7411";
  bool json = false;
};

class Session {
 public:
  explicit Session(Globals globals);

  const Globals& globals() const { return globals_; }
  bool json() const { return globals_.json; }
  Output& out() { return out_; }
  Output& err() { return err_; }
  Signals& signals() { return signals_; }
  const Clock& clock() const { return clock_; }
  RandomSource& random() { return random_; }

  client::Connection& connection();
  client::JobClient& jobs();
  client::DigestClient& digests();
  client::FleetClient& fleet();
  client::EventClient& events();

  // The server's clock as far as it told, else the local one.
  WallTime ServerNow();
  // The caller's local day.
  std::string Today() const;

  // One JSON object on one line of the output.
  absl::Status PrintJson(const google::protobuf::Message& message);
  // The table for people or for programs, by what the output is.
  void Print(const Table& table) { out_.Write(table.Render(out_.width())); }
  // One line on the error output, made harmless.
  void Note(const std::string& text);

 private:
  const Globals globals_;
  Output out_{1};
  Output err_{2};
  // First of all that starts threads.
  Signals signals_{1};
  SystemClock clock_;
  SystemRandom random_;
  std::unique_ptr<client::Connection> connection_;
  std::unique_ptr<client::JobClient> jobs_;
  std::unique_ptr<client::DigestClient> digests_;
  std::unique_ptr<client::FleetClient> fleet_;
  std::unique_ptr<client::EventClient> events_;
};

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_SESSION_H_
