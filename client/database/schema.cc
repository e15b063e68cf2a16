// The tables and views of a database of results: see schema.h.
#include "client/database/schema.h"

#include "absl/strings/str_cat.h"

namespace kiln::client {
namespace {

constexpr char kTables[] = R"sql(
CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  started TEXT NOT NULL,
  finished TEXT,
  outcome TEXT NOT NULL,
  version TEXT NOT NULL,
  targets TEXT NOT NULL,
  shard TEXT NOT NULL,
  pipelines INTEGER NOT NULL DEFAULT 0,
  kept INTEGER NOT NULL DEFAULT 0,
  compiled INTEGER NOT NULL DEFAULT 0,
  cached INTEGER NOT NULL DEFAULT 0,
  shared INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE source (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  trouble TEXT NOT NULL
);
CREATE TABLE pipeline (
  id INTEGER PRIMARY KEY,
  source INTEGER NOT NULL REFERENCES source,
  name TEXT NOT NULL,
  file TEXT NOT NULL,
  kind TEXT NOT NULL,
  options TEXT NOT NULL,
  UNIQUE (source, name)
);
CREATE TABLE stage (
  pipeline INTEGER NOT NULL REFERENCES pipeline,
  number INTEGER NOT NULL,
  stage TEXT NOT NULL,
  entry TEXT NOT NULL,
  module TEXT NOT NULL,
  name TEXT NOT NULL,
  defines TEXT NOT NULL,
  spec TEXT NOT NULL,
  subgroup_size INTEGER NOT NULL,
  state TEXT NOT NULL,
  PRIMARY KEY (pipeline, number)
) WITHOUT ROWID;
CREATE TABLE result (
  id INTEGER PRIMARY KEY,
  unit BLOB NOT NULL,
  target TEXT NOT NULL,
  code_generation INTEGER NOT NULL,
  final INTEGER NOT NULL,
  status TEXT NOT NULL,
  cause TEXT NOT NULL,
  message TEXT NOT NULL,
  spirv_id INTEGER NOT NULL,
  last_pass TEXT NOT NULL,
  version TEXT NOT NULL,
  loadable_by TEXT NOT NULL,
  key TEXT NOT NULL,
  spirv_sha256 TEXT NOT NULL,
  reads TEXT NOT NULL,
  compile_us INTEGER NOT NULL,
  UNIQUE (unit, target, code_generation)
);
CREATE TABLE outcome (
  pipeline INTEGER NOT NULL,
  number INTEGER NOT NULL,
  target TEXT NOT NULL,
  result INTEGER NOT NULL REFERENCES result,
  previous INTEGER REFERENCES result,
  PRIMARY KEY (pipeline, number, target)
) WITHOUT ROWID;
CREATE INDEX outcome_by_result ON outcome (result);
CREATE TABLE cause (
  cause TEXT PRIMARY KEY,
  sentence TEXT NOT NULL,
  remedy TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE statistic_kind (
  target TEXT NOT NULL,
  name TEXT NOT NULL,
  number INTEGER NOT NULL,
  unit TEXT NOT NULL,
  better TEXT NOT NULL,
  counts TEXT NOT NULL,
  estimated INTEGER NOT NULL,
  shape INTEGER NOT NULL,
  PRIMARY KEY (target, name)
) WITHOUT ROWID;
CREATE TABLE variant (
  result INTEGER NOT NULL REFERENCES result,
  variant TEXT NOT NULL,
  width INTEGER NOT NULL,
  PRIMARY KEY (result, variant)
) WITHOUT ROWID;
CREATE TABLE statistic (
  result INTEGER NOT NULL REFERENCES result,
  variant TEXT NOT NULL,
  name TEXT NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (result, variant, name)
) WITHOUT ROWID;
CREATE TABLE pass (
  result INTEGER NOT NULL REFERENCES result,
  pass TEXT NOT NULL,
  runs INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  instructions_delta INTEGER NOT NULL,
  ns INTEGER NOT NULL,
  PRIMARY KEY (result, pass)
) WITHOUT ROWID;
)sql";

constexpr char kViews[] = R"sql(
CREATE VIEW stage_result AS
  SELECT source.name AS source, pipeline.name AS pipeline, pipeline.kind AS kind,
         pipeline.file AS file, stage.number AS number, stage.stage AS stage,
         stage.entry AS entry, stage.module AS module, stage.name AS name,
         stage.defines AS defines, stage.spec AS spec,
         stage.subgroup_size AS subgroup_size, stage.state AS state,
         outcome.target AS target, result.status AS status, result.cause AS cause,
         result.message AS message, result.id AS result, outcome.previous AS previous,
         result.compile_us AS compile_us, result.version AS version,
         result.code_generation AS code_generation
    FROM outcome
    JOIN result ON result.id = outcome.result
    JOIN stage USING (pipeline, number)
    JOIN pipeline ON pipeline.id = outcome.pipeline
    JOIN source ON source.id = pipeline.source;
CREATE VIEW stage_statistic AS
  SELECT stage_result.*, statistic.variant AS variant, statistic.name AS statistic,
         statistic.value AS value
    FROM stage_result JOIN statistic ON statistic.result = stage_result.result;
CREATE VIEW spilling AS
  SELECT source, pipeline, stage, entry, module, target, variant, value AS spills
    FROM stage_statistic WHERE statistic = 'spills' AND value > 0
   ORDER BY value DESC, source, pipeline, number, target, variant;
CREATE VIEW worst_by_cycles AS
  SELECT source, pipeline, stage, entry, module, target, variant, value AS cycles
    FROM stage_statistic WHERE statistic = 'cycles'
   ORDER BY value DESC, source, pipeline, number, target, variant;
CREATE VIEW refused_by_cause AS
  SELECT target, status, stage_result.cause AS cause, count(*) AS stages,
         count(DISTINCT source || '/' || pipeline) AS pipelines,
         count(DISTINCT nullif(module, '')) AS modules, sentence, remedy
    FROM stage_result LEFT JOIN cause ON cause.cause = stage_result.cause
   WHERE status <> 'ok'
   GROUP BY target, status, stage_result.cause
   ORDER BY stages DESC, target, status, stage_result.cause;
CREATE VIEW changed_status AS
  SELECT stage_result.source, pipeline, stage, entry, module, stage_result.target AS target,
         before.status AS before, before.cause AS cause_before,
         stage_result.status AS after, stage_result.cause AS cause_after
    FROM stage_result JOIN result AS before ON before.id = stage_result.previous
   WHERE before.status <> stage_result.status OR before.cause <> stage_result.cause;
CREATE VIEW changed AS
  SELECT source, pipeline, stage, entry, module, target, after.variant AS variant,
         after.name AS statistic, before.value AS before, after.value AS after
    FROM stage_result
    JOIN statistic AS after ON after.result = stage_result.result
    JOIN statistic AS before ON before.result = stage_result.previous
         AND before.variant = after.variant AND before.name = after.name
   WHERE before.value <> after.value
   ORDER BY source, pipeline, number, target, after.variant, after.name;
)sql";

absl::Status NotOurs(const SqlDatabase& db) {
  return absl::InvalidArgumentError(
      absl::StrCat(db.path(), ": is a database, but not one of results of `kiln precompile`"));
}

}  // namespace

absl::Status CheckSchema(SqlDatabase* db) {
  const auto id = db->IntOf("PRAGMA application_id");
  if (!id.ok()) return id.status();
  if (*id != kDatabaseId) return NotOurs(*db);
  const auto version = db->IntOf("PRAGMA user_version");
  if (!version.ok()) return version.status();
  if (*version <= kSchemaVersion) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(db->path(), ": is of version ", *version,
                                                 " of the schema; this kiln knows ",
                                                 kSchemaVersion));
}

absl::Status PrepareSchema(SqlDatabase* db) {
  const auto tables = db->IntOf("SELECT count(*) FROM sqlite_master");
  if (!tables.ok()) return tables.status();
  if (*tables != 0) return CheckSchema(db);
  return db->Execute(absl::StrCat("BEGIN IMMEDIATE;", kTables, kViews,
                                  "PRAGMA application_id = ", kDatabaseId,
                                  "; PRAGMA user_version = ", kSchemaVersion, "; COMMIT;"));
}

}  // namespace kiln::client
