// Machines, jobs and snapshots for tests of scheduling.
#ifndef BENCHWIRE_TESTS_UNIT_CORE_SCHEDULING_BUILDERS_H_
#define BENCHWIRE_TESTS_UNIT_CORE_SCHEDULING_BUILDERS_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/core/scheduling.h"

namespace benchwire::core {

inline constexpr WallTime kNow{std::chrono::hours(1000)};

// A machine of kind p2p with GPUs gpu:0 … of 80 bytes each, all healthy, without links.
inline v1::Inventory Machine(int gpus, int cpus = 64) {
  v1::Inventory out;
  out.set_cpus(cpus);
  out.set_memory_bytes(1000);
  out.add_runners()->set_kind("p2p");
  for (int i = 0; i < gpus; ++i) {
    v1::Device& device = *out.add_devices();
    device.set_id("gpu:" + std::to_string(i));
    device.set_kind(v1::DEVICE_KIND_GPU);
    device.set_model("Example G1 80B");
    device.set_memory_bytes(80);
    device.set_healthy(true);
  }
  return out;
}

inline void Link(v1::Inventory& inventory, int first, int second, v1::LinkClass link_class) {
  v1::DeviceLink& link = *inventory.add_device_links();
  link.set_first("gpu:" + std::to_string(first));
  link.set_second("gpu:" + std::to_string(second));
  link.set_link_class(link_class);
}

// Links every two GPUs: those in one group of `group` by `inside`, others by `outside`.
inline v1::Inventory Grouped(int gpus, int group, v1::LinkClass inside, v1::LinkClass outside) {
  v1::Inventory out = Machine(gpus);
  for (int a = 0; a < gpus; ++a) {
    for (int b = a + 1; b < gpus; ++b) Link(out, a, b, a / group == b / group ? inside : outside);
  }
  return out;
}

inline v1::Requirements Needs(int gpus, int cpus = 1, v1::Exclusivity exclusivity = v1::EXCLUSIVITY_NONE) {
  v1::Requirements out;
  out.set_exclusivity(exclusivity);
  out.set_cpus(cpus);
  out.set_device_count(gpus);
  if (gpus > 0 || exclusivity == v1::EXCLUSIVITY_HOST) out.set_device_kind(v1::DEVICE_KIND_GPU);
  return out;
}

inline QueuedJob MakeQueued(const std::string& id, const v1::Requirements& requirements,
                            std::chrono::nanoseconds timeout = std::chrono::hours(1)) {
  QueuedJob out;
  out.id = id;
  out.kind = "p2p";
  out.requirements = requirements;
  out.priority = 50;
  out.queued_at = kNow;
  out.timeout = timeout;
  v1::Job job;
  job.mutable_p2p();
  *job.mutable_requirements() = requirements;
  *job.mutable_timeout() = ToProto(timeout);
  out.shape = ShapeOf(job);
  return out;
}

inline Grant MakeGrant(const v1::Requirements& requirements, std::vector<std::string> devices,
                       WallTime expected_end = kNow + std::chrono::hours(1), const std::string& submitter = "") {
  return {1, requirements, std::move(devices), submitter, expected_end};
}

inline WorkerLoad MakeLoad(const std::string& id, const v1::Inventory& inventory,
                           std::map<std::string, Grant> grants = {}) {
  return {id, std::make_shared<const v1::Inventory>(inventory), std::move(grants)};
}

inline WorkerView View(WorkerLoad load, bool waiting = true, bool open = true) {
  return {std::make_shared<const WorkerLoad>(std::move(load)), waiting, open};
}

// The placements of a decision as `job worker devices`.
inline std::vector<std::string> Placed(const Snapshot& snapshot, const Decision& decision) {
  std::vector<std::string> out;
  for (const Placement& placement : decision.placements) {
    std::string& text = out.emplace_back();
    text = snapshot.jobs[placement.job].id + " " + snapshot.workers[placement.worker].load->id;
    for (const std::string& device : placement.devices) text += " " + device;
  }
  return out;
}

}  // namespace benchwire::core

#endif  // BENCHWIRE_TESTS_UNIT_CORE_SCHEDULING_BUILDERS_H_
