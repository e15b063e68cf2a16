// The parts of assignment, each by itself, on one function with a loop that lanes leave early.
#include <memory>
#include <string>

#include "core/lir/parse.h"
#include "core/lir/ra/assign_collects.h"
#include "core/lir/ra/assign_compaction.h"
#include "core/lir/ra/assign_edges.h"
#include "core/lir/ra/assign_kept.h"
#include "core/lir/ra/assign_live.h"
#include "core/lir/ra/assign_result.h"
#include "core/lir/ra/assign_search.h"
#include "core/lir/ra/assign_state.h"
#include "core/lir/ra/assign_written.h"
#include "core/lir/testing.h"
#include "gtest/gtest.h"

namespace kiln::lir::ra {
namespace {

using testing::TestMachine;

// b1 is a loop with the parameter %1 and the next value %3; %5 is defined in it and read after it.
constexpr char kLoop[] =
    "function test width 8\n"
    "value %0 G 4x1\n"
    "value %1 G 4x1\n"
    "value %2 F 0x1\n"
    "value %3 G 4x1\n"
    "value %4 F 0x1\n"
    "value %5 G 4x1\n"
    "value %6 U 4x3\n"
    "value %7 U 4x1\n"
    "value %8 U 4x4\n"
    "livein %0 at 0\n"
    "block b0 depth 0\n"
    "  %6x3:ud = load #0x1:ud {w8}\n"
    "  %7:ud = const #0x1:ud {w8}\n"
    "  %8x4:ud = collect %6x3:ud %7:ud {w8}\n"
    "  store %8x4:ud\n"
    "  -> b1(%0:ud)\n"
    "block b1 depth 1 params %1\n"
    "  %5:ud = add %1:ud %0:ud {w8}\n"
    "  %2:ud = cmp %5:ud {w8}\n"
    "  break %2:ud {w8 pred 1}\n"
    "  -> b3, b2\n"
    "block b2 depth 1\n"
    "  store %5:ud\n"
    "  %3:ud = add %5:ud %1:ud {w8}\n"
    "  while\n"
    "  -> b1(%3:ud)\n"
    "  ~> b3\n"
    "block b3 depth 0\n"
    "  store %5:ud\n"
    "  end\n";

// All parts, connected as in the walk.
struct Rooms {
  explicit Rooms(const char* text = kLoop, Order order = Order::kLow)
      : f(*Parse(TestMachine(), text)),
        live(TestMachine(), f),
        info(DescribeValues(TestMachine(), f)),
        in(TestMachine(), f, live, info, order) {}

  void Enter(uint32_t b) {
    here.block = BlockId(b);
    here.position = 0;
    now.Enter();
    written.Enter();
    stays.Enter();
  }
  void Place(uint32_t v, uint32_t reg) { result.Settle(ValueId(v), reg); }

