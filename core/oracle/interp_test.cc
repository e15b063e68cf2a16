// The interpreter: corner cases of ops, control flow, memory rules, limits.
#include "core/oracle/interp.h"

#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/float_bits.h"
#include "core/mir/build.h"
#include "core/mir/parse.h"
#include "core/mir/semantics.h"
#include "core/mir/verify.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::oracle {
namespace {

namespace semantics = mir::semantics;
using mir::Builder;
using mir::DenormMode;
using mir::Info;
using mir::Module;
using mir::NewRegion;
using mir::NumOps;
using mir::Op;
using mir::OpInfo;
using mir::Parse;
using mir::Type;
using mir::ValueId;

using testing::ElementsAre;
using testing::HasSubstr;
using Dwords = std::vector<uint32_t>;

Module MustParse(const std::string& text) {
  absl::StatusOr<Module> m = Parse(text);
  EXPECT_TRUE(m.ok()) << m.status();
  EXPECT_EQ(Verify(*m), absl::OkStatus());
  return *std::move(m);
}

BoundBuffer Buffer(uint32_t binding, const Dwords& dwords) {
  BoundBuffer b;
  b.binding = binding;
  b.bytes.resize(dwords.size() * 4);
  if (!dwords.empty()) std::memcpy(b.bytes.data(), dwords.data(), b.bytes.size());
  return b;
}
Dwords Contents(const BoundBuffer& b) {
  Dwords d(b.bytes.size() / 4);
  if (!d.empty()) std::memcpy(d.data(), b.bytes.data(), b.bytes.size());
  return d;
}

// Runs a body on one storage buffer 0.0.0.
Dwords RunBody(const std::string& body, const Dwords& data, const std::string& header = "",
               LaunchInputs inputs = {}) {
  const Module m =
      MustParse(absl::StrCat("mir 1 ", header, " resource 0 ssbo 0.0.0 body {\n", body, "\n}"));
  inputs.buffers.push_back(Buffer(0, data));
  const absl::StatusOr<InterpStatistics> run = Interpret(m, inputs);
  EXPECT_TRUE(run.ok()) << run.status();
  return Contents(inputs.buffers.back());
}

constexpr uint32_t kNan = 0x7fc00000, kInf = 0x7f800000, kMinusZero = 0x80000000;
constexpr uint32_t kSubnormal = 0x00000123;

// The value that a module stores in its only dword.
uint32_t Stored(const Module& m, Denormals denormals) {
  EXPECT_EQ(Verify(m), absl::OkStatus());
  LaunchInputs inputs;
  inputs.denormals = denormals;
  inputs.buffers = {Buffer(0, {0xdeadbeef})};
  EXPECT_TRUE(Interpret(m, inputs).ok());
  return Contents(inputs.buffers[0])[0];
}

// One op on constants of its signature's types.
uint32_t Eval(Op op, const Dwords& sources, Denormals denormals = Denormals::kKeep,
              Type type = Type::kI32) {
  Module m;
  m.needs = {{mir::Need::kFloat64}};
  m.resources.push_back({});
  m.body = NewRegion(m);
  Builder b(m);
  b.SetRegion(m.body);
  std::vector<ValueId> values;
  if (const std::string_view s = Info(op).signature; s[0] == 'j' || s[0] == 'g') {
    // Conversions of width take their source from an op that gives 32 bits.
    const Type from = op == Op::kTrunc ? Type::kI64 : s[0] == 'j' ? Type::kI16 : Type::kF16;
    const ValueId wide =
        b.Convert(op, b.Constant(from, sources[0]), s[0] == 'j' ? Type::kI32 : Type::kF32);
    b.Store(Op::kStoreSsbo, 0, b.Int(0), {wide});
    b.Return();
    return Stored(m, denormals);
  }
  const std::string_view letters = Info(op).signature.substr(Info(op).signature.find('=') + 1);
  for (size_t i = 0; i < sources.size(); ++i) {
    const char c = letters[i];
    const Type t = c == 'f' || c == 's'   ? Type::kF32
                   : c == 'd'             ? Type::kF64
                   : c == 'b'             ? Type::kBool
                   : c == 'i' || c == 'u' ? Type::kI32
                                          : type;
    values.push_back(b.Constant(t, sources[i]));
  }
  ValueId r = b.Emit(op, values);
  if (m.value(r).type == Type::kBool) r = b.Select(r, b.Int(1), b.Int(0));
  if (m.value(r).type == Type::kF64) r = b.F64Low(r);
  b.Store(Op::kStoreSsbo, 0, b.Int(0), {r});
  b.Return();
  return Stored(m, denormals);
}

struct IntCase {
  Op op;
  Dwords sources;
  uint32_t result;
};

TEST(Interp, IntegerCorners) {
  const uint32_t kMin = 0x80000000, kM1 = ~0u;
  const IntCase cases[] = {
      {Op::kIadd, {kM1, 2}, 1},
      {Op::kIsub, {1, 2}, kM1},
      {Op::kImul, {0x10001, 0x10001}, 0x20001},
      {Op::kUmulHigh, {kM1, kM1}, 0xfffffffe},
      {Op::kSmulHigh, {kM1, kM1}, 0},
      {Op::kSmulHigh, {kMin, 2}, kM1},
      {Op::kUdiv, {7, 2}, 3},
      {Op::kUdiv, {7, 0}, kM1},
      {Op::kSdiv, {uint32_t(-7), 2}, uint32_t(-3)},
      {Op::kSdiv, {7, 0}, kM1},
      {Op::kSdiv, {kMin, kM1}, kMin},
      {Op::kUrem, {7, 0}, kM1},
      {Op::kUrem, {kM1, 10}, 5},
      {Op::kSrem, {uint32_t(-7), 2}, kM1},
      {Op::kSrem, {7, uint32_t(-2)}, 1},
      {Op::kSrem, {kMin, kM1}, 0},
      {Op::kSmod, {uint32_t(-7), 2}, 1},
      {Op::kSmod, {7, uint32_t(-2)}, kM1},
      {Op::kSmod, {6, uint32_t(-2)}, 0},
      {Op::kSmod, {6, 0}, kM1},
      {Op::kIneg, {kMin}, kMin},
      {Op::kIabs, {uint32_t(-5)}, 5},
      {Op::kIsign, {uint32_t(-5)}, kM1},
      {Op::kIsign, {0}, 0},
      {Op::kIsign, {5}, 1},
      {Op::kImin, {kM1, 1}, kM1},
      {Op::kImax, {kM1, 1}, 1},
      {Op::kUmin, {kM1, 1}, 1},
      {Op::kUmax, {kM1, 1}, kM1},
      {Op::kAnd, {12, 10}, 8},
      {Op::kOr, {12, 10}, 14},
      {Op::kXor, {12, 10}, 6},
      {Op::kNot, {12}, ~12u},
      {Op::kShl, {1, 33}, 2},
      {Op::kUshr, {kMin, 31}, 1},
      {Op::kAshr, {kMin, 31}, kM1},
      {Op::kUaddCarry, {kM1, 1}, 1},
      {Op::kUaddCarry, {kM1, 0}, 0},
      {Op::kUsubBorrow, {1, 2}, 1},
      {Op::kUsubBorrow, {2, 2}, 0},
      {Op::kBitfieldInsert, {kM1, 0, 4, 8}, 0xfffff00f},
      {Op::kBitfieldInsert, {5, 0x1234, 0, 32}, 0x1234},
      {Op::kBitfieldInsert, {5, 0x1234, 7, 0}, 5},
      {Op::kUbitfieldExtract, {0xabcd, 4, 8}, 0xbc},
      {Op::kUbitfieldExtract, {kM1, 0, 32}, kM1},
      {Op::kUbitfieldExtract, {kM1, 3, 0}, 0},
      {Op::kSbitfieldExtract, {0xabcd, 4, 8}, 0xffffffbc},
      {Op::kSbitfieldExtract, {0x7bcd, 4, 7}, 0x3c},
      {Op::kSbitfieldExtract, {kMin, 0, 32}, kMin},
      {Op::kSbitfieldExtract, {kM1, 3, 0}, 0},
      {Op::kBitReverse, {0x00000013}, 0xc8000000},
      {Op::kBitCount, {0xf0f1}, 9},
      {Op::kFindLsb, {0x50}, 4},
      {Op::kFindLsb, {0}, kM1},
      {Op::kFindUmsb, {0x50}, 6},
      {Op::kFindUmsb, {0}, kM1},
      {Op::kFindSmsb, {0x50}, 6},
      {Op::kFindSmsb, {~0x50u}, 6},
      {Op::kFindSmsb, {kM1}, kM1},
      {Op::kFindSmsb, {0}, kM1},
      {Op::kIeq, {3, 3}, 1},
      {Op::kIne, {3, 3}, 0},
      {Op::kSlt, {kM1, 0}, 1},
      {Op::kSge, {kM1, 0}, 0},
      {Op::kUlt, {kM1, 0}, 0},
      {Op::kUge, {kM1, 0}, 1},
      {Op::kSelect, {1, 5, 6}, 5},
      {Op::kSelect, {0, 5, 6}, 6},
  };
  for (const IntCase& c : cases) {
    EXPECT_EQ(Eval(c.op, c.sources), c.result)
        << Info(c.op).name << " of " << testing::PrintToString(c.sources);
  }
}

TEST(Interp, BooleanLogicStaysBoolean) {
  EXPECT_EQ(Eval(Op::kNot, {1}, Denormals::kKeep, Type::kBool), 0u);
  EXPECT_EQ(Eval(Op::kNot, {0}, Denormals::kKeep, Type::kBool), 1u);
  EXPECT_EQ(Eval(Op::kXor, {1, 1}, Denormals::kKeep, Type::kBool), 0u);
  EXPECT_EQ(Eval(Op::kIeq, {1, 0}, Denormals::kKeep, Type::kBool), 0u);
}

TEST(Interp, FloatCorners) {
  const uint32_t one = AsBits(1.0f);
  const IntCase cases[] = {
      {Op::kFadd, {AsBits(16777216.0f), one}, AsBits(16777216.0f)},  // tie to even
      {Op::kFadd, {AsBits(16777218.0f), one}, AsBits(16777220.0f)},
      {Op::kFadd, {kInf, kInf | kMinusZero}, kNan},
      {Op::kFadd, {0x7f800001, one}, kNan},
      {Op::kFsub, {one, one}, 0},
      {Op::kFmul, {kSubnormal, one}, kSubnormal},
      {Op::kFfma,
       {AsBits(1.0f + 0x1p-12f), AsBits(1.0f + 0x1p-12f), AsBits(-1.0f - 0x1p-11f)},
       AsBits(0x1p-24f)},  // 0 with two roundings
      {Op::kFdiv, {one, 0}, kInf},
      {Op::kFdiv, {0, 0}, kNan},
      {Op::kFrem, {AsBits(-7.0f), AsBits(2.0f)}, AsBits(-1.0f)},
      {Op::kFmod, {AsBits(-7.0f), AsBits(2.0f)}, AsBits(1.0f)},
      {Op::kFneg, {0x7f800001}, 0xff800001},
      {Op::kFabs, {kMinusZero}, 0},
      {Op::kFsign, {AsBits(-3.0f)}, AsBits(-1.0f)},
      {Op::kFsign, {kMinusZero}, kMinusZero},
      {Op::kFmin, {kNan, one}, one},
      {Op::kFmin, {one, kNan}, one},
      {Op::kFmax, {kNan, one}, one},
      {Op::kFmax, {one, kNan}, one},
      {Op::kFmax, {kNan, kNan}, kNan},
      {Op::kFmin, {AsBits(-2.0f), one}, AsBits(-2.0f)},
      {Op::kFsaturate, {kNan}, 0},
      {Op::kFsaturate, {AsBits(-1.0f)}, 0},
      {Op::kFsaturate, {AsBits(7.0f)}, one},
      {Op::kFsaturate, {AsBits(0.25f)}, AsBits(0.25f)},
      {Op::kFfloor, {AsBits(-0.5f)}, AsBits(-1.0f)},
      {Op::kFceil, {AsBits(-0.5f)}, kMinusZero},
      {Op::kFtrunc, {AsBits(-1.5f)}, AsBits(-1.0f)},
      {Op::kFroundEven, {AsBits(2.5f)}, AsBits(2.0f)},
      {Op::kFroundEven, {AsBits(3.5f)}, AsBits(4.0f)},
      {Op::kFfract, {AsBits(-0.25f)}, AsBits(0.75f)},
      {Op::kFsqrt, {AsBits(2.0f)}, 0x3fb504f3},
      {Op::kFsqrt, {AsBits(-1.0f)}, kNan},
      {Op::kFrsq, {AsBits(4.0f)}, AsBits(0.5f)},
      {Op::kFrcp, {AsBits(-0.0f)}, kInf | kMinusZero},
      {Op::kFexp2, {AsBits(10.0f)}, AsBits(1024.0f)},
      {Op::kFlog2, {AsBits(8.0f)}, AsBits(3.0f)},
      {Op::kFsin, {0}, 0},
      {Op::kFcos, {0}, one},
      {Op::kFpow, {AsBits(3.0f), AsBits(4.0f)}, AsBits(81.0f)},
      {Op::kF2i, {kNan}, 0},
      {Op::kF2i, {AsBits(3e9f)}, 0x7fffffff},
      {Op::kF2i, {AsBits(-3e9f)}, 0x80000000},
      {Op::kF2i, {AsBits(-1.9f)}, ~0u},
      {Op::kF2u, {AsBits(-1.9f)}, 0},
      {Op::kF2u, {AsBits(5e9f)}, ~0u},
      {Op::kF2u, {AsBits(3e9f)}, 3000000000u},
      {Op::kI2f, {~0u}, AsBits(-1.0f)},
      {Op::kU2f, {~0u}, AsBits(4294967296.0f)},
      {Op::kFeq, {kMinusZero, 0}, 1},
      {Op::kFeq, {kNan, kNan}, 0},
      {Op::kFne, {kNan, kNan}, 1},
      {Op::kFlt, {kNan, one}, 0},
      {Op::kFge, {one, kNan}, 0},
      {Op::kFge, {one, one}, 1},
  };
  for (const IntCase& c : cases) {
    EXPECT_EQ(Eval(c.op, c.sources), c.result)
        << Info(c.op).name << " of " << testing::PrintToString(c.sources);
  }
}

TEST(Interp, FlushingSubnormals) {
  const Denormals flush = Denormals::kFlush;
  const uint32_t least = 0x00800000;
  EXPECT_EQ(Eval(Op::kFadd, {kSubnormal, 0}, flush), 0u);
  EXPECT_EQ(Eval(Op::kFadd, {kSubnormal | kMinusZero, kMinusZero}, flush), kMinusZero);
  EXPECT_EQ(Eval(Op::kFmul, {least, AsBits(0.5f)}, flush), 0u);
  EXPECT_EQ(Eval(Op::kFmul, {least, AsBits(0.5f)}), 0x00400000u);
  EXPECT_EQ(Eval(Op::kFeq, {kSubnormal, 0}, flush), 1u);
  EXPECT_EQ(Eval(Op::kFmax, {kSubnormal, 0}, flush), 0u);
  EXPECT_EQ(Eval(Op::kFneg, {kSubnormal}, flush), kSubnormal | kMinusZero);
  EXPECT_EQ(Eval(Op::kFrcp, {kSubnormal}, flush), kInf);
}

// All halves, and floats around every rounding boundary, against the compiler's own conversion.
TEST(Interp, HalfConversions) {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    _Float16 x;
    const uint16_t bits = static_cast<uint16_t>(h);
    std::memcpy(&x, &bits, 2);
    const float f = static_cast<float>(x);
    const uint32_t got = semantics::HalfToFloat(h);
    if (f != f) {
      ASSERT_EQ(got, kNan);
      continue;
    }
    ASSERT_EQ(got, AsBits(f)) << h;
    for (int delta : {-4097, -4096, -4095, -1, 0, 1, 4095, 4096, 4097}) {
      const uint32_t near = got + delta;
      const float nf = AsFloat(near);
      if (nf != nf) continue;
      const _Float16 back = static_cast<_Float16>(nf);
      uint16_t back_bits;
      std::memcpy(&back_bits, &back, 2);
      ASSERT_EQ(semantics::FloatToHalf(near), back_bits) << near;
    }
  }
  EXPECT_EQ(semantics::FloatToHalf(kNan), 0x7e00u);
  EXPECT_EQ(Eval(Op::kF2f16, {AsBits(65520.0f)}), 0x7c00u);
  EXPECT_EQ(Eval(Op::kF16f, {0xffff3c00}), AsBits(1.0f));
}

