// A page of the manual, and its two renderings: roff (man(7)) and Markdown.
//
// Texts are what --help prints: ASCII, paragraphs that an empty line ends, `code` in backticks. A
// line that begins with a space is verbatim, and so are those that follow it likewise.
#ifndef KILN_SERVER_MANUAL_PAGE_H_
#define KILN_SERVER_MANUAL_PAGE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace kiln::manual {

// A flag, a setting or a command: "-t, --target=T" and what it does.
struct Option {
  std::string text;
  std::string help;
};

struct Part {
  std::string title;
  std::string text;
};

struct Page {
  std::string name;                   // "kiln compile"; man's name for it has "-" for the space
  int section = 1;                    // of the manual: 1 commands, 8 daemons
  std::string summary;                // a line
  std::vector<std::string> synopsis;  // lines
  std::string description;
  std::string options_title;  // "Flags"
  std::vector<Option> options = {};
  std::string examples;  // lines of a shell, verbatim
  std::vector<Part> parts = {};
  std::vector<std::string> see_also;  // names in man's form, "kiln-compile(1)"
};

// "kiln-compile".
std::string ManName(const Page& page);

// The page for `man -l`. `version` is that of Kiln, "0.1.0"; the page has no date, so that the same
// program prints the same bytes.
std::string ManPage(const Page& page, absl::string_view version);

// The page as a part of a Markdown document, with a heading of the second level.
std::string MarkdownPage(const Page& page);

}  // namespace kiln::manual

#endif  // KILN_SERVER_MANUAL_PAGE_H_
