#include "workers/agent/inventory.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "server/base/status.h"
#include "workers/agent/gpu_inventory.h"
#include "workers/agent/machine_facts.h"
#include "workers/agent/safe_text.h"

namespace benchwire::agent {
namespace {

// Logical CPUs of the affinity mask, 0 where the kernel does not tell.
int AffinityCpus() {
  static constexpr int kMostCpus = 1 << 16;
  for (int cpus = 1024; cpus <= kMostCpus; cpus *= 2) {
    cpu_set_t* set = CPU_ALLOC(static_cast<size_t>(cpus));
    const size_t size = CPU_ALLOC_SIZE(static_cast<size_t>(cpus));
    CPU_ZERO_S(size, set);
    const int rc = sched_getaffinity(0, size, set);
    const int error = errno;
    const int count = rc == 0 ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    // EINVAL: the mask is larger than this set.
    if (rc == 0 || error != EINVAL) return count;
  }
  return 0;
}

}  // namespace

v1::Inventory ReadMachine(const std::filesystem::path& root) {
  v1::Inventory inventory;
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0) inventory.set_hostname(SafeText(host.data(), 255));
  utsname system{};
  if (uname(&system) == 0) {
    inventory.set_kernel(SafeText(system.release, 128));
    inventory.set_architecture(SafeText(system.machine, 128));
  }
  inventory.set_cpus(AffinityCpus());
  inventory.set_operating_system(SafeText(ReadOperatingSystem(root), 256));
  inventory.set_cpu_model(SafeText(ReadCpuModel(root), 256));
  inventory.set_memory_bytes(ReadMemoryBytes(root));
  inventory.set_virtualization(SafeText(ReadVirtualization(root, HypervisorSignature()), 128));
  for (const v1::NumaNode& node : ReadNumaNodes(root)) *inventory.add_numa_nodes() = node;
  return inventory;
}

void AddGpus(const std::string& library, const std::filesystem::path& root, v1::Inventory* inventory) {
  const auto nvml = LoadNvml(library.empty() ? kNvmlLibrary : library);
  if (nvml.ok()) {
    ReadGpus(**nvml, root, inventory);
  } else {
    inventory->set_gpu_error(SafeText(GpuError(nvml.status(), !library.empty(), root), 1024));
  }
}

void AddRunners(const RunnerCatalog& catalog, v1::Inventory* inventory) {
  for (const auto& [kind, runner] : catalog) *inventory->add_runners() = runner.description;
}

std::map<std::string, std::string> EnvironmentFacts(const v1::Inventory& inventory) {
  std::map<std::string, std::string> facts = {
      {"hostname", inventory.hostname()},
      {"cpu_model", inventory.cpu_model()},
      {"kernel", inventory.kernel()},
      {"operating_system", inventory.operating_system()},
      {"virtualization", inventory.virtualization()},
      {"nvidia_driver", inventory.nvidia_driver()},
      {"cpus", inventory.cpus() > 0 ? std::to_string(inventory.cpus()) : ""},
      {"memory_bytes", inventory.memory_bytes() > 0 ? std::to_string(inventory.memory_bytes()) : ""},
      {"agent_version", BENCHWIRE_VERSION},
  };
  std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
  return facts;
}

std::string SlugOf(const std::string& hostname) {
  static constexpr size_t kMax = 63;
  std::string slug;
  for (const char c : hostname) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      slug += c;
    } else if (c >= 'A' && c <= 'Z') {
      slug += static_cast<char>(c - 'A' + 'a');
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  slug = slug.substr(0, kMax);
  while (!slug.empty() && slug.back() == '-') slug.pop_back();
  return slug;
}

absl::Status AddLabel(const std::string& text, v1::Inventory* inventory) {
  const size_t equals = text.find('=');
  const std::string key = text.substr(0, equals);
  const bool good = key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.-") == std::string::npos;
  if (equals == std::string::npos || key.empty() || key.size() > 63 || !good) {
    return BadField("label", SafeText(text, 200), "KEY=VALUE with a key of [a-z0-9_.-]{1,63}");
  }
  const std::string value = text.substr(equals + 1);
  if (value.size() > 256 || SafeText(value, 1024) != value) {
    return BadField("label", SafeText(text, 200), "a value of at most 256 bytes of UTF-8 without control characters");
  }
  if (!inventory->mutable_labels()->insert({key, value}).second) return BadField("label", key, "each key once");
  if (inventory->labels().size() > 64) return BadField("label", key, "at most 64 labels");
  return absl::OkStatus();
}

}  // namespace benchwire::agent
