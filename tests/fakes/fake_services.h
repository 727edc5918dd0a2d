// A Benchwire server in memory on loopback: the client-facing services, without any of the real server's decisions. It
// can be stopped and started again on the same port with its state kept, and told to fail calls. For tests of clients.
// Any thread.
#ifndef BENCHWIRE_TESTS_FAKES_FAKE_SERVICES_H_
#define BENCHWIRE_TESTS_FAKES_FAKE_SERVICES_H_

#include <benchwire/v1/digest_service.pb.h>
#include <benchwire/v1/event_service.pb.h>
#include <benchwire/v1/fleet_service.pb.h>
#include <benchwire/v1/job_service.pb.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/base/mutex.h"
#include "tests/fakes/reserved_port.h"

namespace grpc {
class Server;
class Service;
}  // namespace grpc

namespace benchwire {

// What the services keep. Guarded by FakeServer's mutex; tests change it in FakeServer::Change.
struct FakeState {
  struct Log {
    std::string bytes;
    bool ended = false;
  };
  std::vector<v1::Job> jobs;                                         // In order of creation.
  std::map<std::string, v1::CreateJobRequest> creates;               // By request_id.
  std::map<std::string, std::string> created;                        // Job by request_id.
  std::map<std::string, v1::JobExplanation> explanations;            // By job.
  std::map<std::string, std::vector<v1::Measurement>> measurements;  // By parent.
  std::map<std::string, Log> logs;                                   // By attempt.
  std::map<std::string, std::vector<v1::SeriesData>> series;         // By attempt.
  int series_limit = 100'000;                                        // Points of one answer.
  std::vector<v1::Event> events;
  std::map<std::string, v1::Digest> digests;
  std::map<std::string, std::vector<v1::Edition>> editions;  // By digest, oldest first.
  std::map<std::string, v1::Entry> entries;
  std::map<std::string, v1::Worker> workers;
  std::vector<v1::UpdateEntryRequest> updates;
  // Called with each new job before it is stored.
  std::function<void(v1::Job&)> on_create;
  // Bytes per log chunk.
  size_t chunk = 1 << 16;
  // Added to the clock the server tells.
  std::chrono::milliseconds clock_offset{0};

  v1::Job* FindJob(const std::string& name);
  // Sets the state of a job and writes the event.
  void SetJobState(const std::string& name, v1::JobState state);
  void AddEvent(const std::string& resource, v1::EventType type, const std::string& state);
};

class FakeServer {
 public:
  FakeServer();
  ~FakeServer();

  // On a free port the first time, on the same one later.
  void Start();
  // Ends all streams with UNAVAILABLE.
  void Stop();
  std::string address() const;

  // Runs `change` under the lock and wakes the streams.
  void Change(const std::function<void(FakeState&)>& change) EXCLUDES(mutex_);
  // The next `times` calls of `method`, such as `GetJob`, get `error`.
  void FailNext(const std::string& method, int times, const absl::Status& error) EXCLUDES(mutex_);
  // How often a method was called.
  int Calls(const std::string& method) const EXCLUDES(mutex_);
  // Streams open now.
  int OpenStreams() const EXCLUDES(mutex_);

 private:
  friend struct FakeCall;

  mutable Mutex mutex_;
  CondVar changed_;
  FakeState state_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  int streams_ GUARDED_BY(mutex_) = 0;
  std::map<std::string, int> calls_ GUARDED_BY(mutex_);
  std::map<std::string, std::pair<int, absl::Status>> failures_ GUARDED_BY(mutex_);
  const ReservedPort port_;
  std::vector<std::unique_ptr<grpc::Service>> services_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace benchwire

#endif  // BENCHWIRE_TESTS_FAKES_FAKE_SERVICES_H_
