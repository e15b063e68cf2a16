// The table of vector opcodes, modifiers and destinations, and single vectors with their sources.
#include "core/sim/rdna2/alu/evaluate.h"

#include <bit>
#include <map>
#include <set>
#include <string>

#include "core/sim/rdna2/alu/number.h"
#include "core/sim/rdna2/alu/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2::alu {
namespace {

using amd::isa::Encoding;
using amd::isa::Form;
using amd::isa::Info;
using amd::isa::Instruction;
using amd::isa::kOpcodeCount;
using amd::isa::Opcode;
using amd::isa::OpcodeInfo;
using amd::isa::Sel;

Instruction Of(Opcode op) {
  Instruction inst;
  inst.op = op;
  return inst;
}

LaneResult Compute(const Instruction& inst, uint64_t a = 0, uint64_t b = 0, uint64_t c = 0,
                   const Mode& mode = {}, uint64_t old = 0) {
  LaneInputs in;
  in.src = {a, b, c};
  in.old = old;
  return Evaluate(inst, mode, in);
}
uint64_t Value(Opcode op, uint64_t a = 0, uint64_t b = 0, uint64_t c = 0, const Mode& mode = {}) {
  return Compute(Of(op), a, b, c, mode).value;
}
uint64_t F(float f) { return std::bit_cast<uint32_t>(f); }
uint64_t D(double d) { return std::bit_cast<uint64_t>(d); }

constexpr uint64_t kInf = 0x7f800000, kSignalling = 0x7f800001, kQuiet = 0x7fc00000,
                   kNegative = 0x80000000;

// ---- The table ----

bool IsVector(const OpcodeInfo& info) {
  return amd::isa::IsVectorAlu(info.encoding) || info.encoding == Encoding::kVintrp;
}

TEST(Evaluate, EveryVectorOpcodeIsComputedOrNamed) {
  const std::set<std::string> other_lanes = {"v_readfirstlane_b32", "v_readlane_b32",
                                             "v_writelane_b32", "v_permlane16_b32",
                                             "v_permlanex16_b32"};
  std::set<std::string> refused;
  std::map<Accuracy, int> count;
  for (int i = 0; i < kOpcodeCount; ++i) {
    const OpcodeInfo& info = Info(i);
    const absl::Status status = CheckComputed(Of(info.op));
    EXPECT_EQ(status.ok(), AccuracyOf(info.op) != Accuracy::kRefused) << info.mnemonic;
    if (!IsVector(info)) {
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << info.mnemonic;
      continue;
    }
    ++count[AccuracyOf(info.op)];
    if (!status.ok()) {
      EXPECT_NE(status.message().find(info.mnemonic), std::string::npos);
      refused.insert(std::string(info.mnemonic));
    }
  }
  EXPECT_EQ(refused, other_lanes);
  // README.md has these counts.
  EXPECT_EQ(count[Accuracy::kExact], 423);
  EXPECT_EQ(count[Accuracy::kBounded], 36);
}

// Results stay in the destination: every bit outside `written` is the old one, and a 16-bit result
// writes 16 bits.
TEST(Evaluate, WritesNoMoreThanTheDestination) {
  Floats bits(kF64, 1);
  for (int i = 0; i < kOpcodeCount; ++i) {
    const OpcodeInfo& info = Info(i);
    if (!IsVector(info) || !CheckComputed(Of(info.op)).ok()) continue;
    for (int n = 0; n < 20; ++n) {
      const uint64_t old = bits.Next();
      const LaneResult r = Compute(Of(info.op), bits.Next(), bits.Next(), bits.Next(), {}, old);
      const bool has_result = info.dst != amd::isa::Type::kN && info.dst != amd::isa::Type::kMask;
      const int dwords = amd::isa::Dwords(info.dst);
      const int width = !has_result ? 0 : amd::isa::Is16Bit(info.dst) ? 16 : dwords >= 2 ? 64 : 32;
      EXPECT_EQ(std::popcount(r.written), width) << info.mnemonic;
      const uint64_t kept = dwords >= 2 ? 0 : 0xffffffff & ~r.written;
      EXPECT_EQ(r.value & kept, has_result ? old & kept : 0) << info.mnemonic;
      EXPECT_EQ(r.value & ~r.written & ~kept, 0u) << info.mnemonic;
    }
  }
}

// ---- Modifiers ----

TEST(Modifiers, AbsoluteValueComesBeforeNegation) {
  Instruction add = Of(Opcode::kVAddF32);
  add.form = Form::kVop3;
  add.abs = 1;
  EXPECT_EQ(Compute(add, F(-3), F(1)).value, F(4));
  add.neg = 1;
  EXPECT_EQ(Compute(add, F(-3), F(1)).value, F(-2));
  add.neg = 2;
  EXPECT_EQ(Compute(add, F(-3), F(1)).value, F(2));
  Instruction add64 = Of(Opcode::kVAddF64);
  add64.neg = 2;
  EXPECT_EQ(Compute(add64, D(3), D(1)).value, D(2));
  Instruction select = Of(Opcode::kVCndmaskB32);
  select.neg = 1;
  EXPECT_EQ(Compute(select, kSignalling, F(1)).value, kSignalling | kNegative);  // bits alone
}

// omod and what switches it off: RDNA2 ISA guide, 6.2.4.
TEST(Modifiers, OutputMultiplier) {
  Mode flush;
  flush.denormals32 = {false, false};
  Instruction mul = Of(Opcode::kVMulF32);
  for (const auto& [omod, expected] : {std::pair{1, 6.0f}, {2, 12.0f}, {3, 1.5f}}) {
    mul.omod = static_cast<uint8_t>(omod);
    EXPECT_EQ(Compute(mul, F(3), F(1), 0, flush).value, F(expected));
    EXPECT_EQ(Compute(mul, F(3), F(1), 0, {}).value, F(3));  // subnormal results are kept
    Mode ieee = flush;
    ieee.ieee = true;
    EXPECT_EQ(Compute(mul, F(3), F(1), 0, ieee).value, F(3));
    EXPECT_EQ(Compute(mul, F(-0.0f), F(1), 0, flush).value, F(0));
  }
}

TEST(Modifiers, ClampOfFloats) {
  Instruction add = Of(Opcode::kVAddF32);
  add.clamp = true;
  Mode dx10;
  dx10.dx10_clamp = true;
  EXPECT_EQ(Compute(add, F(0.75f), F(0.75f)).value, F(1));
  EXPECT_EQ(Compute(add, F(0.75f), F(-1)).value, F(0));
  EXPECT_EQ(Compute(add, F(0.25f), F(0.5f)).value, F(0.75f));
  EXPECT_EQ(Compute(add, kQuiet, F(1), 0, dx10).value, F(0));
  EXPECT_EQ(Compute(add, kQuiet, F(1)).value, kQuiet);
  EXPECT_EQ(Compute(add, kInf, F(1)).value, F(1));
}

// Vectors of tinygrad's hardware tests of VOP3 (measured on RDNA3).
TEST(Modifiers, ClampOfIntegers) {
  const auto clamped = [](Opcode op, uint64_t a, uint64_t b, uint64_t c = 0) {
    Instruction inst = Of(op);
    inst.clamp = true;
    return Compute(inst, a, b, c).value;
  };
  EXPECT_EQ(clamped(Opcode::kVSubNcU32, 0, 1), 0u);
  EXPECT_EQ(clamped(Opcode::kVAddNcU32, 0xffffffff, 1), 0xffffffffu);
  EXPECT_EQ(clamped(Opcode::kVAddNcU16, 0xffff, 1), 0xffffu);
  EXPECT_EQ(clamped(Opcode::kVSubNcU16, 0, 1), 0u);
  EXPECT_EQ(clamped(Opcode::kVAddNcI32, 0x7fffffff, 1), 0x7fffffffu);
  EXPECT_EQ(clamped(Opcode::kVAddNcI32, 0x80000000, 0xffffffff), 0x80000000u);
  EXPECT_EQ(clamped(Opcode::kVSubNcI32, 0x80000000, 1), 0x80000000u);
  EXPECT_EQ(clamped(Opcode::kVAddCoU32, 0xffffffff, 1), 0xffffffffu);
  EXPECT_EQ(clamped(Opcode::kVSubCoU32, 0, 1), 0u);
  EXPECT_EQ(clamped(Opcode::kVMadU16, 0xffff, 2), 0xffffu);
  EXPECT_EQ(clamped(Opcode::kVMadU16, 100, 100, 50), 10050u);
}

TEST(Modifiers, HalvesOfSourcesAndDestination) {
  Instruction fma = Of(Opcode::kVFmaF16);
  constexpr uint64_t kOneTwo = 0x40003c00;  // 2.0, 1.0
  EXPECT_EQ(Compute(fma, kOneTwo, kOneTwo, 0, {}, 0xaaaabbbb).value, 0xaaaa3c00u);
  fma.op_sel = 1;
  EXPECT_EQ(Compute(fma, kOneTwo, kOneTwo, 0, {}, 0xaaaabbbb).value, 0xaaaa4000u);
  fma.op_sel = 8 | 3;
  const LaneResult r = Compute(fma, kOneTwo, kOneTwo, 0, {}, 0xaaaabbbb);
  EXPECT_EQ(r.value, 0x4400bbbbu);
  EXPECT_EQ(r.written, 0xffff0000u);
}

TEST(Modifiers, PartsOfSdwa) {
  Instruction add = Of(Opcode::kVAddNcU32);
  add.form = Form::kSdwa;
  const auto sel = [](Sel s) { return static_cast<uint8_t>(s); };
  add.sdwa.dst_sel = sel(Sel::kByte1);
  add.sdwa.src_sel = {sel(Sel::kByte2), sel(Sel::kWord1)};
  constexpr uint64_t kA = 0x12f45678, kB = 0x00051234, kOld = 0xaabbccdd;
  const auto run = [&] { return Compute(add, kA, kB, 0, {}, kOld).value; };
  EXPECT_EQ(run(), 0x0000f900u);
  add.sdwa.dst_unused = 1;
  EXPECT_EQ(run(), 0xfffff900u);
  add.sdwa.dst_unused = 2;
  EXPECT_EQ(run(), 0xaabbf9ddu);
  add.sdwa = {sel(Sel::kDword), 0, {sel(Sel::kByte2), sel(Sel::kDword)}, 1};
  EXPECT_EQ(Compute(add, kA, 0).value, 0xfffffff4u);
  Instruction convert = Of(Opcode::kVCvtF32F16);
  convert.form = Form::kSdwa;
  convert.sdwa = {sel(Sel::kDword), 0, {sel(Sel::kWord1), sel(Sel::kDword)}, 0};
  convert.neg = 1;
  EXPECT_EQ(Compute(convert, 0x3c004000, 0).value, F(-1));
}

// ---- Modes ----

TEST(Modes, RoundingByPrecision) {
  Mode mode;
  mode.round16_64 = Rounding::kZero;
  const uint64_t third = Value(Opcode::kVRcpF32, F(3));
  EXPECT_EQ(Value(Opcode::kVCvtF16F32, third), 0x3555u);
  EXPECT_EQ(Value(Opcode::kVCvtF16F32, F(65520)), 0x7c00u);
  EXPECT_EQ(Value(Opcode::kVCvtF16F32, F(65520), 0, 0, mode), 0x7bffu);
  EXPECT_EQ(Value(Opcode::kVAddF32, F(1), F(0x1.8p-24f), 0, mode), F(1 + 0x1p-23f));
  mode.round32 = Rounding::kZero;
  EXPECT_EQ(Value(Opcode::kVAddF32, F(1), F(0x1.8p-24f), 0, mode), F(1));
  EXPECT_EQ(Value(Opcode::kVAddF64, D(1), D(0x1.8p-53), 0, mode), D(1));
  EXPECT_EQ(Value(Opcode::kVAddF64, D(1), D(0x1.8p-53)), D(1 + 0x1p-52));
  mode = {};
  mode.fp16_overflow = true;
  EXPECT_EQ(Value(Opcode::kVAddF16, 0x7bff, 0x7bff, 0, mode), 0x7bffu);
  EXPECT_EQ(Value(Opcode::kVAddF16, 0x7c00, 0x7bff, 0, mode), 0x7c00u);
}

// Inputs and outputs are flushed apart.
TEST(Modes, SubnormalNumbers) {
  Mode in_only, out_only;
  in_only.denormals32 = {false, true};
  out_only.denormals32 = {true, false};
  EXPECT_EQ(Value(Opcode::kVMulF32, 0x00000003, F(2)), 6u);
  EXPECT_EQ(Value(Opcode::kVMulF32, 0x00000003, F(2), 0, in_only), 0u);
  EXPECT_EQ(Value(Opcode::kVMulF32, 0x00000003, F(2), 0, out_only), 0u);
  EXPECT_EQ(Value(Opcode::kVMulF32, 0x00800000, F(0.5f), 0, in_only), 0x00400000u);
  EXPECT_EQ(Value(Opcode::kVMulF32, 0x80800000, F(0.5f), 0, out_only), 0x80000000u);
  EXPECT_EQ(Value(Opcode::kVMulF32, 0x00400000, F(4), 0, out_only), 0x01000000u);
  EXPECT_EQ(Value(Opcode::kVMovB32, 3, 0, 0, in_only), 3u);
  EXPECT_TRUE(Compute(Of(Opcode::kVCmpEqF32), 3, 0, 0, in_only).mask_bit);
  EXPECT_FALSE(Compute(Of(Opcode::kVCmpEqF32), 3, 0).mask_bit);
  // 16 bits follow their own field.
  EXPECT_EQ(Value(Opcode::kVAddF16, 3, 0, 0, in_only), 3u);
}

// NaNs of minimum and maximum: pseudo code of v_min_f32.
TEST(Modes, NansOfMinimumAndMaximum) {
  Mode ieee;
  ieee.ieee = true;
  for (const Opcode op : {Opcode::kVMinF32, Opcode::kVMaxF32}) {
    EXPECT_EQ(Value(op, kQuiet, F(1)), F(1));
    EXPECT_EQ(Value(op, F(1), kQuiet), F(1));
    EXPECT_EQ(Value(op, kSignalling, F(1)), F(1));
    EXPECT_EQ(Value(op, kSignalling, F(1), 0, ieee), kQuiet | 1);
    EXPECT_EQ(Value(op, F(1), kSignalling, 0, ieee), kQuiet | 1);
    EXPECT_EQ(Value(op, kQuiet, F(1), 0, ieee), F(1));
  }
  EXPECT_EQ(Value(Opcode::kVMinF32, F(0), F(-0.0f)), kNegative);
  EXPECT_EQ(Value(Opcode::kVMinF32, F(-0.0f), F(0)), kNegative);
  EXPECT_EQ(Value(Opcode::kVMaxF32, F(-0.0f), F(0)), 0u);
  EXPECT_EQ(Value(Opcode::kVMed3F32, F(3), F(1), F(2)), F(2));
  EXPECT_EQ(Value(Opcode::kVMed3F32, kQuiet, F(2), F(1)), F(1));  // the minimum
  EXPECT_EQ(Value(Opcode::kVMax3F32, kQuiet, F(2), F(1)), F(2));
}

// ---- Vectors of single operations ----

TEST(Vectors, LegacyMultiplication) {
  EXPECT_EQ(Value(Opcode::kVMulLegacyF32, kInf, F(0)), 0u);
  EXPECT_EQ(Value(Opcode::kVMulLegacyF32, kQuiet, F(-0.0f)), 0u);
  EXPECT_EQ(Value(Opcode::kVMulLegacyF32, F(3), F(-2)), F(-6));
  EXPECT_EQ(Value(Opcode::kVFmaLegacyF32, kInf, F(0), F(5)), F(5));
  EXPECT_EQ(Value(Opcode::kVMulF32, kInf, F(0)), kQuiet | kNegative);
  EXPECT_EQ(Value(Opcode::kVSubF32, kInf, kInf), kQuiet | kNegative);
}

TEST(Vectors, Classes) {
  const std::pair<uint64_t, int> classes[] = {{kSignalling, 0},
                                              {kQuiet, 1},
                                              {kInf | kNegative, 2},
                                              {F(-1), 3},
                                              {kNegative | 5, 4},
                                              {kNegative, 5},
                                              {0, 6},
                                              {5, 7},
                                              {F(1), 8},
                                              {kInf, 9}};
  for (const auto& [bits, number] : classes) {
    for (int bit = 0; bit < 10; ++bit) {
      EXPECT_EQ(Compute(Of(Opcode::kVCmpClassF32), bits, uint64_t{1} << bit).mask_bit,
                bit == number);
    }
  }
  EXPECT_TRUE(Compute(Of(Opcode::kVCmpClassF16), 0xfc00, 1 << 2).mask_bit);
  EXPECT_TRUE(Compute(Of(Opcode::kVCmpClassF64), 1, 1 << 7).mask_bit);
}

// The sixteen float conditions for less, equal, greater and unordered operands.
TEST(Vectors, FloatConditions) {
  struct Case {
    Opcode op;
    const char* holds;  // "leg?" in this order
  };
  const Case cases[] = {
      {Opcode::kVCmpFF32, "0000"},   {Opcode::kVCmpLtF32, "1000"},  {Opcode::kVCmpEqF32, "0100"},
      {Opcode::kVCmpLeF32, "1100"},  {Opcode::kVCmpGtF32, "0010"},  {Opcode::kVCmpLgF32, "1010"},
      {Opcode::kVCmpGeF32, "0110"},  {Opcode::kVCmpOF32, "1110"},   {Opcode::kVCmpUF32, "0001"},
      {Opcode::kVCmpNgeF32, "1001"}, {Opcode::kVCmpNlgF32, "0101"}, {Opcode::kVCmpNgtF32, "1101"},
      {Opcode::kVCmpNleF32, "0011"}, {Opcode::kVCmpNeqF32, "1011"}, {Opcode::kVCmpNltF32, "0111"},
      {Opcode::kVCmpTruF32, "1111"}};
  const uint64_t operands[] = {F(1), F(2), F(3), kQuiet};
  for (const Case& c : cases) {
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(Compute(Of(c.op), operands[i], F(2)).mask_bit, c.holds[i] == '1')
          << Info(c.op).mnemonic << " " << i;
    }
  }
}