  Function f;
  Liveness live;
  std::vector<ValueInfo> info;
  AssignInput in;
  Places at{in};
  Here here;
  LiveNow now{in, at, here};
  WrittenSets written{in, here};
  StayingValues stays{in, here};
  KeptHomes kept{in, at, here, stays};
  PlaceSearch search{in, at, here, now, written, stays, kept};
  Assignment out;
  OutOfRegisters why;
  AssignResult result{in, at, here, now, written, &out, &why};
  Compaction compaction{in, at, here, now, written, stays, result};
  Promises promises{in, at, here, now, search};
  Collects collects{in, at, here, now, search, compaction, promises, result};
};

TEST(AssignStateTest, MovesOfUniformUnitsAreAlignedPowersOfTwo) {
  Rooms r;
  std::vector<Move> moves;
  r.in.AddMoves(ValueId(8), 12, 4, 7, true, &moves);
  ASSERT_EQ(moves.size(), 3u);
  EXPECT_EQ(moves[0].units, 4u);
  EXPECT_EQ(moves[1].units, 2u);
  EXPECT_EQ(moves[2].units, 1u);
  EXPECT_EQ(moves[2].to, 18u);
  moves.clear();
  r.in.AddMoves(ValueId(0), 16, 8, 8, false, &moves);
  EXPECT_EQ(moves.size(), 1u);  // a component
}

TEST(AssignLiveTest, WhatComesAliveHasItsUnitsUntilItDies) {
  Rooms r;
  r.Enter(0);
  r.Place(0, 8);
  const uint32_t slot = r.live.first_slot(ValueId(0));
  EXPECT_TRUE(r.now.Alive(slot));
  EXPECT_EQ(r.now.pools[0].live.count(8, 8), 8u);
  EXPECT_EQ(r.now.LiveSlots().size(), 1u);
  r.now.Kill(slot);
  EXPECT_TRUE(r.now.pools[0].live.empty());
  EXPECT_TRUE(r.now.LiveSlots().empty());
}

TEST(AssignLiveTest, LanesThatLeftTheLoopHoldWhatIsReadAfterIt) {
  Rooms r;
  r.Enter(1);
  r.Place(5, 24);
  r.Enter(2);
  EXPECT_EQ(r.now.pools[0].parked.all().count(24, 8), 8u);
  r.Enter(3);
  EXPECT_TRUE(r.now.pools[0].parked.empty());
}

// Lanes that wait for the loop's exit hold it in every iteration, before it is defined there.
TEST(AssignPromisesTest, WhatLanesWaitWithHasAPlaceBeforeItIsDefined) {
  Rooms r(kLoop, Order::kPromised);
  r.Enter(1);
  r.promises.Enter();
  const uint32_t place = r.at.promise[5];
  ASSERT_NE(place, kNowhere);
  EXPECT_EQ(r.at.now[5], kNowhere);
  EXPECT_FALSE(r.search.Fits(r.search.Start(ValueId(3)), place));
  EXPECT_EQ(r.promises.Redeem(ValueId(5)), place);
  EXPECT_TRUE(r.search.Fits(r.search.Start(ValueId(5)), place));
  EXPECT_TRUE(r.search.Fits(r.search.Start(ValueId(3)), place));
  EXPECT_EQ(r.promises.Redeem(ValueId(5)), kNowhere);
}

TEST(AssignPromisesTest, OtherOrdersPromiseNothing) {
  Rooms r;
  r.Enter(1);
  r.promises.Enter();
  EXPECT_EQ(r.at.promise[5], kNowhere);
}

TEST(AssignWrittenTest, AValueOfWaitingLanesAvoidsWhatWasWrittenBeforeItHadAPlace) {
  Rooms r;
  const std::vector<uint32_t>& late = r.written.late(ValueId(5));
  ASSERT_EQ(late.size(), 1u);  // lanes that wait for the loop's exit hold it in every iteration
  EXPECT_TRUE(r.written.late(ValueId(0)).empty());
  r.Enter(1);
  r.written.Record(BlockId(1), 0, 32, 8, LaneLayout());
  EXPECT_TRUE(r.written.Row(late[0], 0).empty());  // not yet
  EXPECT_FALSE(r.search.Fits(r.search.Start(ValueId(5)), 32));
  EXPECT_TRUE(r.search.Fits(r.search.Start(ValueId(5)), 40));
  EXPECT_TRUE(r.search.Fits(r.search.Start(ValueId(3)), 32));
}

TEST(AssignKeptTest, WhatTheBlockHandsOnStays) {
  Rooms r;
  r.Enter(2);
  EXPECT_TRUE(r.stays.Stays(ValueId(3)));   // an argument
  EXPECT_TRUE(r.stays.Stays(ValueId(0)));   // live around the loop
  EXPECT_FALSE(r.stays.Stays(ValueId(1)));  // its next value is computed
}

TEST(AssignKeptTest, TheHomeOfAParameterIsKeptForItsNextValue) {
  Rooms r;
  r.Enter(1);
  r.Place(1, 40);
  r.Enter(2);
  r.kept.Enter(BlockId(2));
  EXPECT_EQ(r.kept.KeptFrom(ValueId(5)).count(40, 8), 8u);  // would still live there
  EXPECT_TRUE(r.kept.KeptFrom(ValueId(3)).empty());         // it is the next value
  r.here.position = 1;
  EXPECT_TRUE(r.kept.KeptFrom(ValueId(5)).empty());  // that has come
}

TEST(AssignSearchTest, HolesByFit) {
  UnitSet taken;
  taken.insert(0, 8);
  taken.insert(24, 8);  // holes: 16 at 8, 8 at 32, 24 at 40 + 8
  taken.insert(40, 8);
  uint32_t size = 0;
  EXPECT_EQ(BestHole(taken, 0, 72, 8, 8, 0, false, &size), 32u);
  EXPECT_EQ(size, 8u);
  EXPECT_EQ(BestHole(taken, 0, 72, 16, 8, 0, false, &size), 8u);
  EXPECT_EQ(BestHole(taken, 0, 72, 16, 8, 0, true, &size), 8u);
  EXPECT_EQ(BestHole(taken, 0, 72, 32, 8, 0, false, &size), kNowhere);
  EXPECT_EQ(BestHole(taken, 0, 72, 16, 16, 8, false, &size), 8u);  // phase 8 of 16
  EXPECT_EQ(FirstFit(taken, 33, 72, 8, 8, 0), 48u);
}

TEST(AssignCollectsTest, PartsThatEndThereArePlacedInTheVector) {
  Rooms r;
  r.Enter(0);
  const uint32_t first = r.collects.PartPlace(r.search.Start(ValueId(6)));
  ASSERT_NE(first, kNowhere);
  r.Place(6, first);
  EXPECT_EQ(r.collects.PartPlace(r.search.Start(ValueId(7))), first + 3);
  r.Place(7, first + 3);
  r.here.position = 2;
  const InstId collect = r.f.block(BlockId(0)).insts[2];
  for (uint32_t s : r.live.deaths(BlockId(0), 3)) r.now.dying[s] = collect.index;
  ASSERT_TRUE(r.collects.Place(collect));
  EXPECT_EQ(r.out.collect_parts_in_place, 4u);
  EXPECT_TRUE(r.out.insertions.empty());
}

TEST(AssignEdgesTest, AnArgumentElsewhereIsCopiedBeforeTheJump) {
  Rooms r;
  r.Enter(0);
  r.Place(0, 0);
  r.Enter(1);
  r.Place(1, 40);
  r.Enter(2);
  r.Place(3, 56);
  ASSERT_TRUE(CopyArguments(r.in, r.at, BlockId(2), &r.result));
  ASSERT_EQ(r.out.insertions.size(), 1u);
  EXPECT_EQ(r.out.insertions[0].position, 2u);  // before `while`
  EXPECT_EQ(r.out.insertions[0].steps[0].to, 40u);
  EXPECT_EQ(r.out.insertions[0].steps[0].from, 56u);
}

// Two parameters trade registers while only reserved units are free: they are exchanged in place.
TEST(AssignEdgesTest, ACycleDoesNotGoThroughReservedUnits) {
  Rooms r(
      "function test width 8\n"
      "value %0 G 4x1\n"
      "value %1 G 4x1\n"
      "value %2 G 4x1\n"
      "value %3 G 4x1\n"
      "pool grf units 64\n"
      "pool flag units 4\n"
      "reserved grf at 16 units 48\n"
      "livein %0 at 0\n"
      "livein %1 at 8\n"
      "block b0 depth 0\n"
      "  -> b1(%1:ud, %0:ud)\n"
      "block b1 depth 0 params %2 %3\n"
      "  store %2:ud %3:ud\n"
      "  end\n");
  r.Enter(0);
  r.Place(0, 0);
  r.Place(1, 8);
  r.Enter(1);
  r.Place(2, 0);
  r.Place(3, 8);
  ASSERT_TRUE(CopyArguments(r.in, r.at, BlockId(0), &r.result));
  for (const Insertion& in : r.out.insertions) {
    for (const MoveStep& s : in.steps) EXPECT_TRUE(s.swap && s.to < 16 && s.from < 16);
  }
  EXPECT_EQ(r.out.insertions.size(), 1u);
}

TEST(AssignCompactionTest, WhatIsInTheWayMovesAndGoesHome) {
  Rooms r;
  r.Enter(0);
  r.Place(0, 0);
  // A value that needs all but one register; %0 is in its middle.
  r.f.values[8].comps = 1024 - 8;
  r.info = DescribeValues(TestMachine(), r.f);
  r.now.pools[0].live = UnitSet();
  r.at.now[0] = r.at.home[0] = 512;
  r.now.Rebuild();
  ASSERT_FALSE(r.search.Fits(r.search.Start(ValueId(8)), 0));
  ASSERT_TRUE(r.compaction.Compact(ValueId(8), InstId()));
  EXPECT_EQ(r.at.home[0], 512u);
  EXPECT_TRUE(r.at.now[0] == 0 || r.at.now[0] == 1016) << r.at.now[0];
  EXPECT_EQ(r.out.compactions, 1u);
  ASSERT_TRUE(r.compaction.RestoreMoved());
  EXPECT_EQ(r.at.now[0], 512u);
  EXPECT_EQ(r.out.insertions.size(), 2u);
}

}  // namespace
}  // namespace kiln::lir::ra
