#include "workers/kit/console.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

namespace benchwire::kit {
namespace {

constexpr int kBarWidth = 30;

// Code points, not bytes.
std::size_t Width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](unsigned char byte) { return (byte & 0xC0) != 0x80; }));
}

std::string Scaled(double value, const std::vector<std::pair<double, const char*>>& units) {
  const auto* best = &units.front();
  for (const auto& unit : units) {
    if (std::fabs(value) >= unit.first) best = &unit;
  }
  char text[64];
  std::snprintf(text, sizeof text, "%.4g %s", value / best->first, best->second);
  return text;
}

}  // namespace

Console::Console(std::FILE* table, std::FILE* messages, bool terminal, Render render)
    : table_(table), messages_(messages), terminal_(terminal), render_(std::move(render)) {}

Status Console::Write(const Event& event) {
  if (const auto* progress = std::get_if<Progress>(&event)) {
    if (terminal_) Draw(*progress);
  } else if (const auto* row = std::get_if<Measurement>(&event)) {
    rows_.push_back(*row);
  } else if (const auto* warning = std::get_if<Warning>(&event)) {
    ClearBar();
    std::fprintf(messages_, "warning: %s: %s\n", warning->code.c_str(), warning->message.c_str());
  } else if (const auto* failure = std::get_if<Failure>(&event)) {
    ClearBar();
    std::fprintf(messages_, "error: %s: %s\n", failure->code.c_str(), failure->message.c_str());
  } else if (std::holds_alternative<TypedResult>(event)) {
    ClearBar();
    const std::string text = render_(rows_);
    if (std::fwrite(text.data(), 1, text.size(), table_) != text.size() || std::fflush(table_) != 0) {
      return Error{errno == EPIPE ? "READER_GONE" : "WRITE_FAILED",
                   std::string("standard output: ") + std::strerror(errno)};
    }
  }
  return Status();
}

void Console::Draw(const Progress& progress) {
  const int full = static_cast<int>(progress.fraction * kBarWidth);
  const std::string bar =
      std::string(static_cast<std::size_t>(full), '#') + std::string(static_cast<std::size_t>(kBarWidth - full), '.');
  std::string left;
  if (progress.remaining) left = ", " + std::to_string(progress.remaining->count() / 1000) + " s left";
  std::fprintf(messages_, "\r\033[K[%s] %3.0f %% %s%s", bar.c_str(), progress.fraction * 100, progress.message.c_str(),
               left.c_str());
  std::fflush(messages_);
  bar_drawn_ = true;
}

void Console::ClearBar() {
  if (bar_drawn_) std::fputs("\r\033[K", messages_);
  bar_drawn_ = false;
}

std::string Readable(double value, const std::string& unit) {
  if (unit == "B/s") return Scaled(value, {{1, "B/s"}, {1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}, {1e12, "TB/s"}});
  if (unit == "ns") return Scaled(value, {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}});
  if (unit == "B") return Scaled(value, {{1, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}});
  return Scaled(value, {{1, unit.c_str()}});
}

std::string ReadableBytes(std::int64_t bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (unit < 4 && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + " " + units[unit];
}

std::vector<std::string> NumberCells(const Measurement& row) {
  if (!row.value) return {StatusName(row.status) + " " + row.reason_code};
  return {Readable(*row.value, row.unit),
          row.interval ? Readable(row.interval->low, row.unit) + " … " + Readable(row.interval->high, row.unit) : "–",
          std::to_string(row.samples.size())};
}

std::string AlignColumns(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths;
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], Width(line[i]));
  }
  std::string text;
  for (const auto& line : lines) {
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
      out += line[i];
      if (i + 1 < line.size()) out += std::string(widths[i] - Width(line[i]) + 2, ' ');
    }
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + "\n";
  }
  return text;
}

}  // namespace benchwire::kit
