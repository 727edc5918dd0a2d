// Points and batches for tests.
#ifndef BENCHWIRE_TESTS_FAKES_POINTS_H_
#define BENCHWIRE_TESTS_FAKES_POINTS_H_

#include <benchwire/v1/runner.pb.h>

#include <map>
#include <string>
#include <vector>

#include "storage/series/point_groups.h"

namespace benchwire {

inline v1::Point Point(const std::string& metric, int64_t step, double value,
                       const std::map<std::string, std::string>& labels = {}) {
  v1::Point point;
  point.set_metric(metric);
  point.set_step(step);
  point.set_value(value);
  for (const auto& [key, label] : labels) (*point.mutable_labels())[key] = label;
  return point;
}

inline std::vector<storage::PointGroup> Grouped(const std::vector<v1::Point>& points) {
  return storage::GroupPoints({points.begin(), points.end()});
}

}  // namespace benchwire

#endif  // BENCHWIRE_TESTS_FAKES_POINTS_H_
