// Puts databases of results together, as those of shards are.
#ifndef KILN_CLIENT_DATABASE_MERGE_H_
#define KILN_CLIENT_DATABASE_MERGE_H_

#include <string>

#include "absl/status/status.h"
#include "client/database/results_database.h"

namespace kiln::client {

// Adds all rows of the database at `path` to `into`, in one transaction. A pipeline that both have
// is then that of `path`; equal results become one. Errors are those of SqlDatabase::Open and
// CheckSchema.
absl::Status MergeInto(ResultsDatabase* into, const std::string& path);

}  // namespace kiln::client

#endif  // KILN_CLIENT_DATABASE_MERGE_H_
