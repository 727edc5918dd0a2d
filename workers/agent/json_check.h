// What protobuf's JSON parser lets pass and the contract does not: duplicate keys, deep nesting, a top level with more
// or less than one field. Any thread.
#ifndef BENCHWIRE_WORKERS_AGENT_JSON_CHECK_H_
#define BENCHWIRE_WORKERS_AGENT_JSON_CHECK_H_

#include <string>

#include "absl/status/status.h"

namespace benchwire::agent {

inline constexpr int kMaxJsonDepth = 32;

// OK where `text` is one strict JSON object (RFC 8259, valid UTF-8) with exactly one key, no object in it has a key
// twice and nothing is nested deeper than kMaxJsonDepth. Else INVALID_ARGUMENT/BAD_FIELD.
absl::Status CheckEventJson(const std::string& text);

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_JSON_CHECK_H_
