// Splits GLSL into a preprocessor's tokens: names, numbers, strings, and every other character
// alone.
#ifndef KILN_CORE_FRONT_CHECK_GLSL_TOKENS_H_
#define KILN_CORE_FRONT_CHECK_GLSL_TOKENS_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"

namespace kiln::front {

struct GlslToken {
  std::string_view text;
  bool line_begins = false;   // the first of its line
  bool space_before = false;  // blanks or comments
  bool final = false;         // is not expanded again
  uint32_t line = 0;          // of the text, from 1; of a continued line the first
  bool IsName() const {
    const char c = text.empty() ? '0' : text[0];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }
};

using GlslTokenSpan = absl::Span<const GlslToken>;

// Returns how many ends of lines there are: line feeds, carriage returns, both together count once.
uint32_t LineEndsOfGlsl(std::string_view text);

// Returns the text with lines joined that a backslash continues. If there are any, the result is
// stored in `made`; otherwise it is `text` itself. Empty lines after a joined one keep the numbers
// of the lines after it.
std::string_view JoinedLines(std::string_view text, std::deque<std::string>* made);

// Returns the tokens of a text whose lines are joined, without comments. "##" is one token.
std::vector<GlslToken> TokensOfGlsl(std::string_view text);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_CHECK_GLSL_TOKENS_H_
