// A backend without memory or time: every point is scripted, every call is recorded.
#ifndef BENCHWIRE_TESTS_UNIT_P2P_FAKE_BACKEND_H_
#define BENCHWIRE_TESTS_UNIT_P2P_FAKE_BACKEND_H_

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "workers/p2p/backend.h"

namespace benchwire::p2p {

// What a point does. `at` names the request as `case src dst bytes`.
struct FakeScript {
  std::map<std::string, Refusal> refuse_prepare;
  std::map<std::string, Refusal> refuse_sample;  // From the third sample on.
  std::map<std::string, std::int64_t> mismatched;
  std::map<std::string, std::string> reject;
  std::chrono::nanoseconds time_per_operation{1'000'000};
  std::function<double(std::int64_t index)> value = [](std::int64_t index) {
    return 100.0 + static_cast<double>(index);
  };
};

class FakeBackend final : public Backend {
 public:
  FakeBackend(std::size_t endpoints, std::chrono::nanoseconds* clock) : clock_(clock) {
    for (std::size_t i = 0; i < endpoints; ++i) {
      Endpoint endpoint;
      endpoint.id = "core:" + std::to_string(i);
      endpoint.kind = "core";
      endpoints_.push_back(endpoint);
    }
  }

  FakeScript script;
  std::vector<std::string> prepared;            // Requests in order.
  std::map<std::string, std::int64_t> repeats;  // Of the last sample of each request.
  std::optional<Refusal> unchecked;

  std::string name() const override { return "host"; }
  const std::vector<Endpoint>& endpoints() const override { return endpoints_; }
  std::vector<Link> Links() override {
    std::vector<Link> links;
    for (std::size_t src = 0; src < endpoints_.size(); ++src) {
      for (std::size_t dst = 0; dst < endpoints_.size(); ++dst) {
        Link link;
        link.pair = {src, dst};
        links.push_back(link);
      }
    }
    return links;
  }
  std::vector<Case> cases() const override {
    return {{"bw.one", "bandwidth", "B/s", kit::Direction::kHigher, PairShape::kOrdered, true, ""},
            {"bw.both", "bandwidth", "B/s", kit::Direction::kHigher, PairShape::kUnordered, true, ""},
            {"bw.self", "bandwidth", "B/s", kit::Direction::kHigher, PairShape::kLocal, true, ""},
            {"lat.any", "latency", "ns", kit::Direction::kLower, PairShape::kAny, false, ""}};
  }
  Refusal NoPairs() const override { return {kit::RowStatus::kWaived, "SINGLE_ENDPOINT", "one"}; }
  std::vector<std::string> Variants(const Case&, const Pair&) const override { return {""}; }
  kit::Labels VariantLabels(const std::string&) const override { return {}; }
  kit::Result<std::unique_ptr<Point>, Refusal> Prepare(const PointRequest& request, const StopCheck&) override {
    const std::string at = request.case_id + " " + endpoints_[request.pair.src].id + " " +
                           endpoints_[request.pair.dst].id + " " + std::to_string(request.bytes);
    prepared.push_back(at);
    if (const auto refusal = script.refuse_prepare.find(at); refusal != script.refuse_prepare.end()) {
      return refusal->second;
    }
    return std::unique_ptr<Point>(std::make_unique<FakePoint>(this, request, at));
  }
  std::optional<Refusal> Unchecked(const Pair&) const override { return unchecked; }
  double unstable_above() const override { return 0.2; }
  std::map<std::string, std::string> facts() const override { return {{"topology", "fake"}}; }

 private:
  class FakePoint final : public Point {
   public:
    FakePoint(FakeBackend* backend, PointRequest request, std::string at)
        : backend_(*backend), request_(std::move(request)), at_(std::move(at)) {}

    std::vector<kit::Labels> rows() const override {
      return {{{"src", backend_.endpoints_[request_.pair.src].id}, {"dst", backend_.endpoints_[request_.pair.dst].id}}};
    }
    std::int64_t max_repeats() const override { return 1000; }
    kit::Result<double, Refusal> Rehearse(std::int64_t repeats, const StopCheck& stop) override {
      *backend_.clock_ += repeats * backend_.script.time_per_operation;
      if (const Stop why = stop(); why != Stop::kNone) return StopRefusal(why);
      return std::chrono::duration<double>(repeats * backend_.script.time_per_operation).count();
    }
    kit::Result<Sample, Refusal> Take(std::int64_t index, std::int64_t repeats, const StopCheck& stop) override {
      backend_.repeats[at_] = repeats;
      if (const auto seconds = Rehearse(repeats, stop); !seconds.ok()) return seconds.error();
      const FakeScript& script = backend_.script;
      if (const auto refusal = script.refuse_sample.find(at_); refusal != script.refuse_sample.end() && index == 2) {
        return refusal->second;
      }
      Sample sample;
      sample.rows.push_back({script.value(index), request_.verify ? request_.bytes : 0, 0});
      if (const auto bad = script.mismatched.find(at_); bad != script.mismatched.end()) {
        sample.rows[0].mismatched_bytes = bad->second;
        sample.first_bad = 17;
      }
      if (const auto why = script.reject.find(at_); why != script.reject.end()) sample.rejected = why->second;
      return sample;
    }

   private:
    FakeBackend& backend_;
    PointRequest request_;
    std::string at_;
  };

  std::chrono::nanoseconds* clock_;
  std::vector<Endpoint> endpoints_;
};

}  // namespace benchwire::p2p

#endif  // BENCHWIRE_TESTS_UNIT_P2P_FAKE_BACKEND_H_
