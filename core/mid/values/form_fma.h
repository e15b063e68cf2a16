// Forms fused multiply-adds.
//
// Problem: a product that is only added to something costs an instruction of its own, though the
// hardware multiplies and adds in one, with one rounding. Invariants: verified MIR in and out.
// Only where contraction is allowed: neither the product nor the sum has the flag kNoContraction
// (the result may differ in the last place). SPV_KHR_float_controls2 asks for the licence of the
// sum alone. Algorithm: a product is taken if every use of it is a sum or difference that may be
// fused and has not been claimed for another product: then all of them become ffma and the product
// is dropped, so that a fusion always saves an instruction. Products are visited in program order.
// Subtractions negate a source, which targets have for free. Linear. A constant may cost a move and
// a register in ffma that it costs neither in a multiplication nor in an addition; which addends do
// not, the target says (Features::constant_addends). A sum with two that do among its three
// operands is left alone unless kSharedConstant such sums ask for each of the two: constants of few
// would cost what fusing saves. Limits: 32-bit floats. Runs late: the algebraic rules know sums and
// products, not ffma.
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
