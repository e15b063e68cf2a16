// Flags for the modes of a target's tools: a switch for each row that a back end declares.
#ifndef KILN_CLIENT_REQUEST_SWITCH_FLAGS_H_
#define KILN_CLIENT_REQUEST_SWITCH_FLAGS_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "client/cli/flags.h"
#include "core/target/switches.h"

namespace kiln::client {

// Returns a flag for each row, in their order.
std::vector<Flag> FlagsOf(absl::Span<const Switch> switches);

// Returns the names of those that are given. A target that does not have one refuses it
// (core/driver/simulate.h, core/driver/analyze.h).
std::vector<std::string> Given(absl::Span<const Switch> switches, const ParsedFlags& flags);

}  // namespace kiln::client

#endif  // KILN_CLIENT_REQUEST_SWITCH_FLAGS_H_
