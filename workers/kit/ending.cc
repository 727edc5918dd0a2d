#include "workers/kit/ending.h"

#include <cerrno>
#include <cstdio>

#include "workers/kit/runner.h"

namespace benchwire::kit {

int Fail(const Error& error, EventSink* sink, int exit) {
  if (error.code == "READER_GONE") return kExitFailed;
  const bool told =
      error.code == "CANCELLED" || (sink != nullptr && sink->Write(Failure{error.code, error.message}).ok());
  if (!told || sink == nullptr) std::fprintf(stderr, "error: %s: %s\n", error.code.c_str(), error.message.c_str());
  return exit;
}

int PrintText(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) {
    return kExitComplete;
  }
  return Fail({errno == EPIPE ? "READER_GONE" : "WRITE_FAILED", "standard output cannot be written"}, nullptr,
              kExitFailed);
}

}  // namespace benchwire::kit
