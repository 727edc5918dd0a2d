#include "tests/unit/gateway/http_client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace benchwire::gateway {
namespace {

constexpr int kPatience = 5'000;  // Milliseconds until a test counts as hung.

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Reply ParseHead(const std::string& head) {
  Reply reply;
  reply.head = head;
  reply.status = std::stoi(head.substr(9, 3));
  for (size_t start = head.find("\r\n") + 2; start + 2 < head.size();) {
    const size_t end = head.find("\r\n", start);
    const size_t colon = head.find(": ", start);
    reply.headers[Lower(head.substr(start, colon - start))] = head.substr(colon + 2, end - colon - 2);
    start = end + 2;
  }
  return reply;
}

}  // namespace

HttpClient::HttpClient(int port) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
}

HttpClient::~HttpClient() { close(fd_); }

void HttpClient::Send(const std::string& bytes) {
  size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t count = send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return;  // The server may have refused the rest.
    sent += static_cast<size_t>(count);
  }
}

bool HttpClient::Fill() {
  pollfd waited{.fd = fd_, .events = POLLIN, .revents = 0};
  if (poll(&waited, 1, kPatience) <= 0) return false;
  std::array<char, 65536> bytes{};
  const ssize_t count = recv(fd_, bytes.data(), bytes.size(), 0);
  if (count <= 0) return false;
  buffer_.append(bytes.data(), static_cast<size_t>(count));
  return true;
}

Reply HttpClient::ReadHead() {
  size_t end = 0;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
    if (!Fill()) return {};
  }
  Reply reply = ParseHead(buffer_.substr(0, end + 4));
  buffer_.erase(0, end + 4);
  return reply;
}

Reply HttpClient::Read(bool no_body) {
  Reply reply = ReadHead();
  if (no_body || !reply.headers.contains("content-length")) return reply;
  const size_t length = std::stoul(reply.headers["content-length"]);
  while (buffer_.size() < length) {
    if (!Fill()) return {};
  }
  reply.body = buffer_.substr(0, length);
  buffer_.erase(0, length);
  return reply;
}

std::string HttpClient::ReadUntil(const std::string& text) {
  while (buffer_.find(text) == std::string::npos) {
    if (!Fill()) return "";
  }
  return std::exchange(buffer_, {});
}

bool HttpClient::WaitClosed(std::string* rest) {
  for (;;) {
    pollfd waited{.fd = fd_, .events = POLLIN, .revents = 0};
    if (poll(&waited, 1, kPatience) <= 0) return false;
    if (!Fill()) {
      if (rest != nullptr) *rest = buffer_;
      return true;
    }
  }
}

void HttpClient::ShutdownSend() { shutdown(fd_, SHUT_WR); }

Reply Request(int port, const std::string& method, const std::string& target, const std::string& headers,
              const std::string& body) {
  HttpClient client(port);
  std::string request = method + " " + target + " HTTP/1.1\r\n";
  if (headers.find("Host:") == std::string::npos) request += "Host: localhost:" + std::to_string(port) + "\r\n";
  if (!body.empty()) request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  client.Send(request + headers + "\r\n" + body);
  return client.Read(method == "HEAD");
}

Reply Get(int port, const std::string& target, const std::string& headers) {
  return Request(port, "GET", target, headers);
}

}  // namespace benchwire::gateway