TEST(Vectors, PartsOfNumbers) {
  EXPECT_EQ(Value(Opcode::kVFrexpExpI32F32, F(8)), 4u);
  EXPECT_EQ(Value(Opcode::kVFrexpMantF32, F(-12)), F(-0.75f));
  EXPECT_EQ(Value(Opcode::kVFrexpExpI32F32, 1), static_cast<uint32_t>(-148));
  EXPECT_EQ(Value(Opcode::kVFrexpExpI32F32, kInf), 0u);
  EXPECT_EQ(Value(Opcode::kVFrexpExpI32F64, D(0.25)), static_cast<uint32_t>(-1));
  EXPECT_EQ(Value(Opcode::kVFrexpExpI16F16, 0x3c00), 1u);
  EXPECT_EQ(Value(Opcode::kVLdexpF32, F(3), static_cast<uint32_t>(-2)), F(0.75f));
  EXPECT_EQ(Value(Opcode::kVLdexpF32, F(1), 0x7fffffff), kInf);
  EXPECT_EQ(Value(Opcode::kVLdexpF16, 0x3c00, 0xffff), 0x3800u);
  EXPECT_EQ(Value(Opcode::kVLdexpF64, D(3), 10), D(3072));
  EXPECT_EQ(Value(Opcode::kVFractF32, F(-0.25f)), F(0.75f));
  EXPECT_EQ(Value(Opcode::kVFractF32, F(-1e-20f)), 0x3f7fffffu);  // below 1
  EXPECT_EQ(Value(Opcode::kVFractF64, D(2.5)), D(0.5));
}

