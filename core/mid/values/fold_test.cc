#include "core/mid/values/fold.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/base/float_bits.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

using mir::Op;
using mir::Type;

std::optional<uint32_t> I(Op op, const std::vector<uint64_t>& s) {
  return FoldOp(op, op == Op::kF16f ? Type::kF32 : Type::kI32, Type::kI32, s);
}

std::optional<uint32_t> F(Op op, const std::vector<float>& s) {
  std::vector<uint64_t> bits;
  for (float x : s) bits.push_back(AsBits(x));
  const std::string_view result = mir::Info(op).signature.substr(0, 1);
  const Type type = result == "f" ? Type::kF32 : result == "b" ? Type::kBool : Type::kI32;
  return FoldOp(op, type, Type::kF32, bits);
}

TEST(Fold, IntegersWrapAndShiftByLowFiveBits) {
  EXPECT_EQ(I(Op::kIadd, {0xffffffff, 2}), 1u);
  EXPECT_EQ(I(Op::kImul, {0x10000, 0x10000}), 0u);
  EXPECT_EQ(I(Op::kUmulHigh, {0xffffffff, 0xffffffff}), 0xfffffffeu);
  EXPECT_EQ(I(Op::kSmulHigh, {0xffffffff, 5}), 0xffffffffu);
  EXPECT_EQ(I(Op::kShl, {1, 33}), 2u);
  EXPECT_EQ(I(Op::kAshr, {0x80000000, 31}), 0xffffffffu);
  EXPECT_EQ(I(Op::kUaddCarry, {0xffffffff, 1}), 1u);
  EXPECT_EQ(I(Op::kUsubBorrow, {1, 2}), 1u);
}

// The nearest number to the result, from tables; nothing if that is no finite normal number.
TEST(Fold, ApproximatedOnes) {
  EXPECT_EQ(F(Op::kFsqrt, {2}), 0x3fb504f3u);
  EXPECT_EQ(F(Op::kFsqrt, {-0.0f}), AsBits(-0.0f));
  EXPECT_EQ(F(Op::kFsqrt, {-1}), std::nullopt);
  EXPECT_EQ(F(Op::kFrsq, {4}), AsBits(0.5f));
  EXPECT_EQ(F(Op::kFrsq, {2}), 0x3f3504f3u);
  EXPECT_EQ(F(Op::kFrsq, {0}), std::nullopt);
  EXPECT_EQ(F(Op::kFrcp, {-8}), AsBits(-0.125f));
  EXPECT_EQ(F(Op::kFrcp, {0}), std::nullopt);
  EXPECT_EQ(F(Op::kFexp2, {-3}), AsBits(0.125f));
  EXPECT_EQ(F(Op::kFexp2, {0.5f}), 0x3fb504f3u);
  EXPECT_EQ(F(Op::kFexp2, {128}), std::nullopt);
  EXPECT_EQ(F(Op::kFexp2, {-127}), std::nullopt);
  EXPECT_EQ(F(Op::kFlog2, {8}), AsBits(3));
  EXPECT_EQ(F(Op::kFlog2, {10}), 0x40549a78u);
  EXPECT_EQ(F(Op::kFlog2, {0}), std::nullopt);
  EXPECT_EQ(F(Op::kFlog2, {-2}), std::nullopt);
  EXPECT_EQ(F(Op::kFlog2, {std::numeric_limits<float>::infinity()}), std::nullopt);
  EXPECT_EQ(F(Op::kFsin, {1}), 0x3f576aa4u);
  EXPECT_EQ(F(Op::kFcos, {1}), 0x3f0a5140u);
  EXPECT_EQ(F(Op::kFsin, {-0.0f}), AsBits(-0.0f));
  EXPECT_EQ(F(Op::kFsin, {1e6f}), std::nullopt);
  EXPECT_EQ(F(Op::kFpow, {2, -2}), AsBits(0.25f));
  EXPECT_EQ(F(Op::kFpow, {10, 0.5f}), 0x404a62c2u);
  EXPECT_EQ(F(Op::kFpow, {3, 0}), AsBits(1));
  EXPECT_EQ(F(Op::kFpow, {0, 2}), std::nullopt);
  EXPECT_EQ(F(Op::kFpow, {-2, 2}), std::nullopt);
  EXPECT_EQ(F(Op::kFpow, {2, 200}), std::nullopt);
}

