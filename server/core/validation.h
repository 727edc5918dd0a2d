// Checks of what callers send, each an INVALID_ARGUMENT that names the field, the value and what would be right. Pure.
#ifndef BENCHWIRE_SERVER_CORE_VALIDATION_H_
#define BENCHWIRE_SERVER_CORE_VALIDATION_H_

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/map.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace benchwire::core {

// One line of at most `max_bytes`: no control characters.
absl::Status CheckLine(const std::string& field, const std::string& value, size_t max_bytes);
// Text of at most `max_bytes`: no control characters but tab, line feed and carriage return.
absl::Status CheckText(const std::string& field, const std::string& value, size_t max_bytes);
// `[a-z0-9-]{1,63}`.
absl::Status CheckSlug(const std::string& field, const std::string& value);
// Empty, or 1 to 64 of [A-Za-z0-9_-].
absl::Status CheckRequestId(const std::string& field, const std::string& value);
// As CheckRequestId, and at least 8 characters.
absl::Status CheckRequiredId(const std::string& field, const std::string& value);
absl::Status CheckRange(const std::string& field, int64_t value, int64_t least, int64_t largest);
absl::Status CheckFinite(const std::string& field, double value);
// At most 64 labels, keys `[a-z0-9_.-]{1,63}`, values lines of at most 256 bytes.
absl::Status CheckLabels(const std::string& field, const google::protobuf::Map<std::string, std::string>& labels);
// Between the two, inclusive, neither negative; also that seconds and nanos agree in sign and range.
absl::Status CheckDuration(const std::string& field, const google::protobuf::Duration& value,
                           std::chrono::nanoseconds least, std::chrono::nanoseconds largest);

// 0 gives `fallback`, more than 1000 gives 1000; negative is an error.
absl::StatusOr<int64_t> PageSize(int32_t page_size, int64_t fallback);

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_VALIDATION_H_
