// Tests which blocks are in which loop (loop_spans.h).
#include "core/lir/ra/loop_spans.h"

#include "core/lir/parse.h"
#include "core/lir/testing.h"
#include "gtest/gtest.h"

namespace kiln::lir::ra {
namespace {

Function Read(const char* text) {
  auto f = Parse(testing::TestMachine(), text);
  EXPECT_TRUE(f.ok()) << f.status();
  return *f;
}

// b1 to b4 are a loop, b2 and b3 one inside; b5 is after both.
TEST(LoopSpansTest, LoopsInLoops) {
  const Function f = Read(
      "function test width 8\n"
      "value %0 G 4x1\n"
      "value %1 F 0x1\n"
      "value %2 F 0x1\n"
      "livein %0 at 0\n"
      "block b0 depth 0\n"
      "  -> b1\n"
      "block b1 depth 1\n"
      "  %1:ud = cmp %0:ud {w8}\n"
      "  -> b2\n"
      "block b2 depth 2\n"
      "  %2:ud = cmp %0:ud {w8}\n"
      "  break %2:ud {w8 pred 1}\n"
      "  -> b4, b3\n"
      "block b3 depth 2\n"
      "  while\n"
      "  -> b2\n"
      "  ~> b4\n"
      "block b4 depth 1\n"
      "  while %1:ud {w8 pred 1}\n"
      "  -> b1, b5\n"
      "block b5 depth 0\n"
      "  end\n");
  const LoopSpans loops(f);
  const uint32_t none = LoopSpans::kNone;
  EXPECT_EQ(loops.innermost(0), none);
  EXPECT_EQ(loops.innermost(1), 1u);
  EXPECT_EQ(loops.innermost(2), 2u);
  EXPECT_EQ(loops.innermost(3), 2u);
  EXPECT_EQ(loops.innermost(4), 1u);
  EXPECT_EQ(loops.innermost(5), none);
  EXPECT_EQ(loops.parent(2), 1u);
  EXPECT_EQ(loops.parent(1), none);
  EXPECT_EQ(loops.last(2), 3u);
  EXPECT_EQ(loops.last(1), 4u);
  EXPECT_TRUE(loops.contains(1, 3));
  EXPECT_FALSE(loops.contains(2, 4));
  EXPECT_FALSE(loops.contains(1, 5));
  EXPECT_TRUE(loops.contains(none, 5));  // no loop (kNone) contains every block
}

TEST(LoopSpansTest, WithoutLoopsThereIsNone) {
  const Function f = Read(
      "function test width 8\n"
      "block b0 depth 0\n"
      "  -> b1\n"
      "block b1 depth 0\n"
      "  end\n");
  const LoopSpans loops(f);
  EXPECT_EQ(loops.innermost(0), LoopSpans::kNone);
  EXPECT_EQ(loops.innermost(1), LoopSpans::kNone);
}

}  // namespace
}  // namespace kiln::lir::ra
