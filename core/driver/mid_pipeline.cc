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
#include "core/mid/lower/lower_dot_products.h"
#include "core/mid/lower/lower_double_atomics.h"
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

using Changed = absl::StatusOr<bool>;

// A pass that acts on ifs and loops alone, which a module of one region has none of.
template <Changed (*pass)(mir::Module&, PassContext&)>
Changed OfBranches(mir::Module& module, PassContext& context) {
  return module.regions.size() > 1 ? pass(module, context) : false;
}

// Rows of one group repeat while something changes.
constexpr Pass<mir::Module> kNeutral[] = {
    {"simplify", mid::Simplify, true, 1, "folds constants and applies algebraic rules"},
    {"find_unchanging_buffers", mid::FindUnchangingBuffers, true, 1,
     "marks storage buffers that are not written while the program runs"},
    {"merge_equal_values", mid::MergeEqualValues, true, 1,
     "merges computations and loads known to give equal values"},
    {"hoist_common_code", OfBranches<mid::HoistCommonCode>, true, 1,
     "hoists computations that both sides of an if have in common"},
    {"unroll_loops", OfBranches<mid::UnrollLoops>, true, 1,
     "unrolls loops with a known number of iterations"},
    {"promote_private_arrays", mid::PromotePrivateArrays, true, 1,
     "turns elements of private arrays into values"},
    {"tabulate_arrays", mid::TabulateArrays, true, 1,
     "turns private arrays of constants into tables"},
    {"unroll_array_loops", OfBranches<mid::UnrollArrayLoops>, true, 1,
     "unrolls all loops that keep a private array in memory"},
    {"merge_carried_values", OfBranches<mid::MergeCarriedValues>, true, 1,
     "removes values that ifs and loops carry needlessly"},
    {"narrow_carried_values", mid::NarrowCarriedValues, true, 1,
     "carries 16-bit values through ifs and loops in 16 bits"},
    {"convert_if_to_select", OfBranches<mid::ConvertIfToSelect>, true, 1,
     "turns small ifs into selects"},
    {"kill_in_line", mid::KillInLine, true, 1,
     "turns branches that only kill into conditional kills"},
    {"remove_dead_control_flow", mid::RemoveDeadControlFlow, true, 1,
     "removes ifs and loops without effect on control flow"},
    {"remove_dead_stores", mid::RemoveDeadStores, true, 1,
     "removes stores that are overwritten before they are read"},
    {"remove_dead_code", mid::RemoveDeadCode, true, 1, "removes dead code"},
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
     "removes output components that the next stage does not read"},
};

using mid::Features;

// Notes whether a pass has changed the module; returns that.
Changed Noted(Lowering& lowering, Changed changed) {
  if (!changed.ok() || *changed) lowering.settled = false;
  return changed;
}

// A pass that every target runs.
template <Changed (*pass)(mir::Module&, PassContext&)>
Changed Always(Lowering& lowering, PassContext& context) {
  return Noted(lowering, pass(lowering.module, context));
}

// A neutral pass that runs again behind those that have changed the module.
template <Changed (*pass)(mir::Module&, PassContext&)>
Changed Again(Lowering& lowering, PassContext& context) {
  return lowering.settled ? false : Always<pass>(lowering, context);
}

// A pass that queries the target's features.
template <Changed (*pass)(mir::Module&, const Features&, PassContext&)>
Changed Asking(Lowering& lowering, PassContext& context) {
  return Noted(lowering, pass(lowering.module, lowering.features, context));
}

// A pass that runs only for targets with a feature, or only for those without it.
template <bool Features::*feature, Changed (*pass)(mir::Module&, PassContext&)>
Changed Where(Lowering& lowering, PassContext& context) {
  return lowering.features.*feature ? Always<pass>(lowering, context) : false;
}
template <bool Features::*feature, Changed (*pass)(mir::Module&, PassContext&)>
Changed Unless(Lowering& lowering, PassContext& context) {
  return lowering.features.*feature ? false : Always<pass>(lowering, context);
}

Changed LowerDerivatives(Lowering& lowering, PassContext& context) {
  const mid::Derivatives has = lowering.features.derivatives;
  const bool fragment = lowering.module.stage == mir::Stage::kFragment;
  if (has == mid::Derivatives::kEverywhere || (has == mid::Derivatives::kInFragments && fragment)) {
    return false;
  }
  return Always<mid::LowerDerivatives>(lowering, context);
}

Changed ResolveView(Lowering& lowering, PassContext& context) {
  return Noted(lowering, mid::ResolveView(lowering.module, lowering.view_mask, context));
}

