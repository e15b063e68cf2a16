// Tests the moves between lanes by doing them, and the packing of aux.
#include "core/intel/lir/subgroup.h"

#include <bit>
#include <vector>

#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

// Returns for each lane the lane that the moves give it, and checks that each lane is written once
// by the number of moves that is said. A move of spaced lanes begins at the lane that differs from
// its first one by the mask.
std::vector<int> Moved(int width, int mask, const XorMoves& m) {
  std::vector<int> from(static_cast<size_t>(width), -1);
  int moves = 0;
  for (int first = 0; first < width; first += m.stride * m.lanes) {
    for (int place = first; place < first + m.stride; ++place, ++moves) {
      for (int k = 0; k < m.lanes; ++k) {
        int& lane = from.at(place + k * m.stride);
        EXPECT_EQ(lane, -1) << "written twice";
        lane = (place ^ mask) + k * m.stride;
      }
    }
  }
  EXPECT_EQ(moves, m.count);
  return from;
}

TEST(XorMoves, GiveEachLaneTheOneThatDiffersByTheMask) {
  int with_moves = 0;
  for (const int width : {8, 16, 32}) {
    for (int mask = 1; mask < width; ++mask) {
      for (const int bytes : {1, 2, 4, 8}) {
        const XorMoves m = XorMovesOf(width, static_cast<uint32_t>(mask), bytes);
        if (m.count == 0) continue;
        ++with_moves;
        SCOPED_TRACE(testing::Message() << width << " lanes of " << bytes << ", mask " << mask);
        // An instruction has at most 16 lanes, and an operand spans at most two registers.
        EXPECT_LE(m.lanes, 16);
        EXPECT_LE(m.stride * m.lanes * bytes, 64);
        const std::vector<int> from = Moved(width, mask, m);
        for (int lane = 0; lane < width; ++lane) {
          EXPECT_EQ(from[static_cast<size_t>(lane)], lane ^ mask) << lane;
        }
      }
    }
  }
  EXPECT_EQ(with_moves, 4 * (4 + 5 + 6));  // masks 1, 2 and 3, and 4, 8, 16 below the width
}

TEST(XorMoves, ExistForMasksInsideQuadsAndOfOneBit) {
  for (uint32_t mask = 0; mask < 64; ++mask) {
    const bool exist = mask != 0 && mask < 32 && (mask < 4 || std::has_single_bit(mask));
    EXPECT_EQ(XorMovesOf(32, mask, 4).count != 0, exist) << mask;
  }
  EXPECT_EQ(XorMovesOf(8, 8, 4).count, 0) << "a lane beyond the width";
}

TEST(XorMoves, AreAsFewAsTheOperandsAllow) {
  EXPECT_EQ(XorMovesOf(16, 1, 4).count, 2);  // even and odd lanes
  EXPECT_EQ(XorMovesOf(32, 1, 4).count, 4);
  EXPECT_EQ(XorMovesOf(32, 3, 4).count, 8);   // each of four places in four quads
  EXPECT_EQ(XorMovesOf(32, 16, 4).count, 2);  // the halves change places
  EXPECT_EQ(XorMovesOf(32, 4, 4).count, 8);
  EXPECT_EQ(XorMovesOf(16, 1, 8).count, 4);
}

TEST(ScanAux, IsUnpackedAsPacked) {
  for (int op = 0; op < 16; ++op) {
    for (const ScanAux::Kind kind :
         {ScanAux::kReduce, ScanAux::kReduceClusters, ScanAux::kInclusive, ScanAux::kExclusive}) {
      for (const int cluster : {0, 4, 32, 255}) {
        for (const bool all_on : {false, true}) {
          const ScanAux aux = {static_cast<mir::ReduceOp>(op), kind, static_cast<uint8_t>(cluster),
                               all_on};
          const ScanAux back = ScanAux::Unpack(aux.Pack());
          EXPECT_EQ(back.op, aux.op);
          EXPECT_EQ(back.kind, aux.kind);
          EXPECT_EQ(back.cluster, aux.cluster);
          EXPECT_EQ(back.all_on, aux.all_on);
        }
      }
    }
  }
}

TEST(DifferenceAux, IsUnpackedAsPacked) {
  for (uint32_t bits = 0; bits < 4; ++bits) {
    const DifferenceAux aux = {(bits & 1) != 0, (bits & 2) != 0};
    EXPECT_EQ(aux.Pack(), bits);
    EXPECT_EQ(DifferenceAux::Unpack(bits).down, aux.down);
    EXPECT_EQ(DifferenceAux::Unpack(bits).fine, aux.fine);
  }
}

}  // namespace
}  // namespace kiln::intel
