// See amd_text.h.
#include "tests/isa/amd_text.h"

#include "core/amd/isa/fields.h"
#include "core/amd/isa/operands.h"

namespace kiln::tests {

using namespace amd::isa;  // NOLINT: the vocabulary of this file

namespace {

bool HasUnusedRegisters(const Instruction& inst) {
  for (Member m : {Member::kDst, Member::kSrc0, Member::kSrc1, Member::kSrc2, Member::kSrc3}) {
    if (!Exists(inst, m) && OperandOf(inst, m).exists()) return true;
  }
  return false;
}

bool EndsInVcc(const Instruction& inst) {
  for (const OperandUse& use : OperandsOf(inst, Wave::k32)) {
    const int code = use.operand.code;
    if (code < kSgprCount && code + use.dwords > kSgprCount) return true;
  }
  return false;
}

// Returns true for a literal that is an inline constant, or wider than its operand's text.
bool HasAwkwardLiteral(const Instruction& inst) {
  if (!HasLiteral(inst)) return false;
  const OpcodeInfo& info = Info(inst.op);
  if (info.Has(opcode_flag::kLiteral) && Is16Bit(info.dst) && inst.literal >> 16 != 0) return true;
  for (int i = 0; i < 3; ++i) {
    if (!inst.src[i].is_literal()) continue;
    const bool half = Is16Bit(info.src[i]) || info.Has(opcode_flag::kMix);
    if (half && inst.literal >> 16 != 0) return true;
    if (info.src[i] == Type::kF64 && ((inst.neg | inst.abs) >> i & 1) != 0) return true;
    const uint32_t v = inst.literal;
    const bool integer = v <= 64 || v >= 0xfffffff0;
    // Floats with few bits: 0.5 to 4.0 in 16, 32 and 64 bits, and 1 / (2 pi).
    const bool real = (v & 0x7fffffff) == 0 || (v & 0x000fffff) == 0 || v == 0x3e22f983 ||
                      v == 0x3fc45f30 || (v & 0x03ff) == 0 || v == 0x3118 || IsPacked(info.src[i]);
    if (integer || real) return true;
  }
  return false;
}

// Returns true for 0.5 and its kin as a source of 16-bit integers, which LLVM prints as a literal.
bool HasFloatOfAnInteger(const Instruction& inst) {
  for (int i = 0; i < 3; ++i) {
    const Type type = Info(inst.op).src[i];
    const int code = inst.src[i].code;
    if (Is16Bit(type) && !IsFloat(type) && code >= kHalf && code <= kInvTwoPi) return true;
  }
  return false;
}

}  // namespace

Instruction WithoutUnused(Instruction inst) {
  for (Member m : {Member::kDst, Member::kSrc0, Member::kSrc1, Member::kSrc2, Member::kSrc3}) {
    if (!Exists(inst, m)) OperandOf(inst, m) = Operand();
  }
  const OpcodeInfo& info = Info(inst.op);
  if (info.encoding == Encoding::kVop3p && info.src[2] == Type::kN) inst.op_sel_hi |= 4;
  return inst;
}

std::string WithoutText(const Instruction& inst) {
  const OpcodeInfo& info = Info(inst.op);
  if (HasUnusedRegisters(inst)) return "unused registers";
  if (EndsInVcc(inst)) return "tuple that ends in vcc";
  if (info.encoding == Encoding::kVop3p && info.src[2] == Type::kN && inst.op_sel_hi < 4) {
    return "op_sel_hi of no source";
  }
  if (HasAwkwardLiteral(inst)) return "literal";
  if (HasFloatOfAnInteger(inst)) return "float constant of a 16-bit integer";
  if (info.encoding == Encoding::kVopc && HasExtension(inst.form) && inst.form != Form::kSdwa) {
    return "DPP of a comparison";
  }
  if (info.Has(opcode_flag::kOpSelByMesa) && inst.op_sel != 0) return "op_sel";
  if (info.encoding == Encoding::kMtbuf && inst.tfe) return "tfe of MTBUF";
  if (info.Has(opcode_flag::kGather) && inst.d16) return "d16 of gather4";
  if (inst.sdst.code == kVccLo && inst.form == Form::kSdwa) return "vcc by name";
  return "";
}

}  // namespace kiln::tests
