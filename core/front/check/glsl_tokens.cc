#include "core/front/check/glsl_tokens.h"

#include <algorithm>
#include <utility>

namespace kiln::front {
namespace {

bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Returns the length in bytes of the text's first token, which is neither a blank nor a comment.
size_t TokenLength(std::string_view text) {
  size_t n = 1;
  const bool number = text[0] >= '0' && text[0] <= '9';
  if (IsWord(text[0])) {
    while (n < text.size() && (IsWord(text[n]) || (number && text[n] == '.'))) ++n;
  } else if (text[0] == '"') {
    n = text.find_first_of("\"\r\n", 1);
    n = n == text.npos ? text.size() : n + (text[n] == '"' ? 1 : 0);
  } else if (text.substr(0, 2) == "##") {
    n = 2;
  }
  return n;
}

}  // namespace

uint32_t LineEndsOfGlsl(std::string_view text) {
  uint32_t ends = 0;
  for (size_t at = text.find_first_of("\r\n"); at != text.npos;
       at = text.find_first_of("\r\n", at + 1)) {
    if (text.substr(at, 2) == "\r\n") ++at;
    ++ends;
  }
  return ends;
}

std::string_view JoinedLines(std::string_view text, std::deque<std::string>* made) {
  if (text.find("\\\n") == text.npos && text.find("\\\r") == text.npos) return text;
  std::string& joined = made->emplace_back();
  joined.reserve(text.size());
  size_t removed = 0;  // ends of lines, for which empty lines follow
  const auto append = [&](std::string_view part) {
    const size_t end = std::min(removed == 0 ? part.npos : part.find_first_of("\r\n"), part.size());
    joined.append(part.substr(0, end));
    if (end == part.size()) return;
    joined.append(std::exchange(removed, 0), '\n');
    joined.append(part.substr(end));
  };
  while (!text.empty()) {
    const size_t slash = std::min(text.find('\\'), text.size());
    append(text.substr(0, slash));
    text.remove_prefix(slash);
    if (text.empty()) break;
    const bool carriage = text.substr(1, 1) == "\r";
    const bool both = text.substr(1, 2) == "\r\n";
    if (carriage || text.substr(1, 1) == "\n") {
      text.remove_prefix(both ? 3 : 2);
      ++removed;
    } else {
      joined.push_back('\\');
      text.remove_prefix(1);
    }
  }
  return joined;
}

std::vector<GlslToken> TokensOfGlsl(std::string_view text) {
  std::vector<GlslToken> tokens;
  bool line_begins = true;
  bool space = false;
  uint32_t line = 1;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    const std::string_view two = text.substr(at, 2);
    if (two == "//") {
      at = std::min(text.find_first_of("\r\n", at), text.size());
    } else if (two == "/*") {
      const size_t end = text.find("*/", at + 2);
      const size_t begin = std::exchange(at, end == text.npos ? text.size() : end + 2);
      line += LineEndsOfGlsl(text.substr(begin, at - begin));
    } else if (c == '\n' || c == '\r') {
      line_begins = true;
      ++line;
      at += two == "\r\n" ? 2 : 1;
    } else if (c == ' ' || c == '\t' || c == '\v' || c == '\f') {
      ++at;
    } else {
      const size_t n = TokenLength(text.substr(at));
      tokens.push_back({text.substr(at, n), line_begins, space, false, line});
      line_begins = space = false;
      at += n;
      continue;
    }
    space = true;
  }
  return tokens;
}

}  // namespace kiln::front
