// The lines of a program that speaks the runner contract (proto/benchwire/v1/runner.proto), as events. Strict: what is
// not an event of a program is an error that says what is wrong. Pure; any thread.
#ifndef BENCHWIRE_WORKERS_COMMAND_EVENT_READER_H_
#define BENCHWIRE_WORKERS_COMMAND_EVENT_READER_H_

#include <string>

#include "workers/kit/events.h"
#include "workers/kit/result.h"

namespace benchwire::command {

// One line, without its line break. BAD_EVENT. A `result` is refused: a program of the kind command has none of its
// own.
kit::Result<kit::Event> ReadEvent(const std::string& line);

}  // namespace benchwire::command

#endif  // BENCHWIRE_WORKERS_COMMAND_EVENT_READER_H_
