// For tests of emission: programs from LIR text, their text, and runs in the simulator.
#ifndef KILN_CORE_AMD_EMIT_TESTING_H_
#define KILN_CORE_AMD_EMIT_TESTING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/amd/emit/emit.h"
#include "core/amd/emit/finalise.h"
#include "core/amd/emit/program.h"
#include "core/lir/lir.h"

namespace kiln::amd::testing {

// Emits the function whose blocks this text has. Names of registers stand for values that are in
// them: %vN, %sN (a scalar), %pN (a pair of scalars from sN), %mN (a mask in sN), %mvcc, %wN
// (whole-wave), %c (SCC), with a length %v4x2. Branches over cheap code stay.
// `vertex`: the start of a vertex program goes in front.
absl::StatusOr<Program> EmitText(std::string_view body, uint8_t width = 32,
                                 std::optional<VertexStart> vertex = std::nullopt);

// Returns the lines of a program without their numbers; the error's message if there is none.
std::vector<std::string> Lines(const absl::StatusOr<Program>& program);

// Emits one operation, such as "%v1 = v_add_f32 %v2 %s4 {[]}". Returns the text of its
// instructions.
std::string EmitLine(std::string_view line, uint8_t width = 32);

// Waits, bytes, the verifier of whole programs. An error fails the test.
Binary Compile(Program program, const FinaliseOptions& options = {});

}  // namespace kiln::amd::testing

#endif  // KILN_CORE_AMD_EMIT_TESTING_H_