TEST(Interp, DotProductsOfBytes) {
  EXPECT_EQ(Eval(Op::kSdot4x8, {0x01ff0203, 0x0102037f, 10}), 10 + 1 - 2 + 6 + 381);
  EXPECT_EQ(Eval(Op::kUdot4x8, {0xff000001, 0xff0000ff, 1}), 65025u + 255 + 1);
  EXPECT_EQ(Eval(Op::kSudot4x8, {0xff000000, 0xff000000, 0}), uint32_t(-255));
  EXPECT_EQ(Eval(Op::kSdot4x8, {0x80808080, 0x80808080, 0x7fffffff}), 0x8000ffffu);
  EXPECT_EQ(Eval(Op::kSdot4x8Sat, {0x80808080, 0x80808080, 0x7fffffff}), 0x7fffffffu);
  EXPECT_EQ(Eval(Op::kSdot4x8Sat, {0x80, 0x7f, 0x80000000}), 0x80000000u);
  EXPECT_EQ(Eval(Op::kUdot4x8Sat, {0xffffffff, 0xffffffff, 0xffffff00}), ~0u);
  EXPECT_EQ(Eval(Op::kSudot4x8Sat, {0x80, 0xff, 0x80000001}), 0x80000000u);
}

TEST(Interp, FloatAtomics) {
  EXPECT_THAT(RunBody(R"(
    %0:f32 = ssbo_atomic[0, fadd] 0, 1.5f
    %1:f32 = ssbo_atomic[0, fmax] 4, -2f
    %2:f32 = ssbo_atomic[0, fmin] 8, 3f
    store_ssbo[0, align 4] 12, %0, %1, %2
    return)",
                      {AsBits(2), AsBits(-1), kNan, 0, 0, 0}),
              ElementsAre(AsBits(3.5), AsBits(-1), AsBits(3), AsBits(2), AsBits(-1), kNan));
}

