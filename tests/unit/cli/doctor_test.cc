// benchwire doctor and benchwire workers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/server_fixture.h"

namespace benchwire::cli {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class DoctorTest : public ServerFixture {
 protected:
  DoctorTest() {
    directory_.Write("benchwire-p2p",
                     "#!/bin/sh\n[ \"$1\" = --describe ] || exit 64\necho '{\"kind\": \"p2p\", \"version\": \"0.1.0\", "
                     "\"contract_version\": 1, \"backends\": [\"host\"], \"unavailable_backends\": {\"cuda\": "
                     "\"NO_DRIVER_LIBRARY: libcuda.so.1 is not there\"}}'\n",
                     true);
  }

  void AddWorker(const std::string& id, v1::WorkerState state, const std::string& gpu_error = "") {
    server_.Change([&](FakeState& fake) {
      v1::Worker worker;
      worker.set_name("workers/" + id);
      worker.set_state(state);
      *worker.mutable_last_seen_time() = ToProto(SystemClock().Now());
      v1::Inventory& inventory = *worker.mutable_inventory();
      inventory.set_hostname(id + ".example");
      inventory.set_cpus(8);
      inventory.set_memory_bytes(int64_t{16} << 30);
      inventory.set_gpu_error(gpu_error);
      v1::RunnerDescription& runner = *inventory.add_runners();
      runner.set_kind("p2p");
      (*runner.mutable_unavailable_backends())["cuda"] = "NO_GPU: none";
      fake.workers[worker.name()] = worker;
    });
  }

  Result Doctor(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"doctor", "--runners", directory_.path()});
    return Run(more);
  }

  TempDirectory directory_;
};

TEST_F(DoctorTest, AllIsWell) {
  AddWorker("node-1", v1::WORKER_STATE_ONLINE);
  const Result result = Doctor();
  EXPECT_EQ(result.code, 0) << result.out;
  EXPECT_THAT(result.out, ContainsRegex("ok    server +127.0.0.1:[0-9]+ is reachable and serving"));
  EXPECT_THAT(result.out, ContainsRegex("ok    kinds +p2p"));
  EXPECT_THAT(result.out, ContainsRegex("ok    gpu +node-1: none: NO_GPU: none"));
  EXPECT_THAT(result.out, ContainsRegex("ok    version +0.1.0"));
  EXPECT_THAT(result.out, ContainsRegex("ok    clock +agrees"));
  EXPECT_THAT(result.out, HasSubstr("p2p has no cuda here: NO_DRIVER_LIBRARY: libcuda.so.1 is not there"));
  EXPECT_THAT(result.out, Not(HasSubstr("fail")));
}

TEST_F(DoctorTest, WhatIsWrongAndWhatToDo) {
  AddWorker("node-1", v1::WORKER_STATE_OFFLINE);
  AddWorker("node-2", v1::WORKER_STATE_DRAINING);
  server_.Change([](FakeState& state) { state.clock_offset = std::chrono::hours(-6); });
  const Result result = Doctor();
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.out, HasSubstr("node-1 is offline, last seen just now"));
  EXPECT_THAT(result.out, HasSubstr("`benchwire workers resume node-2` ends it"));
  EXPECT_THAT(result.out, ContainsRegex("fail  workers +none takes jobs; start benchwire-worker"));
  EXPECT_THAT(result.out,
              ContainsRegex("warn  clock +the server's clock is 6 h behind|warn  clock +the server's clock is 5 h 59"));
  AddWorker("node-4", v1::WORKER_STATE_SICK);
  EXPECT_THAT(Doctor().out, HasSubstr("node-4 is sick: runners of several jobs crashed there"));
  EXPECT_THAT(Run({"workers", "ls"}).out, HasSubstr("workers/node-4\tSICK\t"));
  AddWorker("node-3", v1::WORKER_STATE_ONLINE, "library/driver mismatch");
  EXPECT_THAT(Doctor().out, HasSubstr("node-3: GPUs cannot be read: library/driver mismatch"));
}

TEST_F(DoctorTest, NoServerIsAFailureAndTheRestIsStillLookedAt) {
  server_.Stop();
  const Result result = Doctor({"--json"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.out, HasSubstr(R"("check":"server")"));
  EXPECT_THAT(result.out, HasSubstr(R"("status":"fail")"));
  EXPECT_THAT(result.out, HasSubstr("start benchwire-server there"));
  EXPECT_THAT(result.out, HasSubstr("benchwire-p2p 0.1.0"));
}

TEST_F(DoctorTest, ABrokenRunnerIsAFailure) {
  AddWorker("node-1", v1::WORKER_STATE_ONLINE);
  directory_.Write("benchwire-p2p", "#!/bin/sh\nexit 3\n", true);
  const Result result = Doctor();
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.out, HasSubstr("does not describe itself"));
  EXPECT_THAT(result.out, HasSubstr("ended with status 3"));
}

TEST_F(DoctorTest, Workers) {
  for (const char* id : {"node-1", "node-2", "node-3"}) AddWorker(id, v1::WORKER_STATE_ONLINE);
  EXPECT_THAT(Run({"workers", "ls"}).out, HasSubstr("workers/node-3\tONLINE\t8\t17179869184\t0\tp2p\t0\t20"));
  EXPECT_THAT(Run({"workers", "ls"}, {.terminal_columns = 120}).out, HasSubstr("16 GiB"));
  EXPECT_EQ(Run({"workers", "drain", "node-2"}).out, "workers/node-2 DRAINING\n");
  EXPECT_EQ(Run({"workers", "resume", "workers/node-2"}).out, "workers/node-2 ONLINE\n");
  const Result shown = Run({"workers", "show", "node-1"});
  EXPECT_THAT(shown.out, HasSubstr("node-1.example"));
  EXPECT_THAT(shown.out, HasSubstr("cuda=NO_GPU: none"));
  EXPECT_EQ(Run({"workers", "show", "node-9"}).code, 3);
}

}  // namespace
}  // namespace benchwire::cli
