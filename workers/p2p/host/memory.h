// Memory of a host endpoint: mapped, bound to its node, and first touched by the caller. By raw system calls, because
// libnuma is not everywhere. One thread at a time.
#ifndef BENCHWIRE_WORKERS_P2P_HOST_MEMORY_H_
#define BENCHWIRE_WORKERS_P2P_HOST_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "workers/kit/result.h"
#include "workers/p2p/backend.h"

namespace benchwire::p2p::host {

// Left to the rest of the machine when sizes are checked.
inline constexpr std::int64_t kReserveBytes = std::int64_t{128} << 20;

class NodeMemory {
 public:
  NodeMemory() = default;
  // OUT_OF_MEMORY where the kernel refuses. Where it refuses only the binding (EPERM in containers) the memory comes
  // unbound, and `warn` is told: first touch by a thread on the node then decides.
  static kit::Result<NodeMemory> Map(std::int64_t bytes, std::optional<int> node, const Warn& warn);
  ~NodeMemory();
  NodeMemory(NodeMemory&& other) noexcept;
  NodeMemory& operator=(NodeMemory&& other) noexcept;

  std::byte* data() const { return data_; }
  std::span<std::byte> bytes() const { return {data_, size_}; }

  // The share of up to 64 pages, evenly chosen, that lie elsewhere than on `node`; nothing where the kernel does not
  // tell.
  std::optional<double> ShareElsewhere(int node) const;

 private:
  NodeMemory(std::byte* data, std::size_t size) : data_(data), size_(size) {}

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Why `needed` bytes more must not be allocated, or nothing. `nodes`: bytes that bound memory needs on a node.
std::optional<Refusal> MemoryRefusal(const std::string& root, std::int64_t needed,
                                     const std::map<int, std::int64_t>& nodes);

}  // namespace benchwire::p2p::host

#endif  // BENCHWIRE_WORKERS_P2P_HOST_MEMORY_H_