TEST(Interp, EveryPureOpHasAMeaning) {
  for (int i = 0; i < NumOps(); ++i) {
    const OpInfo& info = Info(static_cast<Op>(i));
    if (!info.Has('P') || info.sources <= 0 || info.results != 1) continue;
    Dwords sources;
    for (int s = 0; s < info.sources; ++s) sources.push_back(1);
    Eval(static_cast<Op>(i), sources);  // expects success inside
  }
}

// One op on constants of any types, through memory of the result's size.
uint64_t EvalTyped(Op op, Type result, const std::vector<std::pair<Type, uint64_t>>& sources,
                   DenormMode halfs = DenormMode::kAny) {
  Module m;
  m.f16_mode.denorms = halfs;
  m.resources.push_back({});
  m.body = NewRegion(m);
  Builder b(m);
  b.SetRegion(m.body);
  std::vector<ValueId> values;
  for (const auto& [type, bits] : sources) values.push_back(b.Constant(type, bits));
  const ValueId r = m.result(b.EmitInst(op, values, absl::MakeConstSpan(&result, 1)));
  b.Store(Op::kStoreSsbo, 0, b.Int(0), {r}, 8);
  b.Return();
  EXPECT_EQ(Verify(m), absl::OkStatus());
  LaunchInputs inputs;
  inputs.buffers = {Buffer(0, {0, 0})};
  EXPECT_TRUE(Interpret(m, inputs).ok());
  uint64_t x;
  std::memcpy(&x, inputs.buffers[0].bytes.data(), 8);
  return x;
}

TEST(Interp, IntegersOfOtherWidths) {
  constexpr Type k8 = Type::kI8, k16 = Type::kI16, k32 = Type::kI32, k64 = Type::kI64;
  EXPECT_EQ(EvalTyped(Op::kImul, k16, {{k16, 0xffff}, {k16, 0xffff}}), 1u);
  EXPECT_EQ(EvalTyped(Op::kUmulHigh, k8, {{k8, 0xff}, {k8, 0xff}}), 0xfeu);
  EXPECT_EQ(EvalTyped(Op::kSmulHigh, k64, {{k64, ~uint64_t{0}}, {k64, 5}}), ~uint64_t{0});
  EXPECT_EQ(EvalTyped(Op::kSdiv, k8, {{k8, 0x80}, {k8, 0xff}}), 0x80u);
  EXPECT_EQ(EvalTyped(Op::kShl, k8, {{k8, 1}, {k32, 9}}), 2u);
  EXPECT_EQ(EvalTyped(Op::kAshr, k64, {{k64, uint64_t{1} << 63}, {k32, 63}}), ~uint64_t{0});
  EXPECT_EQ(EvalTyped(Op::kFindUmsb, k32, {{k64, uint64_t{1} << 40}}), 40u);
  EXPECT_EQ(EvalTyped(Op::kBitReverse, k16, {{k16, 1}}), 0x8000u);
  EXPECT_EQ(EvalTyped(Op::kSext, k64, {{k8, 0x80}}), ~uint64_t{0x7f});
  EXPECT_EQ(EvalTyped(Op::kZext, k32, {{k16, 0x8000}}), 0x8000u);
  EXPECT_EQ(EvalTyped(Op::kTrunc, k8, {{k64, 0x1234}}), 0x34u);
  EXPECT_EQ(EvalTyped(Op::kF2i, k8, {{Type::kF32, AsBits(-1000.0f)}}), 0x80u);
  EXPECT_EQ(EvalTyped(Op::kF2u, k64, {{Type::kF32, AsBits(1e19f)}}), uint64_t(1e19f));
  EXPECT_EQ(EvalTyped(Op::kU2f, Type::kF32, {{k64, ~uint64_t{0}}}), AsBits(0x1p64f));
  EXPECT_EQ(EvalTyped(Op::kI2f, Type::kF16, {{k64, ~uint64_t{0}}}), 0xbc00u);
  EXPECT_EQ(EvalTyped(Op::kU2f, Type::kF16, {{k32, 65519}}), 0x7bffu);
  EXPECT_EQ(EvalTyped(Op::kU2f, Type::kF16, {{k32, 65520}}), 0x7c00u);
}

