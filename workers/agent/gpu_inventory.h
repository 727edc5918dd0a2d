// GPUs of the machine and how they are connected, as inventory rows. One thread at a time.
#ifndef BENCHWIRE_WORKERS_AGENT_GPU_INVENTORY_H_
#define BENCHWIRE_WORKERS_AGENT_GPU_INVENTORY_H_

#include <filesystem>
#include <string>

#include "absl/status/statusor.h"
#include "benchwire/v1/worker.pb.h"
#include "workers/agent/nvml.h"

namespace benchwire::agent {

// Fills devices, device_links, nvidia_driver and gpu_error. A GPU that has an identity but does not answer stays
// listed, with the reason; one without an identity is named in gpu_error. NUMA nodes come from `root`/sys.
void ReadGpus(Nvml& nvml, const std::filesystem::path& root, v1::Inventory* inventory);

// What gpu_error says where NVML could not be loaded: empty where the machine simply has no NVIDIA driver, that is,
// where the library is absent, nobody asked for it by name (`asked`) and no kernel driver is loaded below `root`.
std::string GpuError(const absl::Status& load_error, bool asked, const std::filesystem::path& root);

// How close two GPUs are, by the common ancestor NVML names (-1: unknown) and the NVLinks between them.
v1::LinkClass ClassifyLink(int common_ancestor, int nvlinks);

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_GPU_INVENTORY_H_
