// Tests the size of the workgroup: literal or specialised (LocalSizeId, the WorkgroupSize
// built-in), and their precedence. Vulkan has no other way to vary it.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "core/front/testing/testing.h"

namespace kiln::front {
namespace {

using Size = std::array<uint32_t, 3>;

absl::StatusOr<Size> SizeOf(const std::vector<uint32_t>& words,
                            std::vector<SpecConstant> constants = {}) {
  ImportOptions options;
  options.spec_constants = std::move(constants);
  const auto module = ImportVerified(words, options);
  if (!module.ok()) return module.status();
  return module->local_size;
}

// Makes a kernel whose size is given by three constants; the first can be specialised.
std::vector<uint32_t> ById(const std::string& more = "") {
  std::string text = KernelAssembly(
      "OpDecorate %x_size SpecId 7\nOpDecorate %y_size SpecId 8\n" + more +
          "%x_size = OpSpecConstant %uint 4\n%y_base = OpConstant %uint 3\n"
          "%y_size = OpSpecConstant %uint 2\n%y_twice = OpSpecConstantOp %uint IMul %y_size %y_base\n",
      "%result = OpIAdd %uint %x %u_1\n");
  const std::string literal = "OpExecutionMode %main LocalSize 32 1 1";
  text.replace(text.find(literal), literal.size(),
               "OpExecutionModeId %main LocalSizeId %x_size %y_twice %u_1");
  return Assemble(text);
}

TEST(LocalSize, ByIdAndSpecialised) {
  EXPECT_EQ(*SizeOf(ById()), (Size{4, 6, 1}));
  EXPECT_EQ(*SizeOf(ById(), {{7, 16}}), (Size{16, 6, 1}));
  EXPECT_EQ(*SizeOf(ById(), {{8, 5}, {7, 1}}), (Size{1, 15, 1}));
  EXPECT_FALSE(SizeOf(ById(), {{7, 0}}).ok());
  EXPECT_FALSE(SizeOf(ById(), {{7, 1u << 20}}).ok());
}

// The id for refusals: the constant of the largest dimension, or the object that gives the size.
TEST(LocalSize, HasAnId) {
  const auto id_of = [](const std::vector<uint32_t>& words, const ImportOptions& options) {
    const auto module = ImportVerified(words, options);
    EXPECT_TRUE(module.ok()) << module.status();
    return module.ok() ? module->local_size_id : 0;
  };
  const uint32_t y = id_of(ById(), {});
  ImportOptions wide;
  wide.spec_constants = {{7, 16}};
  const uint32_t x = id_of(ById(), wide);
  EXPECT_NE(x, 0u);
  EXPECT_NE(y, 0u);
  EXPECT_NE(x, y);
  EXPECT_NE(
      id_of(CompileCompute("#version 450\nlayout(local_size_x = 8) in;\nvoid main() {}\n"), {}),
      0u);
}

TEST(LocalSize, BuiltInConstant) {
  const auto words = CompileCompute(
      "#version 450\nlayout(local_size_x = 8, local_size_y_id = 3, local_size_z = 2) in;\n"
      "layout(binding = 0) buffer B { uint n; };\n"
      "void main() { n = gl_WorkGroupSize.y * 100u + gl_WorkGroupSize.x; }\n");
  EXPECT_EQ(*SizeOf(words), (Size{8, 1, 2}));
  EXPECT_EQ(*SizeOf(words, {{3, 5}}), (Size{8, 5, 2}));
}

// Vulkan's sizes have 32 bits: longer constants are refused, not cut.
TEST(LocalSize, OfLongs) {
  const std::string head = "OpCapability Shader\nOpCapability Int64\n";
  const auto words = Assemble(KernelAssembly(
      "OpDecorate %size BuiltIn WorkgroupSize\n%ulong = OpTypeInt 64 0\n%v3ulong = OpTypeVector "
      "%ulong 3\n"
      "%l = OpConstant %ulong 4294967304\n%size = OpConstantComposite %v3ulong %l %l %l\n",
      "%result = OpIAdd %uint %x %u_1\n", true, "", head));
  EXPECT_NE(SizeOf(words).status().message().find("32-bit"), std::string::npos)
      << SizeOf(words).status();
}

// The shader reads the size with which it is launched.
TEST(LocalSize, TheShaderSeesIt) {
  const auto words = CompileCompute(
      "#version 450\nlayout(local_size_x_id = 0) in;\n"
      "layout(set = 0, binding = 1) buffer B { uint out_[]; };\n"
      "void main() { atomicAdd(out_[0], gl_WorkGroupSize.x * 1000u + 1u);\n"
      "atomicMax(out_[1], gl_GlobalInvocationID.x); }\n");
  ImportOptions options;
  options.spec_constants = {{0, 24}};
  const auto module = ImportVerified(words, options);
  ASSERT_TRUE(module.ok()) << module.status();
  const auto out = RunWords(*module, {}, 2, 3);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0], 72u * 24001u);
  EXPECT_EQ((*out)[1], 71u);
}

}  // namespace
}  // namespace kiln::front