// Single roundings, against the compiler's own half type computed in long double.
TEST(Interp, HalfArithmeticRoundsOnce) {
  const auto half = [](uint32_t h) { return (long double){AsFloat(semantics::HalfToFloat(h))}; };
  const auto bits = [](long double x) {
    const _Float16 h = static_cast<_Float16>(x);
    uint16_t b;
    std::memcpy(&b, &h, 2);
    return h != h ? uint32_t{0x7e00} : uint32_t{b};
  };
  uint32_t state = 1;
  const auto next = [&] { return (state = state * 1664525u + 1013904223u) >> 16; };
  for (int i = 0; i < 200000; ++i) {
    const uint32_t a = next(), b = next(), c = next();
    const auto run = [&](Op op) {
      uint32_t r = 0;
      semantics::VisitExact(op, Type::kF16, Type::kF16, {}, [&](auto f) {
        if constexpr (std::is_invocable_v<decltype(f), uint16_t, uint16_t, uint16_t>)
          r = f(a, b, c);
        if constexpr (std::is_invocable_v<decltype(f), uint16_t, uint16_t>) r = f(a, b);
      });
      return r;
    };
    // 64 bits of significand hold sums and products of halfs exactly, and nearly all sums of a half
    // and a product; quotients are never that close to a tie.
    ASSERT_EQ(run(Op::kFadd), bits(half(a) + half(b))) << a << " " << b;
    ASSERT_EQ(run(Op::kFmul), bits(half(a) * half(b))) << a << " " << b;
    ASSERT_EQ(run(Op::kFdiv), bits(half(a) / half(b))) << a << " " << b;
    ASSERT_EQ(run(Op::kFfma), bits(half(a) * half(b) + half(c))) << a << " " << b << " " << c;
  }
  // 2^15 * 2^-1 + the smallest half: the addends are far apart, and the sum is no tie in double
  // precision.
  EXPECT_EQ(EvalTyped(Op::kFfma, Type::kF16,
                      {{Type::kF16, 0x3c01}, {Type::kF16, 0x3c00}, {Type::kF16, 0x0001}}),
            0x3c01u);
  // 1.5 * 2^-1 * 2^-24 is a tie of subnormals: it rounds to even.
  EXPECT_EQ(EvalTyped(Op::kFmul, Type::kF16, {{Type::kF16, 0x0003}, {Type::kF16, 0x3800}}), 2u);
  EXPECT_EQ(EvalTyped(Op::kFmul, Type::kF16, {{Type::kF16, 0x0003}, {Type::kF16, 0x3800}},
                      DenormMode::kFlush),
            0u);
}

TEST(Interp, NarrowAndWideMemory) {
  EXPECT_THAT(RunBody(R"(
    %0:i8, %1:i8, %2:i8 = load_ssbo[0, align 1] 1
    %3:i16 = load_ssbo[0, align 2] 2
    %4:i64 = load_ssbo[0, align 8] 0
    store_ssbo[0, align 1] 4, %2, %1
    store_ssbo[0, align 2] 6, %3
    store_ssbo[0, align 8] 8, %4
    return)",
                      {0x44332211, 0, 0, 0}),
              ElementsAre(0x44332211, 0x44333344, 0x44332211, 0));
}

TEST(Interp, MemoryByAddress) {
  const Module m = MustParse(R"(mir 1 body {
    %0:i32, %1:i32 = load_global[align 4] 0x1008, 5
    %2:i32 = load_global[align 4] 0x1010, 5
    store_global[align 2] 0x1000, 5, 7i16, 9i16
    %3:i32 = global_atomic[add] 0x1004, 5, %0
    store_global[align 4] 0x1008, 5, %3, %2
    store_global[align 4] 0x1000, 4, %1
    return
  })");
  LaunchInputs inputs;
  inputs.buffers = {Buffer(0, {1, 2, 3, 4})};
  inputs.buffers[0].address = 0x500001000;
  const absl::StatusOr<InterpStatistics> run = Interpret(m, inputs);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_THAT(Contents(inputs.buffers[0]), ElementsAre(0x90007, 5, 2, 0));
  EXPECT_EQ(run->outside_accesses, 2);
  EXPECT_EQ(run->outside_addresses, 2);
}

TEST(Interp, DivergentIf) {
  EXPECT_THAT(RunBody(R"(
    %0:i32 = local_index
    %1:i32 = shl %0, 2
    %2:i32 = and %0, 1
    %3:bool = ine %2, 0
    %4:i32 = if %3 {
      %5:i32 = imul %0, 100
      yield %5
    } else {
      %6:i32 = ineg %0
      yield %6
    }
    store_ssbo[0, align 4] %1, %4
    return)",
                      {9, 9, 9, 9}, "local_size 4, 1, 1"),
              ElementsAre(0, 100, uint32_t(-2), 300));
}

// Lanes leave after as many iterations as their number; the carried values swap each iteration.
TEST(Interp, DivergentLoopWithParallelParams) {
  EXPECT_THAT(RunBody(R"(
    %0:i32 = local_index
    %1:i32 = shl %0, 2
    %2:i32 = loop (%3:i32 = 0, %4:i32 = 10, %5:i32 = 20) {
      %6:bool = uge %3, %0
      if %6 {
        break %4
      } else {
        yield
      }
      %7:i32 = iadd %3, 1
      continue %7, %5, %4
    }
    store_ssbo[0, align 4] %1, %2
    return)",
                      {0, 0, 0, 0, 0}, "local_size 5, 1, 1"),
              ElementsAre(10, 20, 10, 20, 10));
}

// For even i < 4 (odd ones continue early), an inner loop adds 10 while j <= i.
TEST(Interp, NestedLoopsWithContinueInside) {
  EXPECT_THAT(RunBody(R"(
    %0:i32 = loop (%1:i32 = 0, %2:i32 = 0) {
      %3:bool = uge %1, 4
      if %3 {
        break %2
      } else {
        yield
      }
      %4:i32 = iadd %1, 1
      %5:i32 = and %1, 1
      %6:bool = ine %5, 0
      if %6 {
        continue %4, %2
      } else {
        yield
      }
      %7:i32 = loop (%8:i32 = 0, %9:i32 = %2) {
        %10:bool = uge %1, %8
        if %10 {
          %11:i32 = iadd %8, 1
          %12:i32 = iadd %9, 10
          continue %11, %12
        } else {
          break %9
        }
        unreachable
      }
      continue %4, %7
    }
    store_ssbo[0, align 4] 0, %0
    return)",
                      {0}),
              ElementsAre(40));
}

