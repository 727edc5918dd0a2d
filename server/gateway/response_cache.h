// Answers about published things, kept for as long as nothing new is published. Any thread.
#ifndef BENCHWIRE_SERVER_GATEWAY_RESPONSE_CACHE_H_
#define BENCHWIRE_SERVER_GATEWAY_RESPONSE_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>

#include "server/base/mutex.h"
#include "server/gateway/conditional.h"

namespace benchwire::gateway {

// Bounded by bytes; the least recently used answer goes first, and one larger than a quarter of the bound is not kept.
class ResponseCache {
 public:
  explicit ResponseCache(size_t max_bytes) : max_bytes_(max_bytes) {}

  // The answer for a request target, where it was made at this generation of what is published.
  std::optional<PublicAnswer> Get(const std::string& target, int64_t generation);
  // `generation`: as read before the answer was made, so that an answer that is older than it claims cannot be kept.
  void Put(const std::string& target, int64_t generation, const PublicAnswer& answer);
  size_t bytes() const;

 private:
  struct Entry {
    std::string target;
    int64_t generation = 0;
    PublicAnswer answer;
    size_t bytes = 0;
  };
  using Entries = std::list<Entry>;

  void Erase(Entries::iterator entry) REQUIRES(mutex_);

  const size_t max_bytes_;
  mutable Mutex mutex_;
  Entries entries_ GUARDED_BY(mutex_);  // The most recently used first.
  std::unordered_map<std::string, Entries::iterator> index_ GUARDED_BY(mutex_);
  size_t bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_RESPONSE_CACHE_H_
