// The points of a report batch, taken apart by series: done once, on the thread that received the batch, so that the
// thread that writes has little left to do for a point.
#ifndef BENCHWIRE_STORAGE_SERIES_POINT_GROUPS_H_
#define BENCHWIRE_STORAGE_SERIES_POINT_GROUPS_H_

#include <benchwire/v1/runner.pb.h>

#include <string>
#include <vector>

#include "storage/series/step_value.h"

namespace benchwire::storage {

struct PointGroup {
  std::string
      key;  // Metric and labels as one text. The same for the same series where neither holds control characters.
  std::string metric;
  google::protobuf::Map<std::string, std::string> labels;
  std::vector<StepValue> points;  // In the order reported.
};

// Groups in the order of their first points. Points of one group have the same metric and labels, unless the first of
// them has control characters there. Pure.
std::vector<PointGroup> GroupPoints(const google::protobuf::RepeatedPtrField<v1::Point>& points);

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_SERIES_POINT_GROUPS_H_
