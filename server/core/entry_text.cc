#include "server/core/entry_text.h"

#include <google/protobuf/util/field_mask_util.h>

#include <set>

#include "server/base/status.h"
#include "server/core/claim_verdict.h"
#include "server/core/validation.h"

namespace benchwire::core {
namespace {

using google::protobuf::FieldMask;
using google::protobuf::util::FieldMaskUtil;

constexpr size_t kMaxTitle = 512;
constexpr size_t kMaxBody = 256 << 10;
constexpr int kMaxTags = 32;
constexpr int kMaxClaims = 64;
constexpr int kMaxSources = 64;
constexpr int kMaxAuthors = 64;

FieldMask MaskOf(std::initializer_list<const char*> paths) {
  FieldMask mask;
  for (const char* path : paths) mask.add_paths(path);
  return mask;
}

FieldMask Settable() {
  return MaskOf({"title", "body", "category", "tags", "sources", "claims", "state", "authors", "position"});
}

FieldMask OutputOnly() { return MaskOf({"name", "create_time", "update_time", "etag"}); }

absl::Status CheckLists(const v1::Entry& entry) {
  if (entry.tags_size() > kMaxTags) {
    return BadField("entry.tags", std::to_string(entry.tags_size()) + " tags", "at most 32");
  }
  for (const std::string& tag : entry.tags()) {
    RETURN_IF_ERROR(CheckLine("entry.tags", tag, 64));
    if (tag.empty()) return BadField("entry.tags", tag, "tags that are not empty");
  }
  if (entry.authors_size() > kMaxAuthors) {
    return BadField("entry.authors", std::to_string(entry.authors_size()) + " authors", "at most 64");
  }
  for (const std::string& author : entry.authors()) RETURN_IF_ERROR(CheckLine("entry.authors", author, 256));
  if (entry.sources_size() > kMaxSources) {
    return BadField("entry.sources", std::to_string(entry.sources_size()) + " sources", "at most 64");
  }
  for (const v1::Source& source : entry.sources()) {
    RETURN_IF_ERROR(CheckLine("entry.sources.uri", source.uri(), 2048));
    if (!source.uri().starts_with("https://") && !source.uri().starts_with("http://")) {
      return BadField("entry.sources.uri", source.uri(), "an address that begins with https:// or http://");
    }
    // A link copied out of a Chinese sentence often brings its full stop along.
    for (const char* tail : {"。", "，", "；", "）", "」", "、", "：", "！", "？"}) {
      if (source.uri().find(tail) != std::string::npos) {
        return BadField("entry.sources.uri", source.uri(), std::string("an address without '") + tail + "'");
      }
    }
    RETURN_IF_ERROR(CheckLine("entry.sources.title", source.title(), kMaxTitle));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckTitle(const std::string& field, const v1::LocalizedText& title) {
  RETURN_IF_ERROR(CheckLine(field + ".zh", title.zh(), kMaxTitle));
  return CheckLine(field + ".en", title.en(), kMaxTitle);
}

absl::Status ResolveEntry(v1::Entry& entry) {
  RETURN_IF_ERROR(CheckTitle("entry.title", entry.title()));
  if (entry.title().zh().empty() && entry.title().en().empty()) {
    return BadField("entry.title", "", "a title in zh or en");
  }
  RETURN_IF_ERROR(CheckText("entry.body.zh", entry.body().zh(), kMaxBody));
  RETURN_IF_ERROR(CheckText("entry.body.en", entry.body().en(), kMaxBody));
  RETURN_IF_ERROR(CheckLine("entry.category", entry.category(), 64));
  RETURN_IF_ERROR(CheckLists(entry));
  if (entry.state() == v1::ENTRY_STATE_UNSPECIFIED) entry.set_state(v1::ENTRY_STATE_DRAFT);
  if (!v1::EntryState_IsValid(entry.state())) {
    return BadField("entry.state", std::to_string(entry.state()), "DRAFT, IN_REVIEW or READY");
  }
  if (entry.claims_size() > kMaxClaims) {
    return BadField("entry.claims", std::to_string(entry.claims_size()) + " claims", "at most 64");
  }
  std::set<std::string> ids;
  for (int i = 0; i < entry.claims_size(); ++i) {
    const std::string field = "entry.claims[" + std::to_string(i) + "]";
    RETURN_IF_ERROR(ResolveClaim(field, *entry.mutable_claims(i)));
    if (!ids.insert(entry.claims(i).id()).second) {
      return BadField(field + ".id", entry.claims(i).id(), "an id that no other claim of the entry has");
    }
  }
  return absl::OkStatus();
}

absl::Status ApplyEntryUpdate(const v1::Entry& update, const FieldMask& mask, v1::Entry& entry) {
  const FieldMask settable = Settable(), output_only = OutputOnly();
  const bool all = mask.paths().empty() || (mask.paths_size() == 1 && mask.paths(0) == "*");
  FieldMask kept;
  for (const std::string& path : (all ? settable : mask).paths()) {
    if (FieldMaskUtil::IsPathInFieldMask(path, output_only)) continue;
    if (!FieldMaskUtil::IsPathInFieldMask(path, settable) || !FieldMaskUtil::IsValidPath<v1::Entry>(path)) {
      return BadField("update_mask", path,
                      "title, body, category, tags, sources, claims, state, authors, position, a field within one of "
                      "them, or *");
    }
    kept.add_paths(path);
  }
  FieldMaskUtil::MergeOptions options;
  options.set_replace_message_fields(true);
  options.set_replace_repeated_fields(true);
  FieldMaskUtil::MergeMessageTo(update, kept, options, &entry);
  return absl::OkStatus();
}

}  // namespace benchwire::core
