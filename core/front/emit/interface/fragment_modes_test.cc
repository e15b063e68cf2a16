// Tests the execution modes of entry points for fragments.
#include <gtest/gtest.h>

#include <string>

#include "core/base/cause.h"
#include "core/front/testing/fragment_testing.h"
#include "core/front/testing/testing.h"

namespace kiln::front {
namespace {

// Returns the lines before the body.
std::string Head(const FragmentParts& parts) {
  const std::string text = FragmentText(parts);
  return text.substr(0, text.find("body {"));
}

std::string ModesText(const std::string& modes, const std::string& main = "") {
  return Head({.declarations = "OpDecorate %7 BuiltIn FragDepth\n"
                               "%7 = OpVariable %out_float Output\n",
               .main = main + "\nOpReturn",
               .modes = modes});
}

TEST(FragmentModes, TestsAndCoverage) {
  EXPECT_EQ(ModesText("OriginUpperLeft"), "\n");
  EXPECT_EQ(ModesText("OriginUpperLeft;EarlyFragmentTests"), "\nmodes early_tests\n");
  EXPECT_EQ(ModesText("OriginUpperLeft;PostDepthCoverage;EarlyFragmentTests"),
            "\nmodes early_tests post_depth\n");
}

TEST(FragmentModes, RelationsOfDepths) {
  const std::string store = "OpStore %7 %f_half";
  const std::string output = "output 0 builtin frag_depth f32 x1\n";
  EXPECT_EQ(ModesText("OriginUpperLeft;DepthReplacing", store), "\nmodes depth any\n" + output);
  EXPECT_EQ(ModesText("OriginUpperLeft;DepthReplacing;DepthGreater", store),
            "\nmodes depth greater\n" + output);
  EXPECT_EQ(ModesText("OriginUpperLeft;DepthLess;DepthReplacing", store),
            "\nmodes depth less\n" + output);
  EXPECT_EQ(ModesText("OriginUpperLeft;DepthReplacing;DepthUnchanged", store),
            "\nmodes depth unchanged\n" + output);
  EXPECT_EQ(ModesText("OriginUpperLeft;DepthReplacing;DepthGreater"), "\n")
      << "no depth is written";
  EXPECT_EQ(ModesText("OriginUpperLeft", store),
            "FragDepth is written without the execution mode DepthReplacing (%7)");
  EXPECT_EQ(ModesText("OriginUpperLeft;DepthLess;DepthGreater", store),
            "several depth execution modes (%1)");
}

TEST(FragmentModes, TheOriginIsTheUpperLeft) {
  EXPECT_EQ(ModesText("EarlyFragmentTests"),
            "fragment shader without the execution mode OriginUpperLeft (%1)");
  EXPECT_EQ(ModesText("OriginLowerLeft"), "execution_mode: execution mode 8 (%1)");
  EXPECT_EQ(ModesText("OriginUpperLeft;PixelCenterInteger"),
            "execution_mode: execution mode 6 (%1)");
}

TEST(FragmentModes, Stencil) {
  EXPECT_EQ(ModesText("OriginUpperLeft;StencilRefReplacingEXT"), "\n");
  EXPECT_EQ(ModesText("OriginUpperLeft;StencilRefUnchangedFrontAMD"),
            "execution_mode: execution mode 5079 (%1)");
  EXPECT_EQ(ModesText("OriginUpperLeft;EarlyAndLateFragmentTestsAMD"),
            "execution_mode: execution mode 5017 (%1)");
}

TEST(FragmentModes, Interlock) {
  for (const char* mode : {"PixelInterlockOrderedEXT", "PixelInterlockUnorderedEXT",
                           "SampleInterlockOrderedEXT", "SampleInterlockUnorderedEXT"}) {
    EXPECT_EQ(ModesText(std::string("OriginUpperLeft;") + mode).substr(0, 19),
              "fragment_interlock:")
        << mode;
  }
}

TEST(FragmentModes, OfOtherStages) {
  EXPECT_EQ(ModesText("OriginUpperLeft;LocalSize 1 1 1"),
            "execution mode is for another stage (%1)");
  EXPECT_EQ(TextOf(ImportVerified(Assemble(R"(
      OpCapability Shader
      OpMemoryModel Logical GLSL450
      OpEntryPoint GLCompute %1 "main"
      OpExecutionMode %1 LocalSize 1 1 1
      OpExecutionMode %1 EarlyFragmentTests
      %2 = OpTypeVoid
      %3 = OpTypeFunction %2
      %1 = OpFunction %2 None %3
      %4 = OpLabel
      OpReturn
      OpFunctionEnd)"))
                       .status()),
            "execution mode is for another stage (%1)");
}

}  // namespace
}  // namespace kiln::front
