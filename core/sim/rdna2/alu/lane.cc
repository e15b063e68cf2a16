// See lane.h.
#include "core/sim/rdna2/alu/lane.h"

#include <cassert>

namespace kiln::sim::rdna2::alu {

using amd::isa::Encoding;
using amd::isa::Form;
using amd::isa::Sel;
using amd::isa::Type;

namespace {

constexpr uint64_t LowBits(int count) {
  return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
}

uint64_t SignExtended(uint64_t x, int bits) {
  const int unused = 64 - bits;
  return static_cast<uint64_t>(static_cast<int64_t>(x << unused) >> unused);
}

struct Part {
  int shift;
  int bits;
};

Part PartOf(uint8_t sel) {
  switch (static_cast<Sel>(sel)) {
    case Sel::kByte0: return {0, 8};
    case Sel::kByte1: return {8, 8};
    case Sel::kByte2: return {16, 8};
    case Sel::kByte3: return {24, 8};
    case Sel::kWord0: return {0, 16};
    case Sel::kWord1: return {16, 16};
    case Sel::kDword: return {0, 32};
  }
  return {0, 32};
}

// SDWA's parts of the destination: the rest becomes zero, the sign above the part, or stays.
LaneResult ToPart(uint32_t bits, const amd::isa::Sdwa& sdwa, uint32_t old) {
  constexpr uint8_t kSign = 1, kKeep = 2;
  const Part part = PartOf(sdwa.dst_sel);
  const uint32_t mask = static_cast<uint32_t>(LowBits(part.bits) << part.shift);
  LaneResult r;
  r.written = sdwa.dst_unused == kKeep ? mask : 0xffffffffu;
  uint32_t value = static_cast<uint32_t>(bits << part.shift) & mask;
  if (sdwa.dst_unused == kSign) {
    value = static_cast<uint32_t>(SignExtended(bits, part.bits) << part.shift);
  }
  r.value = sdwa.dst_unused == kKeep ? value | (old & ~mask) : value;
  return r;
}

}  // namespace

Format FormatOf(Type type) {
  if (type == Type::kF16 || type == Type::kPF16) return kF16;
  return type == Type::kF64 ? kF64 : kF32;
}

int BitsOf(Type type) {
  if (amd::isa::Is16Bit(type) || amd::isa::IsPacked(type)) return 16;
  return amd::isa::Dwords(type) == 2 ? 64 : 32;
}

uint64_t Lane::Bits(int i) const {
  const Type type = info_.src[static_cast<size_t>(i)];
  uint64_t bits = in_.src[static_cast<size_t>(i)];
  if (inst_.form == Form::kSdwa && i < 2) {
    const Part part = PartOf(inst_.sdwa.src_sel[static_cast<size_t>(i)]);
    bits = bits >> part.shift & LowBits(part.bits);
    if ((inst_.sdwa.sext >> i & 1) != 0) bits = SignExtended(bits, part.bits);
  }
  // op_sel takes the upper half; packed operations and v_fma_mix use it in their own way.
  if (amd::isa::Is16Bit(type) && info_.encoding != Encoding::kVop3p &&
      (inst_.op_sel >> i & 1) != 0) {
    bits >>= 16;
  }
  if (amd::isa::IsPacked(type)) return bits & 0xffffffffu;
  return bits & LowBits(BitsOf(type));
}

int64_t Lane::Signed(int i) const {
  return static_cast<int64_t>(SignExtended(Bits(i), BitsOf(info_.src[static_cast<size_t>(i)])));
}

uint64_t Lane::FloatBits(int i) const {
  uint64_t bits = Bits(i);
  const uint64_t sign = uint64_t{1} << (BitsOf(info_.src[static_cast<size_t>(i)]) - 1);
  if ((inst_.abs >> i & 1) != 0) bits &= ~sign;
  if ((inst_.neg >> i & 1) != 0) bits ^= sign;
  return bits;
}

Number Lane::Float(int i) const {
  return Float(FloatBits(i), FormatOf(info_.src[static_cast<size_t>(i)]));
}

Number Lane::Float(uint64_t bits, Format format) const {
  return Decode(bits, format, KeepsInputs(format));
}

uint16_t Lane::Half(int i, bool high) const {
  const uint32_t bits = Bits32(i);
  // VOP2's packed operations have no op_sel: each half takes its own.
  bool upper = high;
  uint8_t negated = 0;
  if (info_.encoding == Encoding::kVop3p) {
    upper = ((high ? inst_.op_sel_hi : inst_.op_sel) >> i & 1) != 0;
    negated = high ? inst_.neg_hi : inst_.neg;
  }
  const uint16_t half = static_cast<uint16_t>(upper ? bits >> 16 : bits);
  const bool is_float = info_.src[static_cast<size_t>(i)] == Type::kPF16;
  return is_float && (negated >> i & 1) != 0 ? half ^ 0x8000 : half;
}

Number Lane::HalfFloat(int i, bool high) const { return Float(Half(i, high), kF16); }

Rules Lane::RulesOf(Format format) const {
  return {RoundingOf(format), KeepsOutputs(format), format == kF16 && mode_.fp16_overflow};
}

// omod is ignored in IEEE mode and where subnormal results are kept (ISA guide, 6.2.4).
bool Lane::OmodApplies(Format format) const {
  return inst_.omod != 0 && !mode_.ieee && !KeepsOutputs(format);
}

uint64_t Lane::Finish(const Number& x, Format format, const Rules& rules) const {
  if (!OmodApplies(format)) return Clamped(Encode(x, format, rules), format);
  constexpr int kExponent[] = {0, 1, 2, -1};
  const uint64_t bits = Encode(Scale(x, kExponent[inst_.omod & 3]), format, rules);
  // -0 becomes +0 (ISA guide, 6.2.4).
  return Clamped(bits == format.sign() ? 0 : bits, format);
}

uint64_t Lane::Clamped(uint64_t bits, Format format) const {
  if (!inst_.clamp) return bits;
  const uint64_t magnitude = bits & (format.sign() - 1);
  if (magnitude > format.infinity()) return mode_.dx10_clamp ? 0 : bits;
  if ((bits & format.sign()) != 0) return 0;
  return magnitude > format.one() ? format.one() : bits;
}

LaneResult Lane::Result(uint64_t bits) const {
  if (inst_.form == Form::kSdwa) {
    return ToPart(static_cast<uint32_t>(bits), inst_.sdwa, static_cast<uint32_t>(in_.old));
  }
  LaneResult r;
  if (!amd::isa::Is16Bit(info_.dst)) {
    r.written = amd::isa::Dwords(info_.dst) >= 2 ? ~uint64_t{0} : 0xffffffffu;
    r.value = bits & r.written;
    return r;
  }
  // A 16-bit result leaves the other half as it is: gfx10 does so for all operations, earlier
  // chips for some (Mesa 25.0.7, aco_ir.cpp instr_is_16bit).
  const bool high = inst_.op == amd::isa::Opcode::kVFmaMixhiF16 ||
                    (info_.encoding != Encoding::kVop3p && (inst_.op_sel & 8) != 0);
  const int shift = high ? 16 : 0;
  r.written = uint64_t{0xffff} << shift;
  r.value = (in_.old & 0xffffffffu & ~r.written) | (bits & 0xffff) << shift;
  return r;
}

}  // namespace kiln::sim::rdna2::alu
