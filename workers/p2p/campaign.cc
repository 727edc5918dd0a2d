#include "workers/p2p/campaign.h"

#include <algorithm>
#include <cmath>

#include "workers/kit/console.h"
#include "workers/kit/statistics.h"

namespace benchwire::p2p {
namespace {

constexpr std::chrono::milliseconds kProgressEvery(500);
constexpr double kLeastOverlap = 0.9;

std::string Percent(double share) { return kit::Readable(share * 100, "%"); }

std::string Seconds(std::chrono::nanoseconds time) { return kit::Readable(static_cast<double>(time.count()), "ns"); }

}  // namespace

Campaign::Campaign(CampaignOptions options, Backend& backend, kit::EventSink& sink, Warnings& warnings)
    : options_(std::move(options)), backend_(backend), sink_(sink), warnings_(warnings) {
  context_.backend = backend_.name();
  context_.verify = options_.spec.verify;
  const auto& endpoints = backend_.endpoints();
  context_.simulated = std::any_of(endpoints.begin(), endpoints.end(), [](const Endpoint& e) { return e.simulated; });
}

kit::Result<RunResult> Campaign::Run() {
  const kit::Result<Plan> plan = MakePlan(options_.spec, backend_, options_.elsewhere, options_.seed);
  if (!plan.ok()) return plan.error();
  started_ = last_progress_ = options_.now();
  kit::Environment environment{options_.environment};
  environment.values.merge(backend_.facts());
  Emit(environment);
  for (const WaivedCase& waived : plan->waived) {
    Emit(RefusedRow(context_, waived.test, 0, {}, waived.refusal));
  }
  points_ = 1;
  for (const Block& block : plan->blocks) points_ += block.sizes.size();
  for (const Block& block : plan->blocks) {
    if (Ended()) break;
    RunBlock(block);
  }
  if (!Ended()) MeasureDrift();
  if (!sink_error_) sink_error_ = warnings_.error();
  if (sink_error_) return *sink_error_;
  if (options_.cancelled()) {
    const kit::Error error{"CANCELLED",
                           "cancelled after " + std::to_string(done_) + " of " + std::to_string(points_) + " points"};
    Emit(kit::Failure{error.code, error.message});
    return error;
  }
  RunResult result = Conclude();
  Emit(kit::Progress{1, "done", std::chrono::milliseconds(0)});
  Emit(kit::TypedResult{"p2p", ResultJson(result)});
  if (sink_error_) return *sink_error_;
  return result;
}

void Campaign::Emit(const kit::Event& event) {
  if (sink_error_) return;
  if (const kit::Status status = sink_.Write(event); !status.ok()) sink_error_ = status.error();
}

StopCheck Campaign::StopAfter(std::chrono::nanoseconds deadline) const {
  return [this, deadline] {
    if (options_.cancelled()) return Stop::kCancelled;
    return options_.now() >= deadline ? Stop::kDeadline : Stop::kNone;
  };
}

PointRequest Campaign::RequestFor(const Block& block, std::int64_t bytes) const {
  return {block.test.id, block.pair, block.variant, bytes, options_.seed, options_.spec.verify};
}

kit::Labels Campaign::LabelsOf(const Block& block) const {
  kit::Labels labels = backend_.VariantLabels(block.variant);
  labels["src"] = backend_.endpoints()[block.pair.src].id;
  labels["dst"] = backend_.endpoints()[block.pair.dst].id;
  return labels;
}

void Campaign::RunBlock(const Block& block) {
  const StopCheck stop = StopAfter(options_.now() + options_.spec.pair_deadline);
  for (std::int64_t bytes : block.sizes) {
    const Stop why = stop();
    if (why == Stop::kCancelled || sink_error_) return;
    if (why == Stop::kDeadline) {
      RefusePoint(block, bytes,
                  {kit::RowStatus::kTimeout, "TIMEOUT",
                   "the pair's deadline of " + Seconds(options_.spec.pair_deadline) + " passed before this size"});
    } else {
      RunPoint(block, bytes, stop);
    }
    ++done_;
  }
}

void Campaign::RunPoint(const Block& block, std::int64_t bytes, const StopCheck& stop) {
  ReportProgress(block, bytes, 0, true);
  kit::Result<std::unique_ptr<Point>, Refusal> point = backend_.Prepare(RequestFor(block, bytes), stop);
  if (!point.ok()) return RefusePoint(block, bytes, point.error());
  const auto samples = static_cast<double>(options_.spec.samples);
  const Series series =
      TakeSamples(**point, options_.spec, stop, [&](const Series& so_far, std::int64_t index, bool accepted) {
        if (accepted) ReportPoints(block, bytes, so_far, index);
        ReportProgress(block, bytes, static_cast<double>(index + 1) / samples, false);
        return !sink_error_;
      });
  Learn(block, series);
  // A cancelled run reports no row for the point it broke off: the row would look like a finding.
  if (!Ended()) ReportRows(block, bytes, series);
}

void Campaign::ReportPoints(const Block& block, std::int64_t bytes, const Series& series, std::int64_t index) {
  for (const RowSeries& row : series.rows) {
    if (!std::isfinite(row.values.back())) continue;  // The row says so.
    kit::Labels labels = FullLabels(context_, bytes, row.labels);
    labels["case"] = block.test.id;
    Emit(kit::Point{block.test.metric, index, row.values.back(), labels});
  }
}

void Campaign::ReportRows(const Block& block, std::int64_t bytes, const Series& series) {
  const std::string where = block.test.id + " " + backend_.endpoints()[block.pair.src].id + " to " +
                            backend_.endpoints()[block.pair.dst].id +
                            (bytes > 0 ? " " + kit::ReadableBytes(bytes) : "");
  if (series.least_overlap && *series.least_overlap < kLeastOverlap) {
    warnings_.Raise("LOW_OVERLAP", where + ": the two flows ran together for only " + Percent(*series.least_overlap) +
                                       " of the longer one's time");
  }
  for (const kit::Measurement& row : RowsOf(context_, block.test, bytes, series)) {
    Emit(row);
    if (!row.value) continue;
    ++numbers_;
    if (!first_) first_ = First{block, bytes, *row.value};
    const std::optional<double> variation = statistics::CoefficientOfVariation(row.samples);
    if (variation && *variation > backend_.unstable_above()) {
      warnings_.Raise("UNSTABLE",
                      where + ": the samples vary by " + Percent(*variation) + " (coefficient of variation)");
    }
  }
}

void Campaign::RefusePoint(const Block& block, std::int64_t bytes, const Refusal& refusal) {
  if (Ended()) return;
  Learn(block.pair, refusal);
  Emit(RefusedRow(context_, block.test, bytes, LabelsOf(block), refusal));
}

void Campaign::Learn(const Block& block, const Series& series) {
  const auto& endpoints = backend_.endpoints();
  const auto index = [&](const std::string& id) {
    return static_cast<std::size_t>(
        std::find_if(endpoints.begin(), endpoints.end(), [&](const Endpoint& e) { return e.id == id; }) -
        endpoints.begin());
  };
  for (const RowSeries& row : series.rows) {
    const auto aggregate = row.labels.find("aggregate");
    if (aggregate != row.labels.end() && aggregate->second == "total") continue;
    Evidence& evidence = evidence_[{index(row.labels.at("src")), index(row.labels.at("dst"))}];
    evidence.measured = evidence.measured || !row.values.empty();
    evidence.verified_bytes += row.verified_bytes;
    evidence.mismatched_bytes += row.mismatched_bytes;
  }
  if (series.ended) Learn(block.pair, *series.ended);
}

void Campaign::Learn(const Pair& pair, const Refusal& refusal) {
  Evidence& evidence = evidence_[{pair.src, pair.dst}];
  std::optional<Refusal>& place = refusal.status == kit::RowStatus::kWaived ? evidence.waived : evidence.incomplete;
  if (!place) place = refusal;
}

void Campaign::MeasureDrift() {
  if (!first_ || numbers_ < 2 || first_->median == 0) return;
  ReportProgress(first_->block, first_->bytes, 0, true);
  const StopCheck stop = StopAfter(options_.now() + options_.spec.pair_deadline);
  kit::Result<std::unique_ptr<Point>, Refusal> point = backend_.Prepare(RequestFor(first_->block, first_->bytes), stop);
  if (!point.ok()) {
    return warnings_.Raise("DRIFT_UNKNOWN", "the first point could not be repeated: " + point.error().reason);
  }
  const Series series = TakeSamples(**point, options_.spec, stop, [](const auto&...) { return true; });
  if (Ended()) return;
  Learn(first_->block, series);
  const std::vector<kit::Measurement> rows = RowsOf(context_, first_->block.test, first_->bytes, series);
  if (!rows.front().value) {
    return warnings_.Raise("DRIFT_UNKNOWN", "the first point could not be repeated: " + rows.front().reason);
  }
  drift_ = std::fabs(*rows.front().value - first_->median) / std::fabs(first_->median);
  if (*drift_ > backend_.unstable_above()) {
    warnings_.Raise("DRIFT", "the first point, measured again at the end, differs by " + Percent(*drift_));
  }
}

void Campaign::ReportProgress(const Block& block, std::int64_t bytes, double share_of_point, bool always) {
  const std::chrono::nanoseconds now = options_.now();
  if (!always && now - last_progress_ < kProgressEvery) return;
  last_progress_ = now;
  const double fraction = std::min(1.0, (static_cast<double>(done_) + share_of_point) / static_cast<double>(points_));
  kit::Progress progress{
      fraction,
      block.test.id + " " + backend_.endpoints()[block.pair.src].id + " to " + backend_.endpoints()[block.pair.dst].id,
      std::nullopt};
  if (!block.variant.empty()) progress.message += " " + block.variant;
  if (bytes > 0) progress.message += " " + kit::ReadableBytes(bytes);
  if (fraction > 0) {
    const double elapsed = std::chrono::duration<double, std::milli>(now - started_).count();
    progress.remaining = std::chrono::milliseconds(std::llround(elapsed * (1 - fraction) / fraction));
  }
  Emit(progress);
}

RunResult Campaign::Conclude() {
  RunResult result;
  result.backend = backend_.name();
  result.endpoints = backend_.endpoints();
  result.simulated = context_.simulated;
  result.drift = drift_;
  for (const Link& link : backend_.Links()) {
    const auto found = evidence_.find({link.pair.src, link.pair.dst});
    if (found == evidence_.end() && !link.can_access) continue;
    const Evidence evidence = found == evidence_.end() ? Evidence() : found->second;
    result.links.push_back(Judge(link, evidence, backend_.Unchecked(link.pair)));
    result.verified_bytes += evidence.verified_bytes;
    result.mismatched_bytes += evidence.mismatched_bytes;
  }
  result.verdict = Worst(result.links);
  return result;
}

}  // namespace benchwire::p2p
