#include "server/gateway/response_cache.h"

namespace benchwire::gateway {
namespace {

constexpr size_t kOverhead = 256;  // List node, index node and short strings, roughly.

}  // namespace

std::optional<PublicAnswer> ResponseCache::Get(const std::string& target, int64_t generation) {
  MutexLock lock(mutex_);
  const auto found = index_.find(target);
  if (found == index_.end()) return std::nullopt;
  if (found->second->generation != generation) {
    Erase(found->second);
    return std::nullopt;
  }
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->answer;
}

void ResponseCache::Put(const std::string& target, int64_t generation, const PublicAnswer& answer) {
  const size_t bytes = answer.body->size() + 2 * target.size() + kOverhead;
  if (bytes > max_bytes_ / 4) return;
  MutexLock lock(mutex_);
  if (const auto found = index_.find(target); found != index_.end()) Erase(found->second);
  entries_.push_front({target, generation, answer, bytes});
  index_[target] = entries_.begin();
  bytes_ += bytes;
  while (bytes_ > max_bytes_) Erase(std::prev(entries_.end()));
}

size_t ResponseCache::bytes() const {
  MutexLock lock(mutex_);
  return bytes_;
}

void ResponseCache::Erase(Entries::iterator entry) {
  bytes_ -= entry->bytes;
  index_.erase(entry->target);
  entries_.erase(entry);
}

}  // namespace benchwire::gateway
