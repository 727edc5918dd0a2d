// benchwire submit KIND …
#include <benchwire/v1/job_service.pb.h>

#include <memory>
#include <utility>
#include <vector>

#include "clients/cli/commands.h"
#include "clients/cli/exit_codes.h"
#include "clients/cli/job_options.h"
#include "clients/cli/units.h"
#include "clients/cli/wait.h"
#include "server/base/status.h"

namespace benchwire::cli {
namespace {

using Text = std::optional<std::string>;

struct P2pOptions {
  Text backend, samples, warmup, min_sample_time, verification, pair_deadline;
  std::vector<std::string> cases, sizes, pairs;
  JobOptions job;
};

// An endpoint has a colon of its own: `gpu:0:gpu:1`.
absl::Status AddPair(const std::string& text, v1::P2pSpec& spec) {
  std::vector<size_t> colons;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ':') colons.push_back(i);
  }
  const bool good = colons.size() == 3 && colons[0] > 0 && colons[1] > colons[0] + 1 && colons[2] > colons[1] + 1 &&
                    colons[2] + 1 < text.size();
  if (!good) return BadField("--pair", text, "two endpoints such as gpu:0:gpu:1 or numa:0:numa:1");
  v1::P2pPair* pair = spec.add_pairs();
  pair->set_src(text.substr(0, colons[1]));
  pair->set_dst(text.substr(colons[1] + 1));
  return absl::OkStatus();
}

absl::Status FillBackend(const P2pOptions& options, v1::P2pSpec& spec) {
  if (options.backend) {
    if (*options.backend == "auto") spec.set_backend(v1::P2P_BACKEND_AUTO);
    if (*options.backend == "cuda") spec.set_backend(v1::P2P_BACKEND_CUDA);
    if (*options.backend == "host") spec.set_backend(v1::P2P_BACKEND_HOST);
    if (spec.backend() == v1::P2P_BACKEND_UNSPECIFIED) {
      return BadField("--backend", *options.backend, "auto, cuda or host");
    }
  }
  if (options.verification) {
    if (*options.verification == "full") spec.set_verification(v1::P2P_VERIFICATION_FULL);
    if (*options.verification == "none") spec.set_verification(v1::P2P_VERIFICATION_NONE);
    if (spec.verification() == v1::P2P_VERIFICATION_UNSPECIFIED) {
      return BadField("--verify", *options.verification, "full or none");
    }
  }
  return absl::OkStatus();
}

absl::Status FillSpec(const P2pOptions& options, v1::P2pSpec& spec) {
  RETURN_IF_ERROR(FillBackend(options, spec));
  for (const std::string& name : options.cases) spec.add_cases(name);
  for (const std::string& size : options.sizes) {
    ASSIGN_OR_RETURN(const int64_t bytes, ParseBytes("--size", size));
    spec.add_sizes_bytes(bytes);
  }
  for (const std::string& pair : options.pairs) RETURN_IF_ERROR(AddPair(pair, spec));
  if (options.samples) {
    ASSIGN_OR_RETURN(const int64_t samples, ParseInteger("--samples", *options.samples, 1, 10'000));
    spec.set_samples(static_cast<int32_t>(samples));
  }
  if (options.warmup) {
    ASSIGN_OR_RETURN(const int64_t warmup, ParseInteger("--warmup", *options.warmup, 0, 1'000));
    spec.set_warmup(static_cast<int32_t>(warmup));
  }
  if (options.min_sample_time) {
    ASSIGN_OR_RETURN(const auto time, ParseSpan("--min-sample-time", *options.min_sample_time));
    *spec.mutable_min_sample_time() = ToProto(time);
  }
  if (options.pair_deadline) {
    ASSIGN_OR_RETURN(const auto deadline, ParseSpan("--pair-deadline", *options.pair_deadline));
    *spec.mutable_pair_deadline() = ToProto(deadline);
  }
  return absl::OkStatus();
}

absl::StatusOr<int> SubmitP2p(Session& session, const P2pOptions& options) {
  v1::CreateJobRequest request;
  RETURN_IF_ERROR(FillSpec(options, *request.mutable_job()->mutable_p2p()));
  RETURN_IF_ERROR(FillJob(options.job, request));
  return SubmitJob(session, request, options.job.wait);
}

void AddP2p(CLI::App& group, CommandLine& line) {
  CLI::App* command = AddCommand(
      group, "p2p", "Bandwidth and latency between the memories of one machine",
      "  benchwire submit p2p --wait\n"
      "  benchwire submit p2p --backend cuda --case 'bw.*' --size 64MiB --size 1GiB --pair gpu:0:gpu:1 --wait\n"
      "  benchwire submit p2p --backend host --samples 30 --label machine=dev1 --name 'nightly host copy'");
  auto options = std::make_shared<P2pOptions>();
  auto repeatable = [&](const std::string& name, std::vector<std::string>& target, const std::string& description,
                        const std::string& type) {
    command->add_option(name, target, description)->type_name(type)->type_size(1)->allow_extra_args(false);
  };
  AddText(*command, "--backend", options->backend, "auto, cuda or host (default auto)", "NAME");
  repeatable("--case", options->cases, "Case id or pattern such as 'bw.*'; may be repeated (default: all)", "PATTERN");
  repeatable("--size", options->sizes, "Bytes per copy, such as 64MiB; may be repeated (default 64MiB)", "SIZE");
  repeatable("--pair", options->pairs, "Source and destination, such as gpu:0:gpu:1; may be repeated (default: all)",
             "SRC:DST");
  AddText(*command, "--samples", options->samples, "Samples per number, 1 to 10000 (default 20)", "N");
  AddText(*command, "--warmup", options->warmup, "Copies before the first sample, 0 to 1000 (default 4)", "N");
  AddText(*command, "--min-sample-time", options->min_sample_time, "Least time one sample may take (default 20ms)",
          "TIME");
  AddText(*command, "--verify", options->verification, "full or none: compare what arrived (default full)", "HOW");
  AddText(*command, "--pair-deadline", options->pair_deadline, "Longest time for one pair of a case (default 60s)",
          "TIME");
  AddJobOptions(*command, options->job);
  command->callback(
      [&line, options] { line.action = [options](Session& session) { return SubmitP2p(session, *options); }; });
}

}  // namespace

void AddSubmit(CLI::App& root, CommandLine& line) {
  CLI::App* group = AddGroup(root, "submit", "Submit a benchmark job of a kind");
  AddP2p(*group, line);
  AddSubmitCommand(*group, line);
}

}  // namespace benchwire::cli
