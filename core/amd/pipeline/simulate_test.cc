#include "core/amd/pipeline/simulate.h"

#include "core/amd/pipeline/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

TEST(Simulate, RunsADispatch) {
  testing::StoreProgram p = testing::MakeStoreProgram(7);
  const auto stats = Simulate(p.code, p.record, {}, p.dispatch);
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(stats->instructions, 7u);
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(p.dispatch.buffers[0].bytes[4 * i], 7) << i;
}

TEST(Simulate, HandsOptionsOn) {
  testing::StoreProgram p = testing::MakeStoreProgram(7);
  SimulationOptions options;
  options.max_instructions = 1;
  EXPECT_EQ(Simulate(p.code, p.record, options, p.dispatch).status().code(),
            absl::StatusCode::kDeadlineExceeded);
}

TEST(Simulate, HasAMemoryMode) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    testing::StoreProgram p = testing::MakeStoreProgram(7);
    SimulationOptions options;
    options.memory_seed = seed;
    const auto stats = Simulate(p.code, p.record, options, p.dispatch);
    ASSERT_TRUE(stats.ok()) << stats.status();
    for (size_t i = 0; i < 32; ++i) EXPECT_EQ(p.dispatch.buffers[0].bytes[4 * i], 7) << i;
  }
}

}  // namespace
}  // namespace kiln::amd
