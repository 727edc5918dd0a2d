// The process's log: one line an event on stderr, `2026-01-14T09:00:00.000Z INFO message key=value …`. Set up once in
// main; spdlog's default logger is the logger. Any thread.
#ifndef BENCHWIRE_SERVER_BASE_LOG_H_
#define BENCHWIRE_SERVER_BASE_LOG_H_

#include <string>

namespace benchwire {

// `level`: debug, info, warn, error. Returns false where it is none of these.
bool SetUpLog(const std::string& level);

// Text from outside made safe for one log line: control characters as \xNN, cut at 500 bytes.
std::string LogSafe(const std::string& text);

}  // namespace benchwire

#endif  // BENCHWIRE_SERVER_BASE_LOG_H_
