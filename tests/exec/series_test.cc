// Programs that need more registers than there are, and large ones, compile at every width and
// leave what the interpreter leaves.
#include "tests/exec/series.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/exec/exec.h"

namespace kiln {
namespace {

std::string Agrees(const std::string& module, int n) {
  exec::Setup setup;
  setup.groups = 1;
  setup.buffer_bytes = static_cast<uint32_t>(exec::SeriesBytes(n));
  return exec::Compare(module, setup);
}

class Live : public testing::TestWithParam<int> {};

TEST_P(Live, Values) { EXPECT_EQ(Agrees(exec::LiveValues(GetParam()), GetParam()), ""); }
TEST_P(Live, Uniforms) { EXPECT_EQ(Agrees(exec::LiveUniforms(4 * GetParam()), 4 * GetParam()), ""); }
TEST_P(Live, BesideArray) {
  EXPECT_EQ(Agrees(exec::LiveBesideArray(GetParam()), GetParam()), "");
}
TEST_P(Live, AcrossIf) { EXPECT_EQ(Agrees(exec::LiveAcrossIf(GetParam()), GetParam()), ""); }
TEST_P(Live, ThroughLoops) { EXPECT_EQ(Agrees(exec::LiveThroughLoops(GetParam()), GetParam()), ""); }
TEST_P(Live, LoopCarried) { EXPECT_EQ(Agrees(exec::LoopCarried(GetParam()), GetParam()), ""); }
TEST_P(Live, BreakValues) { EXPECT_EQ(Agrees(exec::BreakValues(GetParam()), GetParam()), ""); }

INSTANTIATE_TEST_SUITE_P(Series, Live, testing::Values(32, 48, 64, 96, 128, 200, 256, 512));

TEST(Series, Chains) {
  for (int n : {100, 1000, 4000}) EXPECT_EQ(Agrees(exec::Chain(n), n), "") << n;
}

TEST(Series, Cases) {
  for (int n : {3, 30, 300}) EXPECT_EQ(Agrees(exec::Cases(n), n), "") << n;
}

TEST(Series, Wide) { EXPECT_EQ(Agrees(exec::Wide(1000), 1000), ""); }

}  // namespace
}  // namespace kiln
