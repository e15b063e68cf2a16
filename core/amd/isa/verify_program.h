// The verifier's rules over programs, see verify.h.
#ifndef KILN_CORE_AMD_ISA_VERIFY_PROGRAM_H_
#define KILN_CORE_AMD_ISA_VERIFY_PROGRAM_H_

#include <functional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/amd/isa/decode.h"

namespace kiln::amd::isa {

// Names of the rows of verify.cc's table that are judged here.
inline constexpr absl::string_view kBranchTargets = "branch targets";
inline constexpr absl::string_view kEnd = "end of the program";
inline constexpr absl::string_view kClauses = "clauses";
inline constexpr absl::string_view kPermlaneHazard = "permlane after v_cmpx";
inline constexpr absl::string_view kDenormHazard = "denormal mode after a float atomic";

// Calls `report` with the index of each instruction that breaks a rule, and the rule's name.
void VerifyProgram(absl::Span<const PlacedInstruction> program,
                   const std::function<void(size_t, absl::string_view)>& report);

}  // namespace kiln::amd::isa

#endif  // KILN_CORE_AMD_ISA_VERIFY_PROGRAM_H_
