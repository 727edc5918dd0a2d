#include "workers/agent/supervise.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

namespace benchwire::agent {
namespace {

using std::chrono::milliseconds;

class Supervisor {
 public:
  Supervisor(ChildProcess& child, StopRequest& stop, OutputSink& sink, const SuperviseLimits& limits,
             const Clock& clock)
      : child_(child),
        stop_(stop),
        sink_(sink),
        limits_(limits),
        clock_(clock),
        deadline_(DeadlineOf(clock.Monotonic(), limits.timeout)) {}

  RunnerEnd Run() {
    while (!Finished()) {
      Poll();
      if (!ended_) Escalate();
    }
    return end_;
  }

 private:
  enum class Phase { kRunning, kTerminated, kKilled, kKeeperKilled };

  static MonotonicTime DeadlineOf(MonotonicTime start, std::chrono::nanoseconds timeout) {
    return timeout > MonotonicTime::max() - start ? MonotonicTime::max() : start + timeout;
  }

  bool Finished() const { return ended_ && !child_.log().open() && !child_.events().open(); }

  // Events are left in the pipe while the sink is full, unless nobody wants them any more.
  bool ReadsEvents() { return stop_.cause() != StopCause::kNone || !end_.bad_event.ok() || sink_.WantsEvents(); }

  void SignLife() {
    const MonotonicTime now = clock_.Monotonic();
    if (now < next_sign_) return;
    child_.SignLife();
    next_sign_ = now + limits_.life_interval / 2;
  }

  void Poll() {
    if (!ended_) SignLife();
    std::vector<pollfd> fds = {{stop_.fd(), POLLIN, 0}};
    if (!ended_) fds.push_back({child_.status().get(), POLLIN, 0});
    const size_t log_at = fds.size();
    if (child_.log().open()) fds.push_back({child_.log().get(), POLLIN, 0});
    const size_t events_at = fds.size();
    if (child_.events().open() && ReadsEvents()) fds.push_back({child_.events().get(), POLLIN, 0});
    // After the end nothing writes any more: what is in the pipes is read at once.
    const bool drain = ended_ && fds.size() > 1;
    if (poll(fds.data(), fds.size(), drain ? 0 : PollTimeout()) < 0 && errno != EINTR) return;
    if (fds[0].revents != 0) stop_.Clear();
    if (log_at < events_at && (drain || fds[log_at].revents != 0)) ReadLog();
    if (events_at < fds.size() && (drain || fds[events_at].revents != 0)) ReadEvents();
    if (!ended_ && fds[1].revents != 0 && child_.ReadStatus()) OnEnd();
  }

  int PollTimeout() const {
    // A wake-up that got lost would cost a second, not the job.
    MonotonicTime until = clock_.Monotonic() + std::min(limits_.life_interval / 2, milliseconds(1000));
    if (!ended_) until = std::min(until, phase_ == Phase::kRunning ? deadline_ : escalate_);
    const auto left = std::chrono::ceil<milliseconds>(until - clock_.Monotonic()).count();
    return static_cast<int>(std::clamp<int64_t>(left, 0, 1000));
  }

  void OnEnd() {
    end_.exit = child_.Wait();
    if (end_.exit.stalled) stop_.Request(StopCause::kAgentStalled);
    end_.by_itself = phase_ == Phase::kRunning && !end_.exit.stalled;
    ended_ = true;
  }

  // Moves on to the next, harder, way of stopping the runner when it is time.
  void Escalate() {
    const MonotonicTime now = clock_.Monotonic();
    if (phase_ == Phase::kRunning) {
      if (now >= deadline_) stop_.Request(StopCause::kTimeout);
      if (stop_.cause() == StopCause::kNone) return;
      child_.Terminate();
      phase_ = Phase::kTerminated;
    } else if (now < escalate_) {
      return;
    } else if (phase_ == Phase::kTerminated) {
      child_.Kill();
      phase_ = Phase::kKilled;
    } else if (phase_ == Phase::kKilled) {
      child_.KillKeeper();
      phase_ = Phase::kKeeperKilled;
    }
    // The keeper itself needs up to 10 s to give up on processes that cannot be killed.
    escalate_ = now + (phase_ == Phase::kTerminated ? limits_.kill_delay : milliseconds(15'000));
  }

  void ReadLog() {
    const ssize_t got = Read(child_.log());
    if (got > 0) sink_.OnLog({buffer_.data(), static_cast<size_t>(got)});
  }

  void ReadEvents() {
    const ssize_t got = Read(child_.events());
    // A runner that is being stopped is not held back any more. Once something was dropped, the rest has no meaning.
    dropping_ = dropping_ || (stop_.cause() != StopCause::kNone && !sink_.WantsEvents());
    if (got <= 0 || dropping_ || !end_.bad_event.ok()) return;
    end_.bad_event = sink_.OnEvents({buffer_.data(), static_cast<size_t>(got)});
    if (!end_.bad_event.ok()) stop_.Request(StopCause::kBadEvent);
  }

  // Closes at the end of the file or, after the runner's end, where the pipe is empty: a process that took the pipe
  // elsewhere must not hold up the attempt.
  ssize_t Read(FileDescriptor& fd) {
    const ssize_t got = read(fd.get(), buffer_.data(), buffer_.size());
    if (got < 0 && errno == EINTR) return got;
    if (got == 0 || (got < 0 && (errno != EAGAIN || ended_))) fd.Close();
    return got;
  }

  ChildProcess& child_;
  StopRequest& stop_;
  OutputSink& sink_;
  const SuperviseLimits limits_;
  const Clock& clock_;
  const MonotonicTime deadline_;
  Phase phase_ = Phase::kRunning;
  MonotonicTime escalate_;
  MonotonicTime next_sign_;
  bool ended_ = false;
  bool dropping_ = false;
  RunnerEnd end_;
  std::array<char, size_t{64} << 10> buffer_;
};

}  // namespace

RunnerEnd Supervise(ChildProcess& child, StopRequest& stop, OutputSink& sink, const SuperviseLimits& limits,
                    const Clock& clock) {
  return Supervisor(child, stop, sink, limits, clock).Run();
}

}  // namespace benchwire::agent
