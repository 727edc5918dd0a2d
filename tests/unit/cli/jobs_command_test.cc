// benchwire submit and benchwire jobs, against services in memory.
#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/cli/server_fixture.h"

namespace benchwire::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using JobsCommand = ServerFixture;

TEST_F(JobsCommand, SubmitSendsEveryOption) {
  const Result result = Run({"submit",
                             "p2p",
                             "--backend",
                             "host",
                             "--case",
                             "bw.*",
                             "--case",
                             "lat.*",
                             "--size",
                             "64MiB",
                             "--size=4096",
                             "--pair",
                             "numa:0:numa:1",
                             "--samples",
                             "30",
                             "--warmup",
                             "0",
                             "--min-sample-time",
                             "1.5s",
                             "--verify",
                             "none",
                             "--pair-deadline",
                             "2m",
                             "--seed",
                             "9",
                             "--label",
                             "k=-x",
                             "--label",
                             "eq=a=b",
                             "--name",
                             "名字",
                             "--priority",
                             "0",
                             "--timeout",
                             "2h",
                             "--queue-ttl",
                             "90s",
                             "--max-attempts",
                             "1",
                             "--allow-unsatisfiable",
                             "--request-id",
                             "my-id"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "jobs/0fake1\n");
  server_.Change([](FakeState& state) {
    ASSERT_TRUE(state.creates.contains("my-id"));
    const v1::CreateJobRequest& request = state.creates["my-id"];
    EXPECT_TRUE(request.allow_unsatisfiable());
    std::string json;
    ASSERT_TRUE(google::protobuf::util::MessageToJsonString(request.job().p2p(), &json).ok());
    EXPECT_EQ(json, R"({"backend":"P2P_BACKEND_HOST","cases":["bw.*","lat.*"],"sizesBytes":["67108864","4096"],)"
                    R"("pairs":[{"src":"numa:0","dst":"numa:1"}],"samples":30,"warmup":0,"minSampleTime":"1.500s",)"
                    R"("verification":"P2P_VERIFICATION_NONE","pairDeadline":"120s"})");
    EXPECT_EQ(request.job().seed(), 9);
    EXPECT_EQ(request.job().labels().at("k"), "-x");
    EXPECT_EQ(request.job().labels().at("eq"), "a=b");
    EXPECT_EQ(request.job().display_name(), "名字");
    EXPECT_TRUE(request.job().has_priority());
    EXPECT_EQ(request.job().timeout().seconds(), 7200);
    EXPECT_EQ(request.job().queue_ttl().seconds(), 90);
    EXPECT_EQ(request.job().max_attempts(), 1);
  });
}

TEST_F(JobsCommand, SubmitSendsACommandWithItsParameters) {
  const Result result =
      Run({"submit",  "command", "sort-lines",   "--param", "lines=100", "--param", "text=a=b c",  "--param=x=-1",
           "--cpus",  "4",       "--gpus",       "2",       "--memory",  "1GiB",    "--exclusive", "device",
           "--label", "k=v",     "--request-id", "my-id"});
  EXPECT_EQ(result.code, 0) << result.err;
  server_.Change([](FakeState& state) {
    const v1::Job& job = state.creates["my-id"].job();
    EXPECT_EQ(job.command().command(), "sort-lines");
    EXPECT_EQ(job.command().parameters().at("text"), "a=b c");
    EXPECT_EQ(job.command().parameters().at("x"), "-1");
    EXPECT_EQ(job.command().parameters_size(), 3);
    EXPECT_EQ(job.requirements().ShortDebugString(),
              "device_kind: DEVICE_KIND_GPU device_count: 2 cpus: 4 memory_bytes: 1073741824 exclusivity: "
              "EXCLUSIVITY_DEVICE");
    EXPECT_EQ(job.labels().at("k"), "v");
  });
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--param", "x"},
                                             {"--param", "=x"},
                                             {"--param", "a=1", "--param", "a=2"},
                                             {"--exclusive", "much"},
                                             {"--gpus", "65"}}) {
    std::vector<std::string> arguments = {"submit", "command", "sort-lines"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result bad = Run(arguments);
    EXPECT_EQ(bad.code, 2);
    EXPECT_THAT(bad.err, HasSubstr(more[0] + ": '" + more.back() + "' is not valid"));
  }
}

