#include "server/base/clock.h"

namespace benchwire {
namespace {
constexpr int64_t kNanosPerSecond = 1'000'000'000;
}

google::protobuf::Timestamp ToProto(WallTime time) {
  const int64_t nanos = time.time_since_epoch().count();
  google::protobuf::Timestamp out;
  out.set_seconds(nanos / kNanosPerSecond);
  out.set_nanos(static_cast<int32_t>(nanos % kNanosPerSecond));
  return out;
}

WallTime FromProto(const google::protobuf::Timestamp& timestamp) {
  return WallTime(std::chrono::nanoseconds(timestamp.seconds() * kNanosPerSecond + timestamp.nanos()));
}

google::protobuf::Duration ToProto(std::chrono::nanoseconds duration) {
  google::protobuf::Duration out;
  out.set_seconds(duration.count() / kNanosPerSecond);
  out.set_nanos(static_cast<int32_t>(duration.count() % kNanosPerSecond));
  return out;
}

std::chrono::nanoseconds FromProto(const google::protobuf::Duration& duration) {
  return std::chrono::nanoseconds(duration.seconds() * kNanosPerSecond + duration.nanos());
}

}  // namespace benchwire
