#include "server/core/fit.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "server/base/resource_name.h"
#include "server/core/device_choice.h"

namespace benchwire::core {
namespace {

bool WantsHost(const v1::Requirements& requirements) { return requirements.exclusivity() == v1::EXCLUSIVITY_HOST; }

// Healthy devices of the kind, memory and model that are wanted, but those in `used`.
std::vector<const v1::Device*> Matching(const v1::Inventory& inventory, const v1::Requirements& requirements,
                                        const std::set<std::string_view>& used) {
  std::vector<const v1::Device*> out;
  for (const v1::Device& device : inventory.devices()) {
    const bool fits = device.healthy() && device.kind() == requirements.device_kind() &&
                      device.memory_bytes() >= requirements.device_memory_bytes() &&
                      ModelFits(device.model(), requirements.device_model());
    if (fits && !used.contains(device.id())) out.push_back(&device);
  }
  return out;
}

// Why no runner of the worker does what is asked; empty where one does.
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

// The first label that is not as wanted; empty where all are.
std::string Lacking(const v1::Inventory& inventory, const v1::Requirements& requirements) {
  for (const auto& [key, value] : requirements.worker_labels()) {
    const auto it = inventory.labels().find(key);
    if (it == inventory.labels().end() || it->second != value) return key + "=" + value;
  }
  return "";
}

bool NeedsLinks(const v1::Requirements& requirements) {
  return requirements.device_count() > 1 && requirements.link_class() != v1::LINK_CLASS_UNSPECIFIED;
}

// The devices a job with these free ones would be given.
std::optional<std::vector<std::string>> Choose(const v1::Inventory& inventory,
                                               const std::vector<const v1::Device*>& free,
                                               const v1::Requirements& requirements) {
  if (!WantsHost(requirements)) {
    return ChooseDevices(inventory, free, requirements.device_count(), requirements.link_class());
  }
  if (free.size() < static_cast<size_t>(requirements.device_count())) return std::nullopt;
  if (NeedsLinks(requirements) &&
      !ChooseDevices(inventory, free, requirements.device_count(), requirements.link_class())) {
    return std::nullopt;
  }
  std::vector<std::string> out;
  for (const v1::Device* device : free) out.push_back(device->id());
  return out;
}

std::string Devices(const v1::Requirements& requirements) {
  std::string out = v1::DeviceKind_Name(requirements.device_kind()).substr(sizeof("DEVICE_KIND_") - 1) + " devices";
  if (!requirements.device_model().empty()) out += " of model " + requirements.device_model();
  if (requirements.device_memory_bytes() > 0) {
    out += " with " + std::to_string(requirements.device_memory_bytes()) + " bytes of memory";
  }
  return out;
}

std::string LinkText(const v1::Requirements& requirements) {
  return "linked " + v1::LinkClass_Name(requirements.link_class()).substr(sizeof("LINK_CLASS_") - 1) + " or closer";
}

std::string OfText(int64_t free, int64_t all) { return std::to_string(free) + " of " + std::to_string(all); }

// What the jobs on a worker leave free.
struct Rest {
  int64_t cpus = 0;
  int64_t memory = 0;
  std::set<std::string_view> used_devices;
  const std::string* whole = nullptr;  // The job that has the machine for itself.
};

Rest RestOf(const WorkerLoad& load) {
  Rest rest{load.inventory->cpus(), load.inventory->memory_bytes(), {}, nullptr};
  for (const auto& [job, grant] : load.grants) {
    if (WantsHost(grant.requirements)) rest.whole = &job;
    rest.cpus -= grant.requirements.cpus();
    rest.memory -= grant.requirements.memory_bytes();
    rest.used_devices.insert(grant.devices.begin(), grant.devices.end());
  }
  return rest;
}

}  // namespace

bool IsCapable(const v1::Inventory& inventory, const std::string& kind, const v1::Requirements& requirements) {
  if (!WhyNotOffered(inventory, kind, requirements.backend()).empty() || requirements.cpus() > inventory.cpus() ||
      requirements.memory_bytes() > inventory.memory_bytes() || !Lacking(inventory, requirements).empty()) {
    return false;
  }
  return requirements.device_count() == 0 || Choose(inventory, Matching(inventory, requirements, {}), requirements);
}

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
  const std::string label = Lacking(inventory, requirements);
  if (!label.empty()) return "lacks the label " + label;
  if (IsCapable(inventory, kind, requirements)) return "";
  const size_t devices = Matching(inventory, requirements, {}).size();
  if (devices < static_cast<size_t>(requirements.device_count())) {
    return "has " + std::to_string(devices) + " healthy " + Devices(requirements) + ", needs " +
           std::to_string(requirements.device_count());
  }
  return "has no " + std::to_string(requirements.device_count()) + " healthy " + Devices(requirements) + " " +
         LinkText(requirements);
}

