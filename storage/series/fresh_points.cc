#include "storage/series/fresh_points.h"

#include <utility>

#include "storage/series/codec.h"

namespace benchwire::storage {

void PutFresh(int64_t series, std::span<const StepValue> points, std::string& row) {
  std::string encoded;
  EncodePoints(points, encoded);
  PutVarint(static_cast<uint64_t>(series), row);
  PutVarint(encoded.size(), row);
  row += encoded;
}

bool ForEachFresh(std::string_view row, int64_t series,
                  const std::function<void(int64_t, std::vector<StepValue>)>& visit) {
  while (!row.empty()) {
    uint64_t number = 0, size = 0;
    if (!TakeVarint(row, number) || !TakeVarint(row, size) || size > row.size()) return false;
    std::string_view encoded = row.substr(0, size);
    row.remove_prefix(size);
    if (series != 0 && number != static_cast<uint64_t>(series)) continue;
    std::vector<StepValue> points;
    if (!DecodePoints(encoded, points) || !encoded.empty()) return false;
    visit(static_cast<int64_t>(number), std::move(points));
  }
  return true;
}

}  // namespace benchwire::storage
