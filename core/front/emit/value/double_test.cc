// Tests floats of 64 bits: arithmetic, conversions, GLSL functions, matrices, constants, local and
// shared memory, layouts in buffers. Each kernel is compiled from GLSL, imported, and compared with
// the host bit by bit, which computes the same formulas with correctly rounded operations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/base/float_bits.h"
#include "core/front/testing/testing.h"
#include "core/mir/mir.h"

namespace kiln::front {
namespace {

constexpr size_t kLanes = 32;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

const std::string kHelpers =
    "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
    "double Get(uint i) { return packDouble2x32(uvec2(in_[2 * i], in_[2 * i + 1])); }\n"
    "void Put(uint i, double x) {\n"
    "  uvec2 v = unpackDouble2x32(x); out_[2 * i] = v.x; out_[2 * i + 1] = v.y; }\n";

// Corner values, and ordinary ones.
std::vector<double> Inputs() {
  std::vector<double> values = {
      0.0,       -0.0, 1.0,   -1.0,   0.5,        -2.5,    3.5,    0x1p-1022, 0x1p-1074, -0x1p-1040,
      kInfinity, kNan, 1e308, -1e308, 0x1p52 + 1, -0x1p31, 0x1p32, 0x1p63,    0x1p64,    -0x1.8p62};
  uint64_t x = 12345;
  while (values.size() < kLanes) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    values.push_back(static_cast<double>(static_cast<int64_t>(x)) * 0x1p-61);
  }
  return values;
}

std::vector<uint32_t> Words(const std::vector<double>& values) {
  std::vector<uint32_t> words(2 * values.size());
  std::memcpy(words.data(), values.data(), 8 * values.size());
  return words;
}

bool Same(double a, double b) { return (a != a && b != b) || DoubleBits(a) == DoubleBits(b); }

using Host = std::function<double(double, double)>;

// Compares `expression` of a, b (doubles of this lane and of another) with the host's. Values that
// `skip` accepts are undefined there.
void Expect(const std::string& expression, const Host& host, const std::string& globals = "",
            const std::function<bool(double, double)>& skip = nullptr) {
  const std::vector<double> in = Inputs();
  const std::vector<uint32_t> out = RunKernel(kHelpers + globals,
                                              "double a = Get(id), b = Get((id * 7 + 3) & 31);\n"
                                              "Put(id, double(" +
                                                  expression + "));",
                                              Words(in), 2 * kLanes);
  ASSERT_EQ(out.size(), 2 * kLanes) << expression;
  for (size_t i = 0; i < kLanes; ++i) {
    const double a = in[i], b = in[(i * 7 + 3) & 31];
    if (skip != nullptr && skip(a, b)) continue;
    const double got = AsDouble(uint64_t{out[2 * i + 1]} << 32 | out[2 * i]);
    EXPECT_TRUE(Same(got, host(a, b)))
        << expression << " of " << a << " and " << b << ": " << got << ", not " << host(a, b);
  }
}

bool EitherIsNan(double a, double b) { return a != a || b != b; }

TEST(Doubles, Arithmetic) {
  Expect("a + b", [](double a, double b) { return a + b; });
  Expect("a - b", [](double a, double b) { return a - b; });
  Expect("a * b", [](double a, double b) { return a * b; });
  Expect("a / b", [](double a, double b) { return a / b; });
  Expect("-a", [](double a, double) { return -a; });
  Expect("mod(a, b)", [](double a, double b) { return a - b * std::floor(a / b); });
  Expect("fma(a, b, 0.1lf)", [](double a, double b) { return std::fma(a, b, 0.1); });
}

TEST(Doubles, Comparisons) {
  Expect("a < b", [](double a, double b) { return a < b; });
  Expect("a <= b", [](double a, double b) { return a <= b; });
  Expect("a > b", [](double a, double b) { return a > b; });
  Expect("a >= b", [](double a, double b) { return a >= b; });
  Expect("a == b", [](double a, double b) { return a == b; });
  Expect("a != b", [](double a, double b) { return a != b; });
  Expect("isnan(a)", [](double a, double) { return a != a; });
  Expect("isinf(a)", [](double a, double) { return std::fabs(a) == kInfinity; });
  Expect("any(lessThan(dvec2(a, b), dvec2(0.25lf)))",
         [](double a, double b) { return a < 0.25 || b < 0.25; });
}

TEST(Doubles, Conversions) {
  const auto beyond = [](double least, double end) {
    return [=](double a, double) { return !(a > least && a < end); };
  };
  Expect("float(a)", [](double a, double) { return static_cast<float>(a); });
  Expect(
      "int(a)", [](double a, double) { return static_cast<int32_t>(a); }, "",
      beyond(-0x1p31 - 1, 0x1p31));
  Expect(
      "uint(a)", [](double a, double) { return static_cast<uint32_t>(a); }, "", beyond(-1, 0x1p32));
  Expect(
      "int64_t(a)", [](double a, double) { return static_cast<double>(static_cast<int64_t>(a)); },
      "", beyond(-0x1p63, 0x1p63));
  Expect(
      "uint64_t(a)", [](double a, double) { return static_cast<double>(static_cast<uint64_t>(a)); },
      "", beyond(-1, 0x1p64));
  Expect("int(in_[2 * id + 1])",
         [](double a, double) { return static_cast<int32_t>(DoubleBits(a) >> 32); });
  Expect("in_[2 * id + 1]",
         [](double a, double) { return static_cast<uint32_t>(DoubleBits(a) >> 32); });
  Expect("(uint64_t(in_[2 * id + 1]) << 32 | in_[2 * id]) * 3ul",
         [](double a, double) { return static_cast<double>(DoubleBits(a) * 3); });
  Expect(
      "doubleBitsToInt64(a) >> 3",
      [](double a, double) {
        return static_cast<double>(static_cast<int64_t>(DoubleBits(a)) >> 3);
      },
      "", EitherIsNan);
  Expect(
      "int64BitsToDouble(int64_t(doubleBitsToUint64(a)) ^ 0xfl)",
      [](double a, double) { return AsDouble(DoubleBits(a) ^ 0xf); }, "", EitherIsNan);
  Expect("uintBitsToFloat(in_[2 * id + 1])", [](double a, double) {
    return double{AsFloat(static_cast<uint32_t>(DoubleBits(a) >> 32))};
  });
  Expect("bool(a)", [](double a, double) { return a != 0; });
  Expect(
      "float16_t(a)", [](double a, double) { return std::nearbyint(a * 512) / 512; }, "",
      [](double a, double) { return !(std::fabs(a) >= 2 && std::fabs(a) < 4); });
}

TEST(Doubles, GlslFunctionsOfOne) {
  Expect("abs(a)", [](double a, double) { return std::fabs(a); });
  Expect(
      "sign(a)", [](double a, double) { return a > 0   ? 1
                                               : a < 0 ? -1
                                                       : a; }, "", EitherIsNan);
  Expect("floor(a)", [](double a, double) { return std::floor(a); });
  Expect("ceil(a)", [](double a, double) { return std::ceil(a); });
  Expect("trunc(a)", [](double a, double) { return std::trunc(a); });
  Expect("round(a)", [](double a, double) { return std::nearbyint(a); });
  Expect("roundEven(a)", [](double a, double) { return std::nearbyint(a); });
  Expect("fract(a)", [](double a, double) { return a - std::floor(a); });
  Expect("sqrt(a)", [](double a, double) { return std::sqrt(a); });
  Expect("inversesqrt(a)", [](double a, double) { return 1 / std::sqrt(a); });
  Expect("length(a)", [](double a, double) { return std::fabs(a); });
}

TEST(Doubles, GlslFunctionsOfSeveral) {
  Expect(
      "min(a, b)", [](double a, double b) { return a < b ? a : b; }, "", EitherIsNan);
  Expect(
      "max(a, b)", [](double a, double b) { return a > b ? a : b; }, "", EitherIsNan);
  Expect(
      "clamp(a, -0.5lf, 2.0lf)", [](double a, double) { return a < -0.5 ? -0.5
                                                               : a > 2  ? 2
                                                                        : a; },
      "", EitherIsNan);
  Expect("mix(a, b, 0.25lf)", [](double a, double b) { return a - a * 0.25 + b * 0.25; });
  Expect("mix(a, b, a < b)", [](double a, double b) { return a < b ? b : a; });
  Expect("step(a, b)", [](double a, double b) { return b < a ? 0 : 1; });
  Expect("smoothstep(0.5lf, 1.5lf, a)", [](double a, double) {
    const double t = (a - 0.5) / (1.5 - 0.5), x = t > 0 ? std::min(t, 1.0) : 0;
    return x * x * (3 - 2 * x);
  });
}

TEST(Doubles, ModfFrexpLdexp) {
  const std::string parts =
      "double Whole(double x) { double w; double f = modf(x, w); return w; }\n"
      "double Rest(double x) { double w; return modf(x, w); }\n"
      "double Mantissa(double x) { int e; return frexp(x, e); }\n"
      "int Exponent(double x) { int e; double m = frexp(x, e); return e; }\n";
  const auto infinite = [](double a, double) { return !std::isfinite(a); };
  Expect(
      "Whole(a)", [](double a, double) { return std::trunc(a); }, parts);
  Expect(
      "Rest(a)", [](double a, double) { return a - std::trunc(a); }, parts);
  Expect(
      "Mantissa(a)",
      [](double a, double) {
        int e = 0;
        return std::frexp(a, &e);
      },
      parts, infinite);
  Expect(
      "Exponent(a)",
      [](double a, double) {
        int e = 0;
        std::frexp(a, &e);
        return e;
      },
      parts, infinite);
  for (const int e : {0, 1, -1, 60, -60, 1023, -1023, 2000, -1074}) {
    // Two steps round twice only where the first result is subnormal.
    Expect(
        "ldexp(a, " + std::to_string(e) + ")", [e](double a, double) { return std::ldexp(a, e); },
        "",
        [e](double a, double) {
          const double x = std::ldexp(a, e);
          return std::isfinite(x) && x != 0 && std::fabs(x) < 0x1p-1022 && std::ldexp(x, -e) != a;
        });
  }
}

TEST(Doubles, GeometricFunctions) {
  const auto dot = [](double a, double b) { return a * a + b * b; };
  Expect("dot(dvec2(a, b), dvec2(b, 3.0lf))", [](double a, double b) { return a * b + b * 3; });
  Expect("length(dvec2(a, b))", [=](double a, double b) { return std::sqrt(dot(a, b)); });
  Expect("distance(dvec2(a, b), dvec2(0.1lf, 0.2lf))",
         [=](double a, double b) { return std::sqrt(dot(a - 0.1, b - 0.2)); });
  Expect("normalize(dvec2(a, b)).y",
         [=](double a, double b) { return b * (1 / std::sqrt(dot(a, b))); });
  Expect(
      "normalize(a)", [](double a, double) { return std::signbit(a) ? -1 : 1; }, "",
      [](double a, double) { return a == 0 || a != a; });
  Expect("cross(dvec3(a, b, 1.0lf), dvec3(2.0lf, a, b)).x",
         [](double a, double b) { return b * b - a * 1.0; });
  Expect("faceforward(dvec2(a), dvec2(b, 1.0lf), dvec2(1.0lf, 2.0lf)).x",
         [](double a, double b) { return 1.0 * b + 2.0 * 1.0 < 0 ? a : -a; });
  Expect("reflect(dvec2(a, b), dvec2(0.6lf, 0.8lf)).x",
         [](double a, double b) { return a - 2 * (0.6 * a + 0.8 * b) * 0.6; });
  Expect("refract(dvec2(a, b), dvec2(0.6lf, 0.8lf), 0.75lf).y", [](double a, double b) {
    const double d = 0.6 * a + 0.8 * b, k = 1 - 0.75 * 0.75 * (1 - d * d);
    return k < 0 ? 0 : 0.75 * b - (0.75 * d + std::sqrt(k)) * 0.8;
  });
}

TEST(Doubles, Matrices) {
  const std::string m = "dmat2 M(double a, double b) { return dmat2(a, 2.0lf, b, 3.0lf); }\n";
  Expect(
      "determinant(M(a, b))", [](double a, double b) { return a * 3 - b * 2; }, m);
  Expect(
      "inverse(M(a, b))[0][1]", [](double a, double b) { return -2.0 * (1 / (a * 3 - b * 2)); }, m);
  Expect(
      "(M(a, b) * dvec2(0.5lf, a)).x", [](double a, double b) { return b * a + a * 0.5; }, m);
  Expect(
      "(dvec2(0.5lf, a) * M(a, b)).y", [](double a, double b) { return 3 * a + b * 0.5; }, m);
  Expect(
      "(M(a, b) * M(b, a))[1][0]", [](double a, double b) { return b * 3 + a * a; }, m);
  Expect(
      "transpose(M(a, b))[0][1]", [](double, double b) { return b; }, m);
  Expect("outerProduct(dvec2(a, 1.0lf), dvec3(0.0lf, 1.0lf, b))[2][0]",
         [](double a, double b) { return a * b; });
  Expect(
      "(M(a, b) * a)[1][0]", [](double a, double b) { return b * a; }, m);
  Expect(
      "dmat3(M(a, b))[2][2] + dmat2x3(mat2x3(1.5))[1].y", [](double, double) { return 2.5; }, m);
}

TEST(Doubles, ConstantsAndSpecialisation) {
  const std::string globals = "layout(constant_id = 3) const double kScale = 0.1lf;\n";
  Expect(
      "kScale * a", [](double a, double) { return 0.1 * a; }, globals);
  const std::vector<uint32_t> words = CompileCompute(KernelText(
      kHelpers + globals, "Put(id, kScale); if (id == 0) Put(31, double(float(kScale)));"));
  ImportOptions options;
  options.spec_constants = {{3, DoubleBits(-0.3), SpecType::kFloat64}};
  const auto module = ImportVerified(words, options);
  ASSERT_TRUE(module.ok()) << module.status();
  const auto out = RunWords(*module, std::vector<uint32_t>(64, 0), 64);
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(uint64_t{(*out)[3]} << 32 | (*out)[2], DoubleBits(-0.3));
}

TEST(Doubles, LocalArraysLoopsAndSharedMemory) {
  Expect(
      "Pick(a, b, int(id) & 3)",
      [i = 0](double a, double b) mutable {
        const double values[] = {a, b, a + b, 0.5};
        return values[i++ & 3];
      },
      "double Pick(double a, double b, int i) {\n"
      "  double v[4]; v[0] = a; v[1] = b; v[2] = a + b; v[3] = 0.5lf;\n"
      "  for (int k = 0; k < 0; ++k) v[i ^ k] = 0.0lf;\n"
      "  return v[i]; }\n");
  Expect(
      "Power(a, 5)", [](double a, double) { return a * a * a * a * a; },
      "double Power(double a, int n) {\n"
      "  double x = a; for (int i = 1; i < n; ++i) x *= a; return x; }\n");
  Expect(
      "Across(a)",
      [i = 0](double, double) mutable { return Inputs()[static_cast<size_t>(i++) ^ 1]; },
      "shared dvec3 kept[32];\n"
      "double Across(double a) {\n"
      "  const uint id = gl_LocalInvocationIndex;\n"
      "  kept[id] = dvec3(0.0lf, a, 1.0lf); barrier(); return kept[id ^ 1].y; }\n");
}

// Layouts are std430's and std140's: dvec3 and columns of three are aligned to 32 bytes.
TEST(Doubles, LayoutsInBuffers) {
  const std::string block =
      "layout(std430, binding = 1) buffer Other {\n"
      "  float first; dvec3 v; double after; dmat2x3 m;\n"
      "  layout(row_major) dmat2x3 r; double rest[];\n"
      "} other;\n";
  const std::vector<uint32_t> out =
      RunKernel("#extension GL_EXT_shader_explicit_arithmetic_types : require\n" + block,
                "if (id == 0) { other.v = dvec3(1.0lf, 2.0lf, 3.0lf); other.after = 4.0lf;\n"
                "  other.m = dmat2x3(5.0lf, 6.0lf, 7.0lf, 8.0lf, 9.0lf, 10.0lf);\n"
                "  other.r = dmat2x3(11.0lf, 12.0lf, 13.0lf, 14.0lf, 15.0lf, 16.0lf);\n"
                "  other.rest[1] = other.m[1][2] + other.r[1][0]; }",
                std::vector<uint32_t>(32, 0), 64);
  std::vector<double> doubles(32);
  std::memcpy(doubles.data(), out.data(), 256);
  // v at 32, after at 56, m at 64 with columns of 32 bytes, r at 128 with rows of 16, rest at 176.
  EXPECT_EQ(doubles, (std::vector<double>{0,  0,  0,  0,  1,  2,  3, 4,  5, 6, 7, 0, 8, 9, 10, 0,
                                          11, 14, 12, 15, 13, 16, 0, 24, 0, 0, 0, 0, 0, 0, 0,  0}));
}

TEST(Doubles, TheFirstUseIsTheNeed) {
  const auto needs = [](const std::string& globals, const std::string& body) {
    const auto module = ImportVerified(CompileCompute(KernelText(globals, body)));
    EXPECT_TRUE(module.ok()) << module.status();
    std::vector<mir::Needed> doubles;
    for (const mir::Needed& n : module->needs) {
      if (n.need == mir::Need::kFloat64) doubles.push_back(n);
    }
    return doubles;
  };
  const auto use = [&](const std::string& globals, const std::string& body) {
    const std::vector<mir::Needed> doubles = needs(globals, body);
    EXPECT_EQ(doubles.size(), 1u);
    if (doubles.empty()) return mir::DoubleUse::kValue;
    EXPECT_NE(doubles[0].spirv_id, 0u);
    EXPECT_NE(doubles[0].instruction, 0u);
    return static_cast<mir::DoubleUse>(doubles[0].amount);
  };
  EXPECT_EQ(use("", "out_[id] = uint(double(in_[id]) * 2.0lf);"), mir::DoubleUse::kValue);
  EXPECT_EQ(use("layout(binding = 5) buffer B { double d[]; } b;", "b.d[id] = 1.0lf;"),
            mir::DoubleUse::kElement);
  EXPECT_EQ(use("", "double d; d = 2.0lf; out_[id] = uint(d);"), mir::DoubleUse::kVariable);
  EXPECT_EQ(use("double d;", "d = 2.0lf; out_[id] = uint(d);"), mir::DoubleUse::kLocal);
  EXPECT_EQ(use("", "out_[id] = unpackDouble2x32(packDouble2x32(uvec2(id))).x;"),
            mir::DoubleUse::kPack);
}

TEST(Doubles, AnInitialisedVariableIsNoUse) {
  const auto needs = [](const std::string& main) {
    const auto module = ImportVerified(Assemble(KernelAssembly(
        "%d = OpTypeFloat 64\n%d_3 = OpConstant %d 3\n%pp = OpTypePointer Private %d\n"
        "%pf = OpTypePointer Function %d\n%private = OpVariable %pp Private %d_3\n",
        "%local = OpVariable %pf Function %d_3\n" + main, true, "",
        "OpCapability Shader\nOpCapability Float64\n")));
    EXPECT_TRUE(module.ok()) << module.status();
    return module->Needs(mir::Need::kFloat64);
  };
  EXPECT_FALSE(needs("%result = OpIAdd %uint %x %u_1\n"));
  for (const char* variable : {"%private", "%local"}) {
    EXPECT_TRUE(
        needs(std::string("%v = OpLoad %d ") + variable + "\n%result = OpConvertFToU %uint %v\n"));
  }
}

TEST(Doubles, ControlsOfTheirWidth) {
  const auto module = ImportVerified(Assemble(KernelAssembly(
      "%d = OpTypeFloat 64\n%d_3 = OpConstant %d 3\n",
      "%y = OpConvertUToF %d %x\n%q = OpFDiv %d %y %d_3\n%result = OpConvertFToU %uint %q\n", true,
      "",
      "OpCapability Shader\nOpCapability Float64\nOpCapability RoundingModeRTZ\n"
      "OpCapability DenormFlushToZero\nOpCapability SignedZeroInfNanPreserve\n"
      "OpExtension \"SPV_KHR_float_controls\"\n"
      "OpExecutionMode %main RoundingModeRTZ 64\nOpExecutionMode %main DenormFlushToZero 64\n"
      "OpExecutionMode %main SignedZeroInfNanPreserve 64\n")));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->f64_mode.rounding, mir::RoundingMode::kToZero);
  EXPECT_EQ(module->f64_mode.denorms, mir::DenormMode::kFlush);
  EXPECT_EQ(module->f32_mode.rounding, mir::RoundingMode::kAny);
  int divisions = 0;
  for (const mir::Inst& inst : module->insts) {
    if (inst.op != mir::Op::kFdiv) continue;
    ++divisions;
    EXPECT_EQ(inst.flags & mir::kKeepSpecials, mir::kKeepSpecials);
  }
  EXPECT_EQ(divisions, 1);
}

// SPIR-V has these for floats of up to 32 bits.
TEST(Doubles, FunctionsThatTheyLack) {
  for (const char* function : {"Sin", "Exp2", "Atan", "Radians", "Log"}) {
    const auto module = ImportVerified(
        Assemble(KernelAssembly("%d = OpTypeFloat 64\n",
                                std::string("%y = OpConvertUToF %d %x\n%z = OpExtInst %d %glsl ") +
                                    function + " %y\n%result = OpConvertFToU %uint %z\n",
                                true, "", "OpCapability Shader\nOpCapability Float64\n")));
    EXPECT_EQ(module.status().code(), absl::StatusCode::kInvalidArgument) << function;
  }
}

}  // namespace
}  // namespace kiln::front
