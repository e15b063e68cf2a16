// Tests each opcode family of integer, bit, comparison, conversion and composite instructions:
// assembled, imported and executed.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/base/float_bits.h"
#include "core/front/testing/testing.h"
#include "core/mir/print.h"

namespace kiln::front {
namespace {

const std::vector<uint32_t>& Integers() {
  static const std::vector<uint32_t> values = {
      0,   1,          2,          3,          7,          31,    32,         33,
      255, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 12345, 0xdeadbeef, 0x55555555};
  return values;
}

const std::vector<uint32_t>& Floats() {
  static const std::vector<uint32_t> values = {
      AsBits(0.0f),   AsBits(-0.0f), AsBits(1.0f),    AsBits(-1.0f),  AsBits(0.5f), AsBits(2.5f),
      AsBits(-3.75f), AsBits(1e10f), AsBits(-1e-10f), AsBits(7.0f),   AsBits(3.0f), AsBits(-2.0f),
      0x7f800000,     0xff800000,    0x7fc00000,      AsBits(100.25f)};
  return values;
}

// Runs `code` (which uses %x and %y, words, and defines %result) over all pairs of values.
std::vector<uint32_t> RunPairs(const std::vector<uint32_t>& values, const std::string& code,
                               const std::string& types = "",
                               const std::string& preamble = "OpCapability Shader\n") {
  const auto n = static_cast<uint32_t>(values.size());
  const std::string pairs = R"(
    %i_of_x = OpUDiv %uint %id %u_n
    %i_of_y = OpUMod %uint %id %u_n
    %xx_p = OpAccessChain %p_word %in %u_0 %i_of_x
    %yy_p = OpAccessChain %p_word %in %u_0 %i_of_y
    %a = OpLoad %uint %xx_p
    %b = OpLoad %uint %yy_p
)";
  const std::string constants = "%u_n = OpConstant %uint " + std::to_string(n) + "\n";
  const std::string text = KernelAssembly(constants + types, pairs + code, true, "", preamble);
  const auto module = ImportVerified(Assemble(text));
  if (!module.ok()) {
    ADD_FAILURE() << module.status() << text;
    return std::vector<uint32_t>(n * n);
  }
  const auto output = RunWords(*module, values, n * n, n * n / 32);
  if (!output.ok()) {
    ADD_FAILURE() << output.status() << mir::Print(*module);
    return std::vector<uint32_t>(n * n);
  }
  return *output;
}

using Binary = std::function<uint32_t(uint32_t, uint32_t)>;

void ExpectPairs(const std::vector<uint32_t>& values, const std::string& code,
                 const Binary& expected, const std::string& types = "",
                 const std::string& preamble = "OpCapability Shader\n") {
  SCOPED_TRACE(code);
  const std::vector<uint32_t> output = RunPairs(values, code, types, preamble);
  for (size_t i = 0; i < output.size(); ++i) {
    const uint32_t a = values[i / values.size()];
    const uint32_t b = values[i % values.size()];
    EXPECT_EQ(output[i], expected(a, b)) << "a " << a << " b " << b;
  }
}

int32_t S(uint32_t x) { return static_cast<int32_t>(x); }

TEST(Alu, IntegerArithmetic) {
  const struct {
    const char* op;
    Binary expected;
  } rows[] = {
      {"OpIAdd", [](uint32_t a, uint32_t b) { return a + b; }},
      {"OpISub", [](uint32_t a, uint32_t b) { return a - b; }},
      {"OpIMul", [](uint32_t a, uint32_t b) { return a * b; }},
      {"OpBitwiseAnd", [](uint32_t a, uint32_t b) { return a & b; }},
      {"OpBitwiseOr", [](uint32_t a, uint32_t b) { return a | b; }},
      {"OpBitwiseXor", [](uint32_t a, uint32_t b) { return a ^ b; }},
      {"OpShiftLeftLogical", [](uint32_t a, uint32_t b) { return a << (b & 31); }},
      {"OpShiftRightLogical", [](uint32_t a, uint32_t b) { return a >> (b & 31); }},
      {"OpShiftRightArithmetic",
       [](uint32_t a, uint32_t b) { return static_cast<uint32_t>(S(a) >> (b & 31)); }},
  };
  for (const auto& row : rows) {
    ExpectPairs(Integers(), std::string("%result = ") + row.op + " %uint %a %b\n", row.expected);
  }
}

TEST(Alu, Division) {
  // Division by 0 is undefined, so the divisor is b | 1.
  const std::string prepare = "%d = OpBitwiseOr %uint %b %u_1\n";
  const auto divide = [](int64_t a, int64_t b) { return static_cast<uint32_t>(a / b); };
  ExpectPairs(Integers(), prepare + "%result = OpUDiv %uint %a %d\n",
              [](uint32_t a, uint32_t b) { return a / (b | 1); });
  ExpectPairs(Integers(), prepare + "%result = OpUMod %uint %a %d\n",
              [](uint32_t a, uint32_t b) { return a % (b | 1); });
  ExpectPairs(Integers(), prepare + "%result = OpSDiv %uint %a %d\n",
              [&](uint32_t a, uint32_t b) { return divide(S(a), S(b | 1)); });
  ExpectPairs(Integers(), prepare + "%result = OpSRem %uint %a %d\n", [](uint32_t a, uint32_t b) {
    return static_cast<uint32_t>(int64_t{S(a)} % int64_t{S(b | 1)});
  });
  ExpectPairs(Integers(), prepare + "%result = OpSMod %uint %a %d\n", [](uint32_t a, uint32_t b) {
    const int64_t d = S(b | 1);
    const int64_t r = int64_t{S(a)} % d;
    return static_cast<uint32_t>(r != 0 && (r < 0) != (d < 0) ? r + d : r);
  });
}

TEST(Alu, UnaryAndBits) {
  const struct {
    const char* op;
    std::function<uint32_t(uint32_t)> expected;
  } rows[] = {
      {"OpSNegate", [](uint32_t a) { return 0u - a; }},
      {"OpNot", [](uint32_t a) { return ~a; }},
      {"OpBitCount", [](uint32_t a) { return static_cast<uint32_t>(std::popcount(a)); }},
      {"OpBitReverse",
       [](uint32_t a) {
         uint32_t r = 0;
         for (int i = 0; i < 32; ++i) r |= ((a >> i) & 1) << (31 - i);
         return r;
       }},
      {"OpCopyObject", [](uint32_t a) { return a; }},
      {"OpUConvert", [](uint32_t a) { return a; }},
      {"OpSConvert", [](uint32_t a) { return a; }},
  };
  for (const auto& row : rows) {
    ExpectPairs(Integers(), std::string("%result = ") + row.op + " %uint %a\n",
                [&](uint32_t a, uint32_t) { return row.expected(a); });
  }
  ExpectPairs(
      Integers(),
      "%c = OpULessThan %bool %a %b\nOpAssumeTrueKHR %c\n"
      "%result = OpExpectKHR %uint %a %b\n",
      [](uint32_t a, uint32_t) { return a; }, "",
      "OpCapability Shader\nOpCapability ExpectAssumeKHR\n"
      "OpExtension \"SPV_KHR_expect_assume\"\n");
  // FindLsb, FindSMsb, FindUMsb
  ExpectPairs(Integers(), "%result = OpExtInst %uint %glsl FindILsb %a\n",
              [](uint32_t a, uint32_t) {
                return a == 0 ? ~0u : static_cast<uint32_t>(std::countr_zero(a));
              });
  const auto msb = [](uint32_t a) {
    return a == 0 ? ~0u : 31u - static_cast<uint32_t>(std::countl_zero(a));
  };
  ExpectPairs(Integers(), "%result = OpExtInst %uint %glsl FindUMsb %a\n",
              [&](uint32_t a, uint32_t) { return msb(a); });
  ExpectPairs(Integers(), "%result = OpExtInst %uint %glsl FindSMsb %a\n",
              [&](uint32_t a, uint32_t) { return msb(S(a) < 0 ? ~a : a); });
}

TEST(Alu, BitFields) {
  const std::string prepare = "%o = OpBitwiseAnd %uint %b %u_15\n%c = OpIAdd %uint %o %u_1\n";
  const std::string types = "%u_15 = OpConstant %uint 15\n";
  const auto mask = [](uint32_t c) { return (1u << c) - 1; };
  ExpectPairs(
      Integers(), prepare + "%result = OpBitFieldUExtract %uint %a %o %c\n",
      [&](uint32_t a, uint32_t b) { return (a >> (b & 15)) & mask((b & 15) + 1); }, types);
  ExpectPairs(
      Integers(), prepare + "%result = OpBitFieldSExtract %uint %a %o %c\n",
      [&](uint32_t a, uint32_t b) {
        const uint32_t c = (b & 15) + 1;
        const uint32_t field = (a >> (b & 15)) & mask(c);
        return static_cast<uint32_t>(S(field << (32 - c)) >> (32 - c));
      },
      types);
  ExpectPairs(
      Integers(), prepare + "%result = OpBitFieldInsert %uint %a %b %o %c\n",
      [&](uint32_t a, uint32_t b) {
        const uint32_t m = mask((b & 15) + 1) << (b & 15);
        return (a & ~m) | ((b << (b & 15)) & m);
      },
      types);
}

TEST(Alu, ExtendedArithmetic) {
  const std::string types = "%pair = OpTypeStruct %uint %uint\n";
  const auto run = [&](const char* op, int member, const Binary& expected) {
    ExpectPairs(Integers(),
                std::string("%s = ") + op + " %pair %a %b\n%result = OpCompositeExtract %uint %s " +
                    std::to_string(member) + "\n",
                expected, types);
  };
  run("OpIAddCarry", 0, [](uint32_t a, uint32_t b) { return a + b; });
  run("OpIAddCarry", 1, [](uint32_t a, uint32_t b) { return a + b < a ? 1u : 0u; });
  run("OpISubBorrow", 0, [](uint32_t a, uint32_t b) { return a - b; });
  run("OpISubBorrow", 1, [](uint32_t a, uint32_t b) { return a < b ? 1u : 0u; });
  run("OpUMulExtended", 1,
      [](uint32_t a, uint32_t b) { return static_cast<uint32_t>((uint64_t{a} * b) >> 32); });
  run("OpSMulExtended", 0, [](uint32_t a, uint32_t b) { return a * b; });
  run("OpSMulExtended", 1, [](uint32_t a, uint32_t b) {
    return static_cast<uint32_t>((int64_t{S(a)} * int64_t{S(b)}) >> 32);
  });
}

TEST(Alu, IntegerComparison) {
  const struct {
    const char* op;
    std::function<bool(uint32_t, uint32_t)> expected;
  } rows[] = {
      {"OpIEqual", [](uint32_t a, uint32_t b) { return a == b; }},
      {"OpINotEqual", [](uint32_t a, uint32_t b) { return a != b; }},
      {"OpUGreaterThan", [](uint32_t a, uint32_t b) { return a > b; }},
      {"OpUGreaterThanEqual", [](uint32_t a, uint32_t b) { return a >= b; }},
      {"OpULessThan", [](uint32_t a, uint32_t b) { return a < b; }},
      {"OpULessThanEqual", [](uint32_t a, uint32_t b) { return a <= b; }},
      {"OpSGreaterThan", [](uint32_t a, uint32_t b) { return S(a) > S(b); }},
      {"OpSGreaterThanEqual", [](uint32_t a, uint32_t b) { return S(a) >= S(b); }},
      {"OpSLessThan", [](uint32_t a, uint32_t b) { return S(a) < S(b); }},
      {"OpSLessThanEqual", [](uint32_t a, uint32_t b) { return S(a) <= S(b); }},
  };
  for (const auto& row : rows) {
    ExpectPairs(
        Integers(),
        std::string("%c = ") + row.op + " %bool %a %b\n%result = OpSelect %uint %c %u_1 %u_0\n",
        [&](uint32_t a, uint32_t b) { return row.expected(a, b) ? 1u : 0u; });
  }
}

TEST(Alu, Logic) {
  const struct {
    const char* op;
    std::function<bool(bool, bool)> expected;
  } rows[] = {
      {"OpLogicalAnd", [](bool a, bool b) { return a && b; }},
      {"OpLogicalOr", [](bool a, bool b) { return a || b; }},
      {"OpLogicalEqual", [](bool a, bool b) { return a == b; }},
      {"OpLogicalNotEqual", [](bool a, bool b) { return a != b; }},
  };
  for (const auto& row : rows) {
    ExpectPairs(Integers(),
                std::string("%p = OpUGreaterThan %bool %a %u_7\n%q = OpUGreaterThan %bool %b %u_7\n"
                            "%n = OpLogicalNot %bool %q\n%c = ") +
                    row.op + " %bool %p %n\n%result = OpSelect %uint %c %u_1 %u_0\n",
                [&](uint32_t a, uint32_t b) { return row.expected(a > 7, !(b > 7)) ? 1u : 0u; });
  }
}

// Ordered comparisons are false on NaN, unordered ones true.
TEST(Alu, FloatComparison) {
  const auto nan = [](float a, float b) { return std::isnan(a) || std::isnan(b); };
  const struct {
    const char* op;
    std::function<bool(float, float)> expected;
  } rows[] = {
      {"OpFOrdEqual", [&](float a, float b) { return a == b; }},
      {"OpFUnordEqual", [&](float a, float b) { return nan(a, b) || a == b; }},
      {"OpFOrdNotEqual", [&](float a, float b) { return !nan(a, b) && a != b; }},
      {"OpFUnordNotEqual", [&](float a, float b) { return nan(a, b) || a != b; }},
      {"OpFOrdLessThan", [&](float a, float b) { return a < b; }},
      {"OpFUnordLessThan", [&](float a, float b) { return nan(a, b) || a < b; }},
      {"OpFOrdGreaterThan", [&](float a, float b) { return a > b; }},
      {"OpFUnordGreaterThan", [&](float a, float b) { return nan(a, b) || a > b; }},
      {"OpFOrdLessThanEqual", [&](float a, float b) { return a <= b; }},
      {"OpFUnordLessThanEqual", [&](float a, float b) { return nan(a, b) || a <= b; }},
      {"OpFOrdGreaterThanEqual", [&](float a, float b) { return a >= b; }},
      {"OpFUnordGreaterThanEqual", [&](float a, float b) { return nan(a, b) || a >= b; }},
      {"OpLessOrGreater", [&](float a, float b) { return !nan(a, b) && a != b; }},
      {"OpOrdered", [&](float a, float b) { return !nan(a, b); }},
      {"OpUnordered", [&](float a, float b) { return nan(a, b); }},
  };
  for (const auto& row : rows) {
    ExpectPairs(
        Floats(),
        std::string("%fa = OpBitcast %float %a\n%fb = OpBitcast %float %b\n%c = ") + row.op +
            " %bool %fa %fb\n%result = OpSelect %uint %c %u_1 %u_0\n",
        [&](uint32_t a, uint32_t b) { return row.expected(AsFloat(a), AsFloat(b)) ? 1u : 0u; });
  }
  for (const char* op : {"OpIsNan", "OpIsInf"}) {
    const bool is_nan = std::string(op) == "OpIsNan";
    ExpectPairs(Floats(),
                std::string("%fa = OpBitcast %float %a\n%c = ") + op +
                    " %bool %fa\n%result = OpSelect %uint %c %u_1 %u_0\n",
                [&](uint32_t a, uint32_t) {
                  return (is_nan ? std::isnan(AsFloat(a)) : std::isinf(AsFloat(a))) ? 1u : 0u;
                });
  }
}

TEST(Alu, FloatArithmetic) {
  const struct {
    const char* op;
    std::function<float(float, float)> expected;
  } rows[] = {
      {"OpFAdd", [](float a, float b) { return a + b; }},
      {"OpFSub", [](float a, float b) { return a - b; }},
      {"OpFMul", [](float a, float b) { return a * b; }},
      {"OpFDiv", [](float a, float b) { return a / b; }},
  };
  std::vector<uint32_t> finite = Floats();
  for (uint32_t& x : finite) {
    // the bits of NaNs are unspecified
    if (!std::isfinite(AsFloat(x)) || AsFloat(x) == 0) x = AsBits(5.5f);
  }
  const std::string cast = "%fa = OpBitcast %float %a\n%fb = OpBitcast %float %b\n";
  for (const auto& row : rows) {
    ExpectPairs(
        finite, cast + "%c = " + row.op + " %float %fa %fb\n%result = OpBitcast %uint %c\n",
        [&](uint32_t a, uint32_t b) { return AsBits(row.expected(AsFloat(a), AsFloat(b))); });
  }
  std::vector<uint32_t> exact = {AsBits(7.0f), AsBits(-7.0f), AsBits(2.5f), AsBits(-2.5f),
                                 AsBits(3.0f), AsBits(-3.0f), AsBits(1.0f), AsBits(0.75f)};
  // The sign of a zero is unspecified, so 0 is added.
  ExpectPairs(
      exact,
      cast +
          "%c = OpFRem %float %fa %fb\n%z = OpFAdd %float %c %f_0\n%result = OpBitcast "
          "%uint %z\n",
      [](uint32_t a, uint32_t b) { return AsBits(std::fmod(AsFloat(a), AsFloat(b)) + 0.0f); });
  ExpectPairs(exact,
              cast +
                  "%c = OpFMod %float %fa %fb\n%z = OpFAdd %float %c %f_0\n%result = OpBitcast "
                  "%uint %z\n",
              [](uint32_t a, uint32_t b) {
                float r = std::fmod(AsFloat(a), AsFloat(b));
                if (r != 0 && (r < 0) != (AsFloat(b) < 0)) r += AsFloat(b);
                return AsBits(r + 0.0f);
              });
  ExpectPairs(finite,
              "%fa = OpBitcast %float %a\n%c = OpFNegate %float %fa\n"
              "%result = OpBitcast %uint %c\n",
              [](uint32_t a, uint32_t) { return AsBits(-AsFloat(a)); });
}

TEST(Alu, Conversions) {
  const auto saturate = [](double x, double low, double high) {
    if (std::isnan(x)) return 0.0;
    return std::trunc(std::min(std::max(x, low), high));
  };
  const std::string cast = "%fa = OpBitcast %float %a\n";
  ExpectPairs(Floats(), cast + "%result = OpConvertFToU %uint %fa\n", [&](uint32_t a, uint32_t) {
    return static_cast<uint32_t>(saturate(AsFloat(a), 0, 4294967295.0));
  });
  ExpectPairs(Floats(), cast + "%s = OpConvertFToS %int %fa\n%result = OpBitcast %uint %s\n",
              [&](uint32_t a, uint32_t) {
                return static_cast<uint32_t>(
                    static_cast<int32_t>(saturate(AsFloat(a), -2147483648.0, 2147483647.0)));
              });
  ExpectPairs(Integers(), "%f = OpConvertUToF %float %a\n%result = OpBitcast %uint %f\n",
              [](uint32_t a, uint32_t) { return AsBits(static_cast<float>(a)); });
  ExpectPairs(
      Integers(),
      "%s = OpBitcast %int %a\n%f = OpConvertSToF %float %s\n%result = OpBitcast %uint %f\n",
      [](uint32_t a, uint32_t) { return AsBits(static_cast<float>(S(a))); });
  ExpectPairs(
      {AsBits(1.0f), AsBits(0.1f), AsBits(-2.0f), AsBits(2049.0f), AsBits(1e6f), AsBits(0.0f),
       AsBits(65504.0f), AsBits(3.0f), AsBits(0x1p-14f), AsBits(0x1p-15f), AsBits(-0x1.8p-20f),
       AsBits(0.5f), AsBits(-1.0f), AsBits(1024.0f), AsBits(0x1p-10f), AsBits(-65504.0f)},
      cast + "%q = OpQuantizeToF16 %float %fa\n%result = OpBitcast %uint %q\n",
      [](uint32_t a, uint32_t) {
        const float x = AsFloat(a);
        if (x == 0.1f) return 0x3dcccccdu & 0xffffe000u;  // 0.0999755859375
        if (x == 2049.0f) return AsBits(2048.0f);
        if (x == 1e6f) return 0x7f800000u;
        if (x == 0x1p-15f) return 0u;  // smaller than all normal halves
        if (x == -0x1.8p-20f) return 0x80000000u;
        return a;
      });
}

TEST(Alu, Composites) {
  const std::string types =
      "%inner = OpTypeStruct %v3uint %uint\n%arr = OpTypeArray %inner %u_3\n"
      "%outer = OpTypeStruct %arr %v2uint\n";
  const std::string code = R"(
    %v = OpCompositeConstruct %v3uint %a %b %u_5
    %v2 = OpCompositeConstruct %v2uint %b %a
    %v3 = OpCompositeConstruct %v3uint %v2 %u_9
    %i1 = OpCompositeConstruct %inner %v %u_7
    %i2 = OpCompositeConstruct %inner %v3 %u_8
    %arr0 = OpCompositeConstruct %arr %i1 %i2 %i1
    %o = OpCompositeConstruct %outer %arr0 %v2
    %o2 = OpCompositeInsert %outer %u_4 %o 0 1 0 2
    %o3 = OpCompositeInsert %outer %i2 %o2 0 2
    %e0 = OpCompositeExtract %uint %o3 0 0 0 0
    %e1 = OpCompositeExtract %uint %o3 0 1 0 2
    %e2 = OpCompositeExtract %uint %o3 0 2 1
    %e3 = OpCompositeExtract %uint %o3 1 1
    %ev = OpCompositeExtract %v3uint %o3 0 2 0
    %sh = OpVectorShuffle %v4uint %ev %v2 2 4 0 0xffffffff
    %s0 = OpCompositeExtract %uint %sh 0
    %s1 = OpCompositeExtract %uint %sh 1
    %s2 = OpCompositeExtract %uint %sh 2
    %k1 = OpIMul %uint %e1 %u_3
    %k2 = OpIMul %uint %e2 %u_5
    %k3 = OpIMul %uint %e3 %u_7
    %k4 = OpIMul %uint %s0 %u_9
    %k5 = OpShiftLeftLogical %uint %s1 %u_2
    %k6 = OpShiftLeftLogical %uint %s2 %u_6
    %t1 = OpIAdd %uint %e0 %k1
    %t2 = OpIAdd %uint %t1 %k2
    %t3 = OpIAdd %uint %t2 %k3
    %t4 = OpIAdd %uint %t3 %k4
    %t5 = OpIAdd %uint %t4 %k5
    %result = OpIAdd %uint %t5 %k6
)";
  ExpectPairs(
      Integers(), code,
      [](uint32_t a, uint32_t b) {
        return a + 4 * 3 + 8 * 5 + a * 7 + 9 * 9 + (a << 2) + (b << 6);
      },
      types);
}