TEST_F(JobsCommand, ShowPrintsWhatACommandDid) {
  const std::string job = AddJob(v1::JOB_STATE_SUCCEEDED);
  AddAttempt(job, "", true);
  server_.Change([&](FakeState& state) {
    v1::Job& found = *state.FindJob(job);
    found.mutable_command()->set_command("sort-lines");
    (*found.mutable_command()->mutable_parameters())["lines"] = "100";
    v1::CommandResult& result = *found.mutable_attempts(0)->mutable_result()->mutable_command();
    result.set_command("sort-lines");
    result.set_program_version("sort 9.1");
    result.add_arguments("sort.sh");
    result.add_arguments("100");
    result.set_measurements(2);
    result.mutable_wall_time()->set_seconds(3);
    v1::CommandFile& file = *result.add_files();
    file.set_path("out/summary.json");
    file.set_size_bytes(2048);
  });
  const std::string out = Run({"jobs", "show", job}).out;
  for (const char* part : {"sort-lines", "lines", "sort 9.1", "sort.sh 100", "out/summary.json"}) {
    EXPECT_THAT(out, HasSubstr(part));
  }
}

TEST_F(JobsCommand, WhatIsNotGivenIsLeftToTheServer) {
  EXPECT_EQ(Run({"submit", "p2p"}).code, 0);
  server_.Change([](FakeState& state) {
    const v1::CreateJobRequest& request = state.creates.begin()->second;
    EXPECT_TRUE(request.job().has_p2p());
    EXPECT_EQ(request.job().p2p().ByteSizeLong(), 0u);
    EXPECT_FALSE(request.job().has_seed());
    EXPECT_FALSE(request.job().has_queue_ttl());
    EXPECT_EQ(request.request_id().size(), 32u);
  });
}

TEST_F(JobsCommand, SubmitReadsJsonFromStandardInput) {
  const Result result = Run({"jobs", "submit", "-f", "-", "--json"},
                            {.input = "\xEF\xBB\xBF{\"seed\": 3,\r\n\"p2p\": {\"sizes_bytes\": [4096]}}\r\n"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(R"("name":"jobs/0fake1")"));
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1);
  const Result bad = Run({"jobs", "submit", "-f", "-"}, {.input = "{\"p2q\": {}}"});
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("standard input: not the JSON of a Job"));
  EXPECT_EQ(Run({"jobs", "submit", "-f", "/nonexistent"}).code, 3);
}

TEST_F(JobsCommand, ListIsTabsInAPipeAndCellsOnATerminal) {
  AddJob(v1::JOB_STATE_RUNNING, "卡间带宽 🚀 and a long English title that goes on and on and on and on");
  AddJob(v1::JOB_STATE_SUCCEEDED, "ＡＢＣ\x1b[31m");
  const Result pipe = Run({"jobs", "ls"});
  EXPECT_EQ(pipe.code, 0);
  EXPECT_THAT(pipe.out, StartsWith("JOB\tKIND\tSTATE\tCREATED\tNAME\tLABELS\tREASON\njobs/0fake2\tp2p\tSUCCEEDED\t20"));
  EXPECT_THAT(pipe.out, HasSubstr("\tＡＢＣ\\x1b[31m\t"));
  EXPECT_THAT(pipe.out, HasSubstr("goes on and on and on and on\t"));
  const Result narrow = Run({"jobs", "ls"}, {.terminal_columns = 40});
  EXPECT_THAT(narrow.out, HasSubstr("0fake1  p2p   RUNNING"));
  const Result terminal = Run({"jobs", "ls"}, {.terminal_columns = 80});
  EXPECT_THAT(terminal.out, HasSubstr("…"));
  EXPECT_THAT(terminal.out, Not(HasSubstr("\x1b[31m")));
  const Result wide = Run({"jobs", "ls"}, {.terminal_columns = 200});
  EXPECT_THAT(wide.out, HasSubstr("5 min 3"));
  EXPECT_THAT(wide.out, HasSubstr("on and on and on and on"));
}

TEST_F(JobsCommand, ListFiltersAndLimits) {
  for (int i = 0; i < 25; ++i) AddJob(i % 2 == 0 ? v1::JOB_STATE_RUNNING : v1::JOB_STATE_FAILED);
  auto count = [](const Result& result) { return std::count(result.out.begin(), result.out.end(), '\n'); };
  EXPECT_EQ(count(Run({"jobs", "ls", "--json"})), 25);
  EXPECT_EQ(count(Run({"jobs", "ls", "--json", "--state", "running"})), 13);
  EXPECT_EQ(count(Run({"jobs", "ls", "--json", "--state", "running", "--state", "JOB_STATE_FAILED", "--limit", "21"})),
            21);
}

TEST_F(JobsCommand, AgesFollowTheServersClock) {
  AddJob(v1::JOB_STATE_RUNNING);
  server_.Change([](FakeState& state) { state.clock_offset = std::chrono::hours(6); });
  EXPECT_THAT(Run({"jobs", "ls"}, {.terminal_columns = 120}).out, HasSubstr("6 h 5 min ago"));
  server_.Change([](FakeState& state) { state.clock_offset = std::chrono::hours(-6); });
  EXPECT_THAT(Run({"jobs", "ls"}, {.terminal_columns = 120}).out, HasSubstr("just now"));
}