TEST(Vectors, Conversions) {
  EXPECT_EQ(Value(Opcode::kVCvtI32F32, F(-1.9f)), static_cast<uint32_t>(-1));
  EXPECT_EQ(Value(Opcode::kVCvtU32F32, F(-1.9f)), 0u);
  EXPECT_EQ(Value(Opcode::kVCvtI32F64, D(-3e9)), 0x80000000u);
  EXPECT_EQ(Value(Opcode::kVCvtU32F64, D(3e9)), 3000000000u);
  EXPECT_EQ(Value(Opcode::kVCvtF64I32, 0xffffffff), D(-1));
  EXPECT_EQ(Value(Opcode::kVCvtF64U32, 0xffffffff), D(4294967295.0));
  EXPECT_EQ(Value(Opcode::kVCvtF32F64, D(1 + 0x1p-24)), F(1));
  EXPECT_EQ(Value(Opcode::kVCvtF64F32, F(-1.5f)), D(-1.5));
  EXPECT_EQ(Value(Opcode::kVCvtFlrI32F32, F(-1.5f)), static_cast<uint32_t>(-2));
  EXPECT_EQ(Value(Opcode::kVCvtRpiI32F32, F(1.5f)), 2u);
  EXPECT_EQ(Value(Opcode::kVCvtRpiI32F32, F(0.49999997f)), 0u);
  EXPECT_EQ(Value(Opcode::kVCvtOffF32I4, 9), F(-0.4375f));
  EXPECT_EQ(Value(Opcode::kVCvtOffF32I4, 7), F(0.4375f));
  EXPECT_EQ(Value(Opcode::kVCvtF32Ubyte2, 0x12345678), F(0x34));
  EXPECT_EQ(Value(Opcode::kVCvtPkrtzF16F32, F(1 + 0x1.8p-10f), F(-1e6f)), 0xfbff3c01u);
  EXPECT_EQ(Value(Opcode::kVCvtPknormI16F32, F(-1), F(0.5f)), 0x40008001u);
  EXPECT_EQ(Value(Opcode::kVCvtPknormU16F32, F(2), F(-1)), 0x0000ffffu);
  EXPECT_EQ(Value(Opcode::kVCvtPkU16U32, 70000, 5), 0x0005ffffu);
  EXPECT_EQ(Value(Opcode::kVCvtPkI16I32, 0xffff0000, 40000), 0x7fff8000u);
  EXPECT_EQ(Value(Opcode::kVCvtPkU8F32, F(200), 2, 0x11223344), 0x11c83344u);
  EXPECT_EQ(Value(Opcode::kVSatPkU8I16, 0xffff0180), 0x000000ffu);
  EXPECT_EQ(Value(Opcode::kVPackB32F16, 0x11113c00, 0x22224000), 0x40003c00u);
}

