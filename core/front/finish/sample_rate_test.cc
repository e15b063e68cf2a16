// Tests which interfaces make a fragment shader run for each sample.
#include "core/front/finish/sample_rate.h"

#include <gtest/gtest.h>

#include <string>

#include "core/front/testing/fragment_testing.h"

namespace kiln::front {
namespace {

// Returns the lines before the body.
std::string Head(const FragmentParts& parts) {
  const std::string text = FragmentText(parts);
  return text.substr(0, text.find("body {"));
}

// An interface that lists them needs sample rate even if they are unused (Vulkan, "Sample
// Shading").
TEST(SampleRate, TheInterfaceAsksForSampleRate) {
  const auto modes = [](const std::string& declarations, const std::string& interface) {
    return Head({.declarations = declarations, .main = "OpReturn", .interface = interface});
  };
  const std::string kRate = "\nmodes sample_rate\n";
  const std::string id = "OpDecorate %7 BuiltIn SampleId\n%7 = OpVariable %in_int Input\n";
  EXPECT_EQ(modes(id, "%7"), kRate);
  EXPECT_EQ(modes(id, ""), "\n") << "a variable of another entry point";
  EXPECT_EQ(
      modes("OpDecorate %7 BuiltIn SamplePosition\n%7 = OpVariable %in_v2float Input\n", "%7"),
      kRate);
  EXPECT_EQ(modes("OpDecorate %7 BuiltIn FragCoord\n%7 = OpVariable %in_v4float Input\n", "%7"),
            "\n");
  const std::string flat =
      "OpDecorate %7 Location 1\nOpDecorate %7 Flat\n%7 = OpVariable %in_int Input\n";
  EXPECT_EQ(modes(flat, "%7"), "\n");
  EXPECT_EQ(modes("OpDecorate %7 Sample\n" + flat, "%7"), kRate);
  EXPECT_EQ(modes("OpDecorate %7 Location 1\nOpDecorate %7 Sample\n"
                  "%7 = OpVariable %out_float Output\n",
                  "%7"),
            "\n")
      << "no input";
}

TEST(SampleRate, MembersOfTheInterfaceAskForSampleRate) {
  const auto modes = [](const std::string& decorations) {
    return Head({.declarations = decorations + R"(
      OpDecorate %outer Block
      OpMemberDecorate %outer 0 Location 1
      OpMemberDecorate %outer 1 Location 2
      %inner = OpTypeStruct %float %float
      %two = OpTypeArray %inner %u_2
      %outer = OpTypeStruct %float %two %two
      %p_outer = OpTypePointer Input %outer
      %7 = OpVariable %p_outer Input)",
                 .main = "OpReturn",
                 .interface = "%7"});
  };
  EXPECT_EQ(modes(""), "\n");
  EXPECT_EQ(modes("OpMemberDecorate %outer 0 Sample"), "\nmodes sample_rate\n");
  EXPECT_EQ(modes("OpMemberDecorate %inner 1 Sample"), "\nmodes sample_rate\n");
}

}  // namespace
}  // namespace kiln::front
