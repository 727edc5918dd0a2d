#include "workers/agent/runner_environment.h"

#include <cstdlib>

#include "workers/agent/keeper.h"

namespace benchwire::agent {

std::vector<std::string> BaseEnvironment() {
  static constexpr const char* kAllowed[] = {"PATH",
                                             "LANG",
                                             "LC_ALL",
                                             "LC_CTYPE",
                                             "TZ",
                                             "LD_LIBRARY_PATH",
                                             "BENCHWIRE_CUDA_LIBRARY",
                                             "BENCHWIRE_NVML_LIBRARY"};
  std::vector<std::string> out;
  for (const char* name : kAllowed) {
    if (const char* value = std::getenv(name)) out.push_back(std::string(name) + "=" + value);
  }
  if (std::getenv("PATH") == nullptr) out.emplace_back("PATH=/usr/local/bin:/usr/bin:/bin");
  return out;
}

std::vector<std::string> RunnerEnvironment(const v1::Lease& lease, const std::filesystem::path& spec,
                                           const std::filesystem::path& work) {
  static constexpr char kGpu[] = "gpu:";
  std::string devices;
  std::string gpus;
  for (const std::string& device : lease.devices()) {
    devices += (devices.empty() ? "" : ",") + device;
    if (device.rfind(kGpu, 0) == 0) gpus += (gpus.empty() ? "" : ",") + device.substr(sizeof kGpu - 1);
  }
  std::vector<std::string> out = BaseEnvironment();
  out.push_back("HOME=" + work.string());
  out.push_back("TMPDIR=" + work.string());
  out.push_back("BENCHWIRE_SPEC=" + spec.string());
  out.push_back("BENCHWIRE_SEED=" + std::to_string(lease.seed()));
  out.push_back("BENCHWIRE_DEVICES=" + devices);
  out.push_back("BENCHWIRE_EVENTS_FD=" + std::to_string(kEventsFd));
  out.push_back("CUDA_VISIBLE_DEVICES=" + gpus);
  return out;
}

}  // namespace benchwire::agent
