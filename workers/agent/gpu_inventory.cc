#include "workers/agent/gpu_inventory.h"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "server/base/status.h"
#include "workers/agent/machine_facts.h"

namespace benchwire::agent {
namespace {

struct Gpu {
  uint32_t index = 0;
  v1::Device device;
  std::vector<NvlinkRemote> links;
};

void AddError(v1::Inventory* inventory, const std::string& text) {
  std::string* error = inventory->mutable_gpu_error();
  if (!error->empty()) *error += "; ";
  *error += text;
}

// Keeps the first failure as the reason why the device is not healthy.
template <typename T>
T Take(absl::StatusOr<T> value, v1::Device* device) {
  if (value.ok()) return *std::move(value);
  device->set_healthy(false);
  if (device->unhealthy_reason().empty()) device->set_unhealthy_reason(std::string(value.status().message()));
  return T();
}

Gpu ReadGpu(Nvml& nvml, const std::filesystem::path& root, uint32_t index, const std::string& uuid) {
  Gpu gpu;
  gpu.index = index;
  v1::Device& device = gpu.device;
  device.set_id("gpu:" + uuid);
  device.set_kind(v1::DEVICE_KIND_GPU);
  device.set_uuid(uuid);
  device.set_healthy(true);
  device.set_model(Take(nvml.Model(index), &device));
  device.set_pci_address(Take(nvml.PciAddress(index), &device));
  device.set_memory_bytes(Take(nvml.MemoryBytes(index), &device));
  device.set_numa_node(device.pci_address().empty() ? -1 : ReadPciNumaNode(root, device.pci_address()));
  gpu.links = nvml.ActiveNvlinks(index);
  return gpu;
}

// Active NVLinks between two GPUs: direct ones or, where there are none, as many as both have to switches.
int CountNvlinks(const Gpu& a, const Gpu& b) {
  int direct = 0;
  int switched_a = 0;
  for (const NvlinkRemote& link : a.links) {
    if (link.is_switch) {
      ++switched_a;
    } else if (link.pci_address == b.device.pci_address()) {
      ++direct;
    }
  }
  if (direct > 0) return direct;
  const auto switched_b =
      std::count_if(b.links.begin(), b.links.end(), [](const auto& link) { return link.is_switch; });
  return std::min(switched_a, static_cast<int>(switched_b));
}

}  // namespace

v1::LinkClass ClassifyLink(int common_ancestor, int nvlinks) {
  if (nvlinks > 0) return v1::LINK_CLASS_NVLINK;
  if (common_ancestor < 0) return v1::LINK_CLASS_UNSPECIFIED;
  if (common_ancestor <= 20) return v1::LINK_CLASS_SAME_SWITCH;
  if (common_ancestor <= 40) return v1::LINK_CLASS_SAME_SOCKET;
  return v1::LINK_CLASS_CROSS_SOCKET;
}

void ReadGpus(Nvml& nvml, const std::filesystem::path& root, v1::Inventory* inventory) {
  if (const auto version = nvml.DriverVersion(); version.ok()) inventory->set_nvidia_driver(*version);
  const auto count = nvml.DeviceCount();
  if (!count.ok()) {
    AddError(inventory, std::string(count.status().message()));
    return;
  }
  std::vector<Gpu> gpus;
  for (uint32_t index = 0; index < *count; ++index) {
    const auto uuid = nvml.Uuid(index);
    if (uuid.ok()) {
      gpus.push_back(ReadGpu(nvml, root, index, *uuid));
    } else {
      AddError(inventory, "GPU " + std::to_string(index) + ": " + std::string(uuid.status().message()));
    }
  }
  for (size_t i = 0; i < gpus.size(); ++i) {
    *inventory->add_devices() = gpus[i].device;
    for (size_t j = i + 1; j < gpus.size(); ++j) {
      const int nvlinks = CountNvlinks(gpus[i], gpus[j]);
      v1::DeviceLink& link = *inventory->add_device_links();
      link.set_first(gpus[i].device.id());
      link.set_second(gpus[j].device.id());
      link.set_link_class(ClassifyLink(nvml.CommonAncestor(gpus[i].index, gpus[j].index).value_or(-1), nvlinks));
      link.set_nvlinks(nvlinks);
    }
  }
}

std::string GpuError(const absl::Status& load_error, bool asked, const std::filesystem::path& root) {
  std::error_code ignored;
  const bool driver = std::filesystem::exists(root / "proc/driver/nvidia/version", ignored);
  if (absl::IsNotFound(load_error) && !asked && !driver) return "";
  std::string reason = ErrorReason(load_error);
  if (absl::IsNotFound(load_error) && driver) reason = "DRIVER_WITHOUT_LIBRARY";
  return reason + ": " + std::string(load_error.message());
}

}  // namespace benchwire::agent
