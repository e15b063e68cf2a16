// Completion of kiln's command line: see completion.h.
#include "client/manual/completion.h"

#include "absl/strings/str_cat.h"

namespace kiln::client {

absl::StatusOr<std::string> CompletionScript(absl::string_view shell,
                                             absl::Span<const Command> commands) {
  const std::vector<Entry> entries = EntriesOf(commands);
  if (shell == "bash") return BashScript(entries);
  if (shell == "zsh") return ZshScript(entries);
  if (shell == "fish") return FishScript(entries);
  return absl::InvalidArgumentError(absl::StrCat("there is no completion for the shell '", shell,
                                                 "'; the shells are bash, zsh and fish"));
}

}  // namespace kiln::client
