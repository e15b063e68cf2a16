// SHA-256 by OpenSSL, which uses the processor's instructions for it where there are any.
#include "server/cache/sha256.h"

#include <openssl/sha.h>

#include "absl/strings/escaping.h"

namespace kiln::cache {

Digest Sha256(std::string_view bytes) {
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return digest;
}

std::string ToHex(const Digest& digest) {
  std::string_view bytes = AsBytes(digest);
  return absl::BytesToHexString({bytes.data(), bytes.size()});
}

}  // namespace kiln::cache
