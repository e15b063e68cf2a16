// Constant folding: what an op gives for constant sources.
//
// Problem: folding must give the same bits on every machine, so it uses integer arithmetic and
// operations that IEEE 754 rounds correctly only, never the host's libm. Halfs are computed in
// single precision and rounded to half once more, which is exact for these operations. Of ops that
// the hardware approximates (rcp, exp2, sin, ...) it gives the nearest number (elementary.h), where
// they have a finite result, unless it is asked not to (IsLeftToTarget). Any float operation with a
// subnormal source or result is left alone, because whether those are flushed is a launch-time
// mode. Semantics are those stated in core/mir/ops.def.
#ifndef KILN_CORE_MID_VALUES_FOLD_H_
#define KILN_CORE_MID_VALUES_FOLD_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// The bits of the only result of `op` for sources with these bits (booleans are 0 or 1), or
// nothing where the op cannot be folded for them. `result` is the result's type, `source` that of
// the first source. Ops without sources never fold.
// With `round_to_zero` (mir::Module) ops that round do not fold.
std::optional<uint64_t> FoldOp(mir::Op op, mir::Type result, mir::Type source,
                               absl::Span<const uint64_t> sources, bool round_to_zero = false);

// What targets compute to within some units in the last place, where it must be what they give:
// part of an output that may be invariant (front/finish/mark_invariant.h; such operations have the
// flag kNoTransform). Where operands are known in one program and not in another, by unrolling,
// folding it or another operation for it would round in another way. `flags` are the instruction's.
bool IsLeftToTarget(mir::Stage stage, mir::Op op, uint32_t flags);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_VALUES_FOLD_H_
