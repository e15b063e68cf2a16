// Selects conversions. Narrowing an integer is free, since bits above a smaller type are undefined
// (emission.h). v_cvt of floats to integers saturates, and gives 0 for NaN, as MIR asks; of 16-bit
// results it writes the low half of the dword and keeps the high one (LLVM 19, AMDGPU
// zeroesHigh16BitsOfDest: none from GFX10 on).
#include "core/amd/select/conversions.h"

#include <algorithm>

#include "core/amd/select/modifiers.h"

namespace kiln::amd {

Operand Conversions::ToSingle(mir::ValueId v) {
  return e_.Valu(Opcode::kVCvtF32F16, {FloatSource(e_, v)});
}

// Integers to half precision go through single precision: those that it would round, from 2^24 on,
// become infinities.
Operand Conversions::IntToFloat(mir::InstId id, bool is_signed) {
  const mir::ValueId v = m_.source(id, 0);
  const bool half = e_.BitsOf(m_.result(id)) == 16;
  if (const auto byte = parts_.ConvertedBy(id)) {
    constexpr Opcode kOfByte[] = {Opcode::kVCvtF32Ubyte0, Opcode::kVCvtF32Ubyte1,
                                  Opcode::kVCvtF32Ubyte2, Opcode::kVCvtF32Ubyte3};
    return e_.Valu(kOfByte[byte->first / 8], {e_.Src(byte->dword)});
  }
  if (half && e_.BitsOf(v) == 16) {
    return e_.Valu(is_signed ? Opcode::kVCvtF16I16 : Opcode::kVCvtF16U16, {e_.Src(v)});
  }
  Operand single;
  if (e_.BitsOf(v) == 8 && !is_signed) {
    single = e_.Valu(Opcode::kVCvtF32Ubyte0, {e_.Src(v)});
  } else {
    single =
        e_.Valu(is_signed ? Opcode::kVCvtF32I32 : Opcode::kVCvtF32U32, {e_.Widened(v, is_signed)});
  }
  return half ? ToHalf(single) : single;
}

Operand Conversions::FloatToInt(mir::InstId id, bool is_signed) {
  const mir::ValueId v = m_.source(id, 0);
  const uint32_t bits = e_.BitsOf(m_.result(id));
  const bool half = e_.BitsOf(v) == 16;
  if (half && bits == 16) {
    return e_.Valu(is_signed ? Opcode::kVCvtI16F16 : Opcode::kVCvtU16F16, {FloatSource(e_, v)});
  }
  const Operand single = half ? ToSingle(v) : FloatSource(e_, v);
  const Operand number = e_.Valu(is_signed ? Opcode::kVCvtI32F32 : Opcode::kVCvtU32F32, {single});
  if (bits == 32) return number;
  if (!is_signed) return e_.Valu(Opcode::kVMinU32, {Imm((1u << bits) - 1), number});
  const uint32_t largest = (1u << (bits - 1)) - 1;
  return e_.Valu(Opcode::kVMed3I32, {number, e_.ToV(Imm(~largest)), Imm(largest)});
}

// Returns true if all readers of the half bits ignore what is above them.
bool Conversions::NeedsOnlyLowHalf(mir::InstId id) {
  const absl::Span<const mir::Use> uses = e_.uses().Of(m_.result(id));
  return std::all_of(uses.begin(), uses.end(), [&](const mir::Use& use) {
    const mir::Inst& inst = m_.inst(use.inst);
    switch (inst.op) {
      case mir::Op::kF16f:
      case mir::Op::kTrunc: return true;
      case mir::Op::kOr: return parts_.PairOf(use.inst).has_value();
      case mir::Op::kShl:
        return use.source == 0 && m_.IsConstant(m_.source(use.inst, 1)) &&
               (m_.value(m_.source(use.inst, 1)).bits & 31) >= 16;
      default: return false;
    }
  });
}

// The instruction reads the low half of its source, by SDWA the high one.
Operand Conversions::HalfBitsToSingle(mir::InstId id) {
  const auto word = parts_.ConvertedBy(id);
  if (!word) return e_.Valu(Opcode::kVCvtF32F16, {e_.Src(m_.source(id, 0))});
  Extra extra;
  if (word->first != 0) {
    extra.form = static_cast<uint8_t>(isa::Form::kSdwa);
    extra.sdwa_dst = static_cast<uint8_t>(isa::Sel::kDword);
    extra.sdwa_src0 = static_cast<uint8_t>(isa::Sel::kWord1);
  }
  return e_.Valu(Opcode::kVCvtF32F16, {e_.Src(word->dword)}, extra);
}

Operand Conversions::Conversion(mir::InstId id) {
  using mir::Op;
  const mir::ValueId v = m_.source(id, 0);
  switch (m_.inst(id).op) {
    case Op::kBitcast:
    case Op::kTrunc: return e_.BitsOf(v) == 64 ? e_.Half(v, 0) : e_.Src(v);
    case Op::kZext: return e_.Widened(v, false);
    case Op::kSext: return e_.Widened(v, true);
    case Op::kF2i: return FloatToInt(id, true);
    case Op::kF2u: return FloatToInt(id, false);
    case Op::kI2f: return IntToFloat(id, true);
    case Op::kU2f: return IntToFloat(id, false);
    case Op::kF2f: return e_.BitsOf(v) == 16 ? ToSingle(v) : ToHalf(FloatSource(e_, v));
    case Op::kF16f: return HalfBitsToSingle(id);
    case Op::kF2f16: {
      const Operand half = ToHalf(FloatSource(e_, v));
      if (NeedsOnlyLowHalf(id)) return half;
      return e_.Valu(Opcode::kVAndB32, {Imm(0xffff), half});
    }
    default: return {};
  }
}

}  // namespace kiln::amd
