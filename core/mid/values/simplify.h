// Folds constants, propagates copies and applies the algebraic rules.
//
// Problem: importing and other passes leave constant expressions, identities and negations that no
// target should see.
// Invariants: verified MIR in and out; memory operations and control stay.
// Algorithm: one sweep in program order over all regions. Each pure instruction is folded, put into
// canonical order (constants second) or rewritten by the first rule that matches. Instructions of a
// replacement are emitted before it through the same function, so one sweep reaches the fixed point
// except around loop back edges. Linear in instructions times the rules of one op. The termination
// argument is in rules.h.
#ifndef KILN_CORE_MID_VALUES_SIMPLIFY_H_
#define KILN_CORE_MID_VALUES_SIMPLIFY_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed.
absl::StatusOr<bool> Simplify(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_VALUES_SIMPLIFY_H_
