#include "core/target/program_widths.h"

#include "core/base/cause.h"
#include "gtest/gtest.h"

namespace kiln {
namespace {

TEST(ProgramWidths, OnlyThoseAskedFor) {
  CompileOptions options;
  EXPECT_TRUE(IsWanted(options, 32));
  options.widths = {8, 16};
  EXPECT_TRUE(IsWanted(options, 8));
  EXPECT_FALSE(IsWanted(options, 32));
  options.required_subgroup_size = 16;
  EXPECT_FALSE(IsWanted(options, 8));
  EXPECT_TRUE(IsWanted(options, 16));
}

TEST(ProgramWidths, TheRefusalOfAWidthIsTold) {
  const absl::Status of_width = BeyondLimit("partial_subgroups", "workgroup of size 3 in x");
  EXPECT_TRUE(IsOfWidthOnly(of_width));
  EXPECT_EQ(NoWidth(of_width), of_width);
  const absl::Status none = NoWidth(absl::OkStatus());
  EXPECT_FALSE(IsOfWidthOnly(none));
  EXPECT_EQ(CauseOf(none), "dispatch_width");
}

}  // namespace
}  // namespace kiln
