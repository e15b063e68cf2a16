// The parts of spilling, each by itself, on small functions.
#include <memory>
#include <string>
#include <vector>

#include "core/lir/build.h"
#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "core/lir/ra/spill_code.h"
#include "core/lir/ra/spill_edges.h"
#include "core/lir/ra/spill_fills.h"
#include "core/lir/ra/spill_input.h"
#include "core/lir/ra/spill_parked.h"
#include "core/lir/ra/spill_places.h"
#include "core/lir/ra/spill_registers.h"
#include "core/lir/ra/spill_room.h"
#include "core/lir/ra/spill_stores.h"
#include "core/lir/testing.h"
#include "gtest/gtest.h"

namespace kiln::lir::ra {
namespace {

using testing::TestMachine;

constexpr char kHead[] =
    "function test width 8\n"
    "value %0 G 4x1\n"
    "value %1 G 4x1\n"
    "value %2 F 0x1\n"
    "value %3 G 4x2\n"
    "value %4 U 4x1\n"
    "value %5 G 4x1\n"
    "value %6 U 4x8 whole\n"
    "livein %6 at 0\n"
    "livein %0 at 8\n"
    "scratch_header %6\n";

// An if: the then side reads %3 and %4, the else side %1, and all of its blocks %0.
constexpr char kIf[] =
    "block b0 depth 0\n"
    "  %1:ud = load %0:ud {w8}\n"
    "  %3x2:ud = load %0:ud {w8}\n"
    "  %4:ud = const #0x1:ud {nomask}\n"
    "  %2:ud = cmp %0:ud {w8}\n"
    "  if %2:ud {w8 pred 1}\n"
    "  -> b1, b2\n"
    "block b1 depth 0\n"
    "  store %0:ud %3x2:ud {w8}\n"
    "  store %0:ud %4:ud {w8}\n"
    "  else {w8}\n"
    "  -> b3\n"
    "  ~> b2\n"
    "block b2 depth 0\n"
    "  store %0:ud %1:ud {w8}\n"
    "  endif {w8}\n"
    "  -> b3\n"
    "block b3 depth 0\n"
    "  end %0:ud\n";

// All parts, connected as in the walk.
struct Rooms {
  explicit Rooms(const std::string& text, uint32_t units = 1024)
      : f(Read(text)),
        live(TestMachine(), f),
        in(TestMachine(), TestMachine().spills[0], f, live, SpillSettings{1024 - units}) {
    StartWalk(false);
  }

  static Function Read(const std::string& text) {
    auto f = Parse(TestMachine(), kHead + text);
    EXPECT_TRUE(f.ok()) << f.status();
    return *std::move(f);
  }

  void StartWalk(bool write) {
    code.NewWalk(write);
    here.NewWalk();
    parked.NewWalk();
    room.NewWalk(write);
  }
  // Begins a block with these values in registers.
  void Enter(uint32_t b, const std::vector<uint32_t>& values) {
    code.BeginBlock();
    here.Enter(b);
    room.Unprotect();
    parked.Enter(b);
    room.Begin();
    for (uint32_t v : values) Define(v);
  }
  void Define(uint32_t v) {
    for (uint32_t p = in.pieces.first(ValueId(v)); p < in.pieces.end(ValueId(v)); ++p) {
      room.Enter(p, {v, in.pieces.comp(p), kNothing});
    }
  }
  void Leave(uint32_t b) {
    for (uint32_t p : here.live_after()) {
      if (registers.Has(p)) ends.exit[b].push_back({p, registers.name(p)});
    }
    registers.Clear();
    room.End();
    here.Leave();
    code.EndBlock(b);
  }
  uint32_t Piece(uint32_t v, uint32_t comp = 0) const { return in.pieces.of(ValueId(v), comp); }
  bool Has(uint32_t v) const { return registers.Has(Piece(v)); }
  std::string Last() const { return PrintInst(TestMachine(), f, InstId(f.insts.size() - 1)); }

