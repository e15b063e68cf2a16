// The SWSB byte of an instruction, decoded, and the waits for tokens that it and a sync carry.
#ifndef KILN_CORE_SIM_EU_SWSB_H_
#define KILN_CORE_SIM_EU_SWSB_H_

#include <cstdint>

#include "core/sim/eu/program.h"

namespace kiln::sim::eu {

struct Swsb {
  int distance = 0;
  int set = -1;
  int dst = -1;
  int src = -1;
  bool valid = true;
};

bool IsUnordered(const Op& op);
Swsb SwsbOf(const Op& op);

// Tokens waited for, a bit each. Setting a token waits for its former user.
struct TokenWaits {
  uint16_t dst = 0;
  uint16_t src = 0;
};

TokenWaits TokenWaitsOf(const Op& op);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_SWSB_H_
