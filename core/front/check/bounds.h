// Bounds on the size and shape of a shader, checked before libraries that are not ours see it.
//
// SPIRV-Tools' validator and glslang are made for the shaders that people write. On others they
// take time or stack without end: the validator walks chains of dominators for every edge of every
// construct, and structs as trees; glslang recurses over whatever an expression nests. A service
// cannot wait for that, so what would cost too much is refused here by count, which is the same on
// every machine, and before they are called. What the validator will spend is added up by
// validation_cost.h.
//
// The table is the BOUND rows of coverage.def, with what each protects from and what was measured.
// All are far above what shaders have: each row gives the largest of those that were looked at.
//
// In: any words, any text. What is malformed passes: the reader and the libraries say so. Cost:
// linear, but for what flow_cost.h says.
//
// Limits: GLSL is looked at without its types. Structs that are trees (24 levels take 3 s, each
// further one twice that) and comparisons of large structs and arrays still keep glslang busy, and
// so does what hides from glsl_size.h: such a job ends by its limits of time, memory or stack, and
// the death names the step.
#ifndef KILN_CORE_FRONT_CHECK_BOUNDS_H_
#define KILN_CORE_FRONT_CHECK_BOUNDS_H_

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/front/check/glsl_size.h"

namespace kiln::front {

enum class Bound {
#define BOUND(name, what, most, cause) name,
#include "core/front/check/coverage.def"
};

// How much of it is accepted.
constexpr uint64_t Most(Bound bound) {
  constexpr uint64_t kMax[] = {
#define BOUND(name, what, most, cause) most,
#include "core/front/check/coverage.def"
  };
  return kMax[static_cast<int>(bound)];
}

// Refusals (refusal.h) of a module: size and, if it goes to the `validator`, nesting and what that
// will spend; the importer is linear and counts what it nests. The id is a function's: the one with
// the nesting, or the last that was added up.
absl::Status CheckBounds(absl::Span<const uint32_t> words, bool validator);

// Refusals of one GLSL text, before macros are expanded.
absl::Status CheckGlslBounds(std::string_view text);

// The bounds on a text with its macros expanded and its includes, and the refusal of one beyond
// them.
GlslSize MostGlsl();
absl::Status CheckGlslSize(const GlslSize& size);

// The refusal of a GLSL text that includes so many bytes, each text as often as it is included.
absl::Status CheckGlslIncluded(uint64_t bytes);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_CHECK_BOUNDS_H_
