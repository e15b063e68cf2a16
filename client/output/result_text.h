// A result for people.
#ifndef KILN_CLIENT_OUTPUT_RESULT_TEXT_H_
#define KILN_CLIENT_OUTPUT_RESULT_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "proto/compile.pb.h"

namespace kiln::client {

// Returns "blur.comp: tgl: refused (subgroup_operations): MESSAGE" with the id and the pass that
// caused it.
std::string FailureText(absl::string_view file, const kiln::v1alpha::TargetResult& result,
                        bool colour);

// Returns one line about the compile and a table of its variants, with line feeds.
std::string SuccessText(absl::string_view file, const kiln::v1alpha::TargetResult& result,
                        bool colour);

}  // namespace kiln::client

#endif  // KILN_CLIENT_OUTPUT_RESULT_TEXT_H_
