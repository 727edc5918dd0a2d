#include "server/base/number_format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace benchwire {
namespace {

struct Scale {
  double factor = 1;  // Shown = value × factor.
  std::string unit;
};

constexpr int kMaxDecimals = 6;

std::string Print(const char* format, int precision, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, precision, value);
  return text.data();
}

std::string Fixed(double value, int decimals) {
  const std::string text = Print("%.*f", decimals, value);
  return text.find_first_not_of("-0.") == std::string::npos && text.front() == '-' ? text.substr(1) : text;
}

int Exponent(double value) { return value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(value)))); }

Scale ScaleOf(double value, const std::string& unit) {
  const double size = std::abs(value);
  if (unit == "ns" || unit == "s") {
    const double seconds = unit == "ns" ? size * 1e-9 : size;
    const double to_seconds = unit == "ns" ? 1e-9 : 1;
    if (seconds == 0 || seconds >= 1) return {seconds == 0 ? 1 : to_seconds, seconds == 0 ? unit : "s"};
    if (seconds >= 1e-3) return {to_seconds * 1e3, "ms"};
    if (seconds >= 1e-6) return {to_seconds * 1e6, "µs"};
    return {to_seconds * 1e9, "ns"};
  }
  if (unit == "B/s" || unit == "B" || unit == "FLOP/s" || unit == "Hz") {
    static constexpr std::array<const char*, 6> kPrefixes = {"", "k", "M", "G", "T", "P"};
    const int step = std::clamp(Exponent(size) / 3, 0, static_cast<int>(kPrefixes.size()) - 1);
    return {std::pow(10.0, -3.0 * step), kPrefixes.at(static_cast<size_t>(step)) + unit};
  }
  return {1, unit == "1" ? "" : unit};
}

// Very large and very small numbers that no prefix helps with.
bool NeedsExponent(double shown) { return shown != 0 && (std::abs(shown) >= 1e9 || std::abs(shown) < 1e-4); }

}  // namespace

Quantity FormatQuantity(double value, const std::string& unit, const v1::Interval* interval) {
  const Scale scale = ScaleOf(value, unit);
  const double shown = value * scale.factor;
  Quantity out;
  out.unit = scale.unit;
  double half = 0;
  if (interval != nullptr) half = std::max(interval->high() - value, value - interval->low()) * scale.factor;
  const bool with_exponent = NeedsExponent(shown);
  const int decimals = std::clamp(half > 0 ? 1 - Exponent(half) : 3 - Exponent(shown), 0, kMaxDecimals);
  const auto text = [&](double number) { return with_exponent ? Print("%.*g", 4, number) : Fixed(number, decimals); };
  const bool is_integer = interval == nullptr && scale.factor == 1 && shown == std::floor(shown) && !with_exponent;
  out.value = is_integer ? Fixed(shown, 0) : text(shown);
  if (interval == nullptr) return out;
  out.plus_minus = text(half);
  out.low = text(interval->low() * scale.factor);
  out.high = text(interval->high() * scale.factor);
  out.confidence = Print("%.*g", 4, interval->confidence() * 100) + " %";
  return out;
}

std::string FormatValue(double value, const std::string& unit) {
  const Scale scale = ScaleOf(value, unit);
  const std::string text = Print("%.*g", 6, value * scale.factor);
  return scale.unit.empty() ? text : text + " " + scale.unit;
}

}  // namespace benchwire
