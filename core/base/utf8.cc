#include "core/base/utf8.h"

#include <algorithm>
#include <deque>

namespace kiln {
namespace {

void AppendEscaped(std::string_view bytes, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    *out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
  }
}

// Returns true for a well-formed character that EscapeControls escapes.
bool IsControl(std::string_view character) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7f;
  if (character.size() == 2) {
    return (byte(0) == 0xc2 && byte(1) < 0xa0) || character == "\xd8\x9c";  // C1, U+061C
  }
  if (character.size() != 3 || byte(0) != 0xe2) return false;
  const unsigned last = byte(2);
  if (byte(1) == 0x81) return last >= 0xa6 && last <= 0xa9;  // U+2066 to U+2069
  if (byte(1) != 0x80) return false;
  return last == 0x8e || last == 0x8f || (last >= 0xa8 && last <= 0xae);  // U+200E, U+2028 ...
}

// Removes the first character, or a byte that begins none, from the text, and returns it as
// EscapeControls writes it.
std::string TakeEscaped(std::string_view keep, std::string_view* text) {
  const size_t length = Utf8Length(*text);
  const std::string_view taken = text->substr(0, std::max<size_t>(1, length));
  text->remove_prefix(taken.size());
  std::string out;
  const bool kept = length == 1 && keep.find(taken) != keep.npos;
  if (length == 0 || (IsControl(taken) && !kept)) {
    AppendEscaped(taken, &out);
  } else {
    out = taken;
  }
  return out;
}

}  // namespace

size_t Utf8Length(std::string_view text) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto follows = [&](size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
    return byte(i) >= low && byte(i) <= high;
  };
  if (text.empty()) return 0;
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool second = follows(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf);
    return second && follows(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool second = follows(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf);
    return second && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t n = Utf8Length(text);
    if (n == 0) return false;
    text.remove_prefix(n);
  }
  return true;
}

std::string EscapeNonUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t n = Utf8Length(text);
    if (n == 0) {
      AppendEscaped(text.substr(0, 1), &out);
    } else {
      out += text.substr(0, n);
    }
    text.remove_prefix(n == 0 ? 1 : n);
  }
  return out;
}

std::string EscapeNonAscii(std::string_view text) {
  std::string out;
  for (const char& c : text) {
    if (static_cast<unsigned char>(c) < 0x80) {
      out += c;
    } else {
      AppendEscaped({&c, 1}, &out);
    }
  }
  return out;
}

std::string EscapeControls(std::string_view text, std::string_view keep) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) out += TakeEscaped(keep, &text);
  return out;
}

std::string Quoted(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string next = TakeEscaped({}, &text);
    if (out.size() + next.size() > kQuotedBytes) return out + "...";
    out += next;
  }
  return out;
}

std::string QuotedFile(std::string_view name) {
  std::string_view rest = name.substr(name.size() - std::min(name.size(), kQuotedBytes));
  // A character that is cut has left bytes that begin none.
  while (rest.size() < name.size() && !rest.empty() && (rest[0] & 0xc0) == 0x80) {
    rest.remove_prefix(1);
  }
  std::deque<std::string> characters;
  size_t bytes = 0;
  bool whole = rest.size() == name.size();
  while (!rest.empty()) {
    bytes += characters.emplace_back(TakeEscaped({}, &rest)).size();
    for (; bytes > kQuotedBytes; characters.pop_front(), whole = false) {
      bytes -= characters.front().size();
    }
  }
  std::string out = whole ? "" : "...";
  for (const std::string& character : characters) out += character;
  return out;
}

std::string Shortened(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  size_t end = 0;
  for (;;) {
    const size_t next = std::max<size_t>(1, Utf8Length(text.substr(end)));
    if (end + next > bytes) break;
    end += next;
  }
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace kiln
