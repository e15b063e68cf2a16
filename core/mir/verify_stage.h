// The verifier's rules about stages (verify.h, 11 to 13). Each Fault function returns what is
// wrong, in words, or an empty string.
#ifndef KILN_CORE_MIR_VERIFY_STAGE_H_
#define KILN_CORE_MIR_VERIFY_STAGE_H_

#include "absl/strings/string_view.h"

#include "core/mir/mir.h"

namespace kiln::mir {

// 11: modes, inputs and outputs.
absl::string_view StageFault(const Module& module);

// 12: returns true if the module's stage has the op.
bool HasOp(const Module& module, InstId id);

// 13: checks the use of an input or output by an instruction whose sources and results exist.
absl::string_view InterfaceUseFault(const Module& module, InstId id);

}  // namespace kiln::mir

#endif  // KILN_CORE_MIR_VERIFY_STAGE_H_
