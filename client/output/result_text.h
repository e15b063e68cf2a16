// A result for people.
#ifndef KILN_CLIENT_OUTPUT_RESULT_TEXT_H_
#define KILN_CLIENT_OUTPUT_RESULT_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

// Selects whether FailureText explains the failure: a list of many explains each cause once.
enum class Why { kTell, kLeaveOut };

// Returns "blur.comp: tgl: refused (int64_atomics): WHAT (WHERE)" with the pass that caused it, and
// on two more lines why, and what to do (reason.h).
std::string FailureText(absl::string_view file, const kiln::v1::TargetResult& result, bool colour,
                        Why why = Why::kTell);

// Returns one line about the compile and a table of its variants, with line feeds. `target` is the
// result's, as the service describes it: the table has a column for each of its statistics that has
// a header, or for all figures if the service describes none.
std::string SuccessText(absl::string_view file, const kiln::v1::TargetResult& result,
                        const kiln::v1::Capabilities::TargetInfo& target, bool colour);

// Returns the same figures of one variant on a line: "instructions 15, sync 3, ...".
std::string FiguresText(const kiln::v1::Variant& variant,
                        const kiln::v1::Capabilities::TargetInfo& target);

}  // namespace kiln::client

#endif  // KILN_CLIENT_OUTPUT_RESULT_TEXT_H_
