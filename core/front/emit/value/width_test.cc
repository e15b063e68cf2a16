// Tests integers of 8, 16 and 64 bits and half floats: memory, arithmetic, conversions, GLSL
// functions; memory by address. Each kernel is compiled from GLSL, imported, and compared with the
// host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "core/base/float_bits.h"
#include "core/front/check/refusal.h"
#include "core/front/testing/testing.h"
#include "core/mir/print.h"
#include "core/mir/semantics.h"
#include "core/oracle/interp.h"

namespace kiln::front {
namespace {

const std::string kTypes =
    "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
    "#extension GL_EXT_shader_16bit_storage : require\n"
    "#extension GL_EXT_shader_8bit_storage : require\n";

uint32_t Half(float f) { return mir::semantics::FloatToHalf(AsBits(f)); }
float Real(uint32_t half) { return AsFloat(mir::semantics::HalfToFloat(half)); }

std::vector<uint32_t> Inputs() {
  std::vector<uint32_t> values = {0,      1,      2,          127,        128,        255,
                                  256,    0x7fff, 0x8000,     0xffff,     0x10000,    0x3c00,
                                  0xbc01, 0x7bff, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe};
  uint32_t x = 12345;
  while (values.size() < 32) values.push_back(x = x * 1664525u + 1013904223u);
  return values;
}

void Expect(const std::string& body, const std::function<uint32_t(uint32_t)>& host,
            const std::string& globals = "") {
  const std::vector<uint32_t> in = Inputs();
  const std::vector<uint32_t> out = RunKernel(kTypes + globals, body, in, in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    ASSERT_EQ(out[i], host(in[i])) << body << " of " << std::hex << in[i];
  }
}

TEST(Widths, Integers) {
  Expect("uint16_t a = uint16_t(in_[id]); out_[id] = uint(a * a + uint16_t(7));",
         [](uint32_t x) { return (x * x + 7) & 0xffff; });
  Expect("int16_t a = int16_t(in_[id]); out_[id] = uint(int(a >> 3) - int(a / int16_t(5)));",
         [](uint32_t x) {
           const auto a = static_cast<int16_t>(x);
           return static_cast<uint32_t>((a >> 3) - a / 5);
         });
  Expect("uint8_t a = uint8_t(in_[id]); out_[id] = uint(a << 3) + uint(a % uint8_t(7));",
         [](uint32_t x) { return ((x << 3) & 0xff) + (x & 0xff) % 7; });
  Expect("int8_t a = int8_t(in_[id]); out_[id] = uint(int(max(a, int8_t(-3))));", [](uint32_t x) {
    return static_cast<uint32_t>(std::max<int>(static_cast<int8_t>(x), -3));
  });
  Expect(
      "uint64_t a = uint64_t(in_[id]) * 0x123456789ul; out_[id] = uint(a >> 29) + uint(a / 77ul);",
      [](uint32_t x) {
        const uint64_t a = x * 0x123456789ull;
        return static_cast<uint32_t>(a >> 29) + static_cast<uint32_t>(a / 77);
      });
  Expect(
      "int64_t a = int64_t(int(in_[id])) << 20; out_[id] = a < -5l ? uint(a >> 32) : uint(abs(a));",
      [](uint32_t x) {
        const int64_t a = static_cast<int64_t>(static_cast<int32_t>(x)) << 20;
        return static_cast<uint32_t>(a < -5 ? a >> 32 : a);
      });
}

double Permanent(const std::vector<std::vector<double>>& m, bool is_signed) {
  if (m.size() == 1) return is_signed ? m[0][0] : std::fabs(m[0][0]);
  double sum = 0;
  for (size_t c = 0; c < m.size(); ++c) {
    std::vector<std::vector<double>> rest;
    for (size_t k = 0; k < m.size(); ++k) {
      if (k != c) rest.emplace_back(m[k].begin() + 1, m[k].end());
    }
    const double term = (is_signed ? m[c][0] : std::fabs(m[c][0])) * Permanent(rest, is_signed);
    sum += is_signed && c % 2 == 1 ? -term : term;
  }
  return sum;
}

// The bound of matrix_math.h: 2 units of rounding of the sum for an element.
TEST(Widths, HalfInverses) {
  const std::string body =
      "uint s = in_[id]; f16mat4 m; for (int c = 0; c < 4; ++c) for (int r = 0; r < 4; ++r) {\n"
      "  s = s * 1664525u + 1013904223u; m[c][r] = float16_t(int(s >> 24) - 128) / 32.0hf; }\n"
      "f16mat4 n = inverse(m); for (int k = 0; k < 16; ++k)\n"
      "  out_[id * 16u + uint(k)] = uint(float16BitsToUint16(n[k / 4][k % 4]));\n";
  std::vector<uint32_t> in;
  for (uint32_t i = 0; i < 32; ++i) in.push_back(i * 7919 + 1);
  const std::vector<uint32_t> out = RunKernel(kTypes, body, in, in.size() * 16);
  double worst = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    std::vector<std::vector<double>> m(4, std::vector<double>(4));
    uint32_t s = in[i];
    for (auto& column : m) {
      for (double& x : column)
        x = (static_cast<int>((s = s * 1664525u + 1013904223u) >> 24) - 128) / 32.0;
    }
    const double determinant = Permanent(m, true);
    for (size_t k = 0; k < 16; ++k) {
      std::vector<std::vector<double>> minor;
      for (size_t c = 0; c < 4; ++c) {
        if (c == k % 4) continue;
        minor.emplace_back();
        for (size_t r = 0; r < 4; ++r) {
          if (r != k / 4) minor.back().push_back(m[c][r]);
        }
      }
      const double sign = (k / 4 + k % 4) % 2 == 1 ? -1 : 1;
      const double exact = sign * Permanent(minor, true) / determinant;
      const double added = Permanent(minor, false) + std::fabs(exact) * Permanent(m, false);
      const double error =
          std::fabs(Real(out[16 * i + k]) - exact) / (added / std::fabs(determinant));
      worst = std::max(worst, error * 2048);
      EXPECT_LE(error * 2048, 2) << i << " " << k;
    }
  }
  EXPECT_GT(worst, 0.3);  // not exact: these are halfs
}

// Literals of a narrow selector are a word each.
TEST(Widths, SwitchOnWords) {
  const auto module = ImportVerified(
      Assemble(KernelAssembly("%ushort = OpTypeInt 16 0\n", R"(
    %h = OpUConvert %ushort %x
    OpSelectionMerge %m None
    OpSwitch %h %d 65535 %a 1 %b
    %a = OpLabel
    OpBranch %m
    %b = OpLabel
    OpBranch %m
    %d = OpLabel
    OpBranch %m
    %m = OpLabel
    %result = OpPhi %uint %u_1 %a %u_2 %b %u_3 %d
)",
                              true, "", "OpCapability Shader\nOpCapability Int16\n")));
  ASSERT_TRUE(module.ok()) << module.status();
  const std::vector<uint32_t> in = Inputs();
  const auto out = RunWords(*module, in, in.size());
  ASSERT_TRUE(out.ok()) << out.status();
  for (size_t i = 0; i < in.size(); ++i) {
    const uint32_t h = in[i] & 0xffff;
    EXPECT_EQ((*out)[i], h == 0xffff ? 1u : h == 1 ? 2u : 3u) << in[i];
  }
}

