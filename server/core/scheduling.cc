#include "server/core/scheduling.h"

#include <algorithm>
#include <set>

namespace benchwire::core {
namespace {

std::vector<std::string> HealthyDevices(const v1::Inventory& inventory, v1::DeviceKind kind) {
  std::vector<std::string> out;
  for (const v1::Device& device : inventory.devices()) {
    if (device.kind() == kind && device.healthy()) out.push_back(device.id());
  }
  return out;
}

std::string WhyNotOffered(const v1::Inventory& inventory, const std::string& kind, const std::string& backend) {
  for (const v1::RunnerDescription& runner : inventory.runners()) {
    if (runner.kind() != kind) continue;
    const auto& offered = runner.backends();
    if (backend.empty() || std::find(offered.begin(), offered.end(), backend) != offered.end()) return "";
    std::string why = "its runner of kind " + kind + " does not offer " + backend + ", only";
    for (const std::string& name : offered) why += " " + name;
    return why;
  }
  return "offers no runner of kind " + kind;
}

}  // namespace

std::string WhyIncapable(const v1::Inventory& inventory, const std::string& kind,
                         const v1::Requirements& requirements) {
  if (std::string why = WhyNotOffered(inventory, kind, requirements.backend()); !why.empty()) return why;
  if (requirements.cpus() > inventory.cpus()) {
    return "has " + std::to_string(inventory.cpus()) + " cpus, needs " + std::to_string(requirements.cpus());
  }
  if (requirements.memory_bytes() > inventory.memory_bytes()) {
    return "has " + std::to_string(inventory.memory_bytes()) + " bytes of memory, needs " +
           std::to_string(requirements.memory_bytes());
  }
  const size_t devices = HealthyDevices(inventory, requirements.device_kind()).size();
  if (devices < static_cast<size_t>(requirements.device_count())) {
    return "has " + std::to_string(devices) + " healthy devices of kind " +
           v1::DeviceKind_Name(requirements.device_kind()) + ", needs " + std::to_string(requirements.device_count());
  }
  for (const auto& [key, value] : requirements.worker_labels()) {
    auto it = inventory.labels().find(key);
    if (it == inventory.labels().end() || it->second != value) return "lacks the label " + key + "=" + value;
  }
  return "";
}

std::optional<std::vector<std::string>> Fit(const WorkerLoad& load, const std::string& kind,
                                            const v1::Requirements& requirements) {
  if (!WhyIncapable(load.inventory, kind, requirements).empty()) return std::nullopt;
  const bool wants_host = requirements.exclusivity() == v1::EXCLUSIVITY_HOST;
  if (wants_host && !load.grants.empty()) return std::nullopt;
  int64_t cpus = requirements.cpus();
  int64_t memory = requirements.memory_bytes();
  std::set<std::string> used;
  for (const auto& [job, grant] : load.grants) {
    if (grant.requirements.exclusivity() == v1::EXCLUSIVITY_HOST) return std::nullopt;
    cpus += grant.requirements.cpus();
    memory += grant.requirements.memory_bytes();
    used.insert(grant.devices.begin(), grant.devices.end());
  }
  if (cpus > load.inventory.cpus() || memory > load.inventory.memory_bytes()) return std::nullopt;
  std::vector<std::string> free = HealthyDevices(load.inventory, requirements.device_kind());
  std::erase_if(free, [&](const std::string& id) { return used.contains(id); });
  const auto wanted = static_cast<size_t>(requirements.device_count());
  if (free.size() < wanted) return std::nullopt;
  if (!wants_host) free.resize(wanted);
  return free;
}

std::vector<Placement> PlaceJobs(const std::vector<QueuedJob>& jobs, std::vector<WorkerLoad> waiting, WallTime now) {
  std::vector<Placement> out;
  std::vector<bool> taken(waiting.size());
  for (size_t j = 0; j < jobs.size() && out.size() < waiting.size(); ++j) {
    if (jobs[j].earliest_start > now) continue;
    for (size_t w = 0; w < waiting.size(); ++w) {
      if (taken[w]) continue;
      auto devices = Fit(waiting[w], jobs[j].kind, jobs[j].requirements);
      if (!devices) continue;
      taken[w] = true;
      out.push_back({j, w, std::move(*devices)});
      break;
    }
  }
  return out;
}

}  // namespace benchwire::core
