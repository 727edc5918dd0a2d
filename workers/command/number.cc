#include "workers/command/number.h"

#include <charconv>
#include <cmath>
#include <string_view>

#include "workers/command/parameter.h"
#include "workers/kit/text.h"

namespace benchwire::command {

kit::Result<double> ParseNumber(const std::string& text) {
  static constexpr std::string_view kBlanks = " \t\r\n";
  std::string_view rest = text;
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  while (!rest.empty() && kBlanks.find(rest.back()) != std::string_view::npos) rest.remove_suffix(1);
  if (rest.starts_with('+') && !rest.starts_with("+-")) rest.remove_prefix(1);
  double value = 0;
  const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  const bool whole = stop == rest.data() + rest.size();
  if (error == std::errc::result_out_of_range && whole) {
    return kit::Error{"NOT_FINITE", kit::Quoted(text) + "; want a number that a double holds"};
  }
  if (error != std::errc() || !whole) return kit::Error{"NOT_A_NUMBER", kit::Quoted(text) + "; want a number"};
  if (!std::isfinite(value)) return kit::Error{"NOT_FINITE", kit::Quoted(text) + "; want a finite number"};
  return value;
}

kit::Result<std::int64_t> ParseStep(const std::string& text) {
  const kit::Result<double> number = ParseNumber(text);
  if (!number.ok() || *number < 0 || *number > 0x1p53 || std::trunc(*number) != *number) {
    return kit::Error{"BAD_STEP", kit::Quoted(text) + "; want a step from 0 to 2^53"};
  }
  return static_cast<std::int64_t>(*number);
}

}  // namespace benchwire::command
