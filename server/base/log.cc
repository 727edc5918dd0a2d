#include "server/base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace benchwire {

bool SetUpLog(const std::string& level) {
  if (level != "debug" && level != "info" && level != "warn" && level != "error") return false;
  auto logger = std::make_shared<spdlog::logger>("", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %L %v", spdlog::pattern_time_type::utc);
  logger->set_level(spdlog::level::from_str(level));
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(logger);
  return true;
}

std::string LogSafe(const std::string& text) {
  static constexpr size_t kMax = 500;
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (unsigned char c : text.substr(0, kMax)) {
    if (c >= 0x20 && c != 0x7f) {
      out += static_cast<char>(c);
    } else {
      out += "\\x";
      out += kDigits[c >> 4];
      out += kDigits[c & 15];
    }
  }
  return text.size() > kMax ? out + "…" : out;
}

}  // namespace benchwire