TEST(Alu, DynamicComponentsAndSelect) {
  const std::string code = R"(
    %i = OpBitwiseAnd %uint %b %u_3
    %v = OpCompositeConstruct %v4uint %a %u_5 %b %u_9
    %w = OpVectorInsertDynamic %v4uint %v %u_7 %i
    %j = OpIAdd %uint %i %u_1
    %jm = OpBitwiseAnd %uint %j %u_3
    %e = OpVectorExtractDynamic %uint %w %jm
    %f = OpVectorExtractDynamic %uint %w %i
    %c0 = OpULessThan %bool %a %b
    %c1 = OpINotEqual %bool %a %b
    %cv = OpCompositeConstruct %v2bool %c0 %c1
    %p = OpCompositeConstruct %v2uint %u_1 %u_2
    %q = OpCompositeConstruct %v2uint %u_4 %u_8
    %s = OpSelect %v2uint %cv %p %q
    %s0 = OpCompositeExtract %uint %s 0
    %s1 = OpCompositeExtract %uint %s 1
    %any = OpAny %bool %cv
    %all = OpAll %bool %cv
    %sany = OpSelect %uint %any %u_3 %u_0
    %sall = OpSelect %uint %all %u_6 %u_0
    %r0 = OpIAdd %uint %s0 %s1
    %r1 = OpIMul %uint %r0 %sany
    %r2 = OpIAdd %uint %r1 %sall
    %r3 = OpIMul %uint %r2 %u_9
    %r4 = OpIAdd %uint %r3 %f
    %result = OpBitwiseXor %uint %r4 %e
)";
  ExpectPairs(Integers(), code, [](uint32_t a, uint32_t b) {
    uint32_t v[4] = {a, 5, b, 9};
    v[b & 3] = 7;
    const uint32_t e = v[((b & 3) + 1) & 3];
    const bool c0 = a < b;
    const bool c1 = a != b;
    const uint32_t r0 = (c0 ? 1 : 4) + (c1 ? 2 : 8);
    return ((r0 * (c0 || c1 ? 3 : 0) + (c0 && c1 ? 6 : 0)) * 9 + 7) ^ e;
  });
}

