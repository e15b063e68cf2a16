// SHA-256 by OpenSSL, which uses the processor's instructions where it has them. Uses the low-level
// functions, which OpenSSL 3 calls deprecated: the others look the algorithm up by name on every
// call, which costs several times what hashing a key's few hundred bytes does.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "server/key/sha256.h"

#include <openssl/sha.h>

#include "absl/strings/escaping.h"

namespace kiln::cache {

Digest Sha256(std::string_view bytes) {
  Digest digest;
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, bytes.data(), bytes.size());
  SHA256_Final(digest.data(), &context);
  return digest;
}

std::string ToHex(const Digest& digest) {
  std::string_view bytes = AsBytes(digest);
  return absl::BytesToHexString({bytes.data(), bytes.size()});
}

}  // namespace kiln::cache
