// Starts and ends one worker process: see process.h.
#include "server/worker/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/worker/frame.h"
#include "server/worker/stack.h"
#include "server/worker/uptime.h"
#include "server/worker/worker_main.h"

namespace kiln::worker {
namespace {

using kiln::v1::TargetResult;

// Moves a descriptor above the numbers that the child gives its own, so that one dup2 cannot
// replace another.
int MoveUp(int fd) {
  int up = fcntl(fd, F_DUPFD_CLOEXEC, 10);
  close(fd);
  return up;
}

std::vector<std::string> Arguments(const WorkerLimits& limits) {
  std::vector<std::string> args = {
      "kiln_worker",
      absl::StrCat("--address-space-bytes=", limits.address_space_bytes),
      absl::StrCat("--cpu-milliseconds=",
                   std::max<int64_t>(1, absl::ToInt64Milliseconds(limits.cpu_time))),
  };
  if (limits.uid != 0) {
    args.push_back(absl::StrCat("--uid=", limits.uid));
    args.push_back(absl::StrCat("--gid=", limits.gid));
  }
  if (limits.niceness != 0) args.push_back(absl::StrCat("--niceness=", limits.niceness));
  if (!limits.seccomp) args.push_back("--no-seccomp");
  if (limits.fault_injection) args.push_back("--enable-fault-injection");
  return args;
}

absl::StatusOr<pid_t> Spawn(const std::string& path, const std::vector<std::string>& args,
                            int socket, int board) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, socket, kSocketFd);
  posix_spawn_file_actions_adddup2(&actions, board, kBoardFd);

  // Resets the signals that the daemon blocks or handles. Gives the worker a process group of its
  // own: Ctrl-C at a terminal reaches the daemon only, which then lets its workers finish.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);

  std::vector<char*> argv;
  for (const std::string& a : args) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  static char locale[] = "LC_ALL=C";
  char* environment[] = {locale, nullptr};
  pid_t pid = -1;
  int error = posix_spawn(&pid, path.c_str(), &actions, &attributes, argv.data(), environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return absl::UnavailableError(absl::StrCat("cannot start a worker: ", strerror(error)));
  }
  return pid;
}

Exit Named(std::string reason, TargetResult::Status status, std::string cause,
           std::string message) {
  return Exit{std::move(reason), status, std::move(cause), std::move(message)};
}

Exit DescribeSignal(int signal, const Board& board) {
  switch (signal) {
    case SIGSEGV:
      if (board.Note() == kStackOverflowNote) {
        return Named("segv", TargetResult::CRASHED, "stack_overflow",
                     "the compiler recursed until its stack overflowed");
      }
      [[fallthrough]];
    case SIGBUS:
      return Named("segv", TargetResult::CRASHED, "segmentation_fault",
                   "the compiler accessed memory outside its address space");
    case SIGABRT: {
      std::string note = board.Note();
      return Named("abort", TargetResult::CRASHED, note.empty() ? "abort" : "assertion",
                   note.empty() ? "the compiler aborted" : note);
    }
    case SIGSYS:
      return Named("seccomp", TargetResult::CRASHED, "forbidden_system_call",
                   "the compiler made a system call that its sandbox forbids");
    case SIGXCPU:
      return Named("timeout", TargetResult::TIMED_OUT, "cpu_time_limit",
                   "the job exceeded its CPU time limit");
    case SIGKILL:
      // Not sent by us (the pool knows its own kills): on Linux that is the out-of-memory killer.
      return Named("killed", TargetResult::MEMORY_LIMIT, "killed_by_system",
                   "the worker was killed by the system, probably for lack of memory");
    default:
      return Named("signal", TargetResult::CRASHED, absl::StrCat("signal_", signal),
                   absl::StrCat("the compiler was killed by signal ", signal));
  }
}

// Returns true for signals that no program error raises in itself.
bool IsFromOutside(int signal) {
  return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP ||
         signal == SIGQUIT;
}

}  // namespace

absl::StatusOr<Executable> Executable::Open(const std::string& path) {
  int fd = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) {
    return absl::NotFoundError(absl::StrCat("worker executable ", path, ": ", strerror(errno)));
  }
  fd = MoveUp(fd);
  if (fd < 0) return absl::UnavailableError("no file descriptor is left for the worker executable");
  return Executable(fd, path);
}

Executable::~Executable() {
  if (fd_ >= 0) close(fd_);
}

std::string Executable::ExecPath() const {
  std::string by_fd = absl::StrCat("/proc/self/fd/", fd_);
  return access(by_fd.c_str(), X_OK) == 0 ? by_fd : path_;
}

Exit DescribeExit(int wait_status, const Board& board) {
  if (WIFSIGNALED(wait_status)) {
    Exit exit = DescribeSignal(WTERMSIG(wait_status), board);
    exit.blames_job = !IsFromOutside(WTERMSIG(wait_status));
    return exit;
  }
  int code = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
  if (code == kExitOutOfMemory || board.OutOfMemory()) {
    return Named("oom", TargetResult::MEMORY_LIMIT, "memory_limit",
                 "the job exceeded its memory limit");
  }
  return Named("exited", TargetResult::CRASHED, "worker_exited",
               absl::StrCat("the worker exited with code ", code, " during a job"));
}