TEST_F(JobsCommand, ShowHasAttemptsHardwareAndNumbers) {
  const std::string job = AddJob(v1::JOB_STATE_SUCCEEDED, "nightly");
  AddAttempt(job, "", true);
  server_.Change([&](FakeState& state) {
    v1::P2pResult& result = *state.FindJob(job)->mutable_attempts(0)->mutable_result()->mutable_p2p();
    result.set_backend(v1::P2P_BACKEND_HOST);
    result.set_verdict(v1::P2P_VERDICT_PASS);
    v1::P2pEndpoint& endpoint = *result.add_endpoints();
    endpoint.set_id("numa:0");
    endpoint.set_model("Example CPU");
    (*state.FindJob(job)->mutable_attempts(0)->mutable_environment())["kernel"] = "6.1";
    v1::Measurement row;
    row.set_metric("bandwidth");
    row.set_case_("bw.unidir.write");
    row.set_unit("B/s");
    row.set_value(1.2345e10);
    row.mutable_interval()->set_low(1.2e10);
    row.mutable_interval()->set_high(1.25e10);
    row.mutable_interval()->set_confidence(0.9586);
    for (int i = 0; i < 20; ++i) row.add_samples(1.2e10);
    row.set_status(v1::MEASUREMENT_STATUS_OK);
    (*row.mutable_labels())["src"] = "numa:0";
    v1::Measurement waived;
    waived.set_metric("bandwidth");
    waived.set_unit("B/s");
    waived.set_status(v1::MEASUREMENT_STATUS_WAIVED);
    waived.set_reason_code("SINGLE_GPU");
    state.measurements[job] = {row, waived, row, row, row};
  });
  const Result terminal = Run({"jobs", "show", job}, {.terminal_columns = 160});
  EXPECT_EQ(terminal.code, 0) << terminal.out;
  for (const char* text : {"nightly", "numa:0", "Example CPU", "kernel", "bw.unidir.write", "12.35", "GB/s", "95.86 %",
                           "node-1", "WAIVED SINGLE_GPU"}) {
    EXPECT_THAT(terminal.out, HasSubstr(text));
  }
  const Result rows = Run({"jobs", "measurements", "0fake1"});
  EXPECT_THAT(
      rows.out,
      HasSubstr("\nbandwidth\tbw.unidir.write\tsrc=numa:0\t1.2345e+10\tB/s\t1.2e+10\t1.25e+10\t0.9586\t20\tOK\n"));
  EXPECT_THAT(rows.out, HasSubstr("\nbandwidth\t\t\t\tB/s\t\t\t\t0\tWAIVED SINGLE_GPU\n"));
  EXPECT_EQ(std::count(rows.out.begin(), rows.out.end(), '\n'), 6);
}

TEST_F(JobsCommand, ErrorsHaveTheirStatus) {
  const Result missing = Run({"jobs", "show", "0none"});
  EXPECT_EQ(missing.code, 3);
  EXPECT_EQ(missing.err, "benchwire: jobs/0none does not exist\n");
  const std::string job = AddJob(v1::JOB_STATE_SUCCEEDED);
  const Result ended = Run({"jobs", "cancel", job});
  EXPECT_EQ(ended.code, 4);
  EXPECT_THAT(ended.err, HasSubstr("ALREADY_TERMINAL"));
  EXPECT_EQ(Run({"jobs", "retry", AddJob(v1::JOB_STATE_RUNNING)}).code, 4);
}

