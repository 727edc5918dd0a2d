#include "workers/p2p/host/topology.h"

#include <sched.h>

#include <algorithm>
#include <fstream>

#include "workers/kit/machine.h"

namespace benchwire::p2p::host {
namespace {

struct Node {
  int id = 0;
  std::vector<int> cpus;  // Allowed ones.
  std::int64_t memory_bytes = 0;
};

bool Contains(const std::vector<std::string>& ids, const std::string& id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

// Nodes whose memory this process may use, from `Mems_allowed_list:` of its status. Empty where unknown: all.
std::vector<int> AllowedNodes(const std::string& root) {
  std::ifstream file(root + "/proc/self/status");
  const std::string key = "Mems_allowed_list:";
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, key.size(), key) != 0) continue;
    const std::size_t start = line.find_first_not_of(" \t", key.size());
    return start == std::string::npos ? std::vector<int>() : kit::ParseCpuList(line.substr(start));
  }
  return {};
}

std::vector<Node> ReadNodes(const std::string& root, const std::vector<int>& allowed) {
  const std::string base = root + "/sys/devices/system/node/";
  const std::vector<int> mems = AllowedNodes(root);
  std::vector<Node> nodes;
  for (int id : kit::ParseCpuList(kit::ReadLine(base + "online").value_or(""))) {
    const std::string dir = base + "node" + std::to_string(id) + "/";
    Node node{id, {}, kit::MemInfoBytes(dir + "meminfo", "MemTotal").value_or(0)};
    for (int cpu : kit::ParseCpuList(kit::ReadLine(dir + "cpulist").value_or(""))) {
      if (std::find(allowed.begin(), allowed.end(), cpu) != allowed.end()) node.cpus.push_back(cpu);
    }
    const bool usable = mems.empty() || std::find(mems.begin(), mems.end(), id) != mems.end();
    if (usable && !node.cpus.empty() && node.memory_bytes > 0) nodes.push_back(node);
  }
  return nodes;
}

std::string CpuModel(const std::string& root) {
  const auto facts = kit::MachineFacts(root);
  const auto found = facts.find("cpu_model");
  return found == facts.end() ? "" : found->second;
}

void AddNodes(const std::vector<Node>& nodes, const std::string& model, const std::vector<std::string>& granted,
              Topology* topology) {
  for (const Node& node : nodes) {
    Endpoint endpoint{"numa:" + std::to_string(node.id), "host_node", model, "", "", node.id, node.memory_bytes, false};
    if (!granted.empty() && !Contains(granted, endpoint.id)) continue;
    topology->endpoints.push_back(endpoint);
    topology->places.push_back({node.cpus.front(), node.id});
  }
}

void AddCores(const std::vector<int>& allowed, int node, std::int64_t memory_bytes, const std::string& model,
              const std::vector<std::string>& named, const std::vector<std::string>& granted, Topology* topology) {
  const std::size_t count = std::min(allowed.size(), kMaxDefaultCores);
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    Endpoint endpoint{"core:" + std::to_string(allowed[i]), "core", model, "", "", node, memory_bytes, false};
    // The chosen ones lie evenly over the list: near and far caches are both seen.
    bool chosen = granted.empty() ? Contains(named, endpoint.id) : Contains(granted, endpoint.id);
    for (std::size_t k = 0; k < count && granted.empty(); ++k) chosen = chosen || i == k * allowed.size() / count;
    if (!chosen) {
      if (granted.empty()) ++topology->cores_left_out;
      continue;
    }
    topology->endpoints.push_back(endpoint);
    topology->places.push_back({allowed[i], std::nullopt});
  }
}

}  // namespace

std::vector<int> AllowedCpus() {
  std::vector<int> cpus;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

kit::Result<Topology> ReadTopology(const std::string& root, const std::vector<int>& allowed,
                                   const std::vector<std::string>& named, const std::vector<std::string>& granted) {
  Topology topology;
  topology.llc_bytes = kit::LastLevelCacheBytes(root).value_or(0);
  const std::string model = CpuModel(root);
  const std::vector<Node> nodes = ReadNodes(root, allowed);
  const bool cores_granted =
      std::any_of(granted.begin(), granted.end(), [](const auto& id) { return id.starts_with("core:"); });
  topology.single_node = nodes.size() < 2;
  if (!topology.single_node && !cores_granted) {
    AddNodes(nodes, model, granted, &topology);
  } else {
    const bool one = nodes.size() == 1;
    AddCores(allowed, one ? nodes[0].id : -1,
             one ? nodes[0].memory_bytes : kit::MemInfoBytes(root + "/proc/meminfo", "MemTotal").value_or(0), model,
             named, granted, &topology);
  }
  if (topology.endpoints.empty()) {
    std::string ids;
    for (const std::string& id : granted) ids += " " + id;
    return kit::Error{"NO_CPU",
                      granted.empty()
                          ? "the affinity mask of this process holds no CPU"
                          : "none of the granted devices is a NUMA node or core that this process may use:" + ids};
  }
  return topology;
}

}  // namespace benchwire::p2p::host
