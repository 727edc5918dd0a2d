#include "server/gateway/http_message.h"

#include <array>
#include <charconv>
#include <ctime>

namespace benchwire::gateway {
namespace {

const char* Phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 301:
      return "Moved Permanently";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 421:
      return "Misdirected Request";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 499:
      return "Client Closed Request";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "";
  }
}

// RFC 9110 §5.6.7.
std::string HttpDate(std::time_t now) {
  std::tm parts{};
  gmtime_r(&now, &parts);
  static constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::array<char, 48> rest{};
  std::strftime(rest.data(), rest.size(), " %Y %H:%M:%S GMT", &parts);
  std::array<char, 3> day{};
  std::strftime(day.data(), day.size(), "%d", &parts);
  return std::string(kDays.at(static_cast<size_t>(parts.tm_wday))) + ", " + day.data() + " " +
         kMonths.at(static_cast<size_t>(parts.tm_mon)) + rest.data();
}

void Append(std::string& head, const std::string& name, const std::string& value) {
  head.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

std::string ResponseHead(const HttpResponse& response, const HeaderList& common_headers, const Framing& framing) {
  std::string head;
  head.reserve(1024);
  head.append("HTTP/1.1 ").append(std::to_string(response.status)).append(" ").append(Phrase(response.status));
  head.append("\r\n");
  Append(head, "Date", HttpDate(std::time(nullptr)));
  for (const auto& [name, value] : response.headers) Append(head, name, value);
  for (const auto& [name, value] : common_headers) Append(head, name, value);
  if (framing.stream_length) {
    Append(head, "Content-Length", std::to_string(*framing.stream_length));
  } else if (framing.stream) {
    if (!framing.http_1_0) Append(head, "Transfer-Encoding", "chunked");
  } else if (response.status != 204 && response.status != 304 && !framing.no_length) {
    Append(head, "Content-Length", std::to_string(response.body ? response.body->size() : 0));
  }
  if (framing.close) {
    Append(head, "Connection", "close");
  } else if (framing.http_1_0) {
    Append(head, "Connection", "keep-alive");
  }
  return head.append("\r\n");
}

std::string Chunk(const std::string& content) {
  std::array<char, 16> size{};
  const auto end = std::to_chars(size.data(), size.data() + size.size(), content.size(), 16).ptr;
  std::string chunk(size.data(), end);
  return chunk.append("\r\n").append(content).append("\r\n");
}

}  // namespace benchwire::gateway
