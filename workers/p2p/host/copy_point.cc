#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <vector>

#include "workers/p2p/host/memory.h"
#include "workers/p2p/host/pinned_worker.h"
#include "workers/p2p/host/points.h"
#include "workers/p2p/pattern.h"

namespace benchwire::p2p::host {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

// Between two questions whether to stop: so many bytes, some 30 ms of a slow machine, but no more than so many copies.
// Asking costs a system call, which must not weigh on what is timed.
constexpr std::size_t kChunkBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxCopiesPerCheck = 4096;
constexpr std::int64_t kMaxRepeats = 1'000'000'000;

double SecondsBetween(SteadyTime from, SteadyTime to) { return std::chrono::duration<double>(to - from).count(); }

struct Flow {
  std::size_t src = 0;        // Endpoint.
  std::size_t dst = 0;        // Endpoint.
  std::size_t initiator = 0;  // Endpoint whose thread copies.
  NodeMemory from;
  NodeMemory to;
  SteadyTime start;
  SteadyTime end;
  Difference difference;
};

// Remembers the first reason to stop that any thread of the point saw.
class StopLatch {
 public:
  explicit StopLatch(const StopCheck& check) : check_(check) {}
  bool Stopped() {
    if (seen_.load(std::memory_order_relaxed) != Stop::kNone) return true;
    const Stop now = check_();
    if (now != Stop::kNone) seen_.store(now, std::memory_order_relaxed);
    return now != Stop::kNone;
  }
  Stop seen() const { return seen_.load(std::memory_order_relaxed); }

 private:
  const StopCheck& check_;
  std::atomic<Stop> seen_{Stop::kNone};
};

// Calls `work` on each chunk of `size` bytes until the latch says stop.
template <typename Work>
void ForChunks(std::size_t size, StopLatch& latch, Work work) {
  for (std::size_t at = 0; at < size && !latch.Stopped(); at += kChunkBytes) work(at, std::min(kChunkBytes, size - at));
}

void CopyTimed(const Copier& copier, std::int64_t repeats, SpinBarrier& barrier, StopLatch& latch, Flow* flow) {
  const std::size_t size = flow->from.bytes().size();
  const auto copies_per_check =
      static_cast<std::int64_t>(std::clamp(kChunkBytes / size, std::size_t{1}, kMaxCopiesPerCheck));
  barrier.Arrive();
  flow->start = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < repeats; ++i) {
    if (size <= kChunkBytes) {
      copier(flow->to.data(), flow->from.data(), size);
      const bool ask = i % copies_per_check == copies_per_check - 1 && i + 1 < repeats;
      if (ask && latch.Stopped()) break;
    } else {
      ForChunks(size, latch, [&](std::size_t at, std::size_t count) {
        copier(flow->to.data() + at, flow->from.data() + at, count);
      });
      if (latch.seen() != Stop::kNone) break;
    }
  }
  flow->end = std::chrono::steady_clock::now();
}

class CopyPoint final : public Point {
 public:
  CopyPoint(const PointContext& context, const PointRequest& request, std::vector<Flow> flows)
      : context_(context), request_(request), flows_(std::move(flows)) {
    for (const Flow& flow : flows_) {
      for (std::size_t endpoint : {flow.src, flow.dst}) {
        if (workers_.count(endpoint) == 0) {
          workers_[endpoint] = std::make_unique<PinnedWorker>(context.topology.places[endpoint].cpu);
        }
      }
    }
  }

  // Checks the threads and touches the memory for the first time, each part by its owner.
  std::optional<Refusal> Open(const StopCheck& stop) {
    for (const auto& [endpoint, worker] : workers_) {
      if (worker->pin_error() != 0) return PinRefusal(context_, endpoint, worker->pin_error());
    }
    StopLatch latch(stop);
    Fill(0, latch);
    if (latch.seen() != Stop::kNone) return StopRefusal(latch.seen());
    for (const Flow& flow : flows_) {
      for (const auto& [memory, endpoint] : {std::pair(&flow.from, flow.src), {&flow.to, flow.dst}}) {
        const std::optional<int> node = context_.topology.places[endpoint].node;
        if (node) CheckPlacement(context_, endpoint, memory->ShareElsewhere(*node));
      }
    }
    return std::nullopt;
  }

