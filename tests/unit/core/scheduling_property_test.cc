// What must hold of every decision, over fleets that run for days: a small simulation drawn from a seed. It calls
// nothing but Decide.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "server/core/scheduling.h"
#include "tests/unit/core/scheduling_builders.h"

namespace benchwire::core {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::nanoseconds;

// Machines that carry out what Decide says, on a clock of their own.
class Fleet {
 public:
  void AddMachine(const std::string& id, const v1::Inventory& inventory, size_t slots = 64) {
    workers_.push_back(View(MakeLoad(id, inventory)));
    slots_.push_back(slots);
  }
  // `runs`: how long it will really run, at most its timeout.
  void Submit(QueuedJob job, nanoseconds runs) {
    job.queued_at = now_;
    runs_[job.id] = runs;
    queue_.push_back(std::move(job));
  }
  WallTime now() const { return now_; }
  const std::vector<QueuedJob>& queue() const { return queue_; }
  // When a job started; nothing before.
  std::optional<WallTime> StartOf(const std::string& id) const {
    const auto found = started_.find(id);
    return found == started_.end() ? std::nullopt : std::optional(found->second);
  }
  Amount UsedBy(const std::string& submitter) const {
    Amount out;
    for (const WorkerView& worker : workers_) {
      for (const auto& [job, grant] : worker.load->grants) {
        if (grant.submitter == submitter) out.cpus += grant.requirements.cpus();
      }
    }
    return out;
  }

  // Places until nothing more fits, each round checked.
  void Settle() {
    while (true) {
      for (size_t w = 0; w < workers_.size(); ++w) workers_[w].waiting = workers_[w].load->grants.size() < slots_[w];
      const Snapshot snapshot{now_, {}, queue_, workers_};
      const Decision decision = Decide(snapshot);
      if (decision.placements.empty()) return;
      std::set<size_t> workers, jobs;
      for (const Placement& placement : decision.placements) {
        ASSERT_TRUE(snapshot.workers[placement.worker].waiting);
        ASSERT_TRUE(workers.insert(placement.worker).second) << "two jobs on one call";
        ASSERT_TRUE(jobs.insert(placement.job).second) << "one job on two workers";
        Carry(snapshot, placement);
      }
      std::erase_if(queue_, [&](const QueuedJob& job) { return started_.contains(job.id); });
      for (const WorkerView& worker : workers_) Check(*worker.load);
    }
  }
  // Time goes on; jobs end.
  void Pass(nanoseconds by) {
    now_ += by;
    for (WorkerView& worker : workers_) {
      WorkerLoad load = *worker.load;
      std::erase_if(load.grants, [&](const auto& entry) { return ends_.at(entry.first) <= now_; });
      worker.load = std::make_shared<const WorkerLoad>(std::move(load));
    }
  }

 private:
  void Carry(const Snapshot& snapshot, const Placement& placement) {
    const QueuedJob& job = snapshot.jobs[placement.job];
    WorkerLoad load = *workers_[placement.worker].load;
    load.grants[job.id] = GrantOf(job, placement.devices, snapshot);
    workers_[placement.worker].load = std::make_shared<const WorkerLoad>(std::move(load));
    started_[job.id] = now_;
    ends_[job.id] = now_ + runs_.at(job.id);
  }
  static void Check(const WorkerLoad& load) {
    std::set<std::string> healthy, used;
    for (const v1::Device& device : load.inventory->devices()) {
      if (device.healthy()) healthy.insert(device.id());
    }
    int64_t cpus = 0, memory = 0;
    for (const auto& [job, grant] : load.grants) {
      cpus += grant.requirements.cpus();
      memory += grant.requirements.memory_bytes();
      for (const std::string& device : grant.devices) {
        ASSERT_TRUE(used.insert(device).second) << device << " given twice on " << load.id;
        ASSERT_TRUE(healthy.contains(device)) << device;
      }
      const bool host = grant.requirements.exclusivity() == v1::EXCLUSIVITY_HOST;
      ASSERT_TRUE(!host || load.grants.size() == 1) << job << " is not alone on " << load.id;
      ASSERT_GE(std::ssize(grant.devices), grant.requirements.device_count());
      ASSERT_TRUE(host || std::ssize(grant.devices) == grant.requirements.device_count());
    }
    ASSERT_LE(cpus, load.inventory->cpus());
    ASSERT_LE(memory, load.inventory->memory_bytes());
  }

