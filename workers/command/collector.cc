#include "workers/command/collector.h"

#include <algorithm>
#include <cmath>

#include "workers/command/number.h"
#include "workers/command/parameter.h"
#include "workers/kit/statistics.h"

namespace benchwire::command {
namespace {

constexpr std::size_t kMaxLabelBytes = 256;
constexpr std::size_t kMaxCaseBytes = 128;

// At most `max` bytes, cut between characters.
std::string Cut(std::string text, std::size_t max) {
  if (text.size() <= max) return text;
  std::size_t end = max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  text.resize(end);
  return text;
}

}  // namespace

Collector::Collector(const Rule& rule, const Values& values, kit::EventSink& sink) : rule_(rule), sink_(sink) {
  for (const auto& [key, label] : rule.labels) labels_[key] = Cut(label.Expand(values), kMaxLabelBytes);
}

kit::Error Collector::Named(const kit::Error& error) const {
  return {error.code, RuleName(rule_) + ": " + error.message};
}

kit::Status Collector::Add(const Row& row) {
  if (fault_) return kit::Status();
  Key key{row.case_id.empty() ? rule_.case_id : Cut(row.case_id, kMaxCaseBytes), labels_};
  for (const auto& [name, value] : row.labels) key.second[name] = Cut(value, kMaxLabelBytes);
  if (!groups_.contains(key) && groups_.size() >= kMaxGroups) {
    return Fault({"TOO_MANY_ROWS", "more than " + std::to_string(kMaxGroups) + " different cases and labels"});
  }
  Group& group = groups_[key];
  if (rule_.rows == Rows::kLast) {
    group.last = row;
    return kit::Status();
  }
  return Take(key, group, row);
}

kit::Status Collector::Take(const Key& key, Group& group, const Row& row) {
  const std::int64_t index = group.rows++;
  if (!row.problem.empty()) return Refuse(group, row, {"NOT_A_NUMBER", row.problem});
  const kit::Result<double> number = ParseNumber(row.value.value_or(""));
  if (!number.ok()) return Refuse(group, row, number.error());
  const double value = *number * rule_.scale;
  if (!std::isfinite(value)) return Refuse(group, row, {"NOT_FINITE", "too large once scaled"});
  if (rule_.emit != Emit::kMeasurement) {
    const kit::Result<std::int64_t> step = row.step ? ParseStep(*row.step) : kit::Result<std::int64_t>(index);
    if (!step.ok()) return Refuse(group, row, step.error());
    kit::Point point{rule_.metric, *step, value, key.second};
    if (key.first != rule_.case_id) point.labels["case"] = key.first;
    if (kit::Status status = sink_.Write(point); !status.ok()) return status;
    ++counts_.points;
  }
  if (rule_.emit == Emit::kSeries) return kit::Status();
  if (group.samples.size() >= kit::kMaxSamples) {
    return Refuse(group, row, {"TOO_MANY_ROWS", "more than 100000 samples of one measurement"});
  }
  group.samples.push_back(value);
  return kit::Status();
}

kit::Status Collector::Refuse(Group& group, const Row& row, const kit::Error& error) {
  const kit::Error named{error.code, row.where + ": " + error.message};
  if (rule_.required) return Named(named);
  ++counts_.bad_rows;
  if (!group.first_fault) group.first_fault = named;
  return kit::Status();
}

kit::Status Collector::Fault(const kit::Error& error) {
  if (rule_.required) return Named(error);
  if (!fault_) fault_ = error;
  groups_.clear();
  ++counts_.bad_rows;
  return kit::Status();
}

kit::Measurement Collector::RowOf(const Key& key) const {
  kit::Measurement out;
  out.metric = rule_.metric;
  out.case_id = key.first;
  out.unit = rule_.unit;
  out.direction = rule_.direction;
  out.labels = key.second;
  return out;
}

void Collector::Estimate(const std::vector<double>& samples, kit::Measurement* row) const {
  row->samples = samples;
  switch (rule_.estimator) {
    case Estimator::kAuto:
    case Estimator::kMedian:
      row->estimator = rule_.estimator == Estimator::kAuto && samples.size() == 1 ? "single" : "median";
      row->value = statistics::Median(samples);
      row->interval = statistics::MedianInterval(samples);
      break;
    case Estimator::kMean:
      row->estimator = "mean";
      row->value = statistics::Mean(samples);
      row->interval = statistics::MeanInterval(samples);
      break;
    case Estimator::kMin:
      row->estimator = "min";
      row->value = *std::min_element(samples.begin(), samples.end());
      break;
    case Estimator::kMax:
      row->estimator = "max";
      row->value = *std::max_element(samples.begin(), samples.end());
      break;
  }
}

kit::Status Collector::WriteGroup(const Key& key, const Group& group) {
  if (rule_.emit == Emit::kSeries) {
    if (!group.first_fault) return kit::Status();
    return sink_.Write(kit::Warning{"POINTS_LEFT_OUT", Named(*group.first_fault).message});
  }
  kit::Measurement row = RowOf(key);
  if (group.first_fault) {
    // A number made of the rows that were good would look like a whole one.
    row.status = kit::RowStatus::kError;
    row.reason_code = group.first_fault->code;
    row.reason = group.first_fault->message;
  } else {
    Estimate(group.samples, &row);
  }
  ++counts_.measurements;
  return sink_.Write(row);
}

kit::Status Collector::Finish() {
  if (!fault_ && groups_.empty()) {
    static constexpr char kNoRows[] = "nothing in the output holds this number";
    if (kit::Status status = Fault({"MISSING_VALUE", kNoRows}); !status.ok()) return status;
  }
  if (fault_) {
    Group none;
    none.first_fault = fault_;
    return WriteGroup({rule_.case_id, labels_}, none);
  }
  for (auto& [key, group] : groups_) {
    if (group.last) {
      if (kit::Status status = Take(key, group, *group.last); !status.ok()) return status;
    }
    if (kit::Status status = WriteGroup(key, group); !status.ok()) return status;
  }
  return kit::Status();
}

}  // namespace benchwire::command
