// A text of GLSL or HLSL with all that its translation needs, without files.
#ifndef KILN_CORE_FRONT_GLSL_GLSL_SOURCE_H_
#define KILN_CORE_FRONT_GLSL_GLSL_SOURCE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/shader_stage.h"

namespace kiln::front {

// One #include, resolved by the caller that read the files.
struct GlslInclude {
  std::string spelled;   // text between the delimiters
  std::string includer;  // name of the including text; empty: any
  std::string resolved;  // its name in messages, and as includer
  std::string text;
};

struct GlslSource {
  std::string text;
  std::string name = "main.glsl";                            // in messages, and as includer
  ShaderStage stage = ShaderStage::kCompute;                 // a stage with an ending
  std::vector<std::pair<std::string, std::string>> defines;  // NAME, VALUE (may be empty)
  std::vector<GlslInclude> includes;  // entries that name the includer have priority
  std::string entry = "main";
  uint32_t vulkan_minor = 3;  // Vulkan 1.N, N from 0 to 3; decides SPIR-V's version
};

// Returns the name of an include in messages.
inline const std::string& NameOf(const GlslInclude& include) {
  return include.resolved.empty() ? include.spelled : include.resolved;
}

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_GLSL_GLSL_SOURCE_H_
