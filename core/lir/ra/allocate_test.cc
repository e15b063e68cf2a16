// Allocation: random programs through the checker, and shapes that need special care.
#include "core/lir/ra/allocate.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/lir/build.h"
#include "core/lir/liveness.h"
#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "core/lir/ra/check.h"
#include "core/lir/ra/save_flags.h"
#include "core/lir/random_program.h"
#include "core/lir/testing.h"
#include "core/lir/verify.h"
#include "gtest/gtest.h"

namespace kiln::lir::ra {
namespace {

using testing::SmallTestMachine;
using testing::TestMachine;

Function Read(const std::string& text) {
  auto f = Parse(TestMachine(), text);
  EXPECT_TRUE(f.ok()) << f.status();
  const absl::Status s = Verify(TestMachine(), *f);
  EXPECT_TRUE(s.ok()) << s;
  return *std::move(f);
}

// Allocates and checks; returns the statistics, or fails the test.
AllocationStats MustAllocate(const Machine& t, Function* f) {
  const Function ssa = *f;
  const auto stats = Allocate(t, f);
  EXPECT_TRUE(stats.ok()) << stats.status();
  if (!stats.ok()) return {};
  const absl::Status form = VerifyAllocated(t, *f);
  EXPECT_TRUE(form.ok()) << form;
  const absl::Status s = CheckAllocation(t, ssa, *f);
  EXPECT_TRUE(s.ok()) << s << "\n" << Print(t, *f);
  return *stats;
}

uint32_t RegOf(const Function& f, uint32_t value) {
  for (const Block& b : f.blocks) {
    for (InstId i : b.insts) {
      for (const Operand& o : f.defs(i)) {
        if (IsValue(o) && o.id == value) return o.reg;
      }
    }
  }
  return Operand::kNoReg;
}

// A write to a register of a message result in flight waits for the message, even where that part
// of the result has no uses.
TEST(AllocateTest, UnusedPartsOfAResultAreTakenOnlyForLackOfRegisters) {
  const Machine& t = TestMachine();
  const absl::StatusOr<Function> ssa = Parse(t,
                                             "function test width 8\n"
                                             "value %0 G 4x1\n"
                                             "value %1 U 4x32 whole\n"
                                             "value %2 G 4x1\n"
                                             "livein %0 at 0\n"
                                             "block b0 depth 0\n"
                                             "  %1x32:ud = load %0:ud {w8}\n"
                                             "  %2:ud = add %0:ud %0:ud {w8}\n"
                                             "  store %2:ud\n"
                                             "  store %1.24:ud\n"
                                             "  store %0:ud\n"
                                             "  end\n");
  ASSERT_TRUE(ssa.ok()) << ssa.status();
  for (const uint32_t registers : {5u, 6u}) {
    Function f = *ssa;
    for (const PoolInfo& pool : t.pools) f.pool_units.push_back(pool.units);
    f.pool_units[0] = 8 * registers;
    ASSERT_TRUE(Allocate(t, &f).ok());
    EXPECT_TRUE(CheckAllocation(t, *ssa, f).ok());
    const uint32_t answer = RegOf(f, 1), other = RegOf(f, 2);
    const bool within = other >= answer && other < answer + 24;
    EXPECT_EQ(within, registers == 5) << answer << " " << other;
  }
}

struct Totals {
  int programs = 0, refused = 0, refused_though_it_fits = 0;
  uint32_t compactions = 0, flags_saved = 0, parts = 0, parts_in_place = 0, copies = 0;
  uint32_t attempts = 0;
};

// If the pressure says that flags fit, none is saved.
void CheckFlagsFit(const Machine& t, const Function& ssa) {
  Function f = ssa;
  Liveness live(t, f);
  if (!FlagsFit(t, f, MaxPressure(t, f, live))) return;
  const absl::StatusOr<int> saved = SaveExcessFlags(t, &f, &live);
  ASSERT_TRUE(saved.ok()) << saved.status();
  EXPECT_EQ(*saved, 0) << Print(t, ssa);
}

void RunRandom(const Machine& t, int programs, testing::RandomOptions options, Totals* totals) {
  for (int seed = 0; seed < programs; ++seed) {
    options.width = seed % 4 == 0 ? 8 : seed % 4 == 3 ? 32 : 16;
    options.pool_size = 6 + seed % 17;
    const Function ssa = testing::RandomProgram(static_cast<uint64_t>(seed), options);
    ASSERT_TRUE(Verify(t, ssa).ok());
    CheckFlagsFit(t, ssa);
    Function f = ssa;
    const auto stats = Allocate(t, &f);
    ++totals->programs;
    if (!stats.ok()) {
      ASSERT_EQ(CauseOf(stats.status()), "out_of_registers")
          << "seed " << seed << ": " << stats.status() << "\n"
          << Print(t, ssa);
      ASSERT_EQ(Print(t, f), Print(t, ssa)) << "seed " << seed << ": refused and yet changed";
      ++totals->refused;
      const std::vector<Pressure> max = MaxPressure(t, ssa, Liveness(t, ssa));
      totals->refused_though_it_fits += max[0].physical <= t.pools[0].units;
      continue;
    }
    const absl::Status form = VerifyAllocated(t, f);
    ASSERT_TRUE(form.ok()) << form;
    const absl::Status s = CheckAllocation(t, ssa, f);
    ASSERT_TRUE(s.ok()) << "seed " << seed << ": " << s << "\n" << Print(t, f);
    totals->compactions += stats->compactions;
    totals->flags_saved += stats->flags_saved;
    totals->parts += stats->collect_parts;
    totals->parts_in_place += stats->collect_parts_in_place;
    totals->copies += stats->copies_inserted;
    totals->attempts += stats->attempts;
  }
}

TEST(AllocateTest, RandomPrograms) {
  Totals totals;
  RunRandom(TestMachine(), 200, {}, &totals);
  printf("programs %d refused %d compactions %u flags %u parts %u in place %u copies %u\n",
         totals.programs, totals.refused, totals.compactions, totals.flags_saved, totals.parts,
         totals.parts_in_place, totals.copies);
  EXPECT_LT(totals.refused, totals.programs / 10);
  EXPECT_GT(totals.flags_saved, 0u);
  EXPECT_GT(totals.parts_in_place, 0u);
}

TEST(AllocateTest, RandomProgramsInASmallPool) {
  Totals totals;
  testing::RandomOptions options;
  options.live_ins = 3;
  options.instructions = 80;
  RunRandom(SmallTestMachine(), 600, options, &totals);
  printf("programs %d refused %d (fit %d) compactions %u attempts %u\n", totals.programs,
         totals.refused, totals.refused_though_it_fits, totals.compactions, totals.attempts);
  EXPECT_GT(totals.refused, 0);  // the pool is too small for some
  EXPECT_GT(totals.compactions, 0u);
}

// Lanes end in the middle of blocks, in some several times: values that moved are at home there.
TEST(AllocateTest, RandomProgramsWithExits) {
  Totals totals;
  testing::RandomOptions options;
  options.exits = 8;
  RunRandom(TestMachine(), 100, options, &totals);
  options.live_ins = 3;
  options.instructions = 80;
  RunRandom(SmallTestMachine(), 600, options, &totals);
  printf("programs %d refused %d (fit %d) compactions %u attempts %u\n", totals.programs,
         totals.refused, totals.refused_though_it_fits, totals.compactions, totals.attempts);
  EXPECT_GT(totals.programs - totals.refused, 200);
  EXPECT_GT(totals.compactions, 0u);
}

// A pool smaller than the machine's, with reserved units: no value gets those, whether values fit,
// are moved out of the way, or are spilled.
TEST(AllocateTest, RandomProgramsBesideReservedUnits) {
  const Machine& t = SmallTestMachine();
  uint32_t done = 0, spills = 0, compactions = 0, flags = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    testing::RandomOptions options;
    options.width = seed % 2 == 0 ? 8 : 16;
    options.live_ins = 3;
    options.instructions = 60;
    options.pool_size = 6 + static_cast<int>(seed % 17);
    Function ssa = testing::RandomProgram(seed, options);
    ssa.pool_units = {240, 3};
    ssa.reserved = {{0, 149, 5}, {0, 217, 1}, {1, 1, 1}};
    ASSERT_TRUE(Verify(t, ssa).ok()) << Verify(t, ssa);
    for (const bool spill : {false, true}) {
      Function f = ssa;
      const auto stats = spill ? AllocateWithSpills(t, &f) : Allocate(t, &f);
      if (!stats.ok()) continue;
      ASSERT_TRUE(VerifyAllocated(t, f).ok()) << seed << VerifyAllocated(t, f);
      const absl::Status s = CheckAllocation(t, ssa, f);
      ASSERT_TRUE(s.ok()) << "seed " << seed << ": " << s << "\n" << Print(t, f);
      ++done;
      spills += stats->spill.spills;
      compactions += stats->compactions;
      flags += stats->flags_saved;
    }
  }
  printf("%u done, %u spills, %u compactions, %u flags saved\n", done, spills, compactions, flags);
  EXPECT_GT(done, 250u);
  EXPECT_GT(spills, 100u);
  EXPECT_GT(compactions, 40u);  // 13 where windows may cover reserved units
  EXPECT_GT(flags, 10u);
}

// A NoMask write at the head of a loop executes for lanes that have left it: it must not overwrite
// a value that they hold, although scalar SSA has that value dead there.
TEST(AllocateTest, NoMaskWriteSparesLanesThatLeftTheLoop) {
  for (const char* u : {"U 4x1", "G 4x1"}) {
    Function f = Read(std::string("function test width 8\n"
                                  "value %0 G 4x1\n"
                                  "value %1 ") +
                      u +
                      "\n"
                      "value %2 F 0x1\n"
                      "block b0 depth 0\n"
                      "  -> b1\n"
                      "block b1 depth 1\n"
                      "  %1:ud = const #0x5:ud {w8 nomask}\n"
                      "  store %1:ud\n"
                      "  %0:ud = const #0x1:ud {w8}\n"
                      "  %2:ud = cmp %0:ud {w8}\n"
                      "  break %2:ud {w8 pred 1}\n"
                      "  -> b3, b2\n"
                      "block b2 depth 1\n"
                      "  while\n"
                      "  -> b1\n"
                      "block b3 depth 0\n"
                      "  store %0:ud\n"
                      "  end\n");
    MustAllocate(TestMachine(), &f);
    EXPECT_NE(RegOf(f, 0) / 8, RegOf(f, 1) / 8);
  }
}

// A masked write may share the register: that is the gain of logical liveness. At a low pressure
// the allocator has no reason to, so the pool holds two registers only.
TEST(AllocateTest, MaskedValuesOfTheTwoSidesShareRegisters) {
  const PoolInfo pools[] = {{"grf", 16, 0, 8, 8, true}, {"flag", 4}};
  Machine t = TestMachine();
  t.pools = pools;
  const char* text =
      "function test width 8\n"
      "value %0 G 4x1\n"
      "value %1 G 4x1\n"
      "value %2 F 0x1\n"
      "value %3 G 4x1\n"
      "value %4 G 4x1\n"
      "block b0 depth 0\n"
      "  %0:ud = const #0x1:ud {w8}\n"
      "  %2:ud = cmp %0:ud {w8}\n"
      "  if %2:ud {w8 pred 1}\n"
      "  -> b1, b2\n"
      "block b1 depth 0\n"
      "  %1:ud = const #0x2:ud {w8}\n"
      "  %3:ud = const #0x3:ud {w8}\n"
      "  store %1:ud %3:ud\n"
      "  else\n"
      "  -> b3\n"
      "  ~> b2\n"
      "block b2 depth 0\n"
      "  store %0:ud\n"
      "  endif\n"
      "  -> b3\n"
      "block b3 depth 0\n"
      "  end\n";
  Function f = Read(text);
  MustAllocate(t, &f);
  // Written for all lanes, the same value needs a third register.
  std::string no_mask = text;
  no_mask.replace(no_mask.find("#0x2:ud {w8}"), 12, "#0x2:ud {w8 nomask}");
  no_mask.replace(no_mask.find("#0x3:ud {w8}"), 12, "#0x3:ud {w8 nomask}");
  Function g = Read(no_mask);
  const auto stats = Allocate(t, &g);
  ASSERT_FALSE(stats.ok());
  EXPECT_EQ(CauseOf(stats.status()), "out_of_registers");
}

// Two payloads of the message that ends the thread take 9 of the tail's 16 registers, wherever the
// values before them end.
TEST(AllocateTest, PayloadsShareTheTail) {
  for (int before = 100; before < 128; ++before) {
    std::string values, code;
    for (int i = 0; i < before; ++i) {
      absl::StrAppend(&values, "value %", i, " G 4x1\n");
      absl::StrAppend(&code, "  %", i, ":ud = const #0x1:ud {w8}\n  store %", i, ":ud\n");
    }
    const int a = before, b = before + 1;
    absl::StrAppend(&values, "value %", a, " G 4x1 tail\nvalue %", b, " G 4x8 tail\n");
    absl::StrAppend(&code, "  %", a, ":ud = const #0x1:ud {w8}\n  %", b,
                    "x8:ud = load #0x1:ud {w8}\n");
    absl::StrAppend(&code, "  store %", a, ":ud %", b, "x8:ud\n  end\n");
    Function f = Read(absl::StrCat("function test width 8\n", values, "block b0 depth 0\n", code));
    MustAllocate(TestMachine(), &f);
    EXPECT_GE(RegOf(f, static_cast<uint32_t>(a)), 896u);
    EXPECT_GE(RegOf(f, static_cast<uint32_t>(b)), 896u);
  }
}

// 16-bit and 32-bit lanes are in different bytes: they must not share a register even masked.
TEST(AllocateTest, DifferentLaneLayoutsDoNotShare) {
  const PoolInfo pools[] = {{"grf", 16, 0, 8, 8, true}, {"flag", 4}};
  Machine t = TestMachine();
  t.pools = pools;
  Function f = Read(
      "function test width 8\n"
      "value %0 G 4x1\n"
      "value %1 G 2x1 id 71\n"
      "value %2 F 0x1\n"
      "value %3 G 2x1 id 73\n"
      "value %4 G 2x1 id 74\n"
      "block b0 depth 0\n"
      "  %0:ud = const #0x1:ud {w8}\n"
      "  %2:ud = cmp %0:ud {w8}\n"
      "  if %2:ud {w8 pred 1}\n"
      "  -> b1, b2\n"
      "block b1 depth 0\n"
      "  %1:uw = const #0x2:uw {w8}\n"
      "  %3:uw = const #0x3:uw {w8}\n"
      "  %4:uw = const #0x4:uw {w8}\n"
      "  store %1:uw %3:uw %4:uw\n"
      "  else\n"
      "  -> b3\n"
      "  ~> b2\n"
      "block b2 depth 0\n"
      "  store %0:ud\n"
      "  endif\n"
      "  -> b3\n"
      "block b3 depth 0\n"
      "  end\n");
  const auto stats = Allocate(t, &f);
  ASSERT_FALSE(stats.ok());
  EXPECT_EQ(CauseOf(stats.status()), "out_of_registers");
  EXPECT_EQ(SpirvIdOf(stats.status()), 74u) << stats.status();
}

// The then side writes the parameter of a join; a NoMask write on the else side spares it. The same
// holds in a loop for the parameter of its exit, and after a continue for the parameter of the
// continue block.
TEST(AllocateTest, ParametersOfLanesThatWaitAreSpared) {
  Function f = Read(
      "function test width 8\n"
      "value %0 G 4x1\n"
      "value %1 U 4x8 whole\n"
      "value %2 F 0x1\n"
      "value %3 G 4x1\n"
      "value %4 U 4x8 whole\n"
      "value %5 G 4x1\n"
      "value %6 G 4x1\n"
      "value %7 F 0x1\n"
      "livein %0 at 8\n"
      "block b0 depth 0\n"
      "  %2:ud = cmp %0:ud {w8}\n"
      "  if %2:ud {w8 pred 1}\n"
      "  -> b1, b2\n"
      "block b1 depth 0\n"
      "  %6:ud = const #0x3:ud {w8}\n"
      "  else\n"
      "  -> b3(%6:ud)\n"
      "  ~> b2\n"
      "block b2 depth 0\n"
      "  %1x8:ud = load #0x0:ud {w8 nomask}\n"
      "  store %1x8:ud\n"
      "  endif\n"
      "  -> b3(%0:ud)\n"
      "block b3 depth 0 params %3\n"
      "  -> b4\n"
      "block b4 depth 1\n"
      "  %7:ud = cmp %3:ud {w8}\n"
      "  if %7:ud {w8 pred 1}\n"
      "  -> b5, b7\n"
      "block b5 depth 1\n"
      "  break\n"
      "  -> b8(%3:ud)\n"
      "  ~> b6\n"
      "block b6 depth 1\n"
      "  endif\n"
      "  -> b7\n"
      "block b7 depth 1\n"
      "  %4x8:ud = load #0x0:ud {w8 nomask}\n"
      "  store %4x8:ud\n"
      "  while\n"
      "  -> b4\n"
      "block b8 depth 0 params %5\n"
      "  store %5:ud\n"
      "  end\n");
  MustAllocate(TestMachine(), &f);
}

TEST(AllocateTest, PayloadIsFreeAfterItsLastUse) {
  // Three registers: two live-ins, of which one is used in the loop and so lives to its end.
  const PoolInfo pools[] = {{"grf", 24, 0, 8, 8, true}, {"flag", 4}};
  Machine t = TestMachine();
  t.pools = pools;
  Function f = Read(
      "function test width 8\n"
      "value %0 G 4x1\n"
      "value %1 G 4x1\n"
      "value %2 G 4x1\n"
      "value %3 G 4x1\n"
      "value %4 F 0x1\n"
      "livein %0 at 0\n"
      "livein %1 at 8\n"
      "block b0 depth 0\n"
      "  %2:ud = add %0:ud %0:ud {w8}\n"
      "  -> b1\n"
      "block b1 depth 1\n"
      "  %3:ud = add %1:ud %2:ud {w8}\n"
      "  store %3:ud\n"
      "  %4:ud = cmp %1:ud {w8}\n"
      "  while %4:ud {w8 pred 1}\n"
      "  -> b1, b2\n"
      "block b2 depth 0\n"
      "  end\n");
  MustAllocate(t, &f);
  EXPECT_NE(RegOf(f, 3), 8u);                         // %1 is live around the loop
  EXPECT_TRUE(RegOf(f, 2) == 0 || RegOf(f, 3) == 0);  // %0 is not
}

// Ends of nested ifs: a value made on the innermost side gets the register hinted for the parameter
// of the outermost end, and no end copies it.
TEST(AllocateTest, ArgumentsOfNestedEndsAreMadeWhereTheLastOneIs) {
  Function f = Read(
      "function test width 16\n"
      "value %0 U 4x8 whole\n"
      "value %1 F 0x1\n"
      "value %2 F 0x1\n"
      "value %3 G 4x1\n"
      "value %4 G 4x1\n"
      "value %5 G 4x1\n"
      "value %6 G 4x1\n"
      "value %7 G 4x1\n"
      "value %8 U 4x8 whole\n"
      "livein %0 at 0\n"
      "livein %8 at 8\n"
      "block b0 depth 0\n"
      "  %1:ud = cmp %0:ud {w16}\n"
      "  if %1:ud {w16 pred 1}\n"
      "  -> b1, b2\n"
      "block b1 depth 0\n"
      "  %3:ud = const #0x1:ud {w16}\n"
      "  else {w16}\n"
      "  -> b6(%3:ud)\n"
      "  ~> b2\n"
      "block b2 depth 0\n"
      "  %2:ud = cmp %8:ud {w16}\n"  // the last use: a hole before the register of %3
      "  if %2:ud {w16 pred 1}\n"
      "  -> b3, b4\n"
      "block b3 depth 0\n"
      "  %4:ud = const #0x2:ud {w16}\n"
      "  else {w16}\n"
      "  -> b5(%4:ud)\n"
      "  ~> b4\n"
      "block b4 depth 0\n"
      "  %5:ud = const #0x3:ud {w16}\n"
      "  endif {w16}\n"
      "  -> b5(%5:ud)\n"
      "block b5 depth 0 params %6\n"
      "  endif {w16}\n"
      "  -> b6(%6:ud)\n"
      "block b6 depth 0 params %7\n"
      "  store %0:ud %7:ud {w16}\n"
      "  end\n");
  const AllocationStats stats = MustAllocate(TestMachine(), &f);
  EXPECT_EQ(stats.copies_inserted, 0u);
  EXPECT_EQ(RegOf(f, 4), RegOf(f, 3));
  EXPECT_EQ(RegOf(f, 5), RegOf(f, 3));
}

// Components of a message result are arguments of a join: the result of a second message gets the
// registers of the first one, whose lanes wait for the join meanwhile.
TEST(AllocateTest, ComponentsOfAnAnswerAreWhereTheirParametersAre) {
  Function f = Read(
      "function test width 16\n"
      "value %0 U 4x8 whole\n"
      "value %1 F 0x1\n"
      "value %2 G 4x3\n"
      "value %3 G 4x3\n"
      "value %4 G 4x1\n"
      "value %5 G 4x1\n"
      "value %6 G 4x1\n"
      "livein %0 at 0\n"
      "block b0 depth 0\n"
      "  %2x3:ud = load %0:ud {w16}\n"
      "  %1:ud = cmp %0:ud {w16}\n"
      "  if %1:ud {w16 pred 1}\n"
      "  -> b1, b2\n"
      "block b1 depth 0\n"
      "  %3x3:ud = load %0:ud {w16}\n"
      "  else {w16}\n"
      "  -> b3(%3.1:ud, %3.2:ud)\n"
      "  ~> b2\n"
      "block b2 depth 0\n"
      "  endif {w16}\n"
      "  -> b3(%2.1:ud, %2.2:ud)\n"
      "block b3 depth 0 params %4 %5\n"
      "  %6:ud = add %4:ud %5:ud {w16}\n"
      "  store %0:ud %6:ud {w16}\n"
      "  end\n");
  const AllocationStats stats = MustAllocate(TestMachine(), &f);
  EXPECT_EQ(stats.copies_inserted, 0u);
  EXPECT_EQ(RegOf(f, 3), RegOf(f, 2));
}

// The hardware waits for whole registers: a short value is not put into a register in which other
// values are still to be read.
TEST(AllocateTest, AShortValueLeavesARegisterThatOthersAreIn) {
  Function f = Read(
      "function test width 8\n"
      "value %0 U 4x8 whole\n"
      "value %1 U 4x1\n"
      "value %2 U 4x1\n"
      "value %3 U 4x1\n"
      "livein %0 at 8\n"
      "block b0 depth 0\n"
      "  %1:ud = add %0:ud %0:ud {nomask}\n"
      "  %2:ud = add %0.1:ud %1:ud {nomask}\n"
      "  %3:ud = add %0.2:ud %2:ud {nomask}\n"
      "  end %3:ud\n");
  MustAllocate(TestMachine(), &f);
  EXPECT_NE(RegOf(f, 1) / 8, 1u);
  EXPECT_NE(RegOf(f, 2) / 8, 1u);
  EXPECT_EQ(RegOf(f, 3), 10u);  // no other value is left in that register
}

// The registers of held live-ins are never overwritten, even after their last use: neither where
// values fit, nor by values moved out of the way, nor by spills.
TEST(AllocateTest, RandomProgramsWithLiveInsThatAreHeld) {
  const Machine& t = SmallTestMachine();
  uint32_t done = 0, spills = 0, compactions = 0, without = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    testing::RandomOptions options;
    options.width = seed % 2 == 0 ? 8 : 16;
    options.pool_size = 4 + static_cast<int>(seed % 9);
    options.live_ins = 4;
    options.instructions = 80;
    options.exits = seed % 3 == 0 ? 8 : 0;
    options.held = 60;
    const Function ssa = testing::RandomProgram(seed, options);
    ASSERT_TRUE(Verify(t, ssa).ok());
    Function f = ssa;
    const auto stats = AllocateWithSpills(t, &f);
    if (!stats.ok()) {
      ASSERT_EQ(CauseOf(stats.status()), "out_of_registers") << seed << ": " << stats.status();
      continue;
    }
    ASSERT_TRUE(VerifyAllocated(t, f).ok()) << seed << ": " << VerifyAllocated(t, f);
    const absl::Status s = CheckAllocation(t, ssa, f);
    ASSERT_TRUE(s.ok()) << "seed " << seed << ": " << s << "\n" << Print(t, f);
    ++done;
    spills += stats->spill.spills;
    compactions += stats->compactions;
    Function freed = ssa;
    for (LiveIn& l : freed.live_ins) l.held = false;
    const auto fewer = AllocateWithSpills(t, &freed);
    ASSERT_TRUE(fewer.ok()) << seed << ": " << fewer.status();
    without += fewer->spill.spills;
  }
  printf("%u programs, %u spills (%u if nothing is held), %u compactions\n", done, spills, without,
         compactions);
  EXPECT_GT(done, 200u);
  EXPECT_GT(spills, without);
  EXPECT_GT(compactions, 0u);
}

