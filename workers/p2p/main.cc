// benchwire-p2p: see --help.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "workers/kit/cancellation.h"
#include "workers/p2p/app.h"
#include "workers/p2p/cuda/cuda_backend.h"
#include "workers/p2p/host/host_backend.h"

namespace benchwire::p2p {
namespace {

kit::Result<std::unique_ptr<Backend>> MakeHost(const std::vector<std::string>& named,
                                               const std::vector<std::string>& granted, const Warn& warn) {
  kit::Result<host::Topology> topology = host::ReadTopology("", host::AllowedCpus(), named, granted);
  if (!topology.ok()) return topology.error();
  if (topology->cores_left_out > 0) {
    warn("ENDPOINTS_SAMPLED", std::to_string(topology->endpoints.size()) + " cores stand for " +
                                  std::to_string(topology->endpoints.size() + topology->cores_left_out) +
                                  "; name others as pairs");
  }
  const host::Copier copier = [](std::byte* to, const std::byte* from, std::size_t size) {
    std::memcpy(to, from, size);
  };
  return std::unique_ptr<Backend>(
      std::make_unique<host::HostBackend>(host::PointContext{"", std::move(*topology), copier, warn}));
}

kit::Status CheckHost() {
  const kit::Result<host::Topology> topology = host::ReadTopology("", host::AllowedCpus(), {}, {});
  return topology.ok() ? kit::Status() : kit::Status(topology.error());
}

kit::Result<cuda::Driver> LoadCuda() {
  const char* library = std::getenv("BENCHWIRE_CUDA_LIBRARY");
  return cuda::LoadDriver(library != nullptr && *library != '\0' ? library : "libcuda.so.1");
}

kit::Result<std::unique_ptr<Backend>> MakeCuda(const std::vector<std::string>&, const std::vector<std::string>& granted,
                                               const Warn&) {
  kit::Result<cuda::Driver> driver = LoadCuda();
  if (!driver.ok()) return driver.error();
  cuda::CudaBackend::Options options;
  options.granted = granted;
  return cuda::CudaBackend::Open(std::move(*driver), std::move(options));
}

kit::Status CheckCuda() {
  const kit::Result<cuda::Driver> driver = LoadCuda();
  if (!driver.ok()) return driver.error();
  const kit::Result<int> count = cuda::CountGpus(*driver);
  return count.ok() ? kit::Status() : kit::Status(count.error());
}

int Main(int argc, char** argv) {
  // Before any thread: the signals it blocks must be blocked in all.
  kit::Cancellation cancellation;
  AppOptions options;
  const auto fail = [](const kit::Error& error) {
    std::fprintf(stderr, "error: %s: %s\n", error.code.c_str(), error.message.c_str());
    return kit::kExitBadSpec;
  };
  kit::Result<CommandLine> line = ParseCommandLine(argc, argv);
  if (!line.ok()) return fail(line.error());
  options.line = std::move(*line);
  kit::Result<kit::RunnerInput> input = kit::ReadRunnerInput([](const char* name) { return std::getenv(name); });
  if (!input.ok()) return fail(input.error());
  options.input = std::move(*input);
  options.host = {MakeHost, CheckHost, "host", host::HostCases(/*single_node=*/false)};
  options.cuda = {MakeCuda, CheckCuda, "cuda", cuda::CudaCases()};
  options.cancelled = [&cancellation] { return cancellation.requested(); };
  return RunApp(options);
}

}  // namespace
}  // namespace benchwire::p2p

int main(int argc, char** argv) { return benchwire::p2p::Main(argc, argv); }
