// Completion in zsh, by its functions _arguments, _describe and _values (zshcompsys(1)).
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "client/manual/completion.h"

namespace kiln::client {
namespace {

constexpr absl::string_view kHead =
    R"(#compdef kiln
# Completion of kiln in zsh, made by `kiln completion zsh`: as a file _kiln of a folder in fpath, or
# sourced.
)";

// In single quotes.
std::string Quoted(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

// Text in a specification: ":" and brackets end its parts.
std::string Escaped(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"\\", "\\\\"}, {":", "\\:"}, {"[", "\\["}, {"]", "\\]"}});
}

// Returns the part after ":MESSAGE:" that offers the words.
std::string Action(const Words& words) {
  using Kind = Words::Kind;
  switch (words.kind) {
    case Kind::kNothing: return "";
    case Kind::kText: return " ";
    case Kind::kFile: return "_files";
    case Kind::kFolder: return "_files -/";
    case Kind::kChoices: return absl::StrCat("(", absl::StrJoin(words.choices, " "), ")");
    case Kind::kList: return absl::StrCat("_values -s , value ", absl::StrJoin(words.choices, " "));
  }
  return "";
}

// One specification of _arguments. `form`: "--output=", "-o+", "--json".
std::string FlagSpec(const Flag& flag, absl::string_view excluded, absl::string_view form) {
  std::string spec = absl::StrCat(excluded, form, "[", Escaped(flag.help), "]");
  const Words value = ValueOf(flag);
  if (value.kind != Words::Kind::kNothing) {
    absl::StrAppend(&spec, flag.ValueIsOptional() ? "::" : ":", Escaped(flag.value), ":",
                    Action(value));
  }
  return Quoted(spec);
}

std::vector<std::string> FlagSpecs(const Flag& flag) {
  const std::string letter = flag.letter == 0 ? "" : absl::StrCat("-", std::string(1, flag.letter));
  const std::string name = flag.name.empty() ? "" : absl::StrCat("--", flag.name);
  const std::string excluded = flag.repeats ? "*"
                               : letter.empty() || name.empty()
                                   ? ""
                                   : absl::StrCat("(", letter, " ", name, ")");
  std::vector<std::string> specs;
  const bool has_value = !flag.value.empty();
  if (!letter.empty()) {
    specs.push_back(FlagSpec(flag, excluded, absl::StrCat(letter, has_value ? "+" : "")));
  }
  if (!name.empty()) {
    const char* end = !has_value ? "" : flag.ValueIsOptional() ? "=-" : "=";
    specs.push_back(FlagSpec(flag, excluded, absl::StrCat(name, end)));
  }
  return specs;
}

std::string CaseOf(const Entry& entry) {
  std::vector<std::string> specs;
  for (const Flag& flag : entry.flags) {
    for (std::string& spec : FlagSpecs(flag)) specs.push_back(std::move(spec));
  }
  const bool one = entry.argument.kind == Words::Kind::kChoices;
  if (entry.argument.kind != Words::Kind::kNothing) {
    specs.push_back(Quoted(
        absl::StrCat(one ? "1" : "*", ":", one ? "word" : "file", ":", Action(entry.argument))));
  }
  return absl::StrCat("    ", entry.name, ")\n      _arguments \\\n        ",
                      absl::StrJoin(specs, " \\\n        "), " ;;\n");
}

}  // namespace

std::string ZshScript(absl::Span<const Entry> entries) {
  std::string commands, cases;
  for (const Entry& entry : entries) {
    absl::StrAppend(&commands, "    ",
                    Quoted(absl::StrCat(entry.name, ":", Escaped(entry.summary))), "\n");
    cases += CaseOf(entry);
  }
  return absl::StrCat(kHead, "_kiln() {\n  local -a commands\n  commands=(\n", commands,
                      "  )\n  if ((CURRENT == 2)); then\n"
                      "    _describe command commands\n"
                      "    _arguments '--help[print the commands]' '--version[print the version]'\n"
                      "    return\n  fi\n"
                      "  shift words\n  ((CURRENT--))\n"
                      "  case $words[1] in\n",
                      cases,
                      "  esac\n}\n"
                      "if [[ $funcstack[1] == _kiln ]]; then\n  _kiln \"$@\"\nelse\n"
                      "  compdef _kiln kiln\nfi\n");
}

}  // namespace kiln::client
