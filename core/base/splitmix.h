// Random numbers that are the same on every machine.
#ifndef KILN_CORE_BASE_SPLITMIX_H_
#define KILN_CORE_BASE_SPLITMIX_H_

#include <cstdint>

namespace kiln {

// splitmix64 (Steele, Lea, Flood 2014).
class Splitmix {
 public:
  explicit Splitmix(uint64_t seed) : state_(seed) {}

  // Returns 32 random bits.
  uint32_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<uint32_t>((z ^ (z >> 31)) >> 32);
  }

  // Returns a random number below n, n > 0.
  uint32_t Draw(uint32_t n) { return static_cast<uint32_t>(uint64_t{Next()} * n >> 32); }

 private:
  uint64_t state_;
};

}  // namespace kiln

#endif  // KILN_CORE_BASE_SPLITMIX_H_
