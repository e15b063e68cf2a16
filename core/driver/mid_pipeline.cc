#include "core/driver/mid_pipeline.h"

#include <algorithm>

#include "core/mid/arrays/promote_private_arrays.h"
#include "core/mid/arrays/tabulate_arrays.h"
#include "core/mid/arrays/unroll_array_loops.h"
#include "core/mid/control/convert_if_to_select.h"
#include "core/mid/control/kill_in_line.h"
#include "core/mid/control/remove_dead_control_flow.h"
#include "core/mid/loops/hoist_invariants.h"
#include "core/mid/loops/merge_carried_values.h"
#include "core/mid/loops/narrow_carried_values.h"
#include "core/mid/loops/sink_values.h"
#include "core/mid/loops/unroll_loops.h"
#include "core/mid/lower/end_helper_loops.h"
#include "core/mid/lower/lower_derivatives.h"
#include "core/mid/lower/lower_division.h"
#include "core/mid/lower/lower_float_atomics.h"
#include "core/mid/lower/lower_gradients.h"
#include "core/mid/lower/lower_int64.h"
#include "core/mid/lower/lower_int8.h"
#include "core/mid/lower/lower_nonuniform.h"
#include "core/mid/lower/normalize_directions.h"
#include "core/mid/lower/resolve_view.h"
#include "core/mid/memory/combine_memory.h"
#include "core/mid/memory/find_unchanging_buffers.h"
#include "core/mid/memory/remove_dead_stores.h"
#include "core/mid/memory/remove_unread_outputs.h"
#include "core/mid/values/form_fma.h"
#include "core/mid/values/hoist_common_code.h"
#include "core/mid/values/merge_equal_values.h"
#include "core/mid/values/merge_factors.h"
#include "core/mid/values/rematerialise_compares.h"
#include "core/mid/values/remove_dead_code.h"
#include "core/mid/values/simplify.h"
#include "core/mid/values/simplify_subgroups.h"
#include "core/mir/build.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"

