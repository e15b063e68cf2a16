// Interpolation of fragment inputs: P0 + P10 i + P20 j in two steps.
//
// The caller passes P10, P20, P0 (LaneInputs::parameter). The ISA guide does not say whether the
// multiply-adds round once; they do here, as RDNA3's v_interp_p10_f32 and v_interp_p2_f32 (AMD's
// RDNA3 guide: fma).
#include "core/sim/rdna2/alu/rows.h"

namespace kiln::sim::rdna2::alu {
namespace {

using amd::isa::Opcode;
using enum Accuracy;

enum Parameter : size_t { kP10, kP20, kP0 };

Number Single(const Lane& l, Parameter p) { return l.Float(l.in().parameter[p], kF32); }

// 16-bit attributes: two in a dword; `high` selects one.
Number HalfOf(const Lane& l, uint64_t dword) {
  return l.Float(l.inst().high ? dword >> 16 : dword, kF16);
}
Number Half(const Lane& l, Parameter p) { return HalfOf(l, l.in().parameter[p]); }

LaneResult FmaOf(const Lane& l, const Number& a, const Number& b, const Number& c) {
  return l.FloatResult(Fma(a, b, c, l.rounding()));
}

LaneResult First(const Lane& l) { return FmaOf(l, Single(l, kP10), l.Float(0), Single(l, kP0)); }
LaneResult Second(const Lane& l) {
  return FmaOf(l, Single(l, kP20), l.Float(0), l.Float(l.in().old, kF32));
}

// src0's number selects P10, P20 or P0.
LaneResult Move(const Lane& l) {
  const uint16_t selector = l.inst().src[0].code & 0xff;
  return l.Result(l.in().parameter[selector < 3 ? selector : static_cast<size_t>(kP0)]);
}

LaneResult FirstOfHalves(const Lane& l) {
  return FmaOf(l, Half(l, kP10), l.Float(1), Half(l, kP0));
}
LaneResult FirstWithRegister(const Lane& l) {
  return FmaOf(l, Half(l, kP10), l.Float(1), HalfOf(l, l.in().src[2]));
}
LaneResult SecondOfHalves(const Lane& l) { return FmaOf(l, Half(l, kP20), l.Float(1), l.Float(2)); }

constexpr Row kRows[] = {
    {Opcode::kVInterpP1F32, kBounded, First},
    {Opcode::kVInterpP2F32, kBounded, Second},
    {Opcode::kVInterpMovF32, kExact, Move},
    {Opcode::kVInterpP1llF16, kBounded, FirstOfHalves},
    {Opcode::kVInterpP1lvF16, kBounded, FirstWithRegister},
    {Opcode::kVInterpP2F16, kBounded, SecondOfHalves},
};

}  // namespace

absl::Span<const Row> InterpolationRows() { return kRows; }

}  // namespace kiln::sim::rdna2::alu
