// Tests the sandbox from inside: hostile code in a worker tries every known way out.
//
// First with all layers; then without the filter of system calls, which refuses most attempts by
// itself, so that the other layers are seen to hold what they claim (Hello.Sandbox). A layer that
// the kernel or a container does not allow is not claimed and not tested.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/ipc.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/synchronization/notification.h"
#include "core/base/testing/await.h"
#include "server/worker/pool.h"
#include "server/worker/testing/escapes.h"
#include "server/worker/testing/fake_backend.h"

namespace kiln::worker {
namespace {

using kiln::v1::TargetResult;

PoolOptions Options() {
  PoolOptions options;
  options.executable = "server/worker/testing/fake_worker";
  options.workers = 1;
  options.limits.fault_injection = true;
  return options;
}

class SandboxTest : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitisers do not fit into the sandbox";
#endif
  }
  void Start(bool seccomp) {
    PoolOptions options = Options();
    options.limits.seccomp = seccomp;
    auto pool = Pool::Start(std::move(options));
    ASSERT_TRUE(pool.ok()) << pool.status();
    pool_ = *std::move(pool);
  }
  JobOutcome Try(const char* attempt, int64_t number) {
    Job job;
    job.mutable_compile()->set_spirv(FakeModule(1));
    job.mutable_compile()->add_targets("tgl");
    job.mutable_fault()->set_kind(Fault::ESCAPE);
    job.mutable_fault()->set_attempt(attempt);
    job.mutable_fault()->set_number(number);
    absl::Notification done;
    JobOutcome outcome;
    auto handle = pool_->Submit(std::move(job), [&](JobOutcome o) {
      outcome = std::move(o);
      done.Notify();
    });
    EXPECT_TRUE(handle.ok()) << handle.status();
    EXPECT_TRUE(done.WaitForNotificationWithTimeout(absl::Seconds(60)));
    return outcome;
  }
  void ExpectRefused(const char* attempt, int64_t number = 0) {
    JobOutcome outcome = Try(attempt, number);
    EXPECT_EQ(outcome.message.substr(0, 9), "refused: ")
        << attempt << ": " << outcome.cause << ": " << outcome.message;
  }
  const Hello::Sandbox& level() const { return pool_->hello().sandbox(); }

  std::unique_ptr<Pool> pool_;
};

TEST_F(SandboxTest, NoWayOut) {
  Start(true);
  ASSERT_TRUE(level().seccomp());
  int killed = 0;
  for (const EscapeName& way : Escapes()) {
    JobOutcome outcome = Try(way.name, getpid());
    if (way.answered) {
      EXPECT_EQ(outcome.message.substr(0, 9), "refused: ") << way.name << ": " << outcome.message;
      continue;
    }
    ++killed;
    // A kernel without the 32-bit interface answers its calls with a fault.
    const bool fault =
        outcome.cause == "segmentation_fault" && std::string(way.name) == "other_interface";
    EXPECT_TRUE(outcome.cause == "forbidden_system_call" || fault)
        << way.name << ": " << outcome.cause << ": " << outcome.message;
  }
  EXPECT_GT(killed, 30);
}

// A process of the same user that signals may reach, like another worker.
class Bystander {
 public:
  Bystander() : pid_(fork()) {
    if (pid_ == 0) {
      for (;;) pause();
    }
  }
  ~Bystander() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  const pid_t pid_;
};

TEST_F(SandboxTest, OfOtherProcessesNothingIsReached) {
  Start(false);
  Bystander bystander;
  if (level().landlock() >= 6) {
    ExpectRefused("kill", bystander.pid());
    ExpectRefused("tgkill", bystander.pid());
  }
  if (level().landlock() >= 1 || level().user_namespace()) {
    ExpectRefused("ptrace", bystander.pid());
    ExpectRefused("process_vm_readv", bystander.pid());
  }
}

TEST_F(SandboxTest, OfFilesNothingIsReached) {
  Start(false);
  if (!level().mount_namespace() && level().landlock() == 0) GTEST_SKIP() << "neither is allowed";
  for (const char* way : {"open_to_read", "open_to_write", "open_own_memory", "open_dev_shm",
                          "creat", "openat2", "execve"}) {
    ExpectRefused(way);
  }
}

