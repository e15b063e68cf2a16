// The random numbers of a run, and the undefined values drawn from them.
//
// One stream for everything that a seed of LaunchInputs leaves open (order, rounding, undefined
// values), so that a seed determines the run. Equal seeds give equal numbers on every machine.
#ifndef KILN_CORE_ORACLE_CHANCE_H_
#define KILN_CORE_ORACLE_CHANCE_H_

#include <cstdint>
#include <vector>

#include "core/mir/mir.h"
#include "core/oracle/interp.h"

namespace kiln::oracle {

class Chance {
 public:
  explicit Chance(const LaunchInputs& inputs) : in_(inputs) {}

  uint64_t Random();
  // A random number from -1 to 1.
  double RandomUnit() { return static_cast<double>(Random() >> 40) / 8388608.0 - 1.0; }
  // A random integer between -ulps and ulps, to be added to the bits of a float.
  uint64_t Noise(double ulps);
  // The numbers below n in random order.
  std::vector<uint32_t> Shuffled(uint64_t n);
  // The bits of an undefined value; 0 unless undefined values are random.
  uint64_t Undefined(mir::Type type);

 private:
  uint64_t Seeds() const;
  uint64_t UndefinedFloat(mir::Type type, uint64_t bits) const;

  const LaunchInputs& in_;
  uint64_t noise_ = Seeds();
};

}  // namespace kiln::oracle

#endif  // KILN_CORE_ORACLE_CHANCE_H_
