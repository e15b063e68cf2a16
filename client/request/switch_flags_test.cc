// Tests that every row is a flag, and that those given are found.
#include "client/request/switch_flags.h"

#include <gtest/gtest.h>

namespace kiln::client {
namespace {

TEST(SwitchFlags, AreOneForEachRow) {
  constexpr Switch kRows[] = {{"slow-start", "starts slowly"}, {"fast", "runs fast"}};
  const std::vector<Flag> flags = FlagsOf(kRows);
  ASSERT_EQ(flags.size(), 2u);
  EXPECT_EQ(FlagText(flags[0]), "--slow-start");
  EXPECT_EQ(flags[1].help, "runs fast");
  const absl::StatusOr<ParsedFlags> parsed = ParseFlags(flags, {"--fast"});
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(Given(kRows, *parsed), std::vector<std::string>{"fast"});
  EXPECT_TRUE(Given({}, *parsed).empty());
}

}  // namespace
}  // namespace kiln::client
