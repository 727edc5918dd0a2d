// Runs commands in this process, each in a directory of its own, and keeps what they report.
#ifndef BENCHWIRE_TESTS_UNIT_COMMAND_COMMAND_FIXTURE_H_
#define BENCHWIRE_TESTS_UNIT_COMMAND_COMMAND_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/fakes/temporary_directory.h"
#include "workers/command/definition.h"
#include "workers/command/run.h"

namespace benchwire::command {

// Keeps every event; each must be one that can be written.
class Events final : public kit::EventSink {
 public:
  kit::Status Write(const kit::Event& event) override {
    const auto line = kit::EventLine(event);
    if (!line.ok()) return line.error();
    all_.push_back(event);
    return kit::Status();
  }
  template <typename Kind>
  std::vector<Kind> Of() const {
    std::vector<Kind> out;
    for (const kit::Event& event : all_) {
      if (const auto* one = std::get_if<Kind>(&event)) out.push_back(*one);
    }
    return out;
  }

 private:
  std::vector<kit::Event> all_;
};

inline Definition Parsed(const nlohmann::json& json) {
  auto definition = ParseDefinition(json.dump(), "/definitions/" + json.value("name", "x") + ".json");
  EXPECT_TRUE(definition.ok()) << definition.error().message;
  return definition.ok() ? std::move(*definition) : Definition();
}

// A rule that reads `value=NUMBER` from the standard output.
inline nlohmann::json ValueRule() {
  return {
      {"from", "regex"}, {"pattern", "^value=(?P<value>.*)$"}, {"metric", "m"}, {"unit", "1"}, {"direction", "NONE"}};
}

// `sh -c SCRIPT sh ARGUMENTS…` with that rule.
inline nlohmann::json Shell(const std::string& script, const std::vector<std::string>& arguments = {}) {
  std::vector<std::string> argv = {"sh", "-c", script, "sh"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  // Braces of the script are braces.
  for (std::size_t at = 0; (at = argv[2].find_first_of("{}", at)) != std::string::npos; at += 2) {
    argv[2].insert(at, 1, argv[2][at]);
  }
  return {{"name", "x"}, {"argv", argv}, {"output", {{"rules", {ValueRule()}}}}};
}

class CommandTest : public ::testing::Test {
 protected:
  CommandTest() {
    options_.work_dir = directory_.path();
    options_.seed = 42;
    options_.get_variable = [this](const char* name) {
      const auto found = variables_.find(name);
      return found == variables_.end() ? nullptr : found->second.c_str();
    };
    options_.cancelled = [] { return false; };
    options_.out_fd = 2;
    options_.grace = std::chrono::milliseconds(200);
  }

  kit::Status Run(const nlohmann::json& definition, Values parameters = {}) {
    options_.parameters = std::move(parameters);
    return RunCommand(Parsed(definition), options_, events_);
  }

  // The code of the error that a run ends with; empty where it succeeds.
  std::string CodeOf(const nlohmann::json& definition, Values parameters = {}) {
    const kit::Status status = Run(definition, std::move(parameters));
    message_ = status.ok() ? "" : status.error().message;
    return status.ok() ? "" : status.error().code;
  }

  std::string File(const std::string& name) const {
    std::ifstream in(std::filesystem::path(directory_.path()) / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }

  nlohmann::json ResultJson() const {
    const auto results = events_.Of<kit::TypedResult>();
    EXPECT_EQ(results.size(), 1U);
    return results.empty() ? nlohmann::json() : nlohmann::json::parse(results[0].json);
  }

  TemporaryDirectory directory_;
  std::map<std::string, std::string> variables_ = {{"PATH", "/usr/bin:/bin"}, {"SECRET", "s3cret"}, {"WANTED", "w"}};
  RunOptions options_;
  Events events_;
  std::string message_;
};

}  // namespace benchwire::command

#endif  // BENCHWIRE_TESTS_UNIT_COMMAND_COMMAND_FIXTURE_H_
