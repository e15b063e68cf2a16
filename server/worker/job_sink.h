// The core's event sink inside a worker.
//
// Every pass goes to the board (for a parent that may have to bury this process) and into the lists
// from which results are made. Where a job asks for a fault, it happens here, at the beginning of
// the pass named; only test builds have what happens then (testing/faults.h).
#ifndef KILN_SERVER_WORKER_JOB_SINK_H_
#define KILN_SERVER_WORKER_JOB_SINK_H_

#include <string_view>

#include "core/base/sink.h"
#include "proto/compile.pb.h"
#include "proto/worker.pb.h"
#include "server/worker/board.h"

namespace kiln::worker {

// Taking a job off the socket, from its length to its last byte: on the board only, since nobody
// but the parent decides how long it takes. The job is not begun yet.
inline constexpr char kReadJobStep[] = "read_job";
// Making a message of it, as the worker records it.
inline constexpr char kReadRequestStep[] = "read_request";

// Makes a fault happen; returns where the job is to go on.
using FaultInjector = void (*)(const Fault& fault, Board* board);

class JobSink : public kiln::Sink {
 public:
  // `board` outlives the sink. `began`: ThreadNanoseconds() when the job's bytes were there.
  // `inject`: null where there are no faults.
  JobSink(Board* board, const Fault& fault, int64_t began, FaultInjector inject = nullptr)
      : board_(board), fault_(fault), began_(began), inject_(inject) {}

  void OnPassBegin(std::string_view pass) override;
  void OnPass(const kiln::PassRecord& record) override;
  void OnRemark(const kiln::Remark& remark) override;

  int64_t began() const { return began_; }

  // Passes from now on belong to the job's target with this index; -1: to all of them.
  void SetTarget(int index);
  // Adds what was recorded for all targets and for the current one to `result`.
  void AddTo(kiln::v1alpha::TargetResult* result) const;

  const std::atomic<bool>* cancelled() const { return board_->cancelled(); }
  // Does what is still due at the end of a job: a fault whose pass never came.
  void Finish();

 private:
  void Inject();

  Board* board_;
  Fault fault_;
  int64_t began_;
  FaultInjector inject_;  // null: nothing is due any more
  int target_ = -1;
  kiln::v1alpha::TargetResult shared_;   // passes and remarks with target_ == -1
  kiln::v1alpha::TargetResult current_;  // of the current target
};

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_JOB_SINK_H_
