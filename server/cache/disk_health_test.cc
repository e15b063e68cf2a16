// The disk tier's health: its states, and each change told once.
#include "server/cache/disk_health.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kiln::cache {
namespace {

class DiskHealthTest : public testing::Test {
 protected:
  std::vector<std::string> told_;
  DiskHealth health_{[this](const DiskEvent& event) {
    told_.push_back(std::string(Name(event.kind)) + " " + std::string(Name(event.cause)) + " " +
                    event.detail);
  }};
};

TEST_F(DiskHealthTest, BeginsWhole) {
  EXPECT_TRUE(health_.whole());
  EXPECT_TRUE(health_.Failure().ok());
  EXPECT_EQ(health_.status(true).state, DiskState::kServing);
  EXPECT_EQ(health_.failures() + health_.recoveries(), 0u);
}

TEST_F(DiskHealthTest, AFailureIsToldOnceAndCountedOnce) {
  health_.Fail(DiskCause::kFull, "no space");
  health_.Fail(DiskCause::kFull, "no space at all");
  health_.Fail(DiskCause::kReadOnly, "mounted so");
  EXPECT_EQ(told_,
            (std::vector<std::string>{"failing full no space", "failing read_only mounted so"}));
  EXPECT_EQ(health_.failures(), 1u);
  EXPECT_TRUE(health_.failing());
  EXPECT_EQ(health_.Failure(), absl::UnavailableError("mounted so"));
  EXPECT_EQ(Describe(health_.status(true)), "degraded (read_only): mounted so");
  EXPECT_EQ(health_.status(false).state, DiskState::kUnavailable);
}

TEST_F(DiskHealthTest, RecoversOnce) {
  health_.Recover();
  EXPECT_TRUE(told_.empty());
  health_.Fail(DiskCause::kFull, "no space");
  health_.Recover();
  health_.Recover();
  EXPECT_EQ(told_.size(), 2u);
  EXPECT_EQ(health_.recoveries(), 1u);
  EXPECT_TRUE(health_.whole());
}

TEST_F(DiskHealthTest, APartThatIsAwayDegradesAndGivesWayToAFailure) {
  health_.SetAway(DiskCause::kDamaged, "generation 3");
  EXPECT_FALSE(health_.whole());
  EXPECT_FALSE(health_.failing());
  EXPECT_EQ(Describe(health_.status(false)), "degraded (damaged): generation 3");
  health_.Fail(DiskCause::kFull, "no space");
  EXPECT_EQ(health_.status(true).cause, DiskCause::kFull);
  health_.Recover();
  EXPECT_EQ(health_.status(true).cause, DiskCause::kDamaged);
  health_.SetAway(DiskCause::kNone, "");
  EXPECT_TRUE(health_.whole());
}

TEST(DiskHealth, NeedsNoObserver) {
  DiskHealth health(nullptr);
  health.Fail(DiskCause::kFull, "no space");
  EXPECT_EQ(health.failures(), 1u);
}

}  // namespace
}  // namespace kiln::cache