TEST_F(SandboxTest, OfTheNetworkNothingIsReached) {
  Start(false);
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at = {};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
  ASSERT_EQ(listen(listener, 8), 0);
  socklen_t size = sizeof at;
  ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&at), &size), 0);
  if (level().network_namespace() || level().landlock() >= 4) {
    ExpectRefused("connect", ntohs(at.sin_port));
  }
  close(listener);
}

TEST_F(SandboxTest, OfSharedMemoryNothingIsReached) {
  Start(false);
  const key_t key = static_cast<key_t>(getpid() ^ 0x6b696c6e);
  const int segment = shmget(key, 4096, IPC_CREAT | 0666);
  ASSERT_GE(segment, 0);
  if (level().ipc_namespace()) ExpectRefused("shmget", key);
  shmctl(segment, IPC_RMID, nullptr);
}

TEST_F(SandboxTest, NothingIsLeftOfRoot) {
  Start(false);
  EXPECT_TRUE(level().no_new_privileges());
  EXPECT_TRUE(level().parent_death_signal());
  ASSERT_TRUE(level().capabilities_dropped());
  for (const char* way : {"raise_limit", "mount", "chroot", "set_host_name", "map_much"}) {
    ExpectRefused(way);
  }
}

// Returns the value of a line "Name:\tvalue" in the kernel's status of a process.
std::string StatusLine(pid_t pid, const std::string& name) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":\t")) return line.substr(name.size() + 2);
  }
  return "?";
}

// Returns the only live process that this one has started.
pid_t OnlyWorker() {
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream children(thread.path() / "children");
    if (pid_t pid = 0; children >> pid) return pid;
  }
  return 0;
}

class OtherUserTest : public SandboxTest {
 protected:
  static constexpr uint32_t kUser = 65529;
  void SetUp() override {
    SandboxTest::SetUp();
    if (geteuid() != 0) GTEST_SKIP() << "only root has workers of another user";
  }
  void StartAs(uint32_t user, bool seccomp) {
    PoolOptions options = Options();
    options.limits.uid = options.limits.gid = user;
    options.limits.seccomp = seccomp;
    options.ping_after = absl::ZeroDuration();
    auto pool = Pool::Start(std::move(options));
    ASSERT_TRUE(pool.ok()) << pool.status();
    pool_ = *std::move(pool);
  }
  JobOutcome Do(Fault::Kind fault, uint32_t milliseconds) {
    Job job;
    job.mutable_compile()->set_spirv(FakeModule(1));
    job.mutable_compile()->add_targets("tgl");
    job.mutable_fault()->set_kind(fault);
    job.mutable_fault()->set_milliseconds(milliseconds);
    absl::Notification done;
    JobOutcome outcome;
    auto handle = pool_->Submit(std::move(job), [&](JobOutcome o) {
      outcome = std::move(o);
      done.Notify();
    });
    if (fault == Fault::HANG) {
      EXPECT_TRUE(Await([&] { return pool_->load().busy != 0; }));
      pool_->Cancel(*handle);
    }
    EXPECT_TRUE(done.WaitForNotificationWithTimeout(absl::Seconds(60)));
    return outcome;
  }
};

TEST_F(OtherUserTest, TheKernelSaysWhoAWorkerIs) {
  StartAs(kUser, true);
  EXPECT_TRUE(level().not_root());
  EXPECT_TRUE(level().parent_death_signal());
  const pid_t pid = OnlyWorker();
  const std::string all = "65529\t65529\t65529\t65529";
  EXPECT_EQ(StatusLine(pid, "Uid"), all);
  EXPECT_EQ(StatusLine(pid, "Gid"), all);
  EXPECT_EQ(StatusLine(pid, "Groups"), " ");
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
    EXPECT_EQ(StatusLine(pid, set), "0000000000000000") << set;
  }
}

