#include "core/front/state/pointer.h"

#include "gtest/gtest.h"

namespace kiln::front {
namespace {

TEST(LowBitTest, IsThePowerThatDividesUpTo64) {
  EXPECT_EQ(LowBit(1), 1u);
  EXPECT_EQ(LowBit(12), 4u);
  EXPECT_EQ(LowBit(64), 64u);
  EXPECT_EQ(LowBit(256), 64u);
  EXPECT_EQ(LowBit(0), 64u);
}

TEST(IsOffsetTest, EndsAtTwoGigabytes) {
  EXPECT_TRUE(IsOffset(0x7fffffff));
  EXPECT_FALSE(IsOffset(0x80000000));
}

TEST(AlignmentOfTest, OfAStaticOffsetIsItsOwn) {
  Pointer pointer;
  pointer.space = Pointer::kStorage;
  pointer.align = 2;  // of `dynamic`, which is absent
  EXPECT_EQ(AlignmentOf(pointer, 8, 4), 8u);
  EXPECT_EQ(AlignmentOf(pointer, 0, 4), 64u);
}

TEST(AlignmentOfTest, OfAChosenOffsetIsTheLeast) {
  Pointer pointer;
  pointer.space = Pointer::kStorage;
  pointer.dynamic = ValueId(1);
  pointer.align = 16;
  EXPECT_EQ(AlignmentOf(pointer, 0, 4), 16u);
  EXPECT_EQ(AlignmentOf(pointer, 4, 4), 4u);
}

TEST(AlignmentOfTest, OfAnAddressIsWhatTheAccessSaysOfItsFirstByte) {
  Pointer pointer;
  pointer.space = Pointer::kPhysical;
  pointer.dynamic = ValueId(1);
  pointer.offset = 4;
  EXPECT_EQ(AlignmentOf(pointer, 4, 8), 8u);  // without memory operands: that of the element
  pointer.given_align = 2;
  EXPECT_EQ(AlignmentOf(pointer, 4, 8), 2u);
  pointer.given_align = 16;
  EXPECT_EQ(AlignmentOf(pointer, 4, 8), 16u);
  EXPECT_EQ(AlignmentOf(pointer, 12, 8), 8u);  // eight bytes after the first
}

}  // namespace
}  // namespace kiln::front
