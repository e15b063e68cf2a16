// Makes the launch record: the contents of Abi and WidthAbi, for the driver or simulator that
// starts the program (core/intel/ABI.md).
#ifndef KILN_CORE_INTEL_ABI_LAUNCH_H_
#define KILN_CORE_INTEL_ABI_LAUNCH_H_

#include "core/intel/abi/abi.h"
#include "core/intel/abi/width_abi.h"
#include "core/mir/mir.h"
#include "core/out/launch_record.h"

namespace kiln::intel {

// Returns the record without code_bytes and scratch, which the caller adds.
out::LaunchRecord LaunchOf(const mir::Module& module, const Abi& abi, const WidthAbi& at_width);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_ABI_LAUNCH_H_
