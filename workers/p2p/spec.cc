#include "workers/p2p/spec.h"

#include <algorithm>

#include "workers/kit/spec_reader.h"

namespace benchwire::p2p {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr std::size_t kMaxCases = 64;
constexpr std::size_t kMaxSizes = 32;
constexpr std::size_t kMaxPairs = 4096;
constexpr std::size_t kMaxIdBytes = 128;

template <typename T>
bool HasDuplicates(const std::vector<T>& values) {
  for (auto value = values.begin(); value != values.end(); ++value) {
    if (std::find(value + 1, values.end(), *value) != values.end()) return true;
  }
  return false;
}

}  // namespace

kit::Result<Spec> ParseSpec(const std::string& text) {
  kit::Result<kit::SpecReader> reader = kit::SpecReader::Parse(text);
  if (!reader.ok()) return reader.error();
  Spec spec;
  int backend = 0;
  reader->Enum(
      "backend",
      {{"P2P_BACKEND_UNSPECIFIED", 1}, {"P2P_BACKEND_AUTO", 1}, {"P2P_BACKEND_CUDA", 2}, {"P2P_BACKEND_HOST", 3}},
      &backend);
  if (backend != 0) spec.backend = static_cast<BackendKind>(backend);
  reader->Texts("cases", kMaxCases, kMaxIdBytes, &spec.cases);
  reader->Integers("sizes_bytes", kMaxSizes, 4096, std::int64_t{1} << 40, &spec.sizes_bytes);
  reader->Objects("pairs", kMaxPairs, [&spec](kit::SpecReader& item) {
    PairName pair;
    item.Text("src", kMaxIdBytes, &pair.src);
    item.Text("dst", kMaxIdBytes, &pair.dst);
    if (pair.src.empty()) item.Refuse("src", "absent", "an endpoint id such as gpu:0, numa:0 or core:3");
    if (pair.dst.empty()) item.Refuse("dst", "absent", "an endpoint id such as gpu:0, numa:0 or core:3");
    spec.pairs.push_back(pair);
  });
  reader->Integer("samples", 1, 10'000, &spec.samples);
  reader->Integer("warmup", 0, 1'000, &spec.warmup);
  reader->Duration("min_sample_time", seconds(0), seconds(60), &spec.min_sample_time);
  int verification = 1;
  reader->Enum("verification",
               {{"P2P_VERIFICATION_UNSPECIFIED", 1}, {"P2P_VERIFICATION_FULL", 1}, {"P2P_VERIFICATION_NONE", 2}},
               &verification);
  spec.verify = verification == 1;
  reader->Duration("pair_deadline", seconds(1), hours(1), &spec.pair_deadline);
  // An empty list is protobuf's way of saying nothing.
  if (spec.cases.empty()) spec.cases = Spec().cases;
  if (spec.sizes_bytes.empty()) spec.sizes_bytes = Spec().sizes_bytes;
  if (HasDuplicates(spec.sizes_bytes)) reader->Refuse("sizes_bytes", "a size stands twice", "each size once");
  if (HasDuplicates(spec.pairs)) reader->Refuse("pairs", "a pair stands twice", "each pair once");
  if (kit::Status status = reader->Finish(); !status.ok()) return status.error();
  return spec;
}

}  // namespace benchwire::p2p