TEST(Alu, Matrices) {
  const std::string types =
      "%m32 = OpTypeMatrix %v3float 2\n%m23 = OpTypeMatrix %v2float 3\n"
      "%m22 = OpTypeMatrix %v2float 2\n%f_3 = OpConstant %float 3\n%f_5 = OpConstant %float 5\n"
      "%v2c = OpConstantComposite %v2float %f_3 %f_5\n";
  // M has columns (a, 1, 2) and (3, b, 5).
  const std::string code = R"(
    %fa = OpConvertUToF %float %a
    %fb = OpConvertUToF %float %b
    %c0 = OpCompositeConstruct %v3float %fa %f_1 %f_2
    %c1 = OpCompositeConstruct %v3float %f_3 %fb %f_5
    %m = OpCompositeConstruct %m32 %c0 %c1
    %t = OpTranspose %m23 %m
    %mm = OpMatrixTimesMatrix %m22 %t %m
    %mv = OpMatrixTimesVector %v3float %m %v2c
    %vm = OpVectorTimesMatrix %v2float %mv %m
    %ms = OpMatrixTimesScalar %m22 %mm %f_2
    %vs = OpVectorTimesScalar %v2float %vm %f_3
    %op = OpOuterProduct %m32 %mv %v2c
    %d = OpDot %float %vs %v2c
    %x00 = OpCompositeExtract %float %ms 0 0
    %x10 = OpCompositeExtract %float %ms 1 0
    %o12 = OpCompositeExtract %float %op 1 2
    %s1 = OpFAdd %float %x00 %x10
    %s2 = OpFAdd %float %s1 %d
    %s3 = OpFAdd %float %s2 %o12
    %result = OpConvertFToU %uint %s3
)";
  ExpectPairs(
      {0, 1, 2, 3, 4, 5, 6, 7}, code,
      [](uint32_t a, uint32_t b) {
        const double m[2][3] = {{double(a), 1, 2}, {3, double(b), 5}};
        const double v[2] = {3, 5};
        double mm[2][2] = {};
        double mv[3] = {};
        for (int i = 0; i < 3; ++i) {
          for (int c = 0; c < 2; ++c) {
            mv[i] += m[c][i] * v[c];
            for (int r = 0; r < 2; ++r) mm[c][r] += m[r][i] * m[c][i];
          }
        }
        double d = 0;
        for (int c = 0; c < 2; ++c) {
          for (int i = 0; i < 3; ++i) d += 3 * v[c] * mv[i] * m[c][i];
        }
        return static_cast<uint32_t>(2 * mm[0][0] + 2 * mm[1][0] + d + mv[2] * v[1]);
      },
      types);
}

