// Switches that a tool does not have are refused, not ignored.
#include "core/target/switches.h"

#include <vector>

#include "core/base/cause.h"
#include "gtest/gtest.h"

namespace kiln {
namespace {

TEST(CheckSwitches, RefusesTheFirstThatTheToolDoesNotHave) {
  constexpr Switch kKnown[] = {{"fast", "runs fast"}, {"slow", "runs slowly"}};
  const auto check = [&](const std::vector<std::string>& asked) {
    return CheckSwitches(asked, kKnown, "the simulator of x");
  };
  EXPECT_TRUE(check({}).ok());
  EXPECT_TRUE(check({"slow", "fast"}).ok());
  const absl::Status refused = check({"fast", "fas", "other"});
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(refused.message(), "--fas: the simulator of x has no such mode");
  EXPECT_EQ(CauseOf(refused), "missing_tool");
  EXPECT_FALSE(CheckSwitches(std::vector<std::string>{"fast"}, {}, "x").ok());
}

TEST(Has, IsForWholeNames) {
  const std::vector<std::string> asked = {"fast"};
  EXPECT_TRUE(Has(asked, "fast"));
  EXPECT_FALSE(Has(asked, "fas"));
  EXPECT_FALSE(Has({}, ""));
}

}  // namespace
}  // namespace kiln
