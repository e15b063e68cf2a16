// Which widths of a program a compile asks for, and what it says if there is none: for back ends
// that make a program for each of several widths.
#ifndef KILN_CORE_TARGET_PROGRAM_WIDTHS_H_
#define KILN_CORE_TARGET_PROGRAM_WIDTHS_H_

#include "absl/status/status.h"
#include "core/target/compile_options.h"

namespace kiln {

// Returns true if the options leave the width, in lanes, to the compiler or name it.
bool IsWanted(const CompileOptions& options, int width);

// Returns true for a refusal of one width alone: another may work.
bool IsOfWidthOnly(const absl::Status& refusal);

// Returns the refusal of a compile that made no program: `refused`, which is that of a width, or,
// if it is ok, that none of the requested widths exists.
absl::Status NoWidth(const absl::Status& refused);

}  // namespace kiln

#endif  // KILN_CORE_TARGET_PROGRAM_WIDTHS_H_