TEST(Fold, ApproximatedOnesAreRoundedToNearestOnly) {
  const uint64_t two[] = {AsBits(2)};
  EXPECT_TRUE(FoldOp(Op::kFrsq, Type::kF32, Type::kF32, two).has_value());
  EXPECT_FALSE(FoldOp(Op::kFrsq, Type::kF32, Type::kF32, two, true).has_value());
}

TEST(Fold, DivisionCorners) {
  EXPECT_EQ(I(Op::kUdiv, {7, 0}), 0xffffffffu);
  EXPECT_EQ(I(Op::kSdiv, {static_cast<uint32_t>(-7), 2}), static_cast<uint32_t>(-3));
  EXPECT_EQ(I(Op::kSrem, {static_cast<uint32_t>(-7), 2}), static_cast<uint32_t>(-1));
  EXPECT_EQ(I(Op::kSmod, {static_cast<uint32_t>(-7), 2}), 1u);
  EXPECT_EQ(I(Op::kSmod, {7, static_cast<uint32_t>(-2)}), static_cast<uint32_t>(-1));
  EXPECT_EQ(I(Op::kSdiv, {0x80000000, 0xffffffff}), 0x80000000u);
  EXPECT_EQ(I(Op::kSrem, {0x80000000, 0xffffffff}), 0u);
}

TEST(Fold, Bits) {
  EXPECT_EQ(I(Op::kFindUmsb, {0}), 0xffffffffu);
  EXPECT_EQ(I(Op::kFindUmsb, {0x80000000}), 31u);
  EXPECT_EQ(I(Op::kFindSmsb, {0xffffffff}), 0xffffffffu);
  EXPECT_EQ(I(Op::kFindSmsb, {0x80000000}), 30u);
  EXPECT_EQ(I(Op::kFindLsb, {8}), 3u);
  EXPECT_EQ(I(Op::kBitReverse, {1}), 0x80000000u);
  EXPECT_EQ(I(Op::kBitfieldInsert, {0xffffffff, 0, 4, 8}), 0xfffff00fu);
  EXPECT_EQ(I(Op::kBitfieldInsert, {1, 0xabc, 0, 32}), 0xabcu);
  EXPECT_EQ(I(Op::kUbitfieldExtract, {0xabcd, 4, 8}), 0xbcu);
  EXPECT_EQ(I(Op::kSbitfieldExtract, {0x80, 4, 4}), 0xfffffff8u);
  EXPECT_EQ(I(Op::kUbitfieldExtract, {1, 30, 4}), std::nullopt);  // undefined by SPIR-V
}

TEST(Fold, NotDependsOnTheType) {
  EXPECT_EQ(FoldOp(Op::kNot, Type::kBool, Type::kBool, std::vector<uint64_t>{1}), 0u);
  EXPECT_EQ(FoldOp(Op::kNot, Type::kI32, Type::kI32, std::vector<uint64_t>{1}), 0xfffffffeu);
}

TEST(Fold, RoundingAgreesWithTheHostOnEveryKindOfFloat) {
  std::mt19937 random(7);
  std::vector<float> values = {0.0f,  -0.0f, 0.5f,       -0.5f,       1.5f,      -1.5f,      2.5f,
                               -2.5f, 1e10f, 8388607.5f, -8388607.5f, 8388608.f, 0.49999997f};
  for (int i = 0; i < 20000; ++i) {
    const float x = AsFloat(static_cast<uint32_t>(random()));
    if (std::isnormal(x)) values.push_back(x);
  }
  for (float x : values) {
    EXPECT_EQ(F(Op::kFfloor, {x}), AsBits(std::floor(x))) << x;
    EXPECT_EQ(F(Op::kFceil, {x}), AsBits(std::ceil(x))) << x;
    EXPECT_EQ(F(Op::kFtrunc, {x}), AsBits(std::trunc(x))) << x;
    EXPECT_EQ(F(Op::kFroundEven, {x}), AsBits(std::nearbyint(x))) << x;
  }
}

