#include "workers/p2p/cli.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <vector>

#include "workers/kit/spec_reader.h"

namespace benchwire::p2p {
namespace {

using Json = nlohmann::ordered_json;

// The measuring flags as they were typed; empty where they were not.
struct Flags {
  std::string backend;
  std::vector<std::string> cases;
  std::vector<std::string> sizes;
  std::vector<std::string> pairs;
  std::string samples;
  std::string warmup;
  std::string min_sample_time;
  std::string verify;
  std::string pair_deadline;
};

constexpr char kDescription[] =
    "Measures bandwidth and latency between the memories of this machine: GPUs through the CUDA driver, or host "
    "memory\n"
    "between NUMA nodes or cores. Every copied byte is compared with what was sent.";

constexpr char kFooter[] =
    "\nA spec comes from --spec, else from the flags, else from the file that BENCHWIRE_SPEC names, else it is the "
    "default.\n"
    "BENCHWIRE_CUDA_LIBRARY names another driver library than libcuda.so.1.\n"
    "Exit status: 0 complete result, 1 failed or cancelled, 2 with --fail-on-verdict where the verdict is FAIL or\n"
    "INCONCLUSIVE, 64 bad usage or spec, 75 worth trying again later.";

void Declare(CLI::App& app, Flags* flags) {
  const auto measuring = [](CLI::Option* option) { option->group("What to measure, without --spec"); };
  measuring(app.add_option("--backend", flags->backend, "auto, cuda or host (default auto)")->type_name("NAME"));
  measuring(app.add_option("--case", flags->cases, "Case id or glob such as 'bw.*'; may be repeated (default all)")
                ->type_name("ID"));
  measuring(app.add_option("--size", flags->sizes, "Bytes per copy such as 64MiB; may be repeated (default 64MiB)")
                ->type_name("BYTES"));
  measuring(
      app.add_option("--pair", flags->pairs, "Ordered pair such as core:0:core:1; may be repeated (default every pair)")
          ->type_name("SRC:DST"));
  measuring(app.add_option("--samples", flags->samples, "Samples per row (default 20; fewer than 6 give no interval)")
                ->type_name("N"));
  measuring(app.add_option("--warmup", flags->warmup, "Copies before the first sample (default 4)")->type_name("N"));
  measuring(app.add_option("--min-sample-time", flags->min_sample_time, "Least time of a sample (default 20ms)")
                ->type_name("TIME"));
  measuring(app.add_option("--verify", flags->verify, "full or none (default full)")->type_name("HOW"));
  measuring(app.add_option("--pair-deadline", flags->pair_deadline, "Longest time of one pair of a case (default 60s)")
                ->type_name("TIME"));
}

// `core:0:core:1` as its two ids.
kit::Result<Json> PairJson(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t colon = std::min(text.find(':', start), text.size());
    parts.push_back(text.substr(start, colon - start));
    start = colon + 1;
  }
  if (parts.size() != 4) return kit::BadFlag("--pair", text, "two endpoint ids such as core:0:core:1 (see --list)");
  return Json{{"src", parts[0] + ":" + parts[1]}, {"dst", parts[2] + ":" + parts[3]}};
}

kit::Status PutDuration(const std::string& flag, const std::string& text, const char* field, Json* spec) {
  if (text.empty()) return kit::Status();
  const auto duration = kit::ParseDuration(text);
  if (!duration) return kit::BadFlag(flag, text, "a time such as 20ms or 60s");
  char seconds[40];
  std::snprintf(seconds, sizeof seconds, "%lld.%09llds", static_cast<long long>(duration->count() / 1'000'000'000),
                static_cast<long long>(duration->count() % 1'000'000'000));
  (*spec)[field] = seconds;
  return kit::Status();
}

kit::Status PutWord(const std::string& flag, const std::string& text, const char* field, const std::string& prefix,
                    const std::vector<std::string>& words, Json* spec) {
  if (text.empty()) return kit::Status();
  std::string want = "one of";
  for (const std::string& word : words) {
    if (word == text) {
      std::string name = prefix + word;
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
      (*spec)[field] = name;
      return kit::Status();
    }
    want += " " + word;
  }
  return kit::BadFlag(flag, text, want);
}

// The flags as a spec; what the numbers must be is checked where specs are.
kit::Result<Json> SpecJson(const Flags& flags) {
  Json spec = Json::object();
  if (auto s = PutWord("--backend", flags.backend, "backend", "P2P_BACKEND_", {"auto", "cuda", "host"}, &spec);
      !s.ok()) {
    return s.error();
  }
  if (auto s = PutWord("--verify", flags.verify, "verification", "P2P_VERIFICATION_", {"full", "none"}, &spec);
      !s.ok()) {
    return s.error();
  }
  if (auto s = PutDuration("--min-sample-time", flags.min_sample_time, "min_sample_time", &spec); !s.ok())
    return s.error();
  if (auto s = PutDuration("--pair-deadline", flags.pair_deadline, "pair_deadline", &spec); !s.ok()) return s.error();
  if (!flags.cases.empty()) spec["cases"] = flags.cases;
  for (const std::string& size : flags.sizes) {
    const auto bytes = kit::ParseBytes(size);
    if (!bytes) return kit::BadFlag("--size", size, "bytes such as 4096, 64MiB or 1GB");
    spec["sizes_bytes"].push_back(std::to_string(*bytes));
  }
  for (const std::string& pair : flags.pairs) {
    const kit::Result<Json> json = PairJson(pair);
    if (!json.ok()) return json.error();
    spec["pairs"].push_back(*json);
  }
  if (!flags.samples.empty()) spec["samples"] = flags.samples;
  if (!flags.warmup.empty()) spec["warmup"] = flags.warmup;
  return spec;
}

}  // namespace

kit::Result<CommandLine> ParseCommandLine(int argc, const char* const* argv) {
  CommandLine line;
  Flags flags;
  CLI::App app(kDescription, "benchwire-p2p");
  app.footer(kFooter);
  Declare(app, &flags);
  const kit::CommonHelp help{"File with a P2pSpec as JSON, `-` for the standard input",
                             "Seed of data and order (default BENCHWIRE_SEED, else 1)",
                             "Exit with 2 where the verdict is FAIL or INCONCLUSIVE",
                             "Print backends, endpoints and cases, and end"};
  if (kit::Status status = ParseCommonLine(app, help, argc, argv, &line); !status.ok()) return status.error();
  if (line.help) return line;
  kit::Result<Json> spec = SpecJson(flags);
  if (!spec.ok()) return spec.error();
  if (!spec->empty() && line.spec_path) {
    return kit::Error{"BAD_USAGE", "--spec stands beside flags that say what to measure; want one or the other"};
  }
  if (!spec->empty()) line.spec_json = spec->dump();
  return line;
}

}  // namespace benchwire::p2p
