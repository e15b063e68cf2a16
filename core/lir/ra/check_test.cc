// Tests the checker: it accepts correct allocations and catches at least 99 % of mutated ones.
//
// Mutations: mutations.h. The share for each kind of mutation must not be much lower than for all
// together.
#include "core/lir/ra/check.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/lir/liveness.h"
#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "core/lir/ra/allocate.h"
#include "core/lir/ra/mutations.h"
#include "core/lir/random_program.h"
#include "core/lir/testing.h"
#include "gtest/gtest.h"

namespace kiln::lir::ra {
namespace {

using testing::TestMachine;

Function Read(const std::string& text) {
  auto f = Parse(TestMachine(), text);
  EXPECT_TRUE(f.ok()) << f.status();
  return *std::move(f);
}

// ---- Each shape by hand: `%0` is in unit 8 or 16 while `nomask` writes unit 8.

struct Shape {
  const char* name;
  const char* text;
};

constexpr char kHead[] =
    "function test width 8\n"
    "value %0 G 4x1\n"
    "value %1 G 4x1\n"
    "value %2 F 0x1\n"
    "value %3 G 4x1\n"
    "value %4 F 0x1\n";

const Shape kShapes[] = {
    {"break: a value of the head, needed after the loop",
     "block b0 depth 0\n"
     "  -> b1\n"
     "block b1 depth 1\n"
     "  %1:ud@16 = const #0x5:ud {w8 nomask}\n"
     "  store %1:ud@16\n"
     "  %0:ud@8 = const #0x1:ud {w8}\n"
     "  %2:ud@0 = cmp %0:ud@8 {w8}\n"
     "  break %2:ud@0 {w8 pred 1}\n"
     "  -> b3, b2\n"
     "block b2 depth 1\n"
     "  while\n"
     "  -> b1\n"
     "block b3 depth 0\n"
     "  end %0:ud@8\n"},
    {"else only: a value that only the else side reads",
     "block b0 depth 0\n"
     "  %0:ud@8 = const #0x1:ud {w8}\n"
     "  %2:ud@0 = cmp %0:ud@8 {w8}\n"
     "  if %2:ud@0 {w8 pred 1}\n"
     "  -> b1, b2\n"
     "block b1 depth 0\n"
     "  %1:ud@16 = const #0x5:ud {w8 nomask}\n"
     "  store %1:ud@16\n"
     "  else\n"
     "  -> b3\n"
     "  ~> b2\n"
     "block b2 depth 0\n"
     "  store %0:ud@8\n"
     "  endif\n"
     "  -> b3\n"
     "block b3 depth 0\n"
     "  end\n"},
    {"continue: a value that the continue block reads",
     "block b0 depth 0\n"
     "  -> b1\n"
     "block b1 depth 1\n"
     "  %0:ud@8 = const #0x1:ud {w8}\n"
     "  %2:ud@0 = cmp %0:ud@8 {w8}\n"
     "  if %2:ud@0 {w8 pred 1}\n"
     "  -> b2, b3\n"
     "block b2 depth 1\n"
     "  cont {w8}\n"
     "  -> b5\n"
     "  ~> b3\n"
     "block b3 depth 1\n"
     "  endif\n"
     "  -> b4\n"
     "block b4 depth 1\n"
     "  %1:ud@16 = const #0x5:ud {w8 nomask}\n"
     "  store %1:ud@16\n"
     "  -> b5\n"
     "block b5 depth 1\n"
     "  store %0:ud@8\n"
     "  while\n"
     "  -> b1\n"},
    {"nested: lanes that wait for the outer join while an inner loop runs",
     "block b0 depth 0\n"
     "  %0:ud@8 = const #0x1:ud {w8}\n"
     "  %2:ud@0 = cmp %0:ud@8 {w8}\n"
     "  if %2:ud@0 {w8 pred 1}\n"
     "  -> b1, b4\n"
     "block b1 depth 0\n"
     "  -> b2\n"
     "block b2 depth 1\n"
     "  %1:ud@16 = const #0x5:ud {w8 nomask}\n"
     "  %4:ud@1 = cmp %1:ud@16 {w8}\n"
     "  while %4:ud@1 {w8 pred 1}\n"
     "  -> b2, b3\n"
     "block b3 depth 0\n"
     "  endif\n"
     "  -> b4\n"
     "block b4 depth 0\n"
     "  end %0:ud@8\n"},
};

TEST(CheckTest, EachShapeOfParkedLanes) {
  for (const Shape& s : kShapes) {
    const std::string good = std::string(kHead) + s.text;
    const Function f = Read(good);
    EXPECT_TRUE(CheckAllocation(TestMachine(), f, f).ok())
        << s.name << ": " << CheckAllocation(TestMachine(), f, f);
    // The NoMask value moves into the register of the value that parked lanes hold.
    std::string bad = good;
    for (size_t at; (at = bad.find("%1:ud@16")) != bad.npos;) bad.replace(at, 8, "%1:ud@8");
    EXPECT_FALSE(CheckAllocation(TestMachine(), f, Read(bad)).ok()) << s.name;
  }
}

// A masked write at the same point is harmless in the break shape (the lane that executes writes %0
// again before it leaves) and where the side that runs does not need the value.
TEST(CheckTest, MaskedWritesShareLanes) {
  for (int k : {0, 1, 2}) {
    std::string text = std::string(kHead) + kShapes[k].text;
    for (size_t at; (at = text.find(" nomask")) != text.npos;) text.erase(at, 7);
    for (size_t at; (at = text.find("%1:ud@16")) != text.npos;) text.replace(at, 8, "%1:ud@8");
    const Function f = Read(text);
    const absl::Status s = CheckAllocation(TestMachine(), f, f);
    // In the continue shape %0 is needed by lanes that go on as well.
    EXPECT_EQ(s.ok(), k != 2) << kShapes[k].name << ": " << s;
  }
}

// Moves that are correct without an exit and wrong with one: a value is out of its home, in unit 8,
// at a point where the thread may leave.
struct ExitShape {
  const char* name;
  uint32_t moved;      // the value
  const char* before;  // ... the point where it is out of its home
  const char* after;
};
constexpr char kExit[] = "  exit %2:ud@0 {w8 pred 1}\n";
constexpr char kOut[] = "  %1:ud@8 = const #0x5:ud {nomask}\n  store %1:ud@8\n";
constexpr char kExitHead[] =
    "function test width 8\n"
    "value %0 U 4x1\n"
    "value %1 U 4x1\n"
    "value %2 F 0x1\n"
    "value %3 G 4x1\n";

const ExitShape kExitShapes[] = {
    {"what the exit block reads for all lanes", 0,
     "exit_block b1\n"
     "block b0 depth 0\n"
     "  %0:ud@8 = const #0x1:ud {nomask}\n"
     "  %2:ud@0 = cmp %0:ud@8 {w8}\n",
     "  -> b1\n"
     "block b1 depth 0\n"
     "  end %0:ud@8\n"},
    {"what lanes hold that wait for the else side", 0,
     "exit_block b3\n"
     "block b0 depth 0\n"
     "  %0:ud@8 = const #0x1:ud {nomask}\n"
     "  %2:ud@0 = cmp %0:ud@8 {w8}\n"
     "  if %2:ud@0 {w8 pred 1}\n"
     "  -> b1, b2\n"
     "block b1 depth 0\n",
     "  else\n"
     "  -> b3\n"
     "  ~> b2\n"
     "block b2 depth 0\n"
     "  store %0:ud@8\n"
     "  endif\n"
     "  -> b3\n"
     "block b3 depth 0\n"
     "  end\n"},
    {"what lanes hold that have left the loop", 3,
     "exit_block b3\n"
     "block b0 depth 0\n"
     "  %3:ud@8 = const #0x1:ud {w8 nomask}\n"
     "  %2:ud@0 = cmp %3:ud@8 {w8}\n"
     "  -> b1\n"
     "block b1 depth 1\n"
     "  break %2:ud@0 {w8 pred 1}\n"
     "  -> b3, b2\n"
     "block b2 depth 1\n",
     "  while\n"
     "  -> b1\n"
     "block b3 depth 0\n"
     "  end %3:ud@8 {w8}\n"},
};

InstId MoveOf(Function* f, uint32_t value, uint32_t to, uint32_t from) {
  const Value v = f->values[value];
  const uint32_t units = TestMachine().units_per_comp(*f, v);
  const InstId i = TestMachine().make_copy(*f, v, to, from, units, true);
  for (Operand& o : f->defs(i)) o.id = value;
  for (Operand& o : f->uses(i)) o.id = value;
  return i;
}

// Returns the checker's result if the value moves to unit 16 before kOut, and home `distance`
// instructions after it. The exit is before or after kOut.
absl::Status Verdict(const ExitShape& s, bool exit_first, size_t distance) {
  const Function ssa = Read(std::string(kExitHead) + s.before + (exit_first ? kExit : "") + kOut +
                            (exit_first ? "" : kExit) + s.after);
  Function f = ssa;
  const InstId away = MoveOf(&f, s.moved, 16, 8), back = MoveOf(&f, s.moved, 8, 16);
  for (Block& b : f.blocks) {
    const auto out = std::find_if(b.insts.begin(), b.insts.end(), [&](InstId i) {
      return f.inst(i).num_defs != 0 && f.defs(i)[0].id == 1;
    });
    if (out == b.insts.end()) continue;
    const auto at = out - b.insts.begin();
    b.insts.insert(b.insts.begin() + at + 2 + static_cast<std::ptrdiff_t>(distance), back);
    b.insts.insert(b.insts.begin() + at, away);
    break;
  }
  return CheckAllocation(TestMachine(), ssa, f);
}

TEST(CheckTest, AtAnExitEverythingIsAtHome) {
  for (const ExitShape& s : kExitShapes) {
    EXPECT_TRUE(Verdict(s, true, 0).ok()) << s.name << ": " << Verdict(s, true, 0);
    EXPECT_TRUE(Verdict(s, false, 0).ok()) << s.name << ": " << Verdict(s, false, 0);
    EXPECT_FALSE(Verdict(s, false, 1).ok()) << s.name;
  }
}

// A loop that only exits leave: values that the exit block reads for all lanes are live around it.
TEST(CheckTest, TheExitBlockIsReachedByExitsAlone) {
  const std::string text = std::string(kExitHead) +
                           "exit_block b2\n"
                           "block b0 depth 0\n"
                           "  %0:ud@8 = const #0x1:ud {nomask}\n"
                           "  %2:ud@0 = cmp %0:ud@8 {w8}\n"
                           "  -> b1\n"
                           "block b1 depth 1\n"
                           "  exit %2:ud@0 {w8 pred 1}\n"
                           "  %1:ud@16 = const #0x5:ud {nomask}\n"
                           "  store %1:ud@16\n"
                           "  while\n"
                           "  -> b1\n"
                           "block b2 depth 0\n"
                           "  end %0:ud@8\n";
  const Function f = Read(text);
  EXPECT_TRUE(CheckAllocation(TestMachine(), f, f).ok()) << CheckAllocation(TestMachine(), f, f);
  std::string bad = text;
  for (size_t at; (at = bad.find("%1:ud@16")) != bad.npos;) bad.replace(at, 8, "%1:ud@8");
  EXPECT_FALSE(CheckAllocation(TestMachine(), f, Read(bad)).ok());
}

// Reserved units hold no value, and a pool ends where the function says.
TEST(CheckTest, ReservedUnitsHoldNoValue) {
  const std::string text =
      "function test width 8\n"
      "value %0 G 4x1\n"
      "pool grf units 64\n"
      "pool flag units 4\n"
      "reserved grf at 12 units 2\n"
      "block b0 depth 0\n"
      "  %0:ud@REG = const #0x1:ud {w8}\n"
      "  store %0:ud@REG\n"
      "  end\n";
  for (const auto& [reg, good] :
       {std::pair("0", true), {"16", true}, {"8", false}, {"64", false}}) {
    std::string placed = text;
    for (size_t at; (at = placed.find("REG")) != std::string::npos;) placed.replace(at, 3, reg);
    const Function f = Read(placed);
    EXPECT_EQ(CheckAllocation(TestMachine(), f, f).ok(), good) << reg;
  }
}

// A held live-in keeps its register to the program's end, even without uses.
TEST(CheckTest, WhatIsHeldIsNotWrittenOver) {
  for (const auto& [held, place, good] : {std::tuple("", "8", true),
                                          {"", "16", true},
                                          {" held", "8", false},
                                          {" held", "16", true}}) {
    const std::string value = std::string("  %1:ud@") + place;
    const Function f =
        Read(std::string("function test width 8\nvalue %0 G 4x1\nvalue %1 G 4x1\nlivein %0 at 8") +
             held + "\nblock b0 depth 0\n" + value + " = const #0x1:ud {w8}\n  store" +
             value.substr(1) + "\n  end\n");
    EXPECT_EQ(CheckAllocation(TestMachine(), f, f).ok(), good) << held << place;
  }
}

// Three xors exchange two registers; two of them, or in another order, do not.
TEST(CheckTest, SwapsAreUnderstood) {
  const Function ssa = Read(
      "function test width 8\n"
      "value %0 G 4x1\n"
      "value %1 G 4x1\n"
      "block b0 depth 0\n"
      "  %0:ud@8 = const #0x1:ud {w8}\n"
      "  %1:ud@16 = const #0x2:ud {w8}\n"
      "  store %0:ud@16 %1:ud@8 {w8}\n"
      "  end\n");
  const Machine& t = TestMachine();
  EXPECT_FALSE(CheckAllocation(t, ssa, ssa).ok());
  Function f = ssa;
  std::array<InstId, 3> three;
  t.make_swap(f, ssa.values[0], 8, 16, 8, false, absl::MakeSpan(three));
  for (InstId i : three) {
    for (Operand& o : f.defs(i)) o.id = 0;
    for (Operand& o : f.uses(i)) o.id = 0;
  }
  std::vector<InstId>& insts = f.blocks[0].insts;
  insts.insert(insts.begin() + 2, three.begin(), three.end());
  EXPECT_TRUE(CheckAllocation(t, ssa, f).ok()) << CheckAllocation(t, ssa, f);
  std::swap(insts[2], insts[3]);
  EXPECT_FALSE(CheckAllocation(t, ssa, f).ok());
  std::swap(insts[2], insts[3]);
  insts.erase(insts.begin() + 4);
  EXPECT_FALSE(CheckAllocation(t, ssa, f).ok());
}

// ---- Mutations.

struct Score {
  int tried = 0, caught = 0;
};

TEST(CheckTest, MutationsAreCaught) {
  std::array<Score, kNumMutations> scores;
  Rng r(7);
  std::string missed;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    testing::RandomOptions options;
    options.instructions = 60;
    options.exits = seed < 28 ? 0 : 8;
    options.width = seed % 2 == 0 ? 8 : 16;
    const Function ssa = testing::RandomProgram(seed, options);
    Function good = ssa;
    if (!Allocate(TestMachine(), &good).ok()) continue;
    ASSERT_TRUE(CheckAllocation(TestMachine(), ssa, good).ok());
    for (int m = 0; m < kNumMutations; ++m) {
      for (int k = 0; k < (m == kNoMaskClash ? 10 : 5); ++k) {
        Function bad = good;
        if (!Mutate(TestMachine(), ssa, static_cast<Mutation>(m), r, &bad)) continue;
        ++scores[m].tried;
        if (!CheckAllocation(TestMachine(), ssa, bad).ok()) {
          ++scores[m].caught;
        } else if (missed.size() < 4000) {
          missed += std::string(kMutationNames[m]) + " seed " + std::to_string(seed) + "\n";
        }
      }
    }
  }
  int tried = 0, caught = 0;
  for (int m = 0; m < kNumMutations; ++m) {
    printf("%-18s %5d tried %5d caught\n", kMutationNames[m].data(), scores[m].tried,
           scores[m].caught);
    tried += scores[m].tried;
    caught += scores[m].caught;
  }
  EXPECT_GE(100 * caught, 99 * tried) << missed;
  for (int m = 0; m < kNumMutations; ++m) {
    EXPECT_GT(scores[m].tried, 50) << kMutationNames[m];
    EXPECT_GE(100 * scores[m].caught, 97 * scores[m].tried) << kMutationNames[m];
  }
}

TEST(CheckTest, MutationsOfSpilledCodeAreCaught) {
  const Machine& t = testing::SmallTestMachine();
  std::array<Score, kNumSpillMutations> scores;
  Rng r(11);
  std::string missed;
  for (uint64_t seed = 0; seed < 120; ++seed) {
    testing::RandomOptions options;
    options.instructions = 120;
    options.width = seed % 2 == 0 ? 8 : 16;
    options.pool_size = 30;
    options.far_uses = 20;
    const Function ssa = testing::RandomProgram(seed, options);
    Function good = ssa;
    const auto stats = AllocateWithSpills(t, &good);
    if (!stats.ok() || stats->spill.fills == 0) continue;
    ASSERT_TRUE(CheckAllocation(t, ssa, good).ok());
    std::set<std::string> seen;  // few instructions can be unmasked: each counts once
    for (int m = 0; m < kNumSpillMutations; ++m) {
      for (int k = 0; k < (m == kUnmaskSpill ? 60 : 4); ++k) {
        Function bad = good;
        if (!MutateSpills(t, ssa, static_cast<SpillMutation>(m), r, &bad)) continue;
        if (!seen.insert(Print(t, bad)).second) continue;
        ++scores[m].tried;
        if (!CheckAllocation(t, ssa, bad).ok()) {
          ++scores[m].caught;
        } else if (missed.size() < 4000) {
          missed += std::string(kSpillMutationNames[m]) + " seed " + std::to_string(seed) + "\n";
        }
      }
    }
  }
  int tried = 0, caught = 0;
  for (int m = 0; m < kNumSpillMutations; ++m) {
    printf("%-18s %5d tried %5d caught\n", kSpillMutationNames[m].data(), scores[m].tried,
           scores[m].caught);
    tried += scores[m].tried;
    caught += scores[m].caught;
    EXPECT_GT(scores[m].tried, 10) << kSpillMutationNames[m];
  }
  EXPECT_GE(100 * caught, 99 * tried) << missed;
}

}  // namespace
}  // namespace kiln::lir::ra