// Faces of cube maps: section "V_CUBEID_F32" and the three after it of the ISA guide.
TEST(Vectors, CubeFaces) {
  struct Case {
    float x, y, z, id, s, t, major;
  };
  const Case cases[] = {
      {4, 1, 2, 0, -2, -1, 8},  {-4, 1, 2, 1, 2, -1, -8}, {1, 4, 2, 2, 1, 2, 8},
      {1, -4, 2, 3, 1, -2, -8}, {1, 2, 4, 4, 1, -2, 8},   {1, 2, -4, 5, -1, -2, -8},
      {4, 4, 4, 4, 4, -4, 8},   {4, 4, 1, 2, 4, 1, 8},
  };
  for (const Case& c : cases) {
    const uint64_t x = F(c.x), y = F(c.y), z = F(c.z);
    EXPECT_EQ(Value(Opcode::kVCubeidF32, x, y, z), F(c.id));
    EXPECT_EQ(Value(Opcode::kVCubescF32, x, y, z), F(c.s));
    EXPECT_EQ(Value(Opcode::kVCubetcF32, x, y, z), F(c.t));
    EXPECT_EQ(Value(Opcode::kVCubemaF32, x, y, z), F(c.major));
  }
}

TEST(Vectors, Bits) {
  EXPECT_EQ(Value(Opcode::kVFfbhU32, 0), 0xffffffffu);
  EXPECT_EQ(Value(Opcode::kVFfbhU32, 0x00010000), 15u);
  EXPECT_EQ(Value(Opcode::kVFfbhI32, 0xffffffff), 0xffffffffu);
  EXPECT_EQ(Value(Opcode::kVFfbhI32, 0xfffffffe), 31u);
  EXPECT_EQ(Value(Opcode::kVBfmB32, 4, 8), 0xf00u);
  EXPECT_EQ(Value(Opcode::kVBfiB32, 0xff00ff00, 0x12345678, 0x9abcdef0), 0x12bc56f0u);
  EXPECT_EQ(Value(Opcode::kVAlignbitB32, 0x1, 0x80000000, 31), 0x3u);
  EXPECT_EQ(Value(Opcode::kVAlignbyteB32, 0x11223344, 0x55667788, 5), 0x44556677u);
  EXPECT_EQ(Value(Opcode::kVBcntU32B32, 0xff, 3), 11u);
  EXPECT_EQ(Value(Opcode::kVXnorB32, 0xff00, 0x0ff0), 0xffff0f0fu);
  EXPECT_EQ(Value(Opcode::kVXor3B32, 1, 2, 4), 7u);
  EXPECT_EQ(Value(Opcode::kVAndOrB32, 6, 3, 8), 10u);
  EXPECT_EQ(Value(Opcode::kVLshlOrB32, 1, 33, 1), 3u);
  EXPECT_EQ(Value(Opcode::kVXadU32, 5, 1, 10), 14u);
  EXPECT_EQ(Value(Opcode::kVLshlAddU32, 3, 2, 1), 13u);
  EXPECT_EQ(Value(Opcode::kVAddLshlU32, 3, 2, 1), 10u);
  EXPECT_EQ(Value(Opcode::kVLerpU8, 0x01020304, 0x03030303, 0x01010101), 0x02030304u);
  // perm: bytes of {src0, src1}; signs, 0 and 0xff above.
  EXPECT_EQ(Value(Opcode::kVPermB32, 0x11223344, 0x55667788, 0x07000403), 0x11884455u);
  EXPECT_EQ(Value(Opcode::kVPermB32, 0x80000000, 0x00008000, 0x0d0c0b08), 0xff00ffffu);
  EXPECT_EQ(Value(Opcode::kVPermB32, 0x80000000, 0x00008000, 0x0000090a), 0x00000000u);
}

