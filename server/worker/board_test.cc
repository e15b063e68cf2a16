// Tests the board with a worker on the other side that writes arbitrary bytes.
#include "server/worker/board.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace kiln::worker {
namespace {

class BoardTest : public testing::Test {
 protected:
  void SetUp() override {
    auto parent = Board::Create();
    ASSERT_TRUE(parent.ok()) << parent.status();
    parent_ = *std::move(parent);
    auto worker = Board::Attach(parent_->fd());
    ASSERT_TRUE(worker.ok()) << worker.status();
    worker_ = *std::move(worker);
  }
  std::unique_ptr<Board> parent_, worker_;
};

TEST_F(BoardTest, CarriesWhatAWorkerDoes) {
  EXPECT_EQ(parent_->CurrentPass(), "");
  worker_->BeginPass("fold", 1);
  EXPECT_EQ(parent_->CurrentPass(), "fold");
  EXPECT_EQ(parent_->CurrentTarget(), 1);
  PassRecord record;
  record.pass = "fold";
  record.level = "mir";
  record.nanoseconds = 5;
  record.instructions_before = 10;
  record.instructions_after = 8;
  worker_->EndPass(record, 1);
  ASSERT_EQ(parent_->Passes().size(), 1u);
  EXPECT_EQ(parent_->Passes()[0].instructions_after, 8);
  parent_->Cancel();
  EXPECT_TRUE(worker_->cancelled()->load());
}

TEST_F(BoardTest, ItsTextIsPrintableAndBounded) {
  const std::string evil = "fold\nkilnd: stopped\x1b[2J\x7f\xff\xc2\x9b";
  const std::string shown = "fold\\x0akilnd: stopped\\x1b[2J\\x7f\\xff\\xc2\\x9b";
  worker_->BeginPass(evil, 0);
  EXPECT_EQ(parent_->CurrentPass(), shown);
  worker_->SetNote(evil);
  EXPECT_EQ(parent_->Note(), shown);
  PassRecord record;
  record.pass = evil;
  record.level = "\n\n";
  worker_->EndPass(record, 0);
  EXPECT_EQ(parent_->Passes()[0].pass, shown);
  EXPECT_EQ(parent_->Passes()[0].level, "\\x0a\\x0a");
  worker_->SetNote(std::string(100'000, '\n'));
  EXPECT_LE(parent_->Note().size(), 4096u);
}

// Differences of the counted numbers must not overflow.
TEST_F(BoardTest, ItsNumbersAreClamped) {
  PassRecord record;
  record.pass = "fold";
  for (const int64_t n :
       {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()}) {
    record.nanoseconds = record.instructions_before = n;
    record.instructions_after = -(n + 1);
    worker_->EndPass(record, 0);
  }
  for (const PassEvent& event : parent_->Passes()) {
    for (const int64_t n :
         {event.nanoseconds, event.instructions_before, event.instructions_after}) {
      EXPECT_GE(n, 0);
      EXPECT_LE(n, int64_t{1} << 50);
    }
  }
}

TEST_F(BoardTest, ResetForgets) {
  worker_->BeginPass("fold", 1);
  worker_->SetNote("note");
  worker_->SetOutOfMemory();
  parent_->Reset();
  EXPECT_EQ(parent_->CurrentPass(), "");
  EXPECT_EQ(parent_->Note(), "");
  EXPECT_FALSE(parent_->OutOfMemory());
}

}  // namespace
}  // namespace kiln::worker
