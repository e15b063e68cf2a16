// How large a GLSL text is once its macros are expanded: counted before glslang sees it.
//
// Some hundred bytes of macros, each of which uses another twice, are millions of tokens, for which
// glslang takes some 100 bytes and 0.7 us each; it compares each case of a switch with all before
// it, and each edge of the graph of calls with all others, and it looks for members and overloads
// one by one. This reads the text as a preprocessor does (directives, conditions, includes, both
// kinds of macros, pasting) but keeps nothing: it counts, and stops at a bound.
//
// A condition is undecided where it asks for a name that glslang may predefine and this does not
// know (GL_..., __...): then all its branches are counted, what they undefine stays, and of two
// definitions the larger counts. So sizes are at least what glslang meets, but for texts that
// glslang refuses, and for what is hidden on purpose behind such names: those end by the worker's
// limits.
//
// In: any text. Cost: linear in the text and in what is counted, some 50 ns for each token.
// Recurses for arguments of macros within arguments, to a bound.
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
  uint64_t tokens = 0;     // read, of the text, of macros and of arguments
  uint64_t statement = 0;  // most tokens between two of ; { }
  uint64_t cases = 0;      // pairs of cases of one switch, of all switches together
  uint64_t arguments = 0;  // most macro calls within arguments of macro calls
  uint64_t calls = 0;      // pairs of a function and one that it calls, as far as defined before
  uint64_t lookups = 0;    // members looked at for names of members, overloads for calls
};

// Finds the text that a name includes in the text `includer`; false: there is none.
using FindGlslInclude =
    std::function<bool(std::string_view spelled, std::string_view includer, GlslText* found)>;

// `preamble` stands in front of the text (definitions). Counting ends where one of `most` is
// exceeded.
GlslSize SizeOfGlsl(std::string_view preamble, const GlslText& text, const FindGlslInclude& include,
                    const GlslSize& most);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_CHECK_GLSL_SIZE_H_
