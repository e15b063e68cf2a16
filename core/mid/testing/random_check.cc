#include "core/mid/testing/random_check.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "core/mid/arrays/promote_private_arrays.h"
#include "core/mid/arrays/tabulate_arrays.h"
#include "core/mid/control/convert_if_to_select.h"
#include "core/mid/control/kill_in_line.h"
#include "core/mid/control/remove_dead_control_flow.h"
#include "core/mid/loops/hoist_invariants.h"
#include "core/mid/loops/merge_carried_values.h"
#include "core/mid/loops/narrow_carried_values.h"
#include "core/mid/loops/sink_values.h"
#include "core/mid/loops/unroll_loops.h"
#include "core/mid/lower/lower_division.h"
#include "core/mid/lower/lower_dot_products.h"
#include "core/mid/lower/lower_int64.h"
#include "core/mid/lower/lower_int8.h"
#include "core/mid/memory/combine_memory.h"
#include "core/mid/memory/remove_dead_stores.h"
#include "core/mid/testing/testing.h"
#include "core/mid/values/hoist_common_code.h"
#include "core/mid/values/merge_equal_values.h"
#include "core/mid/values/rematerialise_compares.h"
#include "core/mid/values/remove_dead_code.h"
#include "core/mid/values/simplify.h"
#include "core/mid/values/simplify_subgroups.h"
#include "core/mir/build.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "core/oracle/generate.h"
#include "core/oracle/interp.h"

namespace kiln::mid {
namespace {

constexpr RandomPass kPasses[] = {
    {"simplify", Simplify},
    {"merge_equal_values", MergeEqualValues},
    {"hoist_common_code", HoistCommonCode, false, true},
    {"remove_dead_stores", RemoveDeadStores},
    {"convert_if_to_select", ConvertIfToSelect},
    {"kill_in_line", KillInLine, false, false, true},
    {"combine_memory", For<CombineMemory>},
    {"lower_division", LowerDivision, true},
    {"unroll_loops", UnrollLoops},
    {"tabulate_arrays", TabulateArrays},
    {"promote_private_arrays", PromotePrivateArrays},
    {"merge_carried_values", MergeCarriedValues},
    {"narrow_carried_values", NarrowCarriedValues},
    {"hoist_invariants", HoistInvariants},
    {"sink_values", SinkValues},
    {"rematerialise_compares", RematerialiseCompares},
    {"remove_dead_control_flow", RemoveDeadControlFlow},
    {"simplify_subgroups", SimplifySubgroups},
    {"lower_int64", LowerInt64, true},
    {"lower_dot_products", LowerDotProducts, true},
    {"lower_int8", LowerInt8, true},
    {"remove_dead_code", RemoveDeadCode},
};

// Integers only: float rules may change the bits of a NaN. With `doubles` all floats, computed as
// written.
mir::Module Generated(uint64_t seed, mir::Stage stage, bool doubles = false) {
  if (doubles) {
    return oracle::GenerateModule(
        seed,
        {.stage = stage, .instructions = 70, .defined_only = true, .types = true, .doubles = true});
  }
  return oracle::GenerateModule(seed, {.stage = stage,
                                       .instructions = 70,
                                       .max_depth = 5,
                                       .floats = false,
                                       .types = seed % 3 == 2,
                                       .subgroups = seed % 2 == 1});
}

// The contents of the module's own buffer; of graphics stages also the outputs, and which
// invocations are live.
absl::StatusOr<std::vector<uint8_t>> Outcome(const mir::Module& m, uint64_t seed) {
  oracle::LaunchInputs inputs = oracle::GenerateInputs(seed, m);
  const absl::StatusOr<oracle::InterpStatistics> run = oracle::Interpret(m, inputs);
  if (!run.ok()) return run.status();
  std::vector<uint8_t> bytes = inputs.buffers[0].bytes;
  for (const std::vector<uint64_t>& output : inputs.stage.outputs) {
    for (uint64_t x : output) {
      for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<uint8_t>(x >> 8 * i));
    }
  }
  for (bool live : inputs.stage.live) bytes.push_back(live);
  return bytes;
}

// Runs one pass on the module and compares with the results before.
RandomOutcome RunAndCompare(const RandomPass& pass, PassContext& context, uint64_t seed,
                            const std::vector<uint8_t>& expected, mir::Module& m) {
  RandomOutcome outcome;
  const std::string text = mir::Print(m);
  const auto fail = [&](auto... what) {
    outcome.error = absl::StrCat(pass.name, ", seed ", seed, ": ", what..., "\n", text, "becomes\n",
                                 mir::Print(m));
    return outcome;
  };
  outcome.before = mir::CountInstructions(m);
  const absl::StatusOr<bool> result = pass.run(m, context);
  if (!result.ok()) return fail(result.status().ToString());
  outcome.changed = *result;
  outcome.after = mir::CountInstructions(m);
  if (absl::Status s = mir::Verify(m); !s.ok()) return fail(s.ToString());
  const absl::StatusOr<std::vector<uint8_t>> now = Outcome(m, seed);
  if (!now.ok()) return fail(now.status().ToString());
  if (*now != expected) return fail("another outcome");
  if (!pass.required && *result != (context.rewrites() > 0)) return fail("rewrites miscounted");
  return outcome;
}

}  // namespace

absl::Span<const RandomPass> RandomPasses() { return kPasses; }

RandomOutcome CheckPass(const RandomPass& pass, uint64_t seed, mir::Stage stage, bool doubles) {
  mir::Module m = Generated(seed, stage, doubles);
  const absl::StatusOr<std::vector<uint8_t>> expected = Outcome(m, seed);
  if (!expected.ok()) return {.error = expected.status().ToString()};
  PassContext context = PassContext::ForTest();
  return RunAndCompare(pass, context, seed, *expected, m);
}

RandomOutcome CheckAllPasses(uint64_t seed, int64_t limit, mir::Stage stage) {
  mir::Module m = Generated(seed, stage);
  RandomOutcome all;
  all.before = mir::CountInstructions(m);
  const absl::StatusOr<std::vector<uint8_t>> expected = Outcome(m, seed);
  if (!expected.ok()) return {.error = expected.status().ToString()};
  int64_t used = 0;
  for (int round = 0; round < 3; ++round) {
    for (const RandomPass& pass : kPasses) {
      PassContext context = PassContext::ForTest(limit < 0 ? -1 : limit - used);
      RandomOutcome one = RunAndCompare(pass, context, seed, *expected, m);
      used += context.rewrites();
      if (!one.error.empty()) return one;
      all.changed |= one.changed;
      all.after = one.after;
    }
  }
  return all;
}

}  // namespace kiln::mid