TEST(Widths, SwitchOnBytesAndLongs) {
  const std::string blocks = R"(
    %a = OpLabel
    OpBranch %m
    %b = OpLabel
    OpBranch %m
    %d = OpLabel
    OpBranch %m
    %m = OpLabel
    %result = OpPhi %uint %u_1 %a %u_2 %b %u_3 %d
)";
  const auto run = [&](const std::string& types, const std::string& selector,
                       const std::string& capability) {
    const auto module = ImportVerified(
        Assemble(KernelAssembly(types, selector + blocks, true, "",
                                "OpCapability Shader\nOpCapability " + capability + "\n")));
    EXPECT_TRUE(module.ok()) << module.status();
    std::vector<uint32_t> in(32);
    for (uint32_t i = 0; i < 32; ++i) in[i] = i % 3 == 0 ? 0x1fe : i;
    return module.ok() ? *RunWords(*module, in, 32) : in;
  };
  const auto bytes = run("%byte = OpTypeInt 8 1\n",
                         "%s = OpUConvert %byte %x\nOpSelectionMerge %m None\n"
                         "OpSwitch %s %d -2 %a 4 %b\n",
                         "Int8");
  const auto longs = run("%long = OpTypeInt 64 0\n%big = OpConstant %long 0x500000000\n",
                         "%w = OpUConvert %long %x\n%s = OpIMul %long %w %big\n"
                         "OpSelectionMerge %m None\n"
                         "OpSwitch %s %d 0x9f600000000 %a 0x1400000000 %b\n",
                         "Int64");
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(bytes[i], i % 3 == 0 ? 1u : i == 4 ? 2u : 3u) << i;
    EXPECT_EQ(longs[i], i % 3 == 0 ? 1u : i == 4 ? 2u : 3u) << i;
  }
}

