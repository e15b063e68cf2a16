// Reductions and scans of 64-bit integers between lanes, on their halves. For lower_int64.
//
// Bits (and, or, xor): half by half. Sums: three parts of 25, 25 and 14 bits, whose sums over up to
// 128 lanes do not carry beyond 32 bits, are combined afterwards. Minimum and maximum of a subgroup
// or cluster: that of the high halves, then that of the low halves in the lanes whose high half is
// the extremum. The others (products; scans of minima and maxima) go lane by lane: a loop over the
// active lanes reads each lane's value, and every lane whose result includes it combines it. The
// loop has as many iterations as active lanes; all of them leave it together.
#ifndef KILN_CORE_MID_LOWER_SCAN_INT64_H_
#define KILN_CORE_MID_LOWER_SCAN_INT64_H_

#include "core/mid/lower/wide_int.h"
#include "core/mir/build.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Emits `scan` (reduce, inclusive_scan or exclusive_scan) of this value.
Wide ScanInt64(WideInt& wide, mir::Builder& builder, const mir::Inst& scan, Wide value);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOWER_SCAN_INT64_H_
