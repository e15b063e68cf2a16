// Bounds on the size and shape of a shader, checked before libraries that are not ours see it.
//
// SPIRV-Tools' validator and glslang are made for the shaders that people write. On others they
// take time or stack without end: the validator's check of structured control flow grows with
// blocks times their nesting times blocks, it walks nested structs as trees, and glslang recurses
// over whatever an expression nests. A service cannot wait for that, so what would cost too much is
// refused here by count, which is the same on every machine, and after one pass over the input.
//
// The table is the BOUND rows of coverage.def, with what each protects from and what was measured.
// All are far above what shaders have: each row gives the largest of those that were looked at.
//
// In: any words, any text. What is malformed passes: the reader and the libraries say so. Cost:
// linear.
#ifndef KILN_CORE_FRONT_BOUNDS_H_
#define KILN_CORE_FRONT_BOUNDS_H_

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace kiln::front {

enum class Bound {
#define BOUND(name, what, most, cause) name,
#include "core/front/coverage.def"
};

// How much of it is accepted.
constexpr uint64_t Most(Bound bound) {
  constexpr uint64_t kMost[] = {
#define BOUND(name, what, most, cause) most,
#include "core/front/coverage.def"
  };
  return kMost[static_cast<int>(bound)];
}

// Refusals (refusal.h) of a module: size and nesting, and with `validator` what only the validator
// cannot stand. The id is the function's or the type's.
absl::Status CheckBounds(absl::Span<const uint32_t> words, bool validator);

// Refusals of one GLSL text, before macros are expanded.
absl::Status CheckGlslBounds(std::string_view text);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_BOUNDS_H_