TEST(Widths, Bitcasts) {
  Expect("u16vec2 v = unpack16(in_[id]); out_[id] = pack32(u16vec2(v.y, v.x));",
         [](uint32_t x) { return x << 16 | x >> 16; });
  Expect("u8vec4 v = unpack8(in_[id]); out_[id] = pack32(v.wzyx);",
         [](uint32_t x) { return __builtin_bswap32(x); });
  Expect(
      "uint64_t q = pack64(uvec2(in_[id], 5u)); u16vec4 v = unpack16(q);"
      "out_[id] = uint(v.y) | uint(v.z) << 16;",
      [](uint32_t x) { return x >> 16 | 5u << 16; });
  Expect("f16vec2 v = unpackFloat2x16(in_[id]); out_[id] = packFloat2x16(v.yx);",
         [](uint32_t x) { return x << 16 | x >> 16; });
  Expect("out_[id] = uint(halfBitsToInt16(int16BitsToHalf(int16_t(in_[id]))));",
         [](uint32_t x) { return static_cast<uint32_t>(int32_t{static_cast<int16_t>(x)}); });
}

TEST(Widths, Halfs) {
  const std::string a = "float16_t a = float16_t(float(in_[id] & 0xfffu) * 0.25); ";
  const auto host = [](const std::function<float(float)>& f) {
    return [f](uint32_t x) { return Half(f(Real(Half(static_cast<float>(x & 0xfff) * 0.25f)))); };
  };
  const auto result = [&](const std::string& e) {
    return a + "out_[id] = uint(halfBitsToUint16(" + e + "));";
  };
  Expect(result("a * 3.0hf"), host([](float x) { return x * 3; }));
  Expect(result("a + 0.125hf"), host([](float x) { return x + 0.125f; }));
  Expect(result("a / 7.0hf"), host([](float x) { return x / 7; }));
  Expect(result("clamp(a, 1.0hf, 100.0hf)"),
         host([](float x) { return std::min(std::max(x, 1.0f), 100.0f); }));
  Expect(result("step(8.0hf, a)"), host([](float x) { return x < 8 ? 0.0f : 1.0f; }));
  Expect(result("a < 3.0hf ? -a : floor(a)"),
         host([](float x) { return x < 3 ? -x : std::floor(x); }));
  Expect(result("float16_t(atan(float16_t(1.0)))"), [](uint32_t) { return Half(0.78539816f); });
  Expect(a + "out_[id] = uint(int(a)) + (isinf(a * 65504.0hf) ? 1000u : 0u);", [](uint32_t x) {
    const float h = Real(Half(static_cast<float>(x & 0xfff) * 0.25f));
    return static_cast<uint32_t>(h) + (Half(h * 65504) == 0x7c00 ? 1000u : 0u);
  });
  Expect(a + "int e; float16_t m = frexp(a, e); out_[id] = uint(e) << 16 |"
             " uint(halfBitsToUint16(ldexp(m, e)));",
         [](uint32_t x) {
           const float h = Real(Half(static_cast<float>(x & 0xfff) * 0.25f));
           int e = 0;
           std::frexp(h, &e);
           return static_cast<uint32_t>(e) << 16 | Half(h);
         });
}