TEST(AllocateTest, CopiesAndCollectsMeetWithoutInstructions) {
  Function f = Read(
      "function test width 8\n"
      "value %0 G 4x1\n"
      "value %1 G 4x1\n"
      "value %2 G 4x1\n"
      "value %3 G 4x3 whole\n"
      "value %4 G 4x1\n"
      "block b0 depth 0\n"
      "  %0:ud = const #0x1:ud {w8}\n"
      "  %1:ud = copy %0:ud {w8}\n"
      "  %2:ud = const #0x2:ud {w8}\n"
      "  %4:ud = const #0x2:ud {w8}\n"
      "  %3x3:ud = collect %4:ud %1:ud %2:ud {w8}\n"
      "  store %3x3:ud\n"
      "  end\n");
  const AllocationStats stats = MustAllocate(TestMachine(), &f);
  EXPECT_EQ(stats.collect_parts, 3u);
  EXPECT_EQ(stats.collect_parts_in_place, 3u);
  EXPECT_EQ(stats.copies_removed, 1u);
  EXPECT_EQ(stats.copies_inserted, 0u);
}

// A vector most of whose components a collect reads in order is defined where the collect wants it.
// One of which it reads a single component is not, since it would displace other parts.
TEST(AllocateTest, PartsOfOneVectorAreDefinedWhereTheCollectWantsThem) {
  Function f = Read(
      "function test width 8\n"
      "value %0 G 4x4\n"
      "value %1 G 4x1\n"
      "value %2 G 4x4 whole tail\n"
      "block b0 depth 0\n"
      "  %0x4:ud = load #0x1:ud {w8}\n"
      "  %1:ud = const #0x2:ud {w8}\n"
      "  %2x4:ud = collect %0:ud %0.1:ud %0.2:ud %1:ud {w8}\n"
      "  store %2x4:ud\n"
      "  end\n");
  const AllocationStats stats = MustAllocate(TestMachine(), &f);
  EXPECT_EQ(stats.collect_parts, 4u);
  EXPECT_EQ(stats.collect_parts_in_place, 4u);

  Function one = Read(
      "function test width 8\n"
      "value %0 G 4x4\n"
      "value %1 G 4x1\n"
      "value %2 G 4x4 whole tail\n"
      "block b0 depth 0\n"
      "  %0x4:ud = load #0x1:ud {w8}\n"
      "  %1:ud = const #0x2:ud {w8}\n"
      "  %2x4:ud = collect %0:ud %1:ud %1:ud %1:ud {w8}\n"
      "  store %2x4:ud\n"
      "  end\n");
  MustAllocate(TestMachine(), &one);
  EXPECT_LT(one.defs(one.blocks[0].insts[0])[0].reg, TestMachine().pools[0].tail_first);
}

