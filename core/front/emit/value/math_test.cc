// Tests GLSL.std.450: accuracy of the expanded functions against double precision, and exact
// results of the others. Bounds are Vulkan's; if Vulkan inherits from a formula, the bound allows
// for it.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/base/float_bits.h"
#include "core/front/testing/testing.h"

namespace kiln::front {
namespace {

std::vector<uint32_t> Range(double low, double high, int count) {
  std::vector<uint32_t> values;
  for (int i = 0; i < count; ++i) {
    values.push_back(AsBits(static_cast<float>(low + (high - low) * i / (count - 1))));
  }
  return values;
}

double Ulp(double x) {
  const double a = std::max(std::fabs(x), 1.17549435e-38);
  return std::ldexp(1.0, std::ilogb(a) - 23);
}

// Checks `expression`, which reads a (and b: the next value).
void ExpectFunction(const std::string& expression, const std::vector<uint32_t>& input,
                    const std::function<double(double, double)>& expected,
                    const std::function<double(double)>& tolerance) {
  SCOPED_TRACE(expression);
  std::vector<uint32_t> padded = input;
  while (padded.size() % 32 != 0) padded.push_back(input[0]);
  const size_t n = padded.size();
  padded.push_back(padded[0]);
  const std::vector<uint32_t> output =
      RunKernel("",
                "float a = uintBitsToFloat(in_[id]); float b = uintBitsToFloat(in_[id + 1u]);\n"
                "out_[id] = floatBitsToUint(" +
                    expression + ");",
                padded, n, static_cast<uint32_t>(n));
  for (size_t i = 0; i < n; ++i) {
    const double want = expected(AsFloat(padded[i]), AsFloat(padded[i + 1]));
    const double got = AsFloat(output[i]);
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(got)) << AsFloat(padded[i]);
      continue;
    }
    if (std::isinf(want)) {
      EXPECT_EQ(got, want) << AsFloat(padded[i]);
      continue;
    }
    EXPECT_LE(std::fabs(got - want), tolerance(want))
        << "at " << AsFloat(padded[i]) << ", " << AsFloat(padded[i + 1]) << ": " << got << " for "
        << want;
  }
}

std::function<double(double)> Ulps(double n) {
  return [n](double want) { return n * Ulp(want); };
}
std::function<double(double)> Absolute(double x, double ulps = 4) {
  return [x, ulps](double want) { return x + ulps * Ulp(want); };
}

TEST(Math, InverseTrigonometric) {
  const auto unit = Range(-1, 1, 511);
  ExpectFunction(
      "asin(a)", unit, [](double a, double) { return std::asin(a); }, Ulps(8));
  ExpectFunction(
      "acos(a)", unit, [](double a, double) { return std::acos(a); }, Absolute(2.5e-7));
  ExpectFunction(
      "asin(a)", Range(-1e-6, 1e-6, 63), [](double a, double) { return std::asin(a); }, Ulps(2));
  for (const auto& range :
       {Range(-1, 1, 511), Range(-50, 50, 511), Range(1e-8, 1e-7, 31), Range(1e7, 1e8, 31)}) {
    ExpectFunction(
        "atan(a)", range, [](double a, double) { return std::atan(a); }, Ulps(32));
  }
  std::vector<uint32_t> quadrants;
  for (float x : {1.0f, -1.0f, 0.5f, -0.25f, 3.0f, -3.0f, 1e20f, -1e-20f, 2.0f, 0.0f}) {
    for (float y : {1.0f, -1.0f, 0.125f, -2.0f, 1e-5f, 1e5f, -1e18f}) {
      quadrants.push_back(AsBits(y));
      quadrants.push_back(AsBits(x));
    }
  }
  ExpectFunction(
      "atan(a, b)", quadrants, [](double a, double b) { return std::atan2(a, b); }, Ulps(64));
}