TEST(Widths, SpecialisationConstants) {
  Expect(
      "out_[id] = uint(kA) + uint(kB >> 32) + uint(kC) + uint(kD * 2.0hf);",
      [](uint32_t) { return 0xfffe + 0x12345u + 200 + 3; },
      "layout(constant_id = 0) const uint16_t kA = 0xfffeus;\n"
      "layout(constant_id = 1) const uint64_t kB = 0x1234500000000ul;\n"
      "layout(constant_id = 2) const uint8_t kC = uint8_t(200);\n"
      "layout(constant_id = 3) const float16_t kD = 1.5hf;\n");
}

std::string Kernel(const std::string& globals, const std::string& body) {
  return "#version 460\n" + kTypes +
         "#extension GL_EXT_scalar_block_layout : require\n"
         "layout(local_size_x = 32) in;\n" +
         globals +
         "void main() { uint id = "
         "gl_LocalInvocationIndex;\n" +
         body + "}\n";
}

TEST(Widths, MemoryWithALayout) {
  const std::string text = Kernel(
      "layout(set = 0, binding = 0, scalar) readonly buffer In {"
      "  uint8_t a[4]; int16_t b[2]; f16vec3 h; uint64_t q; f16mat2x3 m; } in_;\n"
      "layout(set = 0, binding = 1, scalar) buffer Out {"
      "  uint r[5]; uint8_t bytes[32]; uint16_t words[32]; } out_;\n",
      "if (id == 0) { out_.r[0] = uint(in_.a[2]); out_.r[1] = uint(int(in_.b[1]));"
      "  out_.r[2] = floatBitsToUint(float(in_.h.x + in_.h.z)); out_.r[3] = uint(in_.q >> 40);"
      "  out_.r[4] = floatBitsToUint(float(in_.m[1].y)); }"
      "out_.bytes[id] = uint8_t(id * 3u) + in_.a[id & 3u]; out_.words[id] = uint16_t(id) << 9;");
  const auto module = ImportVerified(CompileCompute(text));
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<uint32_t> in(16);
  auto* bytes = reinterpret_cast<uint8_t*>(in.data());
  const uint8_t a[4] = {250, 2, 200, 9};
  const int16_t b[2] = {5, -7};
  const uint64_t q = 0x1234567890abcdef;
  const uint16_t h[3] = {0x3c00, 0, 0x4200};      // 1, 3
  const uint16_t m[6] = {0, 0, 0, 0, 0x4500, 0};  // 5 in column 1, row 1
  std::memcpy(bytes, a, 4);
  std::memcpy(bytes + 4, b, 4);
  std::memcpy(bytes + 8, h, 6);
  std::memcpy(bytes + 16, &q, 8);
  std::memcpy(bytes + 24, m, 12);
  const auto out = RunWords(*module, in, 5 + 8 + 16);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0], 200u);
  EXPECT_EQ((*out)[1], static_cast<uint32_t>(-7));
  EXPECT_EQ((*out)[2], AsBits(4.0f));
  EXPECT_EQ((*out)[3], 0x123456u);
  EXPECT_EQ((*out)[4], AsBits(5.0f));
  const auto* result = reinterpret_cast<const uint8_t*>(out->data() + 5);
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(result[i], static_cast<uint8_t>(i * 3 + a[i & 3])) << i;
    uint16_t word;
    std::memcpy(&word, result + 32 + 2 * i, 2);
    EXPECT_EQ(word, static_cast<uint16_t>(i << 9)) << i;
  }
}

