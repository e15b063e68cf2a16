// The operands and the destination of one lane: what stands between registers and operations.
//
// Reads sources with their modifiers (op_sel, SDWA's parts, negation, absolute value, flushing)
// and gives results their destination's form (omod, rounding, clamp, half or part of the
// register). Sources: RDNA2 ISA guide, 6.2.3 to 6.2.5 "Input, output modifiers", 6.5 "SDWA",
// 6.6 "Packed math".
#ifndef KILN_CORE_SIM_RDNA2_ALU_LANE_H_
#define KILN_CORE_SIM_RDNA2_ALU_LANE_H_

#include <cstdint>

#include "core/amd/isa/instruction.h"
#include "core/sim/rdna2/alu/evaluate.h"
#include "core/sim/rdna2/alu/number.h"

namespace kiln::sim::rdna2::alu {

// Returns the format of a float type, packed ones included; kF32 for others.
Format FormatOf(amd::isa::Type type);

// Returns the bits of a type, of one half for packed ones.
int BitsOf(amd::isa::Type type);

class Lane {
 public:
  Lane(const amd::isa::Instruction& inst, const Mode& mode, const LaneInputs& in)
      : inst_(inst), info_(amd::isa::Info(inst.op)), mode_(mode), in_(in) {}

  const amd::isa::Instruction& inst() const { return inst_; }
  const amd::isa::OpcodeInfo& info() const { return info_; }
  const Mode& mode() const { return mode_; }
  const LaneInputs& in() const { return in_; }
  amd::isa::Opcode op() const { return inst_.op; }

  // ---- Sources ----

  // Source i as its type has it, zero-extended; without negation and absolute value.
  uint64_t Bits(int i) const;
  uint32_t Bits32(int i) const { return static_cast<uint32_t>(Bits(i)); }
  // The same, sign-extended from its type's width.
  int64_t Signed(int i) const;
  // Source i with negation and absolute value, as bits and as a number, flushed by the mode.
  uint64_t FloatBits(int i) const;
  Number Float(int i) const;
  // A number of the format that the mode's denormals may flush.
  Number Float(uint64_t bits, Format format) const;

  // Half `high` of a packed source, by op_sel and op_sel_hi; of floats with negation.
  uint16_t Half(int i, bool high) const;
  Number HalfFloat(int i, bool high) const;

  // ---- Results ----

  Rounding RoundingOf(Format format) const {
    return format == kF32 ? mode_.round32 : mode_.round16_64;
  }
  Rounding rounding() const { return RoundingOf(FormatOf(info_.dst)); }
  Rules RulesOf(Format format) const;
  // Applies omod, rounds, flushes and clamps; `format` is the destination's.
  uint64_t Finish(const Number& x, Format format) const {
    return Finish(x, format, RulesOf(format));
  }
  uint64_t Finish(const Number& x, Format format, const Rules& rules) const;
  // Clamps bits of the format to [0, 1] if the instruction says so.
  uint64_t Clamped(uint64_t bits, Format format) const;

  // The result whose destination has these bits, as wide as the destination's type.
  LaneResult Result(uint64_t bits) const;
  LaneResult FloatResult(const Number& x) const { return Result(Finish(x, FormatOf(info_.dst))); }
  LaneResult PackedResult(uint16_t low, uint16_t high) const {
    return Result(uint32_t{low} | uint32_t{high} << 16);
  }
  // The result of a comparison.
  static LaneResult MaskResult(bool bit) {
    LaneResult r;
    r.mask_bit = bit;
    return r;
  }

 private:
  bool KeepsInputs(Format format) const {
    return (format == kF32 ? mode_.denormals32 : mode_.denormals16_64).keep_inputs;
  }
  bool KeepsOutputs(Format format) const {
    return (format == kF32 ? mode_.denormals32 : mode_.denormals16_64).keep_outputs;
  }
  bool OmodApplies(Format format) const;

  const amd::isa::Instruction& inst_;
  const amd::isa::OpcodeInfo& info_;
  const Mode& mode_;
  const LaneInputs& in_;
};

}  // namespace kiln::sim::rdna2::alu

#endif  // KILN_CORE_SIM_RDNA2_ALU_LANE_H_
