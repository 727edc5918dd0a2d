#include "server/core/claim_verdict.h"

#include <gtest/gtest.h>

#include <limits>

#include "server/base/status.h"

namespace benchwire::core {
namespace {

class ClaimVerdict : public ::testing::Test {
 protected:
  ClaimVerdict() {
    claim_.set_id("c");
    claim_.mutable_text()->set_en("It holds.");
    claim_.mutable_selector()->set_job("jobs/j");
    claim_.mutable_selector()->set_metric("bandwidth");
    claim_.mutable_selector()->set_case_("bw");
    Compare(v1::COMPARISON_GREATER, 0);
    claim_.mutable_condition()->set_unit("B/s");
    evidence_.job.emplace().set_name("jobs/j");
    evidence_.job->set_spec_digest("abc");
    evidence_.attempt.emplace();
    Add({10, 11, 12, 13, 14, 15, 16, 17, 18, 19});
  }
  void Compare(v1::Comparison comparison, double threshold, double upper = 0) {
    claim_.mutable_condition()->set_comparison(comparison);
    claim_.mutable_condition()->set_threshold(threshold);
    claim_.mutable_condition()->set_upper_threshold(upper);
  }
  v1::Measurement& Add(const std::vector<double>& samples) {
    v1::Measurement& row = evidence_.measurements.emplace_back();
    row.set_metric("bandwidth");
    row.set_case_("bw");
    row.set_unit("B/s");
    row.set_status(v1::MEASUREMENT_STATUS_OK);
    row.mutable_samples()->Assign(samples.begin(), samples.end());
    return row;
  }
  v1::Measurement& row() { return evidence_.measurements.front(); }
  v1::ClaimEvaluation Evaluated() {
    EXPECT_TRUE(ResolveClaim("claim", claim_).ok());
    return Evaluate(claim_, evidence_);
  }
  std::string Verdict() {
    const v1::ClaimEvaluation out = Evaluated();
    return v1::Verdict_Name(out.verdict()).substr(8) + (out.reason_code().empty() ? "" : "/" + out.reason_code());
  }

