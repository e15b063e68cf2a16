// Completion of kiln's command line in shells: scripts made from the table of commands.
#ifndef KILN_CLIENT_MANUAL_COMPLETION_H_
#define KILN_CLIENT_MANUAL_COMPLETION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "client/cli/command.h"
#include "client/manual/words.h"

namespace kiln::client {

// The script for "bash", "zsh" or "fish"; InvalidArgument for any other shell. Scripts offer
// commands, flags, values that are a fixed set, files and folders. They start no program.
absl::StatusOr<std::string> CompletionScript(absl::string_view shell,
                                             absl::Span<const Command> commands);

// For one shell each.
std::string BashScript(absl::Span<const Entry> entries);
std::string ZshScript(absl::Span<const Entry> entries);
std::string FishScript(absl::Span<const Entry> entries);

}  // namespace kiln::client

#endif  // KILN_CLIENT_MANUAL_COMPLETION_H_
