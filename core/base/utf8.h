// UTF-8 checks and escapes. Text that came with a shader (names, messages that quote it) is
// arbitrary bytes; messages, records and JSON are UTF-8. Bytes that are not well-formed are shown
// escaped.
#ifndef KILN_CORE_BASE_UTF8_H_
#define KILN_CORE_BASE_UTF8_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace kiln {

// Returns the length in bytes of the first character of `text`, by the Unicode standard's table of
// well-formed sequences (3.9, table 3-7); 0 if it is not well-formed or `text` is empty.
size_t Utf8Length(std::string_view text);

bool IsUtf8(std::string_view text);

// Returns the text with every byte outside well-formed characters written as \xHH; the result is
// UTF-8.
std::string EscapeNonUtf8(std::string_view text);

// Returns the text with every byte beyond ASCII written as \xHH.
std::string EscapeNonAscii(std::string_view text);

// Returns the text as a part of a line of output: every byte outside well-formed characters, and
// every byte of a character that ends a line, moves the cursor or reorders the text after it, is
// written as \xHH. Such characters are the controls C0 (line feed and tab among them), DEL and C1,
// the separators U+2028 and U+2029, and those with the property Bidi_Control (Unicode Standard
// Annex #9, 2: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069). Characters of `keep`,
// which is ASCII, stay. The result is UTF-8; escaping it again changes nothing.
std::string EscapeControls(std::string_view text, std::string_view keep = {});

// Maximum number of bytes that a message, which is kept and shown whole, quotes of one name or text
// of a module; these may have any length. Escapes count.
inline constexpr size_t kQuotedBytes = 100;

// Returns a name or text of a module or request as messages quote it: with escapes, as by
// EscapeControls, and if these are more than kQuotedBytes, cut between characters and with "...".
std::string Quoted(std::string_view text);

// Returns the name of a file likewise, but keeps its end, which tells files apart: "...ers/a.comp".
std::string QuotedFile(std::string_view name);

// Returns the text, or if it is longer than `bytes`, its beginning, cut between characters, and
// "...".
std::string Shortened(std::string_view text, size_t bytes);

}  // namespace kiln

#endif  // KILN_CORE_BASE_UTF8_H_
