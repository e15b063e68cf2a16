// Text that came with a shader (names, messages that quote it) is bytes; messages, records and JSON
// are UTF-8. Here is what well-formed means and how the rest is shown.
#ifndef KILN_CORE_BASE_UTF8_H_
#define KILN_CORE_BASE_UTF8_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace kiln {

// Bytes of the character that `text` begins with, by the Unicode standard's table of well-formed
// sequences (3.9, table 3-7); 0: it is not well-formed, or `text` is empty.
size_t Utf8Length(std::string_view text);

bool IsUtf8(std::string_view text);

// The text with every byte that belongs to no well-formed character written as \xHH, so that what
// comes out is UTF-8.
std::string EscapeNonUtf8(std::string_view text);

// Every byte beyond ASCII as \xHH.
std::string EscapeNonAscii(std::string_view text);

// Names and texts of a module may have any length; messages, which are kept and shown whole, quote
// no more than so many bytes of one.
inline constexpr size_t kQuotedBytes = 100;

// The text, or where it is longer its beginning, cut between characters, and "...".
std::string Shortened(std::string_view text, size_t bytes = kQuotedBytes);

}  // namespace kiln

#endif  // KILN_CORE_BASE_UTF8_H_