  WallTime now_ = kNow;
  std::vector<WorkerView> workers_;
  std::vector<size_t> slots_;
  std::vector<QueuedJob> queue_;
  std::map<std::string, nanoseconds> runs_;
  std::map<std::string, WallTime> started_, ends_;
};

class Draw {
 public:
  explicit Draw(uint64_t seed) : engine_(seed) {}
  // In [least, most].
  int Of(int least, int most) { return least + static_cast<int>(engine_() % static_cast<uint64_t>(most - least + 1)); }

 private:
  std::mt19937_64 engine_;
};

v1::Inventory AnyMachine(Draw& draw) {
  static constexpr int kGpus[] = {0, 1, 2, 4, 8};
  v1::Inventory out = Grouped(kGpus[draw.Of(0, 4)], draw.Of(1, 4), v1::LINK_CLASS_NVLINK, v1::LINK_CLASS_SAME_SOCKET);
  out.set_cpus(draw.Of(4, 64));
  if (out.devices_size() > 1 && draw.Of(0, 3) == 0) out.mutable_devices(draw.Of(0, 1))->set_healthy(false);
  return out;
}

QueuedJob AnyJob(Draw& draw, int number) {
  v1::Requirements needs = Needs(draw.Of(0, 2) == 0 ? draw.Of(2, 8) : draw.Of(0, 1), draw.Of(1, 8));
  if (draw.Of(0, 4) == 0) needs.set_exclusivity(v1::EXCLUSIVITY_HOST);
  if (draw.Of(0, 4) == 0) needs.set_memory_bytes(draw.Of(1, 900));
  if (needs.device_count() == 2 && draw.Of(0, 1) == 0) needs.set_link_class(v1::LINK_CLASS_NVLINK);
  QueuedJob job = MakeQueued("j" + std::to_string(number), needs, minutes(draw.Of(1, 240)));
  job.priority = draw.Of(0, 100);
  job.submitter = std::string(1, static_cast<char>('a' + draw.Of(0, 3)));
  return job;
}

TEST(SchedulingProperties, NothingIsGivenTwiceAndEveryJobThatFitsAMachineRuns) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Draw draw(seed);
    Fleet fleet;
    fleet.AddMachine("largest", Grouped(8, 2, v1::LINK_CLASS_NVLINK, v1::LINK_CLASS_SAME_SOCKET));
    for (int i = draw.Of(0, 4); i > 0; --i) {
      fleet.AddMachine("m" + std::to_string(i), AnyMachine(draw), static_cast<size_t>(draw.Of(1, 8)));
    }
    int submitted = 0;
    for (int step = 0; step < 25; ++step) {
      for (int i = draw.Of(0, 3); i > 0; --i) {
        QueuedJob job = AnyJob(draw, ++submitted);
        const nanoseconds runs = job.timeout * draw.Of(1, 100) / 100;
        fleet.Submit(std::move(job), runs);
      }
      fleet.Settle();
      if (HasFatalFailure()) return;
      fleet.Pass(minutes(draw.Of(1, 60)));
    }
    for (int step = 0; step < 2'000 && !fleet.queue().empty(); ++step) {
      fleet.Settle();
      if (HasFatalFailure()) return;
      fleet.Pass(hours(2));
    }
    EXPECT_TRUE(fleet.queue().empty()) << fleet.queue().size() << " jobs never ran, first " << fleet.queue()[0].id;
  }
}

