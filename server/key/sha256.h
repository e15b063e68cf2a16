// SHA-256 digests, and the canonical form in which structured values are hashed.
#ifndef KILN_SERVER_KEY_SHA256_H_
#define KILN_SERVER_KEY_SHA256_H_

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
  explicit CanonicalWriter(std::string_view domain) { Add(domain); }
  void Add(std::string_view field) {
    Add(static_cast<uint64_t>(field.size()));
    Append(field.data(), field.size());
  }
  void Add(uint64_t number) {
    char b[8];
    for (int i = 0; i < 8; ++i) b[i] = static_cast<char>(number >> (8 * i));
    Append(b, 8);
  }
  Digest Finish() const {
    return Sha256(large_.empty() ? std::string_view(small_, used_) : std::string_view(large_));
  }

 private:
  void Append(const char* data, size_t bytes) {
    if (large_.empty() && used_ + bytes <= sizeof small_) {
      memcpy(small_ + used_, data, bytes);
      used_ += bytes;
      return;
    }
    if (large_.empty()) large_.assign(small_, used_);
    large_.append(data, bytes);
  }

  // Buffer for keys, which are a few hundred bytes and on the path of every hit: no allocation.
  char small_[512];
  size_t used_ = 0;
  std::string large_;
};

}  // namespace kiln::cache

#endif  // KILN_SERVER_KEY_SHA256_H_
