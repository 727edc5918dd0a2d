#include "workers/p2p/host/host_backend.h"

#include <cstring>

#include "workers/kit/console.h"

namespace benchwire::p2p::host {
namespace {

constexpr double kMaxShareElsewhere = 0.1;

struct HostCase {
  Case info;
  PairShape on_one_node;
  MakePoint make;
};

Case BandwidthCase(const std::string& id, PairShape shape, const std::string& summary) {
  return {id, "bandwidth", "B/s", kit::Direction::kHigher, shape, true, summary};
}

Case LatencyCase(const std::string& id, PairShape shape, bool sized, const std::string& summary) {
  return {id, "latency", "ns", kit::Direction::kLower, shape, sized, summary};
}

std::vector<HostCase> Table() {
  using enum PairShape;
  return {
      {BandwidthCase("bw.unidir.write", kOrdered, "a thread on src copies to memory of dst"), kOrdered, MakeWrite},
      {BandwidthCase("bw.unidir.read", kOrdered, "a thread on dst copies from memory of src"), kOrdered, MakeRead},
      {BandwidthCase("bw.bidir", kUnordered, "both at once; each flow, and the total over the union of their times"),
       kUnordered, MakeBidir},
      {BandwidthCase("bw.local", kLocal, "a thread copies within its own memory"), kLocal, MakeLocal},
      // Within a node all cores have the same memory: one row a core says all.
      {LatencyCase("lat.load", kAny, true, "dependent loads over a random cycle through memory of src"), kLocal,
       MakeLoadLatency},
      {LatencyCase("lat.pingpong", kUnordered, false, "round trip between two threads over two cache lines"),
       kUnordered, MakePingPong},
  };
}

}  // namespace

std::vector<Case> HostCases(bool single_node) {
  std::vector<Case> cases;
  for (const HostCase& test : Table()) {
    cases.push_back(test.info);
    if (single_node) cases.back().shape = test.on_one_node;
  }
  return cases;
}

std::vector<Link> HostBackend::Links() {
  std::vector<Link> links;
  const auto& endpoints = context_.topology.endpoints;
  for (std::size_t src = 0; src < endpoints.size(); ++src) {
    for (std::size_t dst = 0; dst < endpoints.size(); ++dst) {
      Link link;
      link.pair = {src, dst};
      link.enabled = true;
      const bool same = endpoints[src].numa_node == endpoints[dst].numa_node;
      link.hop = endpoints[src].numa_node < 0 ? "UNKNOWN" : same ? "SAME_NODE" : "CROSS_NODE";
      links.push_back(link);
    }
  }
  return links;
}

Refusal HostBackend::NoPairs() const {
  return {kit::RowStatus::kWaived, "SINGLE_ENDPOINT",
          "needs two cores or NUMA nodes; this process may use only " + context_.topology.endpoints.front().id};
}

kit::Result<std::unique_ptr<Point>, Refusal> HostBackend::Prepare(const PointRequest& request, const StopCheck& stop) {
  for (const HostCase& test : Table()) {
    if (test.info.id == request.case_id) return test.make(context_, request, stop);
  }
  return Refusal{kit::RowStatus::kError, "NO_SUCH_CASE", request.case_id};
}

std::map<std::string, std::string> HostBackend::facts() const {
  return {{"topology", context_.topology.single_node ? "single_node" : "numa"}};
}

Refusal PinRefusal(const PointContext& context, std::size_t endpoint, int error) {
  return {kit::RowStatus::kError, "PIN_FAILED",
          "no thread can be pinned to cpu " + std::to_string(context.topology.places[endpoint].cpu) + " of " +
              context.topology.endpoints[endpoint].id + ": " + std::strerror(error)};
}

kit::Labels HostLabels(const PointContext& context, const Pair& pair, std::int64_t bytes) {
  kit::Labels labels = {{"src", context.topology.endpoints[pair.src].id},
                        {"dst", context.topology.endpoints[pair.dst].id},
                        {"topology", context.topology.single_node ? "single_node" : "numa"}};
  if (bytes > 0 && bytes < 4 * context.topology.llc_bytes) labels["cache_resident"] = "true";
  return labels;
}

void CheckPlacement(const PointContext& context, std::size_t endpoint, std::optional<double> share_elsewhere) {
  if (!share_elsewhere || *share_elsewhere < kMaxShareElsewhere) return;
  context.warn("PAGES_ELSEWHERE", kit::Readable(*share_elsewhere * 100, "%") + " of the pages of " +
                                      context.topology.endpoints[endpoint].id + " lie on another node");
}

}  // namespace benchwire::p2p::host
