// Programs that need more registers than there are, and large ones, compile at every width and give
// the interpreter's results.
#include "tests/exec/series.h"

#include <string>

#include "core/driver/compile.h"
#include "core/driver/prepared.h"
#include "core/mir/parse.h"
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
TEST_P(Live, Uniforms) {
  EXPECT_EQ(Agrees(exec::LiveUniforms(4 * GetParam()), 4 * GetParam()), "");
}
TEST_P(Live, BesideArray) { EXPECT_EQ(Agrees(exec::LiveBesideArray(GetParam()), GetParam()), ""); }
TEST_P(Live, AcrossIf) { EXPECT_EQ(Agrees(exec::LiveAcrossIf(GetParam()), GetParam()), ""); }
TEST_P(Live, ThroughLoops) {
  EXPECT_EQ(Agrees(exec::LiveThroughLoops(GetParam()), GetParam()), "");
}
TEST_P(Live, LoopCarried) { EXPECT_EQ(Agrees(exec::LoopCarried(GetParam()), GetParam()), ""); }
TEST_P(Live, HandedOn) { EXPECT_EQ(Agrees(exec::HandedOn(GetParam()), GetParam()), ""); }
TEST_P(Live, BreakValues) { EXPECT_EQ(Agrees(exec::BreakValues(GetParam()), GetParam()), ""); }

INSTANTIATE_TEST_SUITE_P(Series, Live, testing::Values(32, 48, 64, 96, 128, 200, 256, 512));

TEST(Series, Chains) {
  for (int n : {100, 1000, 4000}) EXPECT_EQ(Agrees(exec::Chain(n), n), "") << n;
}

TEST(Series, Cases) {
  for (int n : {3, 30, 300}) EXPECT_EQ(Agrees(exec::Cases(n), n), "") << n;
}

TEST(Series, Constants) {
  EXPECT_EQ(Agrees(exec::Constants(400), 400), "");
  EXPECT_EQ(Agrees(exec::ConstantsAgain(400), 400), "");
  EXPECT_EQ(Agrees(exec::SmallIfs(400), 400), "");
  EXPECT_EQ(Agrees(exec::Calls(100), 100), "");
  EXPECT_EQ(Agrees(exec::Nests(200), 200), "");
  EXPECT_EQ(Agrees(exec::DeepNest(120), 120), "");
}

int64_t Transfers(const std::string& text) {
  auto module = mir::Parse(text);
  if (!module.ok()) return -1;
  const auto prepared = PrepareMir(*std::move(module), {}, nullptr, {});
  if (!prepared.ok()) return -1;
  CompileOptions options;
  options.widths = {8, 16};
  const auto compiled = Compile(**prepared, Target::kTgl, options, nullptr, {});
  if (!compiled.ok() || compiled->variants.size() != 2) return -1;
  int64_t transfers = 0;
  for (const Variant& v : compiled->variants) {
    transfers += v.statistics.At("spills") + v.statistics.At("fills");
  }
  return transfers;
}

// Constants, however many, cause no spills of other values.
TEST(Series, ConstantsDoNotSpill) {
  EXPECT_EQ(Transfers(exec::Constants(1600)), 0);
  EXPECT_EQ(Transfers(exec::ConstantsAgain(1600)), 0);
  EXPECT_EQ(Transfers(exec::SmallIfs(1600)), 0);
  EXPECT_EQ(Transfers(exec::Calls(400)), 0);
  EXPECT_EQ(Transfers(exec::Nests(400)), 0);
}

TEST(Series, Wide) { EXPECT_EQ(Agrees(exec::Wide(1000), 1000), ""); }

}  // namespace
}  // namespace kiln
