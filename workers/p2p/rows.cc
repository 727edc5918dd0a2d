#include "workers/p2p/rows.h"

#include "workers/kit/statistics.h"

namespace benchwire::p2p {
namespace {

kit::Measurement EmptyRow(const RowContext& context, const Case& test, std::int64_t bytes, const kit::Labels& labels) {
  kit::Measurement row;
  row.metric = test.metric;
  row.case_id = test.id;
  row.unit = test.unit;
  row.direction = test.direction;
  row.labels = FullLabels(context, bytes, labels);
  row.simulated = context.simulated;
  return row;
}

void Refuse(const Refusal& refusal, kit::Measurement* row) {
  row->status = refusal.status;
  row->reason_code = refusal.code;
  row->reason = refusal.reason;
}

// Why the samples make no number, or nothing.
std::optional<Refusal> Fault(const Series& series, std::size_t accepted) {
  if (const std::int64_t bad = series.mismatched_bytes(); bad > 0) {
    std::string reason = std::to_string(bad) + " bytes differ from what was sent";
    if (series.first_bad) reason += ", the first at offset " + std::to_string(*series.first_bad);
    return Refusal{kit::RowStatus::kFailed, "BYTES_DIFFER", reason};
  }
  if (series.ended) return series.ended;
  if (accepted == 0 || static_cast<std::size_t>(series.rejected) > accepted) {
    return Refusal{kit::RowStatus::kInconclusive, "TOO_FEW_SAMPLES",
                   std::to_string(series.rejected) + " of " +
                       std::to_string(accepted + static_cast<std::size_t>(series.rejected)) +
                       " samples rejected: " + series.rejected_because};
  }
  return std::nullopt;
}

}  // namespace

kit::Labels FullLabels(const RowContext& context, std::int64_t bytes, const kit::Labels& labels) {
  kit::Labels full = labels;
  full["backend"] = context.backend;
  if (bytes > 0) full["bytes"] = std::to_string(bytes);
  if (!context.verify) full["verified"] = "none";
  return full;
}

std::vector<kit::Measurement> RowsOf(const RowContext& context, const Case& test, std::int64_t bytes,
                                     const Series& series) {
  std::vector<kit::Measurement> rows;
  for (const RowSeries& one : series.rows) {
    kit::Measurement row = EmptyRow(context, test, bytes, one.labels);
    row.samples = one.values;
    if (const std::optional<Refusal> fault = Fault(series, one.values.size())) {
      Refuse(*fault, &row);
    } else if (const std::optional<double> median = statistics::Median(one.values)) {
      row.value = median;
      row.estimator = one.values.size() == 1 ? "single" : "median";
      row.interval = statistics::MedianInterval(one.values);
    } else {
      Refuse({kit::RowStatus::kError, "NOT_A_NUMBER", "a sample is not a finite number"}, &row);
      row.samples.clear();
    }
    rows.push_back(row);
  }
  return rows;
}

kit::Measurement RefusedRow(const RowContext& context, const Case& test, std::int64_t bytes, const kit::Labels& labels,
                            const Refusal& refusal) {
  kit::Measurement row = EmptyRow(context, test, bytes, labels);
  Refuse(refusal, &row);
  return row;
}

}  // namespace benchwire::p2p
