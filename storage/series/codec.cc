#include "storage/series/codec.h"

#include <zstd.h>

#include <bit>
#include <new>

namespace benchwire::storage {
namespace {

constexpr int kPlanes = 8;
constexpr size_t kLongestVarint = 10;
// One per point for steps that go by less than 64, and eight for the value, is usual; this is the most there can be.
constexpr size_t kMaxPlain = kLongestVarint + BlockCodec::kMaxPoints * (kLongestVarint + kPlanes);
constexpr int kLevel = 3;
constexpr char kVersion = 1;  // First byte of a block.

uint64_t ZigZag(uint64_t difference) { return (difference << 1) ^ (0 - (difference >> 63)); }
uint64_t UnZigZag(uint64_t value) { return (value >> 1) ^ (0 - (value & 1)); }

}  // namespace

void PutVarint(uint64_t value, std::string& out) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

bool TakeVarint(std::string_view& bytes, uint64_t& value) {
  value = 0;
  for (size_t i = 0; i < bytes.size() && i < kLongestVarint; ++i) {
    const uint64_t byte = static_cast<unsigned char>(bytes[i]);
    if (i == kLongestVarint - 1 && byte > 1) return false;
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

void EncodePoints(std::span<const StepValue> points, std::string& out) {
  PutVarint(points.size(), out);
  uint64_t before = 0;
  for (const StepValue& point : points) {
    const auto step = static_cast<uint64_t>(point.step);
    PutVarint(ZigZag(step - before), out);  // Unsigned: differences may go around.
    before = step;
  }
  const size_t begin = out.size();
  out.resize(begin + points.size() * kPlanes);
  before = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const auto value = std::bit_cast<uint64_t>(points[i].value);
    const uint64_t changed = value ^ before;
    before = value;
    for (size_t plane = 0; plane < kPlanes; ++plane) {
      out[begin + plane * points.size() + i] = static_cast<char>(changed >> (56 - 8 * plane));
    }
  }
}

bool DecodePoints(std::string_view& bytes, std::vector<StepValue>& out) {
  uint64_t count = 0;
  if (!TakeVarint(bytes, count) || count > bytes.size() / (1 + kPlanes)) return false;
  const size_t begin = out.size();
  out.resize(begin + count);
  uint64_t step = 0;
  for (size_t i = 0; i < count; ++i) {
    uint64_t difference = 0;
    if (!TakeVarint(bytes, difference)) return false;
    step += UnZigZag(difference);
    out[begin + i].step = static_cast<int64_t>(step);
  }
  if (bytes.size() / kPlanes < count) return false;
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i) {
    uint64_t changed = 0;
    for (size_t plane = 0; plane < kPlanes; ++plane) {
      changed = changed << 8 | static_cast<unsigned char>(bytes[plane * count + i]);
    }
    value ^= changed;
    out[begin + i].value = std::bit_cast<double>(value);
  }
  bytes.remove_prefix(count * kPlanes);
  return true;
}

void BlockCodec::FreeContext::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }
void BlockCodec::FreeContext::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }

BlockCodec::BlockCodec() : compress_(ZSTD_createCCtx()), decompress_(ZSTD_createDCtx()) {
  if (compress_ == nullptr || decompress_ == nullptr) throw std::bad_alloc();
}
BlockCodec::~BlockCodec() = default;

std::string BlockCodec::Encode(std::span<const StepValue> points) {
  plain_.clear();
  EncodePoints(points, plain_);
  std::string out(1 + ZSTD_compressBound(plain_.size()), kVersion);
  // Cannot fail: there is room for the worst case.
  const size_t size =
      ZSTD_compressCCtx(compress_.get(), out.data() + 1, out.size() - 1, plain_.data(), plain_.size(), kLevel);
  out.resize(1 + size);
  return out;
}

bool BlockCodec::Decode(std::string_view block, std::vector<StepValue>& out) {
  if (block.empty() || block[0] != kVersion) return false;
  block.remove_prefix(1);
  const unsigned long long size = ZSTD_getFrameContentSize(block.data(), block.size());
  if (size > kMaxPlain) return false;  // Also where the size is not known.
  plain_.resize(size);
  const size_t got = ZSTD_decompressDCtx(decompress_.get(), plain_.data(), plain_.size(), block.data(), block.size());
  if (ZSTD_isError(got) != 0 || got != size) return false;
  std::string_view plain = plain_;
  return DecodePoints(plain, out) && plain.empty();
}

}  // namespace benchwire::storage
