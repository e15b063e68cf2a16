// What a worker's time around the compile itself goes to: a job taken off the socket, results sent,
// memory given back.
//
// The parent reads the board when the last result has come. What is spent after that, or on sending
// that result, is told with the next job (and so is the taking off, for one rule): of each worker
// the last job's is never told. These rows go to the board only, for metrics: the records in a
// result are of its compile.
#ifndef KILN_SERVER_WORKER_OWN_TIME_H_
#define KILN_SERVER_WORKER_OWN_TIME_H_

#include <array>
#include <cstdint>

#include "core/base/step.h"
#include "server/worker/board.h"

namespace kiln::worker {

class OwnTime {
 public:
  static constexpr std::array<const char*, 3> kNames = {"receive_request", "send_result",
                                                        "release_job"};

  // Time since the last call of one of these. Lap gives it to the caller, to whom it belongs.
  int64_t Lap() {
    const int64_t before = mark_;
    mark_ = ThreadNanoseconds();
    return mark_ - before;
  }
  void Sent() { spent_[kSend] += Lap(); }
  // What came off the socket is done with. A ping is no job, and has no rows.
  void Ended() {
    const int64_t spent = Lap();
    if (spent_[kSend] > 0) spent_[kRelease] += spent;
  }
  // Taking the job off the socket that has just begun.
  void Received(int64_t nanoseconds) { spent_[kReceive] += nanoseconds; }
  // ThreadNanoseconds() at that call.
  int64_t mark() const { return mark_; }

  // Writes what has been spent, and begins anew.
  void Tell(Board* board) {
    for (size_t i = 0; i < kNames.size(); ++i) {
      if (spent_[i] == 0) continue;
      PassRecord record;
      record.pass = kNames[i];
      record.level = "out";
      record.nanoseconds = spent_[i];
      board->EndPass(record, -1);
      spent_[i] = 0;
    }
  }

 private:
  enum Step { kReceive, kSend, kRelease };
  int64_t mark_ = ThreadNanoseconds();
  std::array<int64_t, kNames.size()> spent_{};
};

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_OWN_TIME_H_