std::optional<std::vector<std::string>> Fit(const WorkerLoad& load, const v1::Requirements& requirements) {
  const Rest rest = RestOf(load);
  if (rest.whole != nullptr || (WantsHost(requirements) && !load.grants.empty())) return std::nullopt;
  if (requirements.cpus() > rest.cpus || requirements.memory_bytes() > rest.memory) return std::nullopt;
  if (requirements.device_kind() == v1::DEVICE_KIND_UNSPECIFIED) return std::vector<std::string>();
  return Choose(*load.inventory, Matching(*load.inventory, requirements, rest.used_devices), requirements);
}

std::string WhyBusy(const WorkerLoad& load, const v1::Requirements& requirements) {
  const v1::Inventory& inventory = *load.inventory;
  const Rest rest = RestOf(load);
  if (rest.whole != nullptr) return JobName(*rest.whole) + " has the whole machine";
  if (WantsHost(requirements) && !load.grants.empty()) {
    return JobName(load.grants.begin()->first) +
           (load.grants.size() > 1 ? " and " + std::to_string(load.grants.size() - 1) + " more run" : " runs") +
           " there, needs the whole machine";
  }
  if (requirements.cpus() > rest.cpus) {
    return OfText(rest.cpus, inventory.cpus()) + " cpus free, needs " + std::to_string(requirements.cpus());
  }
  if (requirements.memory_bytes() > rest.memory) {
    return OfText(rest.memory, inventory.memory_bytes()) + " bytes of memory free, needs " +
           std::to_string(requirements.memory_bytes());
  }
  if (Fit(load, requirements)) return "";
  const auto all = static_cast<int64_t>(Matching(inventory, requirements, {}).size());
  const auto free = static_cast<int64_t>(Matching(inventory, requirements, rest.used_devices).size());
  std::string out = OfText(free, all) + " " + Devices(requirements) + " free";
  if (free >= requirements.device_count()) out += ", not " + LinkText(requirements);
  return out + ", needs " + std::to_string(requirements.device_count());
}

WallTime ExpectedEnd(const Grant& grant, WallTime now) {
  if (grant.expected_end > now) return grant.expected_end;
  return now + std::max<std::chrono::nanoseconds>(std::chrono::minutes(1), now - grant.expected_end);
}

WallTime ExpectedFit(const WorkerLoad& load, const v1::Requirements& requirements, WallTime now) {
  std::vector<std::pair<WallTime, std::string>> ends;
  for (const auto& [job, grant] : load.grants) ends.emplace_back(ExpectedEnd(grant, now), job);
  std::sort(ends.begin(), ends.end());
  WorkerLoad left = load;
  WallTime when = now;
  for (const auto& [end, job] : ends) {
    if (Fit(left, requirements)) return when;
    left.grants.erase(job);
    when = end;
  }
  return when;
}

Amount AmountOf(const v1::Inventory& inventory) { return {inventory.cpus(), inventory.devices_size()}; }

Amount AmountTaken(const v1::Inventory& inventory, const v1::Requirements& requirements, size_t devices) {
  if (WantsHost(requirements)) return AmountOf(inventory);
  return {requirements.cpus(), static_cast<int64_t>(devices)};
}

Amount AmountFree(const WorkerLoad& load) {
  Amount out = AmountOf(*load.inventory);
  for (const auto& [job, grant] : load.grants) {
    const Amount taken = AmountTaken(*load.inventory, grant.requirements, grant.devices.size());
    out.cpus -= taken.cpus;
    out.devices -= taken.devices;
  }
  return out;
}

}  // namespace benchwire::core
