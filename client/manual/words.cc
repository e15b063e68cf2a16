// Words that a shell can offer: see words.h.
#include "client/manual/words.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"

namespace kiln::client {
namespace {

bool IsWord(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_islower);
}

Words ArgumentOf(absl::string_view arguments, absl::Span<const Command> commands) {
  using Kind = Words::Kind;
  if (arguments.empty()) return {};
  const absl::string_view first = *absl::StrSplit(arguments, ' ').begin();
  if (first == "COMMAND" || first == "[COMMAND]") {
    Words words = {Kind::kChoices, {}};
    for (const Command& command : commands) words.choices.emplace_back(command.name);
    return words;
  }
  std::vector<std::string> parts = absl::StrSplit(first, '|');
  if (std::all_of(parts.begin(), parts.end(), IsWord)) return {Kind::kChoices, std::move(parts)};
  return {Kind::kFile, {}};
}

}  // namespace

Words ValueOf(const Flag& flag) {
  using Kind = Words::Kind;
  if (flag.value.empty()) return {};
  if (!flag.choices.empty()) {
    return {flag.ValueIsList() ? Kind::kList : Kind::kChoices,
            absl::StrSplit(flag.choices, ' ', absl::SkipEmpty())};
  }
  const absl::string_view value = flag.ValueIsOptional() ? flag.value.substr(1) : flag.value;
  if (absl::StartsWith(value, "FILE") || absl::StartsWith(value, "JSON")) return {Kind::kFile, {}};
  if (absl::StartsWith(value, "DIR")) return {Kind::kFolder, {}};
  return {Kind::kText, {}};
}

std::vector<Entry> EntriesOf(absl::Span<const Command> commands) {
  std::vector<Entry> entries;
  for (const Command& command : commands) {
    entries.push_back({std::string(command.name), std::string(command.summary), command.flags,
                       ArgumentOf(command.arguments, commands)});
  }
  entries.push_back({"help", "explain a command", {}, ArgumentOf("COMMAND", commands)});
  return entries;
}

}  // namespace kiln::client