// Arguments from both sides of an if are defined where the vector after the join wants the
// parameter.
TEST(AllocateTest, ArgumentsOfAPartAreDefinedWhereTheCollectWantsThem) {
  Function f = Read(
      "function test width 8\n"
      "value %0 G 4x1\n"
      "value %1 F 0x1\n"
      "value %2 G 4x1\n"
      "value %3 G 4x1\n"
      "value %4 G 4x1\n"
      "value %5 G 4x1\n"
      "value %6 G 4x2 whole tail\n"
      "livein %0 at 0\n"
      "block b0 depth 0\n"
      "  %1:ud = cmp %0:ud {w8}\n"
      "  if %1:ud {w8 pred 1}\n"
      "  -> b1, b2\n"
      "block b1 depth 0\n"
      "  %2:ud = add %0:ud %0:ud {w8}\n"
      "  else\n"
      "  -> b3(%2:ud)\n"
      "  ~> b2\n"
      "block b2 depth 0\n"
      "  %3:ud = add %0:ud #0x1:ud {w8}\n"
      "  endif\n"
      "  -> b3(%3:ud)\n"
      "block b3 depth 0 params %4\n"
      "  %5:ud = const #0x2:ud {w8}\n"
      "  %6x2:ud = collect %5:ud %4:ud {w8}\n"
      "  store %6x2:ud\n"
      "  end\n");
  const AllocationStats stats = MustAllocate(TestMachine(), &f);
  EXPECT_EQ(stats.collect_parts_in_place, 2u);
  EXPECT_EQ(stats.copies_inserted, 0u);
}

