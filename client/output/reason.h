// Why a shader has no code: the parts that results carry, and the text that people read.
#ifndef KILN_CLIENT_OUTPUT_REASON_H_
#define KILN_CLIENT_OUTPUT_REASON_H_

#include <string>

#include "proto/compile.pb.h"

namespace kiln::client {

// The result's reason. Sentence and remedy that it lacks, because an older daemon made it or
// because this program refused by itself, are those that this program has for the cause.
kiln::v1alpha::Reason CompleteReason(const kiln::v1alpha::TargetResult& result);

// Names what is to blame, in one clause: "bytes of shared memory: 70000, at most 65536 (%12 "tile",
// blur.comp:14)". The message, where the reason does not say what. Perhaps several lines; empty:
// nothing is known.
std::string BlameText(const kiln::v1alpha::TargetResult& result);

// Lines "  why: ..." and "  what to do: ...", each after a line feed; empty where the cause has
// none, and of what is invalid, where the message says both.
std::string WhyText(const kiln::v1alpha::TargetResult& result);

}  // namespace kiln::client

#endif  // KILN_CLIENT_OUTPUT_REASON_H_
