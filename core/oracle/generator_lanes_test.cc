#include <vector>

#include "core/oracle/generator_testing.h"
#include "gtest/gtest.h"

namespace kiln::oracle::random_modules {
namespace {

using mir::Op;

constexpr Op kBetweenLanes[] = {Op::kSubgroupElect, Op::kSubgroupAny,   Op::kSubgroupAll,
                                Op::kBallot,        Op::kReadFirst,     Op::kReadLane,
                                Op::kQuadBroadcast, Op::kQuadSwap,      Op::kShuffle,
                                Op::kReduce,        Op::kInclusiveScan, Op::kExclusiveScan};

TEST(GeneratorLanes, AllOperationsWhereTheyAreAskedFor) {
  auto with = Ops(Modules({.instructions = 150, .types = true, .subgroups = true}));
  auto without = Ops(Modules({.instructions = 150, .types = true}));
  for (const Op op : kBetweenLanes) {
    EXPECT_GT(with[op], 0) << mir::Info(op).name;
    EXPECT_EQ(without[op], 0) << mir::Info(op).name;
  }
}

// Values of inactive lanes are not used, and there are no exclusive minima of floats, whose result
// for NaNs alone is not specified.
TEST(GeneratorLanes, WhatIsOpenIsNotUsed) {
  int chosen = 0;
  const auto modules = Modules({.instructions = 150, .types = true, .subgroups = true});
  for (const mir::Module& m : modules) {
    std::vector<bool> guarded(m.values.size());
    mir::ForEachInst(m, m.body, [&](mir::InstId id) {
      if (m.inst(id).op == Op::kSelect) guarded[m.source(id, 1).index] = true;
    });
    mir::ForEachInst(m, m.body, [&](mir::InstId id) {
      const mir::Inst& inst = m.inst(id);
      if (inst.op == Op::kQuadBroadcast || inst.op == Op::kQuadSwap || inst.op == Op::kShuffle) {
        EXPECT_TRUE(guarded[m.result(id).index]);
        ++chosen;
      }
      if (inst.op != Op::kExclusiveScan || !mir::IsFloat(m.value(m.result(id)).type)) return;
      const auto op = static_cast<mir::ReduceOp>(inst.imm0);
      EXPECT_TRUE(op != mir::ReduceOp::kFmin && op != mir::ReduceOp::kFmax);
    });
  }
  EXPECT_GT(chosen, 100);
}

}  // namespace
}  // namespace kiln::oracle::random_modules
