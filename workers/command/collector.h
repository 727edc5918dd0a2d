// Turns the rows of one rule into points and measurements. Rows with the same case and labels are the samples of one
// measurement. One thread.
#ifndef BENCHWIRE_WORKERS_COMMAND_COLLECTOR_H_
#define BENCHWIRE_WORKERS_COMMAND_COLLECTOR_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workers/command/rows.h"
#include "workers/command/rule.h"
#include "workers/command/template.h"
#include "workers/kit/events.h"

namespace benchwire::command {

// What was written.
struct Counts {
  std::int64_t measurements = 0;
  std::int64_t points = 0;
  std::int64_t bad_rows = 0;
};

class Collector {
 public:
  static constexpr std::size_t kMaxGroups = 1000;

  // `values` fill the rule's labels. Owns none of them; `rule` and `sink` outlive it.
  Collector(const Rule& rule, const Values& values, kit::EventSink& sink);

  // The next row. Points are written at once. An error, of a rule that is required or of the sink, ends the attempt.
  kit::Status Add(const Row& row);
  // The whole source is wrong: what Add says of a bad row, for every row there might have been.
  kit::Status Fault(const kit::Error& error);
  // After the last row: writes the measurements.
  kit::Status Finish();

  const Counts& counts() const { return counts_; }

 private:
  using Key = std::pair<std::string, kit::Labels>;
  struct Group {
    std::vector<double> samples;
    std::int64_t rows = 0;
    std::optional<Row> last;  // Where only the last row counts.
    std::optional<kit::Error> first_fault;
  };

  kit::Status Take(const Key& key, Group& group, const Row& row);
  kit::Status Refuse(Group& group, const Row& row, const kit::Error& error);
  kit::Status WriteGroup(const Key& key, const Group& group);
  kit::Measurement RowOf(const Key& key) const;
  void Estimate(const std::vector<double>& samples, kit::Measurement* row) const;
  // With the rule's name before it.
  kit::Error Named(const kit::Error& error) const;

  const Rule& rule_;
  kit::EventSink& sink_;
  kit::Labels labels_;
  std::map<Key, Group> groups_;
  std::optional<kit::Error> fault_;
  Counts counts_;
};

}  // namespace benchwire::command

#endif  // BENCHWIRE_WORKERS_COMMAND_COLLECTOR_H_
