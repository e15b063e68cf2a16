#include "core/front/state/slots.h"

#include <vector>

#include "gtest/gtest.h"

namespace kiln::front {
namespace {

using mir::ValueId;

class SlotsTest : public ::testing::Test {
 protected:
  const std::vector<mir::Type> types_{mir::Type::kI32, mir::Type::kF32, mir::Type::kBool};
  Slots slots_{types_};
};

TEST_F(SlotsTest, AreUndefinedUntilWritten) {
  EXPECT_FALSE(slots_.Get(1).valid());
  slots_.Set(1, ValueId(7));
  EXPECT_EQ(slots_.Get(1), ValueId(7));
  EXPECT_FALSE(slots_.Get(0).valid());
  EXPECT_EQ(slots_.type(2), mir::Type::kBool);
}

TEST_F(SlotsTest, UndoGivesBackWhatWasAtTheMark) {
  slots_.Set(0, ValueId(1));
  const size_t mark = slots_.Mark();
  slots_.Set(0, ValueId(2));
  slots_.Set(0, ValueId(3));
  slots_.Set(2, ValueId(4));
  slots_.UndoTo(mark);
  EXPECT_EQ(slots_.Get(0), ValueId(1));
  EXPECT_FALSE(slots_.Get(2).valid());
  EXPECT_EQ(slots_.Mark(), mark);
}

TEST_F(SlotsTest, UndoTellsLastWritesBySlot) {
  const size_t mark = slots_.Mark();
  slots_.Set(2, ValueId(1));
  slots_.Set(0, ValueId(2));
  slots_.Set(2, ValueId(3));
  slots_.Set(1, ValueId());  // becomes undefined: a write as well
  const Slots::Writes writes = slots_.UndoTo(mark);
  EXPECT_EQ(writes, (Slots::Writes{{0, ValueId(2)}, {1, ValueId()}, {2, ValueId(3)}}));
}

TEST_F(SlotsTest, InnerRegionIsUndoneAlone) {
  const size_t outer = slots_.Mark();
  slots_.Set(0, ValueId(1));
  const size_t inner = slots_.Mark();
  slots_.Set(1, ValueId(2));
  EXPECT_EQ(slots_.UndoTo(inner), (Slots::Writes{{1, ValueId(2)}}));
  EXPECT_EQ(slots_.UndoTo(outer), (Slots::Writes{{0, ValueId(1)}}));
}

TEST_F(SlotsTest, AListTakesEachSlotOnce) {
  slots_.BeginList();
  EXPECT_TRUE(slots_.IsNew(1));
  EXPECT_TRUE(slots_.IsNew(2));
  EXPECT_FALSE(slots_.IsNew(1));
  slots_.BeginList();
  EXPECT_TRUE(slots_.IsNew(1));
}

}  // namespace
}  // namespace kiln::front
