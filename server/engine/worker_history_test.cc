// Tests which results came from which worker: bounded, returned once.
#include "server/engine/worker_history.h"

#include <gtest/gtest.h>

namespace kiln::server {
namespace {

Made Result(uint8_t n) { return {cache::Digest{n}, false}; }

TEST(WorkerHistoryTest, OfOneWorkerSinceItsStart) {
  WorkerHistory history(100);
  for (uint8_t n = 0; n < 10; ++n) history.Add(n % 2 == 0 ? 7 : 8, Result(n));
  EXPECT_TRUE(history.Trusts(7));
  const auto results = history.Distrust(7);
  ASSERT_EQ(results.made.size(), 5u);
  EXPECT_EQ(results.made[4].key, cache::Digest{8});
  EXPECT_EQ(results.forgotten, 0u);
  EXPECT_FALSE(history.Trusts(7));
  EXPECT_TRUE(history.Trusts(8));
  history.Add(7, Result(11));
  EXPECT_TRUE(history.Distrust(7).made.empty());
  EXPECT_EQ(history.Distrust(8).made.size(), 5u);
}

TEST(WorkerHistoryTest, TheOldestAreForgottenAndThatIsSaid) {
  WorkerHistory history(10);
  for (uint8_t n = 0; n < 8; ++n) history.Add(1, Result(n));
  for (uint8_t n = 8; n < 13; ++n) history.Add(2, Result(n));
  const auto first = history.Distrust(1);
  ASSERT_EQ(first.made.size(), 5u);
  EXPECT_EQ(first.made[0].key, cache::Digest{3});
  EXPECT_EQ(first.forgotten, 3u);
  for (uint8_t n = 13; n < 113; ++n) history.Add(2, Result(n));
  const auto second = history.Distrust(2);
  EXPECT_EQ(second.made.size(), 10u);
  EXPECT_EQ(second.forgotten, 95u);
}

}  // namespace
}  // namespace kiln::server
