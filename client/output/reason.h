// The reason why a shader has no code: the parts that results carry, and the text that users read.
#ifndef KILN_CLIENT_OUTPUT_REASON_H_
#define KILN_CLIENT_OUTPUT_REASON_H_

#include <string>

#include "kiln/v1/compile.pb.h"

namespace kiln::client {

// Returns the result's reason. A missing sentence or remedy (an older daemon made the result, or
// this program refused by itself) is filled from this program's table of causes.
kiln::v1::Reason CompleteReason(const kiln::v1::TargetResult& result);

// Returns the part to blame, in one clause: "bytes of shared memory: 70000, at most 65536 (%12
// "tile", blur.comp:14)"; the message, perhaps several lines, if the reason does not name a part.
// Texts of the shader and of the daemon are made printable (client/cli/terminal.h). Empty: nothing
// is known.
std::string BlameText(const kiln::v1::TargetResult& result);

// Returns the printable lines "  why: ..." and "  what to do: ...", each after a line feed; empty
// if the cause has none, and for invalid input, whose message says both.
std::string WhyText(const kiln::v1::TargetResult& result);

}  // namespace kiln::client

#endif  // KILN_CLIENT_OUTPUT_REASON_H_
