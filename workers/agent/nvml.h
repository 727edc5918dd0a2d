// The few questions the inventory asks NVIDIA's management library, behind a seam. NVML is loaded at run time; its
// prototypes are declared in nvml.cc after NVIDIA's published C interface, so neither a header nor a link is needed.
// One thread at a time.
#ifndef BENCHWIRE_WORKERS_AGENT_NVML_H_
#define BENCHWIRE_WORKERS_AGENT_NVML_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace benchwire::agent {

// One active NVLink of a GPU.
struct NvlinkRemote {
  std::string pci_address;
  bool is_switch = false;
};

// Errors of every call: UNAVAILABLE with NVML's own words.
class Nvml {
 public:
  virtual ~Nvml() = default;
  virtual absl::StatusOr<std::string> DriverVersion() = 0;
  virtual absl::StatusOr<uint32_t> DeviceCount() = 0;
  // `GPU-…`
  virtual absl::StatusOr<std::string> Uuid(uint32_t device) = 0;
  virtual absl::StatusOr<std::string> Model(uint32_t device) = 0;
  // `0000:18:00.0`
  virtual absl::StatusOr<std::string> PciAddress(uint32_t device) = 0;
  virtual absl::StatusOr<int64_t> MemoryBytes(uint32_t device) = 0;
  // nvmlGpuTopologyLevel_t: 0 one board, 10 one switch, 20 several switches, 30 host bridge, 40 NUMA node, 50 system.
  virtual absl::StatusOr<int> CommonAncestor(uint32_t first, uint32_t second) = 0;
  // Empty where the GPU has no NVLink.
  virtual std::vector<NvlinkRemote> ActiveNvlinks(uint32_t device) = 0;
};

// Loads `library` (libnvidia-ml.so.1, or what BENCHWIRE_NVML_LIBRARY names) and initialises it. Errors, by ErrorReason:
// NO_LIBRARY (NOT_FOUND), LIBRARY_UNUSABLE, SYMBOL_MISSING, DRIVER_NOT_LOADED, NO_PERMISSION, DRIVER_MISMATCH,
// INIT_FAILED.
absl::StatusOr<std::unique_ptr<Nvml>> LoadNvml(const std::string& library);

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_NVML_H_
