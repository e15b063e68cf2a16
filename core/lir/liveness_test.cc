// Liveness on the shapes where lanes are parked.
#include "core/lir/liveness.h"

#include <string>
#include <utility>
#include <vector>

#include "core/lir/dominators.h"
#include "core/lir/parse.h"
#include "core/lir/random_program.h"
#include "core/lir/testing.h"
#include "gtest/gtest.h"

namespace kiln::lir {
namespace {

using testing::TestMachine;

Function Read(const std::string& text) {
  auto f = Parse(TestMachine(), text);
  EXPECT_TRUE(f.ok()) << f.status();
  return *std::move(f);
}

std::vector<uint32_t> Values(const Liveness& l, const BitMatrix::Row& set) {
  std::vector<uint32_t> v;
  set.for_each(
      [&](size_t g) { v.push_back(l.slot_value(l.global_slot(static_cast<uint32_t>(g))).index); });
  std::sort(v.begin(), v.end());
  return v;
}
std::vector<uint32_t> Waits(const Liveness& l, uint32_t b) {
  std::vector<uint32_t> v;
  for (BlockId j : l.waits(BlockId(b))) v.push_back(j.index);
  return v;
}
using Ids = std::vector<uint32_t>;

// A value defined in the loop head before a break and used after the loop.
constexpr char kBreak[] =
    "function test width 8\n"
    "value %0 G 4x1\n"
    "value %1 G 4x1\n"
    "value %2 F 0x1\n"
    "block b0 depth 0\n"
    "  -> b1\n"
    "block b1 depth 1\n"
    "  barrier\n"
    "  %0:ud = const #0x1:ud\n"
    "  %2:ud = cmp %0:ud\n"
    "  break %2:ud {pred 1}\n"
    "  -> b3, b2\n"
    "block b2 depth 1\n"
    "  %1:ud = const #0x2:ud\n"
    "  store %1:ud\n"
    "  while\n"
    "  -> b1\n"
    "block b3 depth 0\n"
    "  end %0:ud\n";

TEST(LivenessTest, LanesThatLeftALoopHoldWhatTheyNeed) {
  const Function f = Read(kBreak);
  const Liveness l(TestMachine(), f);
  EXPECT_EQ(Values(l, l.live_in(BlockId(1))), Ids{});  // scalar SSA: dead at the loop head
  EXPECT_EQ(Values(l, l.live_in(BlockId(2))), Ids{});
  EXPECT_EQ(Waits(l, 1), Ids{3});
  EXPECT_EQ(Waits(l, 2), Ids{3});
  EXPECT_EQ(Values(l, l.parked(BlockId(1))), Ids{0});  // but held there in the second iteration
  EXPECT_EQ(Values(l, l.parked(BlockId(2))), Ids{0});
  EXPECT_EQ(Values(l, l.parked(BlockId(0))), Ids{});  // and not before the loop
  EXPECT_EQ(Values(l, l.parked(BlockId(3))), Ids{});
}

TEST(LivenessTest, BothSidesOfAnIf) {
  // %0 is needed by the else side only; %3 is the parameter of the join.
  const Function f = Read(
      "function test width 8\n"
      "value %0 G 4x1\n"
      "value %1 G 4x1\n"
      "value %2 F 0x1\n"
      "value %3 G 4x1\n"
      "block b0 depth 0\n"
      "  %0:ud = const #0x1:ud\n"
      "  %2:ud = cmp %0:ud\n"
      "  if %2:ud {pred 1}\n"
      "  -> b1, b2\n"
      "block b1 depth 0\n"
      "  %1:ud = const #0x1:ud\n"
      "  else\n"
      "  -> b3(%1:ud)\n"
      "  ~> b2\n"
      "block b2 depth 0\n"
      "  endif\n"
      "  -> b3(%0:ud)\n"
      "block b3 depth 0 params %3\n"
      "  end %3:ud\n");
  const Liveness l(TestMachine(), f);
  EXPECT_EQ(Waits(l, 1), Ids{2});
  EXPECT_EQ(Waits(l, 2), Ids{3});
  EXPECT_EQ(Waits(l, 3), Ids{});
  EXPECT_EQ(Values(l, l.live_in(BlockId(1))), Ids{});
  EXPECT_EQ(Values(l, l.parked(BlockId(1))), Ids{0});
  EXPECT_EQ(Values(l, l.parked(BlockId(2))), Ids{3});  // written by the then side already
}

TEST(LivenessTest, ContinueParksForTheNextRound) {
  // Lanes that continue in b2 wait for b4 with its parameter, past the endif block b3.
  const Function f = Read(
      "function test width 8\n"
      "value %0 G 4x1\n"
      "value %1 F 0x1\n"
      "value %2 G 4x1\n"
      "value %3 G 4x1\n"
      "block b0 depth 0\n"
      "  %0:ud = const #0x1:ud\n"
      "  -> b1\n"
      "block b1 depth 1\n"
      "  %1:ud = cmp %0:ud\n"
      "  if %1:ud {pred 1}\n"
      "  -> b2, b4\n"
      "block b2 depth 1\n"
      "  cont\n"
      "  -> b5(%0:ud)\n"
      "  ~> b3\n"
      "block b3 depth 1\n"
      "  endif\n"
      "  -> b4\n"
      "block b4 depth 1\n"
      "  %3:ud = const #0x3:ud\n"
      "  -> b5(%3:ud)\n"
      "block b5 depth 1 params %2\n"
      "  store %2:ud\n"
      "  while\n"
      "  -> b1\n");
  const Liveness l(TestMachine(), f);
  EXPECT_EQ(Waits(l, 2), Ids{4});
  EXPECT_EQ(Waits(l, 3), (Ids{4, 5}));
  EXPECT_EQ(Waits(l, 4), Ids{5});
  EXPECT_EQ(Waits(l, 5), Ids{});
  EXPECT_EQ(Waits(l, 1), Ids{});
  EXPECT_EQ(Values(l, l.parked(BlockId(4))), (Ids{0, 2}));
}

TEST(LivenessTest, AContinueThatJumpsToTheHeadWaitsForItInTheRestOfTheLoop) {
  const Function f = Read(
      "function test width 8\n"
      "value %0 F 0x1\n"
      "value %1 G 4x1\n"
      "livein %1 at 8\n"
      "block b0 depth 0\n"
      "  -> b1\n"
      "block b1 depth 1\n"
      "  %0:ud = cmp %1:ud\n"
      "  cont %0:ud {pred 1}\n"
      "  -> b1, b2\n"
      "block b2 depth 1\n"
      "  while %0:ud {pred 1}\n"
      "  -> b1, b3\n"
      "block b3 depth 0\n"
      "  end %1:ud\n");
  const Liveness l(TestMachine(), f);
  EXPECT_EQ(Waits(l, 2), (Ids{1, 3}));
  EXPECT_EQ(Waits(l, 1), Ids{3});
  EXPECT_EQ(Waits(l, 3), Ids{});
}

TEST(LivenessTest, AUniformJumpParksNoLane) {
  const Function f = Read(
      "function test width 8\n"
      "value %0 U 4x1\n"
      "livein %0 at 0\n"
      "block b0 depth 0\n"
      "  uif %0:ud\n"
      "  -> b1, b2\n"
      "block b1 depth 0\n"
      "  ujump\n"
      "  -> b3\n"
      "block b2 depth 0\n"
      "  store %0:ud\n"
      "  -> b3\n"
      "block b3 depth 0\n"
      "  end\n");
  const Liveness l(TestMachine(), f);
  for (uint32_t b = 0; b < 4; ++b) EXPECT_EQ(Waits(l, b), Ids{});
  EXPECT_EQ(Values(l, l.parked(BlockId(1))), Ids{});
}

TEST(LivenessTest, ComponentsDieOneByOne) {
  const Function f = Read(
      "function test width 16\n"
      "value %0 G 4x3 whole\n"
      "block b0 depth 0\n"
      "  %0x3:ud = load #0x0:ud\n"
      "  store %0.2:ud\n"
      "  store %0.1:ud %0.1:ud\n"
      "  end\n");
  const Liveness l(TestMachine(), f);
  const auto deaths = [&](size_t place) {
    const auto d = l.deaths(BlockId(0), place);
    return std::vector<uint32_t>(d.begin(), d.end());
  };
  EXPECT_EQ(deaths(1), Ids{0});  // component 0 is never read
  EXPECT_EQ(deaths(2), Ids{2});
  EXPECT_EQ(deaths(3), Ids{1});
  EXPECT_FALSE(l.used(0));
  EXPECT_TRUE(l.used(1));
  const std::vector<Pressure> max = MaxPressure(TestMachine(), f, l);
  EXPECT_EQ(max[0].logical, 48u);  // all three at the load
}

TEST(LivenessTest, AUniformComponentHoldsItsRegister) {
  const Function f = Read(
      "function test width 16\n"
      "value %0 U 4x16 whole\n"
      "value %1 U 4x1\n"
      "block b0 depth 0\n"
      "  %0x16:ud = load #0x0:ud {nomask}\n"
      "  %1:ud = add %0:ud #0x1:ud {nomask}\n"
      "  store %1:ud %0.9:ud\n"
      "  end\n");
  const Liveness l(TestMachine(), f);
  UnitCounter units(TestMachine(), f, l);
  units.Add(0);
  units.Add(1);
  EXPECT_EQ(units.units()[0], 8);
  units.Add(9);
  units.Add(16);  // the single dword %1
  EXPECT_EQ(units.units()[0], 17);
  units.Remove(0);
  EXPECT_EQ(units.units()[0], 17);
  units.Remove(1);
  EXPECT_EQ(units.units()[0], 9);
  EXPECT_EQ(MaxPressure(TestMachine(), f, l)[0].logical, 16u);
}

// No lane goes from the loop to the exit block, but the thread does, with %0: %0 is needed up to
// the loop's end and around the back edge, and %1 is not.
TEST(LivenessTest, WhatTheExitBlockReadsForAllLanesIsNeededAtExits) {
  const Function f = Read(
      "function test width 8\n"
      "value %0 U 4x1\n"
      "value %1 G 4x1\n"
      "value %2 F 0x1\n"
      "exit_block b2\n"
      "block b0 depth 0\n"
      "  %0:ud = const #0x1:ud {nomask}\n"
      "  %1:ud = const #0x2:ud\n"
      "  -> b1\n"
      "block b1 depth 1\n"
      "  %2:ud = cmp %0:ud\n"
      "  exit %2:ud {pred 1}\n"
      "  barrier\n"
      "  while\n"
      "  -> b1\n"
      "block b2 depth 0\n"
      "  end %0:ud %1:ud\n");
  const Liveness l(TestMachine(), f);
  EXPECT_EQ(Values(l, l.live_in(BlockId(1))), Ids{0});
  EXPECT_EQ(Values(l, l.live_out(BlockId(1))), Ids{0});
}

// Compares live sets with their definition, on random programs: a slot is live into a block iff a
// path over logical edges leads to a use without passing the definition.
TEST(LivenessTest, AgreesWithSearchOnRandomPrograms) {
  for (uint64_t seed = 0; seed < 70; ++seed) {
    testing::RandomOptions options;
    options.instructions = 60;
    options.exits = seed < 40 ? 0 : 8;
    options.held = seed % 3 == 0 ? 50 : 0;
    const Function f = testing::RandomProgram(seed, options);
    const Liveness l(TestMachine(), f);
    std::vector<BlockId> def(f.values.size());
    std::vector<std::vector<uint32_t>> use_blocks(l.num_slots());
    for (const LiveIn& li : f.live_ins) def[li.value.index] = BlockId(0);
    const std::vector<Operand> nothing;
    std::vector<Operand> needed;  // at exits: values that the exit block reads NoMask, or of file U
    for (InstId i : f.exit_block.valid() ? f.block(f.exit_block).insts : std::vector<InstId>()) {
      for (const Operand& o : f.uses(i)) {
        if (!IsValue(o)) continue;
        const bool uniform = f.value(o.value()).file == testing::kU;
        if (uniform || (f.inst(i).flags & kNoMask)) needed.push_back(o);
      }
    }
    std::vector<std::vector<uint32_t>> preds(f.blocks.size());
    for (uint32_t b = 0; b < f.blocks.size(); ++b) {
      const auto use = [&](const Operand& o) {
        if (!IsValue(o)) return;
        for (uint32_t c = 0; c < o.comps; ++c) {
          use_blocks[l.first_slot(o.value()) + o.comp + c].push_back(b);
        }
      };
      for (ValueId p : f.blocks[b].params) def[p.index] = BlockId(b);
      for (InstId i : f.blocks[b].insts) {
        for (const Operand& o : f.uses(i)) use(o);
        for (const Operand& o : f.inst(i).op == testing::kExitOp ? needed : nothing) {
          if (def[o.id].valid()) use(o);  // not the exit block's own
        }
        for (const Operand& o : f.defs(i)) {
          if (IsValue(o)) def[o.id] = BlockId(b);
        }
      }
      for (const Edge& e : f.blocks[b].succs) {
        preds[e.to.index].push_back(b);
        for (const Operand& o : f.args(e)) use(o);
      }
      for (const LiveIn& li : f.live_ins) {
        for (uint32_t c = 0; li.held && f.blocks[b].succs.empty() && c < f.value(li.value).comps;
             ++c) {
          use_blocks[l.first_slot(li.value) + c].push_back(b);
        }
      }
    }
    for (uint32_t s = 0; s < l.num_slots(); ++s) {
      std::vector<char> in(f.blocks.size());
      std::vector<uint32_t> work;
      for (uint32_t b : use_blocks[s]) {
        if (BlockId(b) != def[l.slot_value(s).index]) work.push_back(b);
      }
      while (!work.empty()) {
        const uint32_t b = work.back();
        work.pop_back();
        if (in[b]++) continue;
        for (uint32_t p : preds[b]) {
          if (BlockId(p) != def[l.slot_value(s).index]) work.push_back(p);
        }
      }
      for (uint32_t b = 0; b < f.blocks.size(); ++b) {
        const bool live =
            l.global(s) != Liveness::kLocal && l.live_in(BlockId(b)).test(l.global(s));
        ASSERT_EQ(live, in[b] != 0) << "seed " << seed << " slot " << s << " block " << b;
      }
    }
  }
}

// Exchanges neighbours in all blocks where the second one needs nothing of the first; returns the
// number of exchanges.
int ExchangeNeighbours(Function& f) {
  const auto needs = [&](InstId second, InstId first) {
    for (const Operand& use : f.uses(second)) {
      for (const Operand& def : f.defs(first)) {
        if (IsValue(use) && IsValue(def) && use.value() == def.value()) return true;
      }
    }
    return false;
  };
  int exchanges = 0;
  for (Block& block : f.blocks) {
    for (size_t k = 0; k + 2 < block.insts.size(); k += 2) {  // the last one may be a terminator
      if (needs(block.insts[k + 1], block.insts[k])) continue;
      std::swap(block.insts[k], block.insts[k + 1]);
      ++exchanges;
    }
  }
  return exchanges;
}

TEST(LivenessTest, DeathsAreFoundAgainInAnotherOrder) {
  int exchanges = 0;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    testing::RandomOptions options;
    options.instructions = 60;
    options.exits = seed < 15 ? 0 : 8;
    Function f = testing::RandomProgram(seed, options);
    Liveness known(TestMachine(), f);
    exchanges += ExchangeNeighbours(f);
    known.Reorder(TestMachine(), f);
    const Liveness fresh(TestMachine(), f);
    for (uint32_t b = 0; b < f.blocks.size(); ++b) {
      for (size_t place = 0; place <= f.blocks[b].insts.size() + 1; ++place) {
        ASSERT_EQ(known.deaths(BlockId(b), place), fresh.deaths(BlockId(b), place))
            << "seed " << seed << " block " << b << " place " << place;
      }
    }
  }
  EXPECT_GT(exchanges, 100);
}

TEST(DominatorsTest, AgreeWithRemoval) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    testing::RandomOptions options;
    options.instructions = 80;
    const Function f = testing::RandomProgram(seed, options);
    const Dominators doms(f);
    for (uint32_t a = 0; a < f.blocks.size(); ++a) {
      // Returns the blocks that the entry reaches without passing a.
      std::vector<char> seen(f.blocks.size());
      std::vector<uint32_t> work;
      if (a != 0) work.push_back(0);
      while (!work.empty()) {
        const uint32_t b = work.back();
        work.pop_back();
        if (seen[b]++) continue;
        for (const Edge& e : f.blocks[b].succs) {
          if (e.to.index != a) work.push_back(e.to.index);
        }
      }
      for (uint32_t b = 0; b < f.blocks.size(); ++b) {
        if (!doms.reachable(BlockId(a)) || !doms.reachable(BlockId(b))) continue;
        ASSERT_EQ(doms.dominates(BlockId(a), BlockId(b)), a == b || !seen[b]) << a << " " << b;
      }
    }
  }
}

}  // namespace
}  // namespace kiln::lir