TEST(Math, Hyperbolic) {
  // Near 0 the inherited formulas cancel: absolute error of an ulp of 1.
  const auto range = Range(-8, 8, 333);
  ExpectFunction(
      "sinh(a)", range, [](double a, double) { return std::sinh(a); }, Absolute(1.2e-7, 32));
  ExpectFunction(
      "cosh(a)", range, [](double a, double) { return std::cosh(a); }, Ulps(32));
  ExpectFunction(
      "tanh(a)", range, [](double a, double) { return std::tanh(a); }, Absolute(1.2e-7, 16));
  ExpectFunction(
      "tanh(a)", {AsBits(1e30f), AsBits(-1e30f), AsBits(88.0f), AsBits(-500.0f)},
      [](double a, double) { return std::tanh(a); }, Ulps(1));
  ExpectFunction(
      "asinh(a)", range, [](double a, double) { return std::asinh(a); }, Absolute(2.4e-7, 16));
  ExpectFunction(
      "acosh(a)", Range(1.01, 50, 333), [](double a, double) { return std::acosh(a); },
      Absolute(2e-6, 16));
  ExpectFunction(
      "atanh(a)", Range(-0.97, 0.97, 333), [](double a, double) { return std::atanh(a); },
      Absolute(1.2e-7, 16));
}

TEST(Math, ExponentialsAndTan) {
  ExpectFunction(
      "exp(a)", Range(-60, 60, 511), [](double a, double) { return std::exp(a); },
      Ulps(3 + 2 * 60));
  ExpectFunction(
      "exp(a)", Range(-1, 1, 255), [](double a, double) { return std::exp(a); }, Ulps(3 + 2));
  ExpectFunction(
      "log(a)", Range(2.01, 1e6, 511), [](double a, double) { return std::log(a); }, Ulps(3));
  ExpectFunction(
      "log(a)", Range(0.5, 2, 255), [](double a, double) { return std::log(a); },
      Absolute(std::ldexp(1, -21), 0));
  ExpectFunction(
      "exp2(a)", Range(-20, 20, 255), [](double a, double) { return std::exp2(a); }, Ulps(3));
  ExpectFunction(
      "log2(a)", Range(2.1, 1e6, 255), [](double a, double) { return std::log2(a); }, Ulps(3));
  ExpectFunction(
      "pow(a, 2.5)", Range(0.1, 20, 255), [](double a, double) { return std::pow(a, 2.5); },
      Ulps(32));
  ExpectFunction(
      "tan(a)", Range(-1.5, 1.5, 255), [](double a, double) { return std::tan(a); }, Ulps(16));
  ExpectFunction(
      "sqrt(a)", Range(0, 100, 255), [](double a, double) { return std::sqrt(a); }, Ulps(1));
  ExpectFunction(
      "inversesqrt(a)", Range(0.01, 100, 255), [](double a, double) { return 1 / std::sqrt(a); },
      Ulps(2));
  ExpectFunction(
      "radians(a)", Range(-360, 360, 63), [](double a, double) { return a * 0.017453292519943295; },
      Ulps(2));
  ExpectFunction(
      "degrees(a)", Range(-7, 7, 63), [](double a, double) { return a * 57.29577951308232; },
      Ulps(2));
}

