// One run: carries out the plan on a backend and reports rows, points, progress and the result. Owns nothing; one
// thread. Sees the backend only through its interface, time only through `now`.
#ifndef BENCHWIRE_WORKERS_P2P_CAMPAIGN_H_
#define BENCHWIRE_WORKERS_P2P_CAMPAIGN_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workers/kit/events.h"
#include "workers/p2p/backend.h"
#include "workers/p2p/plan.h"
#include "workers/p2p/result.h"
#include "workers/p2p/rows.h"
#include "workers/p2p/sampler.h"
#include "workers/p2p/spec.h"
#include "workers/p2p/warnings.h"

namespace benchwire::p2p {

struct CampaignOptions {
  Spec spec;
  std::uint64_t seed = 0;
  std::vector<Case> elsewhere;                     // Cases of other backends, see MakePlan.
  std::map<std::string, std::string> environment;  // Facts to report beside the backend's.
  std::function<std::chrono::nanoseconds()> now;   // A clock that never goes back; any thread.
  std::function<bool()> cancelled;                 // Any thread.
};

class Campaign {
 public:
  // `backend`, `sink` and `warnings`, which goes to the same sink, must outlive the campaign.
  Campaign(CampaignOptions options, Backend& backend, kit::EventSink& sink, Warnings& warnings);

  // The result, which was reported too. BAD_SPEC before anything ran; CANCELLED; or the error of the sink.
  kit::Result<RunResult> Run();

 private:
  // The first point that gave a number, for the drift check.
  struct First {
    Block block;
    std::int64_t bytes = 0;
    double median = 0;
  };

  void Emit(const kit::Event& event);
  bool Ended() const { return sink_error_ || warnings_.error() || options_.cancelled(); }
  StopCheck StopAfter(std::chrono::nanoseconds deadline) const;
  void RunBlock(const Block& block);
  void RunPoint(const Block& block, std::int64_t bytes, const StopCheck& stop);
  void ReportPoints(const Block& block, std::int64_t bytes, const Series& series, std::int64_t index);
  void ReportRows(const Block& block, std::int64_t bytes, const Series& series);
  void RefusePoint(const Block& block, std::int64_t bytes, const Refusal& refusal);
  void Learn(const Block& block, const Series& series);
  void Learn(const Pair& pair, const Refusal& refusal);
  void MeasureDrift();
  void ReportProgress(const Block& block, std::int64_t bytes, double share_of_point, bool always);
  PointRequest RequestFor(const Block& block, std::int64_t bytes) const;
  kit::Labels LabelsOf(const Block& block) const;
  RunResult Conclude();

  CampaignOptions options_;
  Backend& backend_;
  kit::EventSink& sink_;
  Warnings& warnings_;
  RowContext context_;
  EvidenceByPair evidence_;
  std::optional<First> first_;
  std::optional<double> drift_;
  std::size_t numbers_ = 0;  // Rows with a value.
  std::size_t points_ = 0;   // Planned, the drift check included.
  std::size_t done_ = 0;
  std::chrono::nanoseconds started_{0};
  std::chrono::nanoseconds last_progress_{0};
  std::optional<kit::Error> sink_error_;
};

}  // namespace benchwire::p2p

#endif  // BENCHWIRE_WORKERS_P2P_CAMPAIGN_H_
