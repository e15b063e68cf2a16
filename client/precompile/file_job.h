// Compiles a file of a folder, list or manifest for the results database.
#ifndef KILN_CLIENT_PRECOMPILE_FILE_JOB_H_
#define KILN_CLIENT_PRECOMPILE_FILE_JOB_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "client/batch/batch_items.h"
#include "client/database/result_rows.h"
#include "client/precompile/stage_compiler.h"
#include "client/request/request_options.h"

namespace kiln::client {

// Returns the item as a pipeline of one stage. `source`: of files, in the database. Errors: those
// of StageCompiler; a file that cannot be read is a result.
absl::StatusOr<PipelineRow> CompileFileItem(const BatchItem& item, const CompileSettings& common,
                                            int64_t source, StageCompiler* compiler);

// Returns the row of a stage of the item, without outcomes: what `request` and the settings in
// force say of it.
StageRow DescribedStage(const BatchItem& item, const CompileSettings& settings,
                        const kiln::v1::CompileRequest& request);

// Returns the item's name in the database, unique among the items of a run.
const std::string& NameInDatabase(const BatchItem& item);

}  // namespace kiln::client

#endif  // KILN_CLIENT_PRECOMPILE_FILE_JOB_H_
