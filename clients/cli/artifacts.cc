#include "clients/cli/artifacts.h"

#include <benchwire/v1/job_service.pb.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "clients/cli/exit_codes.h"
#include "clients/cli/logs.h"
#include "clients/cli/text.h"
#include "clients/cli/units.h"
#include "server/base/sha256.h"
#include "server/base/status.h"

namespace benchwire::cli {
namespace {

struct ArtifactOptions {
  std::string job, path;
  std::optional<std::string> attempt, output;
};

absl::Status FileProblem(const std::string& path) { return absl::UnknownError(path + ": " + std::strerror(errno)); }

// Gives an artifact's bytes to `output`; DATA_LOSS where they are not those that were reported.
absl::Status Fetch(Session& session, const v1::Artifact& artifact, Output& output) {
  Sha256Stream hash;
  for (int64_t offset = 0; offset < artifact.size_bytes();) {
    ASSIGN_OR_RETURN(const v1::ArtifactData data, session.jobs().ReadArtifact(artifact.name(), offset));
    if (data.data().empty()) break;
    hash.Add(data.data());
    offset = data.next_offset();
    if (!output.Write(data.data())) return output.status();
  }
  if (hash.Hex() == artifact.sha256()) return absl::OkStatus();
  return absl::DataLossError(OneLine(artifact.path()) + " arrived with SHA-256 " + hash.Hex() + ", not " +
                             artifact.sha256());
}

// Into a file beside the one wanted, which takes its place when all is there and right.
absl::Status FetchToFile(Session& session, const v1::Artifact& artifact, const std::string& path, bool replace) {
  if (!replace && ::access(path.c_str(), F_OK) == 0) {
    return absl::AlreadyExistsError(path + " exists; name a file with -o");
  }
  std::string partial = path + ".XXXXXX";
  const int fd = ::mkostemp(partial.data(), O_CLOEXEC);
  if (fd < 0) return FileProblem(path);
  Output output(fd);
  absl::Status status = Fetch(session, artifact, output);
  if (status.ok() && ::fchmod(fd, 0644) != 0) status = FileProblem(path);
  if (::close(fd) != 0 && status.ok()) status = FileProblem(path);
  if (status.ok() && ::rename(partial.c_str(), path.c_str()) != 0) status = FileProblem(path);
  if (!status.ok()) ::unlink(partial.c_str());
  return status;
}

absl::StatusOr<int> ListArtifacts(Session& session, const v1::ListArtifactsResponse& all) {
  Table table({{"PATH"}, {"SIZE", true}, {"TYPE", false, true}, {"SHA256", false, true}});
  for (const v1::Artifact& artifact : all.artifacts()) {
    if (session.json()) {
      RETURN_IF_ERROR(session.PrintJson(artifact));
    } else {
      table.Add({artifact.path(), Cell(Bytes(artifact.size_bytes()), std::to_string(artifact.size_bytes())),
                 artifact.media_type(), artifact.sha256()});
    }
  }
  if (!session.json()) session.Print(table);
  return kExitOk;
}

absl::StatusOr<int> ShowArtifacts(Session& session, const ArtifactOptions& options) {
  ASSIGN_OR_RETURN(const std::string attempt, ChosenAttempt(session, options.job, options.attempt));
  if (options.path.empty() && options.output) return absl::InvalidArgumentError("-o: name the artifact to fetch");
  ASSIGN_OR_RETURN(const v1::ListArtifactsResponse all, session.jobs().ListArtifacts(attempt));
  if (options.path.empty()) return ListArtifacts(session, all);
  const auto found = std::find_if(all.artifacts().begin(), all.artifacts().end(),
                                  [&](const v1::Artifact& artifact) { return artifact.path() == options.path; });
  if (found == all.artifacts().end()) {
    std::string paths;
    for (const v1::Artifact& artifact : all.artifacts())
      paths += (paths.empty() ? "" : ", ") + OneLine(artifact.path());
    return absl::NotFoundError(attempt + " has no artifact '" + OneLine(options.path) + "'; it has " +
                               (paths.empty() ? "none" : paths));
  }
  if (options.output == "-") {
    RETURN_IF_ERROR(Fetch(session, *found, session.out()));
    return kExitOk;
  }
  const std::string file = options.output.value_or(found->path().substr(found->path().rfind('/') + 1));
  RETURN_IF_ERROR(FetchToFile(session, *found, file, options.output.has_value()));
  session.Note(file + ": " + Bytes(found->size_bytes()) + ", SHA-256 as reported");
  return kExitOk;
}

}  // namespace

void AddArtifacts(CLI::App& group, CommandLine& line) {
  auto options = std::make_shared<ArtifactOptions>();
  CLI::App* command = AddCommand(group, "artifacts", "The files a job kept, or one of them, checked by its SHA-256",
                                 "  benchwire jobs artifacts 01kexq2v7m\n"
                                 "  benchwire jobs artifacts 01kexq2v7m model/best.pt -o best.pt");
  command->add_option("job", options->job, "The job (its latest attempt) or `jobs/J/attempts/N`")
      ->required()
      ->type_name("J");
  command->add_option("path", options->path, "The artifact to fetch, as the list names it")->type_name("PATH");
  AddText(*command, "--attempt", options->attempt, "Of this attempt of the job, not its latest", "N");
  AddText(*command, "-o,--output", options->output,
          "Write to this file, `-` for standard output; without it, to a new file of the artifact's name", "FILE");
  command->callback(
      [&line, options] { line.action = [options](Session& session) { return ShowArtifacts(session, *options); }; });
}

}  // namespace benchwire::cli
