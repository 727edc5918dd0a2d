// A client that sends exactly the bytes it is given, for tests of what a well-behaved one would never send. Not for
// several threads.
#ifndef BENCHWIRE_TESTS_UNIT_GATEWAY_HTTP_CLIENT_H_
#define BENCHWIRE_TESTS_UNIT_GATEWAY_HTTP_CLIENT_H_

#include <map>
#include <string>

namespace benchwire::gateway {

struct Reply {
  int status = 0;  // 0: the connection ended before a head came.
  std::string head;
  std::map<std::string, std::string> headers;  // Lower-case names.
  std::string body;
};

class HttpClient {
 public:
  explicit HttpClient(int port);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  void Send(const std::string& bytes);
  // Reads one response; `no_body`: to a HEAD.
  Reply Read(bool no_body = false);
  // Reads the head only, of a stream.
  Reply ReadHead();
  // Reads until `text` was seen; returns everything read since the last call, empty where the connection ended or 5 s
  // passed.
  std::string ReadUntil(const std::string& text);
  // True when the server closes the connection within 5 s; bytes before that go to `rest`.
  bool WaitClosed(std::string* rest = nullptr);
  void ShutdownSend();

 private:
  bool Fill();  // More into buffer_; false at the end or after 5 s.

  int fd_ = -1;
  std::string buffer_;
};

// One request on a connection of its own. `headers`: whole lines with CRLF.
Reply Request(int port, const std::string& method, const std::string& target, const std::string& headers = "",
              const std::string& body = "");
Reply Get(int port, const std::string& target, const std::string& headers = "");

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_TESTS_UNIT_GATEWAY_HTTP_CLIENT_H_
