// Numbers from text.
#ifndef BENCHWIRE_WORKERS_KIT_PARSE_NUMBER_H_
#define BENCHWIRE_WORKERS_KIT_PARSE_NUMBER_H_

#include <charconv>
#include <optional>
#include <string_view>

namespace benchwire::kit {

// The whole of `text` as a number that T can hold, or nothing.
template <typename T>
std::optional<T> ParseWhole(std::string_view text) {
  T value{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace benchwire::kit

#endif  // BENCHWIRE_WORKERS_KIT_PARSE_NUMBER_H_