TEST(Interp, MemoryOutsideAndMisaligned) {
  const Module m = MustParse(R"(mir 1 resource 0 ssbo 0.0.0 body {
    %0:i32, %1:i32 = load_ssbo[0, align 4] 12
    %2:i32 = load_ssbo[0, align 4] 0xfffffffc
    %3:i32 = load_ssbo[0, align 4] 6
    %4:i32 = ssbo_atomic[0, add] 0x1000, 5
    %5:i32 = ssbo_size[0]
    store_ssbo[0, align 4] 8, %0, %3, %5, %1
    return })");
  LaunchInputs inputs;
  inputs.buffers = {Buffer(0, {1, 2, 3, 4})};
  const absl::StatusOr<InterpStatistics> run = Interpret(m, inputs);
  ASSERT_TRUE(run.ok());
  EXPECT_THAT(Contents(inputs.buffers[0]), ElementsAre(1, 2, 4, 2));
  EXPECT_EQ(run->misaligned_accesses, 1);
  EXPECT_EQ(run->outside_accesses, 5);
  EXPECT_EQ(run->outside_addresses, 0);  // the buffer is bounded: no address is wrong
}

TEST(Interp, AtomicsGoInLaneOrder) {
  EXPECT_THAT(RunBody(R"(
    %0:i32 = local_index
    %1:i32 = iadd %0, 1
    %2:i32 = shl %1, 2
    %3:i32 = ssbo_atomic[0, add] 0, %1
    store_ssbo[0, align 4] %2, %3
    return)",
                      {100, 0, 0, 0}, "local_size 3, 1, 1"),
              ElementsAre(106, 100, 101, 103));
}

struct AtomicCase {
  const char* name;
  const char* operands;
  uint32_t old, after;
};

TEST(Interp, EachAtomic) {
  const AtomicCase cases[] = {
      {"add", ", 5", 7, 12},
      {"sub", ", 5", 7, 2},
      {"smin", ", -1", 7, ~0u},
      {"umin", ", -1", 7, 7},
      {"smax", ", -1", 7, 7},
      {"umax", ", -1", 7, ~0u},
      {"and", ", 5", 7, 5},
      {"or", ", 8", 7, 15},
      {"xor", ", 5", 7, 2},
      {"exchange", ", 5", 7, 5},
      {"compare_exchange", ", 7, 9", 7, 9},
      {"compare_exchange", ", 6, 9", 7, 7},
      {"increment", "", 7, 8},
      {"decrement", "", 0, ~0u},
      {"load", "", 7, 7},
      {"store", ", 5", 7, 5},
  };
  for (const AtomicCase& c : cases) {
    EXPECT_THAT(RunBody(absl::StrCat("%0:i32 = ssbo_atomic[0, ", c.name, "] 0", c.operands,
                                     " store_ssbo[0, align 4] 4, %0 return"),
                        {c.old, 0}),
                ElementsAre(c.after, c.old))
        << c.name;
  }
}

TEST(Interp, SharedMemoryPrivateArraysPushAndTables) {
  LaunchInputs inputs;
  inputs.push_constants = {1, 0, 0, 0, 2, 0, 0, 0};
  inputs.groups = {2, 1, 1};
  inputs.base_workgroup = {40, 0, 0};
  // Each lane publishes its number and reads its neighbour's; a private array holds lane * 10.
  EXPECT_THAT(RunBody(R"(
    %0:i32 = local_index
    %1:i32 = shl %0, 2
    store_shared[align 4] %1, %0
    control_barrier[3, workgroup]
    %2:i32 = xor %1, 4
    %3:i32 = load_shared[align 4] %2
    %4:i32 = imul %0, 10
    store_private[1, align 4] 4, %4
    %5:i32, %6:i32 = load_private[1, align 4] 4
    %7:i32 = load_private[0, align 4] 0
    %8:i32, %9:i32 = load_push[align 8] 4
    %10:i32 = load_constant[align 4] 4
    %11:i32 = workgroup_id[0]
    %12:i32 = base_workgroup[0]
    %13:i32 = iadd %11, %12
    %14:i32 = imul %11, 64
    %15:i32 = imul %0, 32
    %16:i32 = iadd %14, %15
    store_ssbo[0, align 32] %16, %3, %5, %6, %7, %8, %9, %10, %13
    return)",
                      Dwords(32),
                      "local_size 2, 1, 1 shared 8 data 0x0000000007000000 private 0 4 private 1 8",
                      inputs),
              ElementsAre(1, 0, 0, 0, 2, 0, 7, 40, 0, 10, 0, 0, 2, 0, 7, 40, 1, 0, 0, 0, 2, 0, 7,
                          41, 0, 10, 0, 0, 2, 0, 7, 41));
}

TEST(Interp, SubgroupNumbers) {
  LaunchInputs inputs;
  inputs.subgroup_size = 2;
  EXPECT_THAT(RunBody(R"(
    %0:i32 = local_index
    %1:i32 = subgroup_id
    %2:i32 = subgroup_invocation
    %3:i32 = imul %1, 16
    %4:i32 = iadd %3, %2
    %5:i32 = shl %0, 2
    store_ssbo[0, align 4] %5, %4
    return)",
                      {0, 0, 0}, "local_size 3, 1, 1", inputs),
              ElementsAre(0, 1, 16));
}

InterpStatistics RacesIn(const std::string& body) {
  const Module m = MustParse(
      "mir 1 local_size 4, 1, 1 shared 64 resource 0 ssbo 0.0.0 body { "
      "%0:i32 = local_index %1:i32 = shl %0, 2 " +
      body + " return }");
  LaunchInputs inputs;
  inputs.groups = {2, 1, 1};
  inputs.detect_races = true;
  inputs.buffers = {Buffer(0, Dwords(16, 99))};
  const absl::StatusOr<InterpStatistics> run = Interpret(m, inputs);
  EXPECT_TRUE(run.ok());
  return *run;
}
int64_t Races(const std::string& body) { return RacesIn(body).races; }

// The bytes that data races of stores leave undefined, as text.
std::string Raced(const std::string& body) {
  std::string text;
  for (const RacedBytes& r : RacesIn(body).raced) {
    absl::StrAppend(&text, r.buffer, ":", r.begin, "-", r.end, " ");
  }
  return text;
}

TEST(Interp, RacesAreSeen) {
  // Four lanes in two groups store different values, or the same.
  EXPECT_EQ(Races("store_ssbo[0, align 4] 0, %0"), 7);
  EXPECT_EQ(Races("store_ssbo[0, align 4] 0, 5"), 0);
  EXPECT_EQ(Races("%2:i32 = ssbo_atomic[0, add] 0, 1"), 0);
  EXPECT_GT(Races("%2:i32 = ssbo_atomic[0, add] 0, 1 store_ssbo[0, align 4] 0, %0"), 0);
  // A neighbour's dword, without and with a barrier.
  EXPECT_GT(Races("store_shared[align 4] %1, %0 %2:i32 = xor %1, 4 "
                  "%3:i32 = load_shared[align 4] %2"),
            0);
  EXPECT_EQ(Races("store_shared[align 4] %1, %0 control_barrier[3, workgroup] %2:i32 = xor %1, 4 "
                  "%3:i32 = load_shared[align 4] %2 control_barrier[3, workgroup] "
                  "%4:i32 = iadd %0, 7 store_shared[align 4] %1, %4"),
            0);
  // Without the second barrier a store races with the neighbour's load.
  EXPECT_GT(Races("store_shared[align 4] %1, %0 control_barrier[3, workgroup] %2:i32 = xor %1, 4 "
                  "%3:i32 = load_shared[align 4] %2 %4:i32 = iadd %0, 7 "
                  "store_shared[align 4] %1, %4"),
            0);
  // A barrier does not order workgroups.
  EXPECT_GT(
      Races("%2:i32 = workgroup_id[0] store_ssbo[0, align 4] %1, %2 control_barrier[3, workgroup]"),
      0);
}

