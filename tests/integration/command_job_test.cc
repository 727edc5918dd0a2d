// Jobs of the kind command from submission to their measurements: the server, an agent, the runner and real programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <thread>

#include "tests/integration/rpc_fixture.h"
#include "workers/agent/agent.h"
#include "workers/agent/inventory.h"
#include "workers/agent/runner_catalog.h"

namespace benchwire {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

class CommandJob : public Rpc {
 protected:
  // Starts an agent that offers the commands of a directory.
  void StartAgent(const std::string& commands) {
    agent::AgentOptions options;
    options.server = server_->address();
    options.worker = "workers/w";
    options.work_dir = work_.path();
    options.spool_dir = spool_.path();
    options.keeper = BENCHWIRE_WORKER_PATH;
    options.slots = 2;
    v1::Inventory inventory = agent::ReadMachine("/");
    const auto offered =
        agent::OfferCommands(BENCHWIRE_RUNNER_DIRECTORY, commands, options.keeper, milliseconds(20'000));
    ASSERT_TRUE(offered.ok()) << offered.status();
    const agent::RunnerCatalog catalog = {{"command", *offered}};
    agent::AddRunners(catalog, &inventory);
    agent_ = std::make_unique<agent::Agent>(options, inventory, catalog, clock_, random_, [](const absl::Status&) {});
    agent_->Start();
    v1::Worker worker;
    v1::GetWorkerRequest request;
    request.set_name("workers/w");
    while (!Call(*client_->fleet, &v1::FleetService::Stub::GetWorker, request, worker).ok()) {
      std::this_thread::sleep_for(milliseconds(20));
    }
  }

  grpc::Status Submit(const std::string& command, const std::map<std::string, std::string>& parameters, v1::Job* job) {
    v1::CreateJobRequest request;
    request.mutable_job()->mutable_command()->set_command(command);
    request.mutable_job()->mutable_command()->mutable_parameters()->insert(parameters.begin(), parameters.end());
    request.mutable_job()->set_seed(7);
    request.mutable_job()->set_max_attempts(1);
    return Call(*client_->jobs, &JobStub::CreateJob, request, *job);
  }

  // The job when it has ended, or is in `state`. A test that waits for ever is ended by its time limit.
  v1::Job WaitFor(const std::string& name, v1::JobState state) {
    v1::GetJobRequest request;
    request.set_name(name);
    for (;;) {
      v1::Job job;
      EXPECT_TRUE(Call(*client_->jobs, &JobStub::GetJob, request, job).ok());
      if (job.state() == state || job.has_end_time()) return job;
      std::this_thread::sleep_for(milliseconds(20));
    }
  }

  v1::ListMeasurementsResponse Measurements(const std::string& job) {
    v1::ListMeasurementsRequest request;
    request.set_parent(job);
    v1::ListMeasurementsResponse response;
    EXPECT_TRUE(Call(*client_->jobs, &JobStub::ListMeasurements, request, response).ok());
    return response;
  }

  TemporaryDirectory work_;
  TemporaryDirectory spool_;
  TemporaryDirectory definitions_;
  SystemClock clock_;
  SystemRandom random_;
  std::unique_ptr<agent::Agent> agent_;
};

TEST_F(CommandJob, GivesMeasurementsAndAResult) {
  StartAgent(BENCHWIRE_EXAMPLE_COMMANDS);
  v1::Job job;
  ASSERT_TRUE(Submit("csv-column", {{"updates", "50"}}, &job).ok());
  job = WaitFor(job.name(), v1::JOB_STATE_SUCCEEDED);
  ASSERT_EQ(job.state(), v1::JOB_STATE_SUCCEEDED) << job.ShortDebugString();
  const v1::Attempt& attempt = job.attempts(0);
  EXPECT_EQ(attempt.result().command().command(), "csv-column");
  EXPECT_EQ(attempt.result().command().files_size(), 2);
  EXPECT_EQ(attempt.result().command().points(), 50);
  EXPECT_TRUE(attempt.environment().contains("limit_memory"));
  const v1::ListMeasurementsResponse rows = Measurements(job.name());
  ASSERT_EQ(rows.measurements_size(), 3);
  EXPECT_EQ(rows.measurements(0).metric(), "last_return");
  EXPECT_EQ(rows.measurements(1).samples_size(), 10);
  EXPECT_EQ(rows.measurements(1).labels().at("rate"), "0.02");
  EXPECT_EQ(rows.measurements(2).unit(), "%");
}

TEST_F(CommandJob, WhatNoWorkerDefinesIsRefused) {
  StartAgent(BENCHWIRE_EXAMPLE_COMMANDS);
  v1::Job job;
  const grpc::Status status = Submit("unknown", {}, &job);
  EXPECT_EQ(ReasonOf(status), "UNSATISFIABLE");
  EXPECT_THAT(status.error_message(), HasSubstr("does not offer unknown, only csv-column"));
}

TEST_F(CommandJob, ABadParameterFailsTheJobWithoutAnotherTry) {
  StartAgent(BENCHWIRE_EXAMPLE_COMMANDS);
  v1::Job job;
  ASSERT_TRUE(Submit("csv-column", {{"updates", "0"}}, &job).ok());
  job = WaitFor(job.name(), v1::JOB_STATE_FAILED);
  EXPECT_EQ(job.state(), v1::JOB_STATE_FAILED);
  EXPECT_EQ(job.reason().code(), "BAD_SPEC");
  EXPECT_THAT(job.reason().message(), HasSubstr("parameters.updates: \"0\"; want an integer from 1 to 100000"));
}

TEST_F(CommandJob, AFileTheProgramNamesIsKept) {
  std::ofstream(definitions_.path() + "/x.json")
      << R"({"name": "x", "output": {"contract": true}, "argv": ["sh", "x.sh"],
    "files": {"x.sh": {"text": "mkdir out; echo a,b >out/t.csv\necho '{{\"artifact\": {{\"path\": \"out/t.csv\", \"media_type\": \"text/csv\"}}}}' >&$BENCHWIRE_EVENTS_FD\n"}}})";
  StartAgent(definitions_.path());
  v1::Job job;
  ASSERT_TRUE(Submit("x", {}, &job).ok());
  job = WaitFor(job.name(), v1::JOB_STATE_SUCCEEDED);
  ASSERT_EQ(job.state(), v1::JOB_STATE_SUCCEEDED) << job.ShortDebugString();
  v1::ListArtifactsRequest list;
  list.set_parent(job.attempts(0).name());
  v1::ListArtifactsResponse listed;
  ASSERT_TRUE(Call(*client_->jobs, &JobStub::ListArtifacts, list, listed).ok());
  ASSERT_EQ(listed.artifacts_size(), 1);
  EXPECT_EQ(listed.artifacts(0).path(), "out/t.csv");
  EXPECT_EQ(listed.artifacts(0).media_type(), "text/csv");
  v1::ReadArtifactRequest read;
  read.set_name(listed.artifacts(0).name());
  v1::ArtifactData data;
  ASSERT_TRUE(Call(*client_->jobs, &JobStub::ReadArtifact, read, data).ok());
  EXPECT_EQ(data.data(), "a,b\n");
}

TEST_F(CommandJob, CancellingEndsTheProgram) {
  std::ofstream(definitions_.path() + "/x.json")
      << R"({"name": "x", "argv": ["sleep", "1000"], "output": {"contract": true}})";
  StartAgent(definitions_.path());
  v1::Job job;
  ASSERT_TRUE(Submit("x", {}, &job).ok());
  ASSERT_EQ(WaitFor(job.name(), v1::JOB_STATE_RUNNING).state(), v1::JOB_STATE_RUNNING);
  v1::CancelJobRequest cancel;
  cancel.set_name(job.name());
  ASSERT_TRUE(Call(*client_->jobs, &JobStub::CancelJob, cancel, job).ok());
  EXPECT_EQ(WaitFor(job.name(), v1::JOB_STATE_CANCELLED).state(), v1::JOB_STATE_CANCELLED);
}

}  // namespace
}  // namespace benchwire
