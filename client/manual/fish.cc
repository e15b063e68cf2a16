// Completion in fish, by its builtin `complete`.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "client/manual/completion.h"

namespace kiln::client {
namespace {

constexpr absl::string_view kHead =
    R"(# Completion of kiln in fish, made by `kiln completion fish`.
function __kiln_no_command
    test (count (commandline -opc)) -eq 1
end
function __kiln_command_is
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test "$words[2]" = "$argv[1]"
end
function __kiln_first_argument_of
    set -l words (commandline -opc)
    test (count $words) -eq 2; and test "$words[2]" = "$argv[1]"
end
complete -c kiln -f
complete -c kiln -n __kiln_no_command -l help -d 'print the commands'
complete -c kiln -n __kiln_no_command -l version -d 'print the version'
)";

std::string Quoted(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}), "'");
}

// The options of `complete` that offer the words.
std::string Offer(const Words& words) {
  using Kind = Words::Kind;
  switch (words.kind) {
    case Kind::kNothing: return "";
    case Kind::kText: return " -x";
    case Kind::kFile: return " -r -F";
    case Kind::kFolder: return " -x -a '(__fish_complete_directories)'";
    case Kind::kChoices: return absl::StrCat(" -x -a ", Quoted(absl::StrJoin(words.choices, " ")));
    case Kind::kList:
      return absl::StrCat(" -x -a '(__fish_append , ", absl::StrJoin(words.choices, " "), ")'");
  }
  return "";
}

std::string FlagLine(const std::string& condition, const Flag& flag) {
  std::string line = absl::StrCat("complete -c kiln -n ", condition);
  if (flag.letter != 0) absl::StrAppend(&line, " -s ", std::string(1, flag.letter));
  if (!flag.name.empty()) absl::StrAppend(&line, " -l ", flag.name);
  // A value that is optional is offered after "=" only, which fish does by itself for files.
  absl::StrAppend(&line, flag.ValueIsOptional() ? "" : Offer(ValueOf(flag)), " -d ",
                  Quoted(flag.help), "\n");
  return line;
}

std::string ArgumentLine(const Entry& entry, const std::string& condition) {
  switch (entry.argument.kind) {
    case Words::Kind::kFile: return absl::StrCat("complete -c kiln -n ", condition, " -F\n");
    case Words::Kind::kChoices:
      return absl::StrCat("complete -c kiln -n ",
                          Quoted(absl::StrCat("__kiln_first_argument_of ", entry.name)), " -a ",
                          Quoted(absl::StrJoin(entry.argument.choices, " ")), "\n");
    default: return "";
  }
}

}  // namespace

std::string FishScript(absl::Span<const Entry> entries) {
  std::string script(kHead);
  for (const Entry& entry : entries) {
    absl::StrAppend(&script, "complete -c kiln -n __kiln_no_command -a ", entry.name, " -d ",
                    Quoted(entry.summary), "\n");
  }
  for (const Entry& entry : entries) {
    const std::string condition = Quoted(absl::StrCat("__kiln_command_is ", entry.name));
    for (const Flag& flag : entry.flags) script += FlagLine(condition, flag);
    script += ArgumentLine(entry, condition);
  }
  return script;
}

}  // namespace kiln::client