TEST_F(JobsCommand, ExplainHasOneReasonForEachWorker) {
  const std::string job = AddJob(v1::JOB_STATE_QUEUED);
  server_.Change([&](FakeState& state) {
    v1::JobExplanation& out = state.explanations[job];
    out.set_job(job);
    out.set_state(v1::JOB_STATE_QUEUED);
    out.set_summary("waits for a worker; 1 could run it");
    out.set_queue_place(3);
    out.set_queue_length(12);
    out.set_effective_priority(75);
    *out.mutable_expected_start_time() =
        ToProto(SystemClock().Now() + std::chrono::minutes(5) + std::chrono::seconds(30));
    v1::WorkerExplanation& worker = *out.add_workers();
    worker.set_worker("workers/node-1");
    worker.set_obstacle(v1::OBSTACLE_BUSY);
    worker.set_reason("busy: \x1b[31m1 of 8 GPU devices free, needs 4");
    out.set_more_workers(4);
  });
  const Result terminal = Run({"jobs", "explain", job}, {.terminal_columns = 120});
  EXPECT_EQ(terminal.code, 0) << terminal.err;
  for (const char* text : {"waits for a worker; 1 could run it", "3 of 12", "75", "in 5 min", "at the latest", "node-1",
                           "busy: \\x1b[31m1 of 8 GPU devices free, needs 4", "and 4 more workers"}) {
    EXPECT_THAT(terminal.out, HasSubstr(text));
  }
  EXPECT_THAT(Run({"jobs", "explain", "0fake1"}).out, HasSubstr("\nworkers/node-1\tbusy: "));
  EXPECT_THAT(Run({"jobs", "explain", job, "--json"}).out, HasSubstr(R"("obstacle":"OBSTACLE_BUSY")"));
  server_.Change([&](FakeState& state) {
    v1::JobExplanation& out = state.explanations[job];
    out.Clear();
    out.set_job(job);
    out.set_state(v1::JOB_STATE_RUNNING);
    out.set_summary("runs on workers/node-1");
  });
  const Result runs = Run({"jobs", "explain", job}, {.terminal_columns = 120});
  EXPECT_THAT(runs.out, HasSubstr("runs on workers/node-1"));
  EXPECT_THAT(runs.out, Not(HasSubstr("expected start")));
  EXPECT_THAT(runs.out, Not(HasSubstr("Workers")));
  EXPECT_EQ(Run({"jobs", "explain", "0none"}).code, 3);
}

TEST_F(JobsCommand, CancelAndRetry) {
  const std::string job = AddJob(v1::JOB_STATE_QUEUED);
  EXPECT_EQ(Run({"jobs", "cancel", job, "--reason", "wrong machine"}).out, job + " CANCELLED\n");
  EXPECT_EQ(Run({"jobs", "retry", job}).out, "jobs/0fake2\n");
  server_.Change([&](FakeState& state) { EXPECT_EQ(state.FindJob("jobs/0fake2")->retry_of(), job); });
}

TEST_F(JobsCommand, LogsAreRawBytes) {
  const std::string job = AddJob(v1::JOB_STATE_SUCCEEDED);
  const std::string bytes = std::string("\x1b[31mred\0 \xB2\xE2\xCA\xD4 \xff", 17) + std::string(200'000, 'x');
  EXPECT_EQ(Run({"jobs", "logs", job}).code, 4);  // Not started.
  AddAttempt(job, "first", true);
  AddAttempt(job, bytes, true);
  EXPECT_EQ(Run({"jobs", "logs", job}).out, bytes);
  EXPECT_EQ(Run({"jobs", "logs", job + "/attempts/1"}).out, "first");
  EXPECT_EQ(Run({"jobs", "logs", "-f", job}).out, "first" + bytes);
}

TEST_F(JobsCommand, FollowGoesOnOverARestartAndToTheNextAttempt) {
  const std::string job = AddJob(v1::JOB_STATE_RUNNING);
  AddAttempt(job, "one ", false);
  RunningCli follow(With({"jobs", "logs", "-f", job}));
  ASSERT_TRUE(follow.ReadUntil("one "));
  server_.Stop();
  server_.Change([&](FakeState& state) {
    state.logs[job + "/attempts/1"].bytes += "two ";
    state.logs[job + "/attempts/1"].ended = true;
  });
  server_.Start();
  ASSERT_TRUE(follow.ReadUntil("two "));
  AddAttempt(job, "three", true);
  server_.Change([&](FakeState& state) { state.SetJobState(job, v1::JOB_STATE_SUCCEEDED); });
  const Result result = follow.Wait();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "one two three");
  EXPECT_THAT(result.err, HasSubstr("Attempt 2 on workers/node-1"));
}

TEST_F(JobsCommand, WatchPrintsFromTheBeginningToTheEnd) {
  const std::string job = AddJob(v1::JOB_STATE_QUEUED);
  AddJob(v1::JOB_STATE_QUEUED);  // jobs/0fake2: not asked for.
  RunningCli watch(With({"jobs", "watch", job}));
  ASSERT_TRUE(watch.ReadUntil("QUEUED"));
  server_.Change([&](FakeState& state) {
    state.SetJobState(job, v1::JOB_STATE_RUNNING);
    state.AddEvent(job + "0", v1::EVENT_TYPE_CREATED, "JOB_STATE_FAILED");  // Its name starts the same.
    state.AddEvent(job + "/attempts/1", v1::EVENT_TYPE_UPDATED, "ATTEMPT_STATE_RUNNING");
    state.SetJobState(job, v1::JOB_STATE_FAILED);
  });
  const Result result = watch.Wait();
  EXPECT_EQ(result.code, 6);
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 4);
  EXPECT_THAT(result.out, EndsWith("\tjobs/0fake1\tUPDATED\tFAILED\n"));
}

}  // namespace
}  // namespace benchwire::cli
