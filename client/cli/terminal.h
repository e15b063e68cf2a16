// Capabilities of the terminal: colours, a line that is rewritten.
#ifndef KILN_CLIENT_CLI_TERMINAL_H_
#define KILN_CLIENT_CLI_TERMINAL_H_

#include <cstdio>
#include <string>

#include "absl/strings/string_view.h"

namespace kiln::client {

enum class ColourChoice { kAuto, kAlways, kNever };

// kAuto: `stream` is a terminal that is not "dumb", and NO_COLOR is unset or empty.
bool UsesColour(ColourChoice choice, FILE* stream);

// Returns true if `stream` is a terminal on which a line can be rewritten.
bool IsTerminal(FILE* stream);

// Returns the number of columns; 80 if it is unknown.
int TerminalWidth(FILE* stream);

// Returns text in the colour of a status ("ok", "refused", ...), if `colour` is set.
std::string StatusText(absl::string_view status, bool colour);
std::string Bold(absl::string_view text, bool colour);

// Returns a name or word that comes from a shader, its file or a daemon as part of a line: without
// characters that end the line, move the cursor or reorder text (EscapeControls, core/base/utf8.h).
std::string Printable(absl::string_view text);

// The same for a text of several lines, such as a compiler's log. Tabs stay, and lines after the
// first are indented, so that none of them can pass for a line of this program.
std::string PrintableLines(absl::string_view text);

// The same for a text that is printed as it is, such as assembly: lines and tabs stay.
std::string PrintableText(absl::string_view text);

}  // namespace kiln::client

#endif  // KILN_CLIENT_CLI_TERMINAL_H_
