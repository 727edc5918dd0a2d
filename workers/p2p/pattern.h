// What is copied: bytes that depend on the seed, the sample and their own place, so that neither old data nor data from
// another place can pass for them. Any thread.
#ifndef BENCHWIRE_WORKERS_P2P_PATTERN_H_
#define BENCHWIRE_WORKERS_P2P_PATTERN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace benchwire::p2p {

// A well mixed 64-bit function: the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
// number generators", OOPSLA 2014).
std::uint64_t Mix64(std::uint64_t value);

// The pattern of one flow in one sample.
std::uint64_t PatternKey(std::uint64_t seed, std::int64_t sample, std::uint64_t flow);

// Writes the pattern's bytes [offset, offset + bytes.size()). `offset` is a multiple of 8.
void FillPattern(std::uint64_t key, std::int64_t offset, std::span<std::byte> bytes);

struct Difference {
  std::int64_t mismatched = 0;
  std::optional<std::int64_t> first;  // Offset in the pattern.

  void Add(const Difference& other);
};

// Compares with the pattern's bytes [offset, offset + bytes.size()). `offset` is a multiple of 8.
Difference ComparePattern(std::uint64_t key, std::int64_t offset, std::span<const std::byte> bytes);

// What a destination is filled with before each sample.
inline constexpr unsigned char kPoison = 0xCA;

}  // namespace benchwire::p2p

#endif  // BENCHWIRE_WORKERS_P2P_PATTERN_H_
