// The typed result of a run: what was found about endpoints and links, and the verdicts. Pure.
#ifndef BENCHWIRE_WORKERS_P2P_RESULT_H_
#define BENCHWIRE_WORKERS_P2P_RESULT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workers/p2p/backend.h"

namespace benchwire::p2p {

enum class Verdict { kPass, kFail, kInconclusive, kWaived };

// `PASS`, `FAIL`, …
std::string VerdictName(Verdict verdict);

// What the points of one ordered pair showed.
struct Evidence {
  bool measured = false;  // A sample was taken.
  std::int64_t verified_bytes = 0;
  std::int64_t mismatched_bytes = 0;
  std::optional<Refusal> incomplete;  // The first check that did not come to its end.
  std::optional<Refusal> waived;      // The first point that does not apply.
};

struct JudgedLink {
  Link link;
  Verdict verdict = Verdict::kWaived;
  std::string reason_code;
  std::string reason;
};

struct RunResult {
  std::string backend;
  std::vector<Endpoint> endpoints;
  std::vector<JudgedLink> links;
  Verdict verdict = Verdict::kWaived;
  std::int64_t verified_bytes = 0;
  std::int64_t mismatched_bytes = 0;
  std::optional<double> drift;
  bool simulated = false;
};

using EvidenceByPair = std::map<std::pair<std::size_t, std::size_t>, Evidence>;

// A difference is FAIL; a check that did not end, or that was off, or that the backend cannot make (`unchecked`) is
// INCONCLUSIVE; bytes that were compared and held are PASS; all else is WAIVED. Checks can take a PASS away, a speed
// can give none.
JudgedLink Judge(const Link& link, const Evidence& evidence, const std::optional<Refusal>& unchecked);

// FAIL before INCONCLUSIVE before PASS before WAIVED.
Verdict Worst(const std::vector<JudgedLink>& links);

// Protobuf JSON of benchwire.v1.P2pResult.
std::string ResultJson(const RunResult& result);

}  // namespace benchwire::p2p

#endif  // BENCHWIRE_WORKERS_P2P_RESULT_H_