TEST(AllocateTest, ALoopCounterNeedsNoCopy) {
  Function f = Read(
      "function test width 8\n"
      "value %0 G 4x1\n"
      "value %1 G 4x1\n"
      "value %2 G 4x1\n"
      "value %3 F 0x1\n"
      "block b0 depth 0\n"
      "  %0:ud = const #0x0:ud {w8}\n"
      "  -> b1(%0:ud)\n"
      "block b1 depth 1 params %1\n"
      "  %3:ud = cmp %1:ud {w8}\n"
      "  break %3:ud {w8 pred 1}\n"
      "  -> b3, b2\n"
      "block b2 depth 1\n"
      "  %2:ud = add %1:ud #0x1:ud {w8}\n"
      "  while\n"
      "  -> b1(%2:ud)\n"
      "block b3 depth 0\n"
      "  end\n");
  EXPECT_EQ(MustAllocate(TestMachine(), &f).copies_inserted, 0u);
}

// %4 could take the register of %1, which dies there, but is live when the next %1 is loaded.
TEST(AllocateTest, WhatLivesOnLeavesTheHomeOfALoopsNextValue) {
  Function f = Read(
      "function test width 8\n"
      "value %0 G 4x1\n"
      "value %1 G 4x1\n"
      "value %2 G 4x1\n"
      "value %3 F 0x1\n"
      "value %4 G 4x1\n"
      "block b0 depth 0\n"
      "  %0:ud = const #0x0:ud {w8}\n"
      "  -> b1(%0:ud)\n"
      "block b1 depth 1 params %1\n"
      "  %3:ud = cmp %1:ud {w8}\n"
      "  break %3:ud {w8 pred 1}\n"
      "  -> b3, b2\n"
      "block b2 depth 1\n"
      "  %4:ud = add %1:ud #0x1:ud {w8}\n"
      "  %2:ud = load #0x0:ud {w8}\n"
      "  store %4:ud\n"
      "  while\n"
      "  -> b1(%2:ud)\n"
      "block b3 depth 0\n"
      "  end\n");
  EXPECT_EQ(MustAllocate(TestMachine(), &f).copies_inserted, 0u);
}

