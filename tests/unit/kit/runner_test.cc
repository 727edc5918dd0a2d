#include "workers/kit/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace benchwire::kit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<RunnerInput> Read(const std::map<std::string, std::string>& variables) {
  return ReadRunnerInput([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(RunnerInputTest, ReadsAllVariables) {
  const Result<RunnerInput> input = Read({{"BENCHWIRE_SPEC", "spec.json"},
                                          {"BENCHWIRE_SEED", "9223372036854775807"},
                                          {"BENCHWIRE_EVENTS_FD", "1"},
                                          {"BENCHWIRE_DEVICES", "gpu:GPU-1,core:3"}});
  ASSERT_TRUE(input.ok());
  EXPECT_EQ(input->spec_path, "spec.json");
  EXPECT_EQ(input->seed, INT64_MAX);
  EXPECT_EQ(input->events_fd, 1);
  EXPECT_THAT(input->devices, ElementsAre("gpu:GPU-1", "core:3"));
}

TEST(RunnerInputTest, AbsentVariablesAreAbsent) {
  const Result<RunnerInput> input = Read({{"BENCHWIRE_DEVICES", ""}});
  ASSERT_TRUE(input.ok());
  EXPECT_FALSE(input->spec_path || input->seed || input->events_fd);
  EXPECT_TRUE(input->devices.empty());
}

TEST(RunnerInputTest, BadVariablesAreNamed) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"BENCHWIRE_SEED", "-1"},         {"BENCHWIRE_SEED", "9223372036854775808"},
      {"BENCHWIRE_SEED", "1x"},         {"BENCHWIRE_EVENTS_FD", "9999"},
      {"BENCHWIRE_EVENTS_FD", "three"}, {"BENCHWIRE_DEVICES", "gpu:1,,core:1"},
      {"BENCHWIRE_DEVICES", "core:"},   {"BENCHWIRE_DEVICES", "core:1,"},
      {"BENCHWIRE_DEVICES", "3"}};
  for (const auto& [name, value] : cases) {
    const Result<RunnerInput> input = Read({{name, value}});
    ASSERT_FALSE(input.ok()) << name << "=" << value;
    EXPECT_EQ(input.error().code, "BAD_ENVIRONMENT");
    EXPECT_THAT(input.error().message, HasSubstr(name + ": \"" + value + "\"; want "));
  }
}

TEST(ReadSpecFileTest, ReadsOrSaysWhyNot) {
  const std::string path = ::testing::TempDir() + "spec_file_test.json";
  std::ofstream(path) << "{}\n";
  EXPECT_EQ(*ReadSpecFile(path), "{}\n");
  std::ofstream(path) << std::string((1 << 20) + 1, ' ');
  EXPECT_THAT(ReadSpecFile(path).error().message, HasSubstr("more than 1 MiB"));
  EXPECT_THAT(ReadSpecFile("/nowhere/spec.json").error().message, HasSubstr("No such file"));
  EXPECT_FALSE(ReadSpecFile(::testing::TempDir()).ok());
}

TEST(DescriptionTest, IsOneJsonObject) {
  EXPECT_EQ(DescriptionJson({"p2p", "0.1.0", {"host"}, {{"cuda", "NO_DEVICE: none"}}}),
            R"({"kind":"p2p","version":"0.1.0","contract_version":1,"backends":["host"],)"
            R"("unavailable_backends":{"cuda":"NO_DEVICE: none"}})");
}

}  // namespace
}  // namespace benchwire::kit
