// Turns small ifs into selects.
//
// Problem: a branch costs two or three instructions and ends a block; when both sides only compute
// a few cheap values, computing both and selecting is cheaper, and exposes them to CSE and folding.
// Invariants: verified MIR in and out. Converted are only ifs whose sides end with a yield and
// consist of pure instructions that every lane may execute (no memory but push constants at known
// offsets, which are in registers; no nested control).
// Algorithm: innermost ifs first; the cost of both sides together must not exceed
// budgets::kSelectCost. Linear. Source: Mesa's peephole-select has the same shape; the bound here
// is chosen on the corpus.
#ifndef KILN_CORE_MID_CONTROL_CONVERT_IF_TO_SELECT_H_
#define KILN_CORE_MID_CONTROL_CONVERT_IF_TO_SELECT_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed.
absl::StatusOr<bool> ConvertIfToSelect(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_CONTROL_CONVERT_IF_TO_SELECT_H_
