// An AgentService on loopback that tests script: it hands out given jobs, keeps what is reported, and misbehaves on
// request. Its state outlives Stop and Start, like that of a server that restarts. Any thread.
#ifndef BENCHWIRE_TESTS_FAKES_FAKE_AGENT_SERVER_H_
#define BENCHWIRE_TESTS_FAKES_FAKE_AGENT_SERVER_H_

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "benchwire/v1/agent_service.pb.h"
#include "tests/fakes/reserved_port.h"

namespace benchwire {

// What the server knows of an attempt.
struct FakeAttempt {
  benchwire::v1::Lease lease;
  bool leased = false;
  bool started = false;
  // The lease was given to another worker.
  bool stale = false;
  bool cancel = false;
  std::string log;
  std::vector<benchwire::v1::Point> points;
  std::vector<benchwire::v1::Measurement> measurements;
  std::map<std::string, std::string> artifacts;  // Bytes so far, by path.
  std::vector<benchwire::v1::ArtifactChunk> artifact_ends;
  int64_t last_sequence = 0;
  // Batches that came again after they were stored.
  int repeated = 0;
  // Largest message seen, and messages of sequence 0 with progress.
  size_t largest = 0;
  int progress_messages = 0;
  std::optional<benchwire::v1::CompleteAttemptRequest> completion;
  int completions = 0;
};

// How the server misbehaves.
struct FakeFaults {
  // RegisterWorker, RenewLease answer UNAVAILABLE.
  bool mute = false;
  // So many LeaseJob calls grant their lease and answer UNAVAILABLE.
  int lost_lease_replies = 0;
  // So many StartAttempt and CompleteAttempt calls take effect and answer UNAVAILABLE.
  int lost_start_replies = 0;
  int lost_complete_replies = 0;
  // Batches from this number on are taken off the wire and forgotten, without an answer.
  int64_t forget_batch = 0;
  // Nothing is acknowledged.
  bool no_acknowledgements = false;
  // RegisterWorker is refused with this message.
  std::string refuse;
  // RegisterWorker lists no attempt.
  bool forget_attempts = false;
  // CompleteAttempt with a result is INVALID_ARGUMENT.
  bool refuse_results = false;
  // CompleteAttempt refuses every environment.
  bool refuse_environments = false;
};

class FakeAgentServer {
 public:
  FakeAgentServer();
  FakeAgentServer(const FakeAgentServer&) = delete;
  FakeAgentServer& operator=(const FakeAgentServer&) = delete;
  ~FakeAgentServer();

  // Listens, each time on the same port. Sessions of before are stale.
  void Start();
  // Breaks every call.
  void Stop();
  std::string address() const;

  void SetTtl(std::chrono::milliseconds ttl);
  void SetFaults(const FakeFaults& faults);
  void SetDrain(bool drain);
  // Gives out one more job of this kind and spec; returns its attempt's name.
  std::string AddJob(const std::string& kind, const std::string& spec, std::chrono::milliseconds timeout,
                     const std::vector<std::string>& devices = {});
  // Tells the worker on the report stream and in RenewLease.
  void Cancel(const std::string& attempt);
  void MakeStale(const std::string& attempt);
  void MakeSessionsStale();

  FakeAttempt Get(const std::string& attempt) const;
  std::vector<benchwire::v1::RegisterWorkerRequest> registrations() const;
  std::vector<std::string> lease_request_ids() const;
  int renewals() const;
  // Waits, 20 s at most, until the condition holds. False: it did not.
  bool WaitFor(const std::string& attempt, const std::function<bool(const FakeAttempt&)>& condition) const;
  bool WaitFor(const std::function<bool()>& condition) const;
  // The completion of an attempt; the test fails where there is none in time.
  benchwire::v1::CompleteAttemptRequest WaitCompletion(const std::string& attempt) const;

 private:
  class Service;
  struct Server;
  std::unique_ptr<Service> service_;
  std::unique_ptr<Server> server_;
  const ReservedPort port_;
};

}  // namespace benchwire

#endif  // BENCHWIRE_TESTS_FAKES_FAKE_AGENT_SERVER_H_