TEST(AllocateTest, AUniformParameterReadAfterADivergentExitIsTheSelectorsError) {
  Function f = Read(
      "function test width 8\n"
      "value %0 U 4x1\n"
      "value %1 U 4x1\n"
      "value %2 U 4x1\n"
      "value %3 F 0x1\n"
      "livein %0 at 0\n"
      "block b0 depth 0\n"
      "  -> b1(%0:ud)\n"
      "block b1 depth 1 params %1\n"
      "  %3:ud = cmp %1:ud {w8}\n"
      "  break %3:ud {w8 pred 1}\n"
      "  -> b3, b2\n"
      "block b2 depth 1\n"
      "  %2:ud = add %1:ud #0x1:ud {w8}\n"
      "  while\n"
      "  -> b1(%2:ud)\n"
      "block b3 depth 0\n"
      "  store %1:ud\n"
      "  end\n");
  const auto stats = Allocate(TestMachine(), &f);
  ASSERT_FALSE(stats.ok());
  EXPECT_EQ(stats.status().code(), absl::StatusCode::kInternal);
}

// A loop with a divergent exit computes %2 from its parameter, and %3 is read after the loop.
std::string UniformOfALoop(const char* compute) {
  return absl::StrCat(
      "function test width 8\n"
      "value %0 U 4x1\n"
      "value %1 U 4x1\n"
      "value %2 U 4x1\n"
      "value %3 U 4x1\n"
      "value %4 F 0x1\n"
      "livein %0 at 0\n"
      "block b0 depth 0\n"
      "  -> b1(%0:ud)\n"
      "block b1 depth 1 params %1\n  ",
      compute,
      "  %4:ud = cmp %2:ud {w8}\n"
      "  break %4:ud {w8 pred 1}\n"
      "  -> b3, b2\n"
      "block b2 depth 1\n"
      "  while\n"
      "  -> b1(%2:ud)\n"
      "block b3 depth 0\n"
      "  store %3:ud\n"
      "  end\n");
}

