#include "core/amd/pipeline/schedule.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "core/amd/lir/machine.h"
#include "core/amd/lir/ops.h"
#include "core/lir/parse.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

constexpr int kValues = 35;  // with the reserve, of the step of 40 VGPRs at 64 lanes

// Returns a program that makes all values by `op` before it combines them one after the other.
Work WorkOf(const std::string& op) {
  std::string text = "function gfx1030 width 64\n";
  for (int i = 0; i < 2 * kValues; ++i) absl::StrAppend(&text, "value %", i, " V 4x1\n");
  absl::StrAppend(&text, "livein %0 at 0\nblock b0 depth 0\n");
  for (int i = 1; i < kValues; ++i) absl::StrAppend(&text, "  %", i, " = ", op, " %0 {[]}\n");
  for (int i = 1; i < kValues; ++i) {
    absl::StrAppend(&text, "  %", kValues + i, " = v_xor_b32 %", i, " %",
                    i == 1 ? 0 : kValues + i - 1, " {[]}\n");
  }
  absl::StrAppend(&text, "  end\n");
  auto f = lir::Parse(Gfx1030Machine(), text);
  EXPECT_TRUE(f.ok()) << f.status();
  Work w;
  w.lanes = 64;
  w.lir = *std::move(f);
  w.lir.pool_units = {256, kSgprUnits, 1};
  return w;
}

// Computes cheap values late: more waves for the same cycles.
TEST(ScheduleForWaves, TakesTheNextStepWhereItCostsNothing) {
  Work w = WorkOf("v_not_b32");
  EXPECT_TRUE(ScheduleForWaves(w));
  EXPECT_LE(w.vgpr_goal, 32u);
  EXPECT_EQ(LargerStep(w, 32), 40u);
}

// Loads that would wait for each other cost more than a third of the waves hides.
TEST(ScheduleForWaves, KeepsTheStepWhereFewerRegistersCostMore) {
  Work w = WorkOf("buffer_load_dword");
  ScheduleForWaves(w);
  EXPECT_EQ(w.vgpr_goal, 40u);
}

TEST(ScheduleForWaves, TheLargestStepHasAllRegisters) {
  Work w;
  w.lanes = 64;
  EXPECT_EQ(LargerStep(w, 256), 256u);
}

}  // namespace
}  // namespace kiln::amd
