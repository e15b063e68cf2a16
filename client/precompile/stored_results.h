// Results of a database as files for other tools have them: for budgets and JUnit.
#ifndef KILN_CLIENT_PRECOMPILE_STORED_RESULTS_H_
#define KILN_CLIENT_PRECOMPILE_STORED_RESULTS_H_

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "client/database/sql.h"
#include "client/export/exported_result.h"

namespace kiln::client {

// Names of a source and of one of its pipelines.
using PipelineName = std::pair<std::string, std::string>;

// Returns the results of these pipelines' stages, in the order of sources, pipelines, stages and
// targets, whichever run made them; each with its figures. The stages of a pair have the names of
// their own files. A result takes some 2 KB.
absl::StatusOr<std::vector<ExportedResult>> StoredResultsOf(
    SqlDatabase* db, const std::set<PipelineName>& pipelines);

}  // namespace kiln::client

#endif  // KILN_CLIENT_PRECOMPILE_STORED_RESULTS_H_
