// Instruction selection: lowers MIR to LIR of the Intel EU at one dispatch width.
//
// In: a verified MIR module within the back end's capabilities and its Abi. Out: LIR in SSA form,
// structured blocks in layout order, as core/lir/verify.h and core/intel/lir describe it. Every MIR
// operation is either selected or refused with a named error that carries its SPIR-V id.
//
// Cost: linear. One pass in program order; values are mapped as they are defined. README.md lists
// the rooms.
#ifndef KILN_CORE_INTEL_SELECT_SELECT_H_
#define KILN_CORE_INTEL_SELECT_SELECT_H_

#include "absl/status/statusor.h"
#include "core/intel/abi/abi.h"
#include "core/intel/abi/width_abi.h"
#include "core/lir/lir.h"
#include "core/mir/mir.h"

namespace kiln::intel {

absl::StatusOr<lir::Function> Select(const mir::Module& module, const Abi& abi,
                                     const WidthAbi& at_width);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_SELECT_H_