TEST_F(OtherUserTest, RootIsNotToBeHadAgain) {
  StartAs(kUser, false);
  for (const char* way : {"setuid", "setresuid", "setresgid", "setgroups"}) ExpectRefused(way);
  ExpectRefused("raise_limit");
}

// Pings, measuring, killing a worker that does not react: root may do these to any user's process.
TEST_F(OtherUserTest, ThePoolHasAllOfItsHold) {
  StartAs(kUser, true);
  const pid_t first = OnlyWorker();
  EXPECT_EQ(Do(Fault::NONE, 0).status, TargetResult::OK);
  EXPECT_EQ(Do(Fault::NONE, 0).status, TargetResult::OK);
  EXPECT_EQ(OnlyWorker(), first) << "it answered a ping";
  const Pool::Load load = pool_->load();
  EXPECT_GT(load.resident_bytes, 0);
  EXPECT_GT(load.start_cpu + load.jobs_cpu, absl::ZeroDuration());
  EXPECT_EQ(Do(Fault::HANG, 0).status, TargetResult::CANCELLED);
  EXPECT_EQ(Do(Fault::NONE, 0).status, TargetResult::OK);
  EXPECT_NE(OnlyWorker(), first);
}

// Without CAP_SYS_NICE root may not do that to another user's process.
TEST_F(OtherUserTest, AWorkerGivesWayToOthersByItself) {
  PoolOptions options = Options();
  options.limits.uid = options.limits.gid = kUser;
  options.limits.niceness = 19;
  auto pool = Pool::Start(std::move(options));
  ASSERT_TRUE(pool.ok()) << pool.status();
  EXPECT_EQ(getpriority(PRIO_PROCESS, static_cast<id_t>(OnlyWorker())), 19);
}

// A daemon started with `nice -n 7` does not rank after its workers.
TEST_F(OtherUserTest, ANicenessIsAddedToTheDaemonsOwn) {
  const int before = getpriority(PRIO_PROCESS, 0);
  if (before > 18) GTEST_SKIP() << "the test runs with a niceness of " << before;
  ASSERT_EQ(setpriority(PRIO_PROCESS, 0, before + 1), 0);
  PoolOptions options = Options();
  options.limits.uid = options.limits.gid = kUser;
  options.limits.niceness = 3;
  auto pool = Pool::Start(std::move(options));
  setpriority(PRIO_PROCESS, 0, before);
  ASSERT_TRUE(pool.ok()) << pool.status();
  EXPECT_EQ(getpriority(PRIO_PROCESS, static_cast<id_t>(OnlyWorker())), std::min(19, before + 4));
}

TEST_F(OtherUserTest, OfAWorkerThatStaysRootItIsSaid) {
  StartAs(0, true);
  EXPECT_FALSE(level().not_root());
}

TEST_F(OtherUserTest, AWorkerThatCannotChangeIsNotUsed) {
  PoolOptions options = Options();
  options.limits.uid = options.limits.gid = UINT32_MAX;  // no user has this number
  auto pool = Pool::Start(std::move(options));
  ASSERT_FALSE(pool.ok());
  for (const char* word : {"--worker-user=none", "CAP_SETUID", "user namespace"}) {
    EXPECT_NE(pool.status().message().find(word), std::string::npos) << pool.status();
  }
}

TEST_F(SandboxTest, TheReleasedWorkerHasNoFaultsAndCannotBeOpened) {
  PoolOptions options = Options();
  options.executable = "server/worker/kiln_worker";
  auto faulty = Pool::Start(options);
  EXPECT_TRUE(absl::IsFailedPrecondition(faulty.status())) << faulty.status();
  options.limits.fault_injection = false;
  options.limits.seccomp = false;
  EXPECT_FALSE(Pool::Start(options).ok());
  options.limits.seccomp = true;
  auto pool = Pool::Start(options);
  ASSERT_TRUE(pool.ok()) << pool.status();
  EXPECT_TRUE((*pool)->hello().sandbox().seccomp());
  EXPECT_FALSE((*pool)->hello().fault_injection());
}

}  // namespace
}  // namespace kiln::worker
