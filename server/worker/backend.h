// The compiler as the worker's loop sees it, behind an interface.
//
// Two implementations: core_backend (glslang and core) and testing/fake_backend, a double with
// predictable results, with which the service is tested without the compiler.
#ifndef KILN_SERVER_WORKER_BACKEND_H_
#define KILN_SERVER_WORKER_BACKEND_H_

#include <functional>

#include "kiln/v1/compile.pb.h"
#include "proto/worker.pb.h"
#include "server/worker/job_sink.h"

namespace kiln::worker {

class Backend {
 public:
  virtual ~Backend() = default;

  // Returns targets, passes, stages and versions. Also loads all that needs files: called before
  // the sandbox closes.
  virtual void Describe(Hello* hello) = 0;

  virtual void Translate(const TranslateJob& job, JobSink* sink, Translation* result) = 0;

  // Calls `done` once for each target, in order, as it is finished. Results have status, cause,
  // message and outputs; the caller fills in target, passes and remarks.
  using Done = std::function<void(int target_index, kiln::v1::TargetResult result)>;
  virtual void Compile(const CompileJob& job, JobSink* sink, const Done& done) = 0;
};

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_BACKEND_H_
