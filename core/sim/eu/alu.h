// Arithmetic of the simulated EU: every instruction that is neither a branch nor a message.
//
// type_rules.h lists which types, modifiers and conditions are supported. Sources are read
// completely before anything is written. Semantics and their sources:
// * Integers are computed exactly and wrapped (or saturated) to the destination type. Shift counts
//   use their low five bits.
// * Floats round to nearest even unless cr0 says otherwise; F is computed in binary32, mad fused
//   (one rounding), half results are computed in binary64 and rounded once.
// * Subnormals: inputs and results of F are flushed to signed zero unless cr0.0 bit 7 is set, of HF
//   unless bit 10 is set. A dispatched thread has bit 7 clear and bit 10 set: the interface
//   descriptor's denorm mode "Ftz" flushes F and leaves HF alone (public field description). Moves
//   that change no bits never flush.
// * saturate(NaN) is 0; sel.l and sel.ge return the operand that is not NaN; comparisons with NaN
//   are false but .nz; float to integer truncates and clamps to the range of the type, NaN gives 0
//   (PRM, "Execution Data Type", "Floating-Point Compare").
// * The conditional modifier applies to the result as converted to the destination type.
// * math: the value computed in binary64 and rounded once; hardware is allowed up to a few ulp.
//   Integer division by 0 gives quotient all ones (unsigned) or the extreme of the dividend's sign
//   (signed), remainder the dividend.
//
// Not modelled: 64-bit floats, the macro functions (invm, rsqrtm, madm), movi.
#ifndef KILN_CORE_SIM_EU_ALU_H_
#define KILN_CORE_SIM_EU_ALU_H_

#include "absl/status/status.h"
#include "core/sim/eu/program.h"
#include "core/sim/eu/thread.h"

namespace kiln::sim::eu {

// Executes one instruction on the enabled channels. `pc` and masks are untouched. Errors:
// Unimplemented opcode, OutOfRange indirect address.
absl::Status ExecuteAlu(const Op& op, Thread& thread);

// Returns the channels (bit = channel of the thread) that the predicate of the instruction lets
// pass; all channels if it has none.
uint32_t PredicateMask(const Op& op, const Thread& thread);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_ALU_H_
