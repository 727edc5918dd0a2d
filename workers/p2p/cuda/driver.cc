#include "workers/p2p/cuda/driver.h"

#include <dlfcn.h>

namespace benchwire::p2p::cuda {
namespace {

// Looks functions up and remembers the first that is missing.
class Loader {
 public:
  explicit Loader(void* library) : library_(library) {}

  template <typename... Args>
  void Bind(const char* name, std::function<Code(Args...)>* out) {
    void* symbol = dlsym(library_, name);
    if (symbol == nullptr && missing_.empty()) missing_ = name;
    *out = reinterpret_cast<Code (*)(Args...)>(symbol);
  }

  const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

}  // namespace

kit::Result<Driver> LoadDriver(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return kit::Error{"NO_DRIVER_LIBRARY", dlerror()};
  Driver driver;
  driver.library = path;
  driver.simulated = dlsym(library, "benchwireSimulatedDriver") != nullptr;
  // The names with _v2 are the ABI since CUDA 3.2; the ones without it are older forms.
  Loader loader(library);
  loader.Bind("cuInit", &driver.init);
  loader.Bind("cuDriverGetVersion", &driver.driver_version);
  loader.Bind("cuDeviceGetCount", &driver.device_count);
  loader.Bind("cuDeviceGet", &driver.device_get);
  loader.Bind("cuDeviceGetName", &driver.device_name);
  loader.Bind("cuDeviceGetUuid_v2", &driver.device_uuid);
  loader.Bind("cuDeviceTotalMem_v2", &driver.device_total_memory);
  loader.Bind("cuDeviceGetPCIBusId", &driver.device_pci_address);
  loader.Bind("cuDeviceGetAttribute", &driver.device_attribute);
  loader.Bind("cuDeviceCanAccessPeer", &driver.can_access_peer);
  loader.Bind("cuDeviceGetP2PAttribute", &driver.p2p_attribute);
  loader.Bind("cuDevicePrimaryCtxRetain", &driver.retain_context);
  loader.Bind("cuDevicePrimaryCtxRelease_v2", &driver.release_context);
  loader.Bind("cuCtxPushCurrent_v2", &driver.push_context);
  loader.Bind("cuCtxPopCurrent_v2", &driver.pop_context);
  loader.Bind("cuCtxEnablePeerAccess", &driver.enable_peer_access);
  loader.Bind("cuCtxDisablePeerAccess", &driver.disable_peer_access);
  loader.Bind("cuMemGetInfo_v2", &driver.memory_info);
  loader.Bind("cuMemAlloc_v2", &driver.allocate);
  loader.Bind("cuMemFree_v2", &driver.free);
  loader.Bind("cuMemAllocHost_v2", &driver.allocate_host);
  loader.Bind("cuMemFreeHost", &driver.free_host);
  loader.Bind("cuPointerGetAttribute", &driver.pointer_attribute);
  loader.Bind("cuMemcpyAsync", &driver.copy);
  loader.Bind("cuMemcpyPeerAsync", &driver.copy_peer);
  loader.Bind("cuMemcpyHtoDAsync_v2", &driver.copy_to_device);
  loader.Bind("cuMemcpyDtoHAsync_v2", &driver.copy_to_host);
  loader.Bind("cuMemsetD8Async", &driver.set_bytes);
  loader.Bind("cuStreamCreate", &driver.create_stream);
  loader.Bind("cuStreamDestroy_v2", &driver.destroy_stream);
  loader.Bind("cuStreamQuery", &driver.query_stream);
  loader.Bind("cuEventCreate", &driver.create_event);
  loader.Bind("cuEventDestroy_v2", &driver.destroy_event);
  loader.Bind("cuEventRecord", &driver.record_event);
  loader.Bind("cuEventQuery", &driver.query_event);
  loader.Bind("cuEventElapsedTime", &driver.elapsed_time);
  if (!loader.missing().empty()) {
    return kit::Error{"MISSING_FUNCTION", path + " exports no " + loader.missing()};
  }
  return driver;
}

std::string ReasonOf(Code code) {
  switch (code) {
    case kOutOfMemory:
      return "OUT_OF_MEMORY";
    case kStubLibrary:
      return "STUB_DRIVER";
    case kInsufficientDriver:
      return "DRIVER_TOO_OLD";
    case 46:
      return "DEVICE_UNAVAILABLE";
    case kNoDevice:
      return "NO_DEVICE";
    case kMapFailed:
      return "MAP_FAILED";
    case 214:
      return "ECC_UNCORRECTABLE";
    case kPeerAccessUnsupported:
      return "PEER_ACCESS_UNSUPPORTED";
    case 220:
      return "NVLINK_UNCORRECTABLE";
    case kPeerAlreadyEnabled:
      return "PEER_ACCESS_ALREADY_ENABLED";
    case kPeerNotEnabled:
      return "PEER_ACCESS_NOT_ENABLED";
    case kTooManyPeers:
      return "TOO_MANY_PEERS";
    case 802:
      return "FABRIC_NOT_READY";
    case 803:
      return "VERSION_MISMATCH";
    case 804:
      return "COMPAT_NOT_SUPPORTED";
    case 805:
      return "MPS_CONNECTION_FAILED";
    case 806:
      return "MPS_RPC_FAILURE";
    case 807:
      return "MPS_SERVER_NOT_READY";
    case 808:
      return "MPS_MAX_CLIENTS";
    case 809:
      return "MPS_MAX_CONNECTIONS";
    default:
      return "CUDA_ERROR_" + std::to_string(code);
  }
}

kit::Error CallError(const std::string& what, Code code) {
  return {ReasonOf(code), what + ": " + std::to_string(code) + " " + ReasonOf(code)};
}

}  // namespace benchwire::p2p::cuda
