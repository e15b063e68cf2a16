// Tests costs and nesting of structured programs and of arbitrary graphs.
#include "core/front/check/flow_cost.h"

#include <algorithm>
#include <random>

#include "gtest/gtest.h"

namespace kiln::front {
namespace {

constexpr uint64_t kAll = uint64_t{1} << 40;

void Add(FlowFunction* f, uint32_t label, std::vector<uint32_t> targets, uint32_t merge = 0,
         uint32_t continue_target = 0) {
  FlowBlock block;
  block.label = label;
  block.merge = merge;
  block.continue_target = continue_target;
  block.first_target = static_cast<uint32_t>(f->targets.size());
  f->targets.insert(f->targets.end(), targets.begin(), targets.end());
  block.end_target = static_cast<uint32_t>(f->targets.size());
  f->blocks.push_back(block);
}

// loop 2 { if 4 { break } } with continue target 7, followed by an if.
FlowFunction LoopWithBreak() {
  FlowFunction f;
  Add(&f, 1, {2});
  Add(&f, 2, {3}, 8, 7);
  Add(&f, 3, {4, 5}, 5);
  Add(&f, 4, {8});
  Add(&f, 5, {7});
  Add(&f, 7, {2});
  Add(&f, 8, {9, 10}, 10);
  Add(&f, 9, {10});
  Add(&f, 10, {});
  return f;
}

TEST(FlowCost, NestingIsOfEdges) {
  FlowFunction f = LoopWithBreak();
  const FlowCost cost = CostOfFlow(f, kAll);
  EXPECT_EQ(cost.nesting, 2u);  // block 4
  for (uint32_t seed = 0; seed < 50; ++seed) {
    std::shuffle(f.blocks.begin() + 1, f.blocks.end(), std::minstd_rand(seed));
    EXPECT_EQ(CostOfFlow(f, kAll).nesting, 2u);
    EXPECT_LT(CostOfFlow(f, kAll).steps, 2 * cost.steps);  // the order of blocks hardly matters
  }
}

TEST(FlowCost, ABreakCostsMoreTheFurtherItGoes) {
  const auto nested_breaks = [](uint32_t depth) {
    FlowFunction f;
    Add(&f, 1, {2});
    Add(&f, 2, {10}, 3, 4);
    for (uint32_t i = 0; i < depth; ++i) {
      Add(&f, 10 + 2 * i, {10 + 2 * i + 2, 11 + 2 * i}, 11 + 2 * i);
      Add(&f, 11 + 2 * i, {i == 0 ? 4u : 9 + 2 * i});
    }
    Add(&f, 10 + 2 * depth, {3});
    Add(&f, 4, {2});
    Add(&f, 3, {});
    return CostOfFlow(f, kAll);
  };
  EXPECT_EQ(nested_breaks(20).nesting, 21u);
  EXPECT_GT(nested_breaks(200).steps, 50 * nested_breaks(20).steps);
}

TEST(FlowCost, NothingIsEmpty) {
  EXPECT_EQ(CostOfFlow({}, kAll).steps, 0u);
  EXPECT_EQ(CostOfFlow({}, 0).steps, 0u);
}

// Duplicate labels; branches and merges to nowhere, to themselves and to the entry; unreachable
// cycles.
TEST(FlowCost, AnyGraphIsSafe) {
  std::minstd_rand random(1);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  for (int round = 0; round < 2000; ++round) {
    const uint32_t n = 1 + below(30), labels = 1 + below(40);
    FlowFunction f;
    for (uint32_t b = 0; b < n; ++b) {
      std::vector<uint32_t> targets(below(4));
      for (uint32_t& target : targets) target = below(labels);
      Add(&f, below(labels), targets, below(2) * below(labels), below(2) * below(labels));
      f.blocks.back().is_switch = below(4) == 0;
      f.blocks.back().uses = below(100);
      f.blocks.back().used = below(100);
      f.blocks.back().phis = below(3);
      f.phi_parents.push_back(below(labels));
    }
    const FlowCost all = CostOfFlow(f, kAll);
    EXPECT_LE(all.nesting, n);
    const FlowCost few = CostOfFlow(f, all.steps / 2);
    EXPECT_GT(few.steps, all.steps / 2);
  }
}

// Two crossing chains prolong the iteration that computes dominators; it is abandoned at the bound.
TEST(FlowCost, TheIterationEndsAtTheBound) {
  FlowFunction f;
  constexpr uint32_t kLength = 20'000;
  Add(&f, 1, {2, kLength + 2});
  for (uint32_t i = 0; i < kLength; ++i) {
    const uint32_t a = 2 + i, b = 2 + kLength + i, next = i + 1 < kLength ? 1 : 0;
    Add(&f, a, {a + next, b});
    Add(&f, b, {b - (i > 0 ? 1 : 0), b + next});
  }
  const FlowCost cost = CostOfFlow(f, 1'000'000);
  EXPECT_GT(cost.steps, 1'000'000u);
}

}  // namespace
}  // namespace kiln::front