// Arrays indexed by value, in private and workgroup memory, of every width.
TEST(Widths, LocalAndSharedMemory) {
  Expect(
      "float16_t h[8]; int64_t q[8]; struct S { uint8_t b; uint64_t w; } s[4];"
      "for (uint i = 0u; i < 8u; ++i) { h[i] = float16_t(float(i)) * 0.5hf; q[i] = int64_t(i) << 33; }"
      "for (uint i = 0u; i < 4u; ++i) { s[i].b = uint8_t(250u + i); s[i].w = q[i + 1u] + 5l; }"
      "uint n = in_[id] & 7u;"
      "out_[id] = uint(h[n] * 2.0hf) + uint(q[n] >> 33) + uint(s[n & 3u].b) + uint(s[n & 3u].w >> 33);",
      [](uint32_t x) {
        const uint32_t n = x & 7;
        return n + n + ((250 + (n & 3)) & 0xff) + (n & 3) + 1;
      });
  Expect(
      "words[id] = uint16_t(in_[id]); halfs[id] = f16vec3(1.0hf, float16_t(float(id)), 2.0hf);"
      "flags[id] = uint8_t(id); wide[id] = uint64_t(in_[id]) << 32; barrier();"
      "uint o = id ^ 1u; out_[id] = uint(words[o]) + uint(halfs[o].y) + uint(flags[o])"
      " + uint(wide[id] >> 32) - in_[id] - uint(words[o]) - 2u * o + uint(halfs[o].z);",
      [](uint32_t) { return 2u; },
      "shared uint16_t words[32]; shared f16vec3 halfs[32]; shared uint8_t flags[32];"
      "shared uint64_t wide[32];\n");
}

// Elements aligned to less than their size are read and written in parts.
TEST(Widths, ElementsAcrossTheirAlignment) {
  for (const uint32_t align : {1u, 2u, 4u}) {
    const std::string text = Kernel(
        "#extension GL_EXT_buffer_reference : require\n"
        "layout(buffer_reference, scalar, buffer_reference_align = " +
            std::to_string(align) +
            ") buffer Node { uint64_t big; uvec3 words; float f; uint16_t h; };\n"
            "layout(push_constant, scalar) uniform P { Node from; Node to; } p;\n",
        "if (id == 0u) { p.to.big = p.from.big + 1ul; p.to.words = p.from.words.zxy;"
        "p.to.f = p.from.f * 2.0; p.to.h = p.from.h; }");
    const auto module = ImportVerified(CompileCompute(text));
    ASSERT_TRUE(module.ok()) << module.status();
    constexpr uint64_t kAddress = 0xfffffff0ull;
    oracle::LaunchInputs inputs;
    std::vector<uint8_t> bytes(80);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(251 * i + 3);
    const float f = 1.5;
    std::memcpy(&bytes[align + 20], &f, 4);
    const std::vector<uint8_t> before = bytes;
    inputs.buffers = {{9, 0, 0, bytes, kAddress}};
    const uint64_t addresses[2] = {kAddress + align, kAddress + 40 + align};
    inputs.push_constants.resize(16);
    std::memcpy(inputs.push_constants.data(), addresses, 16);
    const auto run = oracle::Interpret(*module, inputs);
    ASSERT_TRUE(run.ok()) << run.status();
    EXPECT_EQ(run->misaligned_accesses, 0);
    std::vector<uint8_t> want = before;
    uint64_t big;
    std::memcpy(&big, &before[align], 8);
    ++big;
    std::memcpy(&want[40 + align], &big, 8);
    for (uint32_t i = 0; i < 3; ++i) {
      std::memcpy(&want[40 + align + 8 + 4 * i], &before[align + 8 + 4 * ((i + 2) % 3)], 4);
    }
    const float twice = 3;
    std::memcpy(&want[40 + align + 20], &twice, 4);
    std::memcpy(&want[40 + align + 24], &before[align + 24], 2);
    EXPECT_EQ(inputs.buffers[0].bytes, want) << align;
  }
}

