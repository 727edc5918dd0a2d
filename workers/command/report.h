// The tables that a person sees. Pure; any thread.
#ifndef BENCHWIRE_WORKERS_COMMAND_REPORT_H_
#define BENCHWIRE_WORKERS_COMMAND_REPORT_H_

#include <string>
#include <vector>

#include "workers/command/definition.h"
#include "workers/kit/events.h"

namespace benchwire::command {

// The rows of a run.
std::string RowsText(const std::vector<kit::Measurement>& rows);

// Commands with their parameters.
std::string CommandsText(const Definitions& definitions);

}  // namespace benchwire::command

#endif  // BENCHWIRE_WORKERS_COMMAND_REPORT_H_
