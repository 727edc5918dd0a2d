// Whether a job fits a worker: ever, now, or when. Pure.
#ifndef BENCHWIRE_SERVER_CORE_FIT_H_
#define BENCHWIRE_SERVER_CORE_FIT_H_

#include <optional>
#include <string>
#include <vector>

#include "server/core/scheduling_snapshot.h"

namespace benchwire::core {

// Why the worker could never run such a job, however idle; empty where it could.
std::string WhyIncapable(const v1::Inventory& inventory, const std::string& kind, const v1::Requirements& requirements);
// The same without words.
bool IsCapable(const v1::Inventory& inventory, const std::string& kind, const v1::Requirements& requirements);

// The devices that the job would be given on a capable worker as it is now; nothing where it does not fit now. A job
// with HOST exclusivity gets every device that is of the kind, memory and model it wants. Which devices others get: see
// device_choice.h.
std::optional<std::vector<std::string>> Fit(const WorkerLoad& load, const v1::Requirements& requirements);

// Why it does not fit now; empty where it does.
std::string WhyBusy(const WorkerLoad& load, const v1::Requirements& requirements);

// When the job fits a capable worker at the latest, as far as the timeouts of the jobs there tell. A job that is beyond
// its timeout is expected to take a minute more, or as long again as it is beyond it.
WallTime ExpectedFit(const WorkerLoad& load, const v1::Requirements& requirements, WallTime now);
// When a grant is expected to be over, by the same rule.
WallTime ExpectedEnd(const Grant& grant, WallTime now);

// Logical CPUs and devices.
struct Amount {
  int64_t cpus = 0;
  int64_t devices = 0;
};
Amount AmountOf(const v1::Inventory& inventory);
// What a job takes of a worker: all of it with HOST exclusivity.
Amount AmountTaken(const v1::Inventory& inventory, const v1::Requirements& requirements, size_t devices);
// What is free.
Amount AmountFree(const WorkerLoad& load);

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_FIT_H_
