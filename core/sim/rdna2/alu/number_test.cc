// Arithmetic of numbers against the host's floating-point unit in its four rounding modes.
#include "core/sim/rdna2/alu/number.h"

#include <bit>
#include <cfenv>
#include <cmath>

#include "core/sim/rdna2/alu/testing.h"
#include "core/sim/scene/float16.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2::alu {
namespace {

constexpr int kCases = 40'000;

int HostRounding(Rounding r) {
  switch (r) {
    case Rounding::kUp: return FE_UPWARD;
    case Rounding::kDown: return FE_DOWNWARD;
    case Rounding::kZero: return FE_TOWARDZERO;
    default: return FE_TONEAREST;
  }
}

// Sets the host's rounding for its lifetime.
class WithRounding {
 public:
  explicit WithRounding(Rounding r) { std::fesetround(HostRounding(r)); }
  ~WithRounding() { std::fesetround(FE_TONEAREST); }
};

template <typename T>
struct Host;
template <>
struct Host<float> {
  using Bits = uint32_t;
  static constexpr Format kFormat = kF32;
};
template <>
struct Host<double> {
  using Bits = uint64_t;
  static constexpr Format kFormat = kF64;
};

template <typename T>
uint64_t BitsOf(T x) {
  return std::bit_cast<typename Host<T>::Bits>(x);
}

enum class Operation { kAdd, kMultiply, kFma, kDivide, kSquareRoot, kRound };

// Called with the host rounding to nearest: what the compiler makes of these is wrong otherwise.
template <typename T>
T OnHostIntegral(Rounding r, T x) {
  switch (r) {
    case Rounding::kUp: return std::ceil(x);
    case Rounding::kDown: return std::floor(x);
    case Rounding::kZero: return std::trunc(x);
    default: return std::rint(x);
  }
}

template <typename T>
T OnHost(Operation op, Rounding r, T x, T y, T z) {
  if (op == Operation::kRound) return OnHostIntegral<T>(r, x);
  const WithRounding mode(r);
  // Not folded by the compiler, which knows no rounding modes.
  const volatile T a = x, b = y, c = z;
  switch (op) {
    case Operation::kAdd: return a + b;
    case Operation::kMultiply: return a * b;
    case Operation::kFma: return std::fma(a, b, c);
    case Operation::kDivide: return a / b;
    case Operation::kSquareRoot: return std::sqrt(a);
    case Operation::kRound: break;
  }
  return 0;
}

Number Ours(Operation op, const Number& a, const Number& b, const Number& c, Rounding r) {
  switch (op) {
    case Operation::kAdd: return Add(a, b, r);
    case Operation::kMultiply: return Multiply(a, b);
    case Operation::kFma: return Fma(a, b, c, r);
    case Operation::kDivide: return Divide(a, b);
    case Operation::kSquareRoot: return SquareRoot(a);
    case Operation::kRound: return ToIntegral(a, r);
  }
  return a;
}

template <typename T>
void AgainstHost(uint32_t seed) {
  constexpr Format kFormat = Host<T>::kFormat;
  using Bits = typename Host<T>::Bits;
  Floats floats(kFormat, seed);
  for (int i = 0; i < kCases; ++i) {
    const uint64_t x[3] = {floats.Next(), floats.Next(), floats.Next()};
    T t[3];
    Number n[3];
    for (int k = 0; k < 3; ++k) {
      t[k] = std::bit_cast<T>(static_cast<Bits>(x[k]));
      n[k] = Decode(x[k], kFormat, true);
    }
    for (const Rounding r : kRoundings) {
      for (const Operation op : {Operation::kAdd, Operation::kMultiply, Operation::kFma,
                                 Operation::kDivide, Operation::kSquareRoot, Operation::kRound}) {
        const uint64_t expected = BitsOf<T>(OnHost<T>(op, r, t[0], t[1], t[2]));
        const uint64_t got = Encode(Ours(op, n[0], n[1], n[2], r), kFormat, {r});
        ASSERT_TRUE(SameFloat(got, expected, kFormat))
            << "operation " << static_cast<int>(op) << " mode " << static_cast<int>(r) << std::hex
            << " of " << x[0] << " " << x[1] << " " << x[2] << ": " << got << ", host " << expected;
      }
    }
  }
}

TEST(Number, SingleArithmeticIsTheHosts) { AgainstHost<float>(1); }
TEST(Number, DoubleArithmeticIsTheHosts) { AgainstHost<double>(2); }

TEST(Number, NarrowingRoundsOnce) {
  Floats floats(kF64, 3);
  for (int i = 0; i < 4 * kCases; ++i) {
    uint64_t bits = floats.Next();
    if (i % 2 == 0) {  // exponents of halfs
      bits = (bits & ~kF64.infinity()) | (1023 - 27 + bits % 45) << 52;
    }
    const double d = std::bit_cast<double>(bits);
    for (const Rounding r : kRoundings) {
      const Number n = Decode(bits, kF64, true);
      // scene's conversion takes subnormal doubles for zeros, which directed modes tell apart.
      const bool subnormal = d != 0 && (bits & kF64.infinity()) == 0;
      ASSERT_TRUE(subnormal || SameFloat(Encode(n, kF16, {r}), scene::DoubleToHalf(d, r), kF16))
          << d;
      volatile double source = d;
      uint32_t single = 0;
      {
        WithRounding mode(r);
        single = std::bit_cast<uint32_t>(static_cast<float>(source));
      }
      ASSERT_TRUE(SameFloat(Encode(n, kF32, {r}), single, kF32)) << d;
    }
  }
}

TEST(Number, HalvesGoBothWays) {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const Number n = Decode(h, kF16, true);
    EXPECT_EQ(Encode(n, kF16, {}), h);
    EXPECT_TRUE(SameFloat(Encode(n, kF32, {}),
                          std::bit_cast<uint32_t>(scene::HalfToFloat(static_cast<uint16_t>(h))),
                          kF32));
  }
}

