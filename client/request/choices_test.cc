// Fixed sets of values: each is one that the flag's reader takes.
#include "client/request/choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "client/cli/stage_name.h"
#include "core/driver/compile.h"

namespace kiln::client {
namespace {

using testing::Contains;
using testing::Not;

std::vector<std::string> Split(absl::string_view choices) { return absl::StrSplit(choices, ' '); }

TEST(Choices, TargetsAreTheCompilers) {
  EXPECT_THAT(Split(TargetChoices()), Contains("tgl"));
  for (const std::string& name : Split(TargetChoices()))
    EXPECT_TRUE(ParseTarget(name).ok()) << name;
}

TEST(Choices, StagesAreStages) {
  EXPECT_THAT(Split(StageChoices()), Contains("comp"));
  for (const std::string& name : Split(StageChoices())) EXPECT_NE(StageFromName(name), "") << name;
}

TEST(Choices, PassesAreOptionalOnes) {
  const std::vector<std::string> names = Split(PassChoices());
  EXPECT_THAT(names, Contains("merge_equal_values"));
  size_t required = 0;
  for (const PassInfo& pass : AllPasses()) {
    if (pass.optional) continue;
    EXPECT_THAT(names, Not(Contains(pass.name)));
    ++required;
  }
  EXPECT_GT(required, 0u);
}

}  // namespace
}  // namespace kiln::client
