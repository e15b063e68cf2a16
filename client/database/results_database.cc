// The database of results: see results_database.h.
#include "client/database/results_database.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/database/schema.h"
#include "client/output/reason.h"
#include "client/output/result_json.h"
#include "proto/pass_sums.h"
#include "proto/statistics.h"

namespace kiln::client {
namespace {

using kiln::v1::Capabilities;
using kiln::v1::TargetResult;

constexpr char kNow[] = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";

// The statements of Write, by the names that it has for them.
const std::vector<std::pair<const char*, const char*>>& Statements() {
  static const auto& statements = *new std::vector<std::pair<const char*, const char*>>{
      {"pipeline",
       "INSERT INTO pipeline (source, name, file, kind, options) VALUES (?, ?, ?, ?, ?) "
       "ON CONFLICT (source, name) DO UPDATE SET file = excluded.file, kind = excluded.kind, "
       "options = excluded.options RETURNING id"},
      {"stage", "INSERT OR REPLACE INTO stage VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
      {"cut_stages", "DELETE FROM stage WHERE pipeline = ? AND number >= ?"},
      {"cut_outcomes", "DELETE FROM outcome WHERE pipeline = ? AND number >= ?"},
      // A result that another replaces is remembered if it was a compiler's.
      {"outcome",
       "INSERT INTO outcome VALUES (?, ?, ?, ?, NULL) "
       "ON CONFLICT (pipeline, number, target) DO UPDATE SET previous = CASE "
       "WHEN result = excluded.result THEN previous "
       "WHEN (SELECT final FROM result AS old WHERE old.id = outcome.result) THEN outcome.result "
       "ELSE previous END, result = excluded.result"},
      // A result that is not final is replaced by any other one.
      {"result",
       "INSERT INTO result (unit, target, code_generation, final, status, cause, message, "
       "spirv_id, last_pass, version, loadable_by, key, spirv_sha256, reads, compile_us) "
       "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
       "ON CONFLICT (unit, target, code_generation) DO UPDATE SET final = excluded.final, "
       "status = excluded.status, cause = excluded.cause, message = excluded.message, "
       "spirv_id = excluded.spirv_id, last_pass = excluded.last_pass, "
       "version = excluded.version, loadable_by = excluded.loadable_by, key = excluded.key, "
       "spirv_sha256 = excluded.spirv_sha256, reads = excluded.reads, "
       "compile_us = excluded.compile_us WHERE NOT final RETURNING id"},
      {"find_result",
       "SELECT id FROM result WHERE unit = ? AND target = ? AND code_generation = ?"},
      {"cause", "INSERT OR IGNORE INTO cause VALUES (?, ?, ?)"},
      {"variant", "INSERT OR IGNORE INTO variant VALUES (?, ?, ?)"},
      {"statistic", "INSERT OR IGNORE INTO statistic VALUES (?, ?, ?, ?)"},
      {"pass", "INSERT OR IGNORE INTO pass VALUES (?, ?, ?, ?, ?, ?)"},
  };
  return statements;
}

std::string BetterWord(Capabilities::StatisticInfo::Better better) {
  switch (better) {
    case Capabilities::StatisticInfo::LOWER: return "lower";
    case Capabilities::StatisticInfo::HIGHER: return "higher";
    default: return "neither";
  }
}

SqlBlob BlobOf(const UnitDigest& unit) {
  return {{reinterpret_cast<const char*>(unit.data()), unit.size()}};
}

absl::Status LockError(const std::string& path) {
  if (errno == EWOULDBLOCK) {
    return absl::FailedPreconditionError(
        absl::StrCat(path,
                     ": another kiln precompile writes it; wait for its end, or give another "
                     "file with -o"));
  }
  return absl::PermissionDeniedError(absl::StrCat(path, ": ", strerror(errno)));
}

// Returns the first column of the statement's only row.
absl::StatusOr<int64_t> OnlyInt(SqlStatement* statement) {
  const absl::StatusOr<bool> row = statement->Next();
  if (!row.ok()) return row.status();
  if (!*row) return absl::NotFoundError("there is no row");
  const int64_t value = statement->Int(0);
  // A statement with RETURNING is done only when it says so.
  const absl::StatusOr<bool> end = statement->Next();
  if (!end.ok()) return end.status();
  return value;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ResultsDatabase>> ResultsDatabase::Open(const std::string& path,
                                                                       const std::string& vfs) {
  std::unique_ptr<ResultsDatabase> database(new ResultsDatabase);
  // Kept open until SQLite has closed the file: closing it would end SQLite's own locks.
  database->lock_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (database->lock_ < 0 || flock(database->lock_, LOCK_EX | LOCK_NB) != 0) {
    return LockError(path);
  }
  auto db = SqlDatabase::Open(path, SqlDatabase::Mode::kCreate, vfs);
  if (!db.ok()) return db.status();
  database->db_ = *std::move(db);
  if (absl::Status s = PrepareSchema(database->db_.get()); !s.ok()) return s;
  const auto mode = database->db_->TextOf("PRAGMA journal_mode = WAL");
  database->has_log_ = mode.ok() && *mode == "wal";
  if (!database->has_log_) {
    const auto journal = database->db_->TextOf("PRAGMA journal_mode = DELETE");
    if (!journal.ok()) return journal.status();
  }
  for (absl::Status s :
       {database->db_->Execute("PRAGMA synchronous = NORMAL"),
        database->db_->Execute("PRAGMA cache_size = -16384"), database->PrepareStatements()}) {
    if (!s.ok()) return s;
  }
  return database;
}

ResultsDatabase::~ResultsDatabase() {
  statements_.clear();
  db_.reset();
  if (lock_ >= 0) close(lock_);
}

absl::Status ResultsDatabase::PrepareStatements() {
  for (const auto& [name, sql] : Statements()) {
    absl::StatusOr<SqlStatement> statement = db_->Prepare(sql);
    if (!statement.ok()) return statement.status();
    statements_.emplace(name, *std::move(statement));
  }
  return absl::OkStatus();
}

absl::Status ResultsDatabase::SetTargets(const Capabilities& capabilities,
                                         const std::vector<std::string>& targets) {
  absl::Status s = db_->Execute(
      "CREATE TEMP TABLE IF NOT EXISTS wanted (target TEXT PRIMARY KEY, code_generation INTEGER); "
      "DELETE FROM wanted");
  if (!s.ok()) return s;
  auto wanted = db_->Prepare("INSERT INTO wanted VALUES (?, ?)");
  auto kind = db_->Prepare("INSERT OR REPLACE INTO statistic_kind VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  if (!wanted.ok()) return wanted.status();
  if (!kind.ok()) return kind.status();
  for (const auto& target : capabilities.targets()) {
    if (std::find(targets.begin(), targets.end(), target.name()) == targets.end()) continue;
    s.Update(wanted->Run(target.name(), int64_t{target.code_generation_version()}));
    int64_t number = 0;
    for (const auto& row : target.statistics()) {
      s.Update(kind->Run(target.name(), row.name(), number++, row.unit(), BetterWord(row.better()),
                         row.counts(), int64_t{row.estimated()}, int64_t{row.shape()}));
    }
  }
  return s;
}

absl::StatusOr<int64_t> ResultsDatabase::AddSource(const std::string& name, const std::string& kind,
                                                   const std::string& trouble) {
  auto insert = db_->Prepare(
      "INSERT INTO source (name, kind, trouble) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET "
      "kind = excluded.kind, trouble = excluded.trouble RETURNING id");
  if (!insert.ok()) return insert.status();
  insert->Start(name, kind, trouble);
  return OnlyInt(&*insert);
}

absl::StatusOr<std::set<std::string>> ResultsDatabase::Finished(int64_t source,
                                                                const std::string& options) {
  auto query = db_->Prepare(
      "SELECT p.name, (SELECT count(*) FROM stage WHERE stage.pipeline = p.id) AS stages "
      "FROM pipeline AS p WHERE p.source = ? AND p.options = ? AND stages > 0 AND "
      "stages * (SELECT count(*) FROM wanted) = (SELECT count(*) FROM outcome "
      "JOIN result ON result.id = outcome.result JOIN wanted ON wanted.target = outcome.target "
      "AND wanted.code_generation = result.code_generation "
      "WHERE outcome.pipeline = p.id AND result.final)");
  if (!query.ok()) return query.status();
  std::set<std::string> names;
  query->Start(source, options);
  for (;;) {
    const absl::StatusOr<bool> row = query->Next();
    if (!row.ok()) return row.status();
    if (!*row) return names;
    names.insert(query->Text(0));
  }
}

absl::StatusOr<std::map<std::string, StoredResults>> ResultsDatabase::Results() {
  auto query = db_->Prepare(
      "SELECT unit, target, id, status, reads FROM result JOIN wanted USING (target, "
      "code_generation) WHERE final");
  if (!query.ok()) return query.status();
  std::map<std::string, StoredResults> results;
  query->Start();
  for (;;) {
    const absl::StatusOr<bool> row = query->Next();
    if (!row.ok()) return row.status();
    if (!*row) return results;
    const std::string bytes = query->Text(0), status = query->Text(3);
    UnitDigest unit{};
    memcpy(unit.data(), bytes.data(), std::min(bytes.size(), unit.size()));
    StoredResult& stored = results[query->Text(1)][unit];
    stored.id = query->Int(2);
    stored.status = status == "ok"        ? TargetResult::OK
                    : status == "refused" ? TargetResult::REFUSED
                                          : TargetResult::INVALID;
    stored.reads = query->Text(4);
  }
}

absl::Status ResultsDatabase::Write(const PipelineRow& pipeline, const std::string& options,
                                    std::map<std::string, StoredResults>* known) {
  SqlStatement& insert = statements_.at("pipeline");
  insert.Start(pipeline.source, pipeline.name, pipeline.file, pipeline.kind, options);
  const absl::StatusOr<int64_t> id = OnlyInt(&insert);
  if (!id.ok()) return id.status();
  int64_t number = 0;
  for (const StageRow& stage : pipeline.stages) {
    if (absl::Status s = WriteStage(*id, number++, stage, known); !s.ok()) return s;
  }
  absl::Status s = statements_.at("cut_stages").Run(*id, number);
  s.Update(statements_.at("cut_outcomes").Run(*id, number));
  return s;
}

absl::Status ResultsDatabase::WriteStage(int64_t pipeline, int64_t number, const StageRow& stage,
                                         std::map<std::string, StoredResults>* known) {
  absl::Status s = statements_.at("stage").Run(pipeline, number, stage.stage, stage.entry,
                                               stage.module, stage.name, stage.defines, stage.spec,
                                               int64_t{stage.subgroup_size}, stage.state);
  for (const OutcomeRow& outcome : stage.outcomes) {
    const absl::StatusOr<int64_t> result = ResultOf(outcome, known);
    if (!result.ok()) return result.status();
    s.Update(statements_.at("outcome").Run(pipeline, number, outcome.target, *result));
  }
  return s;
}

absl::StatusOr<int64_t> ResultsDatabase::ResultOf(const OutcomeRow& outcome,
                                                  std::map<std::string, StoredResults>* known) {
  if (outcome.stored != 0) return outcome.stored;
  StoredResults& stored = (*known)[outcome.target];
  // Another stage that is the same unit may have been written since this one was compiled.
  if (const auto it = stored.find(outcome.unit); it != stored.end()) return it->second.id;
  const TargetResult& made = *outcome.result;
  const bool final = IsFinal(made);
  const auto& times = made.timings();
  const int64_t ns = times.translate_ns() + times.prepare_ns() + times.compile_ns();
  const int64_t code_generation = made.code_generation_version();
  SqlStatement& insert = statements_.at("result");
  insert.Start(BlobOf(outcome.unit), outcome.target, code_generation, int64_t{final},
               StatusWord(made.status()), made.cause(), made.message(), int64_t{made.spirv_id()},
               made.last_pass(), made.version(), made.loadable_by(), made.key(),
               absl::BytesToHexString(made.spirv_sha256()), outcome.reads, (ns + 500) / 1000);
  absl::StatusOr<int64_t> id = OnlyInt(&insert);
  if (absl::IsNotFound(id.status())) {
    SqlStatement& find = statements_.at("find_result");
    find.Start(BlobOf(outcome.unit), outcome.target, code_generation);
    return OnlyInt(&find);
  }
  if (!id.ok()) return id.status();
  if (final) stored[outcome.unit] = {*id, made.status(), outcome.reads};
  if (absl::Status s = WriteFigures(*id, made); !s.ok()) return s;
  return id;
}

absl::Status ResultsDatabase::WriteFigures(int64_t result, const TargetResult& made) {
  absl::Status s;
  if (made.status() != TargetResult::OK) {
    const kiln::v1::Reason reason = CompleteReason(made);
    s.Update(statements_.at("cause").Run(made.cause(), reason.sentence(), reason.remedy()));
  }
  for (const auto& variant : made.variants()) {
    s.Update(statements_.at("variant").Run(result, variant.name(), int64_t{variant.width()}));
    for (const NamedValue& figure : ReadStatistics(variant)) {
      s.Update(statements_.at("statistic").Run(result, variant.name(), figure.name, figure.value));
    }
  }
  for (const PassSum& sum : ReadPassSums(made.pass_sums())) {
    s.Update(statements_.at("pass").Run(result, sum.name, int64_t{sum.runs}, int64_t{sum.changed},
                                        sum.instructions_delta, sum.nanoseconds));
  }
  return s;
}

absl::Status ResultsDatabase::KeepOnly(int64_t source, const std::set<std::string>& names) {
  absl::Status s = db_->Execute(
      "CREATE TEMP TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY) WITHOUT ROWID; "
      "DELETE FROM kept");
  auto insert = db_->Prepare("INSERT INTO kept VALUES (?)");
  if (!insert.ok()) return insert.status();
  s.Update(Begin());
  for (const std::string& name : names) s.Update(insert->Run(name));
  for (const char* sql :
       {"DELETE FROM outcome WHERE pipeline IN (SELECT id FROM pipeline WHERE source = ? AND "
        "name NOT IN (SELECT name FROM kept))",
        "DELETE FROM stage WHERE pipeline IN (SELECT id FROM pipeline WHERE source = ? AND "
        "name NOT IN (SELECT name FROM kept))",
        "DELETE FROM pipeline WHERE source = ? AND name NOT IN (SELECT name FROM kept)"}) {
    auto remove = db_->Prepare(sql);
    if (!remove.ok()) return remove.status();
    s.Update(remove->Run(source));
  }
  s.Update(Commit());
  return s;
}

absl::Status ResultsDatabase::RemoveUnused() {
  absl::Status s = db_->Execute(
      "CREATE TEMP TABLE unused AS SELECT id FROM result WHERE id NOT IN (SELECT result FROM "
      "outcome) AND id NOT IN (SELECT previous FROM outcome WHERE previous IS NOT NULL)");
  const auto count = db_->IntOf("SELECT count(*) FROM unused");
  if (!count.ok()) return count.status();
  if (*count != 0) {
    s.Update(db_->Execute(
        "BEGIN IMMEDIATE; DELETE FROM variant WHERE result IN (SELECT id FROM unused); "
        "DELETE FROM statistic WHERE result IN (SELECT id FROM unused); "
        "DELETE FROM pass WHERE result IN (SELECT id FROM unused); "
        "DELETE FROM result WHERE id IN (SELECT id FROM unused); COMMIT"));
  }
  s.Update(db_->Execute("DROP TABLE unused"));
  return s;
}

absl::StatusOr<int64_t> ResultsDatabase::StartRun(const std::string& version,
                                                  const std::string& targets,
                                                  const std::string& shard) {
  auto insert = db_->Prepare(
      absl::StrCat("INSERT INTO run (started, outcome, version, targets, shard) VALUES (", kNow,
                   ", 'killed', ?, ?, ?)"));
  if (!insert.ok()) return insert.status();
  if (absl::Status s = insert->Run(version, targets, shard); !s.ok()) return s;
  return db_->last_row();
}

absl::Status ResultsDatabase::EndRun(int64_t run, const std::string& outcome,
                                     const RunCounts& counts) {
  auto update = db_->Prepare(
      absl::StrCat("UPDATE run SET finished = ", kNow,
                   ", outcome = ?, pipelines = ?, kept = ?, compiled = ?, cached = ?, shared = ? "
                   "WHERE id = ?"));
  if (!update.ok()) return update.status();
  return update->Run(outcome, counts.pipelines, counts.kept, counts.compiled, counts.cached,
                     counts.shared, run);
}

absl::Status ResultsDatabase::Finish() {
  if (!has_log_) return absl::OkStatus();
  // A reader may hold the log; then it stays until the next run, and the results are there anyway.
  const auto mode = db_->TextOf("PRAGMA journal_mode = DELETE");
  return mode.ok() || absl::IsPermissionDenied(mode.status()) ? absl::OkStatus() : mode.status();
}

}  // namespace kiln::client
