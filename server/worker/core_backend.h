// The compiler behind the worker's interface: glslang through core/front, and core/driver.
#ifndef KILN_SERVER_WORKER_CORE_BACKEND_H_
#define KILN_SERVER_WORKER_CORE_BACKEND_H_

#include "server/worker/backend.h"

namespace kiln::worker {

class CoreBackend : public Backend {
 public:
  void Describe(Hello* hello) override;
  void Translate(const TranslateJob& job, JobSink* sink, Translation* result) override;
  void Compile(const CompileJob& job, JobSink* sink, const Done& done) override;
};

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_CORE_BACKEND_H_
