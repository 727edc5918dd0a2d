#include "clients/cli/session.h"

#include <utility>

#include "clients/cli/json.h"
#include "clients/cli/text.h"
#include "clients/cli/units.h"
#include "server/base/status.h"

namespace benchwire::cli {

Session::Session(Globals globals) : globals_(std::move(globals)) {}

client::Connection& Session::connection() {
  if (!connection_) {
    client::ConnectionOptions options;
    options.server = globals_.server;
    connection_ = std::make_unique<client::Connection>(std::move(options), clock_, random_);
  }
  return *connection_;
}

client::JobClient& Session::jobs() {
  if (!jobs_) jobs_ = std::make_unique<client::JobClient>(connection());
  return *jobs_;
}

client::DigestClient& Session::digests() {
  if (!digests_) digests_ = std::make_unique<client::DigestClient>(connection());
  return *digests_;
}

client::FleetClient& Session::fleet() {
  if (!fleet_) fleet_ = std::make_unique<client::FleetClient>(connection());
  return *fleet_;
}

client::EventClient& Session::events() {
  if (!events_) events_ = std::make_unique<client::EventClient>(connection());
  return *events_;
}

WallTime Session::ServerNow() {
  const auto offset = connection().server_facts().clock_offset;
  return clock_.Now() + offset.value_or(std::chrono::milliseconds(0));
}

std::string Session::Today() const { return LocalDay(clock_.Now()); }

absl::Status Session::PrintJson(const google::protobuf::Message& message) {
  ASSIGN_OR_RETURN(const std::string json, ToJson(message));
  out_.Line(json);
  return absl::OkStatus();
}

void Session::Note(const std::string& text) { err_.Line(OneLine(text)); }

}  // namespace benchwire::cli
