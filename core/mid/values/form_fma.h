// Forms fused multiply-adds.
//
// Problem: a product that is only added to something costs an instruction of its own, though the
// hardware multiplies and adds in one, with one rounding.
// Invariants: verified MIR in and out. Fuses only if contraction is allowed: neither the product
// nor the sum has the flag kNoContraction (the result may differ in the last place).
// SPV_KHR_float_controls2 requires the permission of the sum alone.
// Algorithm: a product is claimed if every use of it is a sum or difference that may be fused and
// is not claimed for another product. Then all of them become ffma and the product is dropped, so
// that a fusion always saves an instruction. Products are visited in program order. Subtractions
// negate a source, which is free on targets. A constant may cost a move and a register in ffma that
// it costs neither in a multiplication nor in an addition; Features::constant_addends says which
// addends are free. A sum with two constants that are not free among its three operands is left
// alone unless each of the two is needed by kSharedConstant such sums: otherwise loading them would
// cost what fusing saves. Linear.
// Limits: 32-bit floats, others where Features::fuses_all_widths says so. Runs late: the algebraic
// rules know sums and products, not ffma.
#ifndef KILN_CORE_MID_VALUES_FORM_FMA_H_
#define KILN_CORE_MID_VALUES_FORM_FMA_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mid/features.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed. One rewrite for each product.
absl::StatusOr<bool> FormFma(mir::Module& module, const Features& features, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_VALUES_FORM_FMA_H_