TEST(SchedulingProperties, AJobOfEightDevicesStartsWithinATimeoutAgainstEndlessSmallOnes) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Draw draw(seed);
    Fleet fleet;
    for (int i = draw.Of(1, 3); i > 0; --i) fleet.AddMachine("m" + std::to_string(i), Machine(8));
    int number = 0;
    const auto small = [&] {
      const int timeout = draw.Of(1, 60);
      fleet.Submit(MakeQueued("s" + std::to_string(++number), Needs(1), minutes(timeout)),
                   minutes(draw.Of(1, timeout)));
    };
    for (int i = 0; i < 30; ++i) small();
    fleet.Settle();
    // Behind those that wait already; none of them waits for longer than they all take.
    const v1::Exclusivity exclusivity = draw.Of(0, 1) == 0 ? v1::EXCLUSIVITY_HOST : v1::EXCLUSIVITY_DEVICE;
    const size_t before = fleet.queue().size();
    fleet.Submit(MakeQueued("large", Needs(8, 1, exclusivity), hours(1)), hours(1));
    const WallTime submitted = fleet.now();
    std::optional<WallTime> head;  // When none of those before it waits any more.
    while (!fleet.StartOf("large") && fleet.now() < submitted + hours(24)) {
      while (fleet.queue().size() < 12) small();
      fleet.Settle();
      if (HasFatalFailure()) return;
      if (!head && fleet.queue().front().id == "large") head = fleet.now();
      fleet.Pass(minutes(1));
    }
    ASSERT_TRUE(fleet.StartOf("large")) << "behind " << before;
    const WallTime first = head.value_or(*fleet.StartOf("large"));
    EXPECT_LE(*fleet.StartOf("large") - first, minutes(61));
  }
}

TEST(SchedulingProperties, TheLowestPriorityStartsOverdueAtTheLatestAgainstEndlessHighOnes) {
  Fleet fleet;
  fleet.AddMachine("m", Machine(0, 2));
  QueuedJob low = MakeQueued("low", Needs(0));
  low.priority = 0;
  low.submitter = "low";
  int number = 0;
  const auto high = [&] {
    QueuedJob job = MakeQueued("h" + std::to_string(++number), Needs(0), minutes(30));
    job.priority = 100;
    job.submitter = "s" + std::to_string(number);  // Each of a new submitter, who has nothing yet.
    fleet.Submit(std::move(job), minutes(30));
  };
  for (int i = 0; i < 4; ++i) high();
  fleet.Settle();
  fleet.Submit(low, hours(1));
  while (!fleet.StartOf("low") && fleet.now() < kNow + hours(100)) {
    while (fleet.queue().size() < 4) high();
    fleet.Settle();
    fleet.Pass(minutes(10));
  }
  ASSERT_TRUE(fleet.StartOf("low"));
  EXPECT_LE(*fleet.StartOf("low") - kNow, hours(16) + minutes(40));
}

TEST(SchedulingProperties, TwoSubmittersShareWhateverTheOneHasQueued) {
  Fleet fleet;
  for (int i = 0; i < 4; ++i) fleet.AddMachine("m" + std::to_string(i), Machine(0, 4));
  int number = 0;
  const auto submit = [&](const std::string& submitter) {
    QueuedJob job = MakeQueued(submitter + std::to_string(++number), Needs(0), minutes(20));
    job.submitter = submitter;
    fleet.Submit(std::move(job), minutes(20));
  };
  for (int i = 0; i < 300; ++i) submit("ann");
  fleet.Settle();
  fleet.Pass(minutes(1));
  EXPECT_EQ(fleet.UsedBy("ann").cpus, 16);
  for (int i = 0; i < 60; ++i) submit("bob");
  fleet.Settle();
  for (int round = 0; round < 5; ++round) {
    fleet.Pass(minutes(20));
    fleet.Settle();
    EXPECT_EQ(fleet.UsedBy("ann").cpus, 8) << round;
    EXPECT_EQ(fleet.UsedBy("bob").cpus, 8) << round;
  }
}

}  // namespace
}  // namespace benchwire::core
