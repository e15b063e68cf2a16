// The database of results that `kiln precompile` writes (schema.h).
//
// One process at a time writes it. Rows written between Begin and Commit are there as a whole or
// not at all, also if the process is killed: SQLite's write-ahead log, or its rollback journal on a
// file system where that fails. A pipeline is written with all its stages at once.
#ifndef KILN_CLIENT_DATABASE_RESULTS_DATABASE_H_
#define KILN_CLIENT_DATABASE_RESULTS_DATABASE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/database/result_rows.h"
#include "client/database/sql.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

// Counts of a run, in the order of table `run`.
struct RunCounts {
  int64_t pipelines = 0;  // of the inputs, in this shard
  int64_t kept = 0;       // of those: finished by an earlier run
  int64_t compiled = 0;   // results, each of a stage for a target: by the compiler, for this run
  int64_t cached = 0;     // from the daemon's cache
  int64_t shared = 0;     // of another stage that is the same unit
};

class ResultsDatabase {
 public:
  // Opens or makes it. `vfs`: as SqlDatabase's. Errors are SqlDatabase's and PrepareSchema's, and
  // FailedPrecondition: another process writes it.
  static absl::StatusOr<std::unique_ptr<ResultsDatabase>> Open(const std::string& path,
                                                               const std::string& vfs = "");
  ~ResultsDatabase();

  // Returns false if the file system allows no write-ahead log.
  bool has_log() const { return has_log_; }

  // Takes the targets of a run, which decide what is missing: their code generation, and figures.
  absl::Status SetTargets(const kiln::v1::Capabilities& capabilities,
                          const std::vector<std::string>& targets);

  // Returns the id of a source, whose name is unique.
  absl::StatusOr<int64_t> AddSource(const std::string& name, const std::string& kind,
                                    const std::string& trouble);
  // Returns the names of the source's pipelines of which no stage lacks a final result of the
  // targets' code generation, and which were compiled with these options.
  absl::StatusOr<std::set<std::string>> Finished(int64_t source, const std::string& options);
  // Returns the final results of the targets' code generation, by target.
  absl::StatusOr<std::map<std::string, StoredResults>> Results();

  absl::Status Begin() { return db_->Execute("BEGIN IMMEDIATE"); }
  absl::Status Commit() { return db_->Execute("COMMIT"); }
  // Writes a pipeline in place of an earlier one of its name. Stored results get into `known`.
  absl::Status Write(const PipelineRow& pipeline, const std::string& options,
                     std::map<std::string, StoredResults>* known);

  // Removes the source's pipelines that are not among `names`, and results that no stage has.
  absl::Status KeepOnly(int64_t source, const std::set<std::string>& names);
  absl::Status RemoveUnused();

  // Returns the id of a new row of table `run`.
  absl::StatusOr<int64_t> StartRun(const std::string& version, const std::string& targets,
                                   const std::string& shard);
  absl::Status EndRun(int64_t run, const std::string& outcome, const RunCounts& counts);

  // Puts all into the one file, so that it can be copied and read anywhere.
  absl::Status Finish();

  SqlDatabase* sql() { return db_.get(); }

 private:
  ResultsDatabase() = default;
  absl::Status PrepareStatements();
  absl::Status WriteStage(int64_t pipeline, int64_t number, const StageRow& stage,
                          std::map<std::string, StoredResults>* known);
  // Returns the id of the outcome's result.
  absl::StatusOr<int64_t> ResultOf(const OutcomeRow& outcome,
                                   std::map<std::string, StoredResults>* known);
  absl::Status WriteFigures(int64_t result, const kiln::v1::TargetResult& made);

  int lock_ = -1;
  bool has_log_ = true;
  std::unique_ptr<SqlDatabase> db_;
  std::map<std::string, SqlStatement> statements_;
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_DATABASE_RESULTS_DATABASE_H_
