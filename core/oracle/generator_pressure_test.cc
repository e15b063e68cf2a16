#include "core/oracle/generator_testing.h"
#include "gtest/gtest.h"

namespace kiln::oracle::random_modules {
namespace {

using mir::Op;

// Each of these loops carries all of the values, and lanes leave it from within ifs.
TEST(GeneratorPressure, LoopsHandRoundWhatIsKept) {
  int loops = 0, continues = 0, breaks = 0;
  const GenerateOptions options = {.instructions = 0, .pressure = 30};
  ForEachInstOf(Modules(options), [&](const mir::Module& m, mir::InstId loop) {
    if (m.inst(loop).op != Op::kLoop) return;
    ++loops;
    const mir::RegionId body = m.inst(loop).regions[0];
    EXPECT_EQ(m.region(body).params.size(), 31u);
    EXPECT_EQ(m.inst(loop).num_results, 30u);
    mir::ForEachJumpOfLoop(m, body, [&](mir::InstId jump) {
      (m.inst(jump).op == Op::kContinue ? continues : breaks) += 1;
    });
  });
  EXPECT_GT(loops, 50);
  EXPECT_GT(continues, 4 * loops);
  EXPECT_GT(breaks, 2 * loops);
}

}  // namespace
}  // namespace kiln::oracle::random_modules
