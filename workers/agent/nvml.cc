#include "workers/agent/nvml.h"

#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <type_traits>

#include "server/base/status.h"

namespace benchwire::agent {
namespace {

// NVML's C interface, as far as it is used. Names of its own types are replaced by plain ones of the same size.
struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned pci_device_id;
  unsigned pci_subsystem_id;
  char bus_id[32];
};
struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
using Handle = void*;
constexpr int kSuccess = 0;
constexpr int kNoPermission = 4;
constexpr int kDriverNotLoaded = 9;
constexpr int kDriverMismatch = 18;
constexpr unsigned kMaxLinks = 36;
constexpr unsigned kRemoteIsSwitch = 2;

struct Functions {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*device_count)(unsigned*) = nullptr;
  int (*handle_by_index)(unsigned, Handle*) = nullptr;
  int (*name)(Handle, char*, unsigned) = nullptr;
  int (*uuid)(Handle, char*, unsigned) = nullptr;
  int (*pci_info)(Handle, PciInfo*) = nullptr;
  int (*memory_info)(Handle, Memory*) = nullptr;
  int (*common_ancestor)(Handle, Handle, int*) = nullptr;
  // Absent in old libraries.
  int (*nvlink_state)(Handle, unsigned, unsigned*) = nullptr;
  int (*nvlink_remote)(Handle, unsigned, PciInfo*) = nullptr;
  int (*nvlink_remote_type)(Handle, unsigned, unsigned*) = nullptr;
};

std::string PciText(const PciInfo& info) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.0", info.domain, info.bus, info.device);
  return text.data();
}

class LoadedNvml final : public Nvml {
 public:
  LoadedNvml(void* library, const Functions& functions) : library_(library), functions_(functions) {}
  LoadedNvml(const LoadedNvml&) = delete;
  LoadedNvml& operator=(const LoadedNvml&) = delete;
  ~LoadedNvml() override {
    functions_.shutdown();
    dlclose(library_);
  }

  absl::StatusOr<std::string> DriverVersion() override {
    std::array<char, 96> text{};
    RETURN_IF_ERROR(Check("nvmlSystemGetDriverVersion", functions_.driver_version(text.data(), text.size() - 1)));
    return std::string(text.data());
  }

  absl::StatusOr<uint32_t> DeviceCount() override {
    unsigned count = 0;
    RETURN_IF_ERROR(Check("nvmlDeviceGetCount_v2", functions_.device_count(&count)));
    return count;
  }

  absl::StatusOr<std::string> Uuid(uint32_t device) override {
    ASSIGN_OR_RETURN(const Handle handle, HandleOf(device));
    std::array<char, 97> text{};
    RETURN_IF_ERROR(Check("nvmlDeviceGetUUID", functions_.uuid(handle, text.data(), text.size() - 1)));
    return std::string(text.data());
  }

  absl::StatusOr<std::string> Model(uint32_t device) override {
    ASSIGN_OR_RETURN(const Handle handle, HandleOf(device));
    std::array<char, 97> text{};
    RETURN_IF_ERROR(Check("nvmlDeviceGetName", functions_.name(handle, text.data(), text.size() - 1)));
    return std::string(text.data());
  }

  absl::StatusOr<std::string> PciAddress(uint32_t device) override {
    ASSIGN_OR_RETURN(const Handle handle, HandleOf(device));
    PciInfo info{};
    RETURN_IF_ERROR(Check("nvmlDeviceGetPciInfo_v3", functions_.pci_info(handle, &info)));
    return PciText(info);
  }

  absl::StatusOr<int64_t> MemoryBytes(uint32_t device) override {
    ASSIGN_OR_RETURN(const Handle handle, HandleOf(device));
    Memory memory{};
    RETURN_IF_ERROR(Check("nvmlDeviceGetMemoryInfo", functions_.memory_info(handle, &memory)));
    return static_cast<int64_t>(memory.total);
  }

  absl::StatusOr<int> CommonAncestor(uint32_t first, uint32_t second) override {
    ASSIGN_OR_RETURN(const Handle a, HandleOf(first));
    ASSIGN_OR_RETURN(const Handle b, HandleOf(second));
    int level = 0;
    RETURN_IF_ERROR(Check("nvmlDeviceGetTopologyCommonAncestor", functions_.common_ancestor(a, b, &level)));
    return level;
  }

