// Allocation on a machine shaped like RDNA2 (testing_scalar.h): the checker on incorrect
// allocations written by hand, then random programs, with and without free registers, and mutations
// of the results.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/cause.h"
#include "core/lir/liveness.h"
#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "core/lir/ra/allocate.h"
#include "core/lir/ra/by_hand.h"
#include "core/lir/ra/check.h"
#include "core/lir/ra/mutations.h"
#include "core/lir/ra/save_flags.h"
#include "core/lir/ra/tied.h"
#include "core/lir/random_scalar_program.h"
#include "core/lir/schedule/schedule.h"
#include "core/lir/testing_scalar.h"
#include "core/lir/verify.h"
#include "gtest/gtest.h"

namespace kiln::lir::ra {
namespace {

using testing::ScalarTestMachine;

// ---- Incorrect allocations by hand: a correct one with one word changed.

struct Wrong {
  const char* name;
  const char* values;  // and the function's lines about pools
  const char* text;    // inserted instructions have `ra`
  const char* right;
  const char* wrong;  // ... all of them
};

const Wrong kWrong[] = {
    {"scalar arithmetic clobbers the carry",
     "value %0 S 4x1\nvalue %1 SCC 0x1\nvalue %2 S 4x1\nvalue %3 S 4x1\n",
     "  %0:b32@0 = s_const #0x1:b32\n"
     "  %1:b32@0 = s_cmp %0:b32@0 %0:b32@0\n"
     "  %2:b32@1 = s_mul %0:b32@0 %0:b32@0\n"
     "  %3:b32@2 = s_sel %0:b32@0 %2:b32@1 %1:b32@0 {pred 1}\n",
     "s_mul", "s_add"},
    {"what was saved comes back behind what clobbers",
     "value %0 S 4x1\nvalue %1 SCC 0x1\nvalue %2 S 4x1\nvalue %3 S 4x1\nvalue %4 S 4x1\n",
     "  %0:b32@0 = s_const #0x1:b32\n"
     "  %1:b32@0 = s_cmp %0:b32@0 %0:b32@0\n"
     "  %4:b32@5 = save_scc %1:b32@0 {nomask ra}\n"
     "  %2:b32@1 = s_add %0:b32@0 %0:b32@0\n"
     "  %1:b32@0 = restore_scc %4:b32@5 {nomask ra}\n"
     "  %3:b32@2 = s_sel %0:b32@0 %2:b32@1 %1:b32@0 {pred 1}\n",
     "restore_scc %4:b32@5", "restore_scc %4:b32@6"},
    {"a jump of lanes clobbers the carry",
     "value %0 S 4x1\nvalue %1 SCC 0x1\nvalue %2 M 0x1\nvalue %3 S 4x1\n",
     "  %0:b32@0 = s_const #0x1:b32\n"
     "  %2:b32@2 = v_cmp %0:b32@0 %0:b32@0 {w32}\n"
     "  mask_exit %2:b32@2 {w32 pred 1}\n"
     "  %1:b32@0 = s_cmp %0:b32@0 %0:b32@0\n"
     "  s_barrier\n"
     "  %3:b32@4 = s_sel %0:b32@0 %0:b32@0 %1:b32@0 {pred 1}\n",
     "s_barrier", "mask_exit %2:b32@2 {w32 pred 1}"},
    {"there is one mask of the short encodings",
     "value %0 V 4x1\nvalue %1 VCC 0x1\nvalue %2 VCC 0x1\nvalue %3 V 4x1\nvalue %4 V 4x1\n"
     "value %5 M 0x1\n",
     "  %0:b32@0 = v_const #0x1:b32 {w32}\n"
     "  %1:b32@0 = v_cmp_vcc %0:b32@0 %0:b32@0 {w32}\n"
     "  %3:b32@1 = v_sel_vcc %0:b32@0 %0:b32@0 %1:b32@0 {w32 pred 1}\n"
     "  %5:b32@4 = v_cmp %3:b32@1 %0:b32@0 {w32}\n"
     "  %4:b32@2 = v_sel_vcc %0:b32@0 %3:b32@1 %1:b32@0 {w32 pred 1}\n",
     "%5:b32@4 = v_cmp %3", "%2:b32@0 = v_cmp_vcc %3"},
    {"an accumulator is where its sum is", "value %0 V 4x1\nvalue %1 V 4x1\nvalue %2 V 4x1\n",
     "  %0:b32@0 = v_const #0x1:b32 {w32}\n"
     "  %1:b32@1 = v_const #0x2:b32 {w32}\n"
     "  %2:b32@1 = v_mac %0:b32@0 %0:b32@0 %1:b32@1 {w32}\n"
     "  v_store %0:b32@0 %2:b32@1 {w32}\n",
     "%2:b32@1", "%2:b32@2"},
    {"a sum takes the place of an accumulator that is read again",
     "value %0 V 4x1\nvalue %1 V 4x1\nvalue %2 V 4x1\n",
     "  %0:b32@0 = v_const #0x1:b32 {w32}\n"
     "  %1:b32@1 = v_const #0x2:b32 {w32}\n"
     "  %1:b32@2 = v_move %1:b32@1 {w32 ra}\n"
     "  %2:b32@2 = v_mac %0:b32@0 %0:b32@0 %1:b32@2 {w32}\n"
     "  v_store %1:b32@1 %2:b32@2 {w32}\n",
     "%2:b32@2 = v_mac %0:b32@0 %0:b32@0 %1:b32@2", "%2:b32@1 = v_mac %0:b32@0 %0:b32@0 %1:b32@1"},
    {"no copy of a vector register reaches lanes that are off", "value %0 V 4x1\n",
     "  %0:b32@0 = v_const #0x1:b32 {w32}\n"
     "  %0:b32@3 = v_move %0:b32@0 {w32 ra}\n"
     "  v_store %0:b32@3 %0:b32@3 {w32}\n",
     "{w32 ra}", "{w32 nomask ra}"},
    {"nor does a fill", "value %0 V 4x1\n",
     "  %0:b32@0 = v_const #0x1:b32 {w32}\n"
     "  scratch_store %0:b32@0 #0x3:b32 {w32 ra}\n"
     "  %0:b32@3 = scratch_load #0x3:b32 {w32 ra}\n"
     "  v_store %0:b32@3 %0:b32@3 {w32}\n",
     "scratch_load #0x3:b32 {w32 ra}", "scratch_load #0x3:b32 {w32 nomask ra}"},
    {"a fill from another place", "value %0 V 4x1\n",
     "  %0:b32@0 = v_const #0x1:b32 {w32}\n"
     "  scratch_store %0:b32@0 #0x3:b32 {w32 ra}\n"
     "  %0:b32@3 = scratch_load #0x3:b32 {w32 ra}\n"
     "  v_store %0:b32@3 %0:b32@3 {w32}\n",
     "scratch_load #0x3", "scratch_load #0x4"},
    {"lanes that are not reserved",
     "value %0 S 4x1\nvalue %1 S 4x1\nreserved v at 200 units 1 spilled s\n",
     "  %0:b32@0 = s_const #0x1:b32\n"
     "  write_lanes %0:b32@0 #0x3:b32 {nomask ra}\n"
     "  %0:b32@5 = read_lanes #0x3:b32 {nomask ra}\n"
     "  %1:b32@1 = s_mul %0:b32@5 %0:b32@5\n",
     "#0x3", "#0x20"},
    {"lanes of another pool's values",
     "value %0 S 4x1\nvalue %1 S 4x1\nreserved v at 200 units 1 spilled s\n",
     "  %0:b32@0 = s_const #0x1:b32\n"
     "  write_lanes %0:b32@0 #0x3:b32 {nomask ra}\n"
     "  %0:b32@5 = read_lanes #0x3:b32 {nomask ra}\n"
     "  %1:b32@1 = s_mul %0:b32@5 %0:b32@5\n",
     "spilled s", "spilled v"},
    {"a value in registers that hold spilled ones",
     "value %0 S 4x1\nvalue %1 V 4x1\nreserved v at 200 units 1 spilled s\n",
     "  %0:b32@0 = s_const #0x1:b32\n"
     "  write_lanes %0:b32@0 #0x3:b32 {nomask ra}\n"
     "  %1:b32@199 = v_const #0x1:b32 {w32}\n"
     "  %0:b32@5 = read_lanes #0x3:b32 {nomask ra}\n"
     "  v_store %0:b32@5 %1:b32@199 {w32}\n",
     "@199", "@200"},
    {"lanes and memory are apart",
     "value %0 S 4x1\nvalue %1 V 4x1\nreserved v at 200 units 1 spilled s\n",
     "  %0:b32@0 = s_const #0x1:b32\n"
     "  %1:b32@1 = v_const #0x1:b32 {w32}\n"
     "  write_lanes %0:b32@0 #0x3:b32 {nomask ra}\n"
     "  scratch_store %1:b32@1 #0x3:b32 {w32 ra}\n"
     "  %0:b32@5 = read_lanes #0x3:b32 {nomask ra}\n"
     "  v_store %0:b32@5 %1:b32@1 {w32}\n",
     "scratch_store %1:b32@1", "write_lanes %0:b32@1"},
    {"two scalars change places through a register that the program reads",
     "value %0 S 4x1\nvalue %1 S 4x1\nvalue %2 S 4x1\n",
     "  %0:b32@0 = s_const #0x1:b32\n"
     "  %1:b32@1 = s_const #0x2:b32\n"
     "  $tmp:b32 = s_move %0:b32@0 {nomask ra}\n"
     "  %0:b32@0 = s_move %1:b32@1 {nomask ra}\n"
     "  %0:b32@1 = s_move $tmp:b32 {nomask ra}\n"
     "  %2:b32@2 = s_mul %0:b32@1 %1:b32@0\n"
     "  %2:b32@3 = s_mul %2:b32@2 #0x1:b32\n",
     "%2:b32@2 #0x1:b32", "%2:b32@2 $tmp:b32"},
    {"two scalars change places in the wrong order",
     "value %0 S 4x1\nvalue %1 S 4x1\nvalue %2 S 4x1\n",
     "  %0:b32@0 = s_const #0x1:b32\n"
     "  %1:b32@1 = s_const #0x2:b32\n"
     "  $tmp:b32 = s_move %0:b32@0 {nomask ra}\n"
     "  %0:b32@0 = s_move %1:b32@1 {nomask ra}\n"
     "  %0:b32@1 = s_move $tmp:b32 {nomask ra}\n"
     "  %2:b32@2 = s_mul %0:b32@1 %1:b32@0\n",
     "$tmp:b32 = s_move %0:b32@0", "$tmp:b32 = s_move %0:b32@1"},
    {"two vectors change places in one instruction", "value %0 V 4x1\nvalue %1 V 4x1\n",
     "  %0:b32@0 = v_const #0x1:b32 {w32}\n"
     "  %1:b32@1 = v_const #0x2:b32 {w32}\n"
     "  %0:b32@0 %0:b32@1 = v_swap %0:b32@1 %0:b32@0 {w32 ra}\n"
     "  v_store %0:b32@1 %1:b32@0 {w32}\n",
     "v_swap %0:b32@1 %0:b32@0", "v_swap %0:b32@0 %0:b32@1"},
};

absl::Status Verdict(const Wrong& w, bool wrong) {
  std::string text = std::string("function scalar width 32\n") + w.values + "exit_block b1\n" +
                     "block b0 depth 0\n" + w.text + "  -> b1\nblock b1 depth 0\n  s_end\n";
  const std::string right = w.right;
  size_t changed = 0;
  for (size_t at = 0; wrong && (at = text.find(right, at)) != text.npos; ++changed) {
    text.replace(at, right.size(), w.wrong);
    at += std::string(w.wrong).size();
  }
  EXPECT_TRUE(!wrong || changed != 0) << w.name;
  return CheckByHand(ScalarTestMachine(), text);
}

TEST(ScalarTest, WrongAllocationsByHand) {
  for (const Wrong& w : kWrong) {
    EXPECT_TRUE(Verdict(w, false).ok()) << w.name << ": " << Verdict(w, false);
    EXPECT_EQ(Verdict(w, true).code(), absl::StatusCode::kInternal) << w.name;
  }
}

// ---- Two values trade registers in a loop, and there is no third register.

constexpr char kFull[] =
    "function scalar width 32\n"
    "value %0 V 4x1\n"
    "value %1 FILE 4x1\n"
    "value %2 FILE 4x1\n"
    "value %3 S 4x1\n"
    "value %4 FILE 4x1\n"
    "value %5 FILE 4x1\n"
    "value %6 VCC 0x1\n"
    "pool v units VECTORS\n"
    "pool s units 3\n"
    "pool vcc units 1\n"
    "pool scc units 1\n"
    "livein %0 at 0\n"
    "livein %1 at 1\n"
    "livein %2 at 2\n"
    "livein %3 at 0\n"
    "block b0 depth 0\n"
    "  -> b1(%1:b32, %2:b32)\n"
    "block b1 depth 1 params %4 %5\n"
    "  v_store %4:b32 %5:b32 {w32}\n"
    "  %6:b32 = v_cmp_vcc %0:b32 %0:b32 {w32}\n"
    "  mask_break %6:b32 {w32 pred 1}\n"
    "  -> b3, b2\n"
    "block b2 depth 1\n"
    "  mask_while {w32}\n"
    "  -> b1(%5:b32, %4:b32)\n"
    "block b3 depth 0\n"
    "  v_store %0:b32 %3:b32 {w32}\n"
    "  s_end\n";

std::string Replace(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

TEST(ScalarTest, FullPoolsExchange) {
  const Machine& t = ScalarTestMachine();
  struct Case {
    const char *file, *vectors;
    std::vector<std::string> copies;  // in the block with the back edge
  };
  for (const Case& c : {Case{"V", "3", {"v_swap"}}, Case{"S", "3", {"s_move", "s_move", "s_move"}},
                        Case{"M", "3", {"mask_swap"}}, Case{"W", "3", {"v_swap"}}}) {
    const auto ssa = Parse(t, Replace(Replace(kFull, "FILE", c.file), "VECTORS", c.vectors));
    ASSERT_TRUE(ssa.ok()) << ssa.status();
    ASSERT_TRUE(Verify(t, *ssa).ok()) << Verify(t, *ssa);
    Function f = *ssa;
    ASSERT_TRUE(Allocate(t, &f).ok()) << Allocate(t, &f).status();
    ASSERT_TRUE(CheckAllocation(t, *ssa, f).ok()) << CheckAllocation(t, *ssa, f) << Print(t, f);
    std::vector<std::string> copies;
    for (InstId i : f.blocks[2].insts) {
      if (f.inst(i).flags & kInsertedCopy) copies.emplace_back(t.ops[f.inst(i).op].name);
    }
    EXPECT_EQ(copies, c.copies) << Print(t, f);
    for (size_t k = 0; k < copies.size(); ++k) {
      Function bad = f;
      bad.blocks[2].insts.erase(bad.blocks[2].insts.begin() + static_cast<std::ptrdiff_t>(k));
      EXPECT_FALSE(CheckAllocation(t, *ssa, bad).ok()) << c.file << " without copy " << k;
    }
  }
}

// ---- Each rewrite before assignment by itself.

Function Read(const std::string& text) {
  auto f = Parse(ScalarTestMachine(), text);
  EXPECT_TRUE(f.ok()) << f.status();
  return *std::move(f);
}

TEST(ScalarTest, WhatLivesAcrossWhatClobbersIsSaved) {
  const std::string head =
      "function scalar width 32\nvalue %0 S 4x1\nvalue %1 SCC 0x1\nvalue %2 S 4x1\n"
      "value %3 S 4x1\nlivein %0 at 0\nblock b0 depth 0\n  %1:b32 = s_cmp %0:b32 %0:b32\n";
  const std::string tail = "  %3:b32 = s_sel %0:b32 %2:b32 %1:b32 {pred 1}\n  s_end %3:b32\n";
  for (const auto& [between, saved] : {std::pair("s_mul", 0), {"s_add", 1}}) {
    Function f = Read(head + "  %2:b32 = " + between + " %0:b32 %0:b32\n" + tail);
    Liveness live(ScalarTestMachine(), f);
    EXPECT_EQ(*SaveExcessFlags(ScalarTestMachine(), &f, &live), saved) << between;
    EXPECT_TRUE(Verify(ScalarTestMachine(), f).ok());
  }
}

TEST(ScalarTest, TiedUsesGetAValueThatDies) {
  const std::string head =
      "function scalar width 32\nvalue %0 V 4x1\nvalue %1 V 4x1\nvalue %2 V 4x1\nvalue %3 V 4x2\n"
      "livein %0 at 0\nlivein %3 at 4\nblock b0 depth 0\n  %1:b32 = v_add %0:b32 %0:b32 {w32}\n";
  const struct {
    const char* name;
    std::string text;
    int copies;
  } cases[] = {
      {"it dies there",
       "  %2:b32 = v_mac %0:b32 %0:b32 %1:b32 {w32}\n  v_store %0:b32 %2:b32 {w32}\n  s_end\n", 0},
      {"it is read again",
       "  %2:b32 = v_mac %0:b32 %0:b32 %1:b32 {w32}\n  v_store %1:b32 %2:b32 {w32}\n  s_end\n", 1},
      {"it is a part of a vector",
       "  %2:b32 = v_mac %0:b32 %0:b32 %3.1:b32 {w32}\n  v_store %1:b32 %2:b32 {w32}\n  s_end\n",
       1},
      {"the sum is read in another block",
       "  %2:b32 = v_mac %0:b32 %0:b32 %1:b32 {w32}\n  -> b1\nblock b1 depth 0\n"
       "  v_store %0:b32 %2:b32 {w32}\n  s_end\n",
       1},
  };
  for (const auto& c : cases) {
    Function f = Read(head + c.text);
    Liveness live(ScalarTestMachine(), f);
    EXPECT_EQ(SplitTied(ScalarTestMachine(), &f, &live), c.copies) << c.name;
    EXPECT_TRUE(Verify(ScalarTestMachine(), f).ok()) << c.name;
  }
}

// Twelve scalars in eight registers: the others are in four lanes of the last vector register.
TEST(ScalarTest, ScalarsGoToLanes) {
  std::string text = "function scalar width 32\n";
  for (int k = 0; k < 13; ++k) text += "value %" + std::to_string(k) + " S 4x1\n";
  text +=
      "value %13 V 4x1\npool v units 16\npool s units 8\npool vcc units 1\n"
      "pool scc units 1\nlivein %13 at 15\nblock b0 depth 0\n";
  for (int k = 0; k < 12; ++k) {
    text += "  %" + std::to_string(k) + ":b32 = s_load #0x" + std::to_string(k) + ":b32\n";
  }
  for (int k = 0; k < 12; ++k) {
    text += "  v_store %13:b32 %" + std::to_string(k) + ":b32 {w32}\n";
  }
  const Function ssa = Read(text + "  s_end\n");
  Function f = ssa;
  const auto stats = AllocateWithSpills(ScalarTestMachine(), &f);
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_GE(stats->spill.lane_places, 4u);
  EXPECT_EQ(stats->spill.scratch_units, 0u);
  ASSERT_EQ(f.reserved.size(), 1u);
  EXPECT_EQ(f.reserved[0].spilled_pool, testing::kPoolS);
  EXPECT_EQ(f.reserved[0].first, 14u);  // the live-in is in the last one
  EXPECT_TRUE(CheckAllocation(ScalarTestMachine(), ssa, f).ok());
}

// ---- Random programs.

struct Sizes {
  uint32_t vectors, scalars;
};

struct Totals {
  int programs = 0, refused = 0;
  uint32_t compactions = 0, flags_saved = 0, spills = 0, fills = 0, lane_places = 0, scratch = 0;
};

void RunRandom(int programs, testing::RandomOptions options, Sizes sizes, Totals* totals) {
  const Machine& t = ScalarTestMachine();
  for (int seed = 0; seed < programs; ++seed) {
    options.width = seed % 2 == 0 ? 32 : 64;
    options.pool_size = 6 + seed % 17;
    const Function ssa = testing::RandomScalarProgram(static_cast<uint64_t>(seed), options,
                                                      sizes.vectors, sizes.scalars);
    ASSERT_TRUE(Verify(t, ssa).ok()) << "seed " << seed << ": " << Verify(t, ssa) << "\n"
                                     << Print(t, ssa);
    Function f = ssa;
    auto stats = Allocate(t, &f);
    if (!stats.ok()) {
      ASSERT_EQ(CauseOf(stats.status()), "out_of_registers") << stats.status();
      stats = AllocateWithSpills(t, &f);
    }
    ++totals->programs;
    if (!stats.ok()) {
      ASSERT_EQ(CauseOf(stats.status()), "out_of_registers")
          << "seed " << seed << ": " << stats.status() << "\n"
          << Print(t, ssa);
      ++totals->refused;
      continue;
    }
    const absl::Status form = VerifyAllocated(t, f);
    ASSERT_TRUE(form.ok()) << "seed " << seed << ": " << form;
    const absl::Status s = CheckAllocation(t, ssa, f);
    ASSERT_TRUE(s.ok()) << "seed " << seed << ": " << s << "\n" << Print(t, ssa) << Print(t, f);
    totals->compactions += stats->compactions;
    totals->flags_saved += stats->flags_saved;
    totals->spills += stats->spill.spills;
    totals->fills += stats->spill.fills;
    totals->lane_places += stats->spill.lane_places;
    totals->scratch += stats->spill.scratch_units;
  }
}

void Say(const Totals& t) {
  printf("programs %d refused %d compactions %u flags %u spills %u fills %u lanes %u scratch %u\n",
         t.programs, t.refused, t.compactions, t.flags_saved, t.spills, t.fills, t.lane_places,
         t.scratch);
}

TEST(ScalarTest, RandomProgramsWithRoom) {
  Totals totals;
  RunRandom(300, {}, {testing::kVectorUnits, testing::kScalarUnits}, &totals);
  Say(totals);
  EXPECT_EQ(totals.refused, 0);
  EXPECT_GT(totals.flags_saved, 100u);
}

TEST(ScalarTest, RandomProgramsThatSpillBothPools) {
  Totals totals;
  testing::RandomOptions options;
  options.live_ins = 3;
  options.instructions = 120;
  options.far_uses = 20;
  RunRandom(500, options, {24, 40}, &totals);
  RunRandom(500, options, {16, 28}, &totals);
  Say(totals);
  EXPECT_LT(totals.refused, 20);
  EXPECT_GT(totals.compactions, 0u);
  EXPECT_GT(totals.lane_places, 0u);
  EXPECT_GT(totals.scratch, 0u);
}

TEST(ScalarTest, RandomProgramsWithExits) {
  Totals totals;
  testing::RandomOptions options;
  options.exits = 8;
  RunRandom(150, options, {testing::kVectorUnits, testing::kScalarUnits}, &totals);
  options.live_ins = 3;
  RunRandom(300, options, {16, 28}, &totals);
  Say(totals);
  EXPECT_LT(totals.refused, 20);
}

// ---- Mutations.

struct Score {
  int tried = 0, caught = 0;
};

template <size_t n, class F>
void Sum(const std::string_view (&names)[n], const std::vector<Score>& scores, F&& least,
         int* tried, int* caught) {
  for (size_t m = 0; m < n; ++m) {
    printf("%-18s %5d tried %5d caught\n", names[m].data(), scores[m].tried, scores[m].caught);
    *tried += scores[m].tried;
    *caught += scores[m].caught;
    EXPECT_GE(scores[m].tried, least(m)) << names[m];
    EXPECT_GE(100 * scores[m].caught, 97 * scores[m].tried) << names[m];
  }
}

TEST(ScalarTest, MutationsAreCaught) {
  const Machine& t = ScalarTestMachine();
  std::vector<Score> plain(kNumMutations), spilled(kNumSpillMutations), shape(kNumShapeMutations);
  Rng r(5);
  std::string missed;
  for (uint64_t seed = 0; seed < 360; ++seed) {
    testing::RandomOptions options;
    options.instructions = 110;
    options.live_ins = 3;
    options.width = seed % 2 == 0 ? 32 : 64;
    options.exits = seed % 3 == 0 ? 6 : 0;
    options.far_uses = 20;
    options.pool_size = 20;
    const Function ssa = testing::RandomScalarProgram(seed, options, 18, 30);
    Function good = ssa;
    if (!Allocate(t, &good).ok() && !AllocateWithSpills(t, &good).ok()) continue;
    ASSERT_TRUE(CheckAllocation(t, ssa, good).ok())
        << seed << CheckAllocation(t, ssa, good) << Print(t, ssa) << Print(t, good);
    const auto attempt = [&](std::string_view name, Score* score, auto&& mutate) {
      for (int k = 0; k < 4; ++k) {
        Function bad = good;
        if (!mutate(&bad)) continue;
        ++score->tried;
        if (!CheckAllocation(t, ssa, bad).ok()) {
          ++score->caught;
        } else if (missed.size() < 4000) {
          missed += std::string(name) + " seed " + std::to_string(seed) + "\n";
        }
      }
    };
    for (int m = 0; m < kNumMutations; ++m) {
      attempt(kMutationNames[m], &plain[static_cast<size_t>(m)],
              [&](Function* bad) { return Mutate(t, ssa, static_cast<Mutation>(m), r, bad); });
    }
    for (int m = 0; m < kNumSpillMutations; ++m) {
      attempt(kSpillMutationNames[m], &spilled[static_cast<size_t>(m)], [&](Function* bad) {
        return MutateSpills(t, ssa, static_cast<SpillMutation>(m), r, bad);
      });
    }
    for (int m = 0; m < kNumShapeMutations; ++m) {
      attempt(kShapeMutationNames[m], &shape[static_cast<size_t>(m)], [&](Function* bad) {
        return MutateShape(t, ssa, static_cast<ShapeMutation>(m), r, bad);
      });
    }
  }
  int tried = 0, caught = 0;
  Sum(
      kMutationNames, plain, [](size_t) { return 40; }, &tried, &caught);
  // Fills of V are masked, so that two mutations hardly apply.
  Sum(
      kSpillMutationNames, spilled,
      [](size_t m) { return m == kUnmaskSpill || m == kFillClash ? 0 : 20; }, &tried, &caught);
  Sum(
      kShapeMutationNames, shape, [](size_t) { return 40; }, &tried, &caught);
  printf("%d of %d\n", caught, tried);
  EXPECT_GE(100 * caught, 99 * tried) << missed;
}

}  // namespace
}  // namespace kiln::lir::ra
