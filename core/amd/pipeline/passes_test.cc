// Tests that the passes stand in an order that satisfies their constraints, and that the table of
// the runner and the list for users agree.
#include "core/amd/pipeline/passes.h"

#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

TEST(AmdPasses, TheOrderHolds) {
  EXPECT_EQ(CheckTable(PassRows(), PassOrders()), absl::OkStatus());
  EXPECT_EQ(PassRows().size(), Passes().size());
}

// Each pass that is needed for correctness takes part in a constraint: none may be moved at will.
TEST(AmdPasses, EachHasAConstraint) {
  for (const PassRow& row : PassRows()) {
    bool found = false;
    for (const PassOrder& order : PassOrders()) {
      found |= order.first == row.name || order.then == row.name;
    }
    EXPECT_TRUE(found) << row.name;
  }
}

}  // namespace
}  // namespace kiln::amd
