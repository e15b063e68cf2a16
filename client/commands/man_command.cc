// kiln man: the manual, as pages for man or as Markdown.
#include "absl/strings/str_cat.h"
#include "client/cli/paths.h"
#include "client/cli/version.h"
#include "client/commands/command.h"
#include "client/manual/pages.h"

namespace kiln::client {
namespace {

// The pages that are asked for: one of a command, else `all`.
absl::StatusOr<std::vector<manual::Page>> PagesFor(const std::string& name,
                                                   const std::vector<manual::Page>& all) {
  std::vector<std::string> names;
  for (const manual::Page& page : all) {
    if (page.name == absl::StrCat("kiln ", name)) return std::vector<manual::Page>{page};
    names.push_back(page.name.substr(page.name.find(' ') + 1));
  }
  return absl::InvalidArgumentError(absl::StrCat("there is no command '", name, "'",
                                                 DidYouMean(name, names), " (see kiln --help)"));
}

// One file for each page, as man looks for them.
absl::Status WritePages(const std::vector<manual::Page>& pages, const std::string& folder) {
  for (const manual::Page& page : pages) {
    const std::string name = absl::StrCat(manual::ManName(page), ".", page.section);
    absl::Status s = WriteWholeFile(JoinPath(folder, name), manual::ManPage(page, kVersion));
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

ExitCode Run(const ParsedFlags& flags, const Environment& environment) {
  const auto usage = [&](absl::string_view what) {
    return Fail(absl::InvalidArgumentError(what), environment);
  };
  if (flags.arguments().size() > 1) return usage("`kiln man` takes one command");
  if (flags.Has("markdown") && (flags.Has("output") || !flags.arguments().empty())) {
    return usage("--markdown prints the whole reference; leave out COMMAND and --output");
  }
  const std::vector<Command> commands = Commands();
  if (flags.Has("markdown")) return PrintAndExit(Reference(commands), environment);
  const std::vector<manual::Page> all = Pages(commands);
  std::vector<manual::Page> pages = {all.front()};
  if (!flags.arguments().empty()) {
    auto asked = PagesFor(flags.arguments()[0], all);
    if (!asked.ok()) return Fail(asked.status(), environment);
    pages = *std::move(asked);
  } else if (flags.Has("output")) {
    pages = all;
  }
  if (!flags.Has("output")) {
    return PrintAndExit(manual::ManPage(pages[0], kVersion), environment);
  }
  const absl::Status written = WritePages(pages, flags.Get("output"));
  return written.ok() ? kExitOk : Fail(written, environment);
}

}  // namespace

Command ManCommand() {
  return {
      "man",
      "[COMMAND]",
      "print the manual",
      "Prints kiln(1), or the page of a command, for `man -l -`. With -o DIR it writes the page to a\n"
      "file there, without COMMAND all pages: DIR is a folder man1 of one that `man` looks in (MANPATH).\n"
      "--markdown prints all pages as one Markdown document. `kilnd --man` prints kilnd(8).\n",
      "  kiln man compile | man -l - | cat\n"
      "  kiln man -o share/man/man1\n"
      "  kiln man --markdown | head\n",
      {{"output", 'o', "DIR", false, "write pages to files in DIR"},
       {"markdown", 0, "", false, "print all pages as one Markdown document"}},
      Run,
      /*has_json=*/false};
}

}  // namespace kiln::client