TEST(Vectors, CountsOfLowerLanes) {
  LaneInputs in;
  in.src = {0xffffffff, 100, 0};
  for (const int lane : {0, 1, 31, 32, 40, 63}) {
    in.lane = lane;
    const uint64_t low = Evaluate(Of(Opcode::kVMbcntLoU32B32), {}, in).value,
                   high = Evaluate(Of(Opcode::kVMbcntHiU32B32), {}, in).value;
    EXPECT_EQ(low, 100u + static_cast<uint64_t>(std::min(lane, 32)));
    EXPECT_EQ(high, 100u + static_cast<uint64_t>(std::max(lane - 32, 0)));
  }
}

TEST(Vectors, SumsOfDifferences) {
  EXPECT_EQ(Value(Opcode::kVSadU8, 0x01050000, 0x04010000, 10), 17u);
  EXPECT_EQ(Value(Opcode::kVMsadU8, 0x01050707, 0x04010000, 10), 17u);  // reference 0: left out
  EXPECT_EQ(Value(Opcode::kVSadHiU8, 0x01050000, 0x04010000, 10), 0x7000au);
  EXPECT_EQ(Value(Opcode::kVSadU16, 0x00010005, 0x00040001, 10), 17u);
  EXPECT_EQ(Value(Opcode::kVSadU32, 0xfffffffb, 0, 0), 0xfffffffbu);  // README-ISA of Mesa
  // Windows of src0, one byte apart.
  EXPECT_EQ(Value(Opcode::kVQsadPkU16U8, 0x0000000005000000, 0, 0x0004000300020001),
            0x0009000800070006u);
  LaneInputs in;
  in.src = {0x0000000005000000, 0x01010101, 0x0000000200000001};
  in.src2_high = 0x0000000400000003;
  const LaneResult wide = Evaluate(Of(Opcode::kVMqsadU32U8), {}, in);
  EXPECT_EQ(wide.value, 0x0000000900000008u);
  EXPECT_EQ(wide.value_high, 0x0000000b0000000au);
}

