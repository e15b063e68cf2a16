// Folds constants, propagates copies and applies the algebraic rules.
//
// Problem: importing and other passes leave constant expressions, identities and negations that no
// target should see. Invariants: verified MIR in and out; memory operations and control stay.
// Algorithm: one sweep in program order over all regions. Each pure instruction is folded, put
// into canonical order (constants second) or rewritten by the first rule that matches; what a
// replacement needs is emitted in front of it through the same function, so one sweep reaches the
// fixed point except around loop back edges. Linear in instructions times the rules of one op.
// The termination argument is in rules.h.
#ifndef KILN_CORE_MID_SIMPLIFY_H_
#define KILN_CORE_MID_SIMPLIFY_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Asked before each rewrite; false means: leave this place as it is (bisection, limits).
using AllowRewrite = absl::FunctionRef<bool()>;

// Returns the number of rewrites made.
int64_t Simplify(mir::Module& module, AllowRewrite allow);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_SIMPLIFY_H_
