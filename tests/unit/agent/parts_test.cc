// The worker's small parts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "server/base/random.h"
#include "server/base/status.h"
#include "tests/fakes/fake_random.h"
#include "workers/agent/attempt_directory.h"
#include "workers/agent/capped_log.h"
#include "workers/agent/outcome.h"
#include "workers/agent/runner_catalog.h"
#include "workers/agent/safe_text.h"
#include "workers/agent/timing.h"
#include "workers/agent/work_dir.h"

namespace benchwire::agent {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

TEST(TimingTest, FullJitterGrowsToItsCap) {
  FakeRandom random;
  for (int attempt = 0; attempt < 40; ++attempt) {
    const int64_t most = attempt < 4 ? 100 << attempt : 1000;
    milliseconds longest{0};
    for (int i = 0; i < 200; ++i) {
      const milliseconds delay = FullJitter(attempt, milliseconds(100), milliseconds(1000), random);
      ASSERT_GE(delay.count(), 0);
      ASSERT_LE(delay.count(), most);
      longest = std::max(longest, delay);
    }
    EXPECT_GT(longest.count(), most / 2);
  }
}

TEST(TimingTest, RenewsAtAThird) {
  FakeRandom random;
  milliseconds least = milliseconds::max();
  milliseconds most{0};
  for (int i = 0; i < 1000; ++i) {
    const milliseconds delay = RenewDelay(milliseconds(45'000), random);
    least = std::min(least, delay);
    most = std::max(most, delay);
  }
  EXPECT_GE(least.count(), 13'500);
  EXPECT_LT(least.count(), 13'700);
  EXPECT_LE(most.count(), 16'500);
  EXPECT_GT(most.count(), 16'300);
}

TEST(TimingTest, FencesBeforeTheSessionEnds) {
  EXPECT_EQ(FenceDelay(milliseconds(45'000), milliseconds(10'000)), milliseconds(35'000));
  EXPECT_EQ(FenceDelay(milliseconds(20'000), milliseconds(10'000)), milliseconds(10'000));
  EXPECT_EQ(FenceDelay(milliseconds(8'000), milliseconds(10'000)), milliseconds(4'000));
}

TEST(CappedLogTest, PassesAShortLogWhole) {
  CappedLog log(10, 5);
  EXPECT_EQ(log.Add("abc"), "abc");
  EXPECT_EQ(log.TakeTail(), "");
  EXPECT_FALSE(log.truncated());
}

TEST(CappedLogTest, LosesNothingThatFitsHeadAndTail) {
  CappedLog log(4, 5);
  EXPECT_EQ(log.Add("abcdefg"), "abcd");
  EXPECT_EQ(log.Add("hi"), "");
  EXPECT_EQ(log.TakeTail(), "efghi");
  EXPECT_FALSE(log.truncated());
}

TEST(CappedLogTest, SaysHowMuchIsDropped) {
  CappedLog log(4, 5);
  std::string head;
  for (int i = 0; i < 100; ++i) head += log.Add("0123456789");
  EXPECT_EQ(head, "0123");
  EXPECT_EQ(log.TakeTail(), "\n[benchwire: 991 bytes of log dropped here]\n56789");
  EXPECT_TRUE(log.truncated());
}

TEST(SafeTextTest, IsValidBoundedText) {
  EXPECT_EQ(SafeText("plain 带宽 🙂", 100), "plain 带宽 🙂");
  EXPECT_EQ(SafeText(std::string("a\0\n\x7f", 4), 100), "a\\x00\\x0a\\x7f");
  EXPECT_EQ(SafeText("\xc4\xe3", 100), "\\xc4\\xe3");
  EXPECT_EQ(SafeText("\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80", 100), "\\xc0\\x80\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(SafeText("12345", 5), "12345");
  EXPECT_EQ(SafeText("123456", 5), "12…");
  EXPECT_EQ(SafeText("带宽带", 8), "带…");
}

RunnerEnd Ended(ChildExit::Kind kind, int code, bool by_itself) {
  RunnerEnd end;
  end.exit = {kind, code, false};
  end.by_itself = by_itself;
  return end;
}

TEST(OutcomeTest, AStopThatCameFirstDecides) {
  RunnerEnd end = Ended(ChildExit::Kind::kSignalled, 9, false);
  EXPECT_EQ(DecideOutcome(end, StopCause::kTimeout, true, {}).outcome, v1::ATTEMPT_OUTCOME_TIMED_OUT);
  EXPECT_EQ(DecideOutcome(end, StopCause::kCancel, true, {}).outcome, v1::ATTEMPT_OUTCOME_CANCELLED);
  EXPECT_EQ(DecideOutcome(end, StopCause::kAgentStops, true, {}).code, "WORKER_STOPPED");
  EXPECT_EQ(DecideOutcome(end, StopCause::kServerSilent, true, {}).code, "SERVER_SILENT");
  EXPECT_EQ(DecideOutcome(end, StopCause::kAgentStalled, true, {}).outcome, v1::ATTEMPT_OUTCOME_RELEASED);
  end.bad_event = absl::InvalidArgumentError("event line 1: x");
  EXPECT_EQ(DecideOutcome(end, StopCause::kTimeout, true, {}).outcome, v1::ATTEMPT_OUTCOME_TIMED_OUT);
  const Outcome bad = DecideOutcome(end, StopCause::kBadEvent, true, {});
  EXPECT_EQ(bad.outcome, v1::ATTEMPT_OUTCOME_FAILED);
  EXPECT_EQ(bad.code, "BAD_EVENT");
  EXPECT_EQ(bad.message, "event line 1: x");
  EXPECT_FALSE(bad.exit_code.has_value());
}

TEST(OutcomeTest, AStopThatCameTooLateDoesNot) {
  const RunnerEnd end = Ended(ChildExit::Kind::kExited, 0, true);
  EXPECT_EQ(DecideOutcome(end, StopCause::kCancel, true, {}).outcome, v1::ATTEMPT_OUTCOME_SUCCEEDED);
  EXPECT_EQ(DecideOutcome(end, StopCause::kLost, true, {}).outcome, v1::ATTEMPT_OUTCOME_SUCCEEDED);
}

TEST(OutcomeTest, ACompletedResultIsNotGivenBack) {
  const RunnerEnd end = Ended(ChildExit::Kind::kExited, 0, false);
  EXPECT_EQ(DecideOutcome(end, StopCause::kAgentStops, true, {}).outcome, v1::ATTEMPT_OUTCOME_SUCCEEDED);
  EXPECT_EQ(DecideOutcome(end, StopCause::kAgentStops, false, {}).outcome, v1::ATTEMPT_OUTCOME_RELEASED);
  EXPECT_EQ(DecideOutcome(end, StopCause::kCancel, true, {}).outcome, v1::ATTEMPT_OUTCOME_CANCELLED);
}

TEST(OutcomeTest, TheRunnersOwnErrorIsTheReason) {
  v1::RunnerMessage error;
  error.set_code("NO_MEMORY");
  error.set_message("node 1");
  const Outcome failed = DecideOutcome(Ended(ChildExit::Kind::kExited, 75, true), StopCause::kNone, false, error);
  EXPECT_EQ(failed.outcome, v1::ATTEMPT_OUTCOME_TRY_AGAIN);
  EXPECT_EQ(failed.code, "NO_MEMORY");
  EXPECT_EQ(failed.exit_code, 75);
  EXPECT_EQ(DecideOutcome(Ended(ChildExit::Kind::kExited, 0, true), StopCause::kNone, true, error).code, "");
}

TEST(OutcomeTest, NamesSignals) {
  EXPECT_EQ(SignalName(11), "SIGSEGV");
  EXPECT_EQ(SignalName(9), "SIGKILL");
  EXPECT_EQ(SignalName(40), "signal 40");
}

class DirectoryTest : public ::testing::Test {
 protected:
  DirectoryTest() {
    SystemRandom random;
    path_ = std::filesystem::temp_directory_path() / ("benchwire-parts-" + RandomId(random));
    std::filesystem::create_directories(path_);
  }
  ~DirectoryTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  void WriteScript(const std::string& name, const std::string& body) {
    std::ofstream(path_ / name) << "#!/bin/sh\n" << body << "\n";
    std::filesystem::permissions(path_ / name, std::filesystem::perms::owner_all);
  }
  static mode_t Mode(const std::filesystem::path& path) {
    struct stat info {};
    return stat(path.c_str(), &info) == 0 ? info.st_mode & 0777 : 0;
  }
  std::filesystem::path path_;
};

TEST_F(DirectoryTest, AWorkDirIsPrivateAndLocked) {
  const auto first = WorkDir::Open(path_ / "new", "w");
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(Mode(path_ / "new/w"), 0700U);
  EXPECT_EQ(ErrorReason(WorkDir::Open(path_ / "new", "w").status()), "WORKER_RUNS");
  EXPECT_TRUE(WorkDir::Open(path_ / "new", "v").ok());
  EXPECT_EQ(ErrorReason(WorkDir::Open("/proc/nowhere", "w").status()), "WORK_DIR");
}

TEST_F(DirectoryTest, AWorkDirIsClearedOfWhatAKilledWorkerLeft) {
  const std::filesystem::path left = path_ / "w" / "attempts" / "jobs-j-attempts-1";
  std::filesystem::create_directories(left);
  std::ofstream(left / "spec.json") << "x";
  ASSERT_TRUE(WorkDir::Open(path_, "w").ok());
  EXPECT_TRUE(std::filesystem::is_empty(path_ / "w/attempts"));
}

TEST_F(DirectoryTest, AnAttemptDirectoryHoldsTheSpecsBytesAndGoes) {
  const std::string spec("{\"a\": \"\0\xff\"}\n", 13);
  {
    const auto directory = AttemptDirectory::Create(path_, "a", spec);
    ASSERT_TRUE(directory.ok());
    std::ifstream in((*directory)->spec(), std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), spec);
    EXPECT_EQ(Mode((*directory)->work()), 0700U);
    std::filesystem::create_directory_symlink("/tmp", (*directory)->work() / "link");
    EXPECT_FALSE(AttemptDirectory::Create(path_, "a", spec).ok());
  }
  EXPECT_FALSE(std::filesystem::exists(path_ / "a"));
  EXPECT_TRUE(std::filesystem::exists("/tmp"));
}

TEST_F(DirectoryTest, OffersOnlyRunnersThatDescribeThemselves) {
  const std::string good = R"({"kind":"%","version":"1","contract_version":1,"backends":["host"],"future":1})";
  auto description = [&](const std::string& kind) { return "echo '" + std::string(good).replace(9, 1, kind) + "'"; };
  WriteScript("benchwire-a", description("a"));
  WriteScript("benchwire-b-second-a", description("a"));
  WriteScript("benchwire-bad-json", "echo '{'");
  WriteScript("benchwire-fails", description("fails") + "; exit 3");
  WriteScript("benchwire-flood", "head -c 1000000 /dev/zero");
  WriteScript("benchwire-hangs", "sleep 1000");
  WriteScript("benchwire-next", R"(echo '{"kind":"next","version":"1","contract_version":2}')");
  WriteScript("benchwire-kind", R"(echo '{"kind":"No Kind","version":"1","contract_version":1}')");
  WriteScript("benchwire-server", "touch " + (path_ / "server-ran").string());
  WriteScript("benchwire-worker", "touch " + (path_ / "worker-ran").string());
  WriteScript("other", description("other"));
  std::ofstream(path_ / "benchwire-not-executable") << "x";
  const RunnerCatalog catalog = FindRunners(path_, BENCHWIRE_WORKER_PATH, milliseconds(1500));
  ASSERT_EQ(catalog.size(), 1U);
  EXPECT_EQ(catalog.at("a").path.filename(), "benchwire-a");
  EXPECT_EQ(catalog.at("a").description.backends(0), "host");
  EXPECT_FALSE(std::filesystem::exists(path_ / "server-ran"));
  EXPECT_FALSE(std::filesystem::exists(path_ / "worker-ran"));
}

TEST_F(DirectoryTest, OffersCommandsOnlyWithTheirDefinitions) {
  WriteScript(
      "benchwire-command",
      R"sh([ -n "$BENCHWIRE_COMMANDS" ] || exit 9; [ "$BENCHWIRE_COMMANDS" = good ] || )sh"
      R"sh({ echo "x.json: argv: absent; want a program" >&2; exit 64; }; )sh"
      R"sh(echo '{"kind":"command","version":"1","contract_version":1,"backends":["a"],"environment":["HOME","NOT_SET"]}')sh");
  EXPECT_TRUE(FindRunners(path_, BENCHWIRE_WORKER_PATH, milliseconds(5000)).empty());
  const auto offered = OfferCommands(path_, "good", BENCHWIRE_WORKER_PATH, milliseconds(5000));
  ASSERT_TRUE(offered.ok()) << offered.status();
  EXPECT_EQ(offered->description.backends(0), "a");
  const std::vector<std::string> expected = {"BENCHWIRE_COMMANDS=good", "HOME=" + std::string(std::getenv("HOME"))};
  EXPECT_EQ(offered->environment, expected);
  const auto bad = OfferCommands(path_, "bad", BENCHWIRE_WORKER_PATH, milliseconds(5000));
  EXPECT_THAT(std::string(bad.status().message()), HasSubstr("x.json: argv: absent; want a program"));
  const auto none = OfferCommands(path_ / "elsewhere", "good", BENCHWIRE_WORKER_PATH, milliseconds(5000));
  EXPECT_THAT(std::string(none.status().message()), HasSubstr("there is no benchwire-command in"));
}

TEST(DescriptionTest, SaysWhatIsWrong) {
  EXPECT_THAT(ParseDescription(R"({"kind":"a","version":"1","contract_version":2})").status().message().data(),
              HasSubstr("description.contract_version: '2' is not valid; expected version 1"));
}

}  // namespace
}  // namespace benchwire::agent
