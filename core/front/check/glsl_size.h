// Computes the size of a GLSL text with its macros expanded, before glslang sees it.
//
// A hundred bytes of macros, each of which uses another twice, expand to millions of tokens, for
// which glslang takes some 100 bytes and 0.7 us each. It compares each case of a switch with all
// previous ones, and each edge of the call graph with all others, and finds members and overloads
// by linear search. This reads the text as a preprocessor does (directives, conditions, includes,
// both kinds of macros, pasting), but it only counts, and stops at a bound.
//
// A condition is undecided if it depends on a name that glslang may predefine and that is unknown
// here (GL_..., __...). Then all its branches are counted, names undefined in them stay defined,
// and of two definitions the larger counts. So sizes are at least those that glslang sees, except
// for texts that glslang refuses, and for text hidden on purpose by such names: these end by the
// worker's limits.
//
// In: any text. Cost: linear in the text and in the counts, some 50 ns for each token. Recurses, up
// to a bound, for macro calls nested in arguments.
#ifndef KILN_CORE_FRONT_CHECK_GLSL_SIZE_H_
#define KILN_CORE_FRONT_CHECK_GLSL_SIZE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace kiln::front {

struct GlslText {
  std::string_view name;
  std::string_view text;
};

struct GlslSize {
  uint64_t tokens = 0;     // tokens read from the text, from macros and from arguments
  uint64_t statement = 0;  // maximum of tokens between two of ; { }
  uint64_t cases = 0;      // pairs of cases within a switch, summed over all switches
  uint64_t arguments = 0;  // maximum depth of macro calls nested in arguments
  uint64_t calls = 0;      // pairs of caller and callee, if the callee is defined before
  uint64_t lookups = 0;    // members compared for names of members, overloads compared for calls
  // The text, and its line from 1, at which counting ended.
  std::string_view file = {};
  uint32_t line = 0;
};

// Finds the text that a name includes in the text `includer`; false: there is none.
using FindGlslInclude =
    std::function<bool(std::string_view spelled, std::string_view includer, GlslText* found)>;

// Returns the size of the text, with names of texts that outlive it. `preamble` comes before it
// (definitions; its name is empty). Counting ends when one of `most` is exceeded.
GlslSize SizeOfGlsl(std::string_view preamble, const GlslText& text, const FindGlslInclude& include,
                    const GlslSize& most);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_CHECK_GLSL_SIZE_H_