Exit DescribeTimeout(absl::Duration limit, absl::Duration worked) {
  Exit exit =
      Named("timeout", TargetResult::TIMED_OUT, "wall_time_limit",
            absl::StrCat(
                "the job exceeded its time limit of ", absl::FormatDuration(limit), ", with ",
                absl::FormatDuration(absl::Trunc(worked, absl::Milliseconds(1))), " of CPU time"));
  exit.blames_job = worked >= limit / 2;
  return exit;
}

absl::StatusOr<std::unique_ptr<Process>> Process::Start(const Executable& executable,
                                                        const WorkerLimits& limits,
                                                        const Board& board) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    return absl::UnavailableError(absl::StrCat("socketpair: ", strerror(errno)));
  }
  int mine = pair[0];
  int theirs = MoveUp(pair[1]);
  int board_fd = fcntl(board.fd(), F_DUPFD_CLOEXEC, 10);
  absl::StatusOr<pid_t> pid = absl::UnavailableError("no file descriptor is left for a worker");
  if (theirs >= 0 && board_fd >= 0) {
    pid = Spawn(executable.ExecPath(), Arguments(limits), theirs, board_fd);
  }
  if (theirs >= 0) close(theirs);
  if (board_fd >= 0) close(board_fd);
  if (!pid.ok()) {
    close(mine);
    return pid.status();
  }
  return std::unique_ptr<Process>(new Process(*pid, mine));
}

Process::~Process() {
  KillAndReap();
  Close();
}

void Process::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

bool Process::IsStopped() const {
  siginfo_t info = {};
  const auto id = static_cast<id_t>(pid_);
  return waitid(P_PID, id, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid_;
}

absl::StatusOr<Hello> Process::AwaitHello(absl::Duration timeout, absl::Duration stopped_timeout) {
  constexpr absl::Duration kLook = absl::Milliseconds(100);
  const absl::Duration begun = Uptime(), end = begun + timeout;
  FrameReader reader;
  for (;;) {
    Hello hello;
    bool taken = false;
    if (reader.Take(&hello, &taken) != absl::StatusCode::kOk) {
      return absl::UnavailableError("the worker's first message cannot be parsed");
    }
    if (taken) return hello;
    const absl::Duration now = Uptime();
    if (now >= end) return absl::UnavailableError("a worker did not become ready in time");
    if (now >= begun + stopped_timeout && IsStopped()) {
      return absl::UnavailableError("a worker was stopped while it started");
    }
    pollfd p = {fd_, POLLIN, 0};
    if (poll(&p, 1, static_cast<int>(absl::ToInt64Milliseconds(kLook))) <= 0) continue;
    if (!reader.Fill(fd_).ok()) {
      return absl::UnavailableError("a worker died while it started");
    }
  }
}

bool Process::IsMine() const { return kill(pid_, 0) == 0; }

std::shared_ptr<const ResidentMemory> ResidentMemory::Of(pid_t pid) {
  const int fd = open(absl::StrCat("/proc/", pid, "/statm").c_str(), O_RDONLY | O_CLOEXEC);
  return std::shared_ptr<const ResidentMemory>(new ResidentMemory(fd));
}

ResidentMemory::~ResidentMemory() {
  if (fd_ >= 0) close(fd_);
}

int64_t ResidentMemory::Bytes() const {
  char text[128];
  const ssize_t n = fd_ < 0 ? -1 : pread(fd_, text, sizeof text - 1, 0);
  if (n <= 0) return 0;
  text[n] = 0;
  long total = 0, resident = 0;  // in pages
  if (sscanf(text, "%ld %ld", &total, &resident) != 2) return 0;
  return int64_t{resident} * sysconf(_SC_PAGESIZE);
}

CpuTime::CpuTime(pid_t pid) { running_ = clock_getcpuclockid(pid, &clock_) == 0; }

absl::Duration CpuTime::Used() const {
  absl::MutexLock lock(&mutex_);
  timespec used;
  if (running_ && clock_gettime(clock_, &used) == 0) {
    used_ = std::max(used_, absl::DurationFromTimespec(used));
  }
  return used_;
}

void CpuTime::End(absl::Duration used) {
  absl::MutexLock lock(&mutex_);
  running_ = false;
  used_ = std::max(used_, used);
}

pid_t Process::Wait(int* status, int options) {
  rusage usage = {};
  const pid_t reaped = wait4(pid_, status, options, &usage);
  if (reaped == pid_) {
    cpu_time_->End(absl::DurationFromTimeval(usage.ru_utime) +
                   absl::DurationFromTimeval(usage.ru_stime));
  }
  return reaped;
}

bool Process::WaitFor(absl::Duration timeout, int* status) {
  const absl::Duration end = Uptime() + timeout;
  absl::Duration nap = absl::Microseconds(50);
  for (;;) {
    pid_t r = Wait(status, WNOHANG);
    if (r == pid_) return true;
    if (r < 0 && errno != EINTR) return true;
    if (Uptime() >= end) return false;
    absl::SleepFor(nap);
    nap = std::min(nap * 2, absl::Milliseconds(5));
  }
}

int Process::Reap(bool* gone) {
  if (pid_ <= 0) return -1;
  int status = 0;
  const bool ended = WaitFor(absl::Seconds(1), &status);
  if (gone != nullptr) *gone = ended;
  if (!ended) return KillAndReap();
  pid_ = -1;
  return status;
}

int Process::KillAndReap() {
  if (pid_ <= 0) return -1;
  kill(pid_, SIGKILL);
  int status = 0;
  while (Wait(&status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status;
}

void Process::Retire() {
  Close();
  Reap();
}

}  // namespace kiln::worker
