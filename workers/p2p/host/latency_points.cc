#include <atomic>
#include <chrono>
#include <utility>

#include "workers/p2p/host/memory.h"
#include "workers/p2p/host/pinned_worker.h"
#include "workers/p2p/host/points.h"
#include "workers/p2p/pattern.h"

namespace benchwire::p2p::host {
namespace {

constexpr std::int64_t kMaxRepeats = 1'000'000;
constexpr std::int64_t kCompared = sizeof(std::uint64_t);

double Nanoseconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double, std::nano>(time).count();
}

// A node of the cycle: one cache line.
struct alignas(64) Line {
  std::uint64_t next;
  std::uint64_t order;  // Position in the cycle.
};

constexpr std::int64_t kLoadsPerRepeat = 1 << 15;

class LoadPoint final : public Point {
 public:
  LoadPoint(const PointContext& context, const PointRequest& request, NodeMemory memory)
      : context_(context),
        request_(request),
        memory_(std::move(memory)),
        owner_(context.topology.places[request.pair.src].cpu),
        reader_(context.topology.places[request.pair.dst].cpu) {}

  std::optional<Refusal> Open(const StopCheck& stop) {
    if (owner_.pin_error() != 0) return PinRefusal(context_, request_.pair.src, owner_.pin_error());
    if (reader_.pin_error() != 0) return PinRefusal(context_, request_.pair.dst, reader_.pin_error());
    Stop why = Stop::kNone;
    owner_.Run([&] { why = BuildCycle(stop); });
    if (why != Stop::kNone) return StopRefusal(why);
    const std::optional<int> node = context_.topology.places[request_.pair.src].node;
    if (node) CheckPlacement(context_, request_.pair.src, memory_.ShareElsewhere(*node));
    return std::nullopt;
  }

  std::vector<kit::Labels> rows() const override {
    kit::Labels labels = HostLabels(context_, request_.pair, request_.bytes);
    labels["engine"] = "cpu_load";
    labels["initiator"] = labels["dst"];
    return {labels};
  }

  std::int64_t max_repeats() const override { return kMaxRepeats; }

  kit::Result<double, Refusal> Rehearse(std::int64_t repeats, const StopCheck& stop) override {
    double nanoseconds = 0;
    Stop why = Stop::kNone;
    reader_.Run([&] { why = Chase(repeats, stop, &nanoseconds); });
    if (why != Stop::kNone) return StopRefusal(why);
    return nanoseconds / 1e9;
  }

  kit::Result<Sample, Refusal> Take(std::int64_t, std::int64_t repeats, const StopCheck& stop) override {
    const std::uint64_t before = Lines()[at_].order;
    const kit::Result<double, Refusal> seconds = Rehearse(repeats, stop);
    if (!seconds.ok()) return seconds.error();
    const auto loads = static_cast<std::uint64_t>(repeats * kLoadsPerRepeat);
    // Where the walk ended says whether every load read what was written.
    const bool held = Lines()[at_].order == (before + loads) % count();
    Sample sample;
    sample.rows.push_back({*seconds * 1e9 / static_cast<double>(loads), request_.verify ? kCompared : 0,
                           held || !request_.verify ? 0 : kCompared});
    if (*seconds <= 0) sample.rejected = "the clock did not advance";
    return sample;
  }

 private:
  Line* Lines() const { return reinterpret_cast<Line*>(memory_.data()); }
  std::uint64_t count() const { return static_cast<std::uint64_t>(request_.bytes) / sizeof(Line); }

  // Sattolo's algorithm (1986): a random permutation of one cycle, so that no prefetcher knows the next line.
  Stop BuildCycle(const StopCheck& stop) {
    Line* lines = Lines();
    const std::uint64_t n = count();
    const auto check = [&](std::uint64_t i) { return i % kLoadsPerRepeat == 0 ? stop() : Stop::kNone; };
    for (std::uint64_t i = 0; i < n; ++i) {
      lines[i].next = i;
      if (const Stop why = check(i); why != Stop::kNone) return why;
    }
    for (std::uint64_t i = n - 1; i > 0; --i) {
      std::swap(lines[i].next, lines[Mix64(request_.seed + i) % i].next);
      if (const Stop why = check(i); why != Stop::kNone) return why;
    }
    std::uint64_t line = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      lines[line].order = i;
      line = lines[line].next;
      if (const Stop why = check(i); why != Stop::kNone) return why;
    }
    return Stop::kNone;
  }

