// One point of a series.
#ifndef BENCHWIRE_STORAGE_SERIES_STEP_VALUE_H_
#define BENCHWIRE_STORAGE_SERIES_STEP_VALUE_H_

#include <cstdint>

namespace benchwire::storage {

struct StepValue {
  int64_t step = 0;
  double value = 0;
  bool operator==(const StepValue&) const = default;
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_SERIES_STEP_VALUE_H_
