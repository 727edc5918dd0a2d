// Artifacts of attempts: parts that come in order, an end that must fit, limits, and nothing of a refused batch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "server/base/sha256.h"
#include "server/base/status.h"
#include "tests/conformance/engines.h"
#include "tests/fakes/points.h"
#include "tests/fakes/temporary_directory.h"

namespace benchwire::storage {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Property;

class ArtifactConformance : public testing::TestWithParam<Engine> {
 protected:
  static v1::ArtifactChunk Chunk(const std::string& path, int64_t offset, const std::string& data) {
    v1::ArtifactChunk chunk;
    chunk.set_path(path);
    chunk.set_media_type("text/plain");
    chunk.set_offset(offset);
    chunk.set_data(data);
    return chunk;
  }
  // The last part of `whole`.
  static v1::ArtifactChunk LastChunk(const std::string& path, int64_t offset, const std::string& whole) {
    v1::ArtifactChunk chunk = Chunk(path, offset, whole.substr(static_cast<size_t>(offset)));
    chunk.set_last(true);
    chunk.set_size_bytes(static_cast<int64_t>(whole.size()));
    chunk.set_sha256(Sha256Hex(whole));
    return chunk;
  }
  absl::Status Append(const std::vector<v1::ArtifactChunk>& chunks) {
    const auto cursor = store_->Append({attempt_, sequence_ + 1, "", {}, chunks});
    if (!cursor.ok()) return cursor.status();
    EXPECT_EQ(cursor->last_sequence, ++sequence_);
    return absl::OkStatus();
  }
  std::string Field(const std::vector<v1::ArtifactChunk>& chunks) {
    return ErrorMetadata(Append(chunks), "field").value_or("");
  }
  absl::Status End() {
    auto promise = std::make_shared<std::promise<absl::Status>>();
    auto future = promise->get_future();
    store_->EndAttemptAsync(attempt_, [promise](const absl::Status& status) { promise->set_value(status); });
    return future.get();
  }
  void Limit(const TelemetryLimits& limits) {
    store_.reset();
    store_ = GetParam().open_telemetry(directory_.path(), limits);
  }
  std::vector<v1::Artifact> List() { return store_->ListArtifacts(attempt_).value(); }
  std::string Read(int64_t number, int64_t offset = 0, int64_t limit = INT64_MAX) {
    const auto data = store_->ReadArtifact({attempt_, number}, offset, limit);
    EXPECT_TRUE(data.ok()) << data.status();
    return data.ok() ? data->data() : "?";
  }