TEST(Math, CommonFunctions) {
  const auto range = Range(-3.3, 3.4, 127);
  const auto one = Ulps(1);
  ExpectFunction(
      "abs(a)", range, [](double a, double) { return std::fabs(a); }, one);
  ExpectFunction(
      "sign(a)", range, [](double a, double) { return a > 0   ? 1
                                                      : a < 0 ? -1
                                                              : 0; }, one);
  ExpectFunction(
      "floor(a)", range, [](double a, double) { return std::floor(a); }, one);
  ExpectFunction(
      "ceil(a)", range, [](double a, double) { return std::ceil(a); }, one);
  ExpectFunction(
      "trunc(a)", range, [](double a, double) { return std::trunc(a); }, one);
  ExpectFunction(
      "roundEven(a)", Range(-4, 4, 33), [](double a, double) { return std::nearbyint(a); }, one);
  ExpectFunction(
      "fract(a)", range, [](double a, double) { return a - std::floor(a); }, Absolute(1e-7));
  ExpectFunction(
      "min(a, b)", range, [](double a, double b) { return std::min(a, b); }, one);
  ExpectFunction(
      "max(a, b)", range, [](double a, double b) { return std::max(a, b); }, one);
  ExpectFunction(
      "clamp(a, -1.0, 2.0)", range,
      [](double a, double) { return std::min(std::max(a, -1.0), 2.0); }, one);
  ExpectFunction(
      "mix(a, b, 0.25)", range, [](double a, double b) { return a * 0.75 + b * 0.25; },
      Absolute(5e-7));
  ExpectFunction(
      "step(b, a)", range, [](double a, double b) { return a < b ? 0.0 : 1.0; }, one);
  ExpectFunction(
      "smoothstep(-1.0, 2.0, a)", range,
      [](double a, double) {
        const double t = std::min(std::max((a + 1) / 3, 0.0), 1.0);
        return t * t * (3 - 2 * t);
      },
      Absolute(5e-7));
  ExpectFunction(
      "fma(a, b, 1.5)", range, [](double a, double b) { return a * b + 1.5; }, one);
  ExpectFunction(
      "mod(a, 1.75)", range, [](double a, double) { return a - 1.75 * std::floor(a / 1.75); },
      Absolute(1e-6));
  ExpectFunction(
      "float(isnan(a) ? 2 : isinf(a) ? 1 : 0)",
      {AsBits(1.0f), 0x7f800000, 0xff800000, 0x7fc00001, 0xffc00000},
      [](double a, double) { return std::isnan(a)   ? 2
                                    : std::isinf(a) ? 1
                                                    : 0; }, one);
}

TEST(Math, Geometry) {
  const auto range = Range(-2, 3, 95);
  const std::string v = "vec3(a, b, 0.5)";
  const auto length = [](double a, double b) { return std::sqrt(a * a + b * b + 0.25); };
  ExpectFunction("length(" + v + ")", range, length, Ulps(4));
  ExpectFunction(
      "length(a)", range, [](double a, double) { return std::fabs(a); }, Ulps(1));
  ExpectFunction(
      "distance(" + v + ", vec3(1.0, 2.0, 0.5))", range,
      [](double a, double b) { return std::sqrt((a - 1) * (a - 1) + (b - 2) * (b - 2)); },
      Absolute(1e-6));
  ExpectFunction(
      "normalize(" + v + ").y", range, [&](double a, double b) { return b / length(a, b); },
      Absolute(1e-6));
  ExpectFunction(
      "cross(" + v + ", vec3(1.0, 2.0, 3.0)).x", range,
      [](double, double b) { return b * 3 - 0.5 * 2; }, Absolute(2e-6));
  ExpectFunction(
      "cross(" + v + ", vec3(1.0, 2.0, 3.0)).z", range,
      [](double a, double b) { return a * 2 - b; }, Absolute(2e-6));
  ExpectFunction(
      "dot(" + v + ", vec3(1.0, 2.0, 3.0))", range,
      [](double a, double b) { return a + 2 * b + 1.5; }, Absolute(2e-6));
  ExpectFunction(
      "reflect(vec2(a, b), vec2(0.6, 0.8)).y", range,
      [](double a, double b) { return b - 2 * (0.6 * a + 0.8 * b) * 0.8; }, Absolute(2e-6));
  ExpectFunction(
      "refract(vec2(0.6, -0.8), vec2(0.0, 1.0), a).x", Range(0.1, 1.9, 64),
      [](double a, double) {
        const double k = 1 - a * a * (1 - 0.64);
        return k < 0 ? 0 : a * 0.6;
      },
      Absolute(2e-6));
  ExpectFunction(
      "refract(vec2(0.6, -0.8), vec2(0.0, 1.0), a).y", Range(0.1, 1.6, 64),
      [](double a, double) {
        const double k = 1 - a * a * (1 - 0.64);
        return k < 0 ? 0 : a * -0.8 - (a * -0.8 + std::sqrt(k));
      },
      Absolute(4e-6));
  ExpectFunction(
      "faceforward(vec2(a, 1.0), vec2(b, 0.0), vec2(1.0, 0.0)).x", range,
      [](double a, double b) { return b < 0 ? a : -a; }, Ulps(1));
}

