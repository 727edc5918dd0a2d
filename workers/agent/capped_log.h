// The log of an attempt, cut to a head and a tail, so that a flood costs neither memory nor disk. Overflow policy: the
// head is passed on as it comes; after it the newest bytes are kept, and given out at the end after a line that says
// how many bytes lie between. One thread at a time.
#ifndef BENCHWIRE_WORKERS_AGENT_CAPPED_LOG_H_
#define BENCHWIRE_WORKERS_AGENT_CAPPED_LOG_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace benchwire::agent {

class CappedLog {
 public:
  CappedLog(size_t head, size_t tail) : head_left_(head), tail_max_(tail) {}

  // Returns what of `bytes` belongs to the head and is to be sent now.
  std::string_view Add(std::string_view bytes) {
    const std::string_view now = bytes.substr(0, head_left_);
    head_left_ -= now.size();
    bytes.remove_prefix(now.size());
    after_head_ += bytes.size();
    tail_.append(bytes);
    // Cutting only at twice the size keeps the copying linear.
    if (tail_.size() > 2 * tail_max_) tail_.erase(0, tail_.size() - tail_max_);
    return now;
  }

  // What is to be sent at the end. Call once.
  std::string TakeTail() {
    if (tail_.size() > tail_max_) tail_.erase(0, tail_.size() - tail_max_);
    if (!truncated()) return std::move(tail_);
    return "\n[benchwire: " + std::to_string(after_head_ - tail_.size()) + " bytes of log dropped here]\n" + tail_;
  }

  // Whether bytes were dropped.
  bool truncated() const { return after_head_ > tail_max_; }

 private:
  size_t head_left_;
  const size_t tail_max_;
  uint64_t after_head_ = 0;
  std::string tail_;
};

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_CAPPED_LOG_H_
