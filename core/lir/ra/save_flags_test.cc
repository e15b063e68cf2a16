#include "core/lir/ra/save_flags.h"

#include <string>

#include "core/base/cause.h"
#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "core/lir/ra/allocate.h"
#include "core/lir/ra/check.h"
#include "core/lir/testing.h"
#include "core/lir/verify.h"
#include "gtest/gtest.h"

namespace kiln::lir::ra {
namespace {

using testing::TestMachine;

// `n` flags, all read after the last one is defined.
Function Program(int n, int width) {
  std::string text = "function test width " + std::to_string(width) + "\nvalue %0 G 4x1\n";
  for (int k = 1; k <= n; ++k) text += "value %" + std::to_string(k) + " F 0x1\n";
  for (int k = 1; k <= n; ++k) text += "value %" + std::to_string(n + k) + " U 4x1\n";
  text += "livein %0 at 8\nblock b0 depth 0\n";
  const std::string w = " {w" + std::to_string(width) + "}\n";
  for (int k = 1; k <= n; ++k) {
    text += "  %" + std::to_string(k) + ":ud = cmp %0:ud #0x" + std::to_string(k) + ":ud" + w;
  }
  for (int k = 1; k <= n; ++k) {
    text += "  %" + std::to_string(n + k) + ":ud = ballot %" + std::to_string(k) + ":ud" + w;
    text += "  store %" + std::to_string(n + k) + ":ud\n";
  }
  text += "  end\n";
  auto f = Parse(TestMachine(), text);
  EXPECT_TRUE(f.ok()) << f.status();
  return *std::move(f);
}

int Count(const Function& f, uint16_t op) {
  int n = 0;
  for (const Block& b : f.blocks) {
    for (InstId i : b.insts) n += f.inst(i).op == op;
  }
  return n;
}

TEST(SaveFlagsTest, WhatFitsStays) {
  Function f = Program(4, 16);
  const std::string before = Print(TestMachine(), f);
  Liveness live(TestMachine(), f);
  EXPECT_EQ(*SaveExcessFlags(TestMachine(), &f, &live), 0);
  EXPECT_EQ(Print(TestMachine(), f), before);
}

TEST(SaveFlagsTest, TheExcessIsSavedAndTheResultIsRight) {
  for (const auto& [flags, width] : {std::pair(5, 16), {12, 16}, {3, 32}, {7, 32}}) {
    Function f = Program(flags, width);
    const Function ssa = f;
    Liveness live(TestMachine(), f);
    const auto saved = SaveExcessFlags(TestMachine(), &f, &live);
    ASSERT_TRUE(saved.ok()) << saved.status();
    EXPECT_GE(*saved, flags - 4 / (width / 16));
    EXPECT_LE(*saved, flags);
    EXPECT_EQ(Count(f, testing::kSaveOp), *saved);
    EXPECT_EQ(Count(f, testing::kRestoreOp), *saved);
    EXPECT_TRUE(Verify(TestMachine(), f).ok());
    EXPECT_LE(MaxPressure(TestMachine(), f, live)[1].physical, 4u);
    Function allocated = ssa;
    ASSERT_TRUE(Allocate(TestMachine(), &allocated).ok());
    const absl::Status s = CheckAllocation(TestMachine(), ssa, allocated);
    EXPECT_TRUE(s.ok()) << s << Print(TestMachine(), allocated);
  }
}

bool PressureSaysTheyFit(const Function& f) {
  const Machine& t = TestMachine();
  return FlagsFit(t, f, MaxPressure(t, f, Liveness(t, f)));
}

TEST(SaveFlagsTest, ThePressureSaysThatFewFlagsFit) {
  EXPECT_TRUE(PressureSaysTheyFit(Program(3, 16)));
  EXPECT_FALSE(PressureSaysTheyFit(Program(5, 16)));
  EXPECT_TRUE(PressureSaysTheyFit(Program(1, 32)));
  EXPECT_FALSE(PressureSaysTheyFit(Program(3, 32)));
}

// No more than four flags are needed after any instruction, yet one is read where a fifth is
// defined.
TEST(SaveFlagsTest, WhatDiesWhereAFlagIsDefinedIsHeldThere) {
  auto f = Parse(TestMachine(),
                 "function test width 16\n"
                 "value %0 F 0x1\nvalue %1 F 0x1\nvalue %2 F 0x1\nvalue %3 F 0x1\nvalue %4 F 0x1\n"
                 "block b0 depth 0\n"
                 "  %0:ud = cmp #0x1:ud\n"
                 "  %1:ud = cmp #0x1:ud\n"
                 "  %2:ud = cmp #0x1:ud\n"
                 "  %3:ud = cmp #0x1:ud\n"
                 "  %4:ud = cmp %0:ud\n"
                 "  store %1:ud\n"
                 "  store %2:ud\n"
                 "  store %3:ud\n"
                 "  store %4:ud\n"
                 "  end\n");
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_FALSE(PressureSaysTheyFit(*f));
  Liveness live(TestMachine(), *f);
  EXPECT_EQ(MaxPressure(TestMachine(), *f, live)[1].physical, 4u);
  const auto saved = SaveExcessFlags(TestMachine(), &*f, &live);
  ASSERT_TRUE(saved.ok()) << saved.status();
  EXPECT_GT(*saved, 0);
}

TEST(SaveFlagsTest, RefusesWhatTheMachineCannotSave) {
  // Five flags that one instruction reads cannot be restored at once.
  auto f = Parse(
      TestMachine(),
      "function test width 16\n"
      "value %0 F 0x1 id 90\nvalue %1 F 0x1 id 91\nvalue %2 F 0x1 id 92\nvalue %3 F 0x1 id 93\nvalue %4 F 0x1 id 94\n"
      "block b0 depth 0\n"
      "  %0:ud = cmp #0x1:ud\n"
      "  %1:ud = cmp #0x1:ud\n"
      "  %2:ud = cmp #0x1:ud\n"
      "  %3:ud = cmp #0x1:ud\n"
      "  %4:ud = cmp #0x1:ud\n"
      "  store %0:ud %1:ud %2:ud %3:ud %4:ud\n"
      "  end\n");
  ASSERT_TRUE(f.ok());
  Liveness live(TestMachine(), *f);
  const auto saved = SaveExcessFlags(TestMachine(), &*f, &live);
  ASSERT_FALSE(saved.ok());
  EXPECT_EQ(CauseOf(saved.status()), "out_of_registers");
  EXPECT_EQ(SpirvIdOf(saved.status()), 94u);
}

}  // namespace
}  // namespace kiln::lir::ra
