// The parent's side of one worker process: starts it, stops it, and describes how it ended.
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
  // From sending a job to the worker's having read it whole; after that the job goes to another
  // worker (sooner, if it is the first worker of the job and does not take it up at all:
  // PoolOptions::ping_timeout).
  absl::Duration begin_time = absl::Seconds(10);
  int niceness = 0;  // how far it ranks after other processes; 0: as the parent
  // The user that workers of root become; 0: they stay root.
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
  // Returns the path to pass to exec.
  std::string ExecPath() const;
  const std::string& path() const { return path_; }

 private:
  Executable(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  int fd_;
  std::string path_;
};

// All values of Exit::reason.
inline constexpr const char* kExitReasons[] = {
    "recycle", "segv",   "abort",  "oom",          "timeout",    "cancelled", "seccomp",
    "killed",  "exited", "signal", "unresponsive", "distrusted", "preempted"};

// All causes of death of a job, except signals that have no meaning here.
struct DeathCause {
  kiln::v1::TargetResult::Status status;
  const char* cause;
};
inline constexpr DeathCause kDeathCauses[] = {
    {kiln::v1::TargetResult::CRASHED, "stack_overflow"},
    {kiln::v1::TargetResult::CRASHED, "segmentation_fault"},
    {kiln::v1::TargetResult::CRASHED, "abort"},
    {kiln::v1::TargetResult::CRASHED, "assertion"},
    {kiln::v1::TargetResult::CRASHED, "forbidden_system_call"},
    {kiln::v1::TargetResult::CRASHED, "worker_exited"},
    {kiln::v1::TargetResult::CRASHED, "worker_protocol"},
    {kiln::v1::TargetResult::CRASHED, "worker_unresponsive"},
    {kiln::v1::TargetResult::CRASHED, "no_worker"},
    {kiln::v1::TargetResult::TIMED_OUT, "cpu_time_limit"},
    {kiln::v1::TargetResult::TIMED_OUT, "wall_time_limit"},
    {kiln::v1::TargetResult::MEMORY_LIMIT, "killed_by_system"},
    {kiln::v1::TargetResult::MEMORY_LIMIT, "memory_limit"},
};

// Describes how a worker left.
struct Exit {
  std::string reason;  // of kExitReasons
  kiln::v1::TargetResult::Status status = kiln::v1::TargetResult::CRASHED;
  std::string cause;    // snake_case
  std::string message;  // for people
  // True if its job may have caused the end: it was killed from outside neither by the kernel for
  // lack of memory nor by a person.
  bool blames_job = true;
};

// Describes an end by waitpid's status and what the worker left on the board.
Exit DescribeExit(int wait_status, const Board& board);
// Describes a worker that was stopped after `limit` of wall-clock time, in which it had `worked` of
// processor time. If that is less than half, the machine was starved or the worker stopped, and the
// job is not to blame.
Exit DescribeTimeout(absl::Duration limit, absl::Duration worked);

// The memory that a process holds, as the kernel counts it: the process cannot falsify that. Not
// ru_maxrss, which begins with the peak of the process that spawned it and survives exec.
class ResidentMemory {
 public:
  // To be called while the process is young: a worker makes itself undumpable, after which /proc
  // may hide it from its own user (mount option hidepid). Never returns null.
  static std::shared_ptr<const ResidentMemory> Of(pid_t pid);
  ~ResidentMemory();
  ResidentMemory(const ResidentMemory&) = delete;
  ResidentMemory& operator=(const ResidentMemory&) = delete;

  // Returns 0 if the process is gone, or there is no /proc.
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
  // The process has been reaped, and used this much.
  void End(absl::Duration used);

 private:
  mutable absl::Mutex mutex_;
  clockid_t clock_ = 0;
  bool running_ ABSL_GUARDED_BY(mutex_);
  mutable absl::Duration used_ ABSL_GUARDED_BY(mutex_);  // as last seen
};

class Process {
 public:
  // Spawns and returns; the worker is ready only after its Hello.
  static absl::StatusOr<std::unique_ptr<Process>> Start(const Executable& executable,
                                                        const WorkerLimits& limits,
                                                        const Board& board);
  // Kills and reaps the process if it still runs.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int fd() const { return fd_; }
  pid_t pid() const { return pid_; }
  // For readers in other threads, which may keep it beyond the process.
  std::shared_ptr<const ResidentMemory> memory() const { return memory_; }

  std::shared_ptr<const CpuTime> cpu_time() const { return cpu_time_; }

  // Returns true if this process may send it signals: for another user's that needs a privilege.
  bool IsMine() const;

  // Waits for the Hello; for at most `stopped_timeout` if the process is stopped then.
  absl::StatusOr<Hello> AwaitHello(absl::Duration timeout, absl::Duration stopped_timeout);
  // Returns true if a signal (SIGSTOP) has stopped it: the kernel tells that apart from mere
  // slowness.
  bool IsStopped() const;

  // Closes the socket, on which an idle worker leaves; kills it if it does not. Reaps.
  void Retire();
  // Sends SIGKILL, if it still runs, and reaps. Returns the wait status; -1 if it was reaped
  // before.
  int KillAndReap();
  // Reaps a worker whose socket has closed, after giving it a moment to end by itself. *gone, if
  // not null: it did.
  int Reap(bool* gone = nullptr);

 private:
  Process(pid_t pid, int fd)
      : pid_(pid),
        fd_(fd),
        memory_(ResidentMemory::Of(pid)),
        cpu_time_(std::make_shared<CpuTime>(pid)) {}
  // Calls waitpid, and records what the process used.
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
