#include "storage/series/buckets.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace benchwire::storage {
namespace {

__extension__ using Wide = unsigned __int128;

bool Before(const PlacedPoint& a, const PlacedPoint& b) {
  return std::pair(a.point.step, a.place) < std::pair(b.point.step, b.place);
}
bool IsLess(const PlacedPoint& a, const PlacedPoint& b) {
  return a.point.value < b.point.value || (a.point.value == b.point.value && Before(a, b));
}
bool IsLarger(const PlacedPoint& a, const PlacedPoint& b) {
  return a.point.value > b.point.value || (a.point.value == b.point.value && Before(a, b));
}

constexpr size_t kPlacedBytes = 24;

}  // namespace

void Summary::Add(const PlacedPoint& point) {
  if (count == 0) {
    *this = {1, point, point, point, point};
    return;
  }
  ++count;
  if (Before(point, first)) first = point;
  if (Before(last, point)) last = point;
  if (IsLess(point, least)) least = point;
  if (IsLarger(point, largest)) largest = point;
}

void Summary::Add(const Summary& other) {
  if (other.count == 0) return;
  if (count == 0) {
    *this = other;
    return;
  }
  count += other.count;
  if (Before(other.first, first)) first = other.first;
  if (Before(last, other.last)) last = other.last;
  if (IsLess(other.least, least)) least = other.least;
  if (IsLarger(other.largest, largest)) largest = other.largest;
}

Summary Summary::Moved(int64_t offset) const {
  Summary out = *this;
  for (PlacedPoint* point : {&out.first, &out.last, &out.least, &out.largest}) point->place += offset;
  return out;
}

Summary Summarise(std::span<const StepValue> points) {
  Summary out;
  int64_t place = 0;
  for (const StepValue& point : points) out.Add(PlacedPoint{point, place++});
  return out;
}

std::string EncodeSummary(const Summary& summary) {
  static_assert(std::endian::native == std::endian::little, "the bytes of a summary are those of its numbers");
  std::string out;
  for (const PlacedPoint& point : {summary.first, summary.last, summary.least, summary.largest}) {
    char bytes[kPlacedBytes];
    std::memcpy(bytes, &point.point.step, 8);
    std::memcpy(bytes + 8, &point.point.value, 8);
    std::memcpy(bytes + 16, &point.place, 8);
    out.append(bytes, sizeof bytes);
  }
  return out;
}

bool DecodeSummary(std::string_view bytes, int64_t count, Summary& out) {
  if (bytes.size() != 4 * kPlacedBytes) return false;
  out.count = count;
  for (PlacedPoint* point : {&out.first, &out.last, &out.least, &out.largest}) {
    std::memcpy(&point->point.step, bytes.data(), 8);
    std::memcpy(&point->point.value, bytes.data() + 8, 8);
    std::memcpy(&point->place, bytes.data() + 16, 8);
    bytes.remove_prefix(kPlacedBytes);
  }
  return true;
}

Buckets::Buckets(int64_t first_step, int64_t last_step, int count)
    : first_step_(first_step),
      range_(static_cast<uint64_t>(last_step) - static_cast<uint64_t>(first_step) + 1),
      buckets_(static_cast<size_t>(count)) {}

size_t Buckets::BucketOf(int64_t step) const {
  const uint64_t place = static_cast<uint64_t>(step) - static_cast<uint64_t>(first_step_);
  return static_cast<size_t>(static_cast<Wide>(place) * buckets_.size() / range_);
}

uint64_t Buckets::BeginOf(size_t bucket) const {
  return static_cast<uint64_t>((static_cast<Wide>(bucket) * range_ + buckets_.size() - 1) / buckets_.size());
}

bool Buckets::InOneBucket(int64_t first_step, int64_t last_step) const {
  return BucketOf(first_step) == BucketOf(last_step);
}

void Buckets::Add(std::span<const StepValue> points, int64_t place) {
  size_t bucket = 0;
  uint64_t begin = 0, end = 0;
  for (const StepValue& point : points) {
    const uint64_t at = static_cast<uint64_t>(point.step) - static_cast<uint64_t>(first_step_);
    if (at < begin || at >= end) {  // Dividing for each point would be most of the work.
      bucket = BucketOf(point.step);
      begin = BeginOf(bucket);
      end = BeginOf(bucket + 1);
    }
    buckets_[bucket].Add(PlacedPoint{point, place++});
  }
}

void Buckets::Add(const Summary& summary) {
  if (summary.count > 0) buckets_[BucketOf(summary.first.point.step)].Add(summary);
}

std::vector<StepValue> Buckets::Take() const {
  std::vector<StepValue> out;
  for (const Summary& bucket : buckets_) {
    if (bucket.count == 0) continue;
    std::vector<PlacedPoint> kept = {bucket.first, bucket.last, bucket.least, bucket.largest};
    std::sort(kept.begin(), kept.end(), Before);
    for (size_t i = 0; i < kept.size(); ++i) {
      if (i == 0 || kept[i].place != kept[i - 1].place) out.push_back(kept[i].point);
    }
  }
  return out;
}

std::vector<StepValue> InStepOrder(std::vector<StepValue> points, int max_buckets) {
  const auto by_step = [](const StepValue& a, const StepValue& b) { return a.step < b.step; };
  if (max_buckets == 0 || points.empty()) {
    if (!std::is_sorted(points.begin(), points.end(), by_step)) {
      std::stable_sort(points.begin(), points.end(), by_step);
    }
    return points;
  }
  const auto [least, largest] = std::minmax_element(points.begin(), points.end(), by_step);
  Buckets buckets(least->step, largest->step, max_buckets);
  buckets.Add(points, 0);
  return buckets.Take();
}

}  // namespace benchwire::storage
