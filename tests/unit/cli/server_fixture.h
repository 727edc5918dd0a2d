// A fake server with one finished job, and the command line pointed at it.
#ifndef BENCHWIRE_TESTS_UNIT_CLI_SERVER_FIXTURE_H_
#define BENCHWIRE_TESTS_UNIT_CLI_SERVER_FIXTURE_H_

#include <gtest/gtest.h>

#include <algorithm>
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

  // Adds points to a series of an attempt; makes it where there is none.
  void AddPoints(const std::string& attempt, const std::string& metric,
                 const std::vector<std::pair<int64_t, double>>& points, const std::string& gpu = "") {
    server_.Change([&](FakeState& fake) {
      std::vector<v1::SeriesData>& all = fake.series[attempt];
      auto found = std::find_if(all.begin(), all.end(), [&](const v1::SeriesData& data) {
        return data.series().metric() == metric && (gpu.empty() || data.series().labels().at("gpu") == gpu);
      });
      if (found == all.end()) {
        found = all.emplace(all.end());
        found->mutable_series()->set_name(attempt + "/series/" + std::to_string(all.size()));
        found->mutable_series()->set_metric(metric);
        if (!gpu.empty()) (*found->mutable_series()->mutable_labels())["gpu"] = gpu;
      }
      for (const auto& [step, value] : points) {
        v1::SeriesPoint& point = *found->add_points();
        point.set_step(step);
        point.set_value(value);
        *found->mutable_series()->mutable_last_point() = point;
      }
      std::stable_sort(found->mutable_points()->begin(), found->mutable_points()->end(),
                       [](const v1::SeriesPoint& a, const v1::SeriesPoint& b) { return a.step() < b.step(); });
      found->mutable_series()->set_point_count(found->points_size());
    });
  }

  FakeServer server_;
};

}  // namespace benchwire::cli

#endif  // BENCHWIRE_TESTS_UNIT_CLI_SERVER_FIXTURE_H_
