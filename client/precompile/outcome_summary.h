// The summary of a run: the counts of a database of results by target, status and cause.
#ifndef KILN_CLIENT_PRECOMPILE_OUTCOME_SUMMARY_H_
#define KILN_CLIENT_PRECOMPILE_OUTCOME_SUMMARY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/cli/exit_code.h"
#include "client/database/results_database.h"

namespace kiln::client {

struct OutcomeCount {
  std::string target;
  std::string status;
  std::string cause;  // empty: ok
  int64_t stages = 0;
};

struct RunSummary {
  std::string database;
  bool interrupted = false;
  absl::Duration elapsed;
  RunCounts counts;
  std::vector<OutcomeCount> outcomes;  // of all that the database has
  struct Budget {
    size_t judged = 0;  // variants that some bound is for
    size_t over = 0;    // bounds that do not hold
  };
  std::optional<Budget> budget = std::nullopt;
  // Failures of these causes leave the exit code as it is, but for crashes and time limits.
  std::set<std::string> allowed = {};

  ExitCode exit_code() const;
  std::string Text(bool colour) const;
  // Returns one line of JSON.
  std::string ToJson() const;
};

absl::StatusOr<std::vector<OutcomeCount>> CountOutcomes(SqlDatabase* db);

}  // namespace kiln::client

#endif  // KILN_CLIENT_PRECOMPILE_OUTCOME_SUMMARY_H_
