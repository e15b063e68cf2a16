// GLSL -> SPIR-V, over glslang.
//
// glslang keeps process-global state and is not hardened against hostile text: only worker
// processes and tests may link this, never the daemon. Nothing is read from files: whoever calls
// resolves includes first. The same source gives the same words for one glslang version.
#ifndef KILN_CORE_FRONT_GLSL_GLSL_H_
#define KILN_CORE_FRONT_GLSL_GLSL_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/shader_stage.h"

namespace kiln::front {

// The stage a file name ends with: "x.comp", "x.comp.glsl", "x.glsl.comp". NOT_FOUND if it says
// none.
absl::StatusOr<ShaderStage> GlslStageOfName(const std::string& name);

// One #include, resolved by whoever read the files.
struct GlslInclude {
  std::string spelled;   // what stands between the delimiters
  std::string includer;  // name of the including text; empty: any
  std::string resolved;  // its name in messages, and as includer
  std::string text;
};

struct GlslSource {
  std::string text;
  std::string name = "main.glsl";                            // in messages, and as includer
  ShaderStage stage = ShaderStage::kCompute;                 // one that has an ending
  std::vector<std::pair<std::string, std::string>> defines;  // NAME, VALUE (may be empty)
  std::vector<GlslInclude> includes;  // those with the includer named go first
  std::string entry = "main";
  uint32_t vulkan_minor = 3;  // Vulkan 1.N, N from 0 to 3; decides SPIR-V's version
};

// glslang makes its built-in names anew for each #version that a process meets, which takes longer
// (some 0.1 s) than most translations. CompileGlsl does it where it is still to be done; for
// callers who account for it by itself, here it is alone. Safe in any thread.
bool GlslangIsReady(const GlslSource& source);
void StartGlslang(const GlslSource& source);

// Refusals (refusal.h) are of text beyond what glslang can stand (bounds.h). It recurses to the
// depth of an expression: threads that call this need a stack of 128 MiB to be safe from all that
// is accepted. INVALID_ARGUMENT carries glslang's log: lines "ERROR: name:line: text". A byte
// beyond ASCII is shown as the text has it (\xHH) where it is certain which it is.
absl::StatusOr<std::vector<uint32_t>> CompileGlsl(const GlslSource& source);

// glslang's version, for cache keys: "12.0.0".
std::string GlslangVersion();

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_GLSL_GLSL_H_
