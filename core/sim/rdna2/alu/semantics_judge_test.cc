// Instructions against the interpreter's operations (core/mir/semantics.h), which were written
// independently: random and corner operands, rounding to nearest and to zero, subnormal numbers
// kept and flushed.
#include <algorithm>
#include <array>
#include <cfenv>
#include <optional>
#include <random>
#include <type_traits>

#include "core/mir/semantics.h"
#include "core/sim/rdna2/alu/evaluate.h"
#include "core/sim/rdna2/alu/scalar.h"
#include "core/sim/rdna2/alu/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2::alu {
namespace {

using amd::isa::Instruction;
using amd::isa::Opcode;
using mir::Op;
using mir::Type;
using Sources = std::array<uint64_t, 4>;

constexpr int kCases = 4'000;

// The interpreter's result.
std::optional<uint64_t> Judged(Op op, Type result, Type source, bool flush, const Sources& s) {
  std::optional<uint64_t> out;
  mir::semantics::VisitExact(op, result, source, {flush, flush}, [&](auto f) {
    using F = decltype(f);
    using U = uint64_t;
    if constexpr (std::is_invocable_v<F, U>) {
      out = f(s[0]);
    } else if constexpr (std::is_invocable_v<F, U, U>) {
      out = f(s[0], s[1]);
    } else if constexpr (std::is_invocable_v<F, U, U, U>) {
      out = f(s[0], s[1], s[2]);
    } else {
      out = f(s[0], s[1], s[2], s[3]);
    }
  });
  return out;
}

enum class Arrangement : uint8_t {
  kSame,      // the operation's sources are src0, src1, src2
  kReversed,  // shifts, v_subrev: the operation's first source is src1
  kOld,       // the third source is the old destination
  kField,     // v_bfe, whose field must lie in the operand: SPIR-V defines no other
};

struct Pair {
  Opcode op;
  Op judge;
  Type result, source;
  Arrangement arrangement = Arrangement::kSame;
};

constexpr Type kF32T = Type::kF32, kF16T = Type::kF16, kI16 = Type::kI16, kI32 = Type::kI32,
               kI64 = Type::kI64, kBool = Type::kBool;
constexpr Arrangement kReversed = Arrangement::kReversed, kOld = Arrangement::kOld;

constexpr Pair kFloatPairs[] = {
    {Opcode::kVAddF32, Op::kFadd, kF32T, kF32T},
    {Opcode::kVAddF16, Op::kFadd, kF16T, kF16T},
    {Opcode::kVSubF32, Op::kFsub, kF32T, kF32T},
    {Opcode::kVSubF16, Op::kFsub, kF16T, kF16T},
    {Opcode::kVSubrevF32, Op::kFsub, kF32T, kF32T, kReversed},
    {Opcode::kVSubrevF16, Op::kFsub, kF16T, kF16T, kReversed},
    {Opcode::kVMulF32, Op::kFmul, kF32T, kF32T},
    {Opcode::kVMulF16, Op::kFmul, kF16T, kF16T},
    {Opcode::kVFmaF32, Op::kFfma, kF32T, kF32T},
    {Opcode::kVFmaF16, Op::kFfma, kF16T, kF16T},
    {Opcode::kVFmacF32, Op::kFfma, kF32T, kF32T, kOld},
    {Opcode::kVFmacF16, Op::kFfma, kF16T, kF16T, kOld},
    {Opcode::kVMinF32, Op::kFmin, kF32T, kF32T},
    {Opcode::kVMinF16, Op::kFmin, kF16T, kF16T},
    {Opcode::kVMaxF32, Op::kFmax, kF32T, kF32T},
    {Opcode::kVMaxF16, Op::kFmax, kF16T, kF16T},
    {Opcode::kVFloorF32, Op::kFfloor, kF32T, kF32T},
    {Opcode::kVFloorF16, Op::kFfloor, kF16T, kF16T},
    {Opcode::kVCeilF32, Op::kFceil, kF32T, kF32T},
    {Opcode::kVCeilF16, Op::kFceil, kF16T, kF16T},
    {Opcode::kVTruncF32, Op::kFtrunc, kF32T, kF32T},
    {Opcode::kVTruncF16, Op::kFtrunc, kF16T, kF16T},
    {Opcode::kVRndneF32, Op::kFroundEven, kF32T, kF32T},
    {Opcode::kVRndneF16, Op::kFroundEven, kF16T, kF16T},
    {Opcode::kVCvtF32F16, Op::kF2f, kF32T, kF16T},
    {Opcode::kVCvtF16F32, Op::kF2f, kF16T, kF32T},
    {Opcode::kVCvtF32I32, Op::kI2f, kF32T, kI32},
    {Opcode::kVCvtF32U32, Op::kU2f, kF32T, kI32},
    {Opcode::kVCvtF16I16, Op::kI2f, kF16T, kI16},
    {Opcode::kVCvtF16U16, Op::kU2f, kF16T, kI16},
    {Opcode::kVCvtI32F32, Op::kF2i, kI32, kF32T},
    {Opcode::kVCvtU32F32, Op::kF2u, kI32, kF32T},
    {Opcode::kVCvtI16F16, Op::kF2i, kI16, kF16T},
    {Opcode::kVCvtU16F16, Op::kF2u, kI16, kF16T},
    {Opcode::kVCmpEqF32, Op::kFeq, kBool, kF32T},
    {Opcode::kVCmpNeqF32, Op::kFne, kBool, kF32T},
    {Opcode::kVCmpLtF32, Op::kFlt, kBool, kF32T},
    {Opcode::kVCmpGeF32, Op::kFge, kBool, kF32T},
    {Opcode::kVCmpEqF16, Op::kFeq, kBool, kF16T},
    {Opcode::kVCmpNeqF16, Op::kFne, kBool, kF16T},
    {Opcode::kVCmpLtF16, Op::kFlt, kBool, kF16T},
    {Opcode::kVCmpGeF16, Op::kFge, kBool, kF16T},
    {Opcode::kVCmpxLtF32, Op::kFlt, kBool, kF32T},
};

constexpr Pair kIntegerPairs[] = {
    {Opcode::kVAddNcU32, Op::kIadd, kI32, kI32},
    {Opcode::kVAddNcI32, Op::kIadd, kI32, kI32},
    {Opcode::kVAddNcU16, Op::kIadd, kI16, kI16},
    {Opcode::kVAddNcI16, Op::kIadd, kI16, kI16},
    {Opcode::kVAddCoU32, Op::kIadd, kI32, kI32},
    {Opcode::kVSubNcU32, Op::kIsub, kI32, kI32},
    {Opcode::kVSubNcI32, Op::kIsub, kI32, kI32},
    {Opcode::kVSubNcU16, Op::kIsub, kI16, kI16},
    {Opcode::kVSubNcI16, Op::kIsub, kI16, kI16},
    {Opcode::kVSubCoU32, Op::kIsub, kI32, kI32},
    {Opcode::kVSubrevNcU32, Op::kIsub, kI32, kI32, kReversed},
    {Opcode::kVSubrevCoU32, Op::kIsub, kI32, kI32, kReversed},
    {Opcode::kVMulLoU32, Op::kImul, kI32, kI32},
    {Opcode::kVMulLoU16, Op::kImul, kI16, kI16},
    {Opcode::kVMulHiU32, Op::kUmulHigh, kI32, kI32},
    {Opcode::kVMulHiI32, Op::kSmulHigh, kI32, kI32},
    {Opcode::kVMinI32, Op::kImin, kI32, kI32},
    {Opcode::kVMinU32, Op::kUmin, kI32, kI32},
    {Opcode::kVMaxI32, Op::kImax, kI32, kI32},
    {Opcode::kVMaxU32, Op::kUmax, kI32, kI32},
    {Opcode::kVMinI16, Op::kImin, kI16, kI16},
    {Opcode::kVMinU16, Op::kUmin, kI16, kI16},
    {Opcode::kVMaxI16, Op::kImax, kI16, kI16},
    {Opcode::kVMaxU16, Op::kUmax, kI16, kI16},
    {Opcode::kVAndB32, Op::kAnd, kI32, kI32},
    {Opcode::kVOrB32, Op::kOr, kI32, kI32},
    {Opcode::kVXorB32, Op::kXor, kI32, kI32},
    {Opcode::kVNotB32, Op::kNot, kI32, kI32},
    {Opcode::kVLshlrevB32, Op::kShl, kI32, kI32, kReversed},
    {Opcode::kVLshrrevB32, Op::kUshr, kI32, kI32, kReversed},
    {Opcode::kVAshrrevI32, Op::kAshr, kI32, kI32, kReversed},
    {Opcode::kVLshlrevB16, Op::kShl, kI16, kI16, kReversed},
    {Opcode::kVLshrrevB16, Op::kUshr, kI16, kI16, kReversed},
    {Opcode::kVAshrrevI16, Op::kAshr, kI16, kI16, kReversed},
    {Opcode::kVLshlrevB64, Op::kShl, kI64, kI64, kReversed},
    {Opcode::kVLshrrevB64, Op::kUshr, kI64, kI64, kReversed},
    {Opcode::kVAshrrevI64, Op::kAshr, kI64, kI64, kReversed},
    {Opcode::kVBfeU32, Op::kUbitfieldExtract, kI32, kI32, Arrangement::kField},
    {Opcode::kVBfeI32, Op::kSbitfieldExtract, kI32, kI32, Arrangement::kField},
    {Opcode::kVBfrevB32, Op::kBitReverse, kI32, kI32},
    {Opcode::kVFfblB32, Op::kFindLsb, kI32, kI32},
    {Opcode::kVDot4I32I8, Op::kSdot4x8, kI32, kI32},
    {Opcode::kVDot4U32U8, Op::kUdot4x8, kI32, kI32},
    {Opcode::kVDot4cI32I8, Op::kSdot4x8, kI32, kI32, kOld},
    {Opcode::kVCmpEqI32, Op::kIeq, kBool, kI32},
    {Opcode::kVCmpNeU32, Op::kIne, kBool, kI32},
    {Opcode::kVCmpLtI32, Op::kSlt, kBool, kI32},
    {Opcode::kVCmpGeI32, Op::kSge, kBool, kI32},
    {Opcode::kVCmpLtU32, Op::kUlt, kBool, kI32},
    {Opcode::kVCmpGeU32, Op::kUge, kBool, kI32},
    {Opcode::kVCmpLtI16, Op::kSlt, kBool, kI16},
    {Opcode::kVCmpLtU16, Op::kUlt, kBool, kI16},
    {Opcode::kVCmpLtI64, Op::kSlt, kBool, kI64},
    {Opcode::kVCmpLtU64, Op::kUlt, kBool, kI64},
    {Opcode::kVCmpxEqU64, Op::kIeq, kBool, kI64},
};

Format FormatOf(Type type) { return type == kF16T ? kF16 : kF32; }
bool IsFloatType(Type type) { return type == kF16T || type == kF32T; }

// Operands of one type: floats with corners; integers with few bits set or clear.
class Operands {
 public:
  Operands(Type type, uint32_t seed) : type_(type), floats_(FormatOf(type), seed), random_(seed) {}

