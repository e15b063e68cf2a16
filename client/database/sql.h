// SQLite, as far as results need it: statements with bound values, errors as statuses.
#ifndef KILN_CLIENT_DATABASE_SQL_H_
#define KILN_CLIENT_DATABASE_SQL_H_

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kiln::client {

// Bytes that are no text.
struct SqlBlob {
  absl::string_view bytes;
};

// One prepared statement. Values are bound in the order of its question marks.
class SqlStatement {
 public:
  SqlStatement(sqlite3* db, sqlite3_stmt* statement) : db_(db), statement_(statement) {}
  ~SqlStatement() { sqlite3_finalize(statement_); }
  SqlStatement(SqlStatement&& other) noexcept
      : db_(other.db_), statement_(std::exchange(other.statement_, nullptr)) {}
  SqlStatement(const SqlStatement&) = delete;
  SqlStatement& operator=(const SqlStatement&) = delete;

  // Begins again with these values.
  template <typename... Values>
  void Start(const Values&... values) {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
    int at = 0;
    (Bind(++at, values), ...);
  }
  // Moves to the next row; false: there is none.
  absl::StatusOr<bool> Next();
  // Starts and runs to the end; rows are dropped.
  template <typename... Values>
  absl::Status Run(const Values&... values) {
    Start(values...);
    return Finish();
  }

  int64_t Int(int column) const { return sqlite3_column_int64(statement_, column); }
  std::string Text(int column) const;
  bool IsNull(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

 private:
  absl::Status Finish();
  void Bind(int at, int64_t value) { sqlite3_bind_int64(statement_, at, value); }
  void Bind(int at, absl::string_view value);
  void Bind(int at, SqlBlob value);
  void Bind(int at, std::nullptr_t) { sqlite3_bind_null(statement_, at); }

  sqlite3* db_;
  sqlite3_stmt* statement_;
};

class SqlDatabase {
 public:
  enum class Mode { kCreate, kRead };
  // `vfs`: SQLite's name of a way to use files; empty: the usual one. Errors name the path:
  // NotFound, InvalidArgument (no database), PermissionDenied.
  static absl::StatusOr<std::unique_ptr<SqlDatabase>> Open(const std::string& path, Mode mode,
                                                           const std::string& vfs = "");
  ~SqlDatabase() { sqlite3_close(db_); }
  SqlDatabase(const SqlDatabase&) = delete;
  SqlDatabase& operator=(const SqlDatabase&) = delete;

  // Runs statements without values, separated by semicolons.
  absl::Status Execute(const std::string& sql);
  absl::StatusOr<SqlStatement> Prepare(const std::string& sql);
  // Returns the first column of the first row; NotFound: there is no row.
  absl::StatusOr<std::string> TextOf(const std::string& sql);
  absl::StatusOr<int64_t> IntOf(const std::string& sql);
  int64_t last_row() const { return sqlite3_last_insert_rowid(db_); }
  const std::string& path() const { return path_; }

 private:
  SqlDatabase(std::string path, sqlite3* db) : path_(std::move(path)), db_(db) {}

  const std::string path_;
  sqlite3* const db_;
};

// Returns the status of the last error of `db`. PermissionDenied for what only the user can mend (a
// full disk, a file that cannot be written or is locked), InvalidArgument for a file that is no
// database.
absl::Status SqlError(sqlite3* db);

}  // namespace kiln::client

#endif  // KILN_CLIENT_DATABASE_SQL_H_
