// Executes the sequence on lanes that are on and off and compares the result with reading all
// sources before writing any destination.
#include "core/lir/ra/parallel_moves.h"

#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace kiln::lir::ra {
namespace {

struct Lanes {
  std::vector<int> on, off;
};

Lanes Initial(uint32_t units) {
  Lanes l;
  for (uint32_t u = 0; u < units; ++u) {
    l.on.push_back(static_cast<int>(u));
    l.off.push_back(static_cast<int>(1000 + u));
  }
  return l;
}

Lanes AtOnce(const std::vector<Move>& moves, uint32_t units) {
  const Lanes old = Initial(units);
  Lanes l = old;
  for (const Move& m : moves) {
    for (uint32_t k = 0; k < m.units; ++k) {
      l.on[m.to + k] = old.on[m.from + k];
      if (m.no_mask) l.off[m.to + k] = old.off[m.from + k];
    }
  }
  return l;
}

// Executes each step unit by unit upwards, as a machine may: a step that overlaps itself upwards
// would be wrong.
Lanes InSequence(const std::vector<MoveStep>& steps, uint32_t units) {
  Lanes l = Initial(units);
  for (const MoveStep& s : steps) {
    for (uint32_t k = 0; k < s.units; ++k) {
      if (s.swap) {
        std::swap(l.on[s.to + k], l.on[s.from + k]);
        if (s.no_mask) std::swap(l.off[s.to + k], l.off[s.from + k]);
      } else {
        l.on[s.to + k] = l.on[s.from + k];
        if (s.no_mask) l.off[s.to + k] = l.off[s.from + k];
      }
    }
  }
  return l;
}

// Units that are neither named nor busy may change (they were free).
void ExpectSame(const Lanes& got, const Lanes& want, const std::vector<Move>& moves,
                const UnitSet& busy, uint32_t units) {
  UnitSet matters = busy, written;
  for (const Move& m : moves) {
    written.insert(m.to, m.units);
    matters.insert(m.to, m.units);
  }
  for (uint32_t u = 0; u < units; ++u) {
    if (!matters.test(u)) continue;
    EXPECT_EQ(got.on[u], want.on[u]) << "unit " << u;
    EXPECT_EQ(got.off[u], want.off[u]) << "unit " << u << ", lane off";
  }
}

TEST(ParallelMovesTest, ACycleUsesFreeUnits) {
  const std::vector<Move> moves = {{0, 8, 8, 8, false, 1}, {8, 0, 8, 8, false, 2}};
  std::vector<MoveStep> steps;
  ASSERT_TRUE(SequenceMoves(moves, UnitSet(), 32, &steps));
  EXPECT_EQ(steps.size(), 3u);
  ExpectSame(InSequence(steps, 32), AtOnce(moves, 32), moves, UnitSet(), 32);
}

TEST(ParallelMovesTest, WithoutFreeUnitsACycleSwaps) {
  const std::vector<Move> moves = {
      {0, 8, 8, 8, false, 1}, {8, 16, 8, 8, false, 2}, {16, 0, 8, 8, false, 3}};
  std::vector<MoveStep> steps;
  ASSERT_TRUE(SequenceMoves(moves, UnitSet(), 24, &steps));
  EXPECT_EQ(steps.size(), 2u);
  for (const MoveStep& s : steps) EXPECT_TRUE(s.swap);
  ExpectSame(InSequence(steps, 24), AtOnce(moves, 24), moves, UnitSet(), 24);
}

TEST(ParallelMovesTest, RefusesAMixedCycleWithoutFreeUnits) {
  const std::vector<Move> moves = {{0, 8, 8, 8, false, 1}, {8, 0, 8, 8, true, 2}};
  std::vector<MoveStep> steps;
  EXPECT_FALSE(SequenceMoves(moves, UnitSet(), 16, &steps));
  steps.clear();
  ASSERT_TRUE(SequenceMoves(moves, UnitSet(), 32, &steps));
  ExpectSame(InSequence(steps, 32), AtOnce(moves, 32), moves, UnitSet(), 32);
}

TEST(ParallelMovesTest, ARangeThatOverlapsItselfGoesThroughFreeUnits) {
  const std::vector<Move> moves = {{8, 0, 16, 8, false, 1}};
  std::vector<MoveStep> steps;
  ASSERT_TRUE(SequenceMoves(moves, UnitSet(), 64, &steps));
  EXPECT_EQ(steps.size(), 2u);
  ExpectSame(InSequence(steps, 64), AtOnce(moves, 64), moves, UnitSet(), 64);
}

TEST(ParallelMovesTest, RandomSets) {
  std::mt19937 random(1);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  int refused = 0, swaps = 0;
  for (int round = 0; round < 20000; ++round) {
    const uint32_t units = 24 + 8 * below(6);
    const uint32_t grain = below(2) == 0 ? 8 : 1;
    std::vector<Move> moves;
    UnitSet targets, busy;
    for (uint32_t k = below(9); k > 0; --k) {
      Move m;
      m.units = grain * (1 + below(grain == 1 ? 8 : 2));
      m.alignment = grain;
      if (m.units > units) continue;
      m.to = below((units - m.units) / grain + 1) * grain;
      m.from = below((units - m.units) / grain + 1) * grain;
      m.no_mask = below(3) == 0;
      if (m.to == m.from || targets.intersects(m.to, m.units)) continue;
      targets.insert(m.to, m.units);
      moves.push_back(m);
    }
    for (uint32_t u = 0; u < units; ++u) {
      if (below(3) == 0 && !targets.test(u)) busy.insert(u, 1);
    }
    if (below(4) == 0) busy.insert(0, units);
    std::vector<MoveStep> steps;
    if (!SequenceMoves(moves, busy, units, &steps)) {
      ++refused;
      continue;
    }
    for (const MoveStep& s : steps) swaps += s.swap;
    ExpectSame(InSequence(steps, units), AtOnce(moves, units), moves, busy, units);
    if (HasFailure()) FAIL() << "round " << round;
  }
  EXPECT_LT(refused, 8000);
  EXPECT_GT(swaps, 100);
}

}  // namespace
}  // namespace kiln::lir::ra
