// Compiles GLSL to SPIR-V, with glslang.
//
// glslang keeps process-global state and is not hardened against hostile text: only worker
// processes and tests may link this, never the daemon. It reads no files: the caller resolves
// includes first. The same source gives the same words for one glslang version.
#ifndef KILN_CORE_FRONT_GLSL_GLSL_H_
#define KILN_CORE_FRONT_GLSL_GLSL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/shader_stage.h"
#include "core/front/glsl/glsl_source.h"

namespace kiln::front {

// Returns the stage by the ending of a file name: "x.comp", "x.comp.glsl", "x.glsl.comp". NOT_FOUND
// if the name has no such ending.
absl::StatusOr<ShaderStage> GlslStageOfName(const std::string& name);

// Prepare glslang for the #version of a source. glslang builds its built-in names anew for each
// version that a process meets, which takes longer (some 0.1 s) than most translations. CompileGlsl
// does it if necessary; StartGlslang does it alone, for callers that account for it separately.
// Safe in any thread.
bool GlslangIsReady(const GlslSource& source);
void StartGlslang(const GlslSource& source);

// Compiles the source. Refuses (refusal.h) text beyond glslang's limits (bounds.h). glslang
// recurses to the depth of an expression: a calling thread needs a stack of 128 MiB for all
// accepted texts. Refusals carry text and line (SourceOf, core/base/cause.h). INVALID_ARGUMENT has
// the cause "invalid_glsl", or "invalid_define", and carries glslang's log: lines "ERROR:
// name:line: text". A byte beyond ASCII is shown as in the text (\xHH) if it can be identified with
// certainty.
absl::StatusOr<std::vector<uint32_t>> CompileGlsl(const GlslSource& source);

// Returns glslang's version, for cache keys: "12.0.0".
std::string GlslangVersion();

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_GLSL_GLSL_H_