// Group 2 cleans up after lowering.
constexpr Pass<Lowering> kLowerings[] = {
    {"resolve_view", ResolveView, true, 0,
     "replaces the view index by a constant if one view is drawn"},
    {"lower_derivatives", LowerDerivatives, false, 0,
     "lowers derivatives to differences within quads, implicit-LOD samples to explicit-gradient "
     "samples"},
    {"simplify_subgroups", Always<mid::SimplifySubgroups>, true, 0,
     "simplifies subgroup operations on uniform values"},
    {"lower_double_atomics", Asking<mid::LowerDoubleAtomics>, false, 0,
     "lowers atomics on 64-bit floats to loops of compare-exchanges"},
    {"lower_int64", Unless<&Features::int64, mid::LowerInt64>, false, 0,
     "lowers 64-bit integers to pairs of 32-bit integers"},
    {"lower_int8", Unless<&Features::int8, mid::LowerInt8>, false, 0,
     "lowers arithmetic on 8-bit integers to 32 bits"},
    {"lower_dot_products", Unless<&Features::dot4, mid::LowerDotProducts>, false, 0,
     "lowers dot products of four bytes to products of the bytes"},
    {"lower_division", Always<mid::LowerDivision>, true, 0,
     "lowers integer division by constants to multiplication"},
    {"end_helper_loops", Always<OfBranches<mid::EndHelperLoops>>, false, 0,
     "terminates helper lanes' loops whose exit depends on an atomic"},
    {"lower_float_atomics", Asking<mid::LowerFloatAtomics>, false, 0,
     "lowers float atomics to loops of compare-exchanges"},
    {"lower_gradients", Asking<mid::LowerGradients>, false, 0,
     "lowers explicit-gradient samples the sampler cannot execute to explicit-LOD samples"},
    {"normalize_directions", Unless<&Features::divides_directions, mid::NormalizeDirections>, false,
     0, "scales cube directions so that the largest component is 1 or -1"},
    {"simplify_lowered", Again<mid::Simplify>, true, 2,
     "folds constants and applies algebraic rules"},
    {"merge_equal_lowered", Again<mid::MergeEqualValues>, true, 2,
     "merges computations and loads known to give equal values"},
    {"combine_memory", Asking<mid::CombineMemory>, true, 2,
     "combines accesses to neighbouring elements"},
    {"remove_dead_lowered", Again<mid::RemoveDeadCode>, true, 2, "removes dead code"},
    {"merge_factors", Always<mid::MergeFactors>, true, 0,
     "merges constants of consecutive multiplications"},
    {"form_fma", Asking<mid::FormFma>, true, 0, "forms fused multiply-adds"},
    {"hoist_invariants", Always<OfBranches<mid::HoistInvariants>>, true, 0,
     "hoists loop-invariant computations out of loops"},
    {"merge_carried_hoisted", Always<OfBranches<mid::MergeCarriedValues>>, true, 0,
     "removes values that ifs and loops carry needlessly"},
    {"sink_values", Always<OfBranches<mid::SinkValues>>, true, 0,
     "sinks computations into the branch that uses them"},
    {"lower_nonuniform", Asking<mid::LowerNonuniform>, false, 0,
     "makes descriptor indices and texel offsets uniform"},
    {"rematerialise_compares", Where<&Features::conditions_in_flags, mid::RematerialiseCompares>,
     true, 0, "rematerialises compares next to the ifs and selects that use them"},
};

constexpr PassOrder kOrder[] = {
    {"promote_private_arrays", "tabulate_arrays",
     "small arrays are better promoted to values than tabulated"},
    {"unroll_loops", "promote_private_arrays",
     "unrolling turns offsets computed from the counter into constants"},
    {"promote_private_arrays", "unroll_array_loops",
     "arrays that need no unrolling are promoted first, so that the rest is what unrolling frees"},
    {"tabulate_arrays", "unroll_array_loops", "an array turned into a table needs no unrolling"},
    {"promote_private_arrays", "narrow_carried_values", "elements of 16 bits are kept as dwords"},
    {"simplify", "lower_division", "folding finds constant divisors"},
    {"lower_derivatives", "simplify_subgroups", "lowered derivatives read other lanes of the quad"},
    {"lower_derivatives", "lower_gradients", "lowered samples have explicit gradients"},
    {"simplify", "simplify_subgroups", "folding shows which values are uniform"},
    {"simplify_subgroups", "lower_int64",
     "a reduction of a uniform 64-bit value becomes a 64-bit product"},
    {"simplify", "lower_int64", "64-bit operations that fold need no splitting"},
    {"lower_double_atomics", "lower_int64", "exchanges are of 64-bit integers"},
    {"lower_int64", "lower_division",
     "a 64-bit division of a 32-bit dividend becomes a 32-bit division"},
    {"lower_int64", "combine_memory", "the two halves of a 64-bit value are neighbours in memory"},
    {"lower_dot_products", "simplify_lowered", "folding takes bytes out of constants"},
    {"lower_int8", "simplify_lowered",
     "folding removes extensions of bytes that are only passed on"},
    {"merge_equal_lowered", "combine_memory",
     "accesses combine only if their offsets have the same base value"},
    {"form_fma", "hoist_invariants",
     "a product hoisted before the loop can no longer be fused with its sum"},
    {"hoist_invariants", "merge_carried_hoisted",
     "results of a loop may be invariant after hoisting"},
    {"hoist_invariants", "sink_values", "sinking moves into branches, never into loops"},
    {"resolve_view", "simplify_lowered", "folding resolves selections by the view index"},
    {"simplify_lowered", "form_fma",
     "algebraic rules match sums and products, not fused operations"},
    {"simplify_lowered", "merge_factors", "folding makes the factors constants"},
    {"merge_equal_lowered", "merge_factors", "a product with one use is known only after merging"},
    {"merge_factors", "form_fma", "a chain of products must be one product before it is fused"},
    {"lower_gradients", "normalize_directions", "gradients are taken of the unscaled direction"},
    {"normalize_directions", "merge_equal_lowered", "equal directions are scaled once"},
    {"lower_gradients", "lower_nonuniform", "makes size queries of images chosen by value"},
    {"lower_division", "simplify_lowered", "lowering leaves foldable shifts and products"},
    {"merge_equal_lowered", "lower_nonuniform",
     "merging would replace the first lane's index by the divergent one again"},
    {"merge_equal_lowered", "rematerialise_compares",
     "merging would undo the repetition of compares"},
    {"sink_values", "rematerialise_compares",
     "repeated compares are next to their uses and need no sinking"},
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
