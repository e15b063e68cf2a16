// Simplifies operations between lanes on values that are equal in all of them.
//
// Problem: shaders vote on, shuffle and reduce values that come from constants, uniform buffers or
// ids of the workgroup.
// Invariants: verified MIR in and out; which lanes are active does not change.
// Algorithm: if divergence analysis knows that a value is equal in the lanes of a subgroup, then
// reads of other lanes, votes, minima, maxima, and, or give the value itself; their exclusive scans
// give the identity in the first lane and the value in the others; sums are the value times the
// number of lanes that take part, which is counted in a ballot; exclusive ors depend on whether
// that number is odd. Ballots of false are 0. Linear. Not done: float sums and products, whose
// rounding would change, sums of clusters, and values from coherent loads, of memory that something
// may write meanwhile: the analysis calls them uniform, but a target may load them lane by lane,
// and after the exchange all lanes have the same value whatever they found.
#ifndef KILN_CORE_MID_VALUES_SIMPLIFY_SUBGROUPS_H_
#define KILN_CORE_MID_VALUES_SIMPLIFY_SUBGROUPS_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed.
absl::StatusOr<bool> SimplifySubgroups(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_VALUES_SIMPLIFY_SUBGROUPS_H_