  v1::Claim claim_;
  Evidence evidence_;
};

// The order-statistic interval of these ten values at 0.95 is [11, 18]: the second smallest and the second largest.
TEST_F(ClaimVerdict, TheWholeIntervalDecides) {
  Compare(v1::COMPARISON_GREATER, 10.99);
  EXPECT_EQ(Verdict(), "SUPPORTED");
  Compare(v1::COMPARISON_GREATER, 11);
  EXPECT_EQ(Verdict(), "INCONCLUSIVE/INTERVAL_STRADDLES");
  Compare(v1::COMPARISON_GREATER, 18);
  EXPECT_EQ(Verdict(), "REFUTED");
  Compare(v1::COMPARISON_LESS, 18.01);
  EXPECT_EQ(Verdict(), "SUPPORTED");
  Compare(v1::COMPARISON_LESS, 18);
  EXPECT_EQ(Verdict(), "INCONCLUSIVE/INTERVAL_STRADDLES");
  Compare(v1::COMPARISON_LESS, 11);
  EXPECT_EQ(Verdict(), "REFUTED");
  Compare(v1::COMPARISON_WITHIN, 11, 18);
  EXPECT_EQ(Verdict(), "SUPPORTED");
  Compare(v1::COMPARISON_WITHIN, 11.01, 18);
  EXPECT_EQ(Verdict(), "INCONCLUSIVE/INTERVAL_STRADDLES");
  Compare(v1::COMPARISON_WITHIN, 13, 14);  // Inside the interval.
  EXPECT_EQ(Verdict(), "INCONCLUSIVE/INTERVAL_STRADDLES");
  Compare(v1::COMPARISON_WITHIN, 18.01, 20);
  EXPECT_EQ(Verdict(), "REFUTED");
  Compare(v1::COMPARISON_WITHIN, 1, 10.99);
  EXPECT_EQ(Verdict(), "REFUTED");
}

TEST_F(ClaimVerdict, SaysWhatItRestsOn) {
  (*row().mutable_labels())["backend"] = "host";
  (*evidence_.attempt->mutable_environment())["cpu_model"] = "Xeon";
  (*evidence_.attempt->mutable_environment())["cpus"] = "2";
  const v1::ClaimEvaluation out = Evaluated();
  EXPECT_EQ(out.value(), 14.5);
  EXPECT_EQ(out.unit(), "B/s");
  EXPECT_EQ(out.interval().low(), 11);
  EXPECT_EQ(out.interval().high(), 18);
  EXPECT_GE(out.interval().confidence(), 0.95);
  EXPECT_EQ(out.interval().method(), "median-order-statistic");
  EXPECT_EQ(out.sample_count(), 10);
  EXPECT_EQ(out.spec_digest(), "abc");
  EXPECT_EQ(out.hardware(), "2 × Xeon, host memory");
  EXPECT_EQ(out.rerun_command(), "benchwire rerun --here jobs/j");
  claim_.mutable_selector()->set_aggregate(v1::AGGREGATE_MEAN);
  EXPECT_EQ(Evaluated().interval().method(), "mean-bootstrap-t");
}

TEST_F(ClaimVerdict, TooFewSamplesDecideNothing) {
  row().mutable_samples()->Truncate(5);
  EXPECT_EQ(Verdict(), "INCONCLUSIVE/TOO_FEW_SAMPLES");
  EXPECT_EQ(Evaluated().value(), 12);
  EXPECT_FALSE(Evaluated().has_interval());
  claim_.set_min_samples(1);  // Fewer than an honest interval needs, whatever the claim asks.
  EXPECT_EQ(Verdict(), "INCONCLUSIVE/TOO_FEW_SAMPLES");
  row().clear_samples();
  EXPECT_EQ(Verdict(), "UNTESTED/NOT_OK");
  row().mutable_samples()->Resize(10, 1);
  claim_.set_min_samples(11);
  EXPECT_EQ(Verdict(), "INCONCLUSIVE/TOO_FEW_SAMPLES");
}

TEST_F(ClaimVerdict, AnAmbiguousSelectorNamesTheLabelsThatTellRowsApart) {
  Add({1, 2, 3});
  for (int i = 0; i < 2; ++i) {
    auto& labels = *evidence_.measurements[static_cast<size_t>(i)].mutable_labels();
    labels["src"] = "numa:0";
    labels["dst"] = "numa:" + std::to_string(i);
  }
  (*evidence_.measurements[1].mutable_labels())["verified"] = "none";  // The other one lacks it.
  EXPECT_EQ(Verdict(), "UNTESTED/AMBIGUOUS");
  EXPECT_EQ(Evaluated().reason(), "2 measurements match the selector; they differ in dst, verified");
  (*claim_.mutable_selector()->mutable_labels())["dst"] = "numa:0";
  EXPECT_EQ(Verdict(), "SUPPORTED");
  (*claim_.mutable_selector()->mutable_labels())["dst"] = "numa:2";
  EXPECT_EQ(Verdict(), "UNTESTED/DANGLING");
}

TEST_F(ClaimVerdict, WhatCannotTestAClaimLeavesItUntested) {
  row().set_simulated(true);
  EXPECT_EQ(Verdict(), "UNTESTED/SIMULATED");
  row().set_simulated(false);
  row().set_unit("GB/s");
  EXPECT_EQ(Verdict(), "UNTESTED/UNIT_MISMATCH");
  row().set_status(v1::MEASUREMENT_STATUS_FAILED);
  row().set_reason("bytes differ");
  EXPECT_EQ(Verdict(), "UNTESTED/NOT_OK");
  EXPECT_EQ(Evaluated().reason(), "MEASUREMENT_STATUS_FAILED: bytes differ");
  EXPECT_FALSE(Evaluated().has_value());
  claim_.mutable_selector()->set_metric("latency");
  EXPECT_EQ(Verdict(), "UNTESTED/DANGLING");
  evidence_.attempt.reset();
  EXPECT_EQ(Verdict(), "UNTESTED/JOB_NOT_SUCCEEDED");
  evidence_.job.reset();
  EXPECT_EQ(Verdict(), "UNTESTED/JOB_NOT_FOUND");
}

TEST_F(ClaimVerdict, ResolvingFillsDefaultsAndNamesWhatIsWrong) {
  ASSERT_TRUE(ResolveClaim("claim", claim_).ok());
  EXPECT_EQ(claim_.min_samples(), 6);
  EXPECT_EQ(claim_.confidence(), 0.95);
  EXPECT_EQ(claim_.selector().aggregate(), v1::AGGREGATE_MEDIAN);
  struct Case {
    const char* field;
    void (*set)(v1::Claim&);
  };
  for (const Case& c : {
           Case{"claim.id", [](v1::Claim& x) { x.set_id("A"); }},
           Case{"claim.text", [](v1::Claim& x) { x.clear_text(); }},
           Case{"claim.selector.job", [](v1::Claim& x) { x.mutable_selector()->set_job("digests/1"); }},
           Case{"claim.selector.metric", [](v1::Claim& x) { x.mutable_selector()->clear_metric(); }},
           Case{"claim.condition.comparison", [](v1::Claim& x) { x.clear_condition(); }},
           Case{"claim.condition.threshold",
                [](v1::Claim& x) { x.mutable_condition()->set_threshold(std::numeric_limits<double>::quiet_NaN()); }},
           Case{"claim.condition.upper_threshold",
                [](v1::Claim& x) {
                  x.mutable_condition()->set_comparison(v1::COMPARISON_WITHIN);
                  x.mutable_condition()->set_upper_threshold(-1);
                }},
           Case{"claim.min_samples", [](v1::Claim& x) { x.set_min_samples(-1); }},
           Case{"claim.confidence", [](v1::Claim& x) { x.set_confidence(0.9991); }},
           Case{"claim.confidence", [](v1::Claim& x) { x.set_confidence(std::numeric_limits<double>::quiet_NaN()); }},
       }) {
    v1::Claim claim = claim_;
    c.set(claim);
    EXPECT_EQ(ErrorMetadata(ResolveClaim("claim", claim), "field"), c.field);
  }
}

}  // namespace
}  // namespace benchwire::core
