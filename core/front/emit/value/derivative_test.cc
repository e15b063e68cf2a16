// Tests derivatives in compute shaders: groups of consecutive invocations and of 2x2, ids within
// them, implicit LODs.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "core/front/testing/testing.h"
#include "core/mir/print.h"

namespace kiln::front {
namespace {

std::string Shader(const std::string& size, const std::string& group, const std::string& globals,
                   const std::string& body) {
  return "#version 460\n#extension GL_NV_compute_shader_derivatives : require\nlayout(" + size +
         ") in;\nlayout(" + group + ") in;\n" +
         "layout(set = 0, binding = 1) buffer Out { float out_[]; };\n" + globals +
         "void main() {\n" + body + "}\n";
}

std::vector<float> Execute(const std::string& text, size_t count) {
  const auto module = ImportVerified(CompileCompute(text));
  EXPECT_TRUE(module.ok()) << module.status();
  oracle::LaunchInputs inputs;
  inputs.buffers = {{0, 1, 0, std::vector<uint8_t>(4 * count)}};
  if (module.ok()) {
    const auto run = oracle::Interpret(*module, inputs);
    EXPECT_TRUE(run.ok()) << run.status() << mir::Print(*module);
  }
  std::vector<float> out(count);
  std::memcpy(out.data(), inputs.buffers[0].bytes.data(), 4 * count);
  return out;
}

TEST(Derivative, LinearGroups) {
  const auto out = Execute(Shader("local_size_x = 16", "derivative_group_linearNV", "",
                                  "uint i = gl_LocalInvocationIndex; float f = float(i * i);\n"
                                  "out_[4 * i] = dFdx(f); out_[4 * i + 1] = dFdy(f);\n"
                                  "out_[4 * i + 2] = fwidth(f);"
                                  "out_[4 * i + 3] = float(gl_LocalInvocationID.x);"),
                           64);
  for (int i = 0; i < 16; ++i) {
    const int q = i & ~3, left = i & ~1, top = i & ~2;
    const float dx = static_cast<float>((left + 1) * (left + 1) - left * left);
    const float dy = static_cast<float>((top + 2) * (top + 2) - top * top);
    EXPECT_EQ(out[4 * i], dx) << q;
    EXPECT_EQ(out[4 * i + 1], dy);
    EXPECT_EQ(out[4 * i + 2], dx + dy);
    EXPECT_EQ(out[4 * i + 3], static_cast<float>(i));
  }
}

// Each invocation exists once, and derivatives are taken within its 2x2 quad.
TEST(Derivative, QuadGroups) {
  const auto out = Execute(
      Shader("local_size_x = 6, local_size_y = 4, local_size_z = 2", "derivative_group_quadsNV", "",
             "uvec3 id = gl_LocalInvocationID; uint i = (id.z * 4u + id.y) * 6u + id.x;\n"
             "float f = float(id.x * id.x) + 100.0 * float(id.y * id.y) + 7.0 * float(id.z);\n"
             "out_[4 * i] = dFdxFine(f); out_[4 * i + 1] = dFdyCoarse(f);\n"
             "out_[4 * i + 2] = float(gl_LocalInvocationIndex); out_[4 * i + 3] += 1.0;"),
      4 * 48);
  for (int i = 0; i < 48; ++i) {
    const int x = i % 6, y = i / 6 % 4;
    const int left = x & ~1, top = y & ~1;
    EXPECT_EQ(out[4 * i], static_cast<float>(2 * left + 1)) << i;
    EXPECT_EQ(out[4 * i + 1], 100.0f * static_cast<float>(2 * top + 1));
    EXPECT_EQ(out[4 * i + 2], static_cast<float>(i));
    EXPECT_EQ(out[4 * i + 3], 1.0f);
  }
}

TEST(Derivative, ImplicitLevelsTakeDerivatives) {
  const auto module = ImportVerified(CompileCompute(
      Shader("local_size_x = 8, local_size_y = 2", "derivative_group_quadsNV",
             "layout(binding = 2) uniform sampler2D t;\n",
             "vec2 at = vec2(gl_LocalInvocationID.xy) / 64.0;\n"
             "out_[gl_LocalInvocationIndex] = texture(t, at).x + texture(t, at, 2.0).y;")));
  ASSERT_TRUE(module.ok()) << module.status();
  const std::string text = mir::Print(*module);
  EXPECT_NE(text.find("sample_implicit[1, texel]"), std::string::npos) << text;
  EXPECT_NE(text.find("sample_implicit[1, texel bias]"), std::string::npos) << text;
}

TEST(Derivative, WholeQuadsAndAGroupAreNeeded) {
  const std::string assembly = KernelAssembly(
      "",
      "%f = OpConvertUToF %float %x\n%d = OpDPdx %float %f\n%result = OpConvertFToU %uint %d\n");
  const auto code = [](const std::string& text) {
    return ImportVerified(Assemble(text)).status().code();
  };
  EXPECT_EQ(code(assembly), absl::StatusCode::kInvalidArgument);
  const auto with = [&](const std::string& mode, const std::string& size) {
    std::string text = assembly;
    const std::string literal = "OpExecutionMode %main LocalSize 32 1 1";
    return text.replace(
        text.find(literal), literal.size(),
        "OpExecutionMode %main LocalSize " + size + "\nOpExecutionMode %main " + mode);
  };
  EXPECT_EQ(code(with("DerivativeGroupLinearNV", "6 1 1")), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(with("DerivativeGroupLinearNV", "6 2 1")), absl::StatusCode::kOk);
  EXPECT_EQ(code(with("DerivativeGroupQuadsNV", "32 1 1")), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(with("DerivativeGroupQuadsNV", "8 4 1")), absl::StatusCode::kOk);
}

}  // namespace
}  // namespace kiln::front