  Stop Chase(std::int64_t repeats, const StopCheck& stop, double* nanoseconds) {
    const Line* lines = Lines();
    std::uint64_t at = at_;
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t repeat = 0; repeat < repeats; ++repeat) {
      for (std::int64_t i = 0; i < kLoadsPerRepeat; ++i) at = lines[at].next;
      if (repeat + 1 == repeats) break;
      if (const Stop why = stop(); why != Stop::kNone) return why;
    }
    *nanoseconds = Nanoseconds(std::chrono::steady_clock::now() - start);
    at_ = at;
    return Stop::kNone;
  }

  const PointContext& context_;
  const PointRequest request_;
  NodeMemory memory_;
  std::uint64_t at_ = 0;
  PinnedWorker owner_;
  PinnedWorker reader_;
};

// What one thread tells the other. Two lines apart, because neighbouring lines are fetched together.
struct alignas(128) Mail {
  std::atomic<std::uint64_t> round{0};
  std::uint64_t data = 0;
};

constexpr std::int64_t kRoundsPerRepeat = 200;
constexpr std::uint64_t kRoundsPerCheck = 4096;
constexpr int kSpinsPerCheck = 2'000;

class PingPongPoint final : public Point {
 public:
  PingPongPoint(const PointContext& context, const PointRequest& request, NodeMemory memory)
      : context_(context),
        request_(request),
        memory_(std::move(memory)),
        first_(context.topology.places[request.pair.src].cpu),
        second_(context.topology.places[request.pair.dst].cpu) {}

  std::optional<Refusal> Open() {
    if (first_.pin_error() != 0) return PinRefusal(context_, request_.pair.src, first_.pin_error());
    if (second_.pin_error() != 0) return PinRefusal(context_, request_.pair.dst, second_.pin_error());
    second_.Run([this] {
      ping_ = new (memory_.data()) Mail;
      pong_ = new (memory_.data() + sizeof(Mail)) Mail;
    });
    return std::nullopt;
  }

  std::vector<kit::Labels> rows() const override {
    kit::Labels labels = HostLabels(context_, request_.pair, 0);
    labels["engine"] = "cpu_load";
    labels["initiator"] = labels["src"];
    labels["kind"] = "round_trip";
    return {labels};
  }

  std::int64_t max_repeats() const override { return kMaxRepeats; }

  kit::Result<double, Refusal> Rehearse(std::int64_t repeats, const StopCheck& stop) override {
    return Play(repeats, stop);
  }

  kit::Result<Sample, Refusal> Take(std::int64_t, std::int64_t repeats, const StopCheck& stop) override {
    const kit::Result<double, Refusal> seconds = Play(repeats, stop);
    if (!seconds.ok()) return seconds.error();
    const std::int64_t rounds = repeats * kRoundsPerRepeat;
    const std::int64_t wrong = wrong_first_ + wrong_second_;
    Sample sample;
    sample.rows.push_back({*seconds * 1e9 / static_cast<double>(rounds), request_.verify ? 2 * rounds * kCompared : 0,
                           request_.verify ? wrong * kCompared : 0});
    if (*seconds <= 0) sample.rejected = "the clock did not advance";
    return sample;
  }

 private:
  std::uint64_t DataOf(std::uint64_t round) const { return Mix64(request_.seed ^ round); }

  // Waits for `round` in `mail`; false where the point was stopped.
  bool Await(const Mail& mail, std::uint64_t round, const StopCheck& stop) {
    for (int spins = 0; mail.round.load(std::memory_order_acquire) != round; ++spins) {
      if (spins < kSpinsPerCheck) {
        SpinPause();
        continue;
      }
      spins = 0;
      if (stopped_.load() == Stop::kNone) {
        if (const Stop why = stop(); why != Stop::kNone) stopped_.store(why);
      }
      if (stopped_.load() != Stop::kNone) return false;
      // More threads than free CPUs: let the other one come.
      std::this_thread::yield();
    }
    return true;
  }

