#include "core/front/check/bounds.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "core/base/cause.h"
#include "core/front/check/glsl_tokens.h"
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

// The maximum of a count, and where it exceeds the bound.
class Peak {
 public:
  explicit Peak(Bound bound) : bound_(bound) {}
  // `read`: bytes of the text up to the end of the token counted.
  void Note(uint64_t n, size_t read) {
    if (max_ <= Most(bound_) && n > Most(bound_)) read_ = read;
    max_ = std::max(max_, n);
  }
  absl::Status Check(const GlslText& text) const {
    const uint32_t line = 1 + LineEndsOfGlsl(text.text.substr(0, read_));
    return WithSource(AtMost(bound_, max_), {std::string(text.name), line});
  }

 private:
  Bound bound_;
  uint64_t max_ = 0;
  size_t read_ = 0;
};

}  // namespace

absl::Status CheckBounds(absl::Span<const uint32_t> words, bool validator) {
  if (absl::Status s = AtMost(Bound::kWords, words.size()); !s.ok()) return s;
  if (!validator) return absl::OkStatus();
  const ValidationCost cost = CostOfValidation(words, Most(Bound::kValidation));
  if (absl::Status s = AtMost(Bound::kNesting, cost.nesting, cost.deepest); !s.ok()) return s;
  return AtMost(Bound::kValidation, cost.steps, cost.function, cost.mostly);
}

absl::Status CheckGlslBounds(const GlslText& text) {
  if (absl::Status s = AtMost(Bound::kGlslText, text.text.size()); !s.ok()) {
    return WithSource(s, {std::string(text.name), 0});
  }
  std::string_view rest = text.text;
  uint64_t tokens = 0, braces = 0;
  Peak statement(Bound::kGlslStatement), depth(Bound::kGlslBraces);
  bool line_begins = true;
  for (int c = NextToken(&rest, &line_begins); c != kEnd; c = NextToken(&rest, &line_begins)) {
    tokens = c == ';' || c == '{' || c == '}' ? 0 : tokens + 1;
    const size_t read = text.text.size() - rest.size();
    statement.Note(tokens, read);
    if (c == '{') depth.Note(++braces, read);
    if (c == '}' && braces > 0) --braces;
  }
  if (absl::Status s = depth.Check(text); !s.ok()) return s;
  return statement.Check(text);
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
  return size.file.empty() ? status : WithSource(status, {std::string(size.file), size.line});
}

absl::Status CheckGlslIncluded(uint64_t bytes) { return AtMost(Bound::kGlslIncluded, bytes); }

}  // namespace kiln::front
