// From samples to measurement rows. Pure.
#ifndef BENCHWIRE_WORKERS_P2P_ROWS_H_
#define BENCHWIRE_WORKERS_P2P_ROWS_H_

#include <string>
#include <vector>

#include "workers/p2p/backend.h"
#include "workers/p2p/sampler.h"

namespace benchwire::p2p {

// What every row of a run has in common.
struct RowContext {
  std::string backend;
  bool simulated = false;
  bool verify = true;
};

// The rows of a point. Bytes that differed make every row of the point FAILED and take its value away: a number may
// never read as a pass. An end before the last sample gives the status of what ended it; more than half of the samples
// rejected gives INCONCLUSIVE. Samples that were accepted stay in the row in every case.
std::vector<kit::Measurement> RowsOf(const RowContext& context, const Case& test, std::int64_t bytes,
                                     const Series& series);

// A row without a number.
kit::Measurement RefusedRow(const RowContext& context, const Case& test, std::int64_t bytes, const kit::Labels& labels,
                            const Refusal& refusal);

// The labels of a row or a point of its series: `labels` with backend, bytes and verified.
kit::Labels FullLabels(const RowContext& context, std::int64_t bytes, const kit::Labels& labels);

}  // namespace benchwire::p2p

#endif  // BENCHWIRE_WORKERS_P2P_ROWS_H_