  std::vector<kit::Labels> rows() const override {
    std::vector<kit::Labels> rows;
    const bool both = flows_.size() > 1;
    for (const Flow& flow : flows_) {
      rows.push_back(LabelsOf({flow.src, flow.dst}, both ? "bidir" : "uni", "flow",
                              context_.topology.endpoints[flow.initiator].id));
    }
    if (both) rows.push_back(LabelsOf(request_.pair, "bidir", "total", "both"));
    return rows;
  }

  std::int64_t max_repeats() const override { return kMaxRepeats; }

  kit::Result<double, Refusal> Rehearse(std::int64_t repeats, const StopCheck& stop) override {
    StopLatch latch(stop);
    CopyAll(repeats, latch);
    if (latch.seen() != Stop::kNone) return StopRefusal(latch.seen());
    double longest = 0;
    for (const Flow& flow : flows_) longest = std::max(longest, SecondsBetween(flow.start, flow.end));
    return longest;
  }

  kit::Result<Sample, Refusal> Take(std::int64_t index, std::int64_t repeats, const StopCheck& stop) override {
    StopLatch latch(stop);
    if (request_.verify) Fill(index, latch);
    if (latch.seen() == Stop::kNone) CopyAll(repeats, latch);
    if (latch.seen() == Stop::kNone && request_.verify) Compare(index, latch);
    if (latch.seen() != Stop::kNone) return StopRefusal(latch.seen());
    return SampleOf(repeats);
  }

 private:
  kit::Labels LabelsOf(const Pair& pair, const std::string& direction, const std::string& aggregate,
                       const std::string& initiator) const {
    kit::Labels labels = HostLabels(context_, pair, request_.bytes);
    labels["direction"] = direction;
    labels["aggregate"] = aggregate;
    labels["initiator"] = initiator;
    labels["engine"] = "cpu_memcpy";
    labels["counting"] = "copied";
    return labels;
  }

  std::uint64_t KeyOf(std::int64_t sample, std::size_t flow) const { return PatternKey(request_.seed, sample, flow); }

  void WaitAll() {
    for (const auto& [endpoint, worker] : workers_) worker->Wait();
  }

  // Runs what each endpoint has to do on its thread, all threads at once.
  void RunByOwner(const std::map<std::size_t, std::vector<std::function<void()>>>& work) {
    for (const auto& [endpoint, parts] : work) {
      workers_[endpoint]->Start([&parts] {
        for (const auto& part : parts) part();
      });
    }
    WaitAll();
  }

  // Each owner writes its own memory: sources the pattern, destinations the poison.
  void Fill(std::int64_t index, StopLatch& latch) {
    std::map<std::size_t, std::vector<std::function<void()>>> work;
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      Flow& flow = flows_[i];
      work[flow.src].emplace_back([&flow, &latch, key = KeyOf(index, i)] {
        ForChunks(flow.from.bytes().size(), latch, [&](std::size_t at, std::size_t count) {
          FillPattern(key, static_cast<std::int64_t>(at), flow.from.bytes().subspan(at, count));
        });
      });
      work[flow.dst].emplace_back([&flow, &latch] {
        ForChunks(flow.to.bytes().size(), latch,
                  [&](std::size_t at, std::size_t count) { std::memset(flow.to.data() + at, kPoison, count); });
      });
    }
    RunByOwner(work);
  }

  void CopyAll(std::int64_t repeats, StopLatch& latch) {
    SpinBarrier barrier(static_cast<int>(flows_.size()));
    for (Flow& flow : flows_) {
      workers_[flow.initiator]->Start([&, repeats] { CopyTimed(context_.copier, repeats, barrier, latch, &flow); });
    }
    WaitAll();
  }

  // Each destination's owner reads what arrived.
  void Compare(std::int64_t index, StopLatch& latch) {
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      Flow& flow = flows_[i];
      flow.difference = Difference();
      workers_[flow.dst]->Start([&, i] {
        ForChunks(flow.to.bytes().size(), latch, [&](std::size_t at, std::size_t count) {
          flow.difference.Add(
              ComparePattern(KeyOf(index, i), static_cast<std::int64_t>(at), flow.to.bytes().subspan(at, count)));
        });
      });
    }
    WaitAll();
  }

  Sample SampleOf(std::int64_t repeats) const {
    Sample sample;
    const double bytes = static_cast<double>(request_.bytes) * static_cast<double>(repeats);
    SteadyTime first = flows_[0].start;
    SteadyTime last = flows_[0].end;
    SteadyTime shared_from = first;
    SteadyTime shared_to = last;
    double longest = 0;
    for (const Flow& flow : flows_) {
      const double seconds = SecondsBetween(flow.start, flow.end);
      longest = std::max(longest, seconds);
      if (seconds <= 0) sample.rejected = "the clock did not advance";
      sample.rows.push_back({bytes / seconds, request_.verify ? request_.bytes : 0, flow.difference.mismatched});
      if (!sample.first_bad) sample.first_bad = flow.difference.first;
      first = std::min(first, flow.start);
      last = std::max(last, flow.end);
      shared_from = std::max(shared_from, flow.start);
      shared_to = std::min(shared_to, flow.end);
    }
    if (flows_.size() > 1) {
      // Over the union of both times: summing two rates would overstate what the machine carries.
      sample.rows.push_back({static_cast<double>(flows_.size()) * bytes / SecondsBetween(first, last), 0, 0});
      sample.overlap = longest > 0 ? std::max(0.0, SecondsBetween(shared_from, shared_to)) / longest : 0;
    }
    return sample;
  }

  const PointContext& context_;
  const PointRequest request_;
  std::vector<Flow> flows_;
  std::map<std::size_t, std::unique_ptr<PinnedWorker>> workers_;  // By endpoint. Last: its threads use the flows.
};

