// The gateway with sample data, to look at and to measure: `gateway_demo SECONDS`. Prints the port. Not a test, not
// installed.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "tests/unit/gateway/fake_server.h"

int main(int argc, char** argv) {
  const int seconds = argc > 1 ? std::atoi(argv[1]) : 60;
  benchwire::gateway::FakeServer server;
  std::printf("%d\n", server.port());
  std::fflush(stdout);
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  return 0;
}