TEST(Vectors, WideIntegers) {
  const LaneResult wrapped =
      Compute(Of(Opcode::kVMadU64U32), 0xffffffff, 0xffffffff, 0xffffffffffffffff);
  EXPECT_EQ(wrapped.value, 0xfffffffe00000000u);
  EXPECT_TRUE(wrapped.mask_bit);
  EXPECT_EQ(Value(Opcode::kVMadI64I32, 0xffffffff, 5, 3), static_cast<uint64_t>(-2));
  EXPECT_EQ(Value(Opcode::kVMulI32I24, 0xffffff, 5), 0xfffffffbu);
  EXPECT_EQ(Value(Opcode::kVMulHiI32I24, 0x800000, 0x7fffff), 0xffffc000u);
  EXPECT_EQ(Value(Opcode::kVMulHiU32U24, 0xffffff, 0xffffff), 0xffffu);
  EXPECT_EQ(Value(Opcode::kVMadU32U24, 0x1000003, 2, 1), 7u);
  EXPECT_EQ(Value(Opcode::kVMadI32I16, 0xffff, 5, 3), static_cast<uint32_t>(-2));
  EXPECT_EQ(Value(Opcode::kVMadU32U16, 0xffff, 5, 3), 0x4fffeu);
  EXPECT_EQ(Value(Opcode::kVMed3I32, 5, 0xffffffff, 3), 3u);
  EXPECT_EQ(Value(Opcode::kVMed3U32, 5, 0xffffffff, 3), 5u);
  EXPECT_EQ(Value(Opcode::kVAdd3U32, 1, 2, 0xffffffff), 2u);
}

