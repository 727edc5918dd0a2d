// How one metric is read from what a program leaves behind. A rule finds rows: the values of a JSON document, of JSON
// lines or of a CSV file, the lines of a text that match a pattern, or what the system measured of the program. Pure;
// any thread.
#ifndef BENCHWIRE_WORKERS_COMMAND_RULE_H_
#define BENCHWIRE_WORKERS_COMMAND_RULE_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "workers/command/template.h"
#include "workers/kit/events.h"
#include "workers/kit/spec_reader.h"

namespace re2 {
class RE2;
}  // namespace re2

namespace benchwire::command {

enum class Format { kJson, kJsonLines, kCsv, kRegex, kUsage };
enum class Rows { kAll, kLast };
enum class Emit { kMeasurement, kSeries, kBoth };
enum class Estimator { kAuto, kMedian, kMean, kMin, kMax };

struct Rule {
  Format format = Format::kRegex;
  std::string file;   // In the working directory; `*` and `?` may stand for a name that the program chose. Empty:
                      // standard output.
  std::string value;  // JSON: pointer (RFC 6901). CSV: header. Usage: wall_time, user_time, system_time or max_rss.
  std::string step;   // JSON lines: pointer. CSV: header. Empty: rows are counted from 0.
  std::shared_ptr<const re2::RE2>
      pattern;           // Regular expression: groups value, step, case, and others, which become labels.
  char delimiter = ',';  // CSV.
  std::vector<std::string> label_columns;  // CSV: their cells become labels.
  Rows rows = Rows::kAll;                  // Of each case and label set.
  std::string metric;
  std::string case_id;
  std::string unit;
  kit::Direction direction = kit::Direction::kNone;
  std::map<std::string, Template> labels;
  double scale = 1;  // What values are multiplied with, to get to the unit.
  Estimator estimator = Estimator::kAuto;
  Emit emit = Emit::kMeasurement;
  // Where true, no row or a row without a usable number fails the attempt. Where false, the measurement has the status
  // ERROR and the reason instead; a point is left out, with a warning.
  bool required = true;
};

// One element of a definition's output.rules. `command` is the case where the rule names none. Errors go into `reader`.
Rule ReadRule(kit::SpecReader& reader, const std::string& command);

// `metric case` for messages.
std::string RuleName(const Rule& rule);

}  // namespace benchwire::command

#endif  // BENCHWIRE_WORKERS_COMMAND_RULE_H_
