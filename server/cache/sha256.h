// SHA-256 digests, and the canonical form in which structured things are hashed.
#ifndef KILN_SERVER_CACHE_SHA256_H_
#define KILN_SERVER_CACHE_SHA256_H_

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace kiln::cache {

using Digest = std::array<uint8_t, 32>;

Digest Sha256(std::string_view bytes);
std::string ToHex(const Digest& digest);  // 64 lower-case digits

inline std::string_view AsBytes(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// Digests are uniformly distributed: any part of one is a hash.
struct DigestHash {
  size_t operator()(const Digest& digest) const {
    size_t h;
    memcpy(&h, digest.data(), sizeof h);
    return h;
  }
};

// Writes fields so that no two different sequences of fields give the same bytes: strings are
// preceded by their length, numbers are 8 bytes, little-endian.
class CanonicalWriter {
 public:
  // `domain` keeps things of different kinds apart.
  explicit CanonicalWriter(std::string_view domain) {
    bytes_.reserve(512);
    Add(domain);
  }
  void Add(std::string_view field) {
    Add(static_cast<uint64_t>(field.size()));
    bytes_.append(field);
  }
  void Add(uint64_t number) {
    char b[8];
    for (int i = 0; i < 8; ++i) b[i] = static_cast<char>(number >> (8 * i));
    bytes_.append(b, 8);
  }
  Digest Finish() const { return Sha256(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_SHA256_H_
