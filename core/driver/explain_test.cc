// Errors taken apart: each part has its field, from the reader to the back end.
#include "core/driver/explain.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/driver/compile.h"
#include "core/front/grammar/spirv_enums.h"
#include "core/front/testing/testing.h"
#include "gtest/gtest.h"

namespace kiln {
namespace {

using Words = std::vector<uint32_t>;

// The error of compiling the module for tgl.
absl::Status ErrorOf(const Words& words) {
  PrepareOptions options;
  options.validate = false;
  const auto prepared = Prepare(words, options, nullptr, {});
  if (!prepared.ok()) return prepared.status();
  return Compile(**prepared, Target::kTgl, {}, nullptr, {}).status();
}

Explanation Explained(const Words& words) { return Explain(ErrorOf(words), words); }

// A shader with a buffer "data" of doubles and lines of "demo.comp"; `main` is its code, `ids` may
// be given a bound that makes the importer number ids anew.
Words Doubles(const std::string& main) {
  return front::Assemble(R"(
    OpCapability Shader
    OpCapability Float64
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %1 "main"
    OpExecutionMode %1 LocalSize 8 1 1
    %9 = OpString "demo.comp"
    OpName %20 "data"
    OpDecorate %11 ArrayStride 8
    OpDecorate %12 Block
    OpMemberDecorate %12 0 Offset 0
    OpDecorate %20 DescriptorSet 0
    OpDecorate %20 Binding 0
    %2 = OpTypeVoid
    %3 = OpTypeFunction %2
    %4 = OpTypeInt 32 0
    %5 = OpConstant %4 0
    %10 = OpTypeFloat 64
    %11 = OpTypeRuntimeArray %10
    %12 = OpTypeStruct %11
    %13 = OpTypePointer StorageBuffer %12
    %14 = OpTypePointer StorageBuffer %10
    %20 = OpVariable %13 StorageBuffer
    %1 = OpFunction %2 None %3
    %30 = OpLabel
    )" + main + R"(
    OpReturn
    OpFunctionEnd)");
}

constexpr char kLoadDouble[] = R"(
    OpLine %9 7 1
    %31 = OpAccessChain %14 %20 %5 %5
    OpLine %9 8 1
    %32 = OpLoad %10 %31
)";

TEST(Explain, ARefusalOfTheFrontEndHasAllParts) {
  const Explanation e = Explained(Doubles(kLoadDouble));
  EXPECT_EQ(e.cause, "float64");
  EXPECT_EQ(e.sentence, "The target has no double precision.");
  EXPECT_FALSE(e.remedy.empty());
  EXPECT_EQ(e.detail.capability, "Float64");
  EXPECT_EQ(e.file, "demo.comp");
  EXPECT_TRUE(e.line == 7 || e.line == 8) << e.line;
  EXPECT_FALSE(e.detail.what.empty());
}

TEST(Explain, TheIdIsTheModulesOwnAndNamed) {
  Words words = Doubles(kLoadDouble);
  const Explanation e = Explained(words);
  words[3] = 4'000'000;  // ids are numbered anew
  const Explanation sparse = Explained(words);
  EXPECT_NE(e.spirv_id, 0u);
  EXPECT_EQ(sparse.spirv_id, e.spirv_id);
  EXPECT_EQ(sparse.name, e.name);
  EXPECT_EQ(sparse.line, e.line);
  EXPECT_EQ(sparse.detail.what, e.detail.what);
}

TEST(Explain, ALimitOfTheBackEndHasItsNumbers) {
  Words words = Doubles("");
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    const auto mode = static_cast<uint32_t>(spv::Op::OpExecutionMode);
    if ((words[at] & 0xffff) == mode) words[at + 3] = 2048;
  }
  const absl::Status status = ErrorOf(words);
  const Explanation e = Explain(status, words);
  EXPECT_EQ(e.cause, "too_many_invocations");
  EXPECT_EQ(e.detail.seen, 2048u);
  EXPECT_EQ(e.detail.limit, 1024u);
  EXPECT_EQ(e.spirv_id, 1u);
  EXPECT_EQ(status.message(), "invocations of the workgroup (2048 x 1 x 1): 2048, at most 1024");
}

