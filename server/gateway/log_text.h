// A runner's log as text for a page. Pure.
#ifndef BENCHWIRE_SERVER_GATEWAY_LOG_TEXT_H_
#define BENCHWIRE_SERVER_GATEWAY_LOG_TEXT_H_

#include <string>
#include <string_view>

namespace benchwire::gateway {

// What a terminal would have left on the screen, roughly: escape sequences removed, of a line rewritten by carriage
// returns the last state, ill-formed UTF-8 replaced by U+FFFD, other control characters dropped.
std::string LogToText(std::string_view log);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_LOG_TEXT_H_
