#include "server/core/claim_verdict.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "server/base/resource_name.h"
#include "server/base/status.h"
#include "server/core/validation.h"
#include "workers/kit/statistics.h"

namespace benchwire::core {
namespace {

bool Matches(const v1::Selector& selector, const v1::Measurement& row) {
  if (row.metric() != selector.metric() || row.case_() != selector.case_()) return false;
  return std::all_of(selector.labels().begin(), selector.labels().end(), [&](const auto& label) {
    auto it = row.labels().find(label.first);
    return it != row.labels().end() && it->second == label.second;
  });
}

void SetUntested(v1::ClaimEvaluation& out, const std::string& code, const std::string& reason) {
  out.set_verdict(v1::VERDICT_UNTESTED);
  out.set_reason_code(code);
  out.set_reason(reason);
}

void SetInconclusive(v1::ClaimEvaluation& out, const std::string& code, const std::string& reason) {
  out.set_verdict(v1::VERDICT_INCONCLUSIVE);
  out.set_reason_code(code);
  out.set_reason(reason);
}

// What tells rows apart that a selector did not: labels whose values differ among them, or that some of them lack.
std::string DifferingLabels(const std::vector<const v1::Measurement*>& rows) {
  std::map<std::string, std::vector<std::string>> values;
  for (const v1::Measurement* row : rows) {
    for (const auto& [key, value] : row->labels()) values[key].push_back(value);
  }
  std::string out;
  for (const auto& [key, seen] : values) {
    const bool same = std::count(seen.begin(), seen.end(), seen.front()) == std::ssize(rows);
    if (!same) out += (out.empty() ? "" : ", ") + key;
  }
  return out.empty() ? "nothing: they are the same but for their values" : out;
}

// The one measurement the selector chooses; null where `out` says why there is none.
const v1::Measurement* Select(const v1::Claim& claim, const Evidence& evidence, v1::ClaimEvaluation& out) {
  const v1::Selector& selector = claim.selector();
  if (!evidence.job) {
    SetUntested(out, "JOB_NOT_FOUND", selector.job() + " does not exist");
    return nullptr;
  }
  if (!evidence.attempt) {
    SetUntested(out, "JOB_NOT_SUCCEEDED",
                selector.job() + " is " + v1::JobState_Name(evidence.job->state()) + "; it has no complete result");
    return nullptr;
  }
  std::vector<const v1::Measurement*> rows;
  for (const v1::Measurement& row : evidence.measurements) {
    if (Matches(selector, row)) rows.push_back(&row);
  }
  if (rows.empty()) {
    SetUntested(out, "DANGLING", "no measurement of " + selector.job() + " matches the selector");
    return nullptr;
  }
  if (rows.size() > 1) {
    SetUntested(
        out, "AMBIGUOUS",
        std::to_string(rows.size()) + " measurements match the selector; they differ in " + DifferingLabels(rows));
    return nullptr;
  }
  return rows.front();
}

// Whether a point meets the condition.
bool Meets(const v1::Condition& condition, double value) {
  switch (condition.comparison()) {
    case v1::COMPARISON_GREATER:
      return value > condition.threshold();
    case v1::COMPARISON_LESS:
      return value < condition.threshold();
    default:
      return value >= condition.threshold() && value <= condition.upper_threshold();
  }
}

// Whether no point of the interval meets the condition.
bool NoneMeets(const v1::Condition& condition, const statistics::Interval& interval) {
  switch (condition.comparison()) {
    case v1::COMPARISON_GREATER:
      return interval.high <= condition.threshold();
    case v1::COMPARISON_LESS:
      return interval.low >= condition.threshold();
    default:
      return interval.high < condition.threshold() || interval.low > condition.upper_threshold();
  }
}

void Judge(const v1::Claim& claim, const v1::Measurement& row, v1::ClaimEvaluation& out) {
  const std::vector<double> samples(row.samples().begin(), row.samples().end());
  const bool mean = claim.selector().aggregate() == v1::AGGREGATE_MEAN;
  const auto value = mean ? statistics::Mean(samples) : statistics::Median(samples);
  if (!value) return SetUntested(out, "NOT_OK", "the measurement has no samples");
  out.set_value(*value);
  if (row.samples_size() < claim.min_samples()) {
    return SetInconclusive(
        out, "TOO_FEW_SAMPLES",
        std::to_string(row.samples_size()) + " samples; the claim asks for " + std::to_string(claim.min_samples()));
  }
  const auto interval = mean ? statistics::MeanInterval(samples, claim.confidence())
                             : statistics::MedianInterval(samples, claim.confidence());
  if (!interval) {
    return SetInconclusive(out, "TOO_FEW_SAMPLES",
                           std::to_string(row.samples_size()) + " samples give no interval of the confidence wanted");
  }
  out.mutable_interval()->set_low(interval->low);
  out.mutable_interval()->set_high(interval->high);
  out.mutable_interval()->set_confidence(interval->confidence);
  out.mutable_interval()->set_method(interval->method);
  const v1::Condition& condition = claim.condition();
  if (Meets(condition, interval->low) && Meets(condition, interval->high)) {
    out.set_verdict(v1::VERDICT_SUPPORTED);
  } else if (NoneMeets(condition, *interval)) {
    out.set_verdict(v1::VERDICT_REFUTED);
  } else {
    SetInconclusive(out, "INTERVAL_STRADDLES", "part of the interval meets the condition and part does not");
  }
}

// The hardware in one line, from what worker and runner said of it.
std::string Hardware(const v1::Attempt& attempt, const v1::Measurement& row) {
  auto fact = [&](const std::string& key) {
    auto it = attempt.environment().find(key);
    return it == attempt.environment().end() ? std::string() : it->second;
  };
  std::string out;
  for (const v1::P2pEndpoint& endpoint : attempt.result().p2p().endpoints()) {
    auto src = row.labels().find("src"), dst = row.labels().find("dst");
    const bool used = (src != row.labels().end() && src->second == endpoint.id()) ||
                      (dst != row.labels().end() && dst->second == endpoint.id());
    if (used && endpoint.kind() == "gpu") out += (out.empty() ? "" : " → ") + endpoint.model();
  }
  if (out.empty()) {
    const std::string cpus = fact("cpus");
    out = (cpus.empty() ? "" : cpus + " × ") + (fact("cpu_model").empty() ? "unknown CPU" : fact("cpu_model"));
    auto backend = row.labels().find("backend");
    if (backend != row.labels().end() && backend->second == "host") out += ", host memory";
  }
  const std::string virtualization = fact("virtualization");
  if (!virtualization.empty() && virtualization != "none") out += " (" + virtualization + ")";
  return out;
}

}  // namespace

v1::ClaimEvaluation Evaluate(const v1::Claim& claim, const Evidence& evidence) {
  v1::ClaimEvaluation out;
  out.set_job(claim.selector().job());
  if (evidence.job) {
    out.set_spec_digest(evidence.job->spec_digest());
    out.set_seed(evidence.job->seed());
    out.set_rerun_command("benchwire rerun --here " + evidence.job->name());
    out.set_spec_path("/v1/" + evidence.job->name());
  }
  const v1::Measurement* row = Select(claim, evidence, out);
  if (row == nullptr) return out;
  *out.mutable_measurement() = *row;
  out.set_unit(row->unit());
  out.set_sample_count(row->samples_size());
  out.set_hardware(Hardware(*evidence.attempt, *row));
  *out.mutable_environment() = evidence.attempt->environment();
  if (row->simulated()) {
    SetUntested(out, "SIMULATED", "a simulated device produced the number");
  } else if (row->status() != v1::MEASUREMENT_STATUS_OK) {
    SetUntested(out, "NOT_OK",
                v1::MeasurementStatus_Name(row->status()) + ": " +
                    (row->reason().empty() ? row->reason_code() : row->reason()));
  } else if (row->unit() != claim.condition().unit()) {
    SetUntested(out, "UNIT_MISMATCH",
                "the measurement is in '" + row->unit() + "', the condition in '" + claim.condition().unit() + "'");
  } else {
    Judge(claim, *row, out);
  }
  return out;
}

absl::Status ResolveClaim(const std::string& field, v1::Claim& claim) {
  RETURN_IF_ERROR(CheckSlug(field + ".id", claim.id()));
  RETURN_IF_ERROR(CheckText(field + ".text.zh", claim.text().zh(), 4096));
  RETURN_IF_ERROR(CheckText(field + ".text.en", claim.text().en(), 4096));
  if (claim.text().zh().empty() && claim.text().en().empty())
    return BadField(field + ".text", "", "a text in zh or en");
  claim.clear_evaluation();
  v1::Selector& selector = *claim.mutable_selector();
  RETURN_IF_ERROR(ParseJobName(field + ".selector.job", selector.job()).status());
  if (selector.metric().empty()) return BadField(field + ".selector.metric", "", "the name of a metric");
  RETURN_IF_ERROR(CheckLine(field + ".selector.metric", selector.metric(), 128));
  RETURN_IF_ERROR(CheckLine(field + ".selector.case", selector.case_(), 128));
  RETURN_IF_ERROR(CheckLabels(field + ".selector.labels", selector.labels()));
  if (!v1::Aggregate_IsValid(selector.aggregate())) {
    return BadField(field + ".selector.aggregate", std::to_string(selector.aggregate()), "MEDIAN or MEAN");
  }
  if (selector.aggregate() == v1::AGGREGATE_UNSPECIFIED) selector.set_aggregate(v1::AGGREGATE_MEDIAN);
  const v1::Condition& condition = claim.condition();
  if (condition.comparison() == v1::COMPARISON_UNSPECIFIED || !v1::Comparison_IsValid(condition.comparison())) {
    return BadField(field + ".condition.comparison", std::to_string(condition.comparison()), "GREATER, LESS or WITHIN");
  }
  RETURN_IF_ERROR(CheckFinite(field + ".condition.threshold", condition.threshold()));
  RETURN_IF_ERROR(CheckFinite(field + ".condition.upper_threshold", condition.upper_threshold()));
  if (condition.comparison() == v1::COMPARISON_WITHIN && condition.upper_threshold() < condition.threshold()) {
    return BadField(field + ".condition.upper_threshold", std::to_string(condition.upper_threshold()),
                    "at least the threshold");
  }
  RETURN_IF_ERROR(CheckLine(field + ".condition.unit", condition.unit(), 128));
  if (claim.min_samples() == 0) claim.set_min_samples(6);
  RETURN_IF_ERROR(CheckRange(field + ".min_samples", claim.min_samples(), 1, 100'000));
  if (claim.confidence() == 0) claim.set_confidence(0.95);
  RETURN_IF_ERROR(CheckFinite(field + ".confidence", claim.confidence()));
  if (claim.confidence() < 0.5 || claim.confidence() > 0.999) {
    return BadField(field + ".confidence", std::to_string(claim.confidence()), "0.5 to 0.999");
  }
  return absl::OkStatus();
}

}  // namespace benchwire::core
