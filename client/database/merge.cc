// Puts databases of results together: see merge.h.
#include "client/database/merge.h"

#include "client/database/schema.h"
#include "client/database/sql.h"

namespace kiln::client {
namespace {

// Rows are found again by what is unique in them; temporary tables have their ids in both. A result
// that is final replaces one that is not.
constexpr char kMerge[] = R"sql(
BEGIN IMMEDIATE;
INSERT INTO run (started, finished, outcome, version, targets, shard, pipelines, kept, compiled,
                 cached, shared)
  SELECT started, finished, outcome, version, targets, shard, pipelines, kept, compiled, cached,
         shared FROM part.run ORDER BY id;
INSERT INTO source (name, kind, trouble) SELECT name, kind, trouble FROM part.source WHERE true
  ORDER BY id ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, trouble = excluded.trouble;
INSERT OR IGNORE INTO cause SELECT * FROM part.cause;
INSERT OR REPLACE INTO statistic_kind SELECT * FROM part.statistic_kind;
INSERT INTO result (unit, target, code_generation, final, status, cause, message, spirv_id,
                    last_pass, version, loadable_by, key, spirv_sha256, reads, compile_us)
  SELECT unit, target, code_generation, final, status, cause, message, spirv_id, last_pass, version,
         loadable_by, key, spirv_sha256, reads, compile_us FROM part.result WHERE true ORDER BY id
  ON CONFLICT (unit, target, code_generation) DO UPDATE SET final = excluded.final,
    status = excluded.status, cause = excluded.cause, message = excluded.message,
    spirv_id = excluded.spirv_id, last_pass = excluded.last_pass, version = excluded.version,
    loadable_by = excluded.loadable_by, key = excluded.key, spirv_sha256 = excluded.spirv_sha256,
    reads = excluded.reads, compile_us = excluded.compile_us WHERE NOT final;
CREATE TEMP TABLE result_ids AS
  SELECT theirs.id AS part, ours.id AS id FROM part.result AS theirs
    JOIN main.result AS ours USING (unit, target, code_generation);
CREATE UNIQUE INDEX temp.result_of_part ON result_ids (part);
INSERT INTO pipeline (source, name, file, kind, options)
  SELECT ours.id, p.name, p.file, p.kind, p.options FROM part.pipeline AS p
    JOIN part.source AS theirs ON theirs.id = p.source
    JOIN main.source AS ours ON ours.name = theirs.name WHERE true ORDER BY p.id
  ON CONFLICT (source, name) DO UPDATE SET file = excluded.file, kind = excluded.kind,
    options = excluded.options;
CREATE TEMP TABLE pipeline_ids AS
  SELECT p.id AS part, own.id AS id FROM part.pipeline AS p
    JOIN part.source AS theirs ON theirs.id = p.source
    JOIN main.source AS ours ON ours.name = theirs.name
    JOIN main.pipeline AS own ON own.source = ours.id AND own.name = p.name;
CREATE UNIQUE INDEX temp.pipeline_of_part ON pipeline_ids (part);
DELETE FROM main.stage WHERE pipeline IN (SELECT id FROM pipeline_ids);
DELETE FROM main.outcome WHERE pipeline IN (SELECT id FROM pipeline_ids);
INSERT INTO stage
  SELECT ids.id, number, stage, entry, module, name, defines, spec, subgroup_size, state
    FROM part.stage AS s JOIN pipeline_ids AS ids ON ids.part = s.pipeline;
INSERT INTO outcome
  SELECT ids.id, number, target, own.id, old.id FROM part.outcome AS o
    JOIN pipeline_ids AS ids ON ids.part = o.pipeline
    JOIN result_ids AS own ON own.part = o.result
    LEFT JOIN result_ids AS old ON old.part = o.previous;
INSERT OR IGNORE INTO variant
  SELECT ids.id, variant, width FROM part.variant AS v JOIN result_ids AS ids ON ids.part = v.result;
INSERT OR IGNORE INTO statistic
  SELECT ids.id, variant, name, value FROM part.statistic AS s
    JOIN result_ids AS ids ON ids.part = s.result;
INSERT OR IGNORE INTO pass
  SELECT ids.id, pass, runs, changed, instructions_delta, ns FROM part.pass AS p
    JOIN result_ids AS ids ON ids.part = p.result;
DROP TABLE result_ids;
DROP TABLE pipeline_ids;
COMMIT;
)sql";

}  // namespace

absl::Status MergeInto(ResultsDatabase* into, const std::string& path) {
  {
    auto part = SqlDatabase::Open(path, SqlDatabase::Mode::kRead);
    if (!part.ok()) return part.status();
    if (absl::Status s = CheckSchema(part->get()); !s.ok()) return s;
  }
  auto attach = into->sql()->Prepare("ATTACH ? AS part");
  if (!attach.ok()) return attach.status();
  if (absl::Status s = attach->Run(path); !s.ok()) return s;
  absl::Status merged = into->sql()->Execute(kMerge);
  if (!merged.ok()) into->sql()->Execute("ROLLBACK").IgnoreError();
  merged.Update(into->sql()->Execute("DETACH part"));
  return merged;
}

}  // namespace kiln::client
