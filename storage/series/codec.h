// Points as bytes, any step and any bit pattern of a value. Steps are zigzag varints of their differences; each value
// is XORed with the one before it, and the results are stored byte plane by byte plane, the highest first, so that what
// neighbours have in common comes as runs of zeros that a general compressor makes nothing of. Blocks are such bytes
// compressed with zstd (RFC 8878).
#ifndef BENCHWIRE_STORAGE_SERIES_CODEC_H_
#define BENCHWIRE_STORAGE_SERIES_CODEC_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/series/step_value.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace benchwire::storage {

// Appends the points to `out`, self-delimiting: what is appended next does not matter to DecodePoints.
void EncodePoints(std::span<const StepValue> points, std::string& out);
// Takes one such sequence from the front of `bytes` and appends its points to `out`. False where the bytes are not what
// EncodePoints makes; `out` may then have grown.
bool DecodePoints(std::string_view& bytes, std::vector<StepValue>& out);

// Small numbers as few bytes (LEB128); Take* removes from the front, false at the end or where it does not fit.
void PutVarint(uint64_t value, std::string& out);
bool TakeVarint(std::string_view& bytes, uint64_t& value);

// Compresses blocks, with memory it uses again. One thread at a time.
class BlockCodec {
 public:
  BlockCodec();
  ~BlockCodec();

  // At most kMaxPoints points.
  std::string Encode(std::span<const StepValue> points);
  // Appends the points of a block to `out`. False where the bytes are not what Encode makes.
  bool Decode(std::string_view block, std::vector<StepValue>& out);

  static constexpr size_t kMaxPoints = 65'536;

 private:
  struct FreeContext {
    void operator()(ZSTD_CCtx_s* context) const;
    void operator()(ZSTD_DCtx_s* context) const;
  };
  const std::unique_ptr<ZSTD_CCtx_s, FreeContext> compress_;
  const std::unique_ptr<ZSTD_DCtx_s, FreeContext> decompress_;
  std::string plain_;
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_SERIES_CODEC_H_
