#include "workers/agent/machine_facts.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

namespace benchwire::agent {
namespace {

namespace fs = std::filesystem;

// Limits at or above this are how cgroup v1 writes "none".
constexpr int64_t kNoLimit = int64_t{1} << 60;

std::string Trim(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::optional<int64_t> ParseInt(const std::string& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The value of `KEY: N kB` in bytes; `key` may stand anywhere in the line, as in node meminfo.
std::optional<int64_t> KibibytesOf(const std::string& text, const std::string& key) {
  for (const std::string& line : Lines(text)) {
    const size_t at = line.find(key + ":");
    if (at == std::string::npos) continue;
    std::istringstream in(line.substr(at + key.size() + 1));
    int64_t value = 0;
    if (in >> value && value >= 0) return value * 1024;
  }
  return std::nullopt;
}

// The path of the process's cgroup for a v1 controller, or of v2 where `controller` is empty.
std::optional<std::string> CgroupPath(const fs::path& root, const std::string& controller) {
  for (const std::string& line : Lines(ReadSmallFile(root / "proc/self/cgroup"))) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool match =
        controller.empty() ? controllers == ",," : controllers.find("," + controller + ",") != std::string::npos;
    if (match) return line.substr(second + 1);
  }
  return std::nullopt;
}

// The least limit from `mount` down to the cgroup. In a container the path may not exist below the mount, which then is
// the cgroup itself.
int64_t LeastLimit(const fs::path& mount, const std::string& cgroup, const std::string& file) {
  int64_t least = kNoLimit;
  fs::path at = mount;
  auto read = [&] {
    const auto limit = ParseInt(Trim(ReadSmallFile(at / file)));
    if (limit && *limit > 0) least = std::min(least, *limit);
  };
  read();
  for (const fs::path& part : fs::path(cgroup).relative_path()) {
    if (part == "..") break;
    at /= part;
    read();
  }
  return least;
}

std::string DetectContainer(const fs::path& root) {
  const std::string declared = Trim(ReadSmallFile(root / "run/systemd/container"));
  if (!declared.empty()) return declared;
  std::error_code ignored;
  if (fs::exists(root / "run/.containerenv", ignored)) return "podman";
  if (fs::exists(root / "var/run/secrets/kubernetes.io", ignored)) return "kubernetes";
  if (fs::exists(root / ".dockerenv", ignored)) return "docker";
  const std::string cgroup = ReadSmallFile(root / "proc/1/cgroup");
  static constexpr std::pair<const char*, const char*> kMarks[] = {
      {"kubepods", "kubernetes"}, {"/docker", "docker"}, {"/lxc", "lxc"}, {"libpod", "podman"}};
  for (const auto& [mark, name] : kMarks) {
    if (cgroup.find(mark) != std::string::npos) return name;
  }
  return "";
}

// The first pair whose mark stands in `text`.
template <size_t N>
std::string NameByMark(const std::string& text, const std::pair<const char*, const char*> (&marks)[N]) {
  for (const auto& [mark, name] : marks) {
    if (text.find(mark) != std::string::npos) return name;
  }
  return "";
}

std::string DetectHypervisor(const fs::path& root, const std::string& signature) {
  static constexpr std::pair<const char*, const char*> kDmi[] = {
      {"KVM", "kvm"},           {"Amazon EC2", "amazon"},        {"Google", "google"},      {"QEMU", "qemu"},
      {"VMware", "vmware"},     {"VirtualBox", "virtualbox"},    {"innotek", "virtualbox"}, {"Xen", "xen"},
      {"Bochs", "bochs"},       {"Parallels", "parallels"},      {"BHYVE", "bhyve"},        {"OpenStack", "kvm"},
      {"Alibaba Cloud", "kvm"}, {"Virtual Machine", "microsoft"}};
  static constexpr std::pair<const char*, const char*> kSignatures[] = {
      {"KVMKVMKVM", "kvm"},     {"VMwareVMware", "vmware"}, {"Microsoft Hv", "microsoft"},
      {"XenVMMXenVMM", "xen"},  {"TCGTCGTCGTCG", "qemu"},   {"VBoxVBoxVBox", "virtualbox"},
      {"bhyve bhyve", "bhyve"}, {"ACRNACRNACRN", "acrn"}};
  const std::string cpuinfo = ReadSmallFile(root / "proc/cpuinfo");
  const bool x86 = cpuinfo.find("\nflags") != std::string::npos || cpuinfo.rfind("flags", 0) == 0;
  bool guest = false;
  for (const std::string& line : Lines(cpuinfo)) {
    if (line.rfind("flags", 0) == 0) guest = (line + " ").find(" hypervisor ") != std::string::npos;
    if (guest) break;
  }
  const std::string dmi = ReadSmallFile(root / "sys/class/dmi/id/product_name") +
                          ReadSmallFile(root / "sys/class/dmi/id/sys_vendor") +
                          ReadSmallFile(root / "sys/class/dmi/id/bios_vendor");
  // A bare-metal cloud host names its vendor in DMI too: on x86 the CPU flag decides.
  if (x86 && !guest) return "none";
  if (const std::string name = NameByMark(dmi, kDmi); !name.empty()) return name;
  if (const std::string name = NameByMark(signature, kSignatures); !name.empty()) return name;
  const std::string type = Trim(ReadSmallFile(root / "sys/hypervisor/type"));
  if (!type.empty()) return type;
  return guest ? "vm-other" : "";
}

}  // namespace

std::string ReadSmallFile(const fs::path& path) {
  static constexpr size_t kMax = size_t{1} << 20;
  std::ifstream in(path, std::ios::binary);
  std::string text(kMax, '\0');
  in.read(text.data(), static_cast<std::streamsize>(kMax));
  text.resize(static_cast<size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return text;
}

std::string ReadCpuModel(const fs::path& root) {
  for (const std::string& line : Lines(ReadSmallFile(root / "proc/cpuinfo"))) {
    const size_t colon = line.find(':');
    if (colon != std::string::npos && Trim(line.substr(0, colon)) == "model name") return Trim(line.substr(colon + 1));
  }
  return "";
}

int64_t ReadMemoryBytes(const fs::path& root) {
  const int64_t total = KibibytesOf(ReadSmallFile(root / "proc/meminfo"), "MemTotal").value_or(0);
  int64_t limit = kNoLimit;
  if (const auto v1 = CgroupPath(root, "memory")) {
    limit = std::min(limit, LeastLimit(root / "sys/fs/cgroup/memory", *v1, "memory.limit_in_bytes"));
  }
  if (const auto v2 = CgroupPath(root, "")) {
    limit = std::min(limit, LeastLimit(root / "sys/fs/cgroup", *v2, "memory.max"));
  }
  if (total == 0) return limit == kNoLimit ? 0 : limit;
  return std::min(total, limit);
}

std::vector<v1::NumaNode> ReadNumaNodes(const fs::path& root) {
  std::vector<v1::NumaNode> nodes;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root / "sys/devices/system/node", error)) {
    const std::string name = entry.path().filename();
    if (name.rfind("node", 0) != 0) continue;
    const auto id = ParseInt(name.substr(4));
    if (!id) continue;
    v1::NumaNode node;
    node.set_id(static_cast<int32_t>(*id));
    node.set_cpus(Trim(ReadSmallFile(entry.path() / "cpulist")));
    node.set_memory_bytes(KibibytesOf(ReadSmallFile(entry.path() / "meminfo"), "MemTotal").value_or(0));
    if (!node.cpus().empty() || node.memory_bytes() > 0) nodes.push_back(std::move(node));
  }
  std::sort(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) { return a.id() < b.id(); });
  return nodes;
}

std::string ReadOperatingSystem(const fs::path& root) {
  for (const char* file : {"etc/os-release", "usr/lib/os-release"}) {
    for (const std::string& line : Lines(ReadSmallFile(root / file))) {
      if (line.rfind("PRETTY_NAME=", 0) != 0) continue;
      std::string value = Trim(line.substr(12));
      if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front()) {
        value = value.substr(1, value.size() - 2);
      }
      value.erase(std::remove(value.begin(), value.end(), '\\'), value.end());
      return value;
    }
  }
  return "";
}

std::string ReadVirtualization(const fs::path& root, const std::string& hypervisor_signature) {
  const std::string container = DetectContainer(root);
  const std::string hypervisor = DetectHypervisor(root, hypervisor_signature);
  if (container.empty()) return hypervisor;
  return hypervisor.empty() || hypervisor == "none" ? container : container + "+" + hypervisor;
}

int32_t ReadPciNumaNode(const fs::path& root, const std::string& pci_address) {
  const auto node = ParseInt(Trim(ReadSmallFile(root / "sys/bus/pci/devices" / pci_address / "numa_node")));
  return node && *node >= 0 ? static_cast<int32_t>(*node) : -1;
}

}  // namespace benchwire::agent
