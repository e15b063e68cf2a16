// Checks that a program waits for everything that it must wait for.
//
// Judges by the table of core/sim/rdna2/contract_rules, which cites its sources, and shares no code
// with the inserter. From each operation that ends after it was issued it follows the wave along
// all paths, as long as the operation may be outstanding, and looks for instructions that must not
// be issued before it has ended. Accesses that a barrier orders are not judged: that is the
// simulator's contract mode, which knows who accesses what.
#ifndef KILN_CORE_AMD_WAITS_TESTING_CHECK_WAITS_H_
#define KILN_CORE_AMD_WAITS_TESTING_CHECK_WAITS_H_

#include <string>
#include <vector>

#include "core/amd/emit/program.h"

namespace kiln::amd {

struct MissingWait {
  size_t producer = 0, consumer = 0;  // rows
  std::string text;
};

// Returns one finding for each pair of producer, consumer and kind of hazard, in order.
std::vector<MissingWait> CheckWaits(const Program& program);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_WAITS_TESTING_CHECK_WAITS_H_