TEST(Explain, TheValidatorsErrorHasALine) {
  Words words = Doubles(R"(
    OpLine %9 11 1
    %31 = OpIAdd %4 %5 %5
    OpLine %9 12 1
    %32 = OpIAdd %4 %5 %20
)");
  const absl::Status status = Prepare(words, {}, nullptr, {}).status();
  const Explanation e = Explain(status, words);
  EXPECT_EQ(e.cause, "invalid_module");
  EXPECT_EQ(e.spirv_id, 32u);
  EXPECT_EQ(e.file, "demo.comp");
  EXPECT_EQ(e.line, 12u);
}

TEST(Explain, AMalformedInstructionHasALine) {
  const Words words = Doubles(R"(
    OpLine %9 12 1
    %31 = OpIAdd %4 %5 %20
)");
  const Explanation e = Explained(words);
  EXPECT_EQ(e.cause, "invalid_module");
  EXPECT_EQ(e.line, 12u);
}

// An instruction of an inlined function has that function's line, what follows the call the
// caller's.
TEST(Explain, CodeOfACalledFunctionHasItsLine) {
  const std::string double_in_callee = R"(
    OpLine %9 20 1
    %31 = OpFunctionCall %2 %40
    OpReturn
    OpFunctionEnd
    %40 = OpFunction %2 None %3
    %41 = OpLabel
    OpLine %9 3 1
    %42 = OpAccessChain %14 %20 %5 %5
    OpLine %9 4 1
    %43 = OpLoad %10 %42
)";
  const Explanation e = Explained(Doubles(double_in_callee));
  EXPECT_EQ(e.cause, "float64");
  EXPECT_TRUE(e.line == 3 || e.line == 4) << e.line;
  const std::string behind_the_call = R"(
    OpLine %9 20 1
    %31 = OpFunctionCall %2 %40
    OpLine %9 21 1
    %32 = OpAccessChain %14 %20 %5 %5
    OpLine %9 22 1
    %33 = OpLoad %10 %32
    OpReturn
    OpFunctionEnd
    %40 = OpFunction %2 None %3
    %41 = OpLabel
    OpLine %9 3 1
    %43 = OpIAdd %4 %5 %5
)";
  const Explanation after = Explained(Doubles(behind_the_call));
  EXPECT_TRUE(after.line == 21 || after.line == 22) << after.line;
}

TEST(Explain, ALineOfGlslIsTheErrors) {
  const Explanation e =
      Explain(WithSource(Unsupported("nesting_too_deep", {"braces", 3, 2}), {"a\n.comp", 12}), {});
  EXPECT_EQ(e.file, "a\\x0a.comp");
  EXPECT_EQ(e.line, 12u);
}

TEST(Explain, TextsOfTheModuleStayOnTheirLine) {
  const Explanation e = Explain(Unsupported("images", "entry point a\nb\xc2\x9b"), {});
  EXPECT_EQ(e.detail.what, "entry point a\\x0ab\\xc2\\x9b");
}

TEST(Explain, ErrorsWithoutAModule) {
  const Explanation e = Explain(absl::InternalError("x"), {});
  EXPECT_EQ(e.cause, "internal");
  EXPECT_FALSE(e.sentence.empty());
  EXPECT_EQ(e.spirv_id, 0u);
  const Explanation foreign = Explain(WithForeignCause(absl::InternalError("x"), "elsewhere"), {});
  EXPECT_EQ(foreign.cause, "elsewhere");
  EXPECT_TRUE(foreign.sentence.empty());
}

}  // namespace
}  // namespace kiln
