// Computes a vector ALU instruction in one lane: a pure function of its operands' bits.
//
// The caller fetches sources (registers, constants, DPP's lanes) and stores results under exec;
// everything between happens here: negation and absolute value, op_sel, SDWA's parts, the
// operation, omod, clamp, and the bits of the destination that stay. Every opcode of
// core/amd/isa/opcodes.def with a vector encoding is computed or has a reason why it is not
// (CheckComputed). README.md says how exact each family is.
#ifndef KILN_CORE_SIM_RDNA2_ALU_EVALUATE_H_
#define KILN_CORE_SIM_RDNA2_ALU_EVALUATE_H_

#include <array>
#include <cstdint>

#include "absl/status/status.h"
#include "core/amd/isa/instruction.h"
#include "core/sim/rdna2/alu/mode.h"

namespace kiln::sim::rdna2::alu {

// The operands of one lane, as registers hold them.
//
// Sources stand as in Instruction::src, low dword first. Inline constants are passed as the value
// that their operand's type makes of them: 0x3800 for 0.5 of a 16-bit operand, 64 bits for a
// 64-bit one; literals as the operand has them (the upper dword of an f64). DPP has been applied.
struct LaneInputs {
  std::array<uint64_t, 3> src = {};
  uint64_t src2_high = 0;  // upper half of v_mqsad_u32_u8's 128-bit src2
  // The lane's bit of the mask that the instruction reads: carry-in and v_cndmask's selector
  // (opcode_flag::kMaskIn), vcc of v_div_fmas (kVccR).
  bool mask_bit = false;
  uint64_t old = 0;  // the destination before the instruction
  int lane = 0;      // its number in the wave, for v_mbcnt
  // Interpolation: the attribute's P10, P20 and P0 for this lane's primitive, as dwords of LDS.
  std::array<uint32_t, 3> parameter = {};
};

// The results of one lane.
struct LaneResult {
  // The destination's new bits, kept parts of the old value included; upper dword 0 if the
  // destination has one.
  uint64_t value = 0;
  uint64_t value_high = 0;  // upper half of v_mqsad_u32_u8's destination
  // The bits of `value` that the instruction writes; the others equal the old destination.
  uint64_t written = 0;
  bool mask_bit = false;    // carry-out, or the comparison
  uint64_t src0_value = 0;  // v_swap: what src0 gets
};

// How near a result is to the hardware's.
enum class Accuracy : uint8_t {
  kExact,    // the same bits, as far as public documents define them
  kBounded,  // documents give a bound only; README.md names the function that is computed here
  kRefused,  // not computed
};

// Returns the accuracy of an opcode; kRefused for those that are not of the vector ALU.
Accuracy AccuracyOf(amd::isa::Opcode op);

// Returns OK if Evaluate computes the instruction; otherwise an error that names it and says why
// not: it needs other lanes, its result is not documented, or it is no vector instruction.
absl::Status CheckComputed(const amd::isa::Instruction& inst);

// Returns the results of one lane. CheckComputed(inst) must be OK. O(1).
LaneResult Evaluate(const amd::isa::Instruction& inst, const Mode& mode, const LaneInputs& in);

}  // namespace kiln::sim::rdna2::alu

#endif  // KILN_CORE_SIM_RDNA2_ALU_EVALUATE_H_
