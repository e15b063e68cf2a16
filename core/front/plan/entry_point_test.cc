// Tests the selection of an entry point by name and stage.
#include "core/front/plan/entry_point.h"
#include "core/base/cause.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "core/front/testing/testing.h"
#include "core/mir/immediates.h"

namespace kiln::front {
namespace {

std::string Entries(const std::string& entries, const std::string& name = "",
                    std::optional<mir::Stage> stage = {}) {
  ImportOptions options;
  options.entry = name;
  options.stage = stage;
  const auto module = ImportVerified(Assemble("OpCapability Shader\nOpCapability Geometry\n"
                                              "OpMemoryModel Logical GLSL450\n" +
                                              entries + R"(
      OpExecutionMode %1 OriginUpperLeft
      OpExecutionMode %2 LocalSize 1 1 1
      %5 = OpTypeVoid
      %6 = OpTypeFunction %5
      %1 = OpFunction %5 None %6
      %11 = OpLabel
      OpReturn
      OpFunctionEnd
      %2 = OpFunction %5 None %6
      %12 = OpLabel
      OpReturn
      OpFunctionEnd
      %3 = OpFunction %5 None %6
      %13 = OpLabel
      OpReturn
      OpFunctionEnd)"),
                                     options);
  if (!module.ok()) return TextOf(module.status());
  return std::string(mir::kStageNames[static_cast<int>(module->stage)]);
}

TEST(EntryPoints, AreChosenByNameAndStage) {
  const std::string fragment = "OpEntryPoint Fragment %1 \"f\"\n";
  const std::string compute = "OpEntryPoint GLCompute %2 \"c\"\n";
  const std::string vertex = "OpEntryPoint Vertex %3 \"v\"\n";
  EXPECT_EQ(Entries(fragment), "fragment");
  EXPECT_EQ(Entries(fragment + compute), "compute");
  EXPECT_EQ(Entries(fragment + compute, "f"), "fragment");
  EXPECT_EQ(Entries(fragment + compute, "", mir::Stage::kFragment), "fragment");
  EXPECT_EQ(
      Entries(fragment + vertex),
      "ambiguous_entry_point: the module has entry points of several stages; name one with --stage: fragment \"f\" vertex "
      "\"v\"");
  // One name in several stages.
  const std::string same = "OpEntryPoint GLCompute %2 \"f\"\n";
  EXPECT_EQ(
      Entries(fragment + same, "f"),
      "ambiguous_entry_point: the module has entry points of several stages; name one with --stage: fragment \"f\" "
      "compute \"f\"");
  EXPECT_EQ(Entries(fragment + same, "f", mir::Stage::kCompute), "compute");
  EXPECT_EQ(Entries(fragment + same, "f", mir::Stage::kFragment), "fragment");
  EXPECT_EQ(
      Entries(same + "OpEntryPoint Geometry %3 \"f\"\n", "f"),
      "ambiguous_entry_point: the module has entry points of several stages; name one with --stage: compute \"f\" "
      "geometry \"f\"");
  EXPECT_EQ(Entries(fragment + vertex, "f"), "fragment");
  EXPECT_EQ(Entries(fragment + vertex, "", mir::Stage::kFragment), "fragment");
  EXPECT_EQ(Entries(vertex), "vertex");
  EXPECT_EQ(Entries(fragment + vertex, "v"), "vertex");
  EXPECT_EQ(Entries(fragment + vertex, "", mir::Stage::kVertex), "vertex");
  EXPECT_EQ(Entries(vertex + compute), "compute");
  EXPECT_EQ(Entries(compute, "", mir::Stage::kVertex),
            "no vertex entry point \"\"; the module has \"c\"");
  EXPECT_EQ(Entries(vertex + "OpEntryPoint Geometry %1 \"g\"\n", "v"), "vertex");
  EXPECT_EQ(Entries(vertex, "", mir::Stage::kFragment),
            "no fragment entry point \"\"; the module has \"v\"");
  EXPECT_EQ(Entries("OpEntryPoint Geometry %3 \"g\"\n"), "geometry_stages: entry point g (%3)");
  EXPECT_EQ(
      Entries(fragment + "OpEntryPoint Fragment %1 \"g\"\n"),
      "ambiguous_entry_point: several fragment entry points; name one with --entry: \"f\" \"g\"");
  EXPECT_EQ(Entries(fragment, "x\n\xc2\x9b"),
            "no entry point \"x\\x0a\\xc2\\x9b\"; the module has \"f\"");
  EXPECT_EQ(Entries(fragment, "x"), "no entry point \"x\"; the module has \"f\"");
}

}  // namespace
}  // namespace kiln::front
