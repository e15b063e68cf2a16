// The core's event sink inside a worker.
//
// Writes every pass to the board (for a parent that may have to report this process's death) and
// into the lists from which results are made. A fault that a job asks for happens here, at the
// beginning of the pass named; only test builds have the code for faults (testing/faults.h).
#ifndef KILN_SERVER_WORKER_JOB_SINK_H_
#define KILN_SERVER_WORKER_JOB_SINK_H_

#include <string_view>

#include "core/base/sink.h"
#include "kiln/v1/compile.pb.h"
#include "proto/worker.pb.h"
#include "server/worker/board.h"

namespace kiln::worker {

// The step of reading a job from the socket, from its length to its last byte. On the board only,
// since the parent decides how fast the bytes come. The job has not begun yet.
inline constexpr char kReadJobStep[] = "read_job";
// The step of parsing the job, as the worker records it.
inline constexpr char kReadRequestStep[] = "read_request";

// Makes a fault happen; returns only if the job is to go on.
using FaultInjector = void (*)(const Fault& fault, Board* board);

class JobSink : public kiln::Sink {
 public:
  // `board` outlives the sink. `began`: ThreadNanoseconds() when the job's bytes had arrived.
  // `inject`: null in builds without faults.
  JobSink(Board* board, const Fault& fault, int64_t began, FaultInjector inject = nullptr)
      : board_(board), fault_(fault), began_(began), inject_(inject) {}

  void OnPassBegin(std::string_view pass) override;
  void OnPass(const kiln::PassRecord& record) override;
  void OnRemark(const kiln::Remark& remark) override;

  int64_t began() const { return began_; }

  // Passes from now on belong to the job's target with this index; -1: to all of them.
  void SetTarget(int index);
  // Adds the records of all targets and of the current one to `result`.
  void AddTo(kiln::v1::TargetResult* result) const;

  const std::atomic<bool>* cancelled() const { return board_->cancelled(); }
  // Ends a job: makes a fault happen whose pass never came.
  void Finish();

 private:
  void Inject();

  Board* board_;
  Fault fault_;
  int64_t began_;
  FaultInjector inject_;  // null: no fault is due any more
  int target_ = -1;
  kiln::v1::TargetResult shared_;   // passes and remarks with target_ == -1
  kiln::v1::TargetResult current_;  // of the current target
};

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_JOB_SINK_H_
