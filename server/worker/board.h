// The board: memory that a worker shares with its parent.
//
// A worker may be killed between any two instructions, and its parent must still know which pass
// ran and count the passes that ended. Writing each event to a socket would cost two system calls
// and a wake-up per pass (a compile has hundreds); a store into shared memory costs nothing and
// survives the writer. The same page carries the cancel flag in the other direction; the core polls
// it directly.
//
// One writer (the worker), one reader (the parent). Counters stored with release order after the
// data publish it. The parent treats everything as hostile, since a worker that ran hostile input
// may write anything: indices are clamped, strings copied with their bounds, numbers clamped, and
// text made printable ASCII (\xHH).
#ifndef KILN_SERVER_WORKER_BOARD_H_
#define KILN_SERVER_WORKER_BOARD_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/sink.h"

namespace kiln::worker {

// One finished run of a pass, as the parent reads it.
struct PassEvent {
  std::string pass;
  std::string level;
  int target = -1;  // index into the job's targets; -1: work done once for all of them
  bool changed = false;
  int64_t nanoseconds = 0;
  int64_t instructions_before = 0;
  int64_t instructions_after = 0;
};

class Board {
 public:
  static constexpr uint32_t kMaxPasses = 2048;

  // Creates the parent's side: anonymous memory of its own.
  static absl::StatusOr<std::unique_ptr<Board>> Create();
  // Creates the worker's side: maps the memory that the parent passed on; `fd` may be closed
  // afterwards.
  static absl::StatusOr<std::unique_ptr<Board>> Attach(int fd);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  int fd() const { return fd_; }

  // The parent's functions. Reset is called before a job is sent.
  void Reset();
  void Cancel();
  std::string CurrentPass() const;
  int CurrentTarget() const;
  std::vector<PassEvent> Passes() const;
  // Number of pass records that did not fit.
  uint32_t LostPasses() const;
  // The worker's last words: the text of a failed assertion.
  std::string Note() const;
  bool OutOfMemory() const;

  // The worker's side.
  const std::atomic<bool>* cancelled() const;
  void BeginPass(std::string_view pass, int target);
  void EndPass(const PassRecord& record, int target);
  // Async-signal-safe.
  void SetNote(std::string_view text);
  void SetOutOfMemory();

 private:
  struct Memory;
  Board(int fd, Memory* memory) : fd_(fd), memory_(memory) {}

  int fd_;  // -1 in the worker
  Memory* memory_;
};

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_BOARD_H_
