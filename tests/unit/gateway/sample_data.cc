#include <cmath>

#include "tests/unit/gateway/fake_server.h"

namespace benchwire::gateway {
namespace {

constexpr char kHardware[] = "1 × NVIDIA H100 80GB HBM3, driver 550.54.15, PCIe 5.0 x16";

void Fill(v1::Claim& claim, const std::string& id, const std::string& zh, const std::string& en) {
  claim.set_id(id);
  claim.mutable_text()->set_zh(zh);
  claim.mutable_text()->set_en(en);
  claim.mutable_selector()->set_aggregate(v1::AGGREGATE_MEDIAN);
  claim.mutable_condition()->set_unit("B/s");
}

void Evaluate(v1::Claim& claim, v1::Verdict verdict, double value, double low, double high) {
  v1::ClaimEvaluation& evaluation = *claim.mutable_evaluation();
  evaluation.set_verdict(verdict);
  evaluation.set_value(value);
  evaluation.set_unit(claim.condition().unit());
  evaluation.mutable_interval()->set_low(low);
  evaluation.mutable_interval()->set_high(high);
  evaluation.mutable_interval()->set_confidence(0.9586);
  evaluation.set_sample_count(20);
  evaluation.set_job("jobs/01kf0sample000000000000001");
  evaluation.set_seed(42);
  evaluation.set_hardware(kHardware);
  (*evaluation.mutable_environment())["kernel"] = "6.1.0-28-amd64";
  (*evaluation.mutable_environment())["cpu_governor"] = "performance";
  evaluation.set_rerun_command("benchwire rerun --here spec-4f2a.json --seed 42");
  evaluation.set_spec_path("/v1/jobs/01kf0sample000000000000001");
  v1::Measurement& measurement = *evaluation.mutable_measurement();
  measurement.set_name("jobs/01kf0sample000000000000001/attempts/1/measurements/1");
  measurement.set_metric("bandwidth");
  measurement.set_case_("bw.unidir.write");
  measurement.set_unit(evaluation.unit());
  measurement.set_status(v1::MEASUREMENT_STATUS_OK);
  measurement.set_value(value);
  *measurement.mutable_interval() = evaluation.interval();
  (*measurement.mutable_labels())["src"] = "gpu:0";
  (*measurement.mutable_labels())["dst"] = "gpu:1";
  for (int i = 0; i < 20; ++i) measurement.add_samples(value + std::sin(i) * (high - low));
}

void FillGpuEntry(v1::Entry& entry) {
  entry.set_name("digests/2026-01-14/entries/p2p");
  entry.mutable_title()->set_zh("两块 GPU 之间，到底有多快？");
  entry.mutable_title()->set_en("How fast is it between two GPUs, really?");
  entry.set_category("GPU");
  entry.add_tags("p2p");
  entry.add_tags("带宽");
  entry.add_authors("Lin Wei");
  entry.mutable_body()->set_zh(
      "厂商的宣传页写着 **900 GB/s**，而一篇流传很广的博文（见https://example.com/blog/p2p。）\n"
      "声称 PCIe 直连只有 20 GB/s。我们在同一台机器上各测了二十次，\n"
      "每次拷贝 `64 MiB`，并且逐字节核对了收到的数据。\n\n"
      "- 单向写入在每一次采样中都超过 20 GB/s；\n- 双向时总和并没有翻倍；\n- 延迟的样本还不够多。\n\n"
      "> 只有当整个区间都满足条件时，我们才说“成立”。\n");
  entry.mutable_body()->set_en(
      "The data sheet says **900 GB/s**; a widely shared post says that a direct copy over PCIe reaches only 20 GB/s.\n"
      "We measured each twenty times on one machine, copied `64 MiB` a time, and compared every byte that arrived.\n\n"
      "| direction | claimed | measured |\n|---|---:|---:|\n| one way | 20 GB/s | 24.31 GB/s |\n"
      "| both ways | 48 GB/s | 41.0 GB/s |\n");
  v1::Source& source = *entry.add_sources();
  source.set_uri("https://example.com/blog/p2p");
  source.set_title("The post");
  entry.add_sources()->set_uri("https://arxiv.org/abs/1802.03268");

  v1::Claim& good = *entry.add_claims();
  Fill(good, "one-way", "单向拷贝超过 20 GB/s。", "A one-way copy exceeds 20 GB/s.");
  good.mutable_condition()->set_comparison(v1::COMPARISON_GREATER);
  good.mutable_condition()->set_threshold(20e9);
  Evaluate(good, v1::VERDICT_SUPPORTED, 24.312e9, 24.203e9, 24.431e9);

  v1::Claim& bad = *entry.add_claims();
  Fill(bad, "both-ways", "双向拷贝之和达到 48 GB/s。", "Copies both ways add up to 48 GB/s.");
  bad.mutable_condition()->set_comparison(v1::COMPARISON_GREATER);
  bad.mutable_condition()->set_threshold(48e9);
  Evaluate(bad, v1::VERDICT_REFUTED, 41.02e9, 40.7e9, 41.3e9);
}

void FillLatencyEntry(v1::Entry& entry) {
  entry.set_name("digests/2026-01-14/entries/latency");
  entry.mutable_title()->set_en("Latency: not enough samples yet");
  entry.set_category("GPU");
  entry.mutable_body()->set_en("Four samples are too few for an interval, so we do not say more.\n");
  v1::Claim& unsure = *entry.add_claims();
  Fill(unsure, "latency", "", "A 4-byte copy takes less than 2 µs.");
  unsure.mutable_condition()->set_comparison(v1::COMPARISON_LESS);
  unsure.mutable_condition()->set_threshold(2000);
  unsure.mutable_condition()->set_unit("ns");
  Evaluate(unsure, v1::VERDICT_INCONCLUSIVE, 1873, 0, 0);
  unsure.mutable_evaluation()->clear_interval();
  unsure.mutable_evaluation()->mutable_measurement()->clear_interval();
  unsure.mutable_evaluation()->set_sample_count(4);
  unsure.mutable_evaluation()->set_reason_code("TOO_FEW_SAMPLES");
  unsure.mutable_evaluation()->set_reason("4 samples, the claim asks for 6");
  v1::Claim& untested = *entry.add_claims();
  Fill(untested, "nvlink", "", "NVLink 4 reaches 450 GB/s one way.");
  untested.mutable_condition()->set_comparison(v1::COMPARISON_WITHIN);
  untested.mutable_condition()->set_threshold(440e9);
  untested.mutable_condition()->set_upper_threshold(460e9);
  untested.mutable_evaluation()->set_verdict(v1::VERDICT_UNTESTED);
  untested.mutable_evaluation()->set_reason_code("DANGLING");
  untested.mutable_evaluation()->set_reason("no measurement matches");
}

}  // namespace

v1::Digest SampleDigest() {
  v1::Digest digest;
  digest.set_name("digests/2026-01-14");
  digest.mutable_title()->set_zh("带宽的账，一笔一笔算");
  digest.mutable_title()->set_en("Counting bandwidth, copy by copy");
  digest.set_latest_edition(2);
  digest.mutable_publish_time()->set_seconds(1'768'381'200);
  v1::Edition& edition = *digest.mutable_edition();
  edition.set_name("digests/2026-01-14/editions/2");
  *edition.mutable_title() = digest.title();
  *edition.mutable_publish_time() = digest.publish_time();
  edition.set_note("Corrected the driver version of the second machine.");
  FillGpuEntry(*edition.add_entries());
  FillLatencyEntry(*edition.add_entries());
  return digest;
}

v1::Job SampleJob() {
  v1::Job job;
  job.set_name("jobs/01kf0sample000000000000001");
  job.set_display_name("P2P bandwidth, H100");
  job.mutable_p2p()->set_samples(20);
  job.set_seed(42);
  job.set_state(v1::JOB_STATE_SUCCEEDED);
  job.set_spec_digest("4f2ac5d1e6b74c0b9a5f0d2b8f0f7e11c2a9d5b7e0e14d5c8f6b3a2910c4d7e8");
  job.mutable_create_time()->set_seconds(1'768'377'600);
  job.mutable_start_time()->set_seconds(1'768'377'660);
  job.mutable_end_time()->set_seconds(1'768'378'000);
  v1::Attempt& attempt = *job.add_attempts();
  attempt.set_name(job.name() + "/attempts/1");
  attempt.set_worker("workers/h100-a");
  attempt.set_state(v1::ATTEMPT_STATE_SUCCEEDED);
  attempt.add_devices("gpu:GPU-5c2f");
  *attempt.mutable_start_time() = job.start_time();
  *attempt.mutable_end_time() = job.end_time();
  (*attempt.mutable_environment())["kernel"] = "6.1.0-28-amd64";
  attempt.set_log_bytes(60);
  return job;
}

}  // namespace benchwire::gateway