TEST(Widths, BufferReferences) {
  const std::string text = Kernel(
      "#extension GL_EXT_buffer_reference : require\n"
      "#extension GL_EXT_buffer_reference2 : require\n"
      "#extension GL_EXT_buffer_reference_uvec2 : require\n"
      "layout(buffer_reference) buffer Node;\n"
      "layout(buffer_reference, scalar) buffer Node { uint value; float16_t h[2]; Node next; };\n"
      "layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words { uint w[]; };\n"
      "layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Word { uint w; };\n"
      "layout(push_constant, scalar) uniform P { Node first; Words out_; } p;\n",
      "Node n = p.first; uint sum = 0u;"
      "for (uint i = 0u; i < (id & 3u); ++i) n = n.next;"
      "sum = n.value + uint(n.h[1]);"
      "p.out_.w[id] = sum;"
      "Word tail = Word(uint64_t(p.out_)) + 32; (tail + id).w = uint(uint64_t(n) - uint64_t(p.first));"
      "atomicAdd(p.out_.w[96], id);"
      "uvec2 raw = uvec2(p.out_); if (id == 5u) Words(raw).w[97] = 77u;");
  const auto module = ImportVerified(CompileCompute(text));
  ASSERT_TRUE(module.ok()) << module.status();
  constexpr uint64_t kNodes = 0x7fffffff0ull, kOut = 0x123456780000ull;
  oracle::LaunchInputs inputs;
  std::vector<uint8_t> nodes(4 * 16);
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t value = 100 * i;
    const uint16_t half = static_cast<uint16_t>(Half(static_cast<float>(i + 1)));
    const uint64_t next = kNodes + 16 * ((i + 1) % 4);
    std::memcpy(&nodes[16 * i], &value, 4);
    std::memcpy(&nodes[16 * i + 6], &half, 2);
    std::memcpy(&nodes[16 * i + 8], &next, 8);
  }
  inputs.buffers = {{9, 0, 0, nodes, kNodes}, {9, 1, 0, std::vector<uint8_t>(4 * 98), kOut}};
  inputs.push_constants.resize(16);
  std::memcpy(&inputs.push_constants[0], &kNodes, 8);
  std::memcpy(&inputs.push_constants[8], &kOut, 8);
  const auto run = oracle::Interpret(*module, inputs);
  ASSERT_TRUE(run.ok()) << run.status() << mir::Print(*module);
  EXPECT_EQ(run->outside_accesses, 0);
  std::vector<uint32_t> out(98);
  std::memcpy(out.data(), inputs.buffers[1].bytes.data(), 4 * out.size());
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], 100 * (i & 3) + (i & 3) + 1) << i;
    EXPECT_EQ(out[32 + i], 16 * (i & 3)) << i;
  }
  EXPECT_EQ(out[96], 31u * 32 / 2);
  EXPECT_EQ(out[97], 77u);
}