TEST(Alu, NoContractionReachesTheInstruction) {
  const std::string text = KernelAssembly("OpDecorate %m NoContraction\n", R"(
    %fa = OpBitcast %float %x
    %m = OpFMul %float %fa %fa
    %s = OpFAdd %float %m %f_1
    %result = OpBitcast %uint %s
)");
  const auto module = ImportVerified(Assemble(text));
  ASSERT_TRUE(module.ok()) << module.status();
  int exact = 0;
  for (const mir::Inst& inst : module->insts) {
    if (inst.op == mir::Op::kFmul) exact += inst.flags == mir::kExact;
    if (inst.op == mir::Op::kFadd) {
      EXPECT_EQ(inst.flags, 0);
    }
  }
  EXPECT_EQ(exact, 1);
}

// Compares the imported text itself, once: addresses become immediates, ids are kept.
TEST(Alu, PrintedForm) {
  const std::string text = KernelAssembly("", "%result = OpIAdd %uint %x %u_3\n");
  const auto module = ImportVerified(Assemble(text));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(mir::Print(*module, {.renumber = true, .spirv_ids = false}),
            "mir 1\n"
            "entry \"main\"\n"
            "local_size 32, 1, 1\n"
            "resource 0 ssbo 0.0.0\n"
            "resource 1 ssbo 0.1.0\n"
            "body {\n"
            "  %0:i32 = workgroup_id[0]\n"
            "  %1:i32 = imul %0, 32\n"
            "  %2:i32 = local_index\n"
            "  %3:i32 = iadd %1, %2\n"
            "  %4:i32 = imul %3, 4\n"
            "  %5:i32 = load_ssbo[0, align 4] %4\n"
            "  %6:i32 = iadd %5, 3\n"
            "  %7:i32 = imul %3, 4\n"
            "  store_ssbo[1, align 4] %7, %6\n"
            "  return\n"
            "}\n");
}

}  // namespace
}  // namespace kiln::front
