#include "core/amd/pipeline/scratch.h"

#include <utility>
#include <vector>

namespace kiln::amd {
namespace {

using isa::Opcode;

Row Scalar(Opcode op, isa::Operand dst, isa::Operand a, isa::Operand b) {
  Row row;
  row.inst.op = op;
  row.inst.dst = dst;
  row.inst.src[0] = a;
  row.inst.src[1] = b;
  return row;
}

// The whole of a hardware register: number, offset 0, 32 bits (ISA guide, s_setreg_b32).
Row SetRegister(int number, isa::Operand from) {
  constexpr int kWhole = 31 << 11;
  Row row;
  row.inst.op = Opcode::kSSetregB32;
  row.inst.src[0] = from;
  row.inst.simm = static_cast<uint16_t>(kWhole | number);
  return row;
}

}  // namespace

// A driver's high half arrives as 0x80000000 | bits 47:32 of an address whose upper bits are ones
// (SgprContent::kScratchBase): 0x7fff0000 more makes it canonical. A kernel's address is complete
// (LLVM, AMDGPUUsage, "Flat Scratch Init" of GFX10).
void AddScratchPrologue(const Abi& abi, Program& program) {
  constexpr int kFlatScratchLow = 20, kFlatScratchHigh = 21;
  const bool kernel = abi.kind == AbiKind::kKernarg;
  const int base = static_cast<int>(kernel ? kKernelScratchSgpr : kScratchSgpr);
  const isa::Operand low = isa::Sgpr(base), high = isa::Sgpr(base + 1);
  const isa::Operand offset = isa::Sgpr(static_cast<int>(abi.scratch_offset_sgpr));
  Row carry =
      Scalar(Opcode::kSAddcU32, high, high, isa::Source(kernel ? isa::kInt0 : isa::kLiteralCode));
  if (!kernel) carry.inst.literal = 0x7fff0000;
  const std::vector<Row> start = {Scalar(Opcode::kSAddU32, low, low, offset), carry,
                                  SetRegister(kFlatScratchLow, low),
                                  SetRegister(kFlatScratchHigh, high)};
  for (Row& row : program.rows) {
    if (row.target != Row::kNoTarget) row.target += static_cast<int>(start.size());
  }
  program.rows.insert(program.rows.begin(), start.begin(), start.end());
}

}  // namespace kiln::amd
