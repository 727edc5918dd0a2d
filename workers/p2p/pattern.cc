#include "workers/p2p/pattern.h"

#include <algorithm>
#include <cstring>

namespace benchwire::p2p {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);

std::uint64_t WordAt(std::uint64_t key, std::uint64_t index) { return Mix64(key + index * 0x9E3779B97F4A7C15u); }

}  // namespace

std::uint64_t Mix64(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

std::uint64_t PatternKey(std::uint64_t seed, std::int64_t sample, std::uint64_t flow) {
  return Mix64(Mix64(Mix64(seed + 1) + static_cast<std::uint64_t>(sample) + 1) + flow + 1);
}

void FillPattern(std::uint64_t key, std::int64_t offset, std::span<std::byte> bytes) {
  const auto first = static_cast<std::uint64_t>(offset) / kWord;
  const std::size_t words = bytes.size() / kWord;
  for (std::size_t i = 0; i < words; ++i) {
    const std::uint64_t word = WordAt(key, first + i);
    std::memcpy(bytes.data() + i * kWord, &word, kWord);
  }
  if (const std::size_t rest = bytes.size() % kWord; rest > 0) {
    const std::uint64_t word = WordAt(key, first + words);
    std::memcpy(bytes.data() + words * kWord, &word, rest);
  }
}

void Difference::Add(const Difference& other) {
  mismatched += other.mismatched;
  if (!first || (other.first && *other.first < *first)) first = other.first;
}

Difference ComparePattern(std::uint64_t key, std::int64_t offset, std::span<const std::byte> bytes) {
  Difference difference;
  const auto first = static_cast<std::uint64_t>(offset) / kWord;
  for (std::size_t at = 0; at < bytes.size(); at += kWord) {
    const std::size_t size = std::min(kWord, bytes.size() - at);
    const std::uint64_t word = WordAt(key, first + at / kWord);
    if (std::memcmp(bytes.data() + at, &word, size) == 0) continue;
    std::byte expected[kWord];
    std::memcpy(expected, &word, kWord);
    for (std::size_t i = 0; i < size; ++i) {
      if (bytes[at + i] == expected[i]) continue;
      if (!difference.first) difference.first = offset + static_cast<std::int64_t>(at + i);
      ++difference.mismatched;
    }
  }
  return difference;
}

}  // namespace benchwire::p2p
