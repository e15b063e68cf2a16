#include "core/sim/scene/time_limit.h"

#include "gtest/gtest.h"

namespace kiln::sim::scene {
namespace {

TEST(TimeLimit, EndsAfterItsTime) {
  TimeLimit limit(0.01);
  EXPECT_TRUE(limit.Check().ok());
  absl::Status s;
  while (s.ok()) s = limit.Spend(1);
  EXPECT_EQ(s.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(s.message(), "more than 0.01 seconds of processor time");
  EXPECT_FALSE(limit.Check().ok());
}

TEST(TimeLimit, LooksAtTheClockNowAndThen) {
  TimeLimit over(1e-9);
  while (over.Check().ok()) {
  }
  EXPECT_TRUE(over.Spend(1).ok());
  EXPECT_FALSE(over.Spend(1 << 20).ok());
}

TEST(TimeLimit, WithoutOneNothingEnds) {
  TimeLimit none, zero(0);
  for (TimeLimit* limit : {&none, &zero}) {
    EXPECT_TRUE(limit->Check().ok() && limit->Spend(1 << 20).ok());
  }
}

}  // namespace
}  // namespace kiln::sim::scene
