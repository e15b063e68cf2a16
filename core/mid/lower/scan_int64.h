// Reductions and scans of 64-bit integers between lanes, on their halves. For lower_int64.
//
// Bits (and, or, xor): half by half. Sums: three parts of 25, 25 and 14 bits, whose sums over up to
// 128 lanes have no carry beyond 32 bits, are put together afterwards. Minimum and maximum of a
// subgroup or cluster: that of the high halves, then that of the low halves where the high one is
// the winner. What is left (products; scans of minima and maxima) goes lane by lane: a loop over
// the active lanes from the first on reads each lane's value, and every lane that counts it takes
// it in. It has as many iterations as lanes are active, all of them leave it together.
#ifndef KILN_CORE_MID_LOWER_SCAN_INT64_H_
#define KILN_CORE_MID_LOWER_SCAN_INT64_H_

#include "core/mid/lower/wide_int.h"
#include "core/mir/build.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// What `scan` (reduce, inclusive_scan or exclusive_scan) gives for this value.
Wide ScanInt64(WideInt& wide, mir::Builder& builder, const mir::Inst& scan, Wide value);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOWER_SCAN_INT64_H_
