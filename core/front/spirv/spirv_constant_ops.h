// Evaluates an OpSpecConstantOp on one scalar. Handles the opcodes that the SPIR-V specification
// allows there with the capability Shader, except selects and those that move parts of composites
// (spirv_spec_ops.h).
#ifndef KILN_CORE_FRONT_SPIRV_SPIRV_CONSTANT_OPS_H_
#define KILN_CORE_FRONT_SPIRV_SPIRV_CONSTANT_OPS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "core/front/grammar/spirv_enums.h"

namespace kiln::front {

// Evaluates integer and boolean operations. Operands are the bits of integers of `width` bits
// (bools 0 or 1), the result has `result_width`. Returns false if the opcode is not scalar integer
// or boolean arithmetic.
bool EvaluateScalar(spv::Op op, uint32_t result_width, uint32_t width,
                    absl::Span<const uint64_t> operands, uint64_t* result);

// The same for conversions of floats, to nearest even. Returns false for other opcodes and for
// widths other than 16 and 32.
bool EvaluateFloat(spv::Op op, uint32_t result_width, uint32_t width, uint64_t bits,
                   uint64_t* result);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_SPIRV_SPIRV_CONSTANT_OPS_H_
