// Tests that deadlines are told apart from clients that leave.
#include "server/rpc/leaving.h"

#include <gtest/gtest.h>

namespace kiln::server {
namespace {

constexpr absl::Time kBegun = absl::UnixEpoch();

absl::StatusCode Over(absl::Duration timeout, absl::Duration after) {
  return WhyOver(kBegun + timeout, kBegun, kBegun + after).code();
}

TEST(LeavingTest, ADeadlineMayTravelRoundedUp) {
  // 1,001 ms arrive as 1,010, or as the 1,030 of an earlier call.
  EXPECT_EQ(Over(absl::Milliseconds(1010), absl::Milliseconds(1001)),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Over(absl::Milliseconds(1030), absl::Milliseconds(1001)),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Over(absl::Seconds(1040), absl::Seconds(1001)), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Over(absl::Milliseconds(5), absl::Milliseconds(4)),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Over(absl::Seconds(1), absl::Seconds(2)), absl::StatusCode::kDeadlineExceeded);
}

TEST(LeavingTest, WhoLeavesBeforeHasLeft) {
  EXPECT_EQ(Over(absl::Seconds(60), absl::Seconds(57)), absl::StatusCode::kCancelled);
  EXPECT_EQ(Over(absl::Milliseconds(100), absl::Milliseconds(80)), absl::StatusCode::kCancelled);
  EXPECT_EQ(Over(absl::InfiniteDuration(), absl::Hours(1)), absl::StatusCode::kCancelled);
}

TEST(LeavingTest, ARefusalLeavesHalfOfTheTimeForAnotherTry) {
  const absl::Time now = absl::FromUnixSeconds(1000);
  EXPECT_EQ(MayHold(now + absl::Seconds(8), now), absl::Seconds(4));
  EXPECT_LE(MayHold(now - absl::Seconds(1), now), absl::ZeroDuration());
  EXPECT_EQ(MayHold(absl::InfiniteFuture(), now), absl::InfiniteDuration());
}

}  // namespace
}  // namespace kiln::server
