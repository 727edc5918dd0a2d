// Time behind a seam, so that every decision can be tested on a fake clock. Wall time is for showing; spans are
// measured on the monotonic clock. Any thread.
#ifndef BENCHWIRE_SERVER_BASE_CLOCK_H_
#define BENCHWIRE_SERVER_BASE_CLOCK_H_

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include <chrono>

namespace benchwire {

using WallTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::nanoseconds>;
using MonotonicTime = std::chrono::steady_clock::time_point;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallTime Now() const = 0;
  virtual MonotonicTime Monotonic() const = 0;
};

class SystemClock final : public Clock {
 public:
  WallTime Now() const override { return std::chrono::system_clock::now(); }
  MonotonicTime Monotonic() const override { return std::chrono::steady_clock::now(); }
};

google::protobuf::Timestamp ToProto(WallTime time);
WallTime FromProto(const google::protobuf::Timestamp& timestamp);
google::protobuf::Duration ToProto(std::chrono::nanoseconds duration);
std::chrono::nanoseconds FromProto(const google::protobuf::Duration& duration);

}  // namespace benchwire

#endif  // BENCHWIRE_SERVER_BASE_CLOCK_H_
