// Pages of the manual: see pages.h.
#include "client/manual/pages.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "client/manual/help_text.h"

namespace kiln::client {
namespace {

constexpr absl::string_view kEnvironment =
    "`KILN_SERVER` is the address of the daemon; --server overrides it.\n"
    "`TRACEPARENT` and `TRACESTATE` are the trace that the daemon's spans join; --traceparent "
    "overrides them.\n"
    "If `NO_COLOR` is set and not empty, output has no colours.\n";

manual::Part ExitCodesPart() {
  absl::string_view codes = kExitCodes;
  absl::ConsumePrefix(&codes, "Exit codes: ");
  return {"Exit codes", std::string(codes)};
}

std::string OneLine(absl::string_view text) {
  return absl::StrReplaceAll(absl::StripSuffix(text, "\n"), {{"\n", " "}});
}

manual::Page OverviewPage(absl::Span<const Command> commands) {
  manual::Page page = {
      .name = "kiln",
      .summary = OneLine(kOverview),
      .synopsis = {"kiln COMMAND [FLAG...] [ARGUMENT...]", "kiln help COMMAND", "kiln --version"},
      .description =
          "The command comes first, then its flags and arguments in any order. A flag's value "
          "follows it\n"
          "after `=` or as the next word; `--` ends the flags, `-` is standard input or output "
          "where the\n"
          "command's help says so.\n",
      .options_title = "Commands",
      .examples = std::string(kOverviewExamples),
      .parts = {ExitCodesPart(), {"Environment", std::string(kEnvironment)}},
      .see_also = {"kilnd(8)"}};
  for (const Command& command : commands) {
    page.options.push_back({absl::StrCat("kiln ", command.name), std::string(command.summary)});
    page.see_also.push_back(absl::StrCat("kiln-", command.name, "(1)"));
  }
  return page;
}

manual::Page PageOf(const Command& command) {
  manual::Page page = {
      .name = absl::StrCat("kiln ", command.name),
      .summary = std::string(command.summary),
      .synopsis = {absl::StrCat("kiln ", command.name, " [FLAG...]",
                                command.arguments.empty() ? "" : " ", command.arguments)},
      .description = std::string(command.details),
      .options_title = "Flags",
      .examples = std::string(command.examples),
      .parts = {ExitCodesPart()},
      .see_also = {"kiln(1)", "kilnd(8)"}};
  for (const Flag& flag : command.flags) {
    std::string help(flag.help);
    if (flag.repeats) absl::StrAppend(&help, " (may be given several times)");
    page.options.push_back({FlagText(flag), std::move(help)});
  }
  return page;
}

}  // namespace

std::vector<manual::Page> Pages(absl::Span<const Command> commands) {
  std::vector<manual::Page> pages = {OverviewPage(commands)};
  for (const Command& command : commands) pages.push_back(PageOf(command));
  return pages;
}

std::string Reference(absl::Span<const Command> commands) {
  std::string text =
      "# kiln: command reference\n\n"
      "`kiln man --markdown` prints this page; a test compares the two. `kiln man COMMAND` is the same "
      "for\n`man`, `kiln COMMAND --help` for the terminal.\n\n";
  for (manual::Page& page : Pages(commands)) {
    // The same for all commands, and said on the first page.
    if (page.name != "kiln") page.parts.clear();
    absl::StrAppend(&text, manual::MarkdownPage(page));
  }
  return absl::StrCat(absl::StripSuffix(text, "\n"));
}

}  // namespace kiln::client
