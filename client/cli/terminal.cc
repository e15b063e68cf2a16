// Capabilities of the terminal: see terminal.h.
#include "client/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/base/utf8.h"

namespace kiln::client {
namespace {

const char* ColourOf(absl::string_view status) {
  if (status == "ok" || status == "serving") return "32";
  if (status == "refused" || status == "unknown") return "33";
  return "31";
}

}  // namespace

bool IsTerminal(FILE* stream) {
  const char* term = getenv("TERM");
  return isatty(fileno(stream)) != 0 && (term == nullptr || strcmp(term, "dumb") != 0);
}

bool UsesColour(ColourChoice choice, FILE* stream) {
  if (choice != ColourChoice::kAuto) return choice == ColourChoice::kAlways;
  const char* no = getenv("NO_COLOR");
  return IsTerminal(stream) && (no == nullptr || *no == 0);
}

int TerminalWidth(FILE* stream) {
  winsize size = {};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::string StatusText(absl::string_view status, bool colour) {
  if (!colour) return std::string(status);
  return absl::StrCat("\x1b[", ColourOf(status), "m", status, "\x1b[0m");
}

std::string Bold(absl::string_view text, bool colour) {
  return colour ? absl::StrCat("\x1b[1m", text, "\x1b[0m") : std::string(text);
}

std::string Printable(absl::string_view text) {
  return EscapeControls(std::string_view(text.data(), text.size()));
}

std::string PrintableLines(absl::string_view text) {
  const std::string escaped = PrintableText(text);
  return absl::StrReplaceAll(absl::StripTrailingAsciiWhitespace(escaped), {{"\n", "\n    "}});
}

std::string PrintableText(absl::string_view text) {
  return EscapeControls(std::string_view(text.data(), text.size()), "\n\t");
}

}  // namespace kiln::client
