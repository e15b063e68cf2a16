// Reads the text that print.h writes. One pass over the text; errors name the line. The result is
// well-formed text, but not yet a verified program: run Verify.
#ifndef KILN_CORE_LIR_PARSE_H_
#define KILN_CORE_LIR_PARSE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "core/lir/lir.h"
#include "core/lir/machine.h"

namespace kiln::lir {

absl::StatusOr<Function> Parse(const Machine& machine, std::string_view text);

}  // namespace kiln::lir

#endif  // KILN_CORE_LIR_PARSE_H_
