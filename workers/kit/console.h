// Events for a person: a progress bar and messages on the standard error, and at the end a table of all rows on the
// standard output. One thread.
#ifndef BENCHWIRE_WORKERS_KIT_CONSOLE_H_
#define BENCHWIRE_WORKERS_KIT_CONSOLE_H_

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "workers/kit/events.h"

namespace benchwire::kit {

class Console final : public EventSink {
 public:
  // Turns the rows of the run into the text to print.
  using Render = std::function<std::string(const std::vector<Measurement>&)>;

  // Owns neither stream. `terminal`: whether `messages` is a terminal; without one no bar is drawn.
  Console(std::FILE* table, std::FILE* messages, bool terminal, Render render);

  // WRITE_FAILED or READER_GONE where the table, printed with the result, cannot be written.
  Status Write(const Event& event) override;

 private:
  void Draw(const Progress& progress);
  void ClearBar();

  std::FILE* table_;
  std::FILE* messages_;
  bool terminal_;
  bool bar_drawn_ = false;
  Render render_;
  std::vector<Measurement> rows_;
};

// A value with its unit scaled for reading: 5.1 GB/s, 1.2 us, 3.4 %.
std::string Readable(double value, const std::string& unit);
// 4 KiB, 64 MiB, 1000 B.
std::string ReadableBytes(std::int64_t bytes);
// The cells of a row that tell its number: value, interval, number of samples; without a value only why there is none.
std::vector<std::string> NumberCells(const Measurement& row);
// Lines with their cells padded to the widest of each column.
std::string AlignColumns(const std::vector<std::vector<std::string>>& lines);

}  // namespace benchwire::kit

#endif  // BENCHWIRE_WORKERS_KIT_CONSOLE_H_
