// Facts about the machine a runner measures on, read from /proc and /sys. Missing facts are left out, never guessed.
// `root` is put before every path, for tests; it is empty in use. Any thread.
#ifndef BENCHWIRE_WORKERS_KIT_MACHINE_H_
#define BENCHWIRE_WORKERS_KIT_MACHINE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace benchwire::kit {

// First line of a file without its newline, or nothing.
std::optional<std::string> ReadLine(const std::string& path);

// `0-3,8` as 0 1 2 3 8. Empty for text that is no such list.
std::vector<int> ParseCpuList(const std::string& text);

// Value of `key:` in /proc/meminfo or a node's meminfo, in bytes.
std::optional<std::int64_t> MemInfoBytes(const std::string& path, const std::string& key);

// Size of the largest cache that cpu 0 has, in bytes.
std::optional<std::int64_t> LastLevelCacheBytes(const std::string& root);

// What this process may still allocate: the least of MemAvailable and, for every cgroup above it (versions 1 and 2),
// limit less use, where the page cache a group may drop counts as free.
std::optional<std::int64_t> AvailableMemoryBytes(const std::string& root);

// cpu_model, kernel, numa_nodes, virtualization, container, governor, llc_bytes, memory_bytes, compiler, as far as they
// can be read.
std::map<std::string, std::string> MachineFacts(const std::string& root);

}  // namespace benchwire::kit

#endif  // BENCHWIRE_WORKERS_KIT_MACHINE_H_