// Lanes that left in an earlier iteration would find the value computed in the last iteration.
TEST(AllocateTest, UniformValuesThatDifferByRoundAreTheSelectorsErrorAfterADivergentExit) {
  for (const char* compute : {"%2:ud = add %1:ud #0x1:ud {w8 nomask}\n  %3:ud = copy %1:ud {w8}\n",
                              "%2:ud = add %1:ud #0x1:ud {w8 nomask}\n  %3:ud = copy %2:ud {w8}\n",
                              "%2:ud = copy %0:ud {w8}\n  %3:ud = load %0:ud {w8 nomask}\n"}) {
    Function f = Read(UniformOfALoop(compute));
    EXPECT_EQ(Allocate(TestMachine(), &f).status().code(), absl::StatusCode::kInternal) << compute;
  }
}

TEST(AllocateTest, UniformValuesThatAreTheSameInEveryRoundMayBeReadAfterADivergentExit) {
  Function f =
      Read(UniformOfALoop("%2:ud = add %0:ud #0x1:ud {w8 nomask}\n  %3:ud = copy %2:ud {w8}\n"));
  MustAllocate(TestMachine(), &f);
}

TEST(AllocateTest, RefusesByNameWhenRegistersRunOut) {
  Function f;
  f.dispatch_width = 16;
  Builder b(f);
  b.SetBlock(b.NewBlock());
  std::vector<ValueId> values;
  InstFields fields;
  fields.width = 16;
  for (int k = 0; k < 65; ++k) {
    Value v;
    v.file = testing::kG;
    v.spirv_id = 100 + k;
    values.push_back(b.NewValue(v));
    b.Emit(testing::kConstOp, fields, {ValueOperand(values.back(), 0)}, {ImmOperand(1, 0)});
  }
  for (ValueId v : values) b.Emit(testing::kStoreOp, fields, {}, {ValueOperand(v, 0)});
  b.Emit(testing::kEndOp, fields, {}, {});
  const auto stats = Allocate(TestMachine(), &f);
  ASSERT_FALSE(stats.ok());
  EXPECT_EQ(CauseOf(stats.status()), "out_of_registers");
  EXPECT_EQ(SpirvIdOf(stats.status()), 164u) << stats.status();
}

