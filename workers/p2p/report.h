// Rows as text for a person. Pure.
#ifndef BENCHWIRE_WORKERS_P2P_REPORT_H_
#define BENCHWIRE_WORKERS_P2P_REPORT_H_

#include <string>
#include <vector>

#include "workers/kit/events.h"
#include "workers/p2p/backend.h"
#include "workers/p2p/result.h"

namespace benchwire::p2p {

// One line a row; and, for one-way cases with more than two endpoints, a matrix with sources down and destinations
// across.
std::string RowsText(const std::vector<kit::Measurement>& rows);

// Verdict, bytes compared, drift, and every link that did not pass.
std::string ResultText(const RunResult& result);

// Endpoints and cases of a backend, for --list.
std::string BackendText(Backend& backend);

}  // namespace benchwire::p2p

#endif  // BENCHWIRE_WORKERS_P2P_REPORT_H_
