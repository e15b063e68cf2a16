// A result for people.
#ifndef KILN_CLIENT_OUTPUT_RESULT_TEXT_H_
#define KILN_CLIENT_OUTPUT_RESULT_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "proto/compile.pb.h"

namespace kiln::client {

// Selects whether FailureText explains the failure: a list of many explains each cause once.
enum class Why { kTell, kLeaveOut };

// Returns "blur.comp: tgl: refused (int64_atomics): WHAT (WHERE)" with the pass that caused it, and
// on two more lines why, and what to do (reason.h).
std::string FailureText(absl::string_view file, const kiln::v1alpha::TargetResult& result,
                        bool colour, Why why = Why::kTell);

// Returns one line about the compile and a table of its variants, with line feeds.
std::string SuccessText(absl::string_view file, const kiln::v1alpha::TargetResult& result,
                        bool colour);

}  // namespace kiln::client

#endif  // KILN_CLIENT_OUTPUT_RESULT_TEXT_H_
