// Bounds on the size and shape of a shader, checked before third-party libraries see it.
//
// SPIRV-Tools' validator and glslang are made for the shaders that people write. On others their
// time or stack is unbounded: the validator walks chains of dominators for every edge of every
// construct, and structs as trees; glslang recurses over nested expressions. A service cannot wait
// for that, so shaders that would cost too much are refused here, before the libraries run and by
// counts that are the same on every machine. validation_cost.h predicts the validator's work.
//
// The table is the BOUND rows of coverage.def. Their comments give the danger and the measurements
// of each. All bounds are far above real shaders: each row gives the largest value among those
// measured.
//
// In: any words, any text. Malformed input passes: the reader and the libraries report it. Cost:
// linear, except for the parts named in flow_cost.h.
//
// Limits: types of GLSL are not considered. Structs that are trees (24 levels take 3 s, each
// further level doubles that) and comparisons of large structs and arrays can still keep glslang
// busy, as can text that is hidden from glsl_size.h: such a job ends by its limits of time, memory
// or stack, and its failure names the step.
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

// Returns the largest accepted value.
constexpr uint64_t Most(Bound bound) {
  constexpr uint64_t kMax[] = {
#define BOUND(name, what, most, cause) most,
#include "core/front/check/coverage.def"
  };
  return kMax[static_cast<int>(bound)];
}

// Returns a refusal (refusal.h) if a module is too large or, if it goes to the `validator`, nested
// too deeply or too expensive to validate; the importer is linear and checks nesting itself. The
// refusal's id is a function's: the one with the deepest nesting, or the last one counted.
absl::Status CheckBounds(absl::Span<const uint32_t> words, bool validator);

// Returns a refusal of one GLSL text, before macros are expanded. All refusals of GLSL carry the
// name of the text and the line at which the bound is exceeded (SourceOf, core/base/cause.h). Lines
// are the text's own, whatever #line says.
absl::Status CheckGlslBounds(const GlslText& text);

// MostGlsl returns the bounds on a text with its macros expanded and its includes; CheckGlslSize
// refuses a text beyond them.
GlslSize MostGlsl();
absl::Status CheckGlslSize(const GlslSize& size);

// Returns a refusal if a GLSL text includes so many bytes, counting each text as often as it is
// included; the caller attaches name and line.
absl::Status CheckGlslIncluded(uint64_t bytes);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_CHECK_BOUNDS_H_
