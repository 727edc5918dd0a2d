// How a runner ends: what it tells, and its exit status.
#ifndef BENCHWIRE_WORKERS_KIT_ENDING_H_
#define BENCHWIRE_WORKERS_KIT_ENDING_H_

#include <string>

#include "workers/kit/events.h"
#include "workers/kit/result.h"

namespace benchwire::kit {

// Tells what ended the run, to the sink (may be null) or else on the standard error, and returns `exit`. Nobody is left
// to tell where the reader went away (READER_GONE), and a CANCELLED run was ended by who would be told.
int Fail(const Error& error, EventSink* sink, int exit);

// Writes the text to the standard output, all of it. Returns kExitComplete, or kExitFailed having said why.
int PrintText(const std::string& text);

}  // namespace benchwire::kit

#endif  // BENCHWIRE_WORKERS_KIT_ENDING_H_