TEST(Interp, BytesThatRacingStoresLeaveUndefined) {
  EXPECT_EQ(Raced("store_ssbo[0, align 4] 8, %0, %1, 5"), "0:8-16 ");
  EXPECT_EQ(Raced("%2:i32 = ssbo_atomic[0, add] 0, 1 store_ssbo[0, align 4] 4, %0"), "0:4-8 ");
  EXPECT_EQ(Raced("%2:i32 = ssbo_atomic[0, add] 0, 1 store_ssbo[0, align 4] 0, %0"), "0:0-4 ");
  // A load that races with a store reads anything, but leaves nothing.
  EXPECT_EQ(Raced("%3:bool = ieq %0, 0 if %3 { store_ssbo[0, align 4] 0, 7 yield } else { yield } "
                  "%2:i32 = load_ssbo[0, align 4] 0"),
            "");
}

// All lanes are in one subgroup and run in lockstep here: the second instruction always comes last.
TEST(Interp, RacesOfDifferentInstructionsOfOneSubgroupAreSeen) {
  // The first store changes nothing; in another order it undoes the neighbour's.
  const std::string first = "%2:i32 = xor %1, 4 store_shared[align 4] %1, 0 ";
  EXPECT_EQ(Races(first + "store_shared[align 4] %2, 7"), 8);
  EXPECT_EQ(Races(first + "control_barrier[3, subgroup] store_shared[align 4] %2, 7"), 0);
  EXPECT_EQ(Races(first + "store_shared[align 4] %1, 7"), 0);
  // The neighbour stores the same value in between.
  const std::string same =
      "%2:i32 = xor %1, 4 store_shared[align 4] %1, 5 "
      "store_shared[align 4] %2, 5 ";
  EXPECT_EQ(Races(same), 0);
  EXPECT_EQ(Races(same + "store_shared[align 4] %1, 7"), 8);
  // An atomic after a store of the value already there.
  EXPECT_EQ(Races(first + "%3:i32 = shared_atomic[add] %2, 1"), 8);
}

// The second workgroup stores to dwords that both have loaded.
TEST(Interp, RacesWithLoadsOfEarlierWorkgroupsAreSeen) {
  EXPECT_EQ(Races("%2:i32 = workgroup_id[0] %3:bool = ult %2, 1 %4:i32 = select %3, 99, 5 "
                  "%5:i32 = load_ssbo[0, align 4] %1 store_ssbo[0, align 4] %1, %4"),
            4);
}

// For each of the four dwords of the result: true if some random order changes it.
std::vector<bool> MovedByOrder(const std::string& body) {
  const Module m = MustParse(
      "mir 1 local_size 4, 1, 1 shared 64 resource 0 ssbo 0.0.0 body { "
      "%0:i32 = local_index %1:i32 = shl %0, 2 %2:i32 = xor %1, 4 " +
      body + " return }");
  Dwords plain;
  std::vector<bool> moved(4);
  for (uint32_t seed = 0; seed < 8; ++seed) {
    LaunchInputs inputs;
    inputs.shuffle_seed = seed;
    inputs.buffers = {Buffer(0, Dwords(4, 99))};
    EXPECT_TRUE(Interpret(m, inputs).ok());
    const Dwords result = Contents(inputs.buffers[0]);
    if (seed == 0) plain = result;
    for (size_t i = 0; i < result.size(); ++i) moved[i] = moved[i] || result[i] != plain[i];
  }
  return moved;
}

TEST(Interp, RandomOrderMovesWhatRacesAndNothingElse) {
  const std::string barrier = "control_barrier[3, subgroup] ";
  const std::string store = "store_shared[align 4] %1, 7 ";
  const std::string load = "%3:i32 = load_shared[align 4] %2 store_ssbo[0, align 4] %1, %3";
  EXPECT_THAT(MovedByOrder(store + load), ElementsAre(true, true, true, true));
  EXPECT_THAT(MovedByOrder(store + barrier + load), ElementsAre(false, false, false, false));
  const std::string own = "store_ssbo[0, align 4] %1, %0 ";
  const std::string other = "store_ssbo[0, align 4] %2, 9 ";
  EXPECT_THAT(MovedByOrder(own + other), ElementsAre(true, true, true, true));
  EXPECT_THAT(MovedByOrder(own + barrier + other), ElementsAre(false, false, false, false));
  EXPECT_THAT(MovedByOrder("%3:i32 = shared_atomic[add] 0, 1 store_ssbo[0, align 4] %1, %3"),
              ElementsAre(true, true, true, true));
}

TEST(Interp, LimitsAndErrors) {
  LaunchInputs inputs;
  InterpLimits limits;
  limits.max_lane_steps = 1000;
  const Module forever = MustParse("mir 1 body { loop { continue } unreachable }");
  EXPECT_EQ(Interpret(forever, inputs, limits).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  const Module reached = MustParse("mir 1 body { unreachable }");
  EXPECT_EQ(Interpret(reached, inputs).status().code(), absl::StatusCode::kFailedPrecondition);
  const Module unbound = MustParse("mir 1 resource 0 ssbo 0.3.1 body { return }");
  EXPECT_THAT(std::string(Interpret(unbound, inputs).status().message()), HasSubstr("0.3.1"));
  limits.max_register_bytes = 100;
  const Module wide = MustParse("mir 1 local_size 64, 1, 1 body { %0:i32 = local_index return }");
  EXPECT_EQ(Interpret(wide, inputs, limits).status().code(), absl::StatusCode::kResourceExhausted);
}

// Random undefined values reveal whether a program depends on them.
TEST(Interp, UndefinedValuesAreZeroOrRandom) {
  const auto run = [](uint32_t seed) {
    LaunchInputs inputs;
    inputs.undefined_seed = seed;
    return RunBody(R"(
      %0:i32 = iadd undef.i32, 1
      %1:i32 = select undef.bool, 5, 6
      store_ssbo[0, align 4] 0, %0, %1
      return)",
                   {0, 0}, "", inputs);
  };
  EXPECT_EQ(run(0), (Dwords{1, 6}));
  const Dwords small = run(1), any = run(2);
  EXPECT_LE(small[0], 8u);
  EXPECT_GT(any[0], 8u);
  for (const Dwords& d : {small, any}) EXPECT_TRUE(d[1] == 5 || d[1] == 6);
}

// A product with 0 hides every undefined value but a NaN, as which the compiler may treat it.
TEST(Interp, UndefinedFloatsAreNansWithOneSeed) {
  for (const uint32_t seed : {1u, 12u}) {
    LaunchInputs inputs;
    inputs.undefined_seed = seed;
    const Dwords got =
        RunBody("%0:f32 = fmul undef.f32, 0f store_ssbo[0, align 4] 0, %0 return", {7}, "", inputs);
    EXPECT_EQ(got[0] & 0x7fffffff, seed == 12 ? 0x7fc00000u : 0u);
  }
}

