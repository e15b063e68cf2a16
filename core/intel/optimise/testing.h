// Helpers for text tests of the LIR optimisations: LIR in, one pass, LIR out (blocks only, values
// keep their names).
#ifndef KILN_CORE_INTEL_OPTIMISE_TESTING_H_
#define KILN_CORE_INTEL_OPTIMISE_TESTING_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/lir/lir.h"

namespace kiln::intel::testing {

// %0..%9 per lane, %10..%14 uniform, %15..%19 flags, %20 a vector of two, %21 a live-in register,
// %22 and %23 per lane with 16 bits, %24 and %25 as %20.
std::string Header();

// Returns `body` after one pass, or the error if it is no LIR before or after it. `rewrites` is the
// number of rewrites that the pass may make; -1: any number.
std::string After(const std::string& body,
                  absl::StatusOr<bool> (*pass)(lir::Function&, PassContext&),
                  int64_t rewrites = -1);

}  // namespace kiln::intel::testing

#endif  // KILN_CORE_INTEL_OPTIMISE_TESTING_H_
