// A series reduced for a plot: its range of steps is cut into buckets of equally many steps, and each keeps its first,
// last, least and largest point, so that spikes stay visible. What a bucket keeps depends only on the points in it and
// the order they were reported in, not on how they lie in blocks: the same range gives the same answer.
//
// "First" and "last" are by step and, where steps are equal, by the order reported; least and largest are the first
// such value in that order. This makes all four associative, so that the summary of a block stands for its points
// wherever the whole block is in one bucket.
#ifndef BENCHWIRE_STORAGE_SERIES_BUCKETS_H_
#define BENCHWIRE_STORAGE_SERIES_BUCKETS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/series/step_value.h"

namespace benchwire::storage {

// A point and its place in the order reported.
struct PlacedPoint {
  StepValue point;
  int64_t place = 0;
};

// What is kept of a set of points. Empty where `count` is 0.
struct Summary {
  int64_t count = 0;
  PlacedPoint first, last, least, largest;

  void Add(const PlacedPoint& point);
  void Add(const Summary& other);
  // With every place raised by `offset`.
  Summary Moved(int64_t offset) const;
};

// Of points reported in this order, places from 0.
Summary Summarise(std::span<const StepValue> points);

// As bytes of a fixed size, without the count; and back. False where the bytes are not of that size.
std::string EncodeSummary(const Summary& summary);
bool DecodeSummary(std::string_view bytes, int64_t count, Summary& out);

// Collects points and summaries of a range of steps. All must lie in it.
class Buckets {
 public:
  // `first_step` <= `last_step`, both at least 0; `count` at least 1.
  Buckets(int64_t first_step, int64_t last_step, int count);

  // Whether all steps between the two fall into one bucket.
  bool InOneBucket(int64_t first_step, int64_t last_step) const;
  // The points have the places from `place`.
  void Add(std::span<const StepValue> points, int64_t place);
  // All in one bucket.
  void Add(const Summary& summary);
  // The points kept, in the order of steps.
  std::vector<StepValue> Take() const;

 private:
  size_t BucketOf(int64_t step) const;
  // Distance from the first step of the range to the first step of a bucket.
  uint64_t BeginOf(size_t bucket) const;

  const int64_t first_step_;
  const uint64_t range_;  // Steps in the range.
  std::vector<Summary> buckets_;
};

// The points in the order of their steps, as reported where those are equal. With `max_buckets` > 0, what the buckets
// over their range keep.
std::vector<StepValue> InStepOrder(std::vector<StepValue> points, int max_buckets);

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_SERIES_BUCKETS_H_
