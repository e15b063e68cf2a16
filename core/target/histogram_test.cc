#include "core/target/histogram.h"

#include "gtest/gtest.h"

namespace kiln {
namespace {

TEST(Histogram, EqualCountsAreOrderedByName) {
  const Histogram counts = {{"c", 2}, {"a", 2}, {"b", 7}, {"d", 1}};
  const std::vector<std::pair<std::string, int64_t>> rows = {
      {"b", 7}, {"a", 2}, {"c", 2}, {"d", 1}};
  EXPECT_EQ(MostFrequentFirst(counts), rows);
}

}  // namespace
}  // namespace kiln
