// Everything the worker tells the server about its machine. Reads files and runs nothing. Any thread.
#ifndef BENCHWIRE_WORKERS_AGENT_INVENTORY_H_
#define BENCHWIRE_WORKERS_AGENT_INVENTORY_H_

#include <filesystem>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "benchwire/v1/worker.pb.h"
#include "workers/agent/runner_catalog.h"

namespace benchwire::agent {

inline constexpr char kNvmlLibrary[] = "libnvidia-ml.so.1";

// Host name, kernel, architecture, CPUs of the affinity mask, and what machine_facts.h reads below `root`.
v1::Inventory ReadMachine(const std::filesystem::path& root);

// Adds GPUs by NVML. `library` is what the operator named (BENCHWIRE_NVML_LIBRARY), or empty for kNvmlLibrary.
void AddGpus(const std::string& library, const std::filesystem::path& root, v1::Inventory* inventory);

void AddRunners(const RunnerCatalog& catalog, v1::Inventory* inventory);

// The facts that go with every attempt's result: what is known of hostname, cpu_model, cpus, memory_bytes, kernel,
// operating_system, virtualization, nvidia_driver, and agent_version.
std::map<std::string, std::string> EnvironmentFacts(const v1::Inventory& inventory);

// A worker's id from a host name: `[a-z0-9-]{1,63}`, or empty where nothing is left of it.
std::string SlugOf(const std::string& hostname);

// Adds `KEY=VALUE`. INVALID_ARGUMENT/BAD_FIELD.
absl::Status AddLabel(const std::string& text, v1::Inventory* inventory);

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_INVENTORY_H_
