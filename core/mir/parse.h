// Reads the text that print.h writes.
//
// Errors are InvalidArgument with "line:column: " and what was expected. Accepted beyond the
// printer's output: any spacing, // comments, omitted header lines, value names with gaps in any
// order. Parsing checks only what a Module could not be built without: scoping of names, arity of
// fixed ops, types of results that follow from the signature. The rest is left to verify.h.
//
// Limits, since the text may be hostile: nesting of 512, value names below 2^22.
#ifndef KILN_CORE_MIR_PARSE_H_
#define KILN_CORE_MIR_PARSE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "core/mir/mir.h"

namespace kiln::mir {

absl::StatusOr<Module> Parse(std::string_view text);

}  // namespace kiln::mir

#endif  // KILN_CORE_MIR_PARSE_H_
