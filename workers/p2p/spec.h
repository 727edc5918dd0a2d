// The P2pSpec of proto/benchwire/v1/p2p.proto as a value, its defaults and its limits.
#ifndef BENCHWIRE_WORKERS_P2P_SPEC_H_
#define BENCHWIRE_WORKERS_P2P_SPEC_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "workers/kit/result.h"

namespace benchwire::p2p {

enum class BackendKind { kAuto = 1, kCuda = 2, kHost = 3 };

struct PairName {
  std::string src;
  std::string dst;
  friend bool operator==(const PairName&, const PairName&) = default;
};

struct Spec {
  BackendKind backend = BackendKind::kAuto;
  std::vector<std::string> cases = {"*"};
  std::vector<std::int64_t> sizes_bytes = {std::int64_t{64} << 20};
  std::vector<PairName> pairs;  // Empty: every ordered pair.
  std::int64_t samples = 20;
  std::int64_t warmup = 4;
  std::chrono::nanoseconds min_sample_time = std::chrono::milliseconds(20);
  bool verify = true;
  std::chrono::nanoseconds pair_deadline = std::chrono::seconds(60);
};

// Reads the spec's JSON. BAD_SPEC names field, value and what is right.
kit::Result<Spec> ParseSpec(const std::string& text);

}  // namespace benchwire::p2p

#endif  // BENCHWIRE_WORKERS_P2P_SPEC_H_
