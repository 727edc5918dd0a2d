#include "workers/p2p/cuda/devices.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "workers/kit/machine.h"

namespace benchwire::p2p::cuda {
namespace {

constexpr int kNameBytes = 256;

// `GPU-8-4-4-4-12`, as the vendor's tools write it.
std::string UuidText(const Uuid& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    char hex[3];
    std::snprintf(hex, sizeof hex, "%02x", uuid[i]);
    text += hex;
  }
  return text;
}

int NumaNodeOf(const Driver& driver, Device device, const std::string& pci_address, const std::string& root) {
  int node = -1;
  if (driver.device_attribute(&node, kAttributeHostNumaId, device) == kSuccess && node >= 0) return node;
  std::string lower = pci_address;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto line = kit::ReadLine(root + "/sys/bus/pci/devices/" + lower + "/numa_node");
  const std::vector<int> nodes = kit::ParseCpuList(line.value_or(""));
  return nodes.empty() ? -1 : nodes[0];
}

kit::Result<Gpu> ReadGpu(const Driver& driver, int ordinal, const std::string& root) {
  Gpu gpu;
  const std::string id = "gpu:" + std::to_string(ordinal);
  if (const Code code = driver.device_get(&gpu.device, ordinal); code != kSuccess) {
    return CallError("cuDeviceGet of " + id, code);
  }
  char name[kNameBytes] = "";
  Uuid uuid{};
  char pci[kNameBytes] = "";
  std::size_t bytes = 0;
  for (const auto& [call, code] : {std::pair("cuDeviceGetName", driver.device_name(name, kNameBytes - 1, gpu.device)),
                                   {"cuDeviceGetUuid", driver.device_uuid(&uuid, gpu.device)},
                                   {"cuDeviceGetPCIBusId", driver.device_pci_address(pci, kNameBytes - 1, gpu.device)},
                                   {"cuDeviceTotalMem", driver.device_total_memory(&bytes, gpu.device)}}) {
    if (code != kSuccess) return CallError(std::string(call) + " of " + id, code);
  }
  gpu.mig = std::string(name).find(" MIG ") != std::string::npos;
  gpu.endpoint = {id,
                  "gpu",
                  name,
                  UuidText(uuid),
                  pci,
                  NumaNodeOf(driver, gpu.device, pci, root),
                  static_cast<std::int64_t>(bytes),
                  driver.simulated};
  return gpu;
}

bool IsGranted(const std::vector<std::string>& granted, const std::string& uuid) {
  return std::any_of(granted.begin(), granted.end(), [&](const std::string& id) { return id == "gpu:" + uuid; });
}

std::optional<int> Attribute(const Driver& driver, int attribute, Device from, Device peer) {
  int value = 0;
  if (driver.p2p_attribute(&value, attribute, from, peer) != kSuccess) return std::nullopt;
  return value;
}

void ProbeAccess(const Driver& driver, const Gpu& from, const Gpu& peer, Link* link) {
  int can = 0;
  if (const Code code = driver.can_access_peer(&can, from.device, peer.device); code != kSuccess) {
    const kit::Error error = CallError("cuDeviceCanAccessPeer", code);
    link->reason_code = error.code;
    link->reason = error.message;
    return;
  }
  link->can_access = can != 0;
  link->performance_rank = Attribute(driver, kP2pPerformanceRank, from.device, peer.device);
  const std::optional<int> atomics = Attribute(driver, kP2pNativeAtomics, from.device, peer.device);
  if (atomics) link->native_atomics = *atomics != 0;
  if (can == 0) {
    link->reason_code = from.mig || peer.mig ? "MIG" : "NO_PEER_ACCESS";
    link->reason =
        from.mig || peer.mig ? "a MIG instance has no peers" : "the driver says that src cannot map memory of dst";
    return;
  }
  const PeerAccess access(driver, from, peer);
  link->enabled = access.code() == kSuccess;
  if (!link->enabled) {
    const kit::Error error = CallError("cuCtxEnablePeerAccess", access.code());
    link->reason_code = error.code;
    link->reason = error.message;
  }
}

}  // namespace

kit::Result<int> CountGpus(const Driver& driver) {
  if (const Code code = driver.init(0); code != kSuccess) return CallError("cuInit", code);
  int count = 0;
  if (const Code code = driver.device_count(&count); code != kSuccess) return CallError("cuDeviceGetCount", code);
  if (count < 1) return kit::Error{"NO_DEVICE", "the driver shows no GPU"};
  return count;
}

kit::Result<std::vector<Gpu>> FindGpus(const Driver& driver, const std::vector<std::string>& granted,
                                       const std::string& root) {
  const kit::Result<int> count = CountGpus(driver);
  if (!count.ok()) return count.error();
  std::vector<Gpu> gpus;
  for (int ordinal = 0; ordinal < *count; ++ordinal) {
    kit::Result<Gpu> gpu = ReadGpu(driver, ordinal, root);
    if (!gpu.ok()) return gpu.error();
    if (granted.empty() || IsGranted(granted, gpu->endpoint.uuid)) gpus.push_back(std::move(*gpu));
  }
  if (gpus.empty()) return kit::Error{"NO_DEVICE", "the driver shows none of the granted GPUs"};
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const Code code = driver.retain_context(&gpus[i].context, gpus[i].device);
    if (code == kSuccess) continue;
    while (i-- > 0) driver.release_context(gpus[i].device);
    return CallError("cuDevicePrimaryCtxRetain", code);
  }
  return gpus;
}

std::vector<Link> ProbeLinks(const Driver& driver, const std::vector<Gpu>& gpus) {
  std::vector<Link> links;
  for (std::size_t src = 0; src < gpus.size(); ++src) {
    for (std::size_t dst = 0; dst < gpus.size(); ++dst) {
      Link link;
      link.pair = {src, dst};
      if (src != dst) {
        ProbeAccess(driver, gpus[src], gpus[dst], &link);
      } else {
        link.enabled = true;
      }
      links.push_back(link);
    }
  }
  return links;
}

PeerAccess::PeerAccess(const Driver& driver, const Gpu& from, const Gpu& peer)
    : driver_(driver), from_(from.context), peer_(peer.context) {
  const ContextGuard current(driver_, from_);
  code_ = current.code() == kSuccess ? driver_.enable_peer_access(peer_, 0) : current.code();
  was_on_ = code_ == kPeerAlreadyEnabled;
  if (was_on_) code_ = kSuccess;
}

PeerAccess::~PeerAccess() {
  if (code_ != kSuccess || was_on_ || abandoned_) return;
  const ContextGuard current(driver_, from_);
  driver_.disable_peer_access(peer_);
}

}  // namespace benchwire::p2p::cuda
