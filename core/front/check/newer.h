// Finds features of a module that are newer than SPIRV-Tools, and makes the module without them.
//
// Problem: the validator is of January 2023. Features added to SPIR-V since (spirv_newer.def), or
// allowed since, it only calls invalid. So a module that it rejects is examined again, to
// distinguish new features from errors.
//
// * New features are declared, by a capability or an extension. A declared feature that is not
//   compiled, or that no table here knows, refuses the module by its name. An enumerant or opcode
//   without a declaration is an error, not a new feature.
// * Features that are compiled are rewritten into an older form that the validator accepts if the
//   rest
//   is right: newer declarations, modes and decorations are dropped, newer instructions become
//   older ones of the same types, and instructions allowed by a later rule (below) become ones that
//   the older rule allows. The importer itself checks the parts that the form drops (values,
//   operands), as it does when there is no validator at all.
// * Non-semantic instructions have no effect: their sets get a name that the validator does not
//   know,
//   so that it checks only that their operands are ids. Forward references are dropped.
//
// Later rules without an enumerant: bit instructions on integers of 8, 16 and 64 bits (Vulkan's
// maintenance9); the image operand Offset outside of gathers (maintenance8); names of source
// languages.
//
// In: any words. Out, for words that are no module: an older form that is equally wrong. Cost:
// linear.
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
  // By instruction of `words`: the number of the module's instruction that it replaces, from 1.
  std::vector<size_t> numbers;
};

// Makes the older form. Errors: UNIMPLEMENTED (refusal.h) for a feature that is not compiled;
// INVALID_ARGUMENT for a newer enumerant or opcode whose feature is not declared, or that is used
// as its rules forbid.
absl::StatusOr<OlderForm> OlderFormOf(absl::Span<const uint32_t> words);

// Refuses a module that declares this capability if it is newer than the headers and not compiled,
// or if no table knows its number. OK for all others, whose uses are refused individually.
absl::Status CheckDeclared(spv::Capability capability);

// Refuses a version of SPIR-V (as in the header: 0x00010600) that is newer than 1.6.
absl::Status CheckVersion(uint32_t version);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_CHECK_NEWER_H_
