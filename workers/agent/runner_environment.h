// The environment a runner gets: an allow-list of the agent's own, so that no secret is passed on, and the job's
// inputs. Pure but for reading the agent's environment. Any thread that does not race with setenv.
#ifndef BENCHWIRE_WORKERS_AGENT_RUNNER_ENVIRONMENT_H_
#define BENCHWIRE_WORKERS_AGENT_RUNNER_ENVIRONMENT_H_

#include <filesystem>
#include <string>
#include <vector>

#include "benchwire/v1/agent_service.pb.h"

namespace benchwire::agent {

// PATH, locale, library paths: what of the allow-list is set here, as `NAME=value`.
std::vector<std::string> BaseEnvironment();

// Adds the job's variables. CUDA_VISIBLE_DEVICES names exactly the leased GPUs and is empty where there is none: a
// runner must not use a device that it was not given.
std::vector<std::string> RunnerEnvironment(const v1::Lease& lease, const std::filesystem::path& spec,
                                           const std::filesystem::path& work);

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_RUNNER_ENVIRONMENT_H_
