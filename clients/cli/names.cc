#include "clients/cli/names.h"

#include "server/base/resource_name.h"
#include "server/base/status.h"

namespace benchwire::cli {
namespace {

bool StartsWith(const std::string& text, const std::string& prefix) { return text.rfind(prefix, 0) == 0; }

std::string WithPrefix(const std::string& prefix, const std::string& text) {
  return StartsWith(text, prefix) ? text : prefix + text;
}

std::string Day(const std::string& text, const std::string& today) { return text == "today" ? today : text; }

}  // namespace

absl::StatusOr<std::string> JobArgument(const std::string& text) {
  const std::string name = WithPrefix("jobs/", text);
  if (!ParseJobName("job", name).ok()) {
    return BadField("job", text, "a job such as jobs/01kexq… or its id alone, of a-z and 0-9");
  }
  return name;
}

absl::StatusOr<std::string> WorkerArgument(const std::string& text) {
  const std::string name = WithPrefix("workers/", text);
  if (!ParseWorkerName("worker", name).ok()) {
    return BadField("worker", text, "a worker such as workers/node-1 or its id alone, of a-z, 0-9 and -");
  }
  return name;
}

absl::StatusOr<std::string> DigestArgument(const std::string& text, const std::string& today) {
  const std::string bare = StartsWith(text, "digests/") ? text.substr(8) : text;
  const std::string name = "digests/" + Day(bare, today);
  if (!ParseDigestName("digest", name).ok()) {
    return BadField("digest", text, "a day that exists such as 2026-01-14, digests/2026-01-14 or today");
  }
  return name;
}

absl::StatusOr<std::string> EntryArgument(const std::string& text, const std::string& today) {
  const std::string bare = StartsWith(text, "digests/") ? text.substr(8) : text;
  const size_t slash = bare.find('/');
  std::string name;
  if (slash != std::string::npos) {
    const std::string rest = bare.substr(slash + 1);
    name = "digests/" + Day(bare.substr(0, slash), today) + "/" + WithPrefix("entries/", rest);
  }
  if (!ParseEntryName("entry", name).ok()) {
    return BadField("entry", text, "a day and an entry such as 2026-01-14/p2p-bandwidth or today/p2p-bandwidth");
  }
  return name;
}

bool NamesAttempt(const std::string& text) { return text.find("/attempts/") != std::string::npos; }

absl::StatusOr<std::string> AttemptArgument(const std::string& text) {
  const std::string name = WithPrefix("jobs/", text);
  if (!ParseAttemptName("attempt", name).ok()) {
    return BadField("attempt", text, "an attempt such as jobs/01kexq…/attempts/1");
  }
  return name;
}

std::string LastSegment(const std::string& name) { return name.substr(name.rfind('/') + 1); }

}  // namespace benchwire::cli
