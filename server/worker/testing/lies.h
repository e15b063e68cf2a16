// A compiler that lies at will: what a worker answers that a shader took over.
#ifndef KILN_SERVER_WORKER_TESTING_LIES_H_
#define KILN_SERVER_WORKER_TESTING_LIES_H_

#include "server/worker/backend.h"

namespace kiln::worker {

// The job at hand is answered with other machine code than its own, or as another module; with
// `on`, all jobs after it are too.
void BeginLying(bool on);

// Makes of another's answers lies, where it is asked to.
class LyingBackend : public Backend {
 public:
  explicit LyingBackend(Backend* honest) : honest_(honest) {}
  void Describe(Hello* hello) override { honest_->Describe(hello); }
  void Translate(const TranslateJob& job, JobSink* sink, Translation* result) override;
  void Compile(const CompileJob& job, JobSink* sink, const Done& done) override;

 private:
  Backend* honest_;
};

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_TESTING_LIES_H_