// Execution modes apply to everything, decorations to conversions to halfs.
TEST(Widths, RoundingToZero) {
  const std::string extension = "OpExtension \"SPV_KHR_float_controls\"\n";
  const auto import = [&](const std::string& types, const std::string& main,
                          const std::string& capabilities, const std::string& modes) {
    std::string text =
        KernelAssembly(types, main, true, "", "OpCapability Shader\n" + capabilities + extension);
    text.insert(text.find("    OpDecorate %gid"), modes);
    return ImportVerified(Assemble(text));
  };
  const std::string sum =
      "%f = OpConvertUToF %float %x\n%g = OpFAdd %float %f %f_1\n%result = OpConvertFToU %uint %g\n";
  const std::string rtz = "OpCapability RoundingModeRTZ\n", rte = "OpCapability RoundingModeRTE\n";
  const auto mode = import("", sum, rtz, "OpExecutionMode %main RoundingModeRTZ 32\n");
  ASSERT_TRUE(mode.ok()) << mode.status();
  EXPECT_EQ(mode->f32_mode.rounding, mir::RoundingMode::kToZero);
  EXPECT_EQ(mode->f16_mode.rounding, mir::RoundingMode::kAny);
  std::vector<uint32_t> in(32, 0xffffffff);
  in[1] = 0x1000003;
  const auto out = RunWords(*mode, in, 32);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0], 0xffffff00u);
  EXPECT_EQ((*out)[1], 0x1000002u);  // nearest even gives ...4
  EXPECT_EQ(import("", sum, rtz + rte,
                   "OpExecutionMode %main RoundingModeRTZ 32\n"
                   "OpExecutionMode %main RoundingModeRTE 32\n")
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
  const auto decorated = import(
      "OpDecorate %z FPRoundingMode RTZ\nOpDecorate %e FPRoundingMode RTE\n"
      "%half = OpTypeFloat 16\n%ushort = OpTypeInt 16 0\n",
      "%f = OpBitcast %float %x\n%z = OpFConvert %half %f\n%e = OpFConvert %half %f\n"
      "%zb = OpBitcast %ushort %z\n%eb = OpBitcast %ushort %e\n"
      "%zw = OpUConvert %uint %zb\n%ew = OpUConvert %uint %eb\n"
      "%u_16 = OpIAdd %uint %u_8 %u_8\n%high = OpShiftLeftLogical %uint %ew %u_16\n"
      "%result = OpBitwiseOr %uint %zw %high\n",
      "OpCapability Float16\nOpCapability Int16\n", "");
  ASSERT_TRUE(decorated.ok()) << decorated.status();
  const float numbers[] = {1.0f + 0.75f / 1024,
                           -1.0f - 0.75f / 1024,
                           70000,
                           -70000,
                           65519,
                           1.0f,
                           0.0f,
                           3e-8f,
                           HUGE_VALF,
                           1.5e-5f};
  const uint32_t want[] = {0x3c013c00, 0xbc01bc00, 0x7c007bff, 0xfc00fbff, 0x7bff7bff,
                           0x3c003c00, 0,          0x00010000, 0x7c007c00, 0x00fc00fb};
  for (size_t i = 0; i < std::size(numbers); ++i) in[i] = AsBits(numbers[i]);
  const auto halves = RunWords(*decorated, in, 32);
  ASSERT_TRUE(halves.ok()) << halves.status();
  for (size_t i = 0; i < std::size(numbers); ++i) EXPECT_EQ((*halves)[i], want[i]) << numbers[i];
}

