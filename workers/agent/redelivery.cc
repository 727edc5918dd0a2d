#include "workers/agent/redelivery.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <optional>
#include <utility>

#include "clients/cpp/channel.h"
#include "server/base/log.h"
#include "workers/agent/delivery.h"
#include "workers/agent/outbox.h"
#include "workers/agent/report_stream.h"

namespace benchwire::agent {
namespace {

constexpr std::chrono::milliseconds kWaitSlice{200};

}  // namespace

Redelivery::Redelivery(const AgentOptions& options, v1::Inventory inventory, const Clock& clock, RandomSource& random,
                       Spool& spool)
    : options_(options),
      inventory_(std::move(inventory)),
      clock_(clock),
      random_(random),
      spool_(spool),
      api_(client::OpenChannel(options.server)) {}

void Redelivery::Run() {
  std::map<std::string, Group> groups;
  for (FinishedAttempt& finished : spool_.List()) groups[finished.incarnation].push_back(std::move(finished));
  for (auto& [incarnation, group] : groups) {
    if (!stopping_.IsSet() && !refused_.IsSet()) RunGroup(incarnation, std::move(group));
  }
}

void Redelivery::Stop() {
  stopping_.Set();
  api_.Cancel();
}

void Redelivery::RunGroup(const std::string& incarnation, Group group) {
  spdlog::info("delivering what an earlier process left incarnation={} attempts={}", incarnation, group.size());
  {
    MutexLock lock(mutex_);
    lost_.clear();
    for (const FinishedAttempt& finished : group) lost_[finished.name()];
  }
  AgentApi control(client::OpenChannel(options_.server));
  Session session(options_, inventory_, incarnation, control, clock_, random_, *this);
  session.Start();
  while (session.Wait(kWaitSlice).empty() && !stopping_.IsSet() && !refused_.IsSet()) {
  }
  const MonotonicTime deadline = clock_.Monotonic() + options_.redelivery_patience;
  for (FinishedAttempt& finished : group) DeliverOne(std::move(finished), session, deadline);
  session.Stop();
}

void Redelivery::DeliverOne(FinishedAttempt finished, Session& session, MonotonicTime deadline) {
  const std::string name = finished.name();
  StopSignal* lost = nullptr;
  {
    MutexLock lock(mutex_);
    lost = &lost_[name];
  }
  Outbox outbox(options_.outbox, clock_, [] {});
  const bool has_batches = !finished.batches.empty();
  outbox.Restore(std::move(finished.batches), finished.completion.last_sequence());
  std::optional<ReportStream> stream;
  if (has_batches && !lost->IsSet()) {
    stream.emplace(options_, api_, session, random_, finished.completion.fence(), outbox,
                   ReportStream::Callbacks{[] {}, [lost] { lost->Set(); }});
  }
  Delivery delivery(options_, api_, session, random_, outbox, *lost, [this, deadline] {
    return stopping_.IsSet() || refused_.IsSet() || clock_.Monotonic() >= deadline;
  });
  if (delivery.Run(std::move(finished.completion))) spool_.Remove(name);
}

std::map<std::string, v1::Progress> Redelivery::Attempts() {
  std::map<std::string, v1::Progress> out;
  MutexLock lock(mutex_);
  for (const auto& [name, lost] : lost_) out[name];
  return out;
}

void Redelivery::OnLost(const std::string& attempt) {
  MutexLock lock(mutex_);
  const auto found = lost_.find(attempt);
  if (found != lost_.end()) found->second.Set();
}

void Redelivery::OnRefused(const absl::Status& status) {
  spdlog::warn("earlier results not delivered message=\"{}\"", LogSafe(std::string(status.message())));
  refused_.Set();
}

}  // namespace benchwire::agent
