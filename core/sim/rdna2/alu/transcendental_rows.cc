// Reciprocals, roots, exponentials and sines: the operations whose results the ISA guide bounds
// only. README.md says what each gives here.
#include "core/sim/rdna2/alu/functions.h"
#include "core/sim/rdna2/alu/rows.h"

namespace kiln::sim::rdna2::alu {
namespace {

using amd::isa::Opcode;
using enum Accuracy;
using Function = Number (*)(const Number&);

Number Reciprocal(const Number& x) { return Divide(FromUnsigned(1), x); }

// Rounds to nearest in every mode, as the unit has no rounding modes.
LaneResult Rounded(const Lane& l, const Number& x, bool keep_subnormals) {
  const Format format = FormatOf(l.info().dst);
  Rules rules = l.RulesOf(format);
  rules.rounding = Rounding::kNearestEven;
  rules.keep_subnormals = rules.keep_subnormals && keep_subnormals;
  return l.Result(l.Finish(x, format, rules));
}

// 32 bits: subnormal sources and results are zero in every mode (ISA guide: "denormals are
// flushed"; Mesa 25.0.7, aco_instruction_selection.cpp emit_scaled_op works around it).
template <Function kFunction>
LaneResult Flushed(const Lane& l) {
  return Rounded(l, kFunction(Decode(l.FloatBits(0), kF32, false)), false);
}

// As the mode has subnormal numbers: 16 bits, sine and cosine.
template <Function kFunction>
LaneResult ByMode(const Lane& l) {
  return Rounded(l, kFunction(l.Float(0)), true);
}

// 64 bits: the guide promises 2^29 ulp. Results have 24 bits, so that code which leaves out the
// refinement that real hardware needs is seen.
template <Function kFunction>
LaneResult Seed64(const Lane& l) {
  constexpr int kSeedBits = 24;
  return Rounded(l, ToPrecision(kFunction(l.Float(0)), kSeedBits), true);
}

// v_trig_preop_f64 truncates and needs no rounding.
LaneResult TrigPreop(const Lane& l) {
  const int exponent = static_cast<int>(l.Bits(0) >> 52 & 0x7ff);
  return l.FloatResult(TwoOverPiSegment(exponent, static_cast<int>(l.Bits(1) & 31)));
}

constexpr Row kRows[] = {
    {Opcode::kVRcpF16, kBounded, ByMode<Reciprocal>},
    {Opcode::kVRcpF32, kBounded, Flushed<Reciprocal>},
    {Opcode::kVRcpIflagF32, kBounded, Flushed<Reciprocal>},
    {Opcode::kVRcpF64, kBounded, Seed64<Reciprocal>},
    {Opcode::kVRsqF16, kBounded, ByMode<ReciprocalSquareRoot>},
    {Opcode::kVRsqF32, kBounded, Flushed<ReciprocalSquareRoot>},
    {Opcode::kVRsqF64, kBounded, Seed64<ReciprocalSquareRoot>},
    {Opcode::kVSqrtF16, kBounded, ByMode<SquareRoot>},
    {Opcode::kVSqrtF32, kBounded, Flushed<SquareRoot>},
    {Opcode::kVSqrtF64, kBounded, Seed64<SquareRoot>},
    {Opcode::kVExpF16, kBounded, ByMode<Exp2>},
    {Opcode::kVExpF32, kBounded, Flushed<Exp2>},
    {Opcode::kVLogF16, kBounded, ByMode<Log2>},
    {Opcode::kVLogF32, kBounded, Flushed<Log2>},
    {Opcode::kVSinF16, kBounded, ByMode<Sin2Pi>},
    {Opcode::kVSinF32, kBounded, ByMode<Sin2Pi>},
    {Opcode::kVCosF16, kBounded, ByMode<Cos2Pi>},
    {Opcode::kVCosF32, kBounded, ByMode<Cos2Pi>},
    {Opcode::kVTrigPreopF64, kExact, TrigPreop},
};

}  // namespace

absl::Span<const Row> TranscendentalRows() { return kRows; }

}  // namespace kiln::sim::rdna2::alu
