#include "workers/p2p/host/memory.h"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "workers/kit/console.h"
#include "workers/kit/machine.h"

namespace benchwire::p2p::host {
namespace {

constexpr int kMaxNodes = 1024;
constexpr std::size_t kPagesChecked = 64;

// 0 or an errno.
int Bind(void* data, std::size_t size, int node) {
  constexpr std::size_t kBits = 8 * sizeof(unsigned long);
  std::array<unsigned long, kMaxNodes / kBits> mask{};
  if (node < 0 || node >= kMaxNodes) return EINVAL;
  mask[static_cast<std::size_t>(node) / kBits] = 1UL << (static_cast<std::size_t>(node) % kBits);
  // The kernel counts one bit less than it is told.
  return syscall(SYS_mbind, data, size, MPOL_BIND, mask.data(), kMaxNodes + 1, 0) == 0 ? 0 : errno;
}

Refusal TooLittle(const std::string& where, std::int64_t needed, std::int64_t left) {
  return {kit::RowStatus::kWaived, "INSUFFICIENT_MEMORY",
          "needs " + kit::Readable(static_cast<double>(needed), "B") + " and " +
              kit::Readable(static_cast<double>(kReserveBytes), "B") + " in reserve, " + where + " has " +
              kit::Readable(static_cast<double>(left), "B")};
}

}  // namespace

kit::Result<NodeMemory> NodeMemory::Map(std::int64_t bytes, std::optional<int> node, const Warn& warn) {
  const auto size = static_cast<std::size_t>(bytes);
  void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) {
    return kit::Error{"OUT_OF_MEMORY", "mmap of " + std::to_string(bytes) + " bytes: " + std::strerror(errno)};
  }
  if (node) {
    if (const int error = Bind(data, size, *node); error != 0) {
      warn("MBIND_REFUSED", "memory cannot be bound to node " + std::to_string(*node) + " (" + std::strerror(error) +
                                "); the first touch by a thread there decides where it lies");
    }
  }
  return NodeMemory(static_cast<std::byte*>(data), size);
}

NodeMemory::~NodeMemory() {
  if (data_ != nullptr) munmap(data_, size_);
}

NodeMemory::NodeMemory(NodeMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

NodeMemory& NodeMemory::operator=(NodeMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

std::optional<double> NodeMemory::ShareElsewhere(int node) const {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t pages = (size_ + page - 1) / page;
  const std::size_t count = std::min(pages, kPagesChecked);
  std::vector<void*> addresses(count);
  std::vector<int> where(count, -1);
  for (std::size_t i = 0; i < count; ++i) addresses[i] = data_ + (i * pages / count) * page;
  if (syscall(SYS_move_pages, 0, count, addresses.data(), nullptr, where.data(), 0) != 0) return std::nullopt;
  std::size_t known = 0;
  std::size_t elsewhere = 0;
  for (int at : where) {
    if (at < 0) continue;
    ++known;
    if (at != node) ++elsewhere;
  }
  if (known == 0) return std::nullopt;
  return static_cast<double>(elsewhere) / static_cast<double>(known);
}

std::optional<Refusal> MemoryRefusal(const std::string& root, std::int64_t needed,
                                     const std::map<int, std::int64_t>& nodes) {
  const std::optional<std::int64_t> available = kit::AvailableMemoryBytes(root);
  if (available && *available - kReserveBytes < needed) return TooLittle("this process", needed, *available);
  for (const auto& [node, bytes] : nodes) {
    const std::string path = root + "/sys/devices/system/node/node" + std::to_string(node) + "/meminfo";
    const std::optional<std::int64_t> free = kit::MemInfoBytes(path, "MemFree");
    if (!free) continue;
    // Bound memory cannot spill to another node, and page cache that is in use there may stay.
    const std::int64_t left = *free + kit::MemInfoBytes(path, "Inactive(file)").value_or(0);
    if (left - kReserveBytes < bytes) return TooLittle("node " + std::to_string(node), bytes, left);
  }
  return std::nullopt;
}

}  // namespace benchwire::p2p::host
