// Tests when overload begins and ends.
#include "server/engine/overload.h"

#include <gtest/gtest.h>

namespace kiln::server {
namespace {

using Change = Overload::Change;

TEST(OverloadTest, OneEntryAndOneEndHoweverManyRefusals) {
  Overload overload;
  EXPECT_EQ(overload.Look(0, absl::Seconds(1)), Change::kNone);
  EXPECT_EQ(overload.Look(3, absl::Seconds(2)), Change::kEntered);
  EXPECT_EQ(overload.refused(), 3u);
  EXPECT_EQ(overload.Look(3, absl::Seconds(6)), Change::kNone);
  EXPECT_EQ(overload.Look(9, absl::Seconds(6)), Change::kNone);
  EXPECT_EQ(overload.Look(9, absl::Seconds(10)), Change::kNone);
  EXPECT_EQ(overload.Look(9, absl::Seconds(11)), Change::kLeft);
  EXPECT_EQ(overload.refused(), 9u);
  EXPECT_EQ(overload.lasted(), absl::Seconds(4));
  EXPECT_EQ(overload.Look(9, absl::Seconds(100)), Change::kNone);
  EXPECT_EQ(overload.Look(10, absl::Seconds(101)), Change::kEntered);
  EXPECT_EQ(overload.refused(), 1u);
}

}  // namespace
}  // namespace kiln::server