TEST(AllocateTest, ManyLiveValuesFitAtTheFirstAttempt) {
  Function f;
  f.dispatch_width = 8;
  Builder b(f);
  b.SetBlock(b.NewBlock());
  InstFields fields;
  fields.width = 1;
  fields.flags = kNoMask;
  std::vector<ValueId> values;
  for (int k = 0; k < 512; ++k) {
    Value v;
    v.file = testing::kU;
    values.push_back(b.NewValue(v));
    b.Emit(testing::kConstOp, fields, {ValueOperand(values.back(), 0)}, {ImmOperand(1, 0)});
  }
  for (ValueId v : values) b.Emit(testing::kStoreOp, fields, {}, {ValueOperand(v, 0)});
  b.Emit(testing::kEndOp, fields, {}, {});
  const AllocationStats stats = MustAllocate(TestMachine(), &f);
  EXPECT_EQ(stats.attempts, 1u);
  EXPECT_EQ(stats.max_live[0].logical, 512u);
}

// All registers but three are taken, and between those and a fourth is a single dword: the second
// of a value whose first is dead. The hole for it is the pool's first unit, where the value itself
// would begin one unit before the pool. The next block finds it at home.
TEST(AllocateTest, WhatMovesAwayBeginsWithinThePool) {
  constexpr int kValues = 30;  // of one register, in r2 to r31
  std::string text =
      "function test width 8\nvalue %0 U 4x8 whole\nvalue %1 U 4x4\nvalue %2 G 4x4 whole\n";
  for (int k = 0; k < kValues; ++k) absl::StrAppend(&text, "value %", 3 + k, " G 4x1\n");
  absl::StrAppend(&text, "livein %0 at 0\nblock b0 depth 0\n  %1x4:ud = add %0:ud #0x1:ud ",
                  "{w8 nomask}\n");
  for (int k = 0; k < kValues; ++k) {
    absl::StrAppend(&text, "  %", 3 + k, ":ud = load #0x1:ud {w8}\n");
  }
  const auto store = [&](int k) { absl::StrAppend(&text, "  store %", 3 + k, ":ud {w8}\n"); };
  absl::StrAppend(&text, "  store %0x8:ud {w8}\n");
  for (int k = 0; k < 3; ++k) store(k);
  absl::StrAppend(&text, "  %2x4:ud = load #0x1:ud {w8}\n  store %2x4:ud {w8}\n  -> b1\n",
                  "block b1 depth 0\n  store %1.1:ud {w8}\n");
  for (int k = 3; k < kValues; ++k) store(k);
  absl::StrAppend(&text, "  store %0.3:ud {w8}\n  end #0x1:ud {w8}\n");
  auto f = Parse(SmallTestMachine(), text);
  ASSERT_TRUE(f.ok()) << f.status();
  ASSERT_TRUE(Verify(SmallTestMachine(), *f).ok()) << Verify(SmallTestMachine(), *f);
  EXPECT_EQ(MustAllocate(SmallTestMachine(), &*f).compactions, 1u);
}

}  // namespace
}  // namespace kiln::lir::ra