namespace kiln {
namespace {

// Rows of one group repeat while something changes.
constexpr Pass<mir::Module> kNeutral[] = {
    {"simplify", mid::Simplify, true, 1, "fold constants, apply algebraic rules"},
    {"find_unchanging_buffers", mid::FindUnchangingBuffers, true, 1,
     "storage buffers that nobody writes"},
    {"merge_equal_values", mid::MergeEqualValues, true, 1,
     "one value for what is known to be equal, memory included"},
    {"hoist_common_code", mid::HoistCommonCode, true, 1,
     "what both sides of an if compute is computed before it"},
    {"unroll_loops", mid::UnrollLoops, true, 1,
     "loops with a known number of iterations become their iterations"},
    {"promote_private_arrays", mid::PromotePrivateArrays, true, 1,
     "elements of private arrays become values"},
    {"tabulate_arrays", mid::TabulateArrays, true, 1, "private arrays of constants become tables"},
    {"unroll_array_loops", mid::UnrollArrayLoops, true, 1,
     "all loops that keep an array in memory become their iterations"},
    {"merge_carried_values", mid::MergeCarriedValues, true, 1,
     "values that ifs and loops need not carry"},
    {"narrow_carried_values", mid::NarrowCarriedValues, true, 1,
     "ifs and loops carry 16-bit values as such"},
    {"convert_if_to_select", mid::ConvertIfToSelect, true, 1, "small ifs become selects"},
    {"kill_in_line", mid::KillInLine, true, 1,
     "branches that only kill become kills on a condition"},
    {"remove_dead_control_flow", mid::RemoveDeadControlFlow, true, 1,
     "ifs and loops that decide nothing"},
    {"remove_dead_stores", mid::RemoveDeadStores, true, 1,
     "stores overwritten before anybody reads them"},
    {"remove_dead_code", mid::RemoveDeadCode, true, 1, "values that nobody uses"},
};

absl::StatusOr<bool> RemoveUnreadOutputs(Linking& linking, PassContext& context) {
  const auto read = [&](uint32_t location, uint32_t component) {
    return std::any_of(linking.reads.begin(), linking.reads.end(), [&](const ReadLocation& r) {
      return r.location == location && (r.components >> component & 1) != 0;
    });
  };
  return mid::RemoveUnreadOutputs(linking.module, read, context);
}

constexpr Pass<Linking> kLinking[] = {
    {"remove_unread_outputs", RemoveUnreadOutputs, true, 0,
     "outputs that the next stage does not read"},
};

using mid::Features;

// A pass that every target runs.
template <absl::StatusOr<bool> (*pass)(mir::Module&, PassContext&)>
absl::StatusOr<bool> Always(Lowering& lowering, PassContext& context) {
  return pass(lowering.module, context);
}

// A pass that queries the target's features.
template <absl::StatusOr<bool> (*pass)(mir::Module&, const Features&, PassContext&)>
absl::StatusOr<bool> Asking(Lowering& lowering, PassContext& context) {
  return pass(lowering.module, lowering.features, context);
}

// A pass that runs only for targets with a feature, or only for those without it.
template <bool Features::*feature, absl::StatusOr<bool> (*pass)(mir::Module&, PassContext&)>
absl::StatusOr<bool> Where(Lowering& lowering, PassContext& context) {
  return lowering.features.*feature ? pass(lowering.module, context) : false;
}
template <bool Features::*feature, absl::StatusOr<bool> (*pass)(mir::Module&, PassContext&)>
absl::StatusOr<bool> Unless(Lowering& lowering, PassContext& context) {
  return lowering.features.*feature ? false : pass(lowering.module, context);
}

absl::StatusOr<bool> LowerDerivatives(Lowering& lowering, PassContext& context) {
  const mid::Derivatives has = lowering.features.derivatives;
  const bool fragment = lowering.module.stage == mir::Stage::kFragment;
  if (has == mid::Derivatives::kEverywhere || (has == mid::Derivatives::kInFragments && fragment)) {
    return false;
  }
  return mid::LowerDerivatives(lowering.module, context);
}

absl::StatusOr<bool> ResolveView(Lowering& lowering, PassContext& context) {
  return mid::ResolveView(lowering.module, lowering.view_mask, context);
}

// Group 2 cleans up after lowering.
constexpr Pass<Lowering> kLowerings[] = {
    {"resolve_view", ResolveView, true, 0, "the number of the only view is a constant"},
    {"lower_derivatives", LowerDerivatives, false, 0,
     "derivatives become differences within quads, implicit levels of detail explicit derivatives"},
    {"simplify_subgroups", Always<mid::SimplifySubgroups>, true, 0,
     "exchanges of values that lanes have in common"},
    {"lower_int64", Unless<&Features::int64, mid::LowerInt64>, false, 0,
     "64-bit integers become pairs"},
    {"lower_int8", Unless<&Features::int8, mid::LowerInt8>, false, 0,
     "arithmetic on bytes becomes arithmetic on dwords"},
    {"lower_division", Always<mid::LowerDivision>, true, 0, "integer division as multiplication"},
    {"end_helper_loops", Always<mid::EndHelperLoops>, false, 0,
     "loops that go on by what atomics give end for helpers"},
    {"lower_float_atomics", Asking<mid::LowerFloatAtomics>, false, 0,
     "atomic addition of floats as compare-exchanges"},
    {"lower_gradients", Asking<mid::LowerGradients>, false, 0,
     "derivatives that the sampler does not take become levels"},
    {"normalize_directions", Unless<&Features::divides_directions, mid::NormalizeDirections>, false,
     0, "directions into cubes get their largest part at 1"},
    {"simplify_lowered", Always<mid::Simplify>, true, 2, "fold constants, apply algebraic rules"},
    {"merge_equal_lowered", Always<mid::MergeEqualValues>, true, 2,
     "one value for what is known to be equal, memory included"},
    {"combine_memory", Asking<mid::CombineMemory>, true, 2, "neighbouring dwords in one access"},
    {"remove_dead_lowered", Always<mid::RemoveDeadCode>, true, 2, "values that nobody uses"},
    {"merge_factors", Always<mid::MergeFactors>, true, 0,
     "one constant for those that a value is multiplied by in turn"},
    {"form_fma", Asking<mid::FormFma>, true, 0,
     "products that are only added become fused multiply-adds"},
    {"hoist_invariants", Always<mid::HoistInvariants>, true, 0,
     "what every iteration repeats moves in front of the loop"},
    {"merge_carried_hoisted", Always<mid::MergeCarriedValues>, true, 0,
     "values that ifs and loops need not carry"},
    {"sink_values", Always<mid::SinkValues>, true, 0, "what one branch needs moves into it"},
    {"lower_nonuniform", Always<mid::LowerNonuniform>, false, 0,
     "indices of descriptors and texel offsets become uniform"},
    {"rematerialise_compares", Where<&Features::conditions_in_flags, mid::RematerialiseCompares>,
     true, 0, "compares are repeated beside the ifs and selects that ask for them"},
};

constexpr PassOrder kOrder[] = {
    {"promote_private_arrays", "tabulate_arrays", "small arrays are better as values"},
    {"unroll_loops", "promote_private_arrays", "offsets that a counter gives become constants"},
    {"promote_private_arrays", "unroll_array_loops",
     "an array that is gone then was freed by unrolling"},
    {"tabulate_arrays", "unroll_array_loops", "a table needs no unrolling"},
    {"promote_private_arrays", "narrow_carried_values", "elements of 16 bits are kept as dwords"},
    {"simplify", "lower_division", "constant divisors are found by folding"},
    {"lower_derivatives", "simplify_subgroups", "it makes exchanges within quads"},
    {"lower_derivatives", "lower_gradients", "it makes samples with derivatives"},
    {"simplify", "simplify_subgroups", "what is equal in all lanes shows after folding"},
    {"simplify_subgroups", "lower_int64", "a sum of 64 bits becomes a product of 64 bits"},
    {"simplify", "lower_int64", "what folds at 64 bits need not be split"},
    {"lower_int64", "lower_division", "a short dividend is divided by 32 bits"},
    {"lower_int64", "combine_memory", "halves are neighbours in memory"},
    {"lower_int8", "simplify_lowered", "bytes that are only passed on need not be extended"},
    {"merge_equal_lowered", "combine_memory", "offsets from one base must be one value"},
    {"form_fma", "hoist_invariants", "a product in front of the loop is no longer its sum's"},
    {"hoist_invariants", "merge_carried_hoisted",
     "what a loop gives may be known in front of it now"},
    {"hoist_invariants", "sink_values", "sinking moves into branches, never into loops"},
    {"resolve_view", "simplify_lowered", "what a view chooses is found by folding"},
    {"simplify_lowered", "form_fma", "the rules know sums and products"},
    {"simplify_lowered", "merge_factors", "folding makes constants"},
    {"merge_equal_lowered", "merge_factors", "what is used once shows after merging"},
    {"merge_factors", "form_fma", "a product of products is one in a sum"},
    {"lower_gradients", "normalize_directions", "derivatives are those of the direction as it was"},
    {"normalize_directions", "merge_equal_lowered", "equal directions are divided once"},
    {"lower_gradients", "lower_nonuniform", "asks for the size of an image chosen by value"},
    {"lower_division", "simplify_lowered", "lowering leaves foldable shifts and products"},
    {"merge_equal_lowered", "lower_nonuniform",
     "where an index equals the first lane's, the divergent one must not stand for it again"},
    {"merge_equal_lowered", "rematerialise_compares", "equal compares would be one again"},
    {"sink_values", "rematerialise_compares",
     "compares repeated beside their uses are there already"},
};

std::string PrintMir(const mir::Module& m) { return mir::Print(m); }
std::string PrintLinking(const Linking& l) { return mir::Print(l.module); }
absl::Status VerifyLinking(const Linking& l) { return mir::Verify(l.module); }
int64_t CountLinking(const Linking& l) { return mir::CountInstructions(l.module); }
std::string PrintLowering(const Lowering& l) { return mir::Print(l.module); }
absl::Status VerifyLowering(const Lowering& l) { return mir::Verify(l.module); }
int64_t CountLowering(const Lowering& l) { return mir::CountInstructions(l.module); }

}  // namespace

absl::Span<const Pass<mir::Module>> NeutralPasses() { return kNeutral; }
absl::Span<const Pass<Linking>> LinkingPasses() { return kLinking; }
absl::Span<const Pass<Lowering>> LoweringPasses() { return kLowerings; }
absl::Span<const PassOrder> MidPassOrder() { return kOrder; }

std::vector<PassRow> MidRows() {
  std::vector<PassRow> rows = Rows(NeutralPasses());
  for (const PassRow& row : Rows(LinkingPasses())) rows.push_back(row);
  for (const PassRow& row : Rows(LoweringPasses())) rows.push_back(row);
  return rows;
}

const Level<mir::Module>& NeutralLevel() {
  static constexpr Level<mir::Module> level = {"mir", PrintMir, mir::Verify,
                                               mir::CountInstructions};
  return level;
}

const Level<Linking>& LinkingLevel() {
  static constexpr Level<Linking> level = {"mir", PrintLinking, VerifyLinking, CountLinking};
  return level;
}

const Level<Lowering>& LoweringLevel() {
  static constexpr Level<Lowering> level = {"mir", PrintLowering, VerifyLowering, CountLowering};
  return level;
}

}  // namespace kiln
