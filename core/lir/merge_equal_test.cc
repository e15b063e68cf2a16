#include "core/lir/merge_equal.h"

#include <string>

#include "core/lir/parse.h"
#include "core/lir/testing_scalar.h"
#include "core/lir/verify.h"
#include "gtest/gtest.h"

namespace kiln::lir {
namespace {

using testing::ScalarTestMachine;

constexpr const char* kValues =
    "value %0 S 4x1\nvalue %1 S 4x1\nvalue %2 S 4x1\nvalue %3 V 4x1\nvalue %4 V 4x1\n"
    "value %5 M 0x1\nvalue %6 M 0x1\nvalue %7 V 4x1\nvalue %8 SCC 0x1\nvalue %9 SCC 0x1\n"
    "value %10 S 4x1\nvalue %11 V 4x1\n";

Function Parsed(const std::string& blocks) {
  absl::StatusOr<Function> f =
      Parse(ScalarTestMachine(), "function scalar width 32\n" + std::string(kValues) + blocks);
  EXPECT_TRUE(f.ok()) << f.status();
  return f.ok() ? *std::move(f) : Function();
}

// Returns how many instructions went, having verified what is left.
int Gone(const std::string& blocks, bool allowed = true) {
  Function f = Parsed(blocks);
  const auto count = [&] {
    int n = 0;
    for (const Block& b : f.blocks) n += static_cast<int>(b.insts.size());
    return n;
  };
  const int before = count();
  const bool changed = MergeEqual(ScalarTestMachine(), f, [&] { return allowed; });
  EXPECT_EQ(changed, count() != before);
  const absl::Status ok = Verify(ScalarTestMachine(), f);
  EXPECT_TRUE(ok.ok()) << ok;
  return before - count();
}

constexpr const char* kTwoSums =
    "block b0 depth 0\n"
    "  %0:b32 = s_const #0x1:b32\n"
    "  %1:b32 = s_mul %0:b32 %0:b32\n"
    "  %2:b32 = s_mul %0:b32 %0:b32\n"
    "  %10:b32 = s_mul %1:b32 %2:b32\n"
    "  s_end\n";

TEST(MergeEqualTest, EqualInstructionsOfABlock) {
  EXPECT_EQ(Gone(kTwoSums), 1);
  EXPECT_EQ(Gone(kTwoSums, false), 0);
}

TEST(MergeEqualTest, NotWhatReadsMemoryThatMayChange) {
  EXPECT_EQ(Gone("block b0 depth 0\n"
                 "  %0:b32 = s_const #0x1:b32\n"
                 "  %1:b32 = s_load %0:b32\n"
                 "  %2:b32 = s_load %0:b32\n"
                 "  %10:b32 = s_mul %1:b32 %2:b32\n"
                 "  s_end\n"),
            0);
}

TEST(MergeEqualTest, NotValuesOfTheOnlyRegisterOfTheirFile) {
  EXPECT_EQ(Gone("block b0 depth 0\n"
                 "  %0:b32 = s_const #0x1:b32\n"
                 "  %8:b32 = s_cmp %0:b32 %0:b32\n"
                 "  %9:b32 = s_cmp %0:b32 %0:b32\n"
                 "  s_end\n"),
            0);
}

// A sum of the block before the if is used in it; a comparison is made again, of fewer lanes.
TEST(MergeEqualTest, OfBlocksThatDominateUnlessLanesMatter) {
  EXPECT_EQ(Gone("block b0 depth 0\n"
                 "  %3:b32 = v_const #0x1:b32\n"
                 "  %4:b32 = v_add %3:b32 %3:b32\n"
                 "  %5:b32 = v_cmp %3:b32 %4:b32\n"
                 "  mask_if %5:b32\n"
                 "  -> b1, b2\n"
                 "block b1 depth 0\n"
                 "  %7:b32 = v_add %3:b32 %3:b32\n"
                 "  %6:b32 = v_cmp %3:b32 %4:b32\n"
                 "  %11:b32 = v_sel %7:b32 %3:b32 %6:b32\n"
                 "  mask_endif\n"
                 "  -> b2\n"
                 "block b2 depth 0\n"
                 "  s_end\n"),
            1);
}

// Behind an exit fewer lanes are on: a comparison is made again, a sum is not.
TEST(MergeEqualTest, NotPastAnExitIfLanesMatter) {
  const auto gone = [](const std::string& between) {
    return Gone(
        "exit_block b1\n"
        "block b0 depth 0\n"
        "  %3:b32 = v_const #0x1:b32\n"
        "  %4:b32 = v_add %3:b32 %3:b32\n"
        "  %5:b32 = v_cmp %3:b32 %4:b32\n" +
        between +
        "  %7:b32 = v_add %3:b32 %3:b32\n"
        "  %6:b32 = v_cmp %3:b32 %4:b32\n"
        "  %11:b32 = v_sel %7:b32 %3:b32 %6:b32\n"
        "  s_end\n"
        "block b1 depth 0\n"
        "  s_end\n");
  };
  EXPECT_EQ(gone(""), 2);
  EXPECT_EQ(gone("  mask_exit %5:b32 {w32 pred 1}\n"), 1);
}

}  // namespace
}  // namespace kiln::lir
