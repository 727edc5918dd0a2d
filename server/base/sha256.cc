#include "server/base/sha256.h"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <new>

#include "server/base/random.h"

namespace benchwire {

std::string Sha256(const std::string& bytes) {
  std::string out(SHA256_DIGEST_LENGTH, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
         reinterpret_cast<unsigned char*>(out.data()));
  return out;
}

std::string Sha256Hex(const std::string& bytes) { return Hex(Sha256(bytes)); }

void Sha256Stream::FreeContext::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

// None of these calls fails but for want of memory.
Sha256Stream::Sha256Stream() : context_(EVP_MD_CTX_new()) {
  if (context_ == nullptr || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) throw std::bad_alloc();
}

void Sha256Stream::Add(std::string_view bytes) {
  if (EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) != 1) throw std::bad_alloc();
}

std::string Sha256Stream::Hex() const {
  const std::unique_ptr<evp_md_ctx_st, FreeContext> copy(EVP_MD_CTX_new());
  std::string out(SHA256_DIGEST_LENGTH, '\0');
  if (copy == nullptr || EVP_MD_CTX_copy_ex(copy.get(), context_.get()) != 1 ||
      EVP_DigestFinal_ex(copy.get(), reinterpret_cast<unsigned char*>(out.data()), nullptr) != 1) {
    throw std::bad_alloc();
  }
  return benchwire::Hex(out);
}

}  // namespace benchwire
