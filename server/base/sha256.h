// SHA-256 (FIPS 180-4) by OpenSSL. Any thread; a stream belongs to one at a time.
#ifndef BENCHWIRE_SERVER_BASE_SHA256_H_
#define BENCHWIRE_SERVER_BASE_SHA256_H_

#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace benchwire {

// The 32 raw bytes.
std::string Sha256(const std::string& bytes);
// As 64 lower-case hex digits.
std::string Sha256Hex(const std::string& bytes);

// Of bytes that come piece by piece.
class Sha256Stream {
 public:
  Sha256Stream();
  void Add(std::string_view bytes);
  // Of all that was added, as 64 lower-case hex digits. More may be added after it.
  std::string Hex() const;

 private:
  struct FreeContext {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, FreeContext> context_;
};

}  // namespace benchwire

#endif  // BENCHWIRE_SERVER_BASE_SHA256_H_
