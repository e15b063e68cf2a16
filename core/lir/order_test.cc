#include "core/lir/order.h"

#include <utility>

#include "gtest/gtest.h"

namespace kiln::lir {
namespace {

using Ids = std::vector<InstId>;

Function TwoBlocks() {
  Function f;
  f.insts.resize(5);
  f.blocks.resize(3);
  f.blocks[0].insts = {InstId(3), InstId(0)};
  f.blocks[2].insts = {InstId(4), InstId(1), InstId(2)};
  return f;
}

TEST(Order, IsThatOfTheLayout) {
  const Function f = TwoBlocks();
  EXPECT_EQ(CountInstructions(f), 5);
  EXPECT_EQ(OrderOf(f), (Ids{InstId(3), InstId(0), InstId(4), InstId(1), InstId(2)}));
}

TEST(Order, SwappingTwiceChangesNothing) {
  Function f = TwoBlocks();
  Ids before = OrderOf(f);
  std::swap(f.blocks[2].insts[0], f.blocks[2].insts[2]);
  const Ids after = OrderOf(f);
  SwapOrder(f, before);
  EXPECT_EQ(f.blocks[2].insts, (Ids{InstId(4), InstId(1), InstId(2)}));
  EXPECT_EQ(before, after);
  SwapOrder(f, before);
  EXPECT_EQ(OrderOf(f), after);
}

}  // namespace
}  // namespace kiln::lir
