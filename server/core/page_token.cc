#include "server/core/page_token.h"

#include <absl/strings/escaping.h>

#include "server/base/sha256.h"
#include "server/base/status.h"

namespace benchwire::core {
namespace {

constexpr size_t kCheckBytes = 8;
constexpr size_t kMaxToken = 512;

std::string Check(const std::string& query, const std::string& place) {
  return Sha256(std::to_string(query.size()) + ":" + query + place).substr(0, kCheckBytes);
}

}  // namespace

std::string MakePageToken(const std::string& query, const std::string& place) {
  std::string out;
  absl::WebSafeBase64Escape(Check(query, place) + place, &out);
  return out;
}

absl::StatusOr<std::string> ReadPageToken(const std::string& query, const std::string& token) {
  if (token.empty()) return std::string();
  std::string bytes;
  if (token.size() <= kMaxToken && absl::WebSafeBase64Unescape(token, &bytes) && bytes.size() > kCheckBytes) {
    const std::string place = bytes.substr(kCheckBytes);
    if (bytes.substr(0, kCheckBytes) == Check(query, place)) return place;
  }
  return BadField("page_token", token, "the next_page_token of a page with the same filter");
}

}  // namespace benchwire::core
