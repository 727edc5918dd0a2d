#include "server/base/artifact_path.h"

#include <algorithm>

namespace benchwire {
namespace {

constexpr size_t kMaxPath = 512;
constexpr size_t kMaxMediaType = 127;

bool IsAlnum(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// A name of RFC 6838 §4.2.
bool IsRestrictedName(std::string_view name) {
  static constexpr std::string_view kOther = "!#$&-^_.+";
  return !name.empty() && IsAlnum(name[0]) && std::all_of(name.begin(), name.end(), [](char c) {
    return IsAlnum(c) || kOther.find(c) != std::string_view::npos;
  });
}

}  // namespace

bool IsArtifactPath(std::string_view path) {
  if (path.empty() || path.size() > kMaxPath) return false;
  const auto refused = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\'; };
  if (std::any_of(path.begin(), path.end(), refused)) return false;
  while (true) {
    const std::string_view segment = path.substr(0, path.find('/'));
    if (segment.empty() || segment == "." || segment == "..") return false;
    if (segment.size() == path.size()) return true;
    path.remove_prefix(segment.size() + 1);
  }
}

bool IsMediaType(std::string_view text) {
  const size_t slash = text.find('/');
  return slash != std::string_view::npos && text.size() <= kMaxMediaType && IsRestrictedName(text.substr(0, slash)) &&
         IsRestrictedName(text.substr(slash + 1));
}

}  // namespace benchwire
