// Compiles a pair of files, a vertex and a fragment shader, for the results database.
#ifndef KILN_CLIENT_PRECOMPILE_PAIR_JOB_H_
#define KILN_CLIENT_PRECOMPILE_PAIR_JOB_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "client/batch/batch_items.h"
#include "client/database/result_rows.h"
#include "client/precompile/stage_compiler.h"
#include "client/request/request_options.h"

namespace kiln::client {

// Returns the item, which has a fragment shader, as a pipeline of two stages, compiled as `kiln
// batch` compiles it. Each stage is a unit of what both are compiled from: the vertex shader
// depends on what the fragment shader reads, and whether the two match is a result of the fragment
// shader. `source`: of files, in the database. Errors: those of CompilePairOfBatch and
// StageCompiler; a file that cannot be read is a result of both.
absl::StatusOr<PipelineRow> CompilePairItem(const BatchItem& item, const CompileSettings& common,
                                            int64_t source, StageCompiler* compiler);

}  // namespace kiln::client

#endif  // KILN_CLIENT_PRECOMPILE_PAIR_JOB_H_