// Each width has its own mode; one without has the other's (that of doubles is theirs alone).
// Targets with one mode for all refuse modules with two (core/target/check_features.h).
TEST(Widths, RoundingModesByWidth) {
  const std::string rtz = "OpExecutionMode %main RoundingModeRTZ ";
  const std::string rte = "OpExecutionMode %main RoundingModeRTE ";
  // The numbers are halfway between two floats, and between two halfs.
  constexpr uint32_t kInput = 0x1000803;
  constexpr uint32_t kEven[] = {0x1000804, 0x804}, kZero[] = {0x1000802, 0x802};
  const auto expect = [&](const std::string& modes, bool single_to_zero, bool half_to_zero) {
    std::string text = KernelAssembly(
        "%half = OpTypeFloat 16\n%mask = OpConstant %uint 4095\n",
        "%f = OpConvertUToF %float %x\n%single = OpConvertFToU %uint %f\n"
        "%low = OpBitwiseAnd %uint %x %mask\n%h = OpConvertUToF %half %low\n"
        "%small = OpConvertFToU %uint %h\n%high = OpShiftLeftLogical %uint %small %u_9\n"
        "%result = OpIAdd %uint %single %high\n",
        true, "",
        "OpCapability Shader\nOpCapability Float16\nOpCapability RoundingModeRTZ\n"
        "OpCapability RoundingModeRTE\nOpExtension \"SPV_KHR_float_controls\"\n");
    text.insert(text.find("    OpDecorate %gid"), modes);
    const auto module = ImportVerified(Assemble(text));
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_EQ(module->Needs(mir::Need::kRoundingByWidth), single_to_zero != half_to_zero);
    const auto out = RunWords(*module, std::vector<uint32_t>(32, kInput), 32);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0],
              (single_to_zero ? kZero : kEven)[0] + ((half_to_zero ? kZero : kEven)[1] << 9))
        << modes;
  };
  expect("", false, false);
  expect(rte + "16\n", false, false);
  expect(rtz + "32\n", true, true);
  expect(rtz + "16\n", true, true);
  expect(rtz + "32\n" + rte + "16\n", true, false);
  expect(rte + "32\n" + rtz + "16\n", false, true);
  expect(rtz + "64\n" + rte + "32\n", false, false);
}

TEST(Widths, FloatControls) {
  const std::string capabilities =
      "OpCapability Shader\nOpCapability DenormPreserve\nOpCapability DenormFlushToZero\n"
      "OpCapability SignedZeroInfNanPreserve\nOpExtension \"SPV_KHR_float_controls\"\n";
  std::string text = KernelAssembly(
      "", "%f = OpBitcast %float %x\n%g = OpFAdd %float %f %f_0\n%result = OpBitcast %uint %g\n",
      true, "", capabilities);
  text.insert(
      text.find("    OpDecorate %gid"),
      "OpExecutionMode %main DenormPreserve 16\nOpExecutionMode %main DenormFlushToZero 32\n"
      "OpExecutionMode %main SignedZeroInfNanPreserve 32\n");
  const auto module = ImportVerified(Assemble(text));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->f16_mode.denorms, mir::DenormMode::kPreserve);
  EXPECT_EQ(module->f32_mode.denorms, mir::DenormMode::kFlush);
  EXPECT_NE(mir::Print(*module).find("fadd.keep_nan.keep_inf.keep_zero_sign %"), std::string::npos);
}

TEST(Widths, ContradictingDenormModesOfAWidthAreInvalid) {
  const auto status = [](const std::string& modes) {
    std::string text = KernelAssembly("", "%result = OpIAdd %uint %x %u_1\n", true, "",
                                      "OpCapability Shader\nOpCapability DenormPreserve\n"
                                      "OpCapability DenormFlushToZero\n"
                                      "OpExtension \"SPV_KHR_float_controls\"\n");
    text.insert(text.find("    OpDecorate %gid"), modes);
    return ImportVerified(Assemble(text)).status();
  };
  const std::string preserve = "OpExecutionMode %main DenormPreserve ";
  const std::string flush = "OpExecutionMode %main DenormFlushToZero ";
  for (const std::string width : {"16\n", "32\n", "64\n"}) {
    for (const std::string& modes :
         {preserve + width + flush + width, flush + width + preserve + width}) {
      const absl::Status s = status(modes);
      EXPECT_EQ(s.code(), absl::StatusCode::kInvalidArgument) << modes;
      EXPECT_NE(TextOf(s).find("two float controls of a kind for one width"), std::string::npos)
          << TextOf(s);
    }
    EXPECT_EQ(status(preserve + width + preserve + width), absl::OkStatus());
  }
  EXPECT_EQ(status(preserve + "16\n" + flush + "32\n"), absl::OkStatus());
  EXPECT_EQ(status(preserve + "64\n" + flush + "32\n"), absl::OkStatus());
}

}  // namespace
}  // namespace kiln::front
