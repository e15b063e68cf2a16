// Batches: order, the window, errors, stopping.
#include "client/batch/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "core/base/testing/await.h"

namespace kiln::client {
namespace {

using testing::ElementsAre;

ItemLines Line(size_t i) { return {{std::to_string(i)}, {}}; }

class BatchTest : public testing::Test {
 protected:
  absl::Status Run(size_t items, const CompileItem& compile) {
    return RunBatch(
        items, options_, compile,
        [this](size_t i, const ItemLines& lines) {
          EXPECT_EQ(lines.lines, std::vector<std::string>{std::to_string(i)});
          order_.push_back(i);
          return write_status_;
        },
        [this](size_t done) { EXPECT_GE(done, ticked_), ticked_ = done; });
  }
  BatchOptions options_;
  std::vector<size_t> order_;
  size_t ticked_ = 0;
  absl::Status write_status_;
};

TEST_F(BatchTest, WritesInInputOrder) {
  ASSERT_TRUE(Run(200, [](size_t i) -> absl::StatusOr<ItemLines> {
                absl::SleepFor(absl::Microseconds((i * 7919) % 500));
                return Line(i);
              }).ok());
  std::vector<size_t> expected(200);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order_, expected);
}

TEST_F(BatchTest, NothingToDo) {
  const absl::Status status = Run(0, [](size_t i) -> absl::StatusOr<ItemLines> {
    ADD_FAILURE() << "compiles " << i;
    return Line(i);
  });
  EXPECT_EQ(status, absl::OkStatus());
  EXPECT_THAT(order_, testing::IsEmpty());
  EXPECT_EQ(ticked_, 0u);
}

TEST_F(BatchTest, ASlowItemStopsTheOthersAtTheWindow) {
  options_ = {4, 10};
  std::atomic<bool> release{false};
  std::atomic<size_t> most{0};
  ASSERT_TRUE(Run(50, [&](size_t i) -> absl::StatusOr<ItemLines> {
                if (i == 0) {
                  absl::SleepFor(absl::Milliseconds(200));
                  EXPECT_EQ(most, 9u);
                  release = true;
                } else if (!release) {
                  size_t seen = most;
                  while (seen < i && !most.compare_exchange_weak(seen, i)) {
                  }
                }
                return Line(i);
              }).ok());
  EXPECT_EQ(order_.size(), 50u);
}

TEST_F(BatchTest, AnErrorStopsAndKeepsWhatIsFinished) {
  options_ = {1, 100};
  absl::Status status = Run(10, [](size_t i) -> absl::StatusOr<ItemLines> {
    if (i == 4) return absl::UnavailableError("gone");
    return Line(i);
  });
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(order_, ElementsAre(0, 1, 2, 3));
}

TEST_F(BatchTest, FinishedItemsAfterAGapAreWritten) {
  options_ = {2, 100};
  std::atomic<bool> first_may_fail{false};
  absl::Status status = Run(3, [&](size_t i) -> absl::StatusOr<ItemLines> {
    if (i == 2) first_may_fail = true;
    if (i != 0) return Line(i);
    EXPECT_TRUE(Await([&] { return first_may_fail.load(); }));
    absl::SleepFor(absl::Milliseconds(50));
    return absl::CancelledError("stopped");
  });
  EXPECT_TRUE(absl::IsCancelled(status));
  EXPECT_THAT(order_, ElementsAre(1, 2));
}

TEST_F(BatchTest, AFailingWriterStops) {
  write_status_ = absl::InternalError("disk full");
  std::atomic<int> compiled{0};
  options_ = {2, 4};
  absl::Status status = Run(1000, [&](size_t i) -> absl::StatusOr<ItemLines> {
    ++compiled;
    return Line(i);
  });
  EXPECT_TRUE(absl::IsInternal(status));
  EXPECT_LT(compiled, 100);
}

}  // namespace
}  // namespace kiln::client
