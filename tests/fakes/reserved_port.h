// A port on 127.0.0.1 that belongs to its object: a gRPC server of this process may listen on it, stop and listen
// again, and meanwhile no other process that asks for any free port gets it. Tests that run side by side would
// otherwise talk to each other's servers.
#ifndef BENCHWIRE_TESTS_FAKES_RESERVED_PORT_H_
#define BENCHWIRE_TESTS_FAKES_RESERVED_PORT_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace benchwire {

class ReservedPort {
 public:
  // Bound with SO_REUSEPORT, as gRPC does, and never listening: who connects while the server is away is refused.
  ReservedPort() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (socket_ < 0 || setsockopt(socket_, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0 ||
        bind(socket_, any, size) != 0 || getsockname(socket_, any, &size) != 0) {
      throw std::runtime_error("no free port");
    }
    port_ = ntohs(address.sin_port);
  }
  ~ReservedPort() { close(socket_); }
  ReservedPort(const ReservedPort&) = delete;
  ReservedPort& operator=(const ReservedPort&) = delete;

  int port() const { return port_; }

 private:
  const int socket_;
  int port_ = 0;
};

}  // namespace benchwire

#endif  // BENCHWIRE_TESTS_FAKES_RESERVED_PORT_H_