  uint64_t Next() {
    if (IsFloatType(type_)) return floats_.Next();
    const uint64_t mask = mir::MaskOf(type_);
    const uint64_t bits = random_();
    switch (random_() % 4) {
      case 0: return (bits & 1 ? ~uint64_t{0} : 0) & mask;
      case 1: return (uint64_t{1} << (bits % 64)) & mask;
      case 2: return (~uint64_t{0} << (bits % 64)) & mask;
      default: return bits & mask;
    }
  }

 private:
  Type type_;
  Floats floats_;
  std::mt19937_64 random_;
};

Sources ForJudge(const Pair& pair, const Sources& s) {
  switch (pair.arrangement) {
    case Arrangement::kReversed: return {s[1], s[0], s[2], s[3]};
    default: return s;
  }
}

bool Agrees(const Pair& pair, uint64_t got, uint64_t expected) {
  if (!IsFloatType(pair.result)) return got == expected;
  const Format format = FormatOf(pair.result);
  if (SameFloat(got, expected, format)) return true;
  // The interpreter gives either zero; the hardware has -0 < +0.
  const bool zeros = ((got | expected) & (format.sign() - 1)) == 0;
  return zeros && (pair.judge == Op::kFmin || pair.judge == Op::kFmax);
}

void CompareWithJudge(const Pair& pair, const Mode& mode, bool flush, uint32_t seed) {
  Operands operands(pair.source, seed);
  Instruction inst;
  inst.op = pair.op;
  for (int i = 0; i < kCases; ++i) {
    Sources s = {operands.Next(), operands.Next(), operands.Next(), 0};
    if (pair.arrangement == Arrangement::kField) {
      s[1] &= 31;
      s[2] = std::min(s[2] & 31, 32 - s[1]);
    }
    LaneInputs in;
    in.src = {s[0], s[1], s[2]};
    in.old = s[2];
    const LaneResult r = Evaluate(inst, mode, in);
    const uint64_t got =
        pair.result == kBool ? uint64_t{r.mask_bit} : r.value & mir::MaskOf(pair.result);
    if (mode.round32 == Rounding::kZero) std::fesetround(FE_TOWARDZERO);
    const std::optional<uint64_t> expected =
        Judged(pair.judge, pair.result, pair.source, flush, ForJudge(pair, s));
    std::fesetround(FE_TONEAREST);
    ASSERT_TRUE(expected.has_value()) << amd::isa::Info(pair.op).mnemonic;
    ASSERT_TRUE(Agrees(pair, got, *expected))
        << amd::isa::Info(pair.op).mnemonic << std::hex << " of " << s[0] << " " << s[1] << " "
        << s[2] << ": " << got << ", interpreter " << *expected;
  }
}

TEST(SemanticsJudge, Floats) {
  for (const bool flush : {false, true}) {
    for (const Rounding rounding : {Rounding::kNearestEven, Rounding::kZero}) {
      Mode mode;
      mode.round32 = mode.round16_64 = rounding;
      mode.denormals32 = mode.denormals16_64 = {!flush, !flush};
      for (const Pair& pair : kFloatPairs) CompareWithJudge(pair, mode, flush, 1);
    }
  }
}

TEST(SemanticsJudge, Integers) {
  for (const Pair& pair : kIntegerPairs) CompareWithJudge(pair, Mode(), false, 2);
}

// ---- Carries, clamped dot products, packed halves ----

TEST(SemanticsJudge, Carries) {
  Operands operands(kI32, 3);
  Instruction add, sub;
  add.op = Opcode::kVAddCoU32;
  sub.op = Opcode::kVSubCoU32;
  for (int i = 0; i < kCases; ++i) {
    const Sources s = {operands.Next(), operands.Next(), 0, 0};
    LaneInputs in;
    in.src = {s[0], s[1], 0};
    EXPECT_EQ(uint64_t{Evaluate(add, Mode(), in).mask_bit},
              Judged(Op::kUaddCarry, kI32, kI32, false, s));
    EXPECT_EQ(uint64_t{Evaluate(sub, Mode(), in).mask_bit},
              Judged(Op::kUsubBorrow, kI32, kI32, false, s));
  }
}

TEST(SemanticsJudge, ClampedDotProducts) {
  Operands operands(kI32, 4);
  const std::pair<Opcode, Op> pairs[] = {{Opcode::kVDot4I32I8, Op::kSdot4x8Sat},
                                         {Opcode::kVDot4U32U8, Op::kUdot4x8Sat}};
  for (const auto& [op, judge] : pairs) {
    Instruction inst;
    inst.op = op;
    inst.clamp = true;
    for (int i = 0; i < kCases; ++i) {
      const Sources s = {operands.Next(), operands.Next(), operands.Next(), 0};
      LaneInputs in;
      in.src = {s[0], s[1], s[2]};
      EXPECT_EQ(Evaluate(inst, Mode(), in).value, Judged(judge, kI32, kI32, false, s));
    }
  }
}

constexpr Pair kPackedPairs[] = {
    {Opcode::kVPkAddF16, Op::kFadd, kF16T, kF16T},
    {Opcode::kVPkMulF16, Op::kFmul, kF16T, kF16T},
    {Opcode::kVPkFmaF16, Op::kFfma, kF16T, kF16T},
    {Opcode::kVPkFmacF16, Op::kFfma, kF16T, kF16T, kOld},
    {Opcode::kVPkMinF16, Op::kFmin, kF16T, kF16T},
    {Opcode::kVPkMaxF16, Op::kFmax, kF16T, kF16T},
    {Opcode::kVPkAddU16, Op::kIadd, kI16, kI16},
    {Opcode::kVPkAddI16, Op::kIadd, kI16, kI16},
    {Opcode::kVPkSubU16, Op::kIsub, kI16, kI16},
    {Opcode::kVPkSubI16, Op::kIsub, kI16, kI16},
    {Opcode::kVPkMulLoU16, Op::kImul, kI16, kI16},
    {Opcode::kVPkMinI16, Op::kImin, kI16, kI16},
    {Opcode::kVPkMinU16, Op::kUmin, kI16, kI16},
    {Opcode::kVPkMaxI16, Op::kImax, kI16, kI16},
    {Opcode::kVPkMaxU16, Op::kUmax, kI16, kI16},
    {Opcode::kVPkLshlrevB16, Op::kShl, kI16, kI16, kReversed},
    {Opcode::kVPkLshrrevB16, Op::kUshr, kI16, kI16, kReversed},
    {Opcode::kVPkAshrrevI16, Op::kAshr, kI16, kI16, kReversed},
};

TEST(SemanticsJudge, PackedHalves) {
  for (const Pair& pair : kPackedPairs) {
    Operands operands(pair.source, 5);
    Instruction inst;
    inst.op = pair.op;
    std::mt19937 random(6);
    for (int i = 0; i < kCases; ++i) {
      Sources half[2];
      LaneInputs in;
      for (int k = 0; k < 3; ++k) {
        half[0][static_cast<size_t>(k)] = operands.Next();
        half[1][static_cast<size_t>(k)] = operands.Next();
        in.src[static_cast<size_t>(k)] =
            half[0][static_cast<size_t>(k)] | half[1][static_cast<size_t>(k)] << 16;
      }
      in.old = in.src[2];
      // Each half of the result chooses halves of the sources; v_pk_fmac_f16 cannot.
      const bool chooses = amd::isa::Info(pair.op).encoding == amd::isa::Encoding::kVop3p;
      inst.op_sel = chooses ? random() & 7 : 0;
      inst.op_sel_hi = chooses ? random() & 7 : 7;
      const uint64_t got = Evaluate(inst, Mode(), in).value;
      for (int h = 0; h < 2; ++h) {
        Sources s = {};
        for (size_t k = 0; k < 3; ++k) {
          s[k] = half[(h != 0 ? inst.op_sel_hi : inst.op_sel) >> k & 1][k];
        }
        const auto expected =
            Judged(pair.judge, pair.result, pair.source, false, ForJudge(pair, s));
        ASSERT_TRUE(Agrees(pair, got >> (16 * h) & 0xffff, *expected))
            << amd::isa::Info(pair.op).mnemonic << std::hex << " " << s[0] << " " << s[1] << " "
            << s[2];
      }
    }
  }
}

// ---- Scalar instructions ----

constexpr Pair kScalarPairs[] = {
    {Opcode::kSAddU32, Op::kIadd, kI32, kI32},
    {Opcode::kSAddI32, Op::kIadd, kI32, kI32},
    {Opcode::kSSubU32, Op::kIsub, kI32, kI32},
    {Opcode::kSSubI32, Op::kIsub, kI32, kI32},
    {Opcode::kSMinI32, Op::kImin, kI32, kI32},
    {Opcode::kSMinU32, Op::kUmin, kI32, kI32},
    {Opcode::kSMaxI32, Op::kImax, kI32, kI32},
    {Opcode::kSMaxU32, Op::kUmax, kI32, kI32},
    {Opcode::kSAndB32, Op::kAnd, kI32, kI32},
    {Opcode::kSAndB64, Op::kAnd, kI64, kI64},
    {Opcode::kSOrB64, Op::kOr, kI64, kI64},
    {Opcode::kSXorB64, Op::kXor, kI64, kI64},
    {Opcode::kSNotB64, Op::kNot, kI64, kI64},
    {Opcode::kSLshlB32, Op::kShl, kI32, kI32},
    {Opcode::kSLshrB32, Op::kUshr, kI32, kI32},
    {Opcode::kSAshrI32, Op::kAshr, kI32, kI32},
    {Opcode::kSLshlB64, Op::kShl, kI64, kI64},
    {Opcode::kSLshrB64, Op::kUshr, kI64, kI64},
    {Opcode::kSAshrI64, Op::kAshr, kI64, kI64},
    {Opcode::kSMulI32, Op::kImul, kI32, kI32},
    {Opcode::kSMulHiU32, Op::kUmulHigh, kI32, kI32},
    {Opcode::kSMulHiI32, Op::kSmulHigh, kI32, kI32},
    {Opcode::kSBrevB32, Op::kBitReverse, kI32, kI32},
    {Opcode::kSBrevB64, Op::kBitReverse, kI64, kI64},
    {Opcode::kSBcnt1I32B32, Op::kBitCount, kI32, kI32},
    {Opcode::kSBcnt1I32B64, Op::kBitCount, kI32, kI64},
    {Opcode::kSFf1I32B32, Op::kFindLsb, kI32, kI32},
    {Opcode::kSFf1I32B64, Op::kFindLsb, kI32, kI64},
    {Opcode::kSAbsI32, Op::kIabs, kI32, kI32},
    {Opcode::kSCmpEqI32, Op::kIeq, kBool, kI32},
    {Opcode::kSCmpLgU32, Op::kIne, kBool, kI32},
    {Opcode::kSCmpLtI32, Op::kSlt, kBool, kI32},
    {Opcode::kSCmpGeI32, Op::kSge, kBool, kI32},
    {Opcode::kSCmpLtU32, Op::kUlt, kBool, kI32},
    {Opcode::kSCmpGeU32, Op::kUge, kBool, kI32},
    {Opcode::kSCmpEqU64, Op::kIeq, kBool, kI64},
    {Opcode::kSCmpLgU64, Op::kIne, kBool, kI64},
};

TEST(SemanticsJudge, Scalars) {
  for (const Pair& pair : kScalarPairs) {
    Operands operands(pair.source, 7);
    Instruction inst;
    inst.op = pair.op;
    for (int i = 0; i < kCases; ++i) {
      const Sources s = {operands.Next(), operands.Next(), 0, 0};
      ScalarInputs in;
      in.src = {s[0], s[1]};
      const ScalarResult r = EvaluateScalar(inst, in);
      const uint64_t got = pair.result == kBool ? uint64_t{r.scc} : r.value;
      ASSERT_EQ(got, Judged(pair.judge, pair.result, pair.source, false, s))
          << amd::isa::Info(pair.op).mnemonic << std::hex << " " << s[0] << " " << s[1];
    }
  }
}

// Carry and borrow of the scalar sums.
TEST(SemanticsJudge, ScalarCarries) {
  Operands operands(kI32, 8);
  Instruction add, sub;
  add.op = Opcode::kSAddU32;
  sub.op = Opcode::kSSubU32;
  for (int i = 0; i < kCases; ++i) {
    const Sources s = {operands.Next(), operands.Next(), 0, 0};
    ScalarInputs in;
    in.src = {s[0], s[1]};
    EXPECT_EQ(uint64_t{EvaluateScalar(add, in).scc}, Judged(Op::kUaddCarry, kI32, kI32, false, s));
    EXPECT_EQ(uint64_t{EvaluateScalar(sub, in).scc}, Judged(Op::kUsubBorrow, kI32, kI32, false, s));
  }
}

}  // namespace
}  // namespace kiln::sim::rdna2::alu