TEST(Number, SubnormalNumbersBecomeZeroOfTheirSign) {
  for (const Format format : {kF16, kF32, kF64}) {
    Floats floats(format, 4);
    for (int i = 0; i < kCases; ++i) {
      const uint64_t x = floats.Next(), y = floats.Next();
      const bool subnormal = (x & format.infinity()) == 0;
      EXPECT_EQ(Encode(Decode(x, format, false), format, {}), subnormal ? x & format.sign() : x);
      const Number product = Multiply(Decode(x, format, true), Decode(y, format, true));
      const uint64_t kept = Encode(product, format, {}),
                     flushed = Encode(product, format, {.keep_subnormals = false});
      EXPECT_EQ(flushed, (kept & format.infinity()) == 0 ? kept & format.sign() : kept);
    }
  }
}

TEST(Number, OverflowFollowsTheRoundingMode) {
  const Number huge = Scale(FromUnsigned(1), 1 << 18), low = Negate(huge);
  for (const Format format : {kF16, kF32, kF64}) {
    const uint64_t inf = format.infinity(), top = format.largest(), sign = format.sign();
    EXPECT_EQ(Encode(huge, format, {Rounding::kNearestEven}), inf);
    EXPECT_EQ(Encode(huge, format, {Rounding::kDown}), top);
    EXPECT_EQ(Encode(huge, format, {Rounding::kZero}), top);
    EXPECT_EQ(Encode(low, format, {Rounding::kDown}), sign | inf);
    EXPECT_EQ(Encode(low, format, {Rounding::kUp}), sign | top);
    EXPECT_EQ(Encode(huge, format, {.largest_for_overflow = true}), top);
    EXPECT_EQ(Encode(Infinity(true), format, {.largest_for_overflow = true}), sign | inf);
    EXPECT_EQ(Encode(Scale(huge, -(1 << 19)), format, {Rounding::kUp}), 1u);
    EXPECT_EQ(Encode(Scale(huge, -(1 << 19)), format, {}), 0u);
  }
}

TEST(Number, ComparesAsTheHost) {
  Floats floats(kF64, 5);
  for (int i = 0; i < kCases; ++i) {
    const uint64_t x = floats.Next(), y = i % 5 == 0 ? x : floats.Next();
    const double a = std::bit_cast<double>(x), b = std::bit_cast<double>(y);
    const Order expected = a < b    ? Order::kLess
                           : a == b ? Order::kEqual
                           : a > b  ? Order::kGreater
                                    : Order::kUnordered;
    EXPECT_EQ(Compare(Decode(x, kF64, true), Decode(y, kF64, true)), expected) << a << " " << b;
  }
}

TEST(Number, IntegersAreClamped) {
  const auto of = [](double d) { return Decode(std::bit_cast<uint64_t>(d), kF64, true); };
  EXPECT_EQ(ToInteger(of(-1.75), -128, 127), -1);
  EXPECT_EQ(ToInteger(of(300), -128, 127), 127);
  EXPECT_EQ(ToInteger(of(-1e300), -128, 127), -128);
  EXPECT_EQ(ToInteger(Infinity(false), -128, 127), 127);
  EXPECT_EQ(ToInteger(Nan(true), -128, 127), 0);
  EXPECT_EQ(ToInteger(of(1e-300), -128, 127), 0);
  EXPECT_EQ(ToInteger(FromInteger(INT64_MIN + 1), INT64_MIN + 1, INT64_MAX), INT64_MIN + 1);
}

}  // namespace
}  // namespace kiln::sim::rdna2::alu
