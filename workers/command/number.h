// Numbers as programs print them. Pure; any thread.
#ifndef BENCHWIRE_WORKERS_COMMAND_NUMBER_H_
#define BENCHWIRE_WORKERS_COMMAND_NUMBER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "workers/kit/result.h"

namespace benchwire::command {

// A decimal number with blanks around it and a sign before it, or not. NOT_A_NUMBER; NOT_FINITE for NaN, an infinity,
// and what no double holds.
kit::Result<double> ParseNumber(const std::string& text);

// As ParseNumber, for a whole number from 0 to 2^53. BAD_STEP.
kit::Result<std::int64_t> ParseStep(const std::string& text);

}  // namespace benchwire::command

#endif  // BENCHWIRE_WORKERS_COMMAND_NUMBER_H_