// Two variables without contents may hold different values.
TEST(Interp, UndefinedValuesAreOthersWhereverTheyAreTaken) {
  const auto run = [](uint32_t seed) {
    LaunchInputs inputs;
    inputs.undefined_seed = seed;
    return RunBody(R"(
      %0:i32 = load_ssbo[0, align 4] 0
      %1:bool = ieq %0, 7
      %2:f32, %3:f32 = if %1 {
        yield 1f, 2f
      } else {
        yield undef.f32, undef.f32
      }
      store_ssbo[0, align 4] 0, %2, %3
      return)",
                   {0, 0}, "", inputs);
  };
  EXPECT_EQ(run(0), (Dwords{0, 0}));
  const Dwords random = run(1), equal = run(8);
  EXPECT_NE(random[0], random[1]);
  EXPECT_EQ(equal[0], equal[1]);
}

// Selects that the importer emits where SPIR-V leaves a result undefined.
TEST(Interp, SelectsThatChooseUndefinedValuesAreCounted) {
  const std::string body = R"(
      %0:i32 = local_index
      %1:bool = ult %0, 2
      %2:i32 = select %1, undef.i32, 7
      %3:i32 = shl %0, 2
      store_ssbo[0, align 4] %3, %2
      return)";
  const auto run = [&](uint32_t seed, bool prefers_defined, int64_t* counted) {
    LaunchInputs inputs;
    inputs.prefers_defined = prefers_defined;
    inputs.undefined_seed = seed;
    inputs.buffers = {Buffer(0, Dwords(4))};
    const Module m =
        MustParse("mir 1 local_size 4, 1, 1 resource 0 ssbo 0.0.0 body {" + body + "}");
    const absl::StatusOr<InterpStatistics> run = Interpret(m, inputs);
    EXPECT_TRUE(run.ok()) << run.status();
    *counted = run->undefined_results;
    return Contents(inputs.buffers[0]);
  };
  int64_t counted = 0;
  EXPECT_THAT(run(0, false, &counted), ElementsAre(0, 0, 7, 7));
  EXPECT_EQ(counted, 0);
  EXPECT_THAT(run(0, true, &counted), ElementsAre(7, 7, 7, 7));
  EXPECT_EQ(counted, 2);
  const Dwords random = run(2, true, &counted);
  EXPECT_EQ(counted, 2);
  EXPECT_NE(random[0], 7u);
  EXPECT_NE(random[1], 7u);
  EXPECT_EQ(random[2], 7u);
  EXPECT_EQ(random[3], 7u);
  EXPECT_NE(random[0], random[1]);
  EXPECT_THAT(run(4, true, &counted), ElementsAre(0, 0, 7, 7));
  const Dwords equal = run(8, true, &counted);
  EXPECT_EQ(equal[0], equal[1]);
  EXPECT_NE(equal[0], 0u);
}

// The values of a dword, computed by each of 64 lanes, under `count` seeds of random rounding.
std::vector<std::set<uint32_t>> Rounded(const std::string& body, uint32_t count) {
  const Module m = MustParse(
      "mir 1 local_size 64, 1, 1 resource 0 ssbo 0.0.0 body { "
      "%0:i32 = local_index %1:i32 = shl %0, 2 " +
      body + " store_ssbo[0, align 4] %1, %9 return }");
  std::vector<std::set<uint32_t>> found(64);
  for (uint32_t seed = 1; seed <= count; ++seed) {
    LaunchInputs inputs;
    inputs.perturb_seed = seed;
    inputs.buffers = {Buffer(0, Dwords(64))};
    EXPECT_TRUE(Interpret(m, inputs).ok());
    const Dwords result = Contents(inputs.buffers[0]);
    for (size_t i = 0; i < 64; ++i) found[i].insert(result[i]);
  }
  return found;
}

// 16 runs with random rounding move every inexact instruction, also the last of a long program.
TEST(Interp, SeedsOfRandomRoundingTryEveryPlaceAnew) {
  std::string body = "%2:f32 = fmul 1.1f, 1.1f ";
  for (int i = 0; i < 6; ++i) body += "%2" + std::to_string(i) + ":f32 = fmul 1.1f, 1.1f ";
  for (const std::set<uint32_t>& values : Rounded(body + "%9:f32 = fmul 1.1f, 1.3f", 16)) {
    EXPECT_GT(values.size(), 1u);
  }
}

TEST(Interp, RandomRoundingLeavesANanNoPayload) {
  for (const auto& values :
       Rounded("%3:f32 = bitcast 0x7f800000 %2:f32 = fsub %3, %3 %9:i32 = bitcast %2", 16)) {
    EXPECT_GT(values.size(), 8u);
    for (uint32_t bits : values) EXPECT_EQ(bits & 0x7fc00000, 0x7fc00000u);
  }
  for (const auto& values :
       Rounded("%2:i16 = trunc 0x7c00 %3:f16 = bitcast %2 %4:f16 = fsub %3, %3 "
               "%5:i16 = bitcast %4 %9:i32 = zext %5",
               16)) {
    EXPECT_GT(values.size(), 8u);
    for (uint32_t bits : values) EXPECT_EQ(bits & 0xffff7e00, 0x7e00u);
  }
}

// 1 + 2^-13 lies between two halves, 1 and 1 + 2^-10; so does its negative.
TEST(Interp, RandomRoundingTakesConversionsToHalfToBothNeighbours) {
  for (const std::string from : {"0x3f800400", "0xbf800400", "0x3f801c00"}) {
    const uint32_t one = from[2] == 'b' ? 0xbc00 : 0x3c00;
    const std::string is_float = "%6:f32 = bitcast " + from + " ";
    for (const std::string to :
         {"%9:i32 = f2f16 %6", "%7:f16 = f2f %6 %8:i16 = bitcast %7 %9:i32 = zext %8"}) {
      for (const auto& values : Rounded(is_float + to, 16)) {
        EXPECT_THAT(values, ElementsAre(one, one + 1)) << from;
      }
    }
  }
  for (const auto& values : Rounded("%9:i32 = f2f16 1.5f", 16))
    EXPECT_THAT(values, ElementsAre(0x3e00));
  // One seed in four rounds everything towards zero.
  for (const auto& values : Rounded("%6:f32 = bitcast 0x3f801c00 %9:i32 = f2f16 %6", 1)) {
    EXPECT_THAT(values, ElementsAre(0x3c00));
  }
}

// Dwords that differ between runs with and without random undefined results, and the number
// counted.
struct Doubts {
  std::vector<size_t> moved;
  int64_t undefined = 0;
  int64_t outside_descriptors = 0;
};
Doubts DoubtsOf(const std::string& body, const std::string& array = "array 2") {
  const Module m = MustParse(
      "mir 1 local_size 4, 1, 1 resource 0 ssbo 0.0.0 "
      "resource 1 ssbo 0.1.0 " +
      array + " readonly private 0 8 body {\n" + body + "\n return }");
  Dwords plain;
  Doubts doubts;
  for (uint32_t seed = 0; seed < 4; ++seed) {
    LaunchInputs inputs;
    inputs.undefined_seed = seed;
    inputs.subgroup_size = 4;
    inputs.buffers = {Buffer(0, {0, 0, 0, 0}), Buffer(1, {10}), Buffer(1, {20})};
    inputs.buffers[2].element = 1;
    const absl::StatusOr<InterpStatistics> run = Interpret(m, inputs);
    EXPECT_TRUE(run.ok()) << run.status();
    const Dwords result = Contents(inputs.buffers[0]);
    if (seed == 0) {
      plain = result;
      doubts.undefined = run->undefined_results;
      doubts.outside_descriptors = run->outside_descriptors;
      doubts.moved.assign(result.size(), 0);
    }
    for (size_t i = 0; i < result.size(); ++i) doubts.moved[i] |= result[i] != plain[i];
  }
  return doubts;
}

