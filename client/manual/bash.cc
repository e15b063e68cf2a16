// Completion in bash. Bash takes "--flag=value" apart at "=" (COMP_WORDBREAKS), unless its user has
// set it otherwise; the script takes both.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/manual/completion.h"

namespace kiln::client {
namespace {

constexpr absl::string_view kHead = R"(# Completion of kiln in bash, made by `kiln completion bash`.
)";

constexpr absl::string_view kTail = R"(
# Offers what `kind` and `words` say, for what is written of it in `cur`.
_kiln_reply() {
  local done=
  case $kind in
    words) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur") ;;
    list)
      [[ $cur == *,* ]] && done=${cur%,*},
      mapfile -t COMPREPLY < <(compgen -P "$done" -W "$words" -- "${cur##*,}")
      compopt -o nospace 2> /dev/null ;;
    file)
      compopt -o filenames 2> /dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    folder)
      compopt -o filenames 2> /dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
  esac
}

_kiln() {
  local cur=${COMP_WORDS[COMP_CWORD]} before= flag= joined= whole= command= kind= words= word
  COMPREPLY=()
  ((COMP_CWORD > 0)) && before=${COMP_WORDS[COMP_CWORD - 1]}
  ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}
  if [[ $cur == = ]]; then
    flag=$before joined=1 cur=
  elif [[ $before == = ]]; then
    flag=${COMP_WORDS[COMP_CWORD - 2]} joined=1
  elif [[ $cur == --*=* ]]; then
    flag=${cur%%=*} joined=1 whole=$flag= cur=${cur#*=}
  else
    flag=$before
  fi
  if [[ $flag == -* ]]; then
    _kiln_value "$command" "$flag"
    [[ -z $kind && -n $joined ]] && _kiln_value "$command" "$flag="
  fi
  if [[ -n $kind || -n $joined ]]; then
    _kiln_reply
    [[ -n $whole ]] && COMPREPLY=("${COMPREPLY[@]/#/$whole}")
  elif ((COMP_CWORD <= 1)); then
    kind=words words=$_kiln_commands
    _kiln_reply
  elif [[ $cur == -* ]]; then
    kind=words
    _kiln_flags "$command"
    _kiln_reply
    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2> /dev/null
  else
    _kiln_argument "$command"
    for word in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
      [[ " $words " == *" $word "* ]] && words=
    done
    _kiln_reply
  fi
  return 0
}

complete -F _kiln kiln
)";

// "kind=list words='tgl'".
std::string Assignments(const Words& value) {
  using Kind = Words::Kind;
  switch (value.kind) {
    case Kind::kNothing: return "kind=";
    case Kind::kText: return "kind=text";
    case Kind::kFile: return "kind=file";
    case Kind::kFolder: return "kind=folder";
    case Kind::kChoices:
    case Kind::kList:
      return absl::StrCat("kind=", value.kind == Kind::kList ? "list" : "words", " words='",
                          absl::StrJoin(value.choices, " "), "'");
  }
  return "";
}

// A function of this name: `case` over its argument, with an arm for each entry.
template <typename BodyOf>
std::string CaseFunction(absl::string_view comment, absl::string_view name,
                         absl::Span<const Entry> entries, BodyOf body_of) {
  std::string text = absl::StrCat("\n# ", comment, "\n", name, "() {\n  case $1 in\n");
  for (const Entry& entry : entries) {
    const std::string body = body_of(entry);
    if (!body.empty()) absl::StrAppend(&text, "    ", entry.name, ") ", body, " ;;\n");
  }
  return absl::StrCat(text, "  esac\n}\n");
}

std::string FlagWords(const Entry& entry) {
  std::vector<std::string> words;
  for (const Flag& flag : entry.flags) {
    const bool equals = !flag.value.empty() && !flag.ValueIsOptional();
    if (!flag.name.empty()) words.push_back(absl::StrCat("--", flag.name, equals ? "=" : ""));
    if (flag.letter != 0) words.push_back(absl::StrCat("-", std::string(1, flag.letter)));
  }
  return words.empty() ? "" : absl::StrCat("words='", absl::StrJoin(words, " "), "'");
}

// The forms in which a value may follow: "--output | -o"; one that must be joined ends in "=".
std::string Forms(const Flag& flag) {
  std::vector<std::string> forms;
  if (!flag.name.empty()) {
    forms.push_back(absl::StrCat("--", flag.name, flag.ValueIsOptional() ? "=" : ""));
  }
  if (flag.letter != 0) forms.push_back(absl::StrCat("-", std::string(1, flag.letter)));
  return absl::StrJoin(forms, " | ");
}

std::string ValueCases(const Entry& entry) {
  std::string text;
  for (const Flag& flag : entry.flags) {
    const Words value = ValueOf(flag);
    if (value.kind == Words::Kind::kNothing) continue;
    absl::StrAppend(&text, "\n        ", Forms(flag), ") ", Assignments(value), " ;;");
  }
  return text.empty() ? "" : absl::StrCat("case $2 in", text, "\n      esac");
}

}  // namespace

std::string BashScript(absl::Span<const Entry> entries) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  return absl::StrCat(
      kHead, "_kiln_commands='", absl::StrJoin(names, " "), " --help --version'\n",
      CaseFunction("The flags of the command $1.", "_kiln_flags", entries, FlagWords),
      CaseFunction("The value of the flag $2 of the command $1.", "_kiln_value", entries,
                   ValueCases),
      CaseFunction("The argument of the command $1.", "_kiln_argument", entries,
                   [](const Entry& entry) { return Assignments(entry.argument); }),
      kTail);
}

}  // namespace kiln::client
