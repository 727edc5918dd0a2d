#include "tests/bench/wire/digest_figures.h"

#include <cstdio>
#include <cstdlib>

#include "benchwire/v1/digest_service.grpc.pb.h"
#include "server/base/status.h"
#include "tests/bench/load/rpc_load.h"

namespace benchwire::bench {
namespace {

constexpr int kPublishRounds = 5;
constexpr int kPublishesARound = 40;
constexpr int kHttpRounds = 5;

using DigestStubs = std::vector<std::unique_ptr<v1::DigestService::Stub>>;

v1::CreateEntryRequest EntryRequest(const std::string& digest, int number, const std::string& job) {
  v1::CreateEntryRequest request;
  request.set_parent(digest);
  request.set_entry_id("entry-" + std::to_string(number));
  v1::Entry& entry = *request.mutable_entry();
  entry.mutable_title()->set_en("Copies between NUMA nodes");
  entry.mutable_title()->set_zh("NUMA 节点间的拷贝");
  std::string body;
  for (int i = 0; i < 8; ++i) {
    body +=
        "The report says that one core fills the link; **measured** here with [the runner](https://example.org/).\n\n";
  }
  entry.mutable_body()->set_en(body);
  entry.mutable_body()->set_zh("报告称单核即可占满链路；此处为**实测**。\n");
  entry.set_category("GPU");
  entry.set_state(v1::ENTRY_STATE_READY);
  entry.set_position(number);
  v1::Claim& claim = *entry.add_claims();
  claim.set_id("fills-the-link");
  claim.mutable_text()->set_en("One core copies more than 10 GB/s.");
  claim.mutable_selector()->set_job(job);
  claim.mutable_selector()->set_metric("bandwidth");
  claim.mutable_selector()->set_case_("bw.unidir.write");
  claim.mutable_condition()->set_comparison(v1::COMPARISON_GREATER);
  claim.mutable_condition()->set_threshold(1e10);
  claim.mutable_condition()->set_unit("B/s");
  return request;
}

absl::Status MakeDigest(const DigestStubs& stubs, const std::string& day, int entries, const std::string& job) {
  v1::CreateDigestRequest digest;
  digest.set_digest_id(day);
  RETURN_IF_ERROR(
      CallsPerSecond(stubs, &v1::DigestService::Stub::PrepareAsyncCreateDigest, 1, Times(1, [&] { return digest; }))
          .status());
  int number = 0;
  return CallsPerSecond(stubs, &v1::DigestService::Stub::PrepareAsyncCreateEntry, 1,
                        Times(entries, [&] { return EntryRequest("digests/" + day, ++number, job); }))
      .status();
}

// Milliseconds a PublishDigest, by round.
absl::StatusOr<std::vector<double>> Publish(const DigestStubs& stubs, const std::string& day) {
  std::vector<double> rounds;
  v1::Edition edition;
  for (int round = 0; round < kPublishRounds; ++round) {
    v1::PublishDigestRequest request;
    request.set_name("digests/" + day);
    ASSIGN_OR_RETURN(const double rate,
                     CallsPerSecond(stubs, &v1::DigestService::Stub::PrepareAsyncPublishDigest, 1,
                                    Times(kPublishesARound, [&] { return request; }),
                                    [&edition](const v1::Edition& published) { edition = published; }));
    rounds.push_back(1'000 / rate);
  }
  for (const v1::Entry& entry : edition.entries()) {
    if (entry.claims(0).evaluation().verdict() == v1::VERDICT_SUPPORTED) continue;
    return absl::InternalError("a claim was not supported: " + entry.claims(0).evaluation().reason());
  }
  return rounds;
}

struct WrkResult {
  double per_second = 0;
  std::string trouble;  // Lines about failed requests.
};

absl::StatusOr<WrkResult> RunWrk(const std::string& url, int seconds) {
  const std::string command = "wrk -t1 -c16 -d" + std::to_string(seconds) + "s " + url + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return absl::InternalError("wrk cannot be started");
  WrkResult result;
  std::string output;
  char line[512];
  while (std::fgets(line, sizeof line, pipe) != nullptr) {
    const std::string text = line;
    output += text;
    std::sscanf(line, "Requests/sec: %lf", &result.per_second);
    if (text.find("Non-2xx") != std::string::npos || text.find("Socket errors") != std::string::npos) {
      result.trouble += text;
    }
  }
  if (pclose(pipe) != 0 || result.per_second == 0) return absl::InternalError("wrk failed: " + output);
  return result;
}

}  // namespace

absl::Status MeasurePublish(const std::string& grpc_port, const std::string& job, Report& report) {
  const DigestStubs stubs = Connect<v1::DigestService>(grpc_port, 1);
  for (const auto& [day, entries, name] :
       {std::tuple("2026-01-01", 1, "wire.publish_ms"), std::tuple("2026-01-02", 20, "wire.publish_20_entries_ms")}) {
    RETURN_IF_ERROR(MakeDigest(stubs, day, entries, job));
    ASSIGN_OR_RETURN(const std::vector<double> rounds, Publish(stubs, day));
    report.Add({name, "ms", rounds,
                "PublishDigest of " + std::to_string(entries) +
                    " entries with a claim each, one after another; a round is the mean of 40",
                "", "", 0});
  }
  return absl::OkStatus();
}

absl::Status MeasureHttp(const std::string& http_port, Report& report) {
  const std::string url = "http://127.0.0.1:" + http_port + "/v1/digests/2026-01-01";
  RETURN_IF_ERROR(RunWrk(url, 1).status());
  std::vector<double> rates;
  for (int round = 0; round < kHttpRounds; ++round) {
    ASSIGN_OR_RETURN(const WrkResult result, RunWrk(url, 2));
    if (!result.trouble.empty()) return absl::InternalError("requests failed: " + result.trouble);
    rates.push_back(result.per_second);
  }
  report.Add({"wire.http_published_per_s", "1/s", rates,
              "GET /v1/digests/D of a published digest with one entry and claim, wrk -t1 -c16, connections kept", "",
              "", 0});
  return absl::OkStatus();
}

}  // namespace benchwire::bench