TEST(Math, Matrices) {
  const auto range = Range(1.5, 4, 64);
  ExpectFunction(
      "determinant(mat2(a, 1.0, 2.0, b))", range, [](double a, double b) { return a * b - 2; },
      Absolute(2e-6));
  ExpectFunction(
      "determinant(mat3(a, 1.0, 2.0, 0.5, b, 1.0, 1.0, 0.25, 3.0))", range,
      [](double a, double b) {
        return a * (b * 3 - 0.25) - 1 * (0.5 * 3 - 1) + 2 * (0.5 * 0.25 - b);
      },
      Absolute(1e-5));
  // M times its inverse is the identity.
  const std::string m4 =
      "mat4(a, 1.0, 2.0, 0.5, 0.25, b, 1.0, 0.0, 1.0, 0.25, 3.0, 1.0, 0.0, 2.0, 1.0, 5.0)";
  for (int c = 0; c < 4; ++c) {
    for (int r = 0; r < 4; ++r) {
      ExpectFunction(
          "(inverse(" + m4 + ") * " + m4 + ")[" + std::to_string(c) + "][" + std::to_string(r) +
              "]",
          Range(2, 4, 8), [=](double, double) { return c == r ? 1.0 : 0.0; }, Absolute(2e-5, 0));
    }
  }
  ExpectFunction(
      "(inverse(mat3(a, 1.0, 2.0, 0.5, b, 1.0, 1.0, 0.25, 3.0)) * vec3(a, 1.0, 2.0)).x", range,
      [](double, double) { return 1.0; }, Absolute(1e-5));
  ExpectFunction(
      "inverse(mat2(a, 1.0, 2.0, b))[1][0]", range,
      [](double a, double b) { return -2 / (a * b - 2); }, Absolute(1e-5));
}

TEST(Math, PartsOfFloats) {
  std::vector<uint32_t> values = {AsBits(0.0f),  AsBits(-0.0f),    AsBits(1.0f),  AsBits(-8.0f),
                                  AsBits(0.75f), AsBits(1e-30f),   AsBits(3e38f), 0x00000001,
                                  0x807fffff,    AsBits(123.456f), AsBits(-0.1f)};
  const auto significand = [](double a, double) {
    int e = 0;
    return std::frexp(a, &e);
  };
  const auto exponent = [](double a, double) {
    int e = 0;
    std::frexp(a, &e);
    return static_cast<double>(e);
  };
  ExpectFunction(
      "ldexp(a, 3)", {AsBits(1.5f), AsBits(-2.0f), AsBits(1e-20f)},
      [](double a, double) { return a * 8; }, Ulps(1));
  ExpectFunction(
      "ldexp(a, -140)", {AsBits(1e30f), AsBits(-3e38f)},
      [](double a, double) { return std::ldexp(a, -140); }, Ulps(1));
  ExpectFunction(
      "ldexp(a, 200)", {AsBits(1e-30f), AsBits(1e-38f)},
      [](double a, double) { return std::ldexp(a, 200); }, Ulps(1));
  const std::string helpers =
      "float mant(float x) { int e; return frexp(x, e); }\n"
      "float expo(float x) { int e; frexp(x, e); return float(e); }\n"
      "float whole(float x) { float w; modf(x, w); return w; }\n"
      "float part(float x) { float w; return modf(x, w); }\n";
  const struct {
    const char* call;
    std::function<double(double, double)> expected;
  } rows[] = {
      {"mant(a)", significand},
      {"expo(a)", exponent},
      {"whole(a)", [](double a, double) { return std::trunc(a); }},
      {"part(a)", [](double a, double) { return a - std::trunc(a); }},
  };
  for (const auto& row : rows) {
    const std::vector<uint32_t> output =
        RunKernel(helpers,
                  std::string("float a = uintBitsToFloat(in_[id]); out_[id] = floatBitsToUint(") +
                      row.call + ");",
                  values, 32);
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(AsFloat(output[i]), row.expected(AsFloat(values[i]), 0))
          << row.call << AsFloat(values[i]);
    }
  }
}

