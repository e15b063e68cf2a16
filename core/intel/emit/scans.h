// Machine code of reductions and scans over the lanes of a thread (kLaneScan).
//
// If lanes may be off, the scratch register gets the identity in all lanes and then the values in
// those that are on; after that everything is NoMask. Otherwise the first step reads the values
// where they are.
//
// Reductions of the whole thread combine the lower half of the lanes with the upper one, then the
// lower quarter with the next, ...: log2(width) steps, each of one instruction if it combines at
// most 16 lanes.
//
// For clusters and scans, step k combines the last lane of the lower half of each group of 2^k
// lanes with the lanes of the upper half, in clusters only with the last. Groups of two and four
// lanes are combined in all groups at once by strides, larger ones group by group, since a
// destination has no stride above 4. (Sklansky's network, Conditional-Sum Addition Logic, 1960.)
// The interpreter adds in the same order.
#ifndef KILN_CORE_INTEL_EMIT_SCANS_H_
#define KILN_CORE_INTEL_EMIT_SCANS_H_

#include "absl/status/status.h"
#include "core/intel/emit/context.h"

namespace kiln::intel {

absl::Status EmitScan(EmitContext& em, lir::InstId id);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_EMIT_SCANS_H_
