#include "tests/conformance/engines.h"

#include <utility>

#include "storage/sqlite/store.h"
#include "storage/sqlite/telemetry_store.h"
#include "tests/fakes/memory_store.h"
#include "tests/fakes/memory_telemetry_store.h"

namespace benchwire::storage {

std::vector<Engine> AllEngines() {
  return {{"Sqlite",
           [](const std::string& directory, std::function<void()> after_commit) {
             return SqliteStore::Open(directory + "/main.db", std::move(after_commit)).value();
           },
           [](const std::string& directory, const TelemetryLimits& limits) {
             return SqliteTelemetryStore::Open(directory + "/telemetry.db", directory + "/artifacts", limits).value();
           }},
          {"Memory",
           [](const std::string&, std::function<void()> after_commit) {
             return std::make_unique<MemoryStore>(std::move(after_commit));
           },
           [](const std::string&, const TelemetryLimits& limits) {
             return std::make_unique<MemoryTelemetryStore>(limits);
           }}};
}

std::string EngineName(const testing::TestParamInfo<Engine>& info) { return info.param.name; }

}  // namespace benchwire::storage
