// Constant folding: the result of an op for constant sources.
//
// Problem: folding must give the same bits on every machine, so it uses only integer arithmetic and
// operations that IEEE 754 rounds correctly, never the host's libm. Halfs are computed in single
// precision and rounded to half once more, which is exact for these operations. Ops that the
// hardware approximates (rcp, exp2, sin, ...) fold to the nearest number (elementary.h) if the
// result is finite, unless IsLeftToTarget says otherwise. Any float operation with a subnormal
// source or result is not folded, because flushing is a launch-time mode. core/mir/ops.def states
// the semantics.
#ifndef KILN_CORE_MID_VALUES_FOLD_H_
#define KILN_CORE_MID_VALUES_FOLD_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns the bits of the only result of `op` for sources with these bits (booleans are 0 or 1), or
// nothing if the op cannot be folded for them. `result` is the result's type, `source` that of the
// first source. Ops without sources never fold. With `round_to_zero` (mir::RoundsToZero) ops that
// round do not fold.
std::optional<uint64_t> FoldOp(mir::Op op, mir::Type result, mir::Type source,
                               absl::Span<const uint64_t> sources, bool round_to_zero = false);

// Returns true for an op that targets compute to within some units in the last place and that must
// not be folded, because its result is part of an output that may be invariant
// (front/finish/mark_invariant.h; such operations have the flag kNoTransform). Operands may be
// known in one program and not in another, by unrolling: folding the op, or another op instead,
// would round differently. `flags` are the instruction's.
bool IsLeftToTarget(mir::Stage stage, mir::Op op, uint32_t flags);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_VALUES_FOLD_H_