TEST(Fold, ConversionsSaturate) {
  EXPECT_EQ(F(Op::kF2i, {3e9f}), 0x7fffffffu);
  EXPECT_EQ(F(Op::kF2i, {-3e9f}), 0x80000000u);
  EXPECT_EQ(F(Op::kF2i, {-1.9f}), 0xffffffffu);
  EXPECT_EQ(F(Op::kF2u, {-1.0f}), 0u);
  EXPECT_EQ(F(Op::kF2u, {5e9f}), 0xffffffffu);
}

TEST(Fold, HalvesRoundToEvenAndReturn) {
  EXPECT_EQ(F(Op::kF2f16, {1.0f}), 0x3c00u);
  EXPECT_EQ(F(Op::kF2f16, {65504.0f}), 0x7bffu);
  EXPECT_EQ(F(Op::kF2f16, {65520.0f}), 0x7c00u);
  EXPECT_EQ(F(Op::kF2f16, {65519.996f}), 0x7bffu);
  EXPECT_EQ(F(Op::kF2f16, {1.00048828125f}), 0x3c00u);  // a tie: to even
  EXPECT_EQ(F(Op::kF2f16, {1.00146484375f}), 0x3c02u);
  for (uint32_t half = 0; half < 0x10000; ++half) {
    const uint32_t exponent = (half >> 10) & 31;
    if (exponent == 0 || exponent == 31) continue;
    const std::optional<uint32_t> wide = I(Op::kF16f, {half});
    ASSERT_TRUE(wide.has_value());
    EXPECT_EQ(FoldOp(Op::kF2f16, Type::kI32, Type::kF32, std::vector<uint64_t>{*wide}), half);
    EXPECT_EQ(FoldOp(Op::kF2f, Type::kF16, Type::kF32, std::vector<uint64_t>{*wide}), half);
  }
}

TEST(Fold, NansStayNans) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(F(Op::kFadd, {-nan, 1.0f}), 0x7fc00000u);
  EXPECT_EQ(F(Op::kFpow, {nan, 0.5f}), 0x7fc00000u);
  EXPECT_EQ(F(Op::kFsaturate, {nan}), AsBits(0));
  EXPECT_EQ(F(Op::kFmin, {nan, 2.0f}), AsBits(2));
  EXPECT_EQ(F(Op::kFmax, {2.0f, nan}), AsBits(2));
  EXPECT_EQ(F(Op::kFmin, {nan, nan}), std::nullopt);
  EXPECT_EQ(F(Op::kFne, {nan, nan}), 1u);
  EXPECT_EQ(F(Op::kFge, {nan, nan}), 0u);
  EXPECT_EQ(F(Op::kF2i, {nan}), std::nullopt);
  EXPECT_EQ(F(Op::kFneg, {nan}), std::nullopt);
}

TEST(Fold, SubnormalsAreLeftAlone) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(F(Op::kFadd, {tiny, 0.0f}), std::nullopt);
  EXPECT_EQ(F(Op::kFmul, {1e-30f, 1e-10f}), std::nullopt);  // a subnormal result
  EXPECT_EQ(F(Op::kFmin, {0.0f, -0.0f}), std::nullopt);
  EXPECT_EQ(F(Op::kFfma, {1.0f, 2.0f, 3.0f}), std::nullopt);
  EXPECT_EQ(F(Op::kFdiv, {1.0f, 0.0f}), std::nullopt);
  EXPECT_EQ(F(Op::kFadd, {0.1f, 0.2f}), AsBits(0.1f + 0.2f));
}

}  // namespace
}  // namespace kiln::mid
