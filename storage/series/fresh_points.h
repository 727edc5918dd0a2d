// The points of one report batch as one row, before they are moved into the blocks of their series. Not compressed:
// they are written once more soon.
#ifndef BENCHWIRE_STORAGE_SERIES_FRESH_POINTS_H_
#define BENCHWIRE_STORAGE_SERIES_FRESH_POINTS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/series/step_value.h"

namespace benchwire::storage {

// Appends the points of one series to a row.
void PutFresh(int64_t series, std::span<const StepValue> points, std::string& row);

// Calls visit(series, points) for what was put into a row; only for `series` where it is not 0. False where the bytes
// are not what PutFresh makes.
bool ForEachFresh(std::string_view row, int64_t series,
                  const std::function<void(int64_t, std::vector<StepValue>)>& visit);

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_SERIES_FRESH_POINTS_H_