struct FlowEnds {
  std::size_t src;
  std::size_t dst;
  std::size_t initiator;
};

PointResult MakeCopyPoint(const PointContext& context, const PointRequest& request, const std::vector<FlowEnds>& ends,
                          const StopCheck& stop) {
  const auto& places = context.topology.places;
  std::map<int, std::int64_t> nodes;
  for (const FlowEnds& flow : ends) {
    for (std::size_t endpoint : {flow.src, flow.dst}) {
      if (places[endpoint].node) nodes[*places[endpoint].node] += request.bytes;
    }
  }
  const std::int64_t needed = 2 * request.bytes * static_cast<std::int64_t>(ends.size());
  if (auto refusal = MemoryRefusal(context.root, needed, nodes)) return *refusal;
  std::vector<Flow> flows;
  for (const FlowEnds& end : ends) {
    kit::Result<NodeMemory> from = NodeMemory::Map(request.bytes, places[end.src].node, context.warn);
    kit::Result<NodeMemory> to = NodeMemory::Map(request.bytes, places[end.dst].node, context.warn);
    for (const auto* memory : {&from, &to}) {
      if (!memory->ok()) return Refusal{kit::RowStatus::kError, memory->error().code, memory->error().message};
    }
    Flow flow;
    flow.src = end.src;
    flow.dst = end.dst;
    flow.initiator = end.initiator;
    flow.from = std::move(*from);
    flow.to = std::move(*to);
    flows.push_back(std::move(flow));
  }
  auto point = std::make_unique<CopyPoint>(context, request, std::move(flows));
  if (auto refusal = point->Open(stop)) return *refusal;
  return PointResult(std::move(point));
}

}  // namespace

PointResult MakeWrite(const PointContext& context, const PointRequest& request, const StopCheck& stop) {
  return MakeCopyPoint(context, request, {{request.pair.src, request.pair.dst, request.pair.src}}, stop);
}

PointResult MakeRead(const PointContext& context, const PointRequest& request, const StopCheck& stop) {
  return MakeCopyPoint(context, request, {{request.pair.src, request.pair.dst, request.pair.dst}}, stop);
}

PointResult MakeBidir(const PointContext& context, const PointRequest& request, const StopCheck& stop) {
  const auto [src, dst] = request.pair;
  return MakeCopyPoint(context, request, {{src, dst, src}, {dst, src, dst}}, stop);
}

PointResult MakeLocal(const PointContext& context, const PointRequest& request, const StopCheck& stop) {
  return MakeWrite(context, request, stop);
}

}  // namespace benchwire::p2p::host
