// The helper that emission's tests share: allocated LIR of one block as assembly.
#ifndef KILN_CORE_INTEL_EMIT_TESTING_H_
#define KILN_CORE_INTEL_EMIT_TESTING_H_

#include <string>
#include <string_view>

#include "core/intel/device/device.h"

namespace kiln::intel {

// Returns a line feed, and each instruction in a line of its own, indented; or the error's text.
// Values of the body:
//   %0 %1 %2 G 4x1   %3 %4 G 2x1   %5 %6 G 4x2   %7 %8 G 8x1   %9 F   %10 %11 U 4x1   %12 %13 U 4x8
//   whole %14 U 4x32 whole   %15 G 4x4   %16 U 4x16 whole
std::string Emitted(std::string_view body, int width, const Device& device = Tgl());

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_EMIT_TESTING_H_
