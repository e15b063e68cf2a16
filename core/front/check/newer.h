// What of a module is newer than SPIRV-Tools, and the module without it.
//
// Problem: the validator is of January 2023. What SPIR-V has gained since (spirv_newer.def), or
// allows since, it calls invalid, and cannot say more. So a module that it turns down is looked at
// again: what is new in it is told apart from what is wrong.
//
// * What is new is declared, by a capability or an extension. A declared feature that is not
//   compiled, or that no table here knows, refuses the module by its name. An enumerant or opcode
//   that nothing declares is wrong, not new.
// * What is compiled is put into an older form that the validator accepts if the rest is right:
//   newer declarations, modes and decorations are left out, newer instructions become older ones of
//   the same types, and instructions of what a later rule allows (below) become such as the older
//   rule allows. What the form does not keep (values, operands) the importer checks by itself, as
//   it does where there is no validator at all.
// * Non-semantic instructions mean nothing: their sets get a name that the validator does not know,
//   so that it checks none of their operands but that they are ids. Forward references are left
//   out.
//
// Later rules that have no enumerant: bit instructions on integers of 8, 16 and 64 bits (Vulkan's
// maintenance9); the image operand Offset outside of gathers (maintenance8); names of source
// languages.
//
// In: any words. Out, for words that are no module: an older form that is as wrong. Cost: linear.
#ifndef KILN_CORE_FRONT_CHECK_NEWER_H_
#define KILN_CORE_FRONT_CHECK_NEWER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/front/grammar/spirv_enums.h"

namespace kiln::front {

struct OlderForm {
  bool changed = false;         // it differs from the module
  std::vector<uint32_t> words;  // in host order
  // By instruction of `words`: the number of the module's instruction that it stands for, from 1.
  std::vector<size_t> numbers;
};

// Errors: UNIMPLEMENTED (refusal.h) for a feature that is not compiled; INVALID_ARGUMENT for a
// newer enumerant or opcode whose feature is not declared, or that is used as its rules forbid.
absl::StatusOr<OlderForm> OlderFormOf(absl::Span<const uint32_t> words);

// The refusal of a module that declares this capability: it is newer than the headers and not
// compiled, or no table knows its number. OK for all others, whose use is refused where it is met.
absl::Status CheckDeclared(spv::Capability capability);

// The refusal of a version of SPIR-V (as in the header: 0x00010600) that is newer than 1.6.
absl::Status CheckVersion(uint32_t version);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_CHECK_NEWER_H_
