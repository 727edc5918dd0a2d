#include "server/base/sha256.h"

#include <openssl/sha.h>

#include "server/base/random.h"

namespace benchwire {

std::string Sha256(const std::string& bytes) {
  std::string out(SHA256_DIGEST_LENGTH, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
         reinterpret_cast<unsigned char*>(out.data()));
  return out;
}

std::string Sha256Hex(const std::string& bytes) { return Hex(Sha256(bytes)); }

}  // namespace benchwire
