// What the machine is, read from /proc, /sys and /etc below a root directory, so that tests read fixtures. Whatever
// cannot be read is left empty, never guessed. Any thread.
#ifndef BENCHWIRE_WORKERS_AGENT_MACHINE_FACTS_H_
#define BENCHWIRE_WORKERS_AGENT_MACHINE_FACTS_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "benchwire/v1/worker.pb.h"

namespace benchwire::agent {

// `model name` of the first CPU in /proc/cpuinfo.
std::string ReadCpuModel(const std::filesystem::path& root);

// MemTotal or, where lower, the tightest memory limit of the process's cgroup and its ancestors, version 1 or 2. 0:
// unknown.
int64_t ReadMemoryBytes(const std::filesystem::path& root);

// NUMA nodes that have CPUs or memory, by number.
std::vector<v1::NumaNode> ReadNumaNodes(const std::filesystem::path& root);

// PRETTY_NAME of os-release.
std::string ReadOperatingSystem(const std::filesystem::path& root);

// `kvm`, `docker`, `docker+kvm`, `none`, … `hypervisor_signature` is CPUID leaf 0x40000000 (HypervisorSignature), which
// names the hypervisor where there are no DMI tables. A hypervisor nothing names is `vm-other`. Empty: unknown.
std::string ReadVirtualization(const std::filesystem::path& root, const std::string& hypervisor_signature);

// The 12 characters by which a hypervisor names itself to its guests. Empty on other architectures and on bare metal.
std::string HypervisorSignature();

// NUMA node of a PCI device `0000:18:00.0`, -1 where unknown.
int32_t ReadPciNumaNode(const std::filesystem::path& root, const std::string& pci_address);

// Text of a small file, or empty. At most 1 MiB is read.
std::string ReadSmallFile(const std::filesystem::path& path);

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_MACHINE_FACTS_H_
