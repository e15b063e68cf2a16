// Compiles GLSL for a target.
#ifndef KILN_TESTS_EXEC_GLSL_H_
#define KILN_TESTS_EXEC_GLSL_H_

#include <vector>

#include "absl/status/statusor.h"
#include "core/driver/targets.h"
#include "core/front/glsl/glsl.h"
#include "core/target/compiled.h"

namespace kiln::exec {

// Returns the programs of these widths. Errors: those of GLSL's and of the target's compiler.
absl::StatusOr<std::vector<Variant>> CompileGlslFor(Target target, const front::GlslSource& source,
                                                    const std::vector<int>& widths);

}  // namespace kiln::exec

#endif  // KILN_TESTS_EXEC_GLSL_H_
