// What a program writes, on its way to events: the lines of a program that speaks the runner contract, or the rows that
// the rules of its definition find in its standard output and its files. One thread.
#ifndef BENCHWIRE_WORKERS_COMMAND_OUTPUT_H_
#define BENCHWIRE_WORKERS_COMMAND_OUTPUT_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "workers/command/collector.h"
#include "workers/command/definition.h"
#include "workers/command/lines.h"
#include "workers/command/path.h"
#include "workers/command/program.h"
#include "workers/kit/events.h"

namespace benchwire::command {

class Output final : public OutputListener {
 public:
  // What rules may read: of the standard output, and of all files together.
  static constexpr std::size_t kMaxText = std::size_t{64} << 20;

  // `definition` and `sink` outlive it.
  Output(const Definition& definition, const Values& values, kit::EventSink& sink);

  kit::Status OnStandardOutput(std::string_view bytes) override;
  kit::Status OnEvents(std::string_view bytes) override;

  // After the program's good end: reads its files in `work_dir` and writes the measurements.
  kit::Status Finish(const std::filesystem::path& work_dir, const ProgramEnd& end);

  Counts counts() const;
  // Path and size of the files that were read.
  const std::map<std::string, std::int64_t>& files_read() const { return files_read_; }

 private:
  kit::Status Event(const std::string& line, bool whole);
  kit::Status LineOfOutput(const std::string& line);
  // The text a rule reads: standard output, or a file, read once for all rules.
  kit::Result<const std::string*> TextOf(const Rule& rule, const std::filesystem::path& work_dir);
  kit::Status ReadRows(std::size_t index, const std::filesystem::path& work_dir, const ProgramEnd& end);

  const Definition& definition_;
  kit::EventSink& sink_;
  std::vector<Collector> collectors_;  // One for each rule.
  Lines event_lines_;
  Lines output_lines_;
  std::int64_t event_number_ = 0;
  std::int64_t line_number_ = 0;
  kit::Status status_;     // The first error of a line.
  bool captures_ = false;  // A rule reads the standard output as a whole.
  bool too_large_ = false;
  std::string captured_;
  std::map<std::string, FoundFile> files_;  // By the rule's pattern.
  std::size_t file_bytes_ = 0;              // Of all of them.
  std::map<std::string, std::int64_t> files_read_;
  Counts contract_counts_;
};

}  // namespace benchwire::command

#endif  // BENCHWIRE_WORKERS_COMMAND_OUTPUT_H_
