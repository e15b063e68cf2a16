// Dependencies of outputs on source files, in the form that Make includes and Ninja's `depfile`
// reads (that of a C compiler's -MD -MP).
//
//   out/a.comp.tgl.8.bin out/a.comp.tgl.16.bin: a.comp include/b.glsl
//   include/b.glsl:
//
// The rule without prerequisites for each include lets Make go on when one is removed; Ninja
// ignores it. Includes are a superset of those that are used (include_scanner.h). Blanks, #, $ and
// : are escaped as both tools read them; names with a character for which there is no form that
// both read are refused.
#ifndef KILN_CLIENT_EXPORT_DEPFILE_H_
#define KILN_CLIENT_EXPORT_DEPFILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kiln::client {

struct Dependencies {
  std::vector<std::string> outputs;  // at least one
  std::vector<std::string> inputs;   // files whose change makes the outputs stale
};

// Returns a rule for each element, and one for each input that is not the first of an element.
// InvalidArgument: a name has a line feed, or another character that the form cannot express.
absl::StatusOr<std::string> DepfileText(const std::vector<Dependencies>& rules);

// Returns the name as the form has it; InvalidArgument as above.
absl::StatusOr<std::string> EscapedForMake(absl::string_view name);

}  // namespace kiln::client

#endif  // KILN_CLIENT_EXPORT_DEPFILE_H_
