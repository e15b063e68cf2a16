// Determines the licences of float arithmetic that SPIR-V gives, as the flags of MIR that forbid
// them (mir::InstFlags).
//
// An instruction decorated FPFastMathMode has the licences named there. If the entry point has an
// execution mode FPFastMathDefault, other instructions have the licences that the modes give for
// the types of their operands and of their result; types without a mode have none. Otherwise
// Vulkan's rules hold: all licences, except those that SignedZeroInfNanPreserve forbids for its
// width. NoContraction (Emission::no_contraction) forbids all of them in addition. Sources:
// SPV_KHR_float_controls2; Vulkan, "Precision and Operation of SPIR-V Instructions" and "Evaluation
// of Expressions", by which SignedZeroInfNanPreserve forbids no rearrangement.
#ifndef KILN_CORE_FRONT_PLAN_FLOAT_LIMITS_H_
#define KILN_CORE_FRONT_PLAN_FLOAT_LIMITS_H_

#include <cstdint>

#include "core/front/ops/op_emitter.h"
#include "core/front/spirv/spirv.h"

namespace kiln::front {

// Returns the flags for a mask of FPFastMathMode: one for each bit that it lacks. The bit Fast,
// which shaders must not have, has no effect.
uint16_t LimitsOfFastMath(uint32_t mask);

// Returns true if shaders may have such a mask: neither the bit Fast nor unknown ones, and no
// AllowTransform without AllowContract and AllowReassoc.
bool IsFastMathMask(uint32_t mask);

// Returns the limits of an instruction with this result (0: none) in an entry point with these
// limits. All arithmetic of the instruction has the limits of its result's type, even intermediate
// results of another width.
FloatLimits LimitsOfInst(const SpirvModule& spirv, const SpirvInst& inst,
                         const FloatLimits& entry_point);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_PLAN_FLOAT_LIMITS_H_
