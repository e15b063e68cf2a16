// Passes do not change what random modules compute.
#include <string>

#include "core/mid/combine_memory.h"
#include "core/mid/dce.h"
#include "core/mid/dead_control_flow.h"
#include "core/mid/dead_stores.h"
#include "core/mid/gvn.h"
#include "core/mid/hoist_invariants.h"
#include "core/mid/if_to_select.h"
#include "core/mid/lower_division.h"
#include "core/mid/merge_carried_values.h"
#include "core/mid/promote_arrays.h"
#include "core/mid/simplify.h"
#include "core/mid/sink_values.h"
#include "core/mid/unroll_loops.h"
#include "core/mir/build.h"
#include "core/mir/generate.h"
#include "core/mir/interp.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

struct NamedPass {
  const char* name;
  absl::StatusOr<bool> (*run)(mir::Module&, PassContext&);
  bool required = false;   // then it counts no rewrites
};
constexpr NamedPass kPasses[] = {
    {"simplify", Simplify},
    {"gvn", MergeEqualValues},
    {"dead_stores", RemoveDeadStores},
    {"if_to_select", IfToSelect},
    {"combine_memory", CombineMemory},
    {"lower_division", LowerDivision, true},
    {"unroll_loops", UnrollLoops},
    {"promote_arrays", PromoteArrays},
    {"merge_carried_values", MergeCarriedValues},
    {"hoist_invariants", HoistInvariants},
    {"sink_values", SinkValues},
    {"dead_control_flow", RemoveDeadControlFlow},
    {"dce", EliminateDeadCode},
};

std::vector<uint8_t> Outcome(const mir::Module& m, uint64_t seed) {
  mir::LaunchInputs inputs = mir::GenerateInputs(seed, m);
  const absl::StatusOr<mir::InterpStatistics> run = mir::Interpret(m, inputs);
  EXPECT_TRUE(run.ok()) << run.status() << "\n" << mir::Print(m);
  return inputs.buffers[0].bytes;
}

// Integers only: float rules may change which NaN comes out.
mir::Module Generated(uint64_t seed) {
  return mir::GenerateModule(seed, {.instructions = 70, .max_depth = 5, .floats = false});
}

class RandomPass : public testing::TestWithParam<NamedPass> {};

TEST_P(RandomPass, KeepsTheOutcome) {
  int changed = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    mir::Module m = Generated(seed);
    const std::string before = mir::Print(m);
    const std::vector<uint8_t> expected = Outcome(m, seed);
    PassContext context = PassContext::ForTest();
    const absl::StatusOr<bool> result = GetParam().run(m, context);
    ASSERT_TRUE(result.ok()) << result.status();
    ASSERT_EQ(mir::Verify(m), absl::OkStatus()) << "seed " << seed << "\n" << before;
    ASSERT_EQ(Outcome(m, seed), expected)
        << "seed " << seed << "\n" << before << "becomes\n" << mir::Print(m);
    ASSERT_TRUE(GetParam().required || *result == (context.rewrites() > 0));
    changed += *result;
  }
  EXPECT_GT(changed, 50);
}

INSTANTIATE_TEST_SUITE_P(Mid, RandomPass, testing::ValuesIn(kPasses),
                         [](const auto& info) { return std::string(info.param.name); });

// All of them, round after round, and with a rewrite limit somewhere in between.
TEST(RandomPasses, TogetherAndBisected) {
  int64_t before = 0, after = 0;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    mir::Module m = Generated(seed + 5000);
    before += mir::CountInstructions(m);
    const std::vector<uint8_t> expected = Outcome(m, seed);
    const int64_t limit = seed % 2 == 0 ? -1 : static_cast<int64_t>(seed % 23);
    int64_t used = 0;
    for (int round = 0; round < 3; ++round) {
      for (const NamedPass& pass : kPasses) {
        PassContext context = PassContext::ForTest(limit < 0 ? -1 : limit - used);
        ASSERT_TRUE(pass.run(m, context).ok());
        used += context.rewrites();
        ASSERT_EQ(mir::Verify(m), absl::OkStatus()) << pass.name << " seed " << seed;
        ASSERT_EQ(Outcome(m, seed), expected) << pass.name << " seed " << seed;
      }
    }
    if (limit < 0) after += 2 * mir::CountInstructions(m);
  }
  EXPECT_LT(after, before);
}

}  // namespace
}  // namespace kiln::mid