  void Tell(Mail& mail, std::uint64_t round) {
    mail.data = DataOf(round);
    mail.round.store(round, std::memory_order_release);
  }

  kit::Result<double, Refusal> Play(std::int64_t repeats, const StopCheck& stop) {
    const auto rounds = static_cast<std::uint64_t>(repeats * kRoundsPerRepeat);
    const std::uint64_t base = round_;
    double nanoseconds = 0;
    wrong_first_ = wrong_second_ = 0;
    SpinBarrier barrier(2);
    second_.Start([&] {
      barrier.Arrive();
      for (std::uint64_t round = base + 1; round <= base + rounds && Await(*ping_, round, stop); ++round) {
        if (ping_->data != DataOf(round)) ++wrong_second_;
        Tell(*pong_, round);
      }
    });
    first_.Run([&] {
      barrier.Arrive();
      const auto start = std::chrono::steady_clock::now();
      for (std::uint64_t round = base + 1; round <= base + rounds; ++round) {
        Tell(*ping_, round);
        if (!Await(*pong_, round, stop)) break;
        if (pong_->data != DataOf(round)) ++wrong_first_;
        if (round % kRoundsPerCheck == 0) {
          if (const Stop why = stop(); why != Stop::kNone) stopped_.store(why);
        }
        if (stopped_.load(std::memory_order_relaxed) != Stop::kNone) break;
      }
      nanoseconds = Nanoseconds(std::chrono::steady_clock::now() - start);
    });
    second_.Wait();
    round_ = base + rounds;
    if (stopped_.load() != Stop::kNone) return StopRefusal(stopped_.load());
    return nanoseconds / 1e9;
  }

  const PointContext& context_;
  const PointRequest request_;
  NodeMemory memory_;
  Mail* ping_ = nullptr;
  Mail* pong_ = nullptr;
  std::uint64_t round_ = 0;
  std::int64_t wrong_first_ = 0;
  std::int64_t wrong_second_ = 0;
  std::atomic<Stop> stopped_{Stop::kNone};  // For good: the two threads are no longer in step.
  PinnedWorker first_;
  PinnedWorker second_;
};

// Memory for a latency point on `endpoint`'s node.
kit::Result<NodeMemory, Refusal> MapOn(const PointContext& context, std::size_t endpoint, std::int64_t bytes) {
  const std::optional<int> node = context.topology.places[endpoint].node;
  std::map<int, std::int64_t> nodes;
  if (node) nodes[*node] = bytes;
  if (auto refusal = MemoryRefusal(context.root, bytes, nodes)) return *refusal;
  kit::Result<NodeMemory> memory = NodeMemory::Map(bytes, node, context.warn);
  if (!memory.ok()) return Refusal{kit::RowStatus::kError, memory.error().code, memory.error().message};
  return std::move(*memory);
}

}  // namespace

PointResult MakeLoadLatency(const PointContext& context, const PointRequest& request, const StopCheck& stop) {
  kit::Result<NodeMemory, Refusal> memory = MapOn(context, request.pair.src, request.bytes);
  if (!memory.ok()) return memory.error();
  auto point = std::make_unique<LoadPoint>(context, request, std::move(*memory));
  if (auto refusal = point->Open(stop)) return *refusal;
  return PointResult(std::move(point));
}

PointResult MakePingPong(const PointContext& context, const PointRequest& request, const StopCheck&) {
  kit::Result<NodeMemory, Refusal> memory = MapOn(context, request.pair.dst, 2 * sizeof(Mail));
  if (!memory.ok()) return memory.error();
  auto point = std::make_unique<PingPongPoint>(context, request, std::move(*memory));
  if (auto refusal = point->Open()) return *refusal;
  return PointResult(std::move(point));
}

}  // namespace benchwire::p2p::host
