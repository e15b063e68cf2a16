// The parent's side of one worker process: start it, stop it, say how it ended.
//
// Spawned anew (posix_spawn), never forked from the grown daemon. The executable is opened once and
// started through its descriptor, so that a package upgrade under a running daemon cannot mix
// versions. The worker inherits a socket, the board and nothing else; its environment is empty.
// PR_SET_PDEATHSIG is tied to the thread that spawns: that thread must live as long as the worker.
#ifndef KILN_SERVER_WORKER_PROCESS_H_
#define KILN_SERVER_WORKER_PROCESS_H_

#include <sys/types.h>
#include <time.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "proto/worker.pb.h"
#include "server/worker/board.h"

namespace kiln::worker {

struct WorkerLimits {
  uint64_t address_space_bytes = uint64_t{2} << 30;
  absl::Duration cpu_time = absl::Seconds(60);   // per job; to a millisecond, at least one
  absl::Duration wall_time = absl::Seconds(60);  // per job
  // From sending a job to its being read whole; then it goes to another worker (of the first worker
  // that does not take it up at all, sooner: PoolOptions::ping_timeout).
  absl::Duration begin_time = absl::Seconds(10);
  int niceness = 0;  // how far others go before it; 0: as the parent
  // Who workers of root become; 0: they stay root.
  uint32_t uid = 0;
  uint32_t gid = 0;
  bool seccomp = true;
  bool fault_injection = false;
};

// An opened executable.
class Executable {
 public:
  static absl::StatusOr<Executable> Open(const std::string& path);
  Executable(Executable&& other) noexcept : fd_(other.fd_), path_(std::move(other.path_)) {
    other.fd_ = -1;
  }
  Executable& operator=(Executable&&) = delete;
  ~Executable();
  // What to give to exec.
  std::string ExecPath() const;
  const std::string& path() const { return path_; }

 private:
  Executable(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  int fd_;
  std::string path_;
};

// All that Exit::reason may be.
inline constexpr const char* kExitReasons[] = {
    "recycle", "segv",   "abort",  "oom",          "timeout",    "cancelled", "seccomp",
    "killed",  "exited", "signal", "unresponsive", "distrusted", "preempted"};

// All causes by which a job is not survived, but for signals that have no meaning here.
struct DeathCause {
  kiln::v1alpha::TargetResult::Status status;
  const char* cause;
};
inline constexpr DeathCause kDeathCauses[] = {
    {kiln::v1alpha::TargetResult::CRASHED, "stack_overflow"},
    {kiln::v1alpha::TargetResult::CRASHED, "segmentation_fault"},
    {kiln::v1alpha::TargetResult::CRASHED, "abort"},
    {kiln::v1alpha::TargetResult::CRASHED, "assertion"},
    {kiln::v1alpha::TargetResult::CRASHED, "forbidden_system_call"},
    {kiln::v1alpha::TargetResult::CRASHED, "worker_exited"},
    {kiln::v1alpha::TargetResult::CRASHED, "worker_protocol"},
    {kiln::v1alpha::TargetResult::CRASHED, "worker_unresponsive"},
    {kiln::v1alpha::TargetResult::CRASHED, "no_worker"},
    {kiln::v1alpha::TargetResult::TIMED_OUT, "cpu_time_limit"},
    {kiln::v1alpha::TargetResult::TIMED_OUT, "wall_time_limit"},
    {kiln::v1alpha::TargetResult::MEMORY_LIMIT, "killed_by_system"},
    {kiln::v1alpha::TargetResult::MEMORY_LIMIT, "memory_limit"},
};

// How a worker left.
struct Exit {
  std::string reason;  // of kExitReasons
  kiln::v1alpha::TargetResult::Status status = kiln::v1alpha::TargetResult::CRASHED;
  std::string cause;    // snake_case
  std::string message;  // for people
  // What it worked on has its part in that: nobody killed it from outside, neither the kernel for
  // want of memory nor a person.
  bool blames_job = true;
};

// From waitpid's status and what the worker left on the board.
Exit DescribeExit(int wait_status, const Board& board);
// A worker that was stopped after `limit` of wall-clock time, of which it had `worked` as processor
// time. Less than half: the machine was starved, or the worker stopped, and the job is not to
// blame.
Exit DescribeTimeout(absl::Duration limit, absl::Duration worked);

// What a process holds of memory, as the kernel counts it: nothing that the process says or does to
// itself alters that. Not ru_maxrss, which begins with the peak of whoever spawned it and survives
// exec.
class ResidentMemory {
 public:
  // Opened while the process is young: a worker makes itself undumpable, after which /proc may hide
  // it from its own user (mount option hidepid). Never null.
  static std::shared_ptr<const ResidentMemory> Of(pid_t pid);
  ~ResidentMemory();
  ResidentMemory(const ResidentMemory&) = delete;
  ResidentMemory& operator=(const ResidentMemory&) = delete;

  // 0: the process is gone, or there is no /proc.
  int64_t Bytes() const;

 private:
  explicit ResidentMemory(int fd) : fd_(fd) {}
  int fd_;
};

// The processor time of a process, also after its end. Thread-safe; never goes back.
class CpuTime {
 public:
  explicit CpuTime(pid_t pid);
  absl::Duration Used() const;
  // It has been reaped, and this is what it used.
  void End(absl::Duration used);

 private:
  mutable absl::Mutex mutex_;
  clockid_t clock_ = 0;
  bool running_ ABSL_GUARDED_BY(mutex_);
  mutable absl::Duration used_ ABSL_GUARDED_BY(mutex_);  // as last seen
};

class Process {
 public:
  // Spawns and returns; the worker is not ready before its Hello.
  static absl::StatusOr<std::unique_ptr<Process>> Start(const Executable& executable,
                                                        const WorkerLimits& limits,
                                                        const Board& board);
  // Kills and reaps what still runs.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int fd() const { return fd_; }
  pid_t pid() const { return pid_; }
  // For readers in other threads, who may keep it beyond the process.
  std::shared_ptr<const ResidentMemory> memory() const { return memory_; }

  std::shared_ptr<const CpuTime> cpu_time() const { return cpu_time_; }

  // It can be ended: a user other than its own needs a privilege for that.
  bool IsMine() const;

  // Waits for the Hello; for no more than `stopped_timeout` where the process is stopped then.
  absl::StatusOr<Hello> AwaitHello(absl::Duration timeout, absl::Duration stopped_timeout);
  // A signal (SIGSTOP) holds it up: the kernel says so, unlike of one that is merely slow.
  bool IsStopped() const;

  // Closes the socket, upon which an idle worker leaves; kills it if it does not. Reaps.
  void Retire();
  // SIGKILL, if it still runs, and reaps. The wait status; -1 if it was reaped before.
  int KillAndReap();
  // Reaps a worker whose socket has closed: gives it a moment to be gone by itself. `gone`, if not
  // null: whether it was.
  int Reap(bool* gone = nullptr);

 private:
  Process(pid_t pid, int fd)
      : pid_(pid),
        fd_(fd),
        memory_(ResidentMemory::Of(pid)),
        cpu_time_(std::make_shared<CpuTime>(pid)) {}
  // waitpid, which notes what the process used.
  pid_t Wait(int* status, int options);
  // Polls for the exit until `timeout`.
  bool WaitFor(absl::Duration timeout, int* status);
  void Close();

  pid_t pid_;
  int fd_;
  std::shared_ptr<const ResidentMemory> memory_;
  std::shared_ptr<CpuTime> cpu_time_;
};

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_PROCESS_H_