TEST(Vectors, CarriesIn) {
  LaneInputs in;
  in.src = {0xffffffff, 0, 0};
  in.mask_bit = true;
  const LaneResult sum = Evaluate(Of(Opcode::kVAddCoCiU32), {}, in);
  EXPECT_EQ(sum.value, 0u);
  EXPECT_TRUE(sum.mask_bit);
  in.src = {5, 4, 0};
  const LaneResult difference = Evaluate(Of(Opcode::kVSubCoCiU32), {}, in);
  EXPECT_EQ(difference.value, 0u);
  EXPECT_FALSE(difference.mask_bit);
  const LaneResult reversed = Evaluate(Of(Opcode::kVSubrevCoCiU32), {}, in);
  EXPECT_EQ(reversed.value, 0xfffffffeu);
  EXPECT_TRUE(reversed.mask_bit);
}

TEST(Vectors, DotProducts) {
  EXPECT_EQ(Value(Opcode::kVDot8I32I4, 0x0000000f, 0x00000003, 1), static_cast<uint32_t>(-2));
  EXPECT_EQ(Value(Opcode::kVDot8U32U4, 0x0000000f, 0x00000003, 1), 46u);
  Instruction dot = Of(Opcode::kVDot2I32I16);
  dot.op_sel_hi = 7;
  EXPECT_EQ(Compute(dot, 0x0002ffff, 0x00030005, 10).value, 11u);
  dot.op = Opcode::kVDot2F32F16;
  EXPECT_EQ(Compute(dot, 0x40003c00, 0x42004000, F(0.5f)).value, F(8.5f));
  EXPECT_EQ(Compute(dot, 0, 0, 1).value, 0u);  // subnormal accumulator, any mode
}