  TemporaryDirectory directory_;
  std::unique_ptr<TelemetryStore> store_ = GetParam().open_telemetry(directory_.path(), {});
  const AttemptId attempt_{"j1", 2};
  int64_t sequence_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Engines, ArtifactConformance, testing::ValuesIn(AllEngines()), EngineName);

TEST_P(ArtifactConformance, AnUnknownAttemptHasNone) {
  EXPECT_THAT(List(), IsEmpty());
  EXPECT_TRUE(absl::IsNotFound(store_->ReadArtifact({attempt_, 1}, 0, 1).status()));
}

TEST_P(ArtifactConformance, PartsOfSeveralBecomeWhole) {
  std::string model(100'000, '\0');
  for (size_t i = 0; i < model.size(); ++i) model[i] = static_cast<char>(i * 2'654'435'761U >> 11);
  EXPECT_EQ(Append({Chunk("model", 0, model.substr(0, 10'000)), LastChunk("a/note.txt", 0, "note")}), absl::OkStatus());
  EXPECT_THAT(List(), ElementsAre(Property(&v1::Artifact::path, "a/note.txt")));
  EXPECT_EQ(Append({Chunk("model", 10'000, model.substr(10'000, 50'000)), Chunk("model", 60'000, "")}),
            absl::OkStatus());
  EXPECT_EQ(Append({LastChunk("empty", 0, "")}), absl::OkStatus());
  EXPECT_EQ(Append({LastChunk("model", 60'000, model)}), absl::OkStatus());
  const std::vector<v1::Artifact> all = List();
  ASSERT_THAT(all, ElementsAre(Property(&v1::Artifact::path, "a/note.txt"), Property(&v1::Artifact::path, "empty"),
                               Property(&v1::Artifact::path, "model")));
  EXPECT_EQ(all[2].name(), "jobs/j1/attempts/2/artifacts/3");
  EXPECT_EQ(all[2].media_type(), "text/plain");
  EXPECT_EQ(all[2].size_bytes(), 100'000);
  EXPECT_EQ(all[2].sha256(), Sha256Hex(model));
  EXPECT_EQ(Read(1), "note");
  EXPECT_EQ(Read(2), "");
  EXPECT_EQ(Read(3), model);
  EXPECT_EQ(Read(3, 99'998), model.substr(99'998));
  EXPECT_EQ(Read(3, 50'000, 7), model.substr(50'000, 7));
  EXPECT_EQ(Read(3, 100'000), "");
  EXPECT_EQ(Read(3, INT64_MAX, 10), "");
  EXPECT_EQ(store_->ReadArtifact({attempt_, 3}, 0, 1)->artifact().SerializeAsString(), all[2].SerializeAsString());
  EXPECT_TRUE(absl::IsNotFound(store_->ReadArtifact({attempt_, 4}, 0, 1).status()));
  EXPECT_TRUE(absl::IsNotFound(store_->ReadArtifact({{"j1", 1}, 1}, 0, 1).status()));
}

TEST_P(ArtifactConformance, TheSameBytesMayBeKeptTwice) {
  EXPECT_EQ(Append({LastChunk("a", 0, "same"), LastChunk("b", 0, "same")}), absl::OkStatus());
  EXPECT_EQ(store_->Append({{"j2", 1}, 1, "", {}, {LastChunk("c", 0, "same")}})->last_sequence, 1);
  EXPECT_EQ(Read(1), "same");
  EXPECT_EQ(Read(2), "same");
  EXPECT_EQ(store_->ReadArtifact({{"j2", 1}, 1}, 0, 10)->data(), "same");
}

TEST_P(ArtifactConformance, WhatDoesNotFitIsRefusedWithAllOfItsBatch) {
  EXPECT_EQ(Append({Chunk("f", 0, "123")}), absl::OkStatus());
  EXPECT_EQ(Field({LastChunk("other", 0, "x"), Chunk("f", 2, "34")}), "artifacts.offset");
  EXPECT_EQ(Field({Chunk("f", 4, "5")}), "artifacts.offset");
  EXPECT_EQ(Field({Chunk("g", 1, "2")}), "artifacts.offset");
  v1::ArtifactChunk bad = LastChunk("f", 3, "12345");
  bad.set_size_bytes(6);
  EXPECT_EQ(Field({bad}), "artifacts.size_bytes");
  bad = LastChunk("f", 3, "12345");
  bad.set_sha256(Sha256Hex("12346"));
  EXPECT_EQ(Field({bad}), "artifacts.sha256");
  const auto refused = store_->Append({attempt_, 2, "log", Grouped({Point("m", 1, 1)}), {bad}});
  EXPECT_FALSE(refused.ok());
  EXPECT_THAT(List(), IsEmpty());
  EXPECT_EQ(store_->GetCursor(attempt_)->log_bytes, 0);
  EXPECT_THAT(store_->ListSeries(attempt_).value(), IsEmpty());
  // What was there before goes on.
  EXPECT_EQ(Append({LastChunk("f", 3, "12345")}), absl::OkStatus());
  EXPECT_EQ(Read(1), "12345");
  EXPECT_EQ(Field({Chunk("f", 0, "again")}), "artifacts.path");
  EXPECT_EQ(Field({LastChunk("f", 0, "12345")}), "artifacts.path");
}

TEST_P(ArtifactConformance, ARepeatedBatchChangesNothing) {
  const TelemetryBatch batch{attempt_, 1, "", {}, {Chunk("f", 0, "12")}};
  for (int i = 0; i < 2; ++i) EXPECT_EQ(store_->Append(batch)->last_sequence, 1);
  const TelemetryBatch last{attempt_, 2, "", {}, {LastChunk("f", 2, "123")}};
  for (int i = 0; i < 2; ++i) EXPECT_EQ(store_->Append(last)->last_sequence, 2);
  EXPECT_EQ(Read(1), "123");
  EXPECT_EQ(List().size(), 1u);
}

TEST_P(ArtifactConformance, NumberAndSizeAreLimited) {
  Limit({.artifacts = 2, .artifact_bytes = 10});
  EXPECT_EQ(Append({LastChunk("a", 0, "123"), Chunk("b", 0, "1234")}), absl::OkStatus());
  EXPECT_EQ(ErrorReason(Append({Chunk("c", 0, "1")})), "ARTIFACTS_FULL");
  EXPECT_EQ(ErrorReason(Append({Chunk("b", 4, "5678")})), "ARTIFACTS_FULL");
  EXPECT_EQ(Append({LastChunk("b", 4, "1234567")}), absl::OkStatus());
  EXPECT_EQ(Read(2), "1234567");
}

TEST_P(ArtifactConformance, TheEndOfAnAttemptDropsWhatHasNoEnd) {
  EXPECT_EQ(Append({LastChunk("whole", 0, "1"), Chunk("part", 0, "1")}), absl::OkStatus());
  EXPECT_EQ(End(), absl::OkStatus());
  EXPECT_EQ(End(), absl::OkStatus());
  EXPECT_THAT(List(), ElementsAre(Property(&v1::Artifact::path, "whole")));
  // Nothing is left of the other.
  EXPECT_EQ(Field({Chunk("part", 1, "2")}), "artifacts.offset");
}

TEST_P(ArtifactConformance, TheEndOfAnAttemptKeepsItsSeriesAndLog) {
  ASSERT_TRUE(store_->Append({attempt_, 1, "log", Grouped({Point("m", 3, 4), Point("m", 1, 2)}), {}}).ok());
  EXPECT_EQ(End(), absl::OkStatus());
  EXPECT_EQ(store_->ReadSeries({attempt_, 1})->points, (std::vector<StepValue>{{1, 2}, {3, 4}}));
  EXPECT_EQ(store_->ListSeries(attempt_)->front().point_count(), 2);
  EXPECT_EQ(store_->ReadLog(attempt_, 0, 10).value(), "log");
}

}  // namespace
}  // namespace benchwire::storage
