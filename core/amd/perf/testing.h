// Short programs for tests of statistics and costs, made by the encoder.
#ifndef KILN_CORE_AMD_PERF_TESTING_H_
#define KILN_CORE_AMD_PERF_TESTING_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/amd/isa/decode.h"
#include "core/amd/isa/instruction.h"

namespace kiln::amd::testing {

// Returns an instruction with a destination and up to three sources.
isa::Instruction Make(isa::Opcode op, isa::Operand dst = {}, isa::Operand src0 = {},
                      isa::Operand src1 = {}, isa::Operand src2 = {});
// One with an immediate: branches (dwords from their end), waits, s_clause.
isa::Instruction WithImmediate(isa::Opcode op, uint16_t simm);
// s_waitcnt for one counter; 63 or 7: no wait.
isa::Instruction WaitFor(int vm, int exp, int lgkm);
isa::Instruction GlobalLoad(int dst, int address);
isa::Instruction GlobalStore(int data, int address);
// Exports one channel to render target 0.
isa::Instruction Export(int data);
isa::Instruction End();

std::vector<uint8_t> Bytes(absl::Span<const isa::Instruction> program);
// Returns what decodes from those bytes.
std::vector<isa::PlacedInstruction> Placed(absl::Span<const isa::Instruction> program);

}  // namespace kiln::amd::testing

#endif  // KILN_CORE_AMD_PERF_TESTING_H_
