#include "workers/kit/runner.h"

#include <fcntl.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "workers/kit/parse_number.h"

namespace benchwire::kit {
namespace {

constexpr std::size_t kMaxSpecBytes = std::size_t{1} << 20;

Error BadVariable(const std::string& name, const std::string& value, const std::string& want) {
  return Error{"BAD_ENVIRONMENT", name + ": \"" + value + "\"; want " + want};
}

}  // namespace

Result<RunnerInput> ReadRunnerInput(const GetVariable& get) {
  RunnerInput input;
  if (const char* path = get("BENCHWIRE_SPEC"); path != nullptr && *path != '\0') input.spec_path = path;
  if (const char* seed = get("BENCHWIRE_SEED"); seed != nullptr && *seed != '\0') {
    input.seed = ParseWhole<std::int64_t>(seed);
    if (!input.seed || *input.seed < 0) return BadVariable("BENCHWIRE_SEED", seed, "an integer from 0 to 2^63-1");
  }
  if (const char* fd = get("BENCHWIRE_EVENTS_FD"); fd != nullptr && *fd != '\0') {
    input.events_fd = ParseWhole<int>(fd);
    if (!input.events_fd || fcntl(*input.events_fd, F_GETFD) < 0) {
      return BadVariable("BENCHWIRE_EVENTS_FD", fd, "the number of an open descriptor");
    }
  }
  if (const char* devices = get("BENCHWIRE_DEVICES"); devices != nullptr && *devices != '\0') {
    const std::string list = devices;
    for (std::size_t start = 0; start <= list.size();) {
      const std::size_t comma = std::min(list.find(',', start), list.size());
      const std::string device = list.substr(start, comma - start);
      const std::size_t colon = device.find(':');
      if (colon == 0 || colon == std::string::npos || colon + 1 == device.size()) {
        return BadVariable("BENCHWIRE_DEVICES", list, "ids such as gpu:UUID, numa:0 or core:3 with commas between");
      }
      input.devices.push_back(device);
      start = comma + 1;
    }
  }
  return input;
}

Result<std::string> ReadSpecFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{"SPEC_UNREADABLE", path + ": " + std::strerror(errno)};
  std::string text(kMaxSpecBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (file.fail() && !file.eof())) return Error{"SPEC_UNREADABLE", path + ": " + std::strerror(errno)};
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxSpecBytes) return Error{"SPEC_UNREADABLE", path + ": more than 1 MiB"};
  return text;
}

std::string DescriptionJson(const Description& description) {
  nlohmann::ordered_json json = {{"kind", description.kind},
                                 {"version", description.version},
                                 {"contract_version", kContractVersion},
                                 {"backends", description.backends}};
  if (!description.unavailable_backends.empty()) json["unavailable_backends"] = description.unavailable_backends;
  if (!description.environment.empty()) json["environment"] = description.environment;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace benchwire::kit
