// Hardware codes of enumerations: types, register files, strides. Internal to encoder and decoder.
#ifndef KILN_CORE_INTEL_ISA_CODES_H_
#define KILN_CORE_INTEL_ISA_CODES_H_

#include <cstdint>
#include <optional>

#include "core/intel/isa/instruction.h"

namespace kiln::intel::isa {

// Gen12 type codes: bits 1:0 log2 of the size, bits 3:2 kind (0 unsigned, 1 signed, 2 float). As
// immediates, the one-byte codes mean UV, V and VF.
std::optional<int> Gen12TypeCode(Type type, bool immediate);
std::optional<Type> Gen12TypeFromCode(int code, bool immediate);

// Three-source types: three bits beside the shared float bit; no vectors, nothing of 8 bytes.
std::optional<int> Gen12TernaryTypeCode(Type type);
std::optional<Type> Gen12TernaryTypeFromCode(int code, bool is_float);

// Architecture registers: the high nibble of the register number names the kind.
std::optional<int> ArfCode(Arf arf);
std::optional<Arf> ArfFromCode(int code);

// 0, 1, 2, 4 <-> 0..3 (horizontal stride); up to 32 <-> 0..6 (vertical); 1..16 <-> 0..4 (width);
// 1..32 <-> 0..5 (execution size).
std::optional<int> HstrideCode(int hstride);
std::optional<int> VstrideCode(int vstride);
std::optional<int> Log2Code(int value, int max_code);

// Vertical strides of three-source operands: 0, 1, 4, 8 <-> 0..3 on Gen12.
std::optional<int> Gen12TernaryVstrideCode(int vstride);
int Gen12TernaryVstrideFromCode(int code);

// Does the math function take a second source?
bool MathIsBinary(MathFunction function);

// Functions that the generation has. Gen12 lost pow and fdiv.
bool HasMathFunction(Generation gen, MathFunction function);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_CODES_H_
