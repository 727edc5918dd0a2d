#include "server/core/job_spec.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "server/base/clock.h"
#include "server/base/status.h"
#include "tests/fakes/fake_random.h"

namespace benchwire::core {
namespace {

absl::Status Resolve(v1::Job& job) {
  FakeRandom random;
  return ResolveJob(job, random);
}

v1::Job P2pJob() {
  v1::Job job;
  job.mutable_p2p();
  return job;
}

TEST(ResolveJob, FillsEveryDefault) {
  v1::Job job = P2pJob();
  ASSERT_TRUE(Resolve(job).ok());
  const v1::P2pSpec& spec = job.p2p();
  EXPECT_EQ(spec.backend(), v1::P2P_BACKEND_AUTO);
  ASSERT_EQ(spec.cases_size(), 1);
  EXPECT_EQ(spec.cases(0), "*");
  ASSERT_EQ(spec.sizes_bytes_size(), 1);
  EXPECT_EQ(spec.sizes_bytes(0), 64 << 20);
  EXPECT_EQ(spec.pairs_size(), 0);
  EXPECT_EQ(spec.samples(), 20);
  EXPECT_EQ(spec.warmup(), 4);
  EXPECT_TRUE(spec.has_warmup());
  EXPECT_EQ(FromProto(spec.min_sample_time()), std::chrono::milliseconds(20));
  EXPECT_EQ(spec.verification(), v1::P2P_VERIFICATION_FULL);
  EXPECT_EQ(FromProto(spec.pair_deadline()), std::chrono::seconds(60));
  EXPECT_TRUE(job.has_seed());
  EXPECT_EQ(job.priority(), 50);
  EXPECT_EQ(FromProto(job.timeout()), std::chrono::hours(1));
  EXPECT_EQ(job.max_attempts(), 3);
  EXPECT_EQ(job.requirements().exclusivity(), v1::EXCLUSIVITY_HOST);
  EXPECT_EQ(job.requirements().cpus(), 1);
  EXPECT_EQ(job.requirements().device_kind(), v1::DEVICE_KIND_GPU);  // Every GPU there is,
  EXPECT_EQ(job.requirements().device_count(), 0);                   // and none is needed.
  // What is resolved stays as it is.
  v1::Job again = job;
  ASSERT_TRUE(Resolve(again).ok());
  EXPECT_EQ(again.SerializeAsString(), job.SerializeAsString());
}

TEST(ResolveJob, TheBackendSaysWhichDevicesAreNeeded) {
  v1::Job host = P2pJob(), cuda = P2pJob();
  host.mutable_p2p()->set_backend(v1::P2P_BACKEND_HOST);
  cuda.mutable_p2p()->set_backend(v1::P2P_BACKEND_CUDA);
  ASSERT_TRUE(Resolve(host).ok());
  ASSERT_TRUE(Resolve(cuda).ok());
  EXPECT_EQ(host.requirements().device_kind(), v1::DEVICE_KIND_UNSPECIFIED);
  EXPECT_EQ(cuda.requirements().device_kind(), v1::DEVICE_KIND_GPU);
  EXPECT_EQ(cuda.requirements().device_count(), 1);
}

TEST(ResolveJob, KeepsWhatIsAtTheLimits) {
  v1::Job job = P2pJob();
  job.set_seed(std::numeric_limits<int64_t>::max());
  job.set_priority(0);
  job.set_max_attempts(10);
  job.mutable_timeout()->set_seconds(30 * 86'400);
  v1::P2pSpec& spec = *job.mutable_p2p();
  spec.set_warmup(0);
  spec.mutable_min_sample_time();
  spec.set_samples(10'000);
  spec.add_sizes_bytes(4096);
  spec.add_sizes_bytes(int64_t{1} << 40);
  const v1::Job before = job;
  ASSERT_TRUE(Resolve(job).ok());
  EXPECT_EQ(job.seed(), before.seed());
  EXPECT_EQ(job.priority(), 0);
  EXPECT_EQ(job.p2p().warmup(), 0);
  EXPECT_EQ(job.p2p().min_sample_time().nanos(), 0);
  EXPECT_EQ(job.p2p().sizes_bytes_size(), 2);
}

void SetDuration(google::protobuf::Duration* duration, int64_t whole, int32_t nanos = 0) {
  duration->set_seconds(whole);
  duration->set_nanos(nanos);
}

TEST(ResolveJob, WhatIsOutOfRangeIsABadFieldByItsName) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max(), kMin = std::numeric_limits<int64_t>::min();
  struct Case {
    const char* field;
    std::function<void(v1::Job&)> set;
  };
  const Case cases[] = {
      {"job.p2p.sizes_bytes", [](v1::Job& j) { j.mutable_p2p()->add_sizes_bytes(0); }},
      {"job.p2p.sizes_bytes", [](v1::Job& j) { j.mutable_p2p()->add_sizes_bytes(4095); }},
      {"job.p2p.sizes_bytes", [](v1::Job& j) { j.mutable_p2p()->add_sizes_bytes(-1); }},
      {"job.p2p.sizes_bytes", [](v1::Job& j) { j.mutable_p2p()->add_sizes_bytes(kMax); }},
      {"job.p2p.sizes_bytes", [](v1::Job& j) { j.mutable_p2p()->mutable_sizes_bytes()->Resize(2, 4096); }},
      {"job.p2p.sizes_bytes",
       [](v1::Job& j) {
         for (int i = 0; i < 33; ++i) j.mutable_p2p()->add_sizes_bytes(4096 + i);
       }},
      {"job.p2p.cases", [](v1::Job& j) { j.mutable_p2p()->add_cases(""); }},
      {"job.p2p.cases", [](v1::Job& j) { j.mutable_p2p()->add_cases("../etc"); }},
      {"job.p2p.cases",
       [](v1::Job& j) {
         for (int i = 0; i < 65; ++i) j.mutable_p2p()->add_cases("a");
       }},
      {"job.p2p.pairs", [](v1::Job& j) { j.mutable_p2p()->add_pairs()->set_src("gpu:0"); }},
      {"job.p2p.samples", [](v1::Job& j) { j.mutable_p2p()->set_samples(-1); }},
      {"job.p2p.samples", [](v1::Job& j) { j.mutable_p2p()->set_samples(10'001); }},
      {"job.p2p.warmup", [](v1::Job& j) { j.mutable_p2p()->set_warmup(1'001); }},
      {"job.p2p.backend", [](v1::Job& j) { j.mutable_p2p()->set_backend(static_cast<v1::P2pBackend>(9)); }},
      {"job.p2p.verification",
       [](v1::Job& j) { j.mutable_p2p()->set_verification(static_cast<v1::P2pVerification>(-1)); }},
      {"job.p2p.min_sample_time", [](v1::Job& j) { SetDuration(j.mutable_p2p()->mutable_min_sample_time(), 60, 1); }},
      {"job.p2p.min_sample_time", [](v1::Job& j) { SetDuration(j.mutable_p2p()->mutable_min_sample_time(), 0, -1); }},
      {"job.p2p.min_sample_time", [](v1::Job& j) { SetDuration(j.mutable_p2p()->mutable_min_sample_time(), 1, -1); }},
      {"job.p2p.min_sample_time",
       [](v1::Job& j) { SetDuration(j.mutable_p2p()->mutable_min_sample_time(), 0, 1'000'000'000); }},
      {"job.p2p.pair_deadline",
       [](v1::Job& j) { SetDuration(j.mutable_p2p()->mutable_pair_deadline(), 0, 999'999'999); }},
      {"job.timeout", [](v1::Job& j) { j.mutable_timeout(); }},
      {"job.timeout", [](v1::Job& j) { SetDuration(j.mutable_timeout(), 30 * 86'400, 1); }},
      {"job.timeout", [](v1::Job& j) { SetDuration(j.mutable_timeout(), kMax); }},
      {"job.timeout", [](v1::Job& j) { SetDuration(j.mutable_timeout(), kMin); }},
      {"job.seed", [](v1::Job& j) { j.set_seed(-1); }},
      {"job.priority", [](v1::Job& j) { j.set_priority(101); }},
      {"job.max_attempts", [](v1::Job& j) { j.set_max_attempts(11); }},
      {"job.max_attempts", [](v1::Job& j) { j.set_max_attempts(-1); }},
      {"job.requirements.cpus", [](v1::Job& j) { j.mutable_requirements()->set_cpus(4097); }},
      {"job.requirements.memory_bytes", [](v1::Job& j) { j.mutable_requirements()->set_memory_bytes(-1); }},
      {"job.requirements.device_count", [](v1::Job& j) { j.mutable_requirements()->set_device_count(65); }},
      {"job.requirements.device_kind",
       [](v1::Job& j) {
         j.mutable_p2p()->set_backend(v1::P2P_BACKEND_HOST);
         j.mutable_requirements()->set_device_count(1);
       }},
      {"job.requirements.exclusivity",
       [](v1::Job& j) { j.mutable_requirements()->set_exclusivity(static_cast<v1::Exclusivity>(7)); }},
      {"job.requirements.device_memory_bytes",
       [](v1::Job& j) { j.mutable_requirements()->set_device_memory_bytes(-1); }},
      {"job.requirements.device_memory_bytes",
       [](v1::Job& j) { j.mutable_requirements()->set_device_memory_bytes((int64_t{1} << 50) + 1); }},
      {"job.requirements.device_model",
       [](v1::Job& j) { j.mutable_requirements()->set_device_model(std::string(129, 'x')); }},
      {"job.requirements.device_model", [](v1::Job& j) { j.mutable_requirements()->set_device_model("a\nb"); }},
      {"job.requirements.link_class",
       [](v1::Job& j) {
         j.mutable_requirements()->set_device_count(2);
         j.mutable_requirements()->set_link_class(static_cast<v1::LinkClass>(5));
       }},
      {"job.requirements.link_class",
       [](v1::Job& j) {
         j.mutable_requirements()->set_device_count(1);
         j.mutable_requirements()->set_link_class(v1::LINK_CLASS_NVLINK);
       }},
      {"job.requirements.device_kind",
       [](v1::Job& j) {
         j.mutable_p2p()->set_backend(v1::P2P_BACKEND_HOST);
         j.mutable_requirements()->set_device_model("x");
       }},
      {"job.queue_ttl", [](v1::Job& j) { j.mutable_queue_ttl(); }},
      {"job.queue_ttl", [](v1::Job& j) { SetDuration(j.mutable_queue_ttl(), 30 * 86'400, 1); }},
      {"job.requirements.worker_labels",
       [](v1::Job& j) { (*j.mutable_requirements()->mutable_worker_labels())["UPPER"] = ""; }},
      {"job.labels.key", [](v1::Job& j) { (*j.mutable_labels())["key"] = std::string(257, 'x'); }},
      {"job.display_name", [](v1::Job& j) { j.set_display_name(std::string("a\0b", 3)); }},
      {"job.display_name", [](v1::Job& j) { j.set_display_name(std::string(257, 'x')); }},
      {"job.spec", [](v1::Job& j) { j.clear_spec(); }},
      {"job.name", [](v1::Job& j) { j.set_name("jobs/mine"); }},
      {"job.state", [](v1::Job& j) { j.set_state(v1::JOB_STATE_SUCCEEDED); }},
      {"job.attempts", [](v1::Job& j) { j.add_attempts(); }},
      {"job.etag", [](v1::Job& j) { j.set_etag("r1"); }},
  };
  for (const Case& c : cases) {
    v1::Job job = P2pJob();
    c.set(job);
    const absl::Status status = Resolve(job);
    EXPECT_EQ(ErrorReason(status), "BAD_FIELD") << c.field << ": " << job.ShortDebugString();
    EXPECT_EQ(ErrorMetadata(status, "field"), c.field) << job.ShortDebugString();
  }
}

v1::Job CommandJob() {
  v1::Job job;
  job.mutable_command()->set_command("sort-lines");
  return job;
}

TEST(ResolveJob, ACommandNeedsAWorkerThatDefinesItAndLittleElse) {
  v1::Job job = CommandJob();
  (*job.mutable_command()->mutable_parameters())["text"] = "a\nb\t\"$(x)\"";
  (*job.mutable_command()->mutable_parameters())["empty"] = "";
  ASSERT_TRUE(Resolve(job).ok());
  EXPECT_FALSE(job.has_p2p());
  EXPECT_EQ(job.requirements().ShortDebugString(), "cpus: 1 exclusivity: EXCLUSIVITY_NONE backend: \"sort-lines\"");
  v1::Job again = job;
  ASSERT_TRUE(Resolve(again).ok());
  EXPECT_EQ(again.ShortDebugString(), job.ShortDebugString());
}

TEST(ResolveJob, ACommandsBadFieldsAreNamed) {
  struct Case {
    const char* field;
    std::function<void(v1::Job&)> set;
  };
  const auto parameter = [](const std::string& name, const std::string& value) {
    return [name, value](v1::Job& j) { (*j.mutable_command()->mutable_parameters())[name] = value; };
  };
  const Case cases[] = {
      {"job.command.command", [](v1::Job& j) { j.mutable_command()->clear_command(); }},
      {"job.command.command", [](v1::Job& j) { j.mutable_command()->set_command("/bin/sh"); }},
      {"job.command.command", [](v1::Job& j) { j.mutable_command()->set_command(std::string(64, 'a')); }},
      {"job.command.parameters", parameter("Lines", "1")},
      {"job.command.parameters", parameter("", "1")},
      {"job.command.parameters", parameter(std::string(64, 'a'), "1")},
      {"job.command.parameters.x", parameter("x", std::string("a\0b", 3))},
      {"job.command.parameters.x", parameter("x", "\x1b[31m")},
      {"job.command.parameters.x", parameter("x", std::string((64 << 10) + 1, 'x'))},
      {"job.command.parameters",
       [](v1::Job& j) {
         for (int i = 0; i < 65; ++i) (*j.mutable_command()->mutable_parameters())["p" + std::to_string(i)] = "1";
       }},
      {"job.command.parameters",
       [](v1::Job& j) {
         for (const char* name : {"a", "b", "c", "d", "e"}) {
           (*j.mutable_command()->mutable_parameters())[name] = std::string(60'000, 'x');
         }
       }},
      {"job.requirements.backend", [](v1::Job& j) { j.mutable_requirements()->set_backend("other"); }},
  };
  for (const Case& c : cases) {
    v1::Job job = CommandJob();
    c.set(job);
    const absl::Status status = Resolve(job);
    EXPECT_EQ(ErrorReason(status), "BAD_FIELD") << c.field << ": " << job.ShortDebugString().substr(0, 200);
    EXPECT_EQ(ErrorMetadata(status, "field"), c.field) << job.ShortDebugString().substr(0, 200);
  }
}

TEST(ResultFits, OnlyTheJobsKind) {
  v1::RunnerResult none, p2p, command;
  p2p.mutable_p2p();
  command.mutable_command();
  EXPECT_TRUE(ResultFits(P2pJob(), p2p));
  EXPECT_TRUE(ResultFits(CommandJob(), command));
  EXPECT_FALSE(ResultFits(CommandJob(), p2p));
  EXPECT_FALSE(ResultFits(P2pJob(), command));
  EXPECT_FALSE(ResultFits(P2pJob(), none));
  EXPECT_FALSE(ResultFits(v1::Job(), none));
}

}  // namespace
}  // namespace benchwire::core