TEST(Interp, MemoryBeforeItIsWrittenIsZeroOrRandom) {
  const auto run = [](uint32_t seed) {
    LaunchInputs inputs;
    inputs.undefined_seed = seed;
    return RunBody(
        "%0:i32 = load_shared[align 4] 4 %1:i32 = load_private[0, align 4] 0 "
        "store_ssbo[0, align 4] 0, %0, %1 return",
        {7, 7}, "shared 8 private 0 4", inputs);
  };
  EXPECT_EQ(run(0), (Dwords{0, 0}));
  EXPECT_NE(run(2)[0], 0u);
  EXPECT_NE(run(2)[1], 0u);
}

// Accesses outside of private arrays and shared memory are undefined.
TEST(Interp, OutsideOfLocalMemoryAnythingIsFound) {
  const Doubts read = DoubtsOf("%0:i32 = load_private[0, align 4] 8 store_ssbo[0, align 4] 4, %0");
  EXPECT_THAT(read.moved, ElementsAre(0, 1, 0, 0));
  const Doubts written = DoubtsOf(
      "store_private[0, align 4] 0, 1, 2 store_private[0, align 4] 8, 3 "
      "%0:i32 = load_private[0, align 4] 0 store_ssbo[0, align 4] 4, %0, 5");
  EXPECT_THAT(written.moved, ElementsAre(0, 1, 0, 0));
}

TEST(Interp, UndefinedQuotientsOfActiveLanes) {
  // The third lane would divide by 0 too, but does not reach the division.
  const Doubts d = DoubtsOf(R"(
      %0:i32 = local_index
      %1:i32 = and %0, 1
      %2:i32 = shl %0, 2
      %3:bool = ult %0, 2
      if %3 {
        %4:i32 = udiv 7, %1
        store_ssbo[0, align 4] %2, %4
        yield
      } else {
        yield
      })");
  EXPECT_EQ(d.undefined, 1);
  EXPECT_THAT(d.moved, ElementsAre(1, 0, 0, 0));
  EXPECT_EQ(DoubtsOf("%1:i32 = sdiv 0x80000000, -1 %2:i32 = srem 0x80000001, -1 "
                     "%3:i32 = udiv 0x80000000, -1")
                .undefined,
            4);
}

TEST(Interp, UndefinedValuesOfOtherLanes) {
  const Doubts d = DoubtsOf(R"(
      %0:i32 = local_index
      %2:i32 = shl %0, 2
      %3:i32 = iadd %0, 1
      %4:i32 = shuffle %0, %3
      store_ssbo[0, align 4] %2, %4)");
  EXPECT_EQ(d.undefined, 1);
  EXPECT_THAT(d.moved, ElementsAre(0, 0, 0, 1));
  // The lane to read must be the same for all: it is 2 for lane 3, 1 for the others.
  const Doubts disagreeing = DoubtsOf(R"(
      %0:i32 = local_index
      %2:i32 = shl %0, 2
      %3:bool = ult %0, 3
      %4:i32 = select %3, 1, 2
      %5:i32 = read_lane %0, %4
      store_ssbo[0, align 4] %2, %5)");
  EXPECT_EQ(disagreeing.undefined, 1);
  EXPECT_THAT(disagreeing.moved, ElementsAre(0, 0, 0, 1));
  // A sum depends on an undefined float.
  EXPECT_THAT(DoubtsOf(R"(
      %0:i32 = local_index
      %2:i32 = shl %0, 2
      %3:i32 = xor %0, 4
      %4:f32 = u2f %0
      %5:f32 = shuffle %4, %3
      %6:f32 = fadd %5, 64f
      store_ssbo[0, align 4] %2, %6)")
                  .moved,
              ElementsAre(1, 1, 1, 1));
}

TEST(Interp, DescriptorsThatLanesDoNotShareNeedToSaySo) {
  const auto body = [](const std::string& flag) {
    return R"(
      %0:i32 = local_index
      %1:i32 = and %0, 1
      %2:i32 = shl %0, 2
      %4:i32 = load_ssbo)" +
           flag + R"(.indexed[1, align 4] %1, 0
      store_ssbo[0, align 4] %2, %4)";
  };
  const Doubts d = DoubtsOf(body(""));
  EXPECT_EQ(d.undefined, 1);
  EXPECT_EQ(d.outside_descriptors, 0);
  EXPECT_THAT(d.moved, ElementsAre(0, 1, 0, 1));
  EXPECT_EQ(DoubtsOf(body(".nonuniform")).undefined, 0);
  const Doubts beyond = DoubtsOf(
      "%1:i32 = load_ssbo.indexed[1, align 4] 2, 0 "
      "store_ssbo[0, align 4] 0, %1");
  EXPECT_EQ(beyond.undefined, 4);
  EXPECT_EQ(beyond.outside_descriptors, 4);
  EXPECT_THAT(beyond.moved, ElementsAre(1, 0, 0, 0));
}

// Vulkan requires that all invocations of a workgroup reach a barrier or none does.
TEST(Interp, BarriersThatNotAllReachAreCounted) {
  const auto counted = [](const std::string& body) {
    const Module m =
        MustParse("mir 1 local_size 4, 1, 1 body { %0:i32 = local_index %1:bool = ult %0, 2 " +
                  body + " return }");
    LaunchInputs inputs;
    const absl::StatusOr<InterpStatistics> run = Interpret(m, inputs);
    EXPECT_TRUE(run.ok()) << run.status();
    EXPECT_EQ(run->split_barriers, run->undefined_results);
    return run->split_barriers;
  };
  EXPECT_EQ(counted("control_barrier[3, workgroup]"), 0);
  EXPECT_EQ(counted("if %1 { control_barrier[3, workgroup] yield } else { yield }"), 1);
  EXPECT_EQ(counted("if %1 { control_barrier[3, workgroup] yield } "
                    "else { control_barrier[3, workgroup] yield }"),
            2);
  EXPECT_EQ(counted("if %1 { control_barrier[3, subgroup] yield } else { yield }"), 0);
}

// An array without length ends at the last descriptor that the client gave.
TEST(Interp, DescriptorsAfterTheLastGivenOneAreUndefined) {
  const auto body = [](const std::string& index) {
    return "%1:i32 = load_ssbo.indexed[1, align 4] " + index + ", 0 store_ssbo[0, align 4] 0, %1";
  };
  EXPECT_EQ(DoubtsOf(body("1"), "array 0").undefined, 0);
  const Doubts beyond = DoubtsOf(body("2"), "array 0");
  EXPECT_EQ(beyond.undefined, 4);
  EXPECT_EQ(beyond.outside_descriptors, 4);
  EXPECT_THAT(beyond.moved, ElementsAre(1, 0, 0, 0));
}

}  // namespace
}  // namespace kiln::oracle
