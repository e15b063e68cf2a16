// Failures as SARIF 2.1.0 (OASIS), which editors and code-scanning services show at their places.
//
// One run; a rule for each cause, with the sentence and the remedy that it has, and "over_budget"
// for bounds that do not hold. A result for each error with a place, once for all targets and
// permutations that have the same: its occurrenceCount says how many. Paths are URIs relative to
// the working directory, percent-encoded; columns count code points.
#ifndef KILN_CLIENT_EXPORT_SARIF_H_
#define KILN_CLIENT_EXPORT_SARIF_H_

#include <string>
#include <vector>

#include "client/cli/exit_code.h"
#include "client/export/exported_result.h"
#include "client/export/judge.h"

namespace kiln::client {

// `code`: the command's. A run that ends with neither kExitOk nor kExitSomeFailed was not
// successful: its results are not all that there are.
std::string SarifText(const std::vector<ExportedResult>& results,
                      const std::vector<Overrun>& overruns, ExitCode code);

// Returns a path as a URI: "file:///a%20b.comp", or a relative reference.
std::string UriOf(absl::string_view path);

}  // namespace kiln::client

#endif  // KILN_CLIENT_EXPORT_SARIF_H_
