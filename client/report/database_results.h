// The results in a database of `kiln precompile`, for a comparison.
#ifndef KILN_CLIENT_REPORT_DATABASE_RESULTS_H_
#define KILN_CLIENT_REPORT_DATABASE_RESULTS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "client/report/results.h"

namespace kiln::client::report {

// Returns true for a file that begins as databases of SQLite do.
bool IsDatabase(const std::string& path);

// Reads what ReadResults reads of JSON lines. A stage of a capture is the file
// "CAPTURE:KIND/HASH". Errors: those of SqlDatabase::Open and CheckSchema; InvalidArgument: it has
// no results.
absl::StatusOr<ResultSet> ReadDatabaseResults(const std::string& path,
                                              absl::Span<const StatisticKind> kinds);

}  // namespace kiln::client::report

#endif  // KILN_CLIENT_REPORT_DATABASE_RESULTS_H_
