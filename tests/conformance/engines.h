// The engines that the conformance suite runs on. A new engine is one more row of AllEngines().
#ifndef BENCHWIRE_TESTS_CONFORMANCE_ENGINES_H_
#define BENCHWIRE_TESTS_CONFORMANCE_ENGINES_H_

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "storage/store.h"
#include "storage/telemetry_store.h"

namespace benchwire::storage {

struct Engine {
  std::string name;
  // Opens empty stores that keep their files, if any, in a directory.
  std::function<std::unique_ptr<Store>(const std::string& directory, std::function<void()> after_commit)> open;
  std::function<std::unique_ptr<TelemetryStore>(const std::string& directory, const TelemetryLimits& limits)>
      open_telemetry;
};

inline void PrintTo(const Engine& engine, std::ostream* out) { *out << engine.name; }

std::vector<Engine> AllEngines();
std::string EngineName(const testing::TestParamInfo<Engine>& info);

}  // namespace benchwire::storage

#endif  // BENCHWIRE_TESTS_CONFORMANCE_ENGINES_H_
