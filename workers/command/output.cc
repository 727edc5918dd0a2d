#include "workers/command/output.h"

#include <cstdio>

#include "workers/command/event_reader.h"
#include "workers/command/rows.h"

namespace benchwire::command {
namespace {

// Rules on lines of the standard output are followed while the program runs.
bool IsLive(const Rule& rule) { return rule.format == Format::kRegex && rule.file.empty(); }

bool ReadsWholeOutput(const Rule& rule) {
  return rule.file.empty() && rule.format != Format::kRegex && rule.format != Format::kUsage;
}

Row UsageRow(const Rule& rule, const ProgramEnd& end) {
  double value = 0;
  if (rule.value == "wall_time") value = std::chrono::duration<double>(end.wall_time).count();
  if (rule.value == "user_time") value = end.user_seconds;
  if (rule.value == "system_time") value = end.system_seconds;
  if (rule.value == "max_rss") value = static_cast<double>(end.max_rss_bytes);
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  Row row;
  row.where = rule.value;
  row.value = text;
  return row;
}

kit::Result<std::vector<Row>> RowsOf(const Rule& rule, const std::string& text) {
  switch (rule.format) {
    case Format::kJson:
      return JsonRows(rule, text);
    case Format::kJsonLines:
      return JsonLineRows(rule, text);
    case Format::kCsv:
      return CsvRows(rule, text);
    case Format::kRegex:
    case Format::kUsage:
      break;
  }
  return RegexRows(rule, text);
}

}  // namespace

Output::Output(const Definition& definition, const Values& values, kit::EventSink& sink)
    : definition_(definition), sink_(sink), event_lines_(kit::kMaxLineBytes), output_lines_(kMaxLine) {
  for (const Rule& rule : definition.rules) {
    collectors_.emplace_back(rule, values, sink);
    captures_ = captures_ || ReadsWholeOutput(rule);
  }
}

kit::Status Output::OnStandardOutput(std::string_view bytes) {
  if (captures_) {
    too_large_ = too_large_ || captured_.size() + bytes.size() > kMaxText;
    if (!too_large_) captured_.append(bytes);
  }
  output_lines_.Feed(bytes, [this](const std::string& line, bool) {
    if (status_.ok()) status_ = LineOfOutput(line);
  });
  return status_;
}

kit::Status Output::LineOfOutput(const std::string& line) {
  ++line_number_;
  for (std::size_t i = 0; i < collectors_.size(); ++i) {
    if (!IsLive(definition_.rules[i])) continue;
    const auto row = RegexRow(definition_.rules[i], line, line_number_);
    if (!row) continue;
    if (kit::Status status = collectors_[i].Add(*row); !status.ok()) return status;
  }
  return kit::Status();
}

kit::Status Output::OnEvents(std::string_view bytes) {
  event_lines_.Feed(bytes, [this](const std::string& line, bool whole) {
    if (status_.ok()) status_ = Event(line, whole);
  });
  return status_;
}

kit::Status Output::Event(const std::string& line, bool whole) {
  const std::string where = "line " + std::to_string(++event_number_) + ": ";
  if (!whole) return kit::Error{"BAD_EVENT", where + "more than 1 MiB"};
  kit::Result<kit::Event> event = ReadEvent(line);
  if (!event.ok()) return kit::Error{event.error().code, where + event.error().message};
  if (auto* row = std::get_if<kit::Measurement>(&*event)) {
    if (row->case_id.empty()) row->case_id = definition_.name;
    ++contract_counts_.measurements;
  }
  if (std::holds_alternative<kit::Point>(*event)) ++contract_counts_.points;
  const kit::Status status = sink_.Write(*event);
  return status.ok() ? status : kit::Status(kit::Error{status.error().code, where + status.error().message});
}

kit::Result<const std::string*> Output::TextOf(const Rule& rule, const std::filesystem::path& work_dir) {
  if (rule.file.empty()) {
    if (too_large_) return kit::Error{"FILE_TOO_LARGE", "standard output: more than 64 MiB"};
    return &captured_;
  }
  auto found = files_.find(rule.file);
  if (found == files_.end()) {
    kit::Result<FoundFile> file = ReadInside(work_dir, rule.file, kMaxText - file_bytes_);
    if (!file.ok()) return file.error();
    file_bytes_ += file->bytes.size();
    files_read_[file->path] = static_cast<std::int64_t>(file->bytes.size());
    found = files_.emplace(rule.file, std::move(*file)).first;
  }
  return &found->second.bytes;
}

kit::Status Output::ReadRows(std::size_t index, const std::filesystem::path& work_dir, const ProgramEnd& end) {
  const Rule& rule = definition_.rules[index];
  Collector& collector = collectors_[index];
  if (rule.format == Format::kUsage) return collector.Add(UsageRow(rule, end));
  const kit::Result<const std::string*> text = TextOf(rule, work_dir);
  if (!text.ok()) return collector.Fault(text.error());
  const kit::Result<std::vector<Row>> rows = RowsOf(rule, **text);
  const std::string source = rule.file.empty() ? "standard output" : rule.file;
  if (!rows.ok()) return collector.Fault({rows.error().code, source + ": " + rows.error().message});
  for (const Row& row : *rows) {
    if (kit::Status status = collector.Add(row); !status.ok()) return status;
  }
  return kit::Status();
}

kit::Status Output::Finish(const std::filesystem::path& work_dir, const ProgramEnd& end) {
  output_lines_.End([this](const std::string& line, bool) {
    if (status_.ok()) status_ = LineOfOutput(line);
  });
  event_lines_.End([this](const std::string& line, bool whole) {
    if (status_.ok()) status_ = Event(line, whole);
  });
  if (!status_.ok()) return status_;
  for (std::size_t i = 0; i < collectors_.size(); ++i) {
    if (!IsLive(definition_.rules[i])) {
      if (kit::Status status = ReadRows(i, work_dir, end); !status.ok()) return status;
    }
    if (kit::Status status = collectors_[i].Finish(); !status.ok()) return status;
  }
  return kit::Status();
}

Counts Output::counts() const {
  Counts sum = contract_counts_;
  for (const Collector& collector : collectors_) {
    sum.measurements += collector.counts().measurements;
    sum.points += collector.counts().points;
    sum.bad_rows += collector.counts().bad_rows;
  }
  return sum;
}

}  // namespace benchwire::command
