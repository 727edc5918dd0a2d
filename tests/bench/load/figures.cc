#include "tests/bench/load/figures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace benchwire::bench {
namespace {

// Four significant digits; large numbers whole.
std::string Shown(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, std::fabs(value) >= 1000 ? "%.0f" : "%.4g", value);
  return buffer;
}

}  // namespace

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double Quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::max<size_t>(rank, 1) - 1];
}

std::string Report::Table() const {
  char line[256];
  std::snprintf(line, sizeof line, "%-32s %10s %21s  %-5s %3s  %s\n", "figure", "median", "min - max", "unit", "n",
                "aim");
  std::string out = line;
  for (const Figure& figure : figures_) {
    const auto [low, high] = std::minmax_element(figure.rounds.begin(), figure.rounds.end());
    const std::string range = Shown(*low) + " - " + Shown(*high);
    std::snprintf(line, sizeof line, "%-32s %10s %21s  %-5s %3zu  %s\n", figure.name.c_str(),
                  Shown(Median(figure.rounds)).c_str(), range.c_str(), figure.unit.c_str(), figure.rounds.size(),
                  figure.aim.c_str());
    out += line;
  }
  return out;
}

std::string Report::Json() const {
  nlohmann::ordered_json figures = nlohmann::ordered_json::array();
  for (const Figure& figure : figures_) {
    const auto [low, high] = std::minmax_element(figure.rounds.begin(), figure.rounds.end());
    const double median = Median(figure.rounds);
    nlohmann::ordered_json one = {
        {"name", figure.name}, {"value", median}, {"unit", figure.unit}, {"n", figure.rounds.size()},
        {"median", median},    {"min", *low},     {"max", *high}};
    if (!figure.reference_name.empty()) {
      one["reference"] = {{"name", figure.reference_name}, {"value", figure.reference}};
    }
    one["how"] = figure.how;
    figures.push_back(std::move(one));
  }
  return nlohmann::ordered_json{{"figures", figures}}.dump(1) + "\n";
}

}  // namespace benchwire::bench
