// Which CPUs and memory nodes this process may use, and the endpoints they make. Reads /sys and /proc below `root`,
// which is empty in use. Pure but for reading; any thread.
#ifndef BENCHWIRE_WORKERS_P2P_HOST_TOPOLOGY_H_
#define BENCHWIRE_WORKERS_P2P_HOST_TOPOLOGY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workers/kit/result.h"
#include "workers/p2p/backend.h"

namespace benchwire::p2p::host {

// On one node at most this many cores become endpoints unless more are named: n cores have n * n ordered pairs.
inline constexpr std::size_t kMaxDefaultCores = 4;

// Where an endpoint's thread runs and its memory lies.
struct Place {
  int cpu = 0;
  std::optional<int> node;  // Memory is bound to it; absent where there is one node.
};

struct Topology {
  std::vector<Endpoint> endpoints;
  std::vector<Place> places;  // Of each endpoint.
  bool single_node = true;
  std::size_t cores_left_out = 0;
  std::int64_t llc_bytes = 0;  // 0 where unknown.
};

// The CPUs in the calling thread's affinity mask.
std::vector<int> AllowedCpus();

// NUMA nodes with allowed CPUs and memory where there are at least two, else cores. `named`: endpoint ids that the spec
// or the worker names: cores among them are endpoints even beyond kMaxDefaultCores. `granted`: where not empty, only
// these. NO_CPU where nothing is left.
kit::Result<Topology> ReadTopology(const std::string& root, const std::vector<int>& allowed,
                                   const std::vector<std::string>& named, const std::vector<std::string>& granted);

}  // namespace benchwire::p2p::host

#endif  // BENCHWIRE_WORKERS_P2P_HOST_TOPOLOGY_H_
