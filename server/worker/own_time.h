// Accounts for a worker's time around the compile itself: reading a job from the socket, sending
// results, freeing memory.
//
// The parent reads the board when the last result has come. Time spent after that, or on sending
// that result, is reported with the next job (and so is the reading, for uniformity), so a worker's
// last job never reports its own. These rows go to the board only, for metrics: the records in a
// result cover its compile.
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

  // Returns the time since the last call of one of these functions; the caller accounts for it.
  int64_t Lap() {
    const int64_t before = mark_;
    mark_ = ThreadNanoseconds();
    return mark_ - before;
  }
  void Sent() { spent_[kSend] += Lap(); }
  // A frame from the socket is done. A ping is no job, and has no rows.
  void Ended() {
    const int64_t spent = Lap();
    if (spent_[kSend] > 0) spent_[kRelease] += spent;
  }
  // Adds the time for reading from the socket the job that has just begun.
  void Received(int64_t nanoseconds) { spent_[kReceive] += nanoseconds; }
  // ThreadNanoseconds() at the last call.
  int64_t mark() const { return mark_; }

  // Writes the times spent to the board, and starts again from zero.
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
