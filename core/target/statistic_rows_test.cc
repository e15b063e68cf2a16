// Tests the shapes of rows: which direction is for the better, what is the model's, what is shape.
#include "core/target/statistic_rows.h"

#include "gtest/gtest.h"

namespace kiln {
namespace {

TEST(StatisticRows, CountsAreForTheBetterWhereTheyAreFewer) {
  constexpr StatisticRow row = CountRow("waits", "instructions", "Instructions that wait.", "w");
  EXPECT_EQ(row.name, "waits");
  EXPECT_EQ(row.unit, "instructions");
  EXPECT_EQ(row.counts, "Instructions that wait.");
  EXPECT_EQ(row.header, "w");
  EXPECT_EQ(row.better, Better::kLower);
  EXPECT_FALSE(row.estimated);
  EXPECT_FALSE(row.shape);
  EXPECT_TRUE(CountRow("a", "b", "c").header.empty());
}

TEST(StatisticRows, CyclesAreTheModels) {
  constexpr StatisticRow row = CyclesRow("cycles", "Cycles by the model.", "cycles");
  EXPECT_TRUE(row.estimated);
  EXPECT_EQ(row.unit, "cycles");
  EXPECT_EQ(row.better, Better::kLower);
}

// Reports compare only programs with as many loops.
TEST(StatisticRows, LoopsAreShapeAndBytesAreNot) {
  EXPECT_TRUE(kLoopsRow.shape);
  EXPECT_FALSE(kBytesRow.shape);
  EXPECT_FALSE(kBytesRow.estimated);
}

}  // namespace
}  // namespace kiln