TEST(Vectors, MixedPrecision) {
  Instruction mix = Of(Opcode::kVFmaMixF32);
  mix.op_sel_hi = 0b110;
  mix.op_sel = 0b100;
  EXPECT_EQ(Compute(mix, F(3), 0x00004000, 0x3c000000).value, F(7));
  mix.neg = 0b010;
  EXPECT_EQ(Compute(mix, F(3), 0x00004000, 0x3c000000).value, F(-5));
  mix.neg = 0;
  mix.op = Opcode::kVFmaMixhiF16;
  EXPECT_EQ(Compute(mix, F(3), 0x00004000, 0x3c000000, {}, 0x11112222).value, 0x47002222u);
  mix.op = Opcode::kVFmaMixloF16;
  EXPECT_EQ(Compute(mix, F(3), 0x00004000, 0x3c000000, {}, 0x11112222).value, 0x11114700u);
}

TEST(Vectors, LiteralOperands) {
  Instruction fma = Of(Opcode::kVFmamkF32);
  fma.literal = static_cast<uint32_t>(F(10));
  EXPECT_EQ(Compute(fma, F(2), F(3)).value, F(23));
  fma.op = Opcode::kVFmaakF32;
  EXPECT_EQ(Compute(fma, F(2), F(3)).value, F(16));
}

TEST(Vectors, Interpolation) {
  LaneInputs in;
  in.src = {F(0.5f), 0, 0};
  in.parameter = {static_cast<uint32_t>(F(4)), static_cast<uint32_t>(F(8)),
                  static_cast<uint32_t>(F(1))};
  const uint64_t first = Evaluate(Of(Opcode::kVInterpP1F32), {}, in).value;
  EXPECT_EQ(first, F(3));
  in.old = first;
  EXPECT_EQ(Evaluate(Of(Opcode::kVInterpP2F32), {}, in).value, F(7));
  Instruction move = Of(Opcode::kVInterpMovF32);
  for (const uint16_t selector : {0, 1, 2}) {
    move.src[0] = {selector};
    EXPECT_EQ(Evaluate(move, {}, in).value, in.parameter[selector]);
  }
  // Halves: P10 = 2 and 4, P0 = 1 and 3.
  in.parameter = {0x44004000, 0x40003c00, 0x42003c00};
  in.src = {0, F(0.5f), F(3)};
  in.old = 0;
  Instruction halves = Of(Opcode::kVInterpP1llF16);
  EXPECT_EQ(Evaluate(halves, {}, in).value, F(2));
  halves.high = true;
  EXPECT_EQ(Evaluate(halves, {}, in).value, F(5));
  halves.op = Opcode::kVInterpP2F16;
  EXPECT_EQ(Evaluate(halves, {}, in).value, 0x4400u);  // 2 * 0.5 + 3
}

// Reciprocals and roots within the ISA guide's bounds; seeds of f64 with 24 bits.
TEST(Vectors, Transcendentals) {
  EXPECT_EQ(Value(Opcode::kVRcpF32, F(3)), 0x3eaaaaabu);
  EXPECT_EQ(Value(Opcode::kVRcpF32, 1), kInf);         // a subnormal source is 0
  EXPECT_EQ(Value(Opcode::kVRcpF32, 0x7f000000), 0u);  // 2^-127 is subnormal
  EXPECT_EQ(Value(Opcode::kVSqrtF32, F(2)), 0x3fb504f3u);
  EXPECT_EQ(Value(Opcode::kVSqrtF32, F(-1)), 0xffc00000u);
  EXPECT_EQ(Value(Opcode::kVRsqF32, F(4)), F(0.5f));
  EXPECT_EQ(Value(Opcode::kVExpF32, F(0.5f)), 0x3fb504f3u);
  EXPECT_EQ(Value(Opcode::kVExpF32, F(-127)), 0u);
  EXPECT_EQ(Value(Opcode::kVLogF32, F(8)), F(3));
  EXPECT_EQ(Value(Opcode::kVSinF32, F(0.25f)), F(1));
  EXPECT_EQ(Value(Opcode::kVCosF32, F(0.5f)), F(-1));
  EXPECT_EQ(Value(Opcode::kVSqrtF16, 0x4000), 0x3da8u);
  EXPECT_EQ(Value(Opcode::kVExpF16, 0xcb00), 0x0400u);  // 2^-14
  EXPECT_EQ(Value(Opcode::kVExpF16, 0xcb80), 0x0200u);  // 2^-15, kept
  const double third = std::bit_cast<double>(Value(Opcode::kVRcpF64, D(3)));
  EXPECT_EQ(third, static_cast<double>(1.0f / 3));
  EXPECT_EQ(Value(Opcode::kVRcpF64, D(4)), D(0.25));
  EXPECT_EQ(Value(Opcode::kVTrigPreopF64, D(1), 0), 0x3fe45f306dc9c882u);
}

}  // namespace
}  // namespace kiln::sim::rdna2::alu
