#include "storage/series/point_groups.h"

#include <algorithm>
#include <unordered_map>

namespace benchwire::storage {
namespace {

using Labels = google::protobuf::Map<std::string, std::string>;

bool SameSeries(const PointGroup& group, const v1::Point& point) {
  if (group.metric != point.metric() || group.labels.size() != point.labels().size()) return false;
  return std::all_of(point.labels().begin(), point.labels().end(), [&](const Labels::value_type& label) {
    const auto found = group.labels.find(label.first);
    return found != group.labels.end() && found->second == label.second;
  });
}

// Metric and sorted labels with separators that neither may hold. `sorted` is memory to use again.
void SetKey(const v1::Point& point, std::vector<const Labels::value_type*>& sorted, std::string& key) {
  sorted.clear();
  for (const Labels::value_type& label : point.labels()) sorted.push_back(&label);
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  key = point.metric();
  for (const Labels::value_type* label : sorted) {
    key += '\x1e';
    key += label->first;
    key += '\x1f';
    key += label->second;
  }
}

}  // namespace

std::vector<PointGroup> GroupPoints(const google::protobuf::RepeatedPtrField<v1::Point>& points) {
  std::vector<PointGroup> groups;
  std::unordered_map<std::string, size_t> by_key;
  std::vector<const Labels::value_type*> sorted;
  std::string key;
  size_t current = 0;
  for (const v1::Point& point : points) {
    // Most batches hold runs of one series.
    if (groups.empty() || !SameSeries(groups[current], point)) {
      SetKey(point, sorted, key);
      const auto found = by_key.find(key);
      // A key that comes about otherwise is one with control characters in it; whoever checks the groups refuses that.
      const bool known = found != by_key.end() && groups[found->second].metric == point.metric() &&
                         groups[found->second].labels.size() == point.labels().size();
      current = known ? found->second : groups.size();
      if (!known) {
        by_key.emplace(key, current);
        groups.push_back({key, point.metric(), point.labels(), {}});
      }
    }
    groups[current].points.push_back({point.step(), point.value()});
  }
  return groups;
}

}  // namespace benchwire::storage
