// Artifacts from the report stream over a restart of the server to the command line.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "server/base/sha256.h"
#include "tests/integration/rpc_fixture.h"
#include "tests/unit/cli/run_cli.h"

namespace benchwire {
namespace {

using cli::ReadWhole;
using cli::Result;
using cli::RunCli;

class Artifacts : public Rpc {
 protected:
  Artifacts() : session_(RegisterWorker()) {
    job_ = CreateJob().name();
    lease_ = Run(session_);
    for (size_t i = 0; i < whole_.size(); ++i) whole_[i] = static_cast<char>(i * 2'654'435'761U >> 9);
  }
  // Sends one batch with a part of the file; the answer is the stream's end where it is refused.
  grpc::Status Report(const std::string& path, int64_t offset, int64_t size, bool last) {
    Context context;
    const auto stream = client_->agents->Report(&context);
    v1::ReportRequest batch = Batch(session_, lease_, sequence_ + 1, "");
    v1::ArtifactChunk& chunk = *batch.add_artifacts();
    chunk.set_path(path);
    chunk.set_media_type("application/x-test");
    chunk.set_offset(offset);
    chunk.set_data(whole_.substr(static_cast<size_t>(offset), static_cast<size_t>(size)));
    chunk.set_last(last);
    if (last) chunk.set_size_bytes(offset + size);
    if (last) chunk.set_sha256(Sha256Hex(whole_.substr(0, static_cast<size_t>(offset + size))));
    stream->Write(batch);
    v1::ReportResponse response;
    if (stream->Read(&response)) sequence_ = response.acknowledged_sequence();
    stream->WritesDone();
    return stream->Finish();
  }
  void Restart() {
    StopServer();
    StartServer();
    v1::RenewLeaseRequest renew;
    renew.set_session(session_);
    (*renew.mutable_progress())[lease_.fence().attempt()].set_fraction(0.5);
    v1::RenewLeaseResponse renewed;
    ASSERT_TRUE(Call(*client_->agents, &AgentStub::RenewLease, renew, renewed).ok());
  }
  Result Cli(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"--server", server_->address(), "jobs", "artifacts", job_});
    return RunCli(arguments);
  }

  const std::string session_;
  std::string job_;
  v1::Lease lease_;
  int64_t sequence_ = 0;
  std::string whole_ = std::string(2'500'000, '\0');
  const cli::TempDirectory files_;
};

TEST_F(Artifacts, ComeWholeOverARestartToTheCommandLine) {
  const int64_t mib = 1 << 20, size = static_cast<int64_t>(whole_.size());
  ASSERT_TRUE(Report("model/best.pt", 0, mib, false).ok());
  ASSERT_TRUE(Report("空.txt", 0, 0, true).ok());
  Restart();
  ASSERT_TRUE(Report("model/best.pt", mib, mib, false).ok());
  Restart();
  ASSERT_TRUE(Report("model/best.pt", 2 * mib, size - 2 * mib, true).ok());
  ASSERT_EQ(Complete(lease_, v1::ATTEMPT_OUTCOME_SUCCEEDED, sequence_), v1::JOB_STATE_SUCCEEDED);
  EXPECT_EQ(Cli({}).out, "PATH\tSIZE\tTYPE\tSHA256\nmodel/best.pt\t2500000\tapplication/x-test\t" + Sha256Hex(whole_) +
                             "\n空.txt\t0\tapplication/x-test\t" + Sha256Hex("") + "\n");
  const std::string file = files_.path() + "/copy";
  const Result fetched = Cli({"model/best.pt", "-o", file});
  EXPECT_EQ(fetched.code, 0) << fetched.err;
  EXPECT_TRUE(ReadWhole(file) == whole_);
  EXPECT_TRUE(Cli({"model/best.pt", "-o", "-"}).out == whole_);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(files_.path()), {}), 1);  // Nothing half done.
  const Result missing = Cli({"model/worst.pt"});
  EXPECT_EQ(missing.code, 3);
  EXPECT_NE(missing.err.find("it has model/best.pt, 空.txt"), std::string::npos) << missing.err;
}

TEST_F(Artifacts, WhatMayNotBeIsRefusedByName) {
  for (const char* path : {"", "/etc/passwd", "../x", "a/../../x", "a//b", "a\\b"}) {
    const grpc::Status status = Report(path, 0, 1, true);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << path;
    EXPECT_EQ(FieldOf(status), "artifacts.path");
  }
  const grpc::Status large = Report("x", 0, (1 << 20) + 1, true);
  EXPECT_EQ(FieldOf(large), "artifacts.data");
  EXPECT_EQ(FieldOf(Report("x", 5, 1, true)), "artifacts.offset");
  v1::ReadArtifactRequest read;
  read.set_name(lease_.fence().attempt() + "/artifacts/1");
  v1::ArtifactData data;
  EXPECT_EQ(Call(*client_->jobs, &JobStub::ReadArtifact, read, data).error_code(), grpc::StatusCode::NOT_FOUND);
  read.set_name(lease_.fence().attempt() + "/artifacts/../1");
  EXPECT_EQ(FieldOf(Call(*client_->jobs, &JobStub::ReadArtifact, read, data)), "name");
}

}  // namespace
}  // namespace benchwire
