#include "core/front/check/bounds.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "core/front/check/refusal.h"
#include "core/front/check/validation_cost.h"

namespace kiln::front {
namespace {

struct Row {
  std::string_view what;
  KnownCause cause;
};

constexpr Row kRows[] = {
#define BOUND(name, what, most, cause) {what, cause},
#include "core/front/check/coverage.def"
};

absl::Status AtMost(Bound bound, uint64_t n, uint32_t id = 0, std::string_view mostly = "") {
  if (n <= Most(bound)) return absl::OkStatus();
  const Row& row = kRows[static_cast<int>(bound)];
  std::string what(row.what);
  if (!mostly.empty()) what += ", most of them for " + std::string(mostly);
  return Refused(row.cause.name(), Detail(what, n, Most(bound)), id);
}

constexpr int kEnd = -1;

// Returns the length in bytes of a comment or directive that ends with its line, or with the last
// of the lines that a backslash continues.
size_t RestOfLine(std::string_view text) {
  // A carriage return also ends a line; followed by a line feed, both are one end.
  size_t end = text.find_first_of("\r\n");
  while (end != text.npos && end > 0 && text[end - 1] == '\\') {
    if (text.substr(end, 2) == "\r\n") ++end;
    end = text.find_first_of("\r\n", end + 1);
  }
  return std::min(end, text.size());
}

size_t BlockComment(std::string_view text) {
  const size_t end = text.find("*/", 2);
  return end == text.npos ? text.size() : end + 2;
}

// Removes the next token from the text and returns its first character, or kEnd. Skips comments and
// directives. Words and numbers are one token each, as is every other character.
int NextToken(std::string_view* text, bool* line_begins) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; };
  while (!text->empty()) {
    const auto c = static_cast<unsigned char>(text->front());
    const std::string_view two = text->substr(0, 2);
    size_t length = 1;
    if (two == "//" || (c == '#' && *line_begins)) {
      length = RestOfLine(*text);
    } else if (two == "/*") {
      length = BlockComment(*text);
    } else if (c == '\n' || c == '\r') {
      *line_begins = true;
    } else if (std::isspace(c) == 0) {
      while (is_word(c) && length < text->size() && is_word((*text)[length])) ++length;
      text->remove_prefix(length);
      *line_begins = false;
      return c;
    }
    text->remove_prefix(length);
  }
  return kEnd;
}

}  // namespace

absl::Status CheckBounds(absl::Span<const uint32_t> words, bool validator) {
  if (absl::Status s = AtMost(Bound::kWords, words.size()); !s.ok()) return s;
  if (!validator) return absl::OkStatus();
  const ValidationCost cost = CostOfValidation(words, Most(Bound::kValidation));
  if (absl::Status s = AtMost(Bound::kNesting, cost.nesting, cost.deepest); !s.ok()) return s;
  return AtMost(Bound::kValidation, cost.steps, cost.function, cost.mostly);
}

absl::Status CheckGlslBounds(std::string_view text) {
  uint64_t tokens = 0, longest = 0, braces = 0, deepest = 0;
  bool line_begins = true;
  for (int c = NextToken(&text, &line_begins); c != kEnd; c = NextToken(&text, &line_begins)) {
    tokens = c == ';' || c == '{' || c == '}' ? 0 : tokens + 1;
    longest = std::max(longest, tokens);
    if (c == '{') deepest = std::max(deepest, ++braces);
    if (c == '}' && braces > 0) --braces;
  }
  if (absl::Status s = AtMost(Bound::kGlslBraces, deepest); !s.ok()) return s;
  return AtMost(Bound::kGlslStatement, longest);
}

GlslSize MostGlsl() {
  return {Most(Bound::kGlslTokens),    Most(Bound::kGlslStatement), Most(Bound::kGlslCases),
          Most(Bound::kGlslArguments), Most(Bound::kGlslCalls),     Most(Bound::kGlslLookups)};
}

absl::Status CheckGlslSize(const GlslSize& size) {
  absl::Status status = AtMost(Bound::kGlslCases, size.cases);
  status.Update(AtMost(Bound::kGlslArguments, size.arguments));
  status.Update(AtMost(Bound::kGlslCalls, size.calls));
  status.Update(AtMost(Bound::kGlslLookups, size.lookups));
  status.Update(AtMost(Bound::kGlslStatement, size.statement));
  status.Update(AtMost(Bound::kGlslTokens, size.tokens));
  return status;
}

absl::Status CheckGlslIncluded(uint64_t bytes) { return AtMost(Bound::kGlslIncluded, bytes); }

}  // namespace kiln::front
