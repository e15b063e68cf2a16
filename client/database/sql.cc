// SQLite: see sql.h.
#include "client/database/sql.h"

#include "absl/strings/str_cat.h"

namespace kiln::client {
namespace {

// Waits so long for another process that reads or writes.
constexpr int kBusyMilliseconds = 60'000;

}  // namespace

absl::Status SqlError(sqlite3* db) {
  const char* file = sqlite3_db_filename(db, "main");
  const std::string text = absl::StrCat(file == nullptr ? "" : file, ": ", sqlite3_errmsg(db));
  switch (sqlite3_errcode(db) & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT: return absl::InvalidArgumentError(text);
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return absl::PermissionDeniedError(text);
    default: return absl::InternalError(text);
  }
}

void SqlStatement::Bind(int at, absl::string_view value) {
  // An empty view may have no address, which would be NULL.
  sqlite3_bind_text64(statement_, at, value.empty() ? "" : value.data(), value.size(),
                      SQLITE_TRANSIENT, SQLITE_UTF8);
}

void SqlStatement::Bind(int at, SqlBlob value) {
  sqlite3_bind_blob64(statement_, at, value.bytes.data(), value.bytes.size(), SQLITE_TRANSIENT);
}

absl::StatusOr<bool> SqlStatement::Next() {
  switch (sqlite3_step(statement_)) {
    case SQLITE_ROW: return true;
    case SQLITE_DONE: return false;
    default: return SqlError(db_);
  }
}

absl::Status SqlStatement::Finish() {
  for (;;) {
    const absl::StatusOr<bool> row = Next();
    if (!row.ok()) {
      sqlite3_reset(statement_);
      return row.status();
    }
    if (*row) continue;
    sqlite3_reset(statement_);
    return absl::OkStatus();
  }
}

std::string SqlStatement::Text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  const auto count = static_cast<size_t>(sqlite3_column_bytes(statement_, column));
  return bytes == nullptr ? std::string() : std::string(bytes, count);
}

absl::StatusOr<std::unique_ptr<SqlDatabase>> SqlDatabase::Open(const std::string& path, Mode mode,
                                                               const std::string& vfs) {
  const int flags =
      mode == Mode::kRead ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* db = nullptr;
  const int opened = sqlite3_open_v2(path.c_str(), &db, flags, vfs.empty() ? nullptr : vfs.c_str());
  std::unique_ptr<SqlDatabase> database(new SqlDatabase(path, db));
  if (db == nullptr) return absl::ResourceExhaustedError(absl::StrCat(path, ": no memory"));
  if (opened != SQLITE_OK) {
    return absl::PermissionDeniedError(absl::StrCat(path, ": ", sqlite3_errmsg(db)));
  }
  sqlite3_busy_timeout(db, kBusyMilliseconds);
  // Reads the header: a file that is no database is known here.
  if (absl::Status s = database->Execute("PRAGMA schema_version"); !s.ok()) return s;
  return database;
}

absl::Status SqlDatabase::Execute(const std::string& sql) {
  if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) {
    return absl::OkStatus();
  }
  return SqlError(db_);
}

absl::StatusOr<SqlStatement> SqlDatabase::Prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db_, sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr) !=
      SQLITE_OK) {
    return SqlError(db_);
  }
  return SqlStatement(db_, statement);
}

absl::StatusOr<std::string> SqlDatabase::TextOf(const std::string& sql) {
  absl::StatusOr<SqlStatement> statement = Prepare(sql);
  if (!statement.ok()) return statement.status();
  const absl::StatusOr<bool> row = statement->Next();
  if (!row.ok()) return row.status();
  if (!*row) return absl::NotFoundError(absl::StrCat(path_, ": has no row for: ", sql));
  return statement->Text(0);
}

absl::StatusOr<int64_t> SqlDatabase::IntOf(const std::string& sql) {
  absl::StatusOr<SqlStatement> statement = Prepare(sql);
  if (!statement.ok()) return statement.status();
  const absl::StatusOr<bool> row = statement->Next();
  if (!row.ok()) return row.status();
  if (!*row) return absl::NotFoundError(absl::StrCat(path_, ": has no row for: ", sql));
  return statement->Int(0);
}

}  // namespace kiln::client
