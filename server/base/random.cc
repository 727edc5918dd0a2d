#include "server/base/random.h"

#include <sys/random.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace benchwire {

std::string SystemRandom::Bytes(size_t size) {
  std::string out(size, '\0');
  size_t done = 0;
  while (done < size) {
    const ssize_t got = getrandom(out.data() + done, size - done, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      std::perror("benchwire: getrandom");
      std::abort();
    }
    done += static_cast<size_t>(got);
  }
  return out;
}

std::string Hex(const std::string& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (unsigned char byte : bytes) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::string SortableId(WallTime time, RandomSource& random) {
  static constexpr char kAlphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";
  const auto millis =
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count());
  std::string out;
  out.reserve(26);
  for (int shift = 45; shift >= 0; shift -= 5) out += kAlphabet[(millis >> shift) & 31];
  for (unsigned char byte : random.Bytes(16)) out += kAlphabet[byte & 31];
  return out;
}

std::string RandomId(RandomSource& random) { return Hex(random.Bytes(16)); }

int64_t RandomSeed(RandomSource& random) {
  const std::string bytes = random.Bytes(8);
  uint64_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return static_cast<int64_t>(value >> 1);
}

}  // namespace benchwire
