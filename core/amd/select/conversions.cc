// Selects conversions. Narrowing an integer is free, since bits above a smaller type are undefined
// (emission.h). v_cvt of floats to integers saturates, and gives 0 for NaN, as MIR asks; of 16-bit
// results it writes the low half of the dword and keeps the high one (LLVM 19, AMDGPU
// zeroesHigh16BitsOfDest: none from GFX10 on).
#include "core/amd/select/conversions.h"

#include <algorithm>

#include "core/amd/select/doubles.h"
#include "core/amd/select/modifiers.h"

namespace kiln::amd {

Operand Conversions::ToSingle(mir::ValueId v) {
  return e_.Valu(Opcode::kVCvtF32F16, {FloatSource(e_, v)});
}

// Integers to half precision go through single precision: those that it would round, from 2^24 on,
// become infinities.
Operand Conversions::IntToFloat(mir::InstId id, bool is_signed) {
  const mir::ValueId v = m_.source(id, 0);
  const uint32_t bits = e_.BitsOf(m_.result(id));
  const bool half = bits == 16;
  if (bits == 64) {
    return e_.Valu(is_signed ? Opcode::kVCvtF64I32 : Opcode::kVCvtF64U32,
                   {e_.Widened(v, is_signed)});
  }
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
  Operand number;
  if (e_.BitsOf(v) == 64) {
    number = e_.Valu(is_signed ? Opcode::kVCvtI32F64 : Opcode::kVCvtU32F64, {DoubleSource(e_, v)});
  } else {
    const Operand single = half ? ToSingle(v) : FloatSource(e_, v);
    number = e_.Valu(is_signed ? Opcode::kVCvtI32F32 : Opcode::kVCvtU32F32, {single});
  }
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

// Returns a finite double, whose low half is 0, brought into the range of singles, in which the
// conversion would otherwise make infinity of it; others as they are. Halfs end far below.
Operand Conversions::WithinSingles(const Operand& x) {
  constexpr uint32_t kLarge = 0x46300000, kNoFiniteNumber = 0x207;  // 2^100; classes
  const Operand upper = e_.Valu(Opcode::kVMinF64, {x, Imm(kLarge)});
  const Operand both = e_.Valu(Opcode::kVMaxF64, {upper, Imm(kLarge | 0x80000000)});
  const Operand other = e_.Compare(Opcode::kVCmpClassF64, x, Imm(kNoFiniteNumber));
  const Operand high =
      e_.Valu(Opcode::kVCndmaskB32, {e_.Component(both, 1), e_.Component(x, 1), other});
  return e_.Vector({Imm(0), high}, kFileV);
}

// Doubles are rounded once: a half has so few bits that the upper dword of a double, its last bit
// set if the lower one is not 0, decides the rounding, and is a single exactly where it matters.
Operand Conversions::DoubleToHalf(mir::ValueId v) {
  const uint8_t mods = TakeModifiers(e_, &v);
  const Operand low = e_.Half(v, 0), high = e_.Half(v, 1);
  const Operand inexact = e_.Compare(Opcode::kVCmpNeU32, Imm(0), low);
  const Operand sticky = e_.Valu(Opcode::kVCndmaskB32, {Imm(0), Imm(1), inexact});
  Operand shorter = e_.Vector({Imm(0), e_.Commuted(Opcode::kVOrB32, high, sticky)}, kFileV);
  if (mir::RoundsToZero(m_, mir::Op::kFadd, mir::Type::kF16) &&
      !mir::RoundsToZero(m_, mir::Op::kFadd, mir::Type::kF32)) {
    shorter = WithinSingles(shorter);
  }
  shorter.mods = mods;
  return ToHalf(e_.Valu(Opcode::kVCvtF32F64, {shorter}));
}

Operand Conversions::FloatToFloat(mir::InstId id) {
  const mir::ValueId v = m_.source(id, 0);
  const uint32_t from = e_.BitsOf(v), to = e_.BitsOf(m_.result(id));
  if (from == 64) {
    return to == 16 ? DoubleToHalf(v) : e_.Valu(Opcode::kVCvtF32F64, {DoubleSource(e_, v)});
  }
  const Operand single = from == 16 ? ToSingle(v) : FloatSource(e_, v);
  if (to == 64) return e_.Valu(Opcode::kVCvtF64F32, {single});
  return to == 16 ? ToHalf(single) : single;
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
    case Op::kF2f: return FloatToFloat(id);
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
