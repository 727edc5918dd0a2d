// Cuts a stream of bytes into lines. A line ends with LF or CR LF; what stands beyond `max` bytes of a line is dropped,
// so that a stream without line breaks costs no memory. One thread at a time.
#ifndef BENCHWIRE_WORKERS_COMMAND_LINES_H_
#define BENCHWIRE_WORKERS_COMMAND_LINES_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace benchwire::command {

class Lines {
 public:
  explicit Lines(std::size_t max) : max_(max) {}

  // Calls `line(text, whole)` for each line that ends in `bytes`; `whole` is false where it was cut.
  template <typename Line>
  void Feed(std::string_view bytes, const Line& line) {
    while (!bytes.empty()) {
      const std::size_t end = std::min(bytes.find('\n'), bytes.size());
      Append(bytes.substr(0, end));
      if (end == bytes.size()) return;
      Give(line);
      bytes.remove_prefix(end + 1);
    }
  }

  // At the end of the stream: a last line without a line break counts.
  template <typename Line>
  void End(const Line& line) {
    if (any_) Give(line);
  }

 private:
  void Append(std::string_view part) {
    any_ = true;
    const std::size_t room = max_ - line_.size();
    whole_ = whole_ && part.size() <= room;
    line_.append(part.substr(0, room));
  }

  template <typename Line>
  void Give(const Line& line) {
    if (whole_ && line_.ends_with('\r')) line_.pop_back();
    line(line_, whole_);
    line_.clear();
    whole_ = true;
    any_ = false;
  }

  const std::size_t max_;
  std::string line_;
  bool whole_ = true;
  bool any_ = false;
};

}  // namespace benchwire::command

#endif  // BENCHWIRE_WORKERS_COMMAND_LINES_H_
