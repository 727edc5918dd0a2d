#include "workers/kit/machine.h"

#include <sys/utsname.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace benchwire::kit {
namespace {

std::optional<std::int64_t> ParseInteger(const std::string& text) {
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop == text.data()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> ReadInteger(const std::string& path) {
  const std::optional<std::string> line = ReadLine(path);
  return line ? ParseInteger(*line) : std::nullopt;
}

// Value after `key : ` in /proc/cpuinfo.
std::optional<std::string> CpuInfo(const std::string& root, const std::string& key) {
  std::ifstream file(root + "/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || line.compare(0, key.size(), key) != 0) continue;
    const std::size_t start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? "" : line.substr(start);
  }
  return std::nullopt;
}

// A word of `key value` lines, as in memory.stat.
std::int64_t StatValue(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  std::string name;
  std::int64_t value = 0;
  while (file >> name >> value) {
    if (name == key) return value;
  }
  return 0;
}

struct CgroupFiles {
  const char* mount;
  const char* limit;
  const char* usage;
  const char* cache;
};

constexpr CgroupFiles kVersion1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                                   "total_inactive_file"};
constexpr CgroupFiles kVersion2 = {"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};

void LowerBy(const CgroupFiles& files, const std::string& root, const std::string& group,
             std::optional<std::int64_t>* least) {
  // Every group above limits too. In a container the path of /proc may not exist under the mount; its root then does.
  for (std::filesystem::path path = group;; path = path.parent_path()) {
    const std::string dir = root + files.mount + (path == "/" ? "" : path.string()) + "/";
    const std::optional<std::int64_t> limit = ReadInteger(dir + files.limit);  // `max` is no number.
    const std::optional<std::int64_t> usage = ReadInteger(dir + files.usage);
    if (limit && usage) {
      const std::int64_t left =
          std::max<std::int64_t>(0, *limit - *usage + StatValue(dir + "memory.stat", files.cache));
      *least = std::min(least->value_or(left), left);
    }
    if (!path.has_relative_path()) break;
  }
}

std::string Virtualization(const std::string& root) {
  const std::string kernel = ReadLine(root + "/proc/sys/kernel/osrelease").value_or("");
  if (kernel.find("icrosoft") != std::string::npos) return "wsl";
  const std::string flags = " " + CpuInfo(root, "flags").value_or("") + " ";
  if (flags.find(" hypervisor ") == std::string::npos) return "none";
  const std::optional<std::string> vendor = ReadLine(root + "/sys/class/dmi/id/sys_vendor");
  return vendor ? "vm: " + *vendor : "vm";
}

std::string CompilerName() {
#if defined(__clang__)
  return __VERSION__;
#else
  return "GCC " __VERSION__;
#endif
}

bool InContainer(const std::string& root) {
  std::error_code error;
  return std::filesystem::exists(root + "/.dockerenv", error) ||
         std::filesystem::exists(root + "/run/.containerenv", error);
}

}  // namespace

std::optional<std::string> ReadLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

std::vector<int> ParseCpuList(const std::string& text) {
  std::vector<int> cpus;
  std::stringstream list(text);
  for (std::string range; std::getline(list, range, ',');) {
    const std::size_t dash = range.find('-');
    const std::optional<std::int64_t> first = ParseInteger(range.substr(0, dash));
    const std::optional<std::int64_t> last = dash == std::string::npos ? first : ParseInteger(range.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last > 65'535) return {};
    for (std::int64_t cpu = *first; cpu <= *last; ++cpu) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

std::optional<std::int64_t> MemInfoBytes(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    // `MemFree:  12 kB`, in a node's file `Node 0 MemFree:  12 kB`.
    const std::size_t found = line.find(key + ":");
    if (found == std::string::npos || (found != 0 && line[found - 1] != ' ')) continue;
    const std::size_t start = line.find_first_not_of(' ', found + key.size() + 1);
    if (start == std::string::npos) return std::nullopt;
    const std::optional<std::int64_t> kilobytes = ParseInteger(line.substr(start));
    return kilobytes ? std::optional(*kilobytes * 1024) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::int64_t> LastLevelCacheBytes(const std::string& root) {
  std::optional<std::int64_t> largest;
  for (int index = 0; index < 8; ++index) {
    const auto line = ReadLine(root + "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    if (!line) continue;
    const std::optional<std::int64_t> number = ParseInteger(*line);
    if (!number) continue;
    const std::int64_t unit = line->ends_with('K') ? 1024 : line->ends_with('M') ? 1024 * 1024 : 1;
    largest = std::max(largest.value_or(0), *number * unit);
  }
  return largest;
}

std::optional<std::int64_t> AvailableMemoryBytes(const std::string& root) {
  std::optional<std::int64_t> least = MemInfoBytes(root + "/proc/meminfo", "MemAvailable");
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    // `0::/path` in version 2, `4:memory:/path` in version 1.
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (controllers == ",,") LowerBy(kVersion2, root, group, &least);
    if (controllers.find(",memory,") != std::string::npos) LowerBy(kVersion1, root, group, &least);
  }
  return least;
}

std::map<std::string, std::string> MachineFacts(const std::string& root) {
  std::map<std::string, std::string> facts;
  const auto put = [&facts](const std::string& key, const std::optional<std::string>& value) {
    if (value && !value->empty()) facts[key] = *value;
  };
  const auto number = [](std::optional<std::int64_t> value) {
    return value ? std::optional(std::to_string(*value)) : std::nullopt;
  };
  put("cpu_model", CpuInfo(root, "model name"));
  put("kernel", ReadLine(root + "/proc/sys/kernel/osrelease"));
  if (utsname names{}; uname(&names) == 0) put("architecture", std::string(names.machine));
  if (const auto nodes = ReadLine(root + "/sys/devices/system/node/online")) {
    put("numa_nodes", std::to_string(ParseCpuList(*nodes).size()));
  }
  put("virtualization", Virtualization(root));
  put("container", InContainer(root) ? "true" : "false");
  put("governor", ReadLine(root + "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
  put("llc_bytes", number(LastLevelCacheBytes(root)));
  put("memory_bytes", number(MemInfoBytes(root + "/proc/meminfo", "MemTotal")));
  put("compiler", CompilerName());
  return facts;
}

}  // namespace benchwire::kit
