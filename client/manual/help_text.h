// The texts of `kiln --help` and `kiln COMMAND --help`.
#ifndef KILN_CLIENT_MANUAL_HELP_TEXT_H_
#define KILN_CLIENT_MANUAL_HELP_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "client/cli/command.h"

namespace kiln::client {

// Texts that the manual (pages.h) shares.
extern const absl::string_view kExitCodes;
extern const absl::string_view kOverview;
extern const absl::string_view kOverviewExamples;

std::string HelpText(const Command& command);
std::string OverviewText(absl::Span<const Command> commands);

}  // namespace kiln::client

#endif  // KILN_CLIENT_MANUAL_HELP_TEXT_H_
