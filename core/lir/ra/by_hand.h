// Checks allocations that a test has written by hand, as text. For tests only.
#ifndef KILN_CORE_LIR_RA_BY_HAND_H_
#define KILN_CORE_LIR_RA_BY_HAND_H_

#include <string>

#include "absl/status/status.h"
#include "core/lir/lir.h"
#include "core/lir/machine.h"

namespace kiln::lir::ra {

// Makes the instructions that have `ra` the last ones of `done`, as if allocation had added them,
// and returns the program without them, and without the registers for spilled values.
Function TakeInserted(Function* done);

// Returns the checker's verdict (check.h) on an allocated function whose inserted instructions have
// `ra`. InvalidArgument if the text is no function.
absl::Status CheckByHand(const Machine& machine, const std::string& text);

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_BY_HAND_H_
