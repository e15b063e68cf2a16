// Random numbers for random modules and their inputs.
#ifndef KILN_CORE_ORACLE_SPLITMIX_H_
#define KILN_CORE_ORACLE_SPLITMIX_H_

#include <cstdint>

namespace kiln::oracle::random_modules {

// splitmix64 (Steele, Lea, Flood 2014): same numbers on every machine.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint32_t Next() {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<uint32_t>((z ^ (z >> 31)) >> 32);
  }
  uint32_t Below(uint32_t n) { return Next() % n; }
  bool OneIn(uint32_t n) { return Below(n) == 0; }

 private:
  uint64_t state_;
};

}  // namespace kiln::oracle::random_modules

#endif  // KILN_CORE_ORACLE_SPLITMIX_H_