TEST(Math, Packing) {
  const std::vector<uint32_t> values = Range(-1.5, 1.5, 32);
  const auto run = [&](const std::string& expression) {
    return RunKernel("", "float a = uintBitsToFloat(in_[id]); out_[id] = " + expression + ";",
                     values, 32);
  };
  // The scaled value is rounded to a float before it is rounded to an integer.
  const auto clamp = [](double x, double low) {
    return static_cast<float>(std::min(std::max(x, low), 1.0));
  };
  const auto unorm8 = run("packUnorm4x8(vec4(a, 1.0, 0.5, 0.0))");
  const auto snorm8 = run("packSnorm4x8(vec4(a, 1.0, -1.0, 0.0))");
  const auto unorm16 = run("packUnorm2x16(vec2(a, 1.0))");
  const auto snorm16 = run("packSnorm2x16(vec2(a, -1.0))");
  const auto half = run("packHalf2x16(vec2(1.0, -2.0)) ^ in_[id] ^ in_[id]");
  for (size_t i = 0; i < values.size(); ++i) {
    const double a = AsFloat(values[i]);
    const auto u8 = static_cast<uint32_t>(std::nearbyint(clamp(a, 0) * 255.0f));
    EXPECT_EQ(unorm8[i] & 0xff, u8) << a;
    EXPECT_EQ(unorm8[i] >> 8 & 0xff, 255u);
    EXPECT_EQ(unorm8[i] >> 24, 0u);
    EXPECT_EQ(static_cast<int8_t>(snorm8[i] & 0xff), std::nearbyint(clamp(a, -1) * 127.0f)) << a;
    EXPECT_EQ(snorm8[i] >> 16, 0x81u);
    EXPECT_EQ(unorm16[i] & 0xffff, static_cast<uint32_t>(std::nearbyint(clamp(a, 0) * 65535.0f)));
    EXPECT_EQ(unorm16[i] >> 16, 0xffffu);
    EXPECT_EQ(static_cast<int16_t>(snorm16[i] & 0xffff), std::nearbyint(clamp(a, -1) * 32767.0f));
    EXPECT_EQ(snorm16[i] >> 16, 0x8001u);
    EXPECT_EQ(half[i], 0xc0003c00u);
  }
  const std::vector<uint32_t> words = {0,          0xff,       0x80,       0x7f,       0x81,
                                       0xffffffff, 0x12345678, 0x80008000, 0x3c00c000, 0x7fff8001};
  const auto unpack = [&](const std::string& expression) {
    return RunKernel("", "uint w = in_[id]; out_[id] = floatBitsToUint(" + expression + ");", words,
                     32);
  };
  const auto u8 = unpack("unpackUnorm4x8(w).x");
  const auto s8 = unpack("unpackSnorm4x8(w).x");
  const auto u16 = unpack("unpackUnorm2x16(w).y");
  const auto s16 = unpack("unpackSnorm2x16(w).y");
  const auto h = unpack("unpackHalf2x16(w).y");
  for (size_t i = 0; i < words.size(); ++i) {
    const uint32_t w = words[i];
    const auto near = [](float got, double want) {
      EXPECT_LE(std::fabs(got - want), 1.5 * Ulp(want)) << want;
    };
    near(AsFloat(u8[i]), (w & 0xff) / 255.0);
    near(AsFloat(s8[i]), std::max(static_cast<int8_t>(w & 0xff) / 127.0, -1.0));
    near(AsFloat(u16[i]), (w >> 16) / 65535.0);
    near(AsFloat(s16[i]), std::max(static_cast<int16_t>(w >> 16) / 32767.0, -1.0));
    if (w == 0x3c00c000) {
      EXPECT_EQ(AsFloat(h[i]), 1.0f);
    }
    if (w == 0x80008000) {
      EXPECT_EQ(h[i], 0x80000000u);
    }
  }
  EXPECT_EQ(AsFloat(u8[1]), 1.0f);
  EXPECT_EQ(AsFloat(s8[3]), 1.0f);
  EXPECT_EQ(AsFloat(u16[5]), 1.0f);
}

}  // namespace
}  // namespace kiln::front
