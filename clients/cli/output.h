// Where text goes: a descriptor, and what is known of it. Nothing is buffered beyond one Write. After the first failed
// write all later ones are dropped, and `status()` says why. One thread.
#ifndef BENCHWIRE_CLIENTS_CLI_OUTPUT_H_
#define BENCHWIRE_CLIENTS_CLI_OUTPUT_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace benchwire::cli {

// Before anything is opened: where a standard descriptor is closed, puts one there that refuses to be read or written,
// so that no socket gets its number and our output.
void HoldStandardDescriptors();

class Output {
 public:
  // `fd` stays the caller's.
  explicit Output(int fd);

  // Writes all of it. False from the first failure on.
  bool Write(std::string_view bytes);
  bool Line(std::string_view text) { return Write(std::string(text) + "\n"); }

  bool ok() const { return error_ == 0; }
  // The reader of a pipe went away.
  bool broken() const;
  // INTERNAL with the reason where a write failed.
  absl::Status status() const;

  int fd() const { return fd_; }
  bool terminal() const { return terminal_; }
  // True on a terminal that shows colours, unless NO_COLOR is set.
  bool colour() const { return colour_; }
  // True on a terminal whose cursor can be moved, so that what was written can be written over.
  bool rewritable() const;
  // Columns and lines of the terminal now; 0 where it is none.
  int width() const;
  int height() const;

  // `text` between the SGR codes for `code` (such as "1" bold, "32" green), or plain.
  std::string Styled(std::string_view text, std::string_view code) const;

 private:
  const int fd_;
  const bool terminal_;
  const bool colour_;
  int error_ = 0;
};

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_OUTPUT_H_
