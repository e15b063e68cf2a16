// Compiles a pipeline of a capture: a row for each stage, with a result or a cause for each target.
//
// The fragment stage comes first: the vertex stage writes only what it reads, as it does in a
// pipeline. Where it is not compiled, or another stage reads the vertex stage's outputs, the vertex
// stage writes all of them.
#ifndef KILN_CLIENT_PRECOMPILE_CAPTURE_JOB_H_
#define KILN_CLIENT_PRECOMPILE_CAPTURE_JOB_H_

#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "client/capture/capture.h"
#include "client/capture/pipeline.h"
#include "client/database/result_rows.h"
#include "client/precompile/stage_compiler.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

class CaptureJob {
 public:
  // `source`: the capture's id in the database, `name` its name; `common`: the request without
  // what a capture says.
  CaptureJob(std::unique_ptr<Capture> capture, int64_t source, std::string name,
             kiln::v1::CompileRequest common, StageCompiler* compiler)
      : capture_(std::move(capture)),
        source_(source),
        name_(std::move(name)),
        common_(std::move(common)),
        compiler_(compiler) {}

  const Capture& capture() const { return *capture_; }
  int64_t source() const { return source_; }

  // May be called from several threads. Errors: those of StageCompiler.
  absl::StatusOr<PipelineRow> Compile(const PipelineId& id);

 private:
  absl::Status CompileStage(const CapturedPipeline& pipeline, size_t number,
                            const std::string& label, const StageRow* reader, StageRow* row);
  // Compiles a request with the stage's module, or says why there is none.
  absl::Status CompileModule(const CapturedStage& stage, const std::string& label,
                             const kiln::v1::CompileRequest& request, StageRow* row);
  // Reads the module and remembers its digest.
  absl::StatusOr<std::string> ReadModule(uint64_t hash);
  bool FindDigest(uint64_t hash, std::string* digest);

  const std::unique_ptr<Capture> capture_;
  const int64_t source_;
  const std::string name_;
  const kiln::v1::CompileRequest common_;
  StageCompiler* const compiler_;
  absl::Mutex mutex_;
  // SHA-256 of modules that were read, by their hash in the capture.
  std::unordered_map<uint64_t, std::string> digests_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_PRECOMPILE_CAPTURE_JOB_H_
