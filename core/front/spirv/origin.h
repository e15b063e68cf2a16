// Finds the name and the source line of what an error is about.
//
// Sources of lines are OpLine and DebugLine of NonSemantic.Shader.DebugInfo.100, of which the last
// before an instruction in its block holds (SPIR-V specification, 2.4 and OpLine; the grammar of
// the instruction set in SPIRV-Headers, unified1). Names are OpName's.
//
// Safe on arbitrary words. Cost: one walk over the words, on the way of an error only, and memory
// for the names, strings, pointer and array types (with debug information: constants) of the
// module. A module beyond Bound::kWords (core/front/check/bounds.h) is refused without an id, so it
// is not walked.
#ifndef KILN_CORE_FRONT_SPIRV_ORIGIN_H_
#define KILN_CORE_FRONT_SPIRV_ORIGIN_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"

namespace kiln::front {

// Texts are as messages quote them (Quoted, QuotedFile, core/base/utf8.h).
struct Origin {
  std::string name;     // of the id; empty: the module gives none
  std::string file;     // empty: no line is known
  uint32_t line = 0;    // from 1
  uint32_t column = 0;  // from 1; 0: the module gives none
};

// `words`: a module in host byte order. The name is that of `id` (0: none); a variable without one,
// as GLSL makes of a block without an instance name, has that of its block. The line is that of the
// instruction at the offset `instruction` (0: none), else of the one that defines `id`.
Origin FindOrigin(absl::Span<const uint32_t> words, uint32_t id, uint32_t instruction);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_SPIRV_ORIGIN_H_
