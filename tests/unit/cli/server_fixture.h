// A fake server with one finished job, and the command line pointed at it.
#ifndef BENCHWIRE_TESTS_UNIT_CLI_SERVER_FIXTURE_H_
#define BENCHWIRE_TESTS_UNIT_CLI_SERVER_FIXTURE_H_

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "server/base/clock.h"
#include "tests/fakes/fake_services.h"
#include "tests/unit/cli/run_cli.h"

namespace benchwire::cli {

class ServerFixture : public testing::Test {
 protected:
  ServerFixture() { server_.Start(); }

  std::vector<std::string> With(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"--server", server_.address()});
    return arguments;
  }
  Result Run(const std::vector<std::string>& arguments, const RunOptions& options = {}) const {
    return RunCli(With(arguments), options);
  }

  // Adds `jobs/0fakeN` and returns its name.
  std::string AddJob(v1::JobState state, const std::string& title = "") {
    std::string name;
    server_.Change([&](FakeState& fake) {
      v1::Job job;
      name = "jobs/0fake" + std::to_string(fake.jobs.size() + 1);
      job.set_name(name);
      job.set_display_name(title);
      job.set_state(state);
      job.set_seed(42);
      job.mutable_p2p()->set_backend(v1::P2P_BACKEND_HOST);
      job.mutable_p2p()->set_samples(20);
      *job.mutable_create_time() = ToProto(SystemClock().Now() - std::chrono::minutes(5) - std::chrono::seconds(30));
      fake.jobs.push_back(job);
      fake.AddEvent(name, v1::EVENT_TYPE_CREATED, v1::JobState_Name(state));
    });
    return name;
  }

  void AddAttempt(const std::string& job, const std::string& log, bool ended) {
    server_.Change([&](FakeState& fake) {
      v1::Job& found = *fake.FindJob(job);
      v1::Attempt& attempt = *found.add_attempts();
      attempt.set_name(job + "/attempts/" + std::to_string(found.attempts_size()));
      attempt.set_worker("workers/node-1");
      attempt.set_state(ended ? v1::ATTEMPT_STATE_SUCCEEDED : v1::ATTEMPT_STATE_RUNNING);
      fake.logs[attempt.name()] = {log, ended};
    });
  }

  FakeServer server_;
};

}  // namespace benchwire::cli

#endif  // BENCHWIRE_TESTS_UNIT_CLI_SERVER_FIXTURE_H_
