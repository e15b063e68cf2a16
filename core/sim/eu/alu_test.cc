// Compares the semantics of single instructions with straightforward C++.
#include "core/sim/eu/alu.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "core/base/float_bits.h"
#include "core/sim/eu/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::eu::testing {
namespace {

using isa::CondMod;
using isa::Opcode;
using isa::PredCtrl;
using isa::Type;

constexpr uint32_t kCorners[] = {
    0,       1,          2,          31,         32,         0x7f,       0x80,       0xffff,
    0x10000, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x12345678, 0xdeadbeef};

Thread MakeThread() {
  Thread t;
  t.dispatch = t.active = 0xffff;
  t.Write32(kControlOffset, kControlKeepF16);
  return t;
}

float F(const Thread& t, int nr, int lane) { return AsFloat(Dword(t, nr, lane)); }
void SetF(Thread& t, int nr, int lane, float f) { SetDword(t, nr, lane, AsBits(f)); }

// Runs a 16-lane instruction of D or UD operands on corners and random numbers.
void CheckBinary(Opcode op, Type type, const std::function<uint32_t(uint32_t, uint32_t)>& want) {
  std::mt19937 rng(7);
  for (int round = 0; round < 200; ++round) {
    Thread t = MakeThread();
    for (int lane = 0; lane < 16; ++lane) {
      SetDword(t, 2, lane, round < 16 ? kCorners[lane] : rng());
      SetDword(t, 4, lane, round < 16 ? kCorners[(lane + round) % 16] : rng());
    }
    ASSERT_TRUE(Execute(Make(op, 16, Dst(6, type), Grf(2, type), Grf(4, type)), t).ok());
    for (int lane = 0; lane < 16; ++lane) {
      EXPECT_EQ(Dword(t, 6, lane), want(Dword(t, 2, lane), Dword(t, 4, lane)))
          << Dword(t, 2, lane) << " " << Dword(t, 4, lane);
    }
  }
}

TEST(Alu, IntegerBinary) {
  using A = uint32_t;
  CheckBinary(Opcode::kAdd, Type::kUD, [](A a, A b) { return a + b; });
  CheckBinary(Opcode::kMul, Type::kD, [](A a, A b) { return a * b; });
  CheckBinary(Opcode::kAnd, Type::kUD, [](A a, A b) { return a & b; });
  CheckBinary(Opcode::kOr, Type::kUD, [](A a, A b) { return a | b; });
  CheckBinary(Opcode::kXor, Type::kD, [](A a, A b) { return a ^ b; });
  CheckBinary(Opcode::kShl, Type::kUD, [](A a, A b) { return a << (b & 31); });
  CheckBinary(Opcode::kShr, Type::kUD, [](A a, A b) { return a >> (b & 31); });
  CheckBinary(Opcode::kAsr, Type::kD,
              [](A a, A b) { return static_cast<A>(static_cast<int32_t>(a) >> (b & 31)); });
  CheckBinary(Opcode::kRol, Type::kUD, [](A a, A b) { return std::rotl(a, b & 31); });
  CheckBinary(Opcode::kRor, Type::kUD, [](A a, A b) { return std::rotr(a, b & 31); });
  CheckBinary(Opcode::kAvg, Type::kUD,
              [](A a, A b) { return static_cast<A>((uint64_t{a} + b + 1) >> 1); });
  CheckBinary(Opcode::kBfi1, Type::kUD,
              [](A a, A b) { return static_cast<A>(((uint64_t{1} << (a & 31)) - 1) << (b & 31)); });
}

void CheckUnary(Opcode op, Type type, const std::function<uint32_t(uint32_t)>& want) {
  std::mt19937 rng(8);
  for (int round = 0; round < 50; ++round) {
    Thread t = MakeThread();
    for (int lane = 0; lane < 16; ++lane) {
      t.Write32(64 + 4 * lane, round == 0 ? kCorners[lane] : rng() >> (rng() % 32));
    }
    ASSERT_TRUE(Execute(Make(op, 16, Dst(6, type), Grf(2, type)), t).ok());
    for (int lane = 0; lane < 16; ++lane) EXPECT_EQ(Dword(t, 6, lane), want(Dword(t, 2, lane)));
  }
}

TEST(Alu, IntegerUnary) {
  CheckUnary(Opcode::kNot, Type::kUD, [](uint32_t a) { return ~a; });
  CheckUnary(Opcode::kLzd, Type::kUD,
             [](uint32_t a) { return static_cast<uint32_t>(std::countl_zero(a)); });
  CheckUnary(Opcode::kFbl, Type::kUD,
             [](uint32_t a) { return a ? static_cast<uint32_t>(std::countr_zero(a)) : ~0u; });
  CheckUnary(Opcode::kFbh, Type::kUD,
             [](uint32_t a) { return a ? static_cast<uint32_t>(std::countl_zero(a)) : ~0u; });
  CheckUnary(Opcode::kFbh, Type::kD, [](uint32_t a) {
    const uint32_t v = a >> 31 ? ~a : a;
    return v ? static_cast<uint32_t>(std::countl_zero(v)) : ~0u;
  });
  CheckUnary(Opcode::kCbit, Type::kUD,
             [](uint32_t a) { return static_cast<uint32_t>(std::popcount(a)); });
  CheckUnary(Opcode::kBfrev, Type::kUD, [](uint32_t a) {
    uint32_t r = 0;
    for (int i = 0; i < 32; ++i) r = r << 1 | (a >> i & 1);
    return r;
  });
}

void CheckTernary(Opcode op, Type type,
                  const std::function<uint32_t(uint32_t, uint32_t, uint32_t)>& want) {
  std::mt19937 rng(9);
  for (int round = 0; round < 100; ++round) {
    Thread t = MakeThread();
    for (int lane = 0; lane < 8; ++lane) {
      for (int nr = 2; nr < 5; ++nr) {
        SetDword(t, nr, lane, round % 2 ? rng() : kCorners[rng() % 16]);
      }
    }
    ASSERT_TRUE(
        Execute(Make(op, 8, Dst(6, type), Ternary(2, type), Ternary(3, type), Ternary(4, type)), t)
            .ok());
    for (int lane = 0; lane < 8; ++lane) {
      EXPECT_EQ(Dword(t, 6, lane), want(Dword(t, 2, lane), Dword(t, 3, lane), Dword(t, 4, lane)));
    }
  }
}

TEST(Alu, IntegerTernary) {
  using A = uint32_t;
  CheckTernary(Opcode::kBfi2, Type::kUD, [](A a, A b, A c) {
    const auto mask = static_cast<uint32_t>(a);
    A shifted = b;
    for (uint32_t m = mask; m != 0 && m % 2 == 0; m /= 2) shifted *= 2;
    return mask == 0 ? c : (a & shifted) | (~a & c);
  });
  CheckTernary(Opcode::kBfe, Type::kUD, [](A w, A o, A v) -> A {
    w &= 31, o &= 31;
    return w == 0 ? 0 : (v >> o) & ((A{1} << w) - 1);
  });
  CheckTernary(Opcode::kBfe, Type::kD, [](A w, A o, A v) -> A {
    w &= 31, o &= 31;
    if (w == 0) return 0;
    if (o + w >= 32) return static_cast<A>(static_cast<int32_t>(v) >> o);
    return static_cast<A>(static_cast<int32_t>(v << (32 - o - w)) >> (32 - w));
  });
  CheckTernary(Opcode::kDp4a, Type::kD, [](A acc, A a, A b) {
    int32_t sum = 0;
    for (int k = 0; k < 4; ++k) {
      sum += static_cast<int8_t>(a >> (8 * k)) * static_cast<int8_t>(b >> (8 * k));
    }
    return acc + static_cast<A>(sum);
  });
}

TEST(Alu, MultiplyHighThroughTheAccumulator) {
  std::mt19937 rng(3);
  for (const Type type : {Type::kUD, Type::kD}) {
    for (int round = 0; round < 100; ++round) {
      Thread t = MakeThread();
      for (int lane = 0; lane < 8; ++lane) {
        t.Write32(64 + 4 * lane, round ? rng() : kCorners[lane]);
        t.Write32(96 + 4 * lane, round ? rng() : kCorners[15 - lane]);
      }
      isa::Operand low = Grf(3, Type::kUW);
      low.region = {16, 8, 2};
      ASSERT_TRUE(
          Execute(Make(Opcode::kMul, 8, Register(isa::Arf::kAccumulator, type), Grf(2, type), low),
                  t)
              .ok());
      isa::Instruction mach = Make(Opcode::kMach, 8, Dst(6, type), Grf(2, type), Grf(3, type));
      mach.acc_write = true;
      ASSERT_TRUE(Execute(mach, t).ok());
      for (int lane = 0; lane < 8; ++lane) {
        const uint32_t a = Dword(t, 2, lane), b = Dword(t, 3, lane);
        const uint32_t want =
            type == Type::kUD
                ? static_cast<uint32_t>(uint64_t{a} * b >> 32)
                : static_cast<uint32_t>(
                      int64_t{static_cast<int32_t>(a)} * static_cast<int32_t>(b) >> 32);
        EXPECT_EQ(Dword(t, 6, lane), want) << a << " * " << b;
      }
    }
  }
}

TEST(Alu, CarryAndBorrow) {
  Thread t = MakeThread();
  for (int lane = 0; lane < 8; ++lane) {
    t.Write32(64 + 4 * lane, kCorners[lane + 8]);
    t.Write32(96 + 4 * lane, kCorners[15 - lane]);
  }
  isa::Instruction add =
      Make(Opcode::kAddc, 8, Dst(6, Type::kUD), Grf(2, Type::kUD), Grf(3, Type::kUD));
  add.acc_write = true;
  ASSERT_TRUE(Execute(add, t).ok());
  for (int lane = 0; lane < 8; ++lane) {
    const uint64_t sum = uint64_t{Dword(t, 2, lane)} + Dword(t, 3, lane);
    EXPECT_EQ(Dword(t, 6, lane), static_cast<uint32_t>(sum));
    EXPECT_EQ(t.acc[lane], static_cast<int64_t>(sum >> 32));
  }
}

TEST(Alu, ConversionsClampAndTruncate) {
  const float in[8] = {1.9f, -1.9f, 3e9f, -3e9f, 5e9f, NAN, INFINITY, -0.5f};
  const uint32_t as_d[8] = {1, 0xffffffff, 0x7fffffff, 0x80000000, 0x7fffffff, 0, 0x7fffffff, 0};
  const uint32_t as_ud[8] = {1, 0, 3000000000u, 0, 0xffffffff, 0, 0xffffffff, 0};
  Thread t = MakeThread();
  for (int lane = 0; lane < 8; ++lane) SetF(t, 2, lane, in[lane]);
  ASSERT_TRUE(Execute(Make(Opcode::kMov, 8, Dst(6, Type::kD), Grf(2, Type::kF)), t).ok());
  ASSERT_TRUE(Execute(Make(Opcode::kMov, 8, Dst(7, Type::kUD), Grf(2, Type::kF)), t).ok());
  for (int lane = 0; lane < 8; ++lane) {
    EXPECT_EQ(Dword(t, 6, lane), as_d[lane]);
    EXPECT_EQ(Dword(t, 7, lane), as_ud[lane]);
  }
}

TEST(Alu, IntegerToFloatRoundsOnce) {
  Thread t = MakeThread();
  for (int lane = 0; lane < 16; ++lane) t.Write32(64 + 4 * lane, kCorners[lane]);
  ASSERT_TRUE(Execute(Make(Opcode::kMov, 16, Dst(6, Type::kF), Grf(2, Type::kD)), t).ok());
  ASSERT_TRUE(Execute(Make(Opcode::kMov, 16, Dst(8, Type::kF), Grf(2, Type::kUD)), t).ok());
  for (int lane = 0; lane < 16; ++lane) {
    EXPECT_EQ(F(t, 6, lane), static_cast<float>(static_cast<int32_t>(kCorners[lane])));
    EXPECT_EQ(F(t, 8, lane), static_cast<float>(kCorners[lane]));
  }
}

TEST(Alu, SaturationOfFloatsAndIntegers) {
  const float in[8] = {-1.0f, 0.25f, 2.0f, NAN, INFINITY, -INFINITY, 1.0f, -0.0f};
  const float want[8] = {0, 0.25f, 1, 0, 1, 0, 1, 0};
  Thread t = MakeThread();
  for (int lane = 0; lane < 8; ++lane) SetF(t, 2, lane, in[lane]);
  isa::Instruction mov = Make(Opcode::kMov, 8, Dst(6, Type::kF), Grf(2, Type::kF));
  mov.saturate = true;
  ASSERT_TRUE(Execute(mov, t).ok());
  for (int lane = 0; lane < 8; ++lane) EXPECT_EQ(F(t, 6, lane), want[lane]) << in[lane];
  isa::Instruction add =
      Make(Opcode::kAdd, 8, Dst(7, Type::kD), Imm(Type::kUD, 0), Imm(Type::kUD, 0));
  add.src[0] = Grf(4, Type::kD);
  add.src[1] = Grf(5, Type::kD);
  add.saturate = true;
  t.Write32(128, 0x7fffffff);
  t.Write32(160, 1);
  t.Write32(132, 0x80000000);
  t.Write32(164, 0xffffffff);
  ASSERT_TRUE(Execute(add, t).ok());
  EXPECT_EQ(Dword(t, 7, 0), 0x7fffffffu);
  EXPECT_EQ(Dword(t, 7, 1), 0x80000000u);
}

TEST(Alu, ComparisonsWithNaN) {
  const float a[8] = {1, 2, 3, NAN, NAN, 0.0f, -INFINITY, 5};
  const float b[8] = {1, 3, 2, 1, NAN, -0.0f, INFINITY, NAN};
  const struct {
    CondMod cmod;
    uint32_t want;
  } cases[] = {{CondMod::kZ, 0b00100001},  {CondMod::kNz, 0b11011110}, {CondMod::kL, 0b01000010},
               {CondMod::kLe, 0b01100011}, {CondMod::kG, 0b00000100},  {CondMod::kGe, 0b00100101},
               {CondMod::kU, 0b10011000}};
  for (const auto& c : cases) {
    Thread t = MakeThread();
    for (int lane = 0; lane < 8; ++lane) {
      SetF(t, 2, lane, a[lane]);
      SetF(t, 3, lane, b[lane]);
    }
    t.Write32(kFlagOffset, 0xffffff00);
    isa::Instruction cmp =
        Make(Opcode::kCmp, 8, Dst(6, Type::kF), Grf(2, Type::kF), Grf(3, Type::kF));
    cmp.cmod = c.cmod;
    ASSERT_TRUE(Execute(cmp, t).ok());
    EXPECT_EQ(t.Read32(kFlagOffset), 0xffffff00 | c.want) << static_cast<int>(c.cmod);
    for (int lane = 0; lane < 8; ++lane)
      EXPECT_EQ(Dword(t, 6, lane), c.want >> lane & 1 ? ~0u : 0u);
  }
}

TEST(Alu, MinimumAndMaximumIgnoreNaN) {
  Thread t = MakeThread();
  const float a[4] = {1, NAN, 2, NAN}, b[4] = {2, 5, NAN, NAN};
  for (int lane = 0; lane < 4; ++lane) {
    SetF(t, 2, lane, a[lane]);
    SetF(t, 3, lane, b[lane]);
  }
  isa::Instruction sel =
      Make(Opcode::kSel, 8, Dst(6, Type::kF), Grf(2, Type::kF), Grf(3, Type::kF));
  sel.cmod = CondMod::kL;
  ASSERT_TRUE(Execute(sel, t).ok());
  EXPECT_EQ(F(t, 6, 0), 1);
  EXPECT_EQ(F(t, 6, 1), 5);
  EXPECT_EQ(F(t, 6, 2), 2);
  EXPECT_TRUE(std::isnan(F(t, 6, 3)));
  sel.cmod = CondMod::kGe;
  ASSERT_TRUE(Execute(sel, t).ok());
  EXPECT_EQ(F(t, 6, 0), 2);
}

TEST(Alu, FusedMultiplyAddRoundsOnce) {
  std::mt19937 rng(4);
  std::uniform_real_distribution<float> dist(-2, 2);
  for (int round = 0; round < 200; ++round) {
    Thread t = MakeThread();
    for (int nr = 2; nr < 5; ++nr) {
      for (int lane = 0; lane < 8; ++lane) SetF(t, nr, lane, dist(rng));
    }
    ASSERT_TRUE(Execute(Make(Opcode::kMad, 8, Dst(6, Type::kF), Ternary(2, Type::kF),
                             Ternary(3, Type::kF), Ternary(4, Type::kF)),
                        t)
                    .ok());
    for (int lane = 0; lane < 8; ++lane) {
      EXPECT_EQ(F(t, 6, lane), std::fma(F(t, 3, lane), F(t, 4, lane), F(t, 2, lane)));
    }
  }
}

// Mixed floats: a half addend is converted to the single that equals it.
TEST(Alu, MultiplyAddWithHalfAddend) {
  struct Addend {
    uint16_t half;
    float value;
  };
  for (const Addend addend :
       {Addend{0x3800, 0.5f}, Addend{0xbc00, -1.0f}, Addend{0x0000, 0.0f}, Addend{0x8000, -0.0f},
        Addend{0x7bff, 65504.0f}, Addend{0x0400, 0x1p-14f}}) {
    Thread t = MakeThread();
    const float a[] = {0.1f, -0.3f, 1e-30f, 3e38f, 0.0f, -0.0f, 7.0f, 1.0f / 3.0f};
    for (int lane = 0; lane < 8; ++lane) {
      SetF(t, 3, lane, a[lane]);
      SetF(t, 4, lane, a[7 - lane]);
    }
    isa::Instruction mad = Make(Opcode::kMad, 8, Dst(6, Type::kF), Ternary(2, Type::kF),
                                Ternary(3, Type::kF), Ternary(4, Type::kF));
    mad.src[0] = isa::Operand{};
    mad.src[0].file = isa::File::kImm;
    mad.src[0].type = Type::kHF;
    mad.src[0].imm = addend.half;
    ASSERT_TRUE(Execute(mad, t).ok());
    for (int lane = 0; lane < 8; ++lane) {
      EXPECT_EQ(F(t, 6, lane), std::fma(a[lane], a[7 - lane], addend.value)) << addend.value;
    }
  }
}

TEST(Alu, SubnormalsFollowTheControlRegister) {
  for (const bool keep : {false, true}) {
    Thread t = MakeThread();
    t.Write32(kControlOffset, keep ? kControlKeepF32 : 0);
    SetF(t, 2, 0, 0x1p-140f);
    SetF(t, 3, 0, 0x1p-141f);
    SetF(t, 2, 1, 0x1p-100f);
    SetF(t, 3, 1, 0x1p-40f);
    ASSERT_TRUE(
        Execute(Make(Opcode::kAdd, 8, Dst(6, Type::kF), Grf(2, Type::kF), Grf(3, Type::kF)), t)
            .ok());
    ASSERT_TRUE(
        Execute(Make(Opcode::kMul, 8, Dst(7, Type::kF), Grf(2, Type::kF), Grf(3, Type::kF)), t)
            .ok());
    ASSERT_TRUE(Execute(Make(Opcode::kMov, 8, Dst(8, Type::kF), Grf(2, Type::kF)), t).ok());
    EXPECT_EQ(F(t, 6, 0), keep ? 0x1p-140f + 0x1p-141f : 0.0f);
    EXPECT_EQ(F(t, 7, 1), keep ? 0x1p-140f : 0.0f);
    EXPECT_EQ(F(t, 8, 0), 0x1p-140f) << "a copy keeps all bits";
  }
}

TEST(Alu, RoundingModesOfTheControlRegister) {
  const float want[4] = {1.0f, std::nextafter(1.0f, 2.0f), 1.0f, 1.0f};
  for (uint32_t mode = 0; mode < 4; ++mode) {
    Thread t = MakeThread();
    t.Write32(kControlOffset, mode << 4);
    SetF(t, 2, 0, 1.0f);
    SetF(t, 3, 0, 0x1p-30f);
    ASSERT_TRUE(
        Execute(Make(Opcode::kAdd, 8, Dst(6, Type::kF), Grf(2, Type::kF), Grf(3, Type::kF)), t)
            .ok());
    EXPECT_EQ(F(t, 6, 0), want[mode]) << mode;
  }
}

TEST(Alu, RoundingInstructions) {
  const float in[8] = {0.5f, 1.5f, -0.5f, -1.5f, 2.3f, -2.7f, 8388609.0f, -0.0f};
  Thread t = MakeThread();
  for (int lane = 0; lane < 8; ++lane) SetF(t, 2, lane, in[lane]);
  const struct {
    Opcode op;
    float (*f)(float);
  } cases[] = {{Opcode::kRndd, [](float x) { return std::floor(x); }},
               {Opcode::kRndu, [](float x) { return std::ceil(x); }},
               {Opcode::kRnde, [](float x) { return std::nearbyint(x); }},
               {Opcode::kRndz, [](float x) { return std::trunc(x); }},
               {Opcode::kFrc, [](float x) { return x - std::floor(x); }}};
  for (const auto& c : cases) {
    ASSERT_TRUE(Execute(Make(c.op, 8, Dst(6, Type::kF), Grf(2, Type::kF)), t).ok());
    for (int lane = 0; lane < 8; ++lane) EXPECT_EQ(F(t, 6, lane), c.f(in[lane])) << in[lane];
  }
}

TEST(Alu, IntegerDivision) {
  const int32_t a[8] = {7, -7, 7, -7, 0, 100, -100, 1 << 30};
  const int32_t b[8] = {2, 2, -2, -2, 5, 0, 0, 3};
  Thread t = MakeThread();
  for (int lane = 0; lane < 8; ++lane) {
    t.Write32(64 + 4 * lane, static_cast<uint32_t>(a[lane]));
    t.Write32(96 + 4 * lane, static_cast<uint32_t>(b[lane]));
  }
  isa::Instruction div =
      Make(Opcode::kMath, 8, Dst(6, Type::kD), Grf(2, Type::kD), Grf(3, Type::kD));
  div.math = isa::MathFunction::kIntDivQuotient;
  ASSERT_TRUE(Execute(div, t).ok());
  div.math = isa::MathFunction::kIntDivRemainder;
  div.dst = Dst(7, Type::kD);
  ASSERT_TRUE(Execute(div, t).ok());
  for (int lane = 0; lane < 8; ++lane) {
    const int32_t q = b[lane] ? a[lane] / b[lane] : a[lane] < 0 ? INT32_MIN : INT32_MAX;
    EXPECT_EQ(static_cast<int32_t>(Dword(t, 6, lane)), q);
    EXPECT_EQ(static_cast<int32_t>(Dword(t, 7, lane)), b[lane] ? a[lane] % b[lane] : a[lane]);
  }
}

TEST(Alu, MathFunctionsAreCorrectlyRounded) {
  const struct {
    isa::MathFunction f;
    double (*g)(double);
  } cases[] = {{isa::MathFunction::kInv, [](double x) { return 1 / x; }},
               {isa::MathFunction::kLog, [](double x) { return std::log2(x); }},
               {isa::MathFunction::kExp, [](double x) { return std::exp2(x); }},
               {isa::MathFunction::kSqrt, [](double x) { return std::sqrt(x); }},
               {isa::MathFunction::kRsqrt, [](double x) { return 1 / std::sqrt(x); }},
               {isa::MathFunction::kSin, [](double x) { return std::sin(x); }},
               {isa::MathFunction::kCos, [](double x) { return std::cos(x); }}};
  for (const auto& c : cases) {
    Thread t = MakeThread();
    for (int lane = 0; lane < 8; ++lane) SetF(t, 2, lane, 0.37f * static_cast<float>(lane + 1));
    isa::Instruction math = Make(Opcode::kMath, 8, Dst(6, Type::kF), Grf(2, Type::kF));
    math.math = c.f;
    ASSERT_TRUE(Execute(math, t).ok());
    for (int lane = 0; lane < 8; ++lane) {
      EXPECT_EQ(F(t, 6, lane), static_cast<float>(c.g(F(t, 2, lane))));
    }
  }
}

TEST(Alu, RegionsReadWhatTheFormulaSays) {
  std::mt19937 rng(5);
  for (int round = 0; round < 500; ++round) {
    Thread t = MakeThread();
    for (int i = 0; i < 8 * 32; i += 4) t.Write32(i, rng());
    const int bytes = 1 << (rng() % 3);
    const Type type = bytes == 1 ? Type::kUB : bytes == 2 ? Type::kUW : Type::kUD;
    const int width = 1 << (rng() % 4);
    isa::Operand src = Grf(1, type, static_cast<int>(rng() % 4) * 4);
    src.region = {static_cast<uint8_t>(rng() % 2 ? 1 << (rng() % 4) : 0),
                  static_cast<uint8_t>(width), static_cast<uint8_t>(1 << (rng() % 3) >> 1)};
    const int base = 32 + src.subnr;
    ASSERT_TRUE(Execute(Make(Opcode::kMov, 16, Dst(20, Type::kUD), src), t).ok());
    for (int lane = 0; lane < 16; ++lane) {
      const int at =
          base +
          ((lane / width) * src.region.vstride + (lane % width) * src.region.hstride) * bytes;
      uint32_t want = 0;
      std::memcpy(&want, t.regs.data() + at, bytes);
      ASSERT_EQ(Dword(t, 20, lane), want);
    }
  }
}

TEST(Alu, IndirectOperands) {
  Thread t = MakeThread();
  for (int i = 0; i < 64 * 32; i += 4) t.Write32(i, static_cast<uint32_t>(i));
  isa::Operand one = Grf(0, Type::kUD);
  one.indirect = true;
  one.address_subnr = 2;
  one.address_imm = 64;
  const uint16_t a = 10 * 32 + 8;
  std::memcpy(t.regs.data() + kAddressOffset + 4, &a, 2);
  ASSERT_TRUE(Execute(Make(Opcode::kMov, 8, Dst(100, Type::kUD), one), t).ok());
  for (int lane = 0; lane < 8; ++lane) EXPECT_EQ(Dword(t, 100, lane), a + 64u + 4u * lane);
  isa::Operand each = one;
  each.address_subnr = 0;
  each.address_imm = 0;
  each.region = {isa::Region::kVxH, 1, 0};
  for (int lane = 0; lane < 8; ++lane) {
    const uint16_t at = static_cast<uint16_t>(4 * (lane * 37 % 64));
    std::memcpy(t.regs.data() + kAddressOffset + 2 * lane, &at, 2);
  }
  ASSERT_TRUE(Execute(Make(Opcode::kMov, 8, Dst(101, Type::kUD), each), t).ok());
  for (int lane = 0; lane < 8; ++lane) EXPECT_EQ(Dword(t, 101, lane), 4u * (lane * 37 % 64));
  const uint16_t far = 0xfff0;
  std::memcpy(t.regs.data() + kAddressOffset, &far, 2);
  EXPECT_EQ(Execute(Make(Opcode::kMov, 8, Dst(101, Type::kUD), each), t).code(),
            absl::StatusCode::kOutOfRange);
}

TEST(Alu, MasksPredicatesAndChannelOffsets) {
  std::mt19937 rng(6);
  const PredCtrl controls[] = {PredCtrl::kNormal, PredCtrl::kAny4h, PredCtrl::kAll4h,
                               PredCtrl::kAny8h,  PredCtrl::kAll8h, PredCtrl::kAny16h,
                               PredCtrl::kAll2h,  PredCtrl::kAny2h, PredCtrl::kAll16h};
  for (int round = 0; round < 400; ++round) {
    Thread t = MakeThread();
    t.dispatch = ~0u;
    t.active = rng();
    const auto drawn = rng();
    t.Write32(kFlagOffset, drawn & rng());
    t.Write32(kFlagOffset + 4, rng());
    isa::Instruction mov = Make(Opcode::kMov, 8, Dst(6, Type::kUD), Imm(Type::kUD, 1));
    mov.channel_offset = static_cast<uint8_t>(8 * (rng() % 4));
    mov.no_mask = rng() % 4 == 0;
    mov.pred = controls[rng() % 9];
    mov.pred_inverse = rng() % 2;
    for (int lane = 0; lane < 8; ++lane) t.Write32(192 + 4 * lane, 0);
    const uint32_t flags = t.Read32(kFlagOffset);
    ASSERT_TRUE(Execute(mov, t).ok());
    for (int lane = 0; lane < 8; ++lane) {
      const int channel = mov.channel_offset + lane;
      static constexpr int kSize[] = {1, 4, 4, 8, 8, 16, 2, 2, 16};
      static constexpr bool kAll[] = {false, false, true, false, true, false, true, false, true};
      int which = 0;
      while (controls[which] != mov.pred) ++which;
      const int first = channel / kSize[which] * kSize[which];
      int set = 0;
      for (int i = first; i < first + kSize[which]; ++i) set += flags >> i & 1;
      const bool pass = (kAll[which] ? set == kSize[which] : set > 0) != mov.pred_inverse;
      const bool on = mov.no_mask || (t.active >> channel & 1);
      EXPECT_EQ(Dword(t, 6, lane), pass && on ? 1u : 0u);
    }
  }
}

TEST(Alu, LogicSourceModifierIsNot) {
  Thread t = MakeThread();
  t.Write32(64, 0x0f0f0f0f);
  t.Write32(96, 0xffff0000);
  isa::Operand a = Grf(2, Type::kUD);
  a.negate = true;
  ASSERT_TRUE(Execute(Make(Opcode::kAnd, 8, Dst(6, Type::kUD), a, Grf(3, Type::kUD)), t).ok());
  EXPECT_EQ(Dword(t, 6, 0), ~0x0f0f0f0fu & 0xffff0000u);
  ASSERT_TRUE(Execute(Make(Opcode::kAdd, 8, Dst(7, Type::kD), Grf(3, Type::kD), a), t).ok());
  EXPECT_EQ(Dword(t, 7, 0), 0xffff0000u - 0x0f0f0f0fu);
}

TEST(Alu, HalfArithmeticRoundsOnce) {
  std::mt19937 rng(11);
  Thread t = MakeThread();
  for (int round = 0; round < 300; ++round) {
    for (int i = 0; i < 96; i += 2) {
      const uint16_t h = static_cast<uint16_t>(rng() & 0xbbff);
      std::memcpy(t.regs.data() + 64 + i, &h, 2);
    }
    const auto half = [](int nr) { return Grf(nr, Type::kHF); };
    ASSERT_TRUE(Execute(Make(Opcode::kMul, 8, Dst(6, Type::kHF), half(2), half(3)), t).ok());
    ASSERT_TRUE(Execute(Make(Opcode::kAdd, 8, Dst(7, Type::kHF), half(2), half(3)), t).ok());
    for (int lane = 0; lane < 8; ++lane) {
      _Float16 a, b, p, s;
      std::memcpy(&a, t.regs.data() + 64 + 2 * lane, 2);
      std::memcpy(&b, t.regs.data() + 96 + 2 * lane, 2);
      std::memcpy(&p, t.regs.data() + 192 + 2 * lane, 2);
      std::memcpy(&s, t.regs.data() + 224 + 2 * lane, 2);
      EXPECT_EQ(
          static_cast<float>(p),
          static_cast<float>(static_cast<_Float16>(static_cast<float>(a) * static_cast<float>(b))));
      EXPECT_EQ(
          static_cast<float>(s),
          static_cast<float>(static_cast<_Float16>(static_cast<float>(a) + static_cast<float>(b))));
    }
  }
}

// f1.1 with the upper channels reaches beyond the flag registers.
TEST(Alu, FlagsBeyondTheRegistersAreDropped) {
  Thread t = MakeThread();
  t.active = ~0u;
  isa::Instruction cmp = Make(Opcode::kCmp, 8, Null(Type::kD), Grf(2, Type::kD), Grf(2, Type::kD));
  cmp.cmod = CondMod::kZ;
  cmp.flag_nr = 1;
  cmp.flag_subnr = 1;
  cmp.channel_offset = 16;
  ASSERT_TRUE(Execute(cmp, t).ok());
  EXPECT_EQ(t.Read64(kFlagOffset), 0u);
}

TEST(Alu, SixtyFourBitsAreRefusedByName) {
  for (const Type type : {Type::kDF, Type::kQ, Type::kUQ}) {
    Thread t = MakeThread();
    const absl::Status status = Execute(Make(Opcode::kMov, 4, Dst(6, type), Grf(2, type)), t);
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
    EXPECT_NE(status.message().find("64 bits"), std::string::npos) << status;
    EXPECT_NE(status.message().find("offset 0x0"), std::string::npos) << status;
  }
}

// Elements written as dwords are not readable as pairs of words.
TEST(Alu, AccumulatorsAreReadAsTheyWereWritten) {
  for (const Type read : {Type::kD, Type::kW}) {
    Thread t = MakeThread();
    ASSERT_TRUE(
        Execute(Make(Opcode::kMov, 8, Register(isa::Arf::kAccumulator, Type::kD), Grf(2, Type::kD)),
                t)
            .ok());
    isa::Operand acc = Register(isa::Arf::kAccumulator, read);
    acc.region = {8, 8, 1};
    const absl::Status status = Execute(Make(Opcode::kMov, 8, Dst(6, Type::kD), acc), t);
    EXPECT_EQ(status.ok(), read == Type::kD) << status;
    if (read == Type::kW) {
      EXPECT_NE(status.message().find("accumulator"), std::string::npos) << status;
    }
  }
}

}  // namespace
}  // namespace kiln::sim::eu::testing
