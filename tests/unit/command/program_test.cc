// Real programs that behave and that do not: what they get, what they may use, and that nothing of them is left.
#include "workers/command/program.h"

#include <signal.h>
#include <sys/stat.h>

#include <cerrno>
#include <sstream>
#include <thread>

#include "tests/unit/command/command_fixture.h"
#include "workers/command/cgroup.h"

namespace benchwire::command {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

bool IsGone(pid_t pid) { return kill(pid, 0) != 0 && errno == ESRCH; }

TEST_F(CommandTest, RunsAProgramToItsResult) {
  Json json = Shell("echo 'value=1.5'; echo noise; echo value=2.5; echo to-stderr >&2", {"{n}"});
  json["parameters"]["n"] = {{"type", "integer"}, {"default", 7}};
  json["version_argv"] = {"sh", "-c", "echo 'shell 1.0'; echo more"};
  json["output"]["rules"][0]["emit"] = "both";
  ASSERT_EQ(CodeOf(json), "") << message_;
  const auto rows = events_.Of<kit::Measurement>();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_THAT(rows[0].samples, ElementsAre(1.5, 2.5));
  EXPECT_EQ(events_.Of<kit::Point>().size(), 2U);
  const Json result = ResultJson();
  EXPECT_EQ(result["command"], "x");
  EXPECT_EQ(result["program_version"], "shell 1.0");
  EXPECT_EQ(result["arguments"].back(), "7");
  EXPECT_EQ(result["measurements"], "1");
  EXPECT_EQ(result["points"], "2");
  EXPECT_EQ(result["output_bytes"], std::to_string(std::string("value=1.5\nnoise\nvalue=2.5\nto-stderr\n").size()));
  EXPECT_EQ(events_.Of<kit::Environment>()[0].values.at("program_version"), "shell 1.0");
}

TEST_F(CommandTest, TheEnvironmentIsAnAllowList) {
  Json json = Shell("env | sort >environment; pwd >directory; ls -l /proc/self/fd | grep -c pipe >pipes; echo value=1");
  json["environment"] = {{"allow", {"WANTED", "NOT_SET"}}, {"set", {{"THREADS", "{n}"}}}};
  json["parameters"]["n"] = {{"type", "integer"}, {"default", 7}};
  ASSERT_EQ(CodeOf(json), "") << message_;
  const std::string environment = File("environment");
  EXPECT_THAT(environment, Not(HasSubstr("s3cret")));
  EXPECT_THAT(environment, Not(HasSubstr("NOT_SET")));
  for (const char* line :
       {"WANTED=w\n", "THREADS=7\n", "BENCHWIRE_SEED=42\n", "BENCHWIRE_DEVICES=\n", "PATH=/usr/bin:/bin\n"}) {
    EXPECT_THAT(environment, HasSubstr(line));
  }
  EXPECT_THAT(environment, HasSubstr("HOME=" + directory_.path() + "\n"));
  EXPECT_EQ(File("directory"), directory_.path() + "\n");
  EXPECT_EQ(File("benchwire_spec.json"), R"({"command":"x","parameters":{"n":"7"}})");
}

TEST_F(CommandTest, FilesAreProvided) {
  Json json = Shell("cat config/run.conf; ./tool");
  json["parameters"]["n"] = {{"type", "integer"}, {"default", 7}};
  json["files"] = {{"config/run.conf", {{"text", "value={n}\n"}}},
                   {"tool", {{"text", "#!/bin/sh\necho value=8\n"}, {"executable", true}}}};
  ASSERT_EQ(CodeOf(json), "") << message_;
  EXPECT_THAT(events_.Of<kit::Measurement>()[0].samples, ElementsAre(7, 8));
}

TEST_F(CommandTest, ExitStatuses) {
  Json json = Shell("echo value=1; exit 3");
  EXPECT_EQ(CodeOf(json), "PROGRAM_FAILED");
  EXPECT_THAT(message_, HasSubstr("exit status 3"));
  json["success_exit_codes"] = {3};
  EXPECT_EQ(CodeOf(json), "");
  EXPECT_EQ(ResultJson()["exit_code"], 3);
  json["success_exit_codes"] = {0};
  json["retry_exit_codes"] = {3};
  EXPECT_EQ(CodeOf(json), "TRY_AGAIN");
  EXPECT_EQ(CodeOf(Shell("kill -SEGV $$")), "PROGRAM_FAILED");
  EXPECT_THAT(message_, HasSubstr("signal 11"));
  json["argv"] = {"no-such-program"};
  EXPECT_EQ(CodeOf(json), "NO_PROGRAM");
  json["argv"] = {directory_.path()};
  EXPECT_EQ(CodeOf(json), "NO_PROGRAM");
  json["argv"] = {"not-a-program"};
  json["files"]["not-a-program"] = {{"text",
                                     "\x7f"
                                     "ELF nonsense"},
                                    {"executable", true}};
  EXPECT_EQ(CodeOf(json), "SPAWN_FAILED");
}

TEST_F(CommandTest, ABadRowStopsARequiredRuleAtOnce) {
  EXPECT_EQ(CodeOf(Shell("echo value=oops; sleep 1000")), "NOT_A_NUMBER");
  EXPECT_THAT(message_, HasSubstr("line 1: \"oops\""));
}

// A rule on a file that the script leaves behind.
Json FileRule(const std::string& script) {
  Json json = Shell(script);
  json["output"]["rules"][0] = {{"from", "json"}, {"file", "out*.json"}, {"value", "/v"},
                                {"metric", "m"},  {"unit", "1"},         {"direction", "NONE"}};
  return json;
}

TEST_F(CommandTest, FilesOfAllKinds) {
  ASSERT_EQ(CodeOf(FileRule("echo '{\"v\": 4}' >out-1.json")), "") << message_;
  EXPECT_EQ(events_.Of<kit::Measurement>()[0].value, 4);
  EXPECT_EQ(ResultJson()["files"], Json::parse(R"([{"path": "out-1.json", "size_bytes": "9"}])"));
  EXPECT_EQ(CodeOf(FileRule("rm -f out*; echo nothing")), "MISSING_FILE");
  EXPECT_EQ(CodeOf(FileRule("touch out1.json out2.json")), "AMBIGUOUS_FILE");
  EXPECT_EQ(CodeOf(FileRule("rm -f out*; ln -s /etc/hostname out.json")), "UNREADABLE_FILE");
  EXPECT_EQ(CodeOf(FileRule("rm -f out*; mkfifo out.json")), "UNREADABLE_FILE");
  EXPECT_EQ(CodeOf(FileRule("rm -f out*; mkdir out.json")), "UNREADABLE_FILE");
  EXPECT_EQ(CodeOf(FileRule("rm -rf out*; : >out.json")), "BAD_JSON");
  EXPECT_EQ(CodeOf(FileRule("truncate -s 70M out.json")), "FILE_TOO_LARGE");
  Json optional = FileRule("rm -f out*");
  optional["output"]["rules"][0]["required"] = false;
  events_ = Events();
  EXPECT_EQ(CodeOf(optional), "");
  EXPECT_EQ(events_.Of<kit::Measurement>()[0].reason_code, "MISSING_FILE");
}

TEST_F(CommandTest, StandardOutputAsAWhole) {
  Json json = Shell("printf 'n,v\\n1,10\\n2,20\\n'");
  json["output"]["rules"][0] = {{"from", "csv"}, {"value", "v"}, {"step", "n"},        {"emit", "both"},
                                {"metric", "m"}, {"unit", "1"},  {"direction", "NONE"}};
  json["output"]["rules"][1] = {
      {"from", "usage"}, {"value", "wall_time"}, {"metric", "t"}, {"unit", "s"}, {"direction", "LOWER"}};
  ASSERT_EQ(CodeOf(json), "") << message_;
  const auto rows = events_.Of<kit::Measurement>();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_THAT(rows[0].samples, ElementsAre(10, 20));
  EXPECT_GT(*rows[1].value, 0);
  EXPECT_EQ(events_.Of<kit::Point>()[1].step, 2);
}

// With control groups where they can be made here, and as on a machine where they cannot.
class LimitTest : public CommandTest, public ::testing::WithParamInterface<bool> {
 protected:
  LimitTest() { options_.use_cgroups = GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Cgroups, LimitTest, ::testing::Bool());

TEST_P(LimitTest, Memory) {
  // Four processes that hold 40 MB each, for as long as they may.
  Json json =
      Shell("for i in 1 2 3 4; do (head -c 40000000 /dev/zero; sleep 1000) | tail -c 40000000 >/dev/null & done; wait");
  json["limits"] = {{"memory_bytes", 100'000'000}, {"wall_time", "60s"}};
  EXPECT_EQ(CodeOf(json), "MEMORY_LIMIT") << message_;
  const std::string by = events_.Of<kit::Environment>()[0].values.at("limit_memory");
  EXPECT_THAT(by, AnyOf(HasSubstr("cgroup v"), HasSubstr("RLIMIT_DATA")));
  if (!GetParam()) {
    EXPECT_THAT(by, HasSubstr("RLIMIT_DATA"));
  }
}

TEST_P(LimitTest, ProcessesOfAForkBomb) {
  // It doubles, but no more than six times: a limit that does not hold must not take the machine with it.
  Json json = Shell("b() { if [ $1 -lt 6 ]; then b $(($1 + 1)) | b $(($1 + 1)) & fi; sleep 1000; }; b 0");
  json["limits"] = {{"processes", 30}, {"wall_time", "60s"}};
  EXPECT_EQ(CodeOf(json), "PROCESS_LIMIT") << message_;
}

TEST_P(LimitTest, SizeOfAFile) {
  Json json = Shell("head -c 100000 /dev/zero >file");
  json["limits"]["file_bytes"] = 65'536;
  EXPECT_EQ(CodeOf(json), "FILE_LIMIT");
  EXPECT_EQ(File("file").size(), 65'536U);
}

TEST_P(LimitTest, OpenFiles) {
  Json json = Shell("ulimit -n; echo value=$(ulimit -n); ulimit -n 100000 2>/dev/null && echo value=0");
  json["limits"]["open_files"] = 16;
  json["success_exit_codes"] = {0, 1, 2};
  ASSERT_EQ(CodeOf(json), "") << message_;
  EXPECT_EQ(events_.Of<kit::Measurement>()[0].samples[0], 16);
}

TEST_P(LimitTest, FloodOfOutput) {
  options_.out_fd = -1;
  Json json = Shell("yes");
  json["limits"]["output_bytes"] = 300'000;
  EXPECT_EQ(CodeOf(json), "OUTPUT_LIMIT");
}

TEST_P(LimitTest, WallTimeOfAProgramThatIgnoresSigterm) {
  Json json = Shell("trap '' TERM; echo $$ >pid; while :; do sleep 0.01; done");
  json["limits"]["wall_time"] = "0.3s";
  EXPECT_EQ(CodeOf(json), "WALL_TIME_LIMIT");
  EXPECT_TRUE(IsGone(std::stoi(File("pid"))));
}

TEST_P(LimitTest, NothingThatLeftTheGroupSurvives) {
  const std::string hide =
      "setsid sh -c '(setsid sleep 1000 & echo $! >hidden; exec 1>&- 2>&-)' & while [ ! -s hidden ]; do "
      "sleep 0.01; done; ";
  ASSERT_EQ(CodeOf(Shell(hide + "echo value=1")), "") << message_;
  EXPECT_TRUE(IsGone(std::stoi(File("hidden"))));
}

TEST_P(LimitTest, ACancelledProgramMayFinishButHasNoResult) {
  options_.cancelled = [this] { return std::filesystem::exists(directory_.path() + "/ready"); };
  EXPECT_EQ(CodeOf(Shell(
                "trap 'echo stopped >stopped; echo value=1; exit 0' TERM; touch ready; while :; do sleep 0.01; done")),
            "CANCELLED");
  EXPECT_EQ(File("stopped"), "stopped\n");
  EXPECT_TRUE(events_.Of<kit::TypedResult>().empty());
}

TEST(CgroupTest, PlacesAreFoundInEveryHierarchy) {
  const std::string mounts =
      "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
      "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
      "39 31 0:36 /slice /sys/fs/cgroup/pids rw shared:9 - cgroup cgroup rw,pids\n"
      "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
  const auto places = FindCgroupPlaces("4:memory:/a/b\n8:pids:/slice/job\n2:cpu,cpuacct:/\n0::/u\nnonsense\n", mounts);
  ASSERT_EQ(places.size(), 3U);
  EXPECT_EQ(places[0].version, 2);
  EXPECT_EQ(places[0].directory, "/sys/fs/cgroup/unified/u");
  EXPECT_EQ(places[1].directory, "/sys/fs/cgroup/memory/a/b");
  EXPECT_EQ(places[2].directory, "/sys/fs/cgroup/pids/job");
  EXPECT_TRUE(FindCgroupPlaces("", "").empty());
  EXPECT_TRUE(FindCgroupPlaces("8:pids:/elsewhere\n", mounts).empty());
}

TEST(CgroupTest, WhereNoneCanBeMadeNothingIsInForce) {
  const auto group = Cgroup::Make({{1, "memory", "/nowhere"}, {2, "", "/nowhere"}}, "x", 1 << 20, 10);
  EXPECT_EQ(group->memory_version(), 0);
  EXPECT_EQ(group->processes_version(), 0);
  EXPECT_TRUE(group->entrances().empty());
  EXPECT_FALSE(group->OutOfMemory());
}

}  // namespace
}  // namespace benchwire::command
