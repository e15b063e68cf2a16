// Pairs of accesses to one granule that race, with and without barriers between them.
#include "core/oracle/races.h"

#include "core/mir/parse.h"
#include "gtest/gtest.h"

namespace kiln::oracle {
namespace {

class RacesTest : public testing::Test {
 protected:
  RacesTest() {
    inputs_.subgroup_size = 4;
    execution_.lanes = 8;
    races_.BeginGroup();
  }

  // Returns true if the access races with an earlier one.
  bool IsRace(size_t lane, AccessKind kind, bool same = false) {
    const int64_t before = execution_.statistics.races;
    races_.Note(mir::InstId(0), granule_, lane, kind, same);
    return execution_.statistics.races != before;
  }

  const mir::Module module_ = *mir::Parse("mir 1 body { return ;%7 }");
  LaunchInputs inputs_;
  Execution execution_{module_, inputs_};
  Races races_{execution_};
  Access granule_;
};

TEST_F(RacesTest, StoreAndLoadOfDifferentLanes) {
  EXPECT_FALSE(IsRace(0, AccessKind::kWrite));
  EXPECT_FALSE(IsRace(0, AccessKind::kRead));
  EXPECT_TRUE(IsRace(1, AccessKind::kRead));
  EXPECT_EQ(execution_.statistics.first_race_spirv_id, 7u);
}

TEST_F(RacesTest, AtomicsDoNotRaceWithEachOtherButWithStores) {
  EXPECT_FALSE(IsRace(0, AccessKind::kAtomic));
  EXPECT_FALSE(IsRace(5, AccessKind::kAtomic));
  EXPECT_TRUE(IsRace(6, AccessKind::kWrite));
}

TEST_F(RacesTest, QuietStoresRaceOnlyWithOtherStores) {
  EXPECT_FALSE(IsRace(0, AccessKind::kRead));
  EXPECT_FALSE(IsRace(1, AccessKind::kWrite, true));
  EXPECT_FALSE(IsRace(2, AccessKind::kWrite, true));
  EXPECT_TRUE(IsRace(3, AccessKind::kWrite));
}

TEST_F(RacesTest, ASubgroupsBarrierOrdersItsOwnLanesOnly) {
  EXPECT_FALSE(IsRace(0, AccessKind::kWrite));
  races_.Barrier(false);
  EXPECT_FALSE(IsRace(3, AccessKind::kRead));
  EXPECT_TRUE(IsRace(4, AccessKind::kRead));
}

TEST_F(RacesTest, AWorkgroupsBarrierOrdersAllButNotGroups) {
  EXPECT_FALSE(IsRace(0, AccessKind::kWrite));
  races_.Barrier(true);
  EXPECT_FALSE(IsRace(4, AccessKind::kWrite));
  races_.BeginGroup();
  EXPECT_TRUE(IsRace(4, AccessKind::kRead));
}

TEST_F(RacesTest, OnlyUnorderedWritesLeaveSomethingUndefined) {
  IsRace(0, AccessKind::kWrite);
  EXPECT_TRUE(IsRace(1, AccessKind::kRead));
  EXPECT_FALSE(granule_.raced);
  races_.Barrier(true);
  EXPECT_FALSE(IsRace(1, AccessKind::kAtomic));
  EXPECT_FALSE(IsRace(2, AccessKind::kAtomic));
  EXPECT_FALSE(granule_.raced);
  EXPECT_TRUE(IsRace(3, AccessKind::kWrite));
  EXPECT_TRUE(granule_.raced);
}

TEST_F(RacesTest, OnlyWhatIsUnorderedIsStale) {
  IsRace(0, AccessKind::kWrite);
  EXPECT_FALSE(races_.IsStale(granule_, 0));
  EXPECT_TRUE(races_.IsStale(granule_, 1));
  races_.Barrier(true);
  EXPECT_FALSE(races_.IsStale(granule_, 1));
}

}  // namespace
}  // namespace kiln::oracle
