// Random numbers for random modules and their inputs.
#ifndef KILN_CORE_ORACLE_SPLITMIX_H_
#define KILN_CORE_ORACLE_SPLITMIX_H_

#include <cstdint>

#include "core/base/splitmix.h"

namespace kiln::oracle::random_modules {

class Random {
 public:
  explicit Random(uint64_t seed) : numbers_(seed) {}
  uint32_t Next() { return numbers_.Next(); }
  uint32_t Below(uint32_t n) { return Next() % n; }
  bool OneIn(uint32_t n) { return Below(n) == 0; }

 private:
  Splitmix numbers_;
};

}  // namespace kiln::oracle::random_modules

#endif  // KILN_CORE_ORACLE_SPLITMIX_H_
