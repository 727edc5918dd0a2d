// The worker's session with the server: registers, renews, and stops the runners where the server is silent for too
// long.
//
// Two threads of its own: one makes every RegisterWorker and RenewLease call, one after the other, on a channel that
// carries nothing else, so that uploads never delay a heartbeat; one watches the time since the last successful call
// was *sent*, on the monotonic clock, and calls OnSilence (self-fencing) even where that call hangs. Any thread may
// call the public methods.
#ifndef BENCHWIRE_WORKERS_AGENT_SESSION_H_
#define BENCHWIRE_WORKERS_AGENT_SESSION_H_

#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "benchwire/v1/agent_service.pb.h"
#include "server/base/clock.h"
#include "server/base/mutex.h"
#include "server/base/random.h"
#include "workers/agent/agent_api.h"
#include "workers/agent/options.h"

namespace benchwire::agent {

// What the session wants of its owner. Called from the session's threads; nothing in it may wait for the server.
class SessionListener {
 public:
  virtual ~SessionListener() = default;
  // Attempts held now, with their progress.
  virtual std::map<std::string, v1::Progress> Attempts() = 0;
  // The server does not count this attempt as this worker's any more.
  virtual void OnLost(const std::string& attempt) = 0;
  virtual void OnCancel(const std::string& attempt) = 0;
  // Nothing was heard for too long: all runners are to be stopped.
  virtual void OnSilence() = 0;
  // The first registration was refused for good; the session gives up.
  virtual void OnRefused(const absl::Status& status) = 0;
};

class Session {
 public:
  // The references must outlive the session. `incarnation` is this process start's.
  Session(const AgentOptions& options, v1::Inventory inventory, std::string incarnation, AgentApi& api,
          const Clock& clock, RandomSource& random, SessionListener& listener);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  void Start();
  // Ends the threads and every Wait.
  void Stop();

  const std::string& incarnation() const { return incarnation_; }
  // The session's id; waits up to `timeout` for one. Empty: none yet, or stopped.
  std::string Wait(std::chrono::milliseconds timeout);
  // The server called `session` stale: register again, unless that was done already.
  void MarkStale(const std::string& session);
  // The server said so on a report stream; RenewLease confirms or takes it back.
  void SetDraining(bool draining);
  bool draining() const;
  // Whether the server was heard from within the time that runners may go on without it.
  bool alive() const;
  // What a runner has to end in, once it is to be stopped, before its lease could go to another.
  std::chrono::milliseconds stop_time() const;

 private:
  void Run();
  void Watch();
  // True: the time that runners may go on without the server has just passed. False: stopping.
  bool WaitForSilence();
  // Both return the delay to the next call.
  std::chrono::milliseconds Register(std::string* session);
  std::chrono::milliseconds Renew(const std::string& session);
  std::chrono::milliseconds OnError(const char* call, const absl::Status& status);
  void Heard(MonotonicTime sent, const google::protobuf::Duration& ttl);
  std::chrono::milliseconds CallTimeout() const;

  const AgentOptions& options_;
  const v1::Inventory inventory_;
  const std::string incarnation_;
  AgentApi& api_;
  const Clock& clock_;
  RandomSource& random_;
  SessionListener& listener_;

  // Of the calling thread alone.
  int failures_ = 0;
  bool ever_registered_ = false;

  mutable Mutex mutex_;
  CondVar changed_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::string session_ GUARDED_BY(mutex_);
  bool draining_ GUARDED_BY(mutex_) = false;
  bool silent_ GUARDED_BY(mutex_) = true;
  MonotonicTime heard_ GUARDED_BY(mutex_);
  std::chrono::milliseconds ttl_ GUARDED_BY(mutex_){0};
  std::thread caller_;
  std::thread watcher_;
};

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_SESSION_H_
