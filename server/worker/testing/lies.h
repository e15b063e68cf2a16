// A compiler that lies on demand, like a worker that a shader took over.
#ifndef KILN_SERVER_WORKER_TESTING_LIES_H_
#define KILN_SERVER_WORKER_TESTING_LIES_H_

#include "server/worker/backend.h"

namespace kiln::worker {

// The job at hand is answered with wrong machine code, or another module; with `on`, so are all
// later jobs.
void BeginLying(bool on);

// Wraps another backend and falsifies its answers when told to.
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
