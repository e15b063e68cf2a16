#include "client/cli/stage_name.h"

#include "gtest/gtest.h"

namespace kiln::client {
namespace {

TEST(StageName, FilesHaveStages) {
  EXPECT_EQ(StageFromFileName("a/blur.comp"), "compute");
  EXPECT_EQ(StageFromFileName("blur.comp.glsl"), "compute");
  EXPECT_EQ(StageFromFileName("blur.comp.spv"), "compute");
  EXPECT_EQ(StageFromFileName("blur.comp.hlsl"), "compute");
  EXPECT_EQ(StageFromFileName("blur.ps.hlsl"), "fragment");
  EXPECT_EQ(StageFromFileName("blur.VS.hlsl"), "vertex");
  EXPECT_EQ(StageFromFileName("blur.hlsl"), "");
  EXPECT_EQ(StageFromFileName("blur.ps"), "");
  EXPECT_EQ(StageFromFileName("BLUR.PS.HLSL"), "fragment");
  EXPECT_TRUE(IsHlslFileName("blur.hlsl"));
  EXPECT_TRUE(IsHlslFileName("BLUR.HLSL"));
  EXPECT_TRUE(IsHlslFileName("blur.hlsli"));
  EXPECT_FALSE(IsHlslFileName("hlsl"));
  EXPECT_FALSE(IsGlslFileName("blur.comp.hlsl"));
}

TEST(StageName, ProfilesHaveStages) {
  EXPECT_EQ(StageFromProfile("ps_6_0"), "fragment");
  EXPECT_EQ(StageFromProfile("vs_5_1"), "vertex");
  EXPECT_EQ(StageFromProfile("cs_6_x"), "compute");
  EXPECT_EQ(StageFromProfile("ms_6_5"), "mesh");
  for (const char* other : {"lib_6_3", "ps", "ps_6", "ps_6_", "ps_6_0_1", "xx_6_0", "ps_a_0", ""}) {
    EXPECT_EQ(StageFromProfile(other), "") << other;
  }
}

}  // namespace
}  // namespace kiln::client
