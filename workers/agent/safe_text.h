// Bytes from outside as text that is valid UTF-8, of one line and bounded: what goes into a reason or an error. Any
// thread.
#ifndef BENCHWIRE_WORKERS_AGENT_SAFE_TEXT_H_
#define BENCHWIRE_WORKERS_AGENT_SAFE_TEXT_H_

#include <string>
#include <string_view>

namespace benchwire::agent {

// Control characters and bytes that are not UTF-8 become `\xNN`; cut with `…` where it would be longer than `max`
// bytes.
std::string SafeText(std::string_view bytes, size_t max);

}  // namespace benchwire::agent

#endif  // BENCHWIRE_WORKERS_AGENT_SAFE_TEXT_H_
