#include "core/oracle/generator_testing.h"
#include "gtest/gtest.h"

namespace kiln::oracle::random_modules {
namespace {

using mir::Op;

TEST(GeneratorControl, NestsAsDeepAsAskedFor) {
  auto flat = Ops(Modules({.max_depth = 0}));
  EXPECT_EQ(flat[Op::kIf] + flat[Op::kLoop], 0);
  auto nested = Ops(Modules({}));
  EXPECT_GT(nested[Op::kIf], 200);
  EXPECT_GT(nested[Op::kLoop], 200);
}

// The first parameter counts down to 0 on every path around the loop, and 0 leaves the loop.
TEST(GeneratorControl, LoopsRunOutOfFuel) {
  int loops = 0, rounds = 0;
  ForEachInstOf(Modules({.instructions = 150}), [&](const mir::Module& m, mir::InstId loop) {
    if (m.inst(loop).op != Op::kLoop) return;
    ++loops;
    const mir::RegionId body = m.inst(loop).regions[0];
    const mir::ValueId fuel = m.region(body).params[0];
    const mir::InstId compare = m.region(body).insts[0], test = m.region(body).insts[1];
    ASSERT_EQ(m.inst(compare).op, Op::kIeq);
    EXPECT_EQ(m.source(compare, 0), fuel);
    EXPECT_EQ(m.value(m.source(compare, 1)).bits, 0u);
    ASSERT_EQ(m.inst(test).op, Op::kIf);
    EXPECT_EQ(m.source(test, 0), m.result(compare));
    EXPECT_EQ(m.inst(m.region(m.inst(test).regions[0]).insts.back()).op, Op::kBreak);
    mir::ForEachJumpOfLoop(m, body, [&](mir::InstId jump) {
      if (m.inst(jump).op != Op::kContinue) return;
      ++rounds;
      ASSERT_EQ(DefinedBy(m, m.source(jump, 0)), Op::kIsub);
      const mir::InstId step(m.value(m.source(jump, 0)).owner);
      EXPECT_EQ(m.source(step, 0), fuel);
      EXPECT_EQ(m.value(m.source(step, 1)).bits, 1u);
    });
  });
  EXPECT_GT(loops, 200);
  EXPECT_GT(rounds, 200);
}

}  // namespace
}  // namespace kiln::oracle::random_modules
