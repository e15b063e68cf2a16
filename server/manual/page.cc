// Renders pages of the manual: see page.h.
#include "server/manual/page.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace kiln::manual {
namespace {

struct Block {
  bool verbatim = false;
  std::vector<std::string> lines;
};

// The paragraphs and verbatim blocks of a text.
std::vector<Block> BlocksOf(absl::string_view text) {
  std::vector<Block> blocks;
  bool open = false;  // the last block may go on
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    const absl::string_view words = absl::StripAsciiWhitespace(line);
    if (words.empty()) {
      open = false;
      continue;
    }
    const bool verbatim = line[0] == ' ';
    if (!open || blocks.back().verbatim != verbatim) blocks.push_back({verbatim, {}});
    open = true;
    absl::ConsumePrefix(&line, "  ");
    blocks.back().lines.emplace_back(verbatim ? absl::StripTrailingAsciiWhitespace(line) : words);
  }
  return blocks;
}

// Characters that roff takes for its own, or prints as typographic ones (groff_char(7)).
std::string RoffEscaped(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"\\", "\\e"},
                                    {"-", "\\-"},
                                    {"'", "\\(aq"},
                                    {"`", "\\(ga"},
                                    {"^", "\\(ha"},
                                    {"~", "\\(ti"}});
}

// A line of text: one that begins with a point would be a request.
std::string RoffLine(absl::string_view text) {
  const std::string escaped = RoffEscaped(text);
  return absl::StartsWith(escaped, ".") ? absl::StrCat("\\&", escaped) : escaped;
}

// Words in backticks become bold; a backtick without a partner stays one.
std::string RoffProse(absl::string_view text) {
  const std::vector<absl::string_view> pieces = absl::StrSplit(text, '`');
  std::string roff;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const std::string piece = i == 0 ? RoffLine(pieces[i]) : RoffEscaped(pieces[i]);
    if (i % 2 == 0) {
      absl::StrAppend(&roff, piece);
    } else if (i + 1 == pieces.size()) {
      absl::StrAppend(&roff, "\\(ga", piece);
    } else {
      absl::StrAppend(&roff, "\\fB", piece, "\\fP");
    }
  }
  return roff;
}

std::string RoffVerbatim(const std::vector<std::string>& lines) {
  std::string roff = ".PP\n.RS 4\n.nf\n";
  for (const std::string& line : lines) absl::StrAppend(&roff, RoffLine(line), "\n");
  return absl::StrCat(roff, ".fi\n.RE\n");
}

std::string RoffText(absl::string_view text) {
  std::string roff;
  for (const Block& block : BlocksOf(text)) {
    roff += block.verbatim
                ? RoffVerbatim(block.lines)
                : absl::StrCat(".PP\n", RoffProse(absl::StrJoin(block.lines, " ")), "\n");
  }
  return roff;
}

std::string RoffHeading(absl::string_view title) {
  return absl::StrCat(".SH ", RoffEscaped(absl::AsciiStrToUpper(title)), "\n");
}

// The lines of a text of lines.
std::vector<std::string> LinesOf(absl::string_view text) {
  std::vector<std::string> lines;
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    absl::ConsumePrefix(&line, "  ");
    lines.emplace_back(line);
  }
  return lines;
}

// A line outside of code. "<" would begin a tag, and of two "*" on a line the words between them
// would be emphasised.
std::string MarkdownLine(absl::string_view text) {
  const std::vector<absl::string_view> pieces = absl::StrSplit(text, '`');
  std::string line;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const bool code = i % 2 == 1 && i + 1 < pieces.size();
    absl::StrAppend(
        &line, i == 0 ? "" : "`",
        code ? std::string(pieces[i])
             : absl::StrReplaceAll(pieces[i], {{"\\", "\\\\"}, {"<", "\\<"}, {"*", "\\*"}}));
  }
  return line;
}

std::string MarkdownVerbatim(const std::vector<std::string>& lines) {
  return absl::StrCat("    ", absl::StrJoin(lines, "\n    "), "\n\n");
}

std::string MarkdownText(absl::string_view text) {
  std::string markdown;
  for (const Block& block : BlocksOf(text)) {
    if (block.verbatim) {
      markdown += MarkdownVerbatim(block.lines);
      continue;
    }
    for (const std::string& line : block.lines)
      absl::StrAppend(&markdown, MarkdownLine(line), "\n");
    markdown += "\n";
  }
  return markdown;
}

}  // namespace

std::string ManName(const Page& page) { return absl::StrReplaceAll(page.name, {{" ", "-"}}); }

std::string ManPage(const Page& page, absl::string_view version) {
  const std::string name = ManName(page);
  std::string roff =
      absl::StrCat(".TH ", RoffEscaped(absl::AsciiStrToUpper(name)), " ", page.section,
                   " \"\" \"Kiln ", version, "\" \"Kiln\"\n.nh\n.ad l\n.SH NAME\n",
                   RoffEscaped(name), " \\- ", RoffProse(page.summary), "\n.SH SYNOPSIS\n.nf\n");
  for (const std::string& line : page.synopsis) absl::StrAppend(&roff, RoffLine(line), "\n");
  absl::StrAppend(&roff, ".fi\n", RoffHeading("Description"), RoffText(page.description),
                  RoffHeading(page.options_title));
  for (const Option& option : page.options) {
    absl::StrAppend(&roff, ".TP\n\\fB", RoffEscaped(option.text), "\\fP\n", RoffProse(option.help),
                    "\n");
  }
  absl::StrAppend(&roff, RoffHeading("Examples"), RoffVerbatim(LinesOf(page.examples)));
  for (const Part& part : page.parts) {
    absl::StrAppend(&roff, RoffHeading(part.title), RoffText(part.text));
  }
  return absl::StrCat(roff, RoffHeading("See also"), ".PP\n",
                      RoffEscaped(absl::StrJoin(page.see_also, ", ")), "\n");
}

std::string MarkdownPage(const Page& page) {
  std::string markdown = absl::StrCat("## ", page.name, "\n\n", MarkdownLine(page.summary), "\n\n",
                                      MarkdownVerbatim(page.synopsis),
                                      MarkdownText(page.description), page.options_title, ":\n\n");
  for (const Option& option : page.options) {
    absl::StrAppend(&markdown, "* `", option.text, "`: ", MarkdownLine(option.help), "\n");
  }
  absl::StrAppend(&markdown, "\nExamples:\n\n", MarkdownVerbatim(LinesOf(page.examples)));
  for (const Part& part : page.parts) {
    absl::StrAppend(&markdown, part.title, ":\n\n", MarkdownText(part.text));
  }
  return markdown;
}

}  // namespace kiln::manual
