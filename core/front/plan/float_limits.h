// The licences of float arithmetic that SPIR-V gives, as the flags of MIR that take them away
// (mir::InstFlags).
//
// An instruction decorated FPFastMathMode has the licences that are named there. Where the entry
// point has an execution mode FPFastMathDefault, others have what the modes say of the types of
// their operands and of their result; of types without a mode nothing. Else Vulkan decides: all
// licences, but what SignedZeroInfNanPreserve keeps of the values of its width. NoContraction,
// which stands beside this (Emission::no_contraction), takes all of them.
// Sources: SPV_KHR_float_controls2; Vulkan, "Precision and Operation of SPIR-V Instructions" and
// "Evaluation of Expressions", by which SignedZeroInfNanPreserve forbids no rearrangement.
#ifndef KILN_CORE_FRONT_PLAN_FLOAT_LIMITS_H_
#define KILN_CORE_FRONT_PLAN_FLOAT_LIMITS_H_

#include <cstdint>

#include "core/front/ops/op_emitter.h"
#include "core/front/spirv/spirv.h"

namespace kiln::front {

// The flags for a mask of FPFastMathMode: one for each bit that it lacks. The bit Fast, which
// shaders must not have, gives nothing.
uint16_t LimitsOfFastMath(uint32_t mask);

// Whether shaders may have such a mask: not the bit Fast nor unknown ones, and no AllowTransform
// without AllowContract and AllowReassoc.
bool IsFastMathMask(uint32_t mask);

// Of an instruction with this result (0: none) in an entry point with these limits. What it makes
// of a result's width is limited as the result is, also what is computed in another one.
FloatLimits LimitsOfInst(const SpirvModule& spirv, const SpirvInst& inst,
                         const FloatLimits& entry_point);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_PLAN_FLOAT_LIMITS_H_
