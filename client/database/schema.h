// The tables and views of a database of results: SCHEMA.md describes them.
//
// The schema is a contract with scripts: tables, columns and views are added, none is renamed or
// removed, and `user_version` counts the additions. Figures are rows, by the names that back ends
// declare: another target needs no other column.
#ifndef KILN_CLIENT_DATABASE_SCHEMA_H_
#define KILN_CLIENT_DATABASE_SCHEMA_H_

#include "absl/status/status.h"
#include "client/database/sql.h"

namespace kiln::client {

// SQLite's application_id of these databases: "Kiln".
inline constexpr int64_t kDatabaseId = 0x4b696c6e;
inline constexpr int64_t kSchemaVersion = 1;

// Makes the tables and views in an empty database; does nothing in one that has them.
// InvalidArgument: it is a database of something else, or of a later version.
absl::Status PrepareSchema(SqlDatabase* db);

// Returns OK for a database that has them. InvalidArgument as above.
absl::Status CheckSchema(SqlDatabase* db);

}  // namespace kiln::client

#endif  // KILN_CLIENT_DATABASE_SCHEMA_H_
