// Text from outside, made fit to be shown or stored. Pure.
#ifndef BENCHWIRE_WORKERS_KIT_TEXT_H_
#define BENCHWIRE_WORKERS_KIT_TEXT_H_

#include <cstddef>
#include <string>

namespace benchwire::kit {

// At most `limit` bytes, cut between characters of UTF-8, with `instead` for each control character.
std::string CleanText(const std::string& text, std::size_t limit, char instead);

// For messages: `"text"`, its first 80 bytes, control characters as `?`.
std::string Quoted(const std::string& text);

}  // namespace benchwire::kit

#endif  // BENCHWIRE_WORKERS_KIT_TEXT_H_
