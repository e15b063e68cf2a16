#include "core/oracle/generator_testing.h"
#include "gtest/gtest.h"

namespace kiln::oracle::random_modules {
namespace {

using mir::Op;

GenerateOptions Drawn(uint32_t samples) {
  return {.stage = mir::Stage::kFragment,
          .instructions = 150,
          .defined_only = true,
          .types = true,
          .drawn = true,
          .samples = samples};
}

TEST(GeneratorDraws, OperationsOfFragmentsThatAreDrawn) {
  auto ops = Ops(Modules(Drawn(1)));
  for (const Op op :
       {Op::kDdx, Op::kQuadSwap, Op::kSsboAtomic, Op::kImageLoad, Op::kImageStore, Op::kImageAtomic,
        Op::kSample, Op::kSampleImplicit, Op::kGather, Op::kFetch, Op::kInterpolate, Op::kReduce}) {
    EXPECT_GT(ops[op], 20) << mir::Info(op).name;
  }
}

// Outputs are written at the end, and few kills, so that something is drawn.
TEST(GeneratorDraws, OutputsAtTheEndAndFewKills) {
  const auto modules = Modules(Drawn(4));
  EXPECT_EQ(AtTheTop(modules, {Op::kStoreOutput}), Ops(modules)[Op::kStoreOutput]);
  int killing = 0;
  for (const mir::Module& m : modules) {
    auto ops = Ops({m});
    const int kills = ops[Op::kDemote] + ops[Op::kDiscard] + ops[Op::kTerminate];
    EXPECT_LE(kills, 4);
    killing += kills != 0;
  }
  EXPECT_GT(killing, 100);
}

// Targets may differ in derivatives of incomplete quads and in results of helpers.
TEST(GeneratorDraws, WhatTargetsDoDifferentlyIsNotUsed) {
  for (const mir::Module& m : Modules(Drawn(1))) {
    mir::ForEachInst(m, m.body, [&](mir::InstId id) {
      const Op user = m.inst(id).op;
      for (const mir::ValueId v : m.sources(id)) {
        const Op op = DefinedBy(m, v);
        if (op == Op::kDdx || op == Op::kDdy || op == Op::kSampleImplicit ||
            op == Op::kImageAtomic) {
          EXPECT_EQ(user, Op::kSelect) << mir::Info(user).name << " of " << mir::Info(op).name;
        }
      }
    });
  }
}

// With several samples an invocation knows only its pixel, so that no texel belongs to it alone.
TEST(GeneratorDraws, NoTexelsOfSamples) {
  int of_samples = 0;
  for (const mir::Module& m : Modules(Drawn(4))) {
    if (!m.fragment.sample_rate) continue;
    ++of_samples;
    auto ops = Ops({m});
    EXPECT_EQ(ops[Op::kImageLoad] + ops[Op::kImageStore] + ops[Op::kImageAtomic], 0);
  }
  EXPECT_GT(of_samples, 20);
}

}  // namespace
}  // namespace kiln::oracle::random_modules
