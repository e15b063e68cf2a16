// Ways out of the sandbox: see escapes.h.
//
// Each makes the system call itself if the C library has no function for it or does more than that.
// None does harm on the machine that runs the tests if it works: signal 0 is no signal, opened
// files are closed with the process, and calls that would alter the system have arguments that are
// wrong in a way which the kernel checks after the caller's privileges.
#include "server/worker/testing/escapes.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace kiln::worker {
namespace {

// Returns the call's result, -1 with errno if it was refused.
using Attempt = long (*)(long number);

long MapExecutable(long) {
  void* p =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? -1 : 0;
}

void* Writable() {
  return mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

long MakeExecutable(long) { return mprotect(Writable(), 4096, PROT_READ | PROT_EXEC); }

long MakeExecutableByKey(long) {
  return syscall(SYS_pkey_mprotect, Writable(), 4096, PROT_READ | PROT_EXEC, -1);
}

long MapMuch(long) {
  void* p =
      mmap(nullptr, size_t{1} << 40, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? -1 : 0;
}

long Execute(long) {
  char* none[] = {nullptr};
  return execve("/bin/true", none, none);
}

long StartThread(long) {
  pthread_t thread;
  errno = pthread_create(
      &thread, nullptr, [](void*) -> void* { return nullptr; }, nullptr);
  return errno == 0 ? 0 : -1;
}

long Connect(long port) {
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  return fd < 0 ? -1 : connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to);
}

long SetUpRing(long) {
  char parameters[256] = {};
  return syscall(SYS_io_uring_setup, 8, parameters);
}

long ReadOther(long process) {
  char byte = 0;
  iovec here = {&byte, 1}, there = {&byte, 1};
  return syscall(SYS_process_vm_readv, process, &here, 1, &there, 1, 0);
}

long RaiseLimit(long) {
  rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
  return setrlimit(RLIMIT_CORE, &all);
}

long ReadLimitOfOther(long process) {
  rlimit limit;
  return syscall(SYS_prlimit64, process, RLIMIT_CPU, nullptr, &limit);
}

long Load32BitCall(long) {
#if defined(__x86_64__)
  long answer = 20;  // getpid of the 32-bit interface
  asm volatile("int $0x80" : "+a"(answer) : : "memory", "r8", "r9", "r10", "r11");
  return answer;
#else
  return syscall(SYS_getppid);
#endif
}

// Success if only the arguments are wrong: then the privileges sufficed.
long UnlessWrong(long result) { return result < 0 && errno == EINVAL ? 0 : result; }

long SetHostName(long) { return UnlessWrong(syscall(SYS_sethostname, "", -1)); }

// A mount cannot be both.
long Mount(long) {
  return UnlessWrong(mount(nullptr, "/", nullptr, MS_PRIVATE | MS_SHARED, nullptr));
}

// Success if the call was really made.
long UnlessNoSocket(long result) { return result < 0 && errno == ENOTSOCK ? 0 : result; }

long LockFutex(long) {
  static uint32_t word = 0;
  return syscall(SYS_futex, &word, FUTEX_LOCK_PI, 0, nullptr, nullptr, 0);
}

struct Named {
  EscapeName name;
  Attempt attempt;
};

const Named kEscapes[] = {
    {{"open_to_read", true}, [](long) -> long { return open("/etc/passwd", O_RDONLY); }},
    {{"open_to_write", true}, [](long) -> long { return open("/tmp", O_TMPFILE | O_RDWR, 0600); }},
    {{"open_own_memory", true}, [](long) -> long { return open("/proc/self/mem", O_RDWR); }},
    {{"open_dev_shm", true},
     [](long) -> long { return open("/dev/shm", O_TMPFILE | O_RDWR, 0600); }},
    {{"write_elsewhere", true}, [](long) -> long { return write(1, "x", 1); }},
    {{"read_elsewhere", false},
     [](long) -> long {
       char byte;
       return read(0, &byte, 1);
     }},
    {{"send_elsewhere", false}, [](long) -> long { return UnlessNoSocket(send(0, "x", 1, 0)); }},
    {{"receive", false},
     [](long) -> long {
       char byte;
       return UnlessNoSocket(recv(0, &byte, 1, MSG_DONTWAIT));
     }},
    {{"close", true}, [](long) -> long { return close(0); }},
    {{"futex_priorities", false}, LockFutex},
    {{"own_other_thread", false},
     [](long n) -> long {
       return syscall(SYS_tgkill, getpid(), n, SIGABRT) < 0 && errno != ESRCH ? -1 : 0;
     }},
    {{"end_as_if_from_outside", false},
     [](long) -> long { return syscall(SYS_tgkill, getpid(), getpid(), SIGTERM); }},
    {{"creat", false}, [](long) -> long { return syscall(SYS_creat, "/dev/null", 0600); }},
    {{"openat2", false},
     [](long) -> long {
       uint64_t how[3] = {};
       return syscall(SYS_openat2, AT_FDCWD, "/etc/passwd", how, sizeof how);
     }},
    {{"memfd", false}, [](long) -> long { return memfd_create("escape", 0); }},
    {{"dup", false}, [](long) -> long { return dup(0); }},
    {{"socket", false}, [](long) -> long { return socket(AF_INET, SOCK_STREAM, 0); }},
    {{"unix_socket", false}, [](long) -> long { return socket(AF_UNIX, SOCK_STREAM, 0); }},
    {{"connect", false}, Connect},
    {{"execve", false}, Execute},
    {{"fork", false}, [](long) -> long { return syscall(SYS_fork); }},
    {{"clone", false}, [](long) -> long { return fork(); }},
    {{"thread", false}, StartThread},
    {{"ptrace", false}, [](long n) -> long { return ptrace(PTRACE_ATTACH, n, nullptr, nullptr); }},
    {{"process_vm_readv", false}, ReadOther},
    {{"executable_mmap", false}, MapExecutable},
    {{"executable_mprotect", false}, MakeExecutable},
    {{"pkey_mprotect", false}, MakeExecutableByKey},
    {{"personality", false}, [](long) -> long { return personality(READ_IMPLIES_EXEC); }},
    {{"io_uring", false}, SetUpRing},
    {{"kill", false}, [](long n) -> long { return kill(static_cast<pid_t>(n), 0); }},
    {{"tgkill", false}, [](long n) -> long { return syscall(SYS_tgkill, n, n, 0); }},
    {{"pidfd", false}, [](long n) -> long { return syscall(SYS_pidfd_open, n, 0); }},
    {{"shmget", false}, [](long n) -> long { return shmget(static_cast<key_t>(n), 1, 0); }},
    {{"raise_limit", false}, RaiseLimit},
    {{"limit_of_other", false}, ReadLimitOfOther},
    {{"unshare", false}, [](long) -> long { return unshare(CLONE_NEWNS); }},
    {{"mount", false}, Mount},
    {{"chroot", false}, [](long) -> long { return chroot("/"); }},
    {{"set_host_name", false}, SetHostName},
    {{"setuid", false}, [](long) -> long { return setuid(0); }},
    {{"setresuid", false}, [](long) -> long { return setresuid(0, 0, 0); }},
    {{"setresgid", false}, [](long) -> long { return setresgid(0, 0, 0); }},
    {{"setgroups", false}, [](long) -> long { return setgroups(0, nullptr); }},
    {{"bpf", false}, [](long) -> long { return syscall(SYS_bpf, 0, nullptr, 0); }},
    {{"perf", false},
     [](long) -> long { return syscall(SYS_perf_event_open, nullptr, 0, 0, 0, 0); }},
    {{"userfaultfd", false}, [](long) -> long { return syscall(SYS_userfaultfd, 0); }},
    {{"keyring", false}, [](long) -> long { return syscall(SYS_keyctl, 0, -3, 1); }},
    {{"other_interface", false}, Load32BitCall},
    {{"map_much", true}, MapMuch},
};

}  // namespace

std::string Escape(std::string_view name, int64_t number) {
  for (const Named& escape : kEscapes) {
    if (name != escape.name.name) continue;
    errno = 0;
    return escape.attempt(number) >= 0 ? "escaped" : std::string("refused: ") + strerror(errno);
  }
  return "no such attempt";
}

std::vector<EscapeName> Escapes() {
  std::vector<EscapeName> names;
  for (const Named& escape : kEscapes) names.push_back(escape.name);
  return names;
}

}  // namespace kiln::worker
