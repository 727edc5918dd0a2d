// Warnings of a run, each reported once however often it is raised. One thread.
#ifndef BENCHWIRE_WORKERS_P2P_WARNINGS_H_
#define BENCHWIRE_WORKERS_P2P_WARNINGS_H_

#include <set>
#include <string>
#include <utility>

#include "workers/kit/events.h"

namespace benchwire::p2p {

class Warnings {
 public:
  explicit Warnings(kit::EventSink& sink) : sink_(sink) {}

  void Raise(const std::string& code, const std::string& message) {
    if (error_ || !raised_.emplace(code, message).second) return;
    if (kit::Status status = sink_.Write(kit::Warning{code, message}); !status.ok()) error_ = status.error();
  }

  // Why a warning could not be written, if one could not.
  const std::optional<kit::Error>& error() const { return error_; }

 private:
  kit::EventSink& sink_;
  std::set<std::pair<std::string, std::string>> raised_;
  std::optional<kit::Error> error_;
};

}  // namespace benchwire::p2p

#endif  // BENCHWIRE_WORKERS_P2P_WARNINGS_H_