  std::vector<NvlinkRemote> ActiveNvlinks(uint32_t device) override {
    std::vector<NvlinkRemote> links;
    const auto handle = HandleOf(device);
    if (!handle.ok() || functions_.nvlink_state == nullptr || functions_.nvlink_remote == nullptr) return links;
    for (unsigned link = 0; link < kMaxLinks; ++link) {
      unsigned active = 0;
      PciInfo remote{};
      if (functions_.nvlink_state(*handle, link, &active) != kSuccess || active == 0) continue;
      if (functions_.nvlink_remote(*handle, link, &remote) != kSuccess) continue;
      unsigned type = 0;
      const bool typed =
          functions_.nvlink_remote_type != nullptr && functions_.nvlink_remote_type(*handle, link, &type) == kSuccess;
      links.push_back({PciText(remote), typed && type == kRemoteIsSwitch});
    }
    return links;
  }

 private:
  absl::Status Check(const char* call, int code) const {
    if (code == kSuccess) return absl::OkStatus();
    return absl::UnavailableError(std::string(call) + ": " + functions_.error_string(code));
  }

  absl::StatusOr<Handle> HandleOf(uint32_t device) {
    Handle handle = nullptr;
    RETURN_IF_ERROR(Check("nvmlDeviceGetHandleByIndex_v2", functions_.handle_by_index(device, &handle)));
    return handle;
  }

  void* library_;
  Functions functions_;
};

absl::Status InitError(const Functions& functions, int code) {
  std::string reason = "INIT_FAILED";
  if (code == kDriverNotLoaded) reason = "DRIVER_NOT_LOADED";
  if (code == kNoPermission) reason = "NO_PERMISSION";
  if (code == kDriverMismatch) reason = "DRIVER_MISMATCH";
  return MakeError(absl::StatusCode::kUnavailable, reason, std::string("nvmlInit_v2: ") + functions.error_string(code));
}

// The name of the first required function that is missing, or nullptr.
const char* FillFunctions(void* library, Functions* functions) {
  const char* missing = nullptr;
  auto find = [&](const char* name, auto* function, bool required = true) {
    void* symbol = dlsym(library, name);
    *function = reinterpret_cast<std::remove_pointer_t<decltype(function)>>(symbol);
    if (symbol == nullptr && required && missing == nullptr) missing = name;
  };
  find("nvmlInit_v2", &functions->init);
  find("nvmlShutdown", &functions->shutdown);
  find("nvmlErrorString", &functions->error_string);
  find("nvmlSystemGetDriverVersion", &functions->driver_version);
  find("nvmlDeviceGetCount_v2", &functions->device_count);
  find("nvmlDeviceGetHandleByIndex_v2", &functions->handle_by_index);
  find("nvmlDeviceGetName", &functions->name);
  find("nvmlDeviceGetUUID", &functions->uuid);
  find("nvmlDeviceGetPciInfo_v3", &functions->pci_info);
  find("nvmlDeviceGetMemoryInfo", &functions->memory_info);
  find("nvmlDeviceGetTopologyCommonAncestor", &functions->common_ancestor);
  find("nvmlDeviceGetNvLinkState", &functions->nvlink_state, false);
  find("nvmlDeviceGetNvLinkRemotePciInfo_v2", &functions->nvlink_remote, false);
  find("nvmlDeviceGetNvLinkRemoteDeviceType", &functions->nvlink_remote_type, false);
  return missing;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Nvml>> LoadNvml(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    const std::string text = why == nullptr ? "dlopen failed" : why;
    const bool absent = text.find("No such file") != std::string::npos;
    return MakeError(absent ? absl::StatusCode::kNotFound : absl::StatusCode::kUnavailable,
                     absent ? "NO_LIBRARY" : "LIBRARY_UNUSABLE", text);
  }
  Functions functions;
  if (const char* missing = FillFunctions(handle, &functions)) {
    dlclose(handle);
    return MakeError(absl::StatusCode::kUnavailable, "SYMBOL_MISSING", library + " has no " + missing);
  }
  if (const int code = functions.init(); code != kSuccess) {
    absl::Status status = InitError(functions, code);
    dlclose(handle);
    return status;
  }
  return std::make_unique<LoadedNvml>(handle, functions);
}

}  // namespace benchwire::agent