  Function f;
  Liveness live;
  SpillInput in;
  SpillDecisions decisions{in};
  SpillHere here{in};
  BlockEnds ends{f.blocks.size()};
  PiecesInRegisters registers{in};
  ParkedPieces parked{in, decisions, here, ends};
  SpillRoom room{in, decisions, here, registers, parked};
  SpillCode code{in, f};
  SpillFills fills{in, here, registers, room, code};
  SpillEdges edges{in, decisions, room, code, fills};
};

TEST(SpillRoomsTest, InputKnowsWhatMayLeave) {
  Rooms r(kIf);
  EXPECT_FALSE(r.in.Spillable(ValueId(6)));  // the header
  EXPECT_TRUE(r.in.Spillable(ValueId(1)));
  EXPECT_TRUE(r.in.constant[4]);
  EXPECT_FALSE(r.in.constant[1]);
  EXPECT_EQ(r.in.preds[3], (std::vector<uint32_t>{1, 2}));
}

// A held live-in counts as used after the end of the program, and is never evicted.
TEST(SpillRoomsTest, WhatIsHeldStaysToTheEnd) {
  std::string held = std::string(kHead) + kIf;
  held.replace(held.find("livein %0 at 8"), 14, "livein %0 at 8 held");
  const Function f = *Parse(TestMachine(), held);
  const Liveness live(TestMachine(), f);
  const SpillInput in(TestMachine(), TestMachine().spills[0], f, live, {});
  EXPECT_FALSE(in.Spillable(ValueId(0)));
  EXPECT_TRUE(in.Spillable(ValueId(1)));
  std::vector<uint32_t> out(in.pieces.count(), kNever), touched;
  in.next.AtExit(f, 3, &out, &touched);
  EXPECT_EQ(touched, std::vector<uint32_t>{in.pieces.first(ValueId(0))});
  EXPECT_NE(out[in.pieces.first(ValueId(0))], kNever);
}

TEST(SpillRoomsTest, DecisionsSayWhetherTheyChanged) {
  Rooms r(kIf);
  EXPECT_FALSE(r.decisions.TakeChanged());
  r.decisions.Ban(1, r.Piece(1));
  EXPECT_TRUE(r.decisions.Banned(1, r.Piece(1)));
  EXPECT_FALSE(r.decisions.Banned(2, r.Piece(1)));
  EXPECT_TRUE(r.decisions.TakeChanged());
  r.decisions.Ban(1, r.Piece(1));  // known
  EXPECT_FALSE(r.decisions.TakeChanged());
}

TEST(SpillRoomsTest, HereCountsToTheNextUse) {
  Rooms r(kIf);
  r.Enter(0, {});
  EXPECT_EQ(r.here.NextUse(r.Piece(0)), 0u);
  EXPECT_FALSE(r.here.Pass(r.Piece(1)));
  EXPECT_TRUE(r.here.Pass(r.Piece(0)));
  EXPECT_EQ(r.here.NextUse(r.Piece(0)), 1u);
  EXPECT_EQ(r.here.NextUse(r.Piece(3)), 6u);  // the first instruction of the next block
  EXPECT_EQ(r.here.start(1), 5u);
}

TEST(SpillRoomsTest, PartsOfOneNameAreTogether) {
  Rooms r(kIf);
  r.Enter(1, {3});
  EXPECT_TRUE(r.registers.Together(r.Piece(3, 0), r.Piece(3, 1)));
  r.room.Leave(r.Piece(3, 1));
  EXPECT_FALSE(r.registers.Together(r.Piece(3, 0), r.Piece(3, 1)));
  r.room.Enter(r.Piece(3, 1), {9, 1, kNothing});
  EXPECT_FALSE(r.registers.Together(r.Piece(3, 0), r.Piece(3, 1)));
  EXPECT_TRUE(r.registers.Together(r.Piece(3, 1), r.Piece(3, 1)));
}

TEST(SpillRoomsTest, LanesThatWaitHoldWhatTheyWillRead) {
  Rooms r(kIf);
  r.Enter(0, {0, 1, 3, 4});
  r.Leave(0);
  r.Enter(1, {});
  EXPECT_TRUE(r.parked.Has(r.Piece(1)));
  EXPECT_FALSE(r.parked.Has(r.Piece(3)));
  EXPECT_EQ(r.parked.Distance(r.Piece(1)), 3u);
  EXPECT_EQ(r.parked.units(), 16u);  // %0, for the join as well, and %1
  r.parked.Release(r.Piece(1));
  EXPECT_FALSE(r.parked.Has(r.Piece(1)));
  EXPECT_EQ(r.parked.units(), 8u);
}

TEST(SpillRoomsTest, WhatTheyHadInNoRegisterTheyDoNotHold) {
  Rooms r(kIf);
  r.Enter(0, {0, 3, 4});
  r.Leave(0);
  r.Enter(1, {});
  EXPECT_FALSE(r.parked.Has(r.Piece(1)));
  EXPECT_TRUE(r.parked.Has(r.Piece(0)));
  EXPECT_EQ(r.parked.units(), 8u);
}

TEST(SpillRoomsTest, WhatIsCheapAndFarLeaves) {
  Rooms r(kIf, 24);
  r.Enter(0, {0, 1, 4});
  r.room.MakeRoom(8);
  EXPECT_FALSE(r.Has(4));  // a constant: one instruction recomputes it
  EXPECT_TRUE(r.Has(1));
  r.room.MakeRoom(16);
  EXPECT_FALSE(r.Has(1));  // read last
  EXPECT_TRUE(r.Has(0));
}

TEST(SpillRoomsTest, WhatIsProtectedStays) {
  Rooms r(kIf, 24);
  r.Enter(0, {0, 1, 4});
  r.room.Protect(r.Piece(1));
  r.room.MakeRoom(8);
  EXPECT_TRUE(r.Has(1));
  EXPECT_FALSE(r.Has(0) && r.Has(4));
}

TEST(SpillRoomsTest, LanesThatWaitGiveUpWhatLeaves) {
  Rooms r(kIf, 24);
  r.Enter(0, {0, 1, 3, 4});
  r.Leave(0);
  r.Enter(1, {3});
  r.room.Protect(r.Piece(3, 0));
  r.room.Protect(r.Piece(3, 1));
  r.room.MakeRoom(8);
  EXPECT_FALSE(r.parked.Has(r.Piece(1)));
  EXPECT_TRUE(r.decisions.Banned(2, r.Piece(1)));
  EXPECT_TRUE(r.decisions.TakeChanged());
}

TEST(SpillRoomsTest, NothingIsWrittenInTheFirstWalk) {
  Rooms r(kIf);
  const size_t insts = r.f.insts.size();
  r.Enter(2, {});
  const ValueId name = r.code.Load(r.Piece(1), r.Piece(1));
  EXPECT_GE(name.index, 1u << 31);
  EXPECT_EQ(r.f.insts.size(), insts);
}

TEST(SpillRoomsTest, CodeIsTakenBackBeforeTheNextWalk) {
  Rooms r(kIf);
  const std::string before = Print(TestMachine(), r.f);
  r.StartWalk(true);
  r.Enter(2, {});
  r.code.Load(r.Piece(1), r.Piece(1));
  EXPECT_EQ(r.Last(), "%7:ud = fill %6x8:ud #0x0:ud {w8 nomask ra}");
  EXPECT_TRUE(r.code.filled(r.Piece(1)));
  r.StartWalk(true);
  EXPECT_EQ(Print(TestMachine(), r.f), before);
  EXPECT_FALSE(r.code.filled(r.Piece(1)));
}

TEST(SpillRoomsTest, ADwordTakesARegisterForItsMessageOnly) {
  Rooms r(kIf);
  r.StartWalk(true);
  r.Enter(1, {});
  const ValueId name = r.code.Load(r.Piece(4), r.Piece(4));
  EXPECT_EQ(r.f.value(name).comps, 1);
  EXPECT_EQ(r.Last(), "%8:ud = collect %7:ud {nomask ra}");
  std::vector<InstId> out;
  r.code.Store(ValueId(4), r.Piece(4), ValueOperand(ValueId(4), 0), false, &out);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(PrintInst(TestMachine(), r.f, out[0]), "%9x8:ud = collect %4:ud _x7 {nomask ra}");
}

TEST(SpillRoomsTest, MaskedStoresAreOfOneComponent) {
  Rooms r(kIf);
  r.StartWalk(true);
  r.Enter(1, {});
  std::vector<InstId> out;
  const Operand pair = ValueOperand(ValueId(3), 0, 0, 2);
  r.code.Store(ValueId(3), r.Piece(3), pair, false, &out);
  EXPECT_EQ(out.size(), 1u);
  r.code.Store(ValueId(3), r.Piece(3), pair, true, &out);
  EXPECT_EQ(out.size(), 3u);
  EXPECT_EQ(PrintInst(TestMachine(), r.f, out[2]), "spill %6x8:ud %3.1:ud #0x0:ud {w8 ra}");
}

TEST(SpillRoomsTest, WhatIsReadComesBackUnderAnotherName) {
  Rooms r(kIf);
  r.StartWalk(true);
  r.Enter(2, {});
  const Operand use = ValueOperand(ValueId(1), 0);
  const Operand now = r.fills.InRegisters(use);
  EXPECT_EQ(now.id, 7u);
  EXPECT_TRUE(r.Has(1));
  EXPECT_EQ(r.registers.name(r.Piece(1)).block, 2u);  // a fill for all lanes
  EXPECT_EQ(r.fills.InRegisters(use).id, 7u);         // no second one
  EXPECT_EQ(r.code.accesses().size(), 1u);
}

TEST(SpillRoomsTest, AConstantIsComputedOnceMore) {
  Rooms r(kIf);
  r.StartWalk(true);
  r.Enter(1, {});
  r.fills.InRegisters(ValueOperand(ValueId(4), 0));
  EXPECT_EQ(r.Last(), "%7:ud = const #0x1:ud {nomask ra}");
  EXPECT_EQ(r.code.repeated(), 1u);
  EXPECT_TRUE(r.code.accesses().empty());
}

// Two parameters in memory exchange values: one of them is brought into a register first.
TEST(SpillRoomsTest, ACycleOfPlacesIsBroken) {
  Rooms r(
      "value %7 G 4x1\nvalue %8 G 4x1\n"
      "block b0 depth 0\n"
      "  -> b1(%0:ud, %0:ud)\n"
      "block b1 depth 1 params %7 %8\n"
      "  %2:ud = cmp %7:ud %8:ud {w8}\n"
      "  break %2:ud {w8 pred 1}\n"
      "  -> b3, b2\n"
      "block b2 depth 1\n"
      "  while {w8}\n"
      "  -> b1(%8:ud, %7:ud)\n"
      "block b3 depth 0\n"
      "  end %0:ud\n");
  for (uint32_t v : {7, 8}) r.decisions.MoveToMemory(ValueId(v), Eviction{});
  r.StartWalk(true);
  r.Enter(2, {});
  r.edges.Arguments(2);
  std::string accesses;
  for (const SpillAccess& a : r.code.accesses()) {
    accesses += std::string(TestMachine().ops[r.f.inst(a.inst).op].name) + " " +
                std::to_string(a.value.index) + "; ";
  }
  EXPECT_EQ(accesses, "fill 8; fill 7; spill 8; spill 7; ");
  DropParamsInMemory(r.decisions, &r.f);
  EXPECT_TRUE(r.f.blocks[1].params.empty());
  EXPECT_EQ(r.f.blocks[2].succs[0].num_args, 0);
}

TEST(SpillRoomsTest, StoresFollowDefinitions) {
  Rooms r(kIf);
  r.StartWalk(true);
  for (uint32_t b = 0; b < r.f.blocks.size(); ++b) {
    r.Enter(b, {});
    if (b == 2) r.fills.InRegisters(ValueOperand(ValueId(1), 0));
    for (InstId i : std::vector<InstId>(r.f.blocks[b].insts)) r.code.Emit(i);
    r.Leave(b);
  }
  r.code.Take();
  PlaceStores(r.in, r.decisions, &r.code);
  EXPECT_EQ(PrintInst(TestMachine(), r.f, r.f.blocks[0].insts[1]),
            "spill %6x8:ud %1:ud #0x0:ud {w8 nomask ra}");
  SpillStats stats;
  ASSERT_TRUE(AssignPlaces(r.in, {}, {}, &r.code, &stats).ok());
  EXPECT_EQ(stats.spills, 1u);
  EXPECT_EQ(stats.fills, 1u);
  EXPECT_EQ(stats.scratch_units, 8u);
}

TEST(SpillRoomsTest, UnusedResultsAreRemoved) {
  Rooms r(
      "block b0 depth 0\n"
      "  %1:ud = const #0x1:ud {w8}\n"
      "  %5:ud = add %1:ud %1:ud {w8}\n"
      "  end %0:ud\n");
  RemoveUnread(r.in.h, &r.f);
  EXPECT_EQ(r.f.blocks[0].insts.size(), 1u);
}

}  // namespace
}  // namespace kiln::lir::ra
