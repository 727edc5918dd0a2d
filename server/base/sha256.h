// SHA-256 (FIPS 180-4) by OpenSSL. Any thread.
#ifndef BENCHWIRE_SERVER_BASE_SHA256_H_
#define BENCHWIRE_SERVER_BASE_SHA256_H_

#include <string>

namespace benchwire {

// The 32 raw bytes.
std::string Sha256(const std::string& bytes);
// As 64 lower-case hex digits.
std::string Sha256Hex(const std::string& bytes);

}  // namespace benchwire

#endif  // BENCHWIRE_SERVER_BASE_SHA256_H_
