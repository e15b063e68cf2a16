// kilnd's log for its operator: one line for each event, few of a flood, nothing of a shader; and
// the effects of signals.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/base/testing/await.h"
#include "kiln/v1/compiler.grpc.pb.h"
#include "server/worker/testing/fake_backend.h"
#include "tests/service/kilnd_process.h"

namespace kiln::test {
namespace {

using kiln::v1::CompileRequest;
using kiln::v1::CompileResponse;
using worker::FakeModule;

CompileRequest Request(uint32_t seed) {
  CompileRequest request;
  request.set_spirv(FakeModule(seed));
  request.add_targets("tgl");
  return request;
}

class LogTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = testing::TempDir() + "/log_" +
           testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(dir_);
  }
  void Start(std::vector<std::string> flags = {}) {
    flags.push_back("--enable-fault-injection");
    kilnd_ = std::make_unique<KilndProcess>(flags);
    ASSERT_TRUE(kilnd_->AwaitReady()) << kilnd_->log();
    stub_ = kilnd_->Stub();
  }
  // Compiles, and returns the id that the daemon gave the call or took over from it.
  std::string Compile(const CompileRequest& request, const std::string& fault,
                      const std::string& id = "") {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    if (!fault.empty()) context.AddMetadata("kiln-fault", fault);
    if (!id.empty()) context.AddMetadata("kiln-request-id", id);
    CompileResponse response;
    status_ = stub_->Compile(&context, request, &response);
    auto found = context.GetServerInitialMetadata().find("kiln-request-id");
    if (found == context.GetServerInitialMetadata().end()) return "";
    return std::string(found->second.data(), found->second.size());
  }
  // Waits for a line with all of `parts` and returns the first; empty if none comes.
  std::string Line(const std::vector<std::string>& parts) {
    for (int i = 0; i < 1000; ++i) {
      for (const std::string& line : Lines()) {
        bool all = true;
        for (const std::string& part : parts) all = all && line.find(part) != std::string::npos;
        if (all) return line;
      }
      kilnd_->ReadLog(10);
    }
    return "";
  }
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    const std::string& log = kilnd_->log();
    for (size_t at = 0, end; (end = log.find('\n', at)) != std::string::npos; at = end + 1) {
      lines.push_back(log.substr(at, end - at));
    }
    return lines;
  }
  int Count(const std::string& part) const {
    int n = 0;
    for (const std::string& line : Lines()) n += line.find(part) != std::string::npos ? 1 : 0;
    return n;
  }
  // Sends on a new connection and waits until the daemon has closed or answered it.
  void SendToKilnd(const std::string& bytes) {
    const std::string port = kilnd_->address().substr(kilnd_->address().rfind(':') + 1);
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(std::stoi(port)));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    ASSERT_EQ(write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    shutdown(fd, SHUT_WR);
    char buffer[4096];
    while (read(fd, buffer, sizeof buffer) > 0) {
    }
    close(fd);
  }
  int Stop() {
    kilnd_->Signal(SIGTERM);
    return kilnd_->Wait();
  }

  std::string dir_;
  std::unique_ptr<KilndProcess> kilnd_;
  std::unique_ptr<kiln::v1::Compiler::Stub> stub_;
  grpc::Status status_;
};

TEST_F(LogTest, StartSaysItsConfigurationAndStopWhatBecameOfCalls) {
  Start({"--workers=1", "--queue=77", "--cache-dir=" + dir_ + "/cache"});
  const std::string started = Line({"event=started"});
  for (const char* part : {"level=info", "version=", "pid=", "queue=77", "workers=1", "/cache",
                           "job-time=1m", "message=\"listening on 127.0.0.1:"}) {
    EXPECT_NE(started.find(part), std::string::npos) << part << " in " << started;
  }
  EXPECT_EQ(started.rfind("time=20", 0), 0u) << started;
  EXPECT_EQ(Stop(), 0);
  EXPECT_NE(Line({"event=drain_started", "signal=SIGTERM", "in_flight=0"}), "") << kilnd_->log();
  EXPECT_NE(Line({"event=stopped", "cancelled=0"}), "") << kilnd_->log();
}

TEST_F(LogTest, DeathsNameCausePassKeyAndRequest) {
  Start({"--workers=1", "--job-time=1s"});
  const std::string given = Compile(Request(1), "crash:fake_fold", "build-17.a");
  EXPECT_EQ(given, "build-17.a");
  const std::string crashed = Line({"event=worker_crashed"});
  for (const char* part : {"level=warning", "cause=segmentation_fault", "last_pass=fake_fold",
                           "request=build-17.a", "target=tgl", "key=", "module="}) {
    EXPECT_NE(crashed.find(part), std::string::npos) << part << " in " << crashed;
  }
  const std::string made = Compile(Request(2), "hang:fake_select");
  EXPECT_FALSE(made.empty());
  EXPECT_NE(Line({"event=job_timed_out", "cause=wall_time_limit", "last_pass=fake_select",
                  "request=" + made}),
            "")
      << kilnd_->log();
  // Not an identifier: the daemon does not take it over.
  EXPECT_NE(Compile(Request(3), "crash", "a b\"c"), "a b\"c");
}

TEST_F(LogTest, ARefusedCallIsToldItsIdAlthoughItNeverWaits) {
  Start();
  CompileRequest wrong = Request(1);
  wrong.clear_targets();
  const std::string made = Compile(wrong, "");
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status_.error_message();
  EXPECT_NE(made, "");
  EXPECT_EQ(Compile(wrong, "", "mine-1"), "mine-1");
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status_.error_message();
  const std::string replaced = Compile(wrong, "", "not an id");
  EXPECT_NE(replaced, "");
  EXPECT_NE(replaced, "not an id");
  EXPECT_NE(replaced, made);
  // Refused before it is parsed.
  CompileRequest many = Request(1);
  for (int i = 0; i < 1000; ++i) many.add_targets("");
  EXPECT_EQ(Compile(many, "", "mine-2"), "mine-2");
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status_.error_message();
}

TEST_F(LogTest, AFloodIsLimitedAndCountedAndHidesNoOtherKind) {
  Start({"--workers=2"});
  constexpr int kFlood = 120;
  for (int i = 0; i < kFlood; ++i) Compile(Request(10 + static_cast<uint32_t>(i)), "crash");
  Compile(Request(5000), "allocate");
  EXPECT_EQ(Stop(), 0);
  const int lines = Count("event=worker_crashed");
  EXPECT_GE(lines, 10);
  EXPECT_LT(lines, kFlood / 2);
  EXPECT_EQ(Count("event=job_over_memory"), 1) << kilnd_->log();
  // Every event without a line is counted in a later one.
  int suppressed = 0;
  for (const std::string& line : Lines()) {
    const bool summary = line.find("event=suppressed of=worker_crashed") != std::string::npos;
    if (line.find("event=worker_crashed") == std::string::npos && !summary) continue;
    const size_t at = line.find(" suppressed=");
    if (at != std::string::npos) suppressed += std::stoi(line.substr(at + 12));
  }
  EXPECT_EQ(lines + suppressed, kFlood) << kilnd_->log();
}

TEST_F(LogTest, NothingOfAShaderIsInIt) {
  Start({"--workers=1", "--log-level=debug", "--job-time=1s", "--quarantine-after=0"});
  CompileRequest glsl;
  glsl.mutable_glsl()->set_text("SECRET error SECRET");
  glsl.mutable_glsl()->set_name("SECRET.comp");
  glsl.mutable_glsl()->set_stage("compute");
  glsl.add_targets("tgl");
  CompileRequest module = Request(1);
  module.set_spirv(FakeModule(3) + "SECRET..");
  module.set_entry_point("SECRET");
  for (CompileRequest* request : {&glsl, &module}) {
    request->set_cache_policy(kiln::v1::CACHE_BYPASS);
    for (const char* fault : {"", "crash", "abort", "hang", "exit", "allocate", "syscall"}) {
      const std::string pass = request->has_glsl() ? ":translate_glsl" : ":fake_fold";
      Compile(*request, fault == std::string() ? fault : fault + pass);
    }
  }
  CompileRequest wrong = Request(1);
  wrong.set_stage("SECRET");
  Compile(wrong, "");
  wrong.set_targets(0, "SECRET");
  Compile(wrong, "");
  EXPECT_EQ(Stop(), 0);
  EXPECT_EQ(Count("event=worker_crashed") + Count("event=job_"), 12) << kilnd_->log();
  EXPECT_EQ(kilnd_->log().find("SECRET"), std::string::npos) << kilnd_->log();
}

TEST_F(LogTest, AWorkerThatDoesNotAnswerIsSaid) {
  Start({"--workers=1"});
  const std::string sandbox = Line({"event=sandbox"});
  EXPECT_NE(sandbox.find("seccomp="), std::string::npos) << kilnd_->log();
  ASSERT_EQ(kilnd_->Children().size(), 1u);
  kill(kilnd_->Children()[0], SIGSTOP);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // idle for long enough to be pinged
  Compile(Request(1), "");
  EXPECT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_NE(Line({"event=idle_worker_died", "reason=unresponsive"}), "") << kilnd_->log();
}

TEST_F(LogTest, RefusedConnectionsAreSaidWhenTheyBeginAndWhenThereIsRoom) {
  Start({"--max-connections=2", "--max-connections-per-address=2"});
  std::vector<std::unique_ptr<kiln::v1::Compiler::Stub>> stubs;
  for (int i = 0; i < 2; ++i) {
    grpc::ClientContext context;
    kiln::v1::Capabilities capabilities;
    stubs.push_back(kilnd_->Stub());
    stubs.back()->GetCapabilities(&context, {}, &capabilities);
  }
  for (int i = 0; i < 5; ++i) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(1));
    kiln::v1::Capabilities capabilities;
    kilnd_->Stub()->GetCapabilities(&context, {}, &capabilities);
  }
  EXPECT_NE(Line({"event=connections_refused", "listener=grpc"}), "") << kilnd_->log();
  EXPECT_EQ(Count("event=connections_refused"), 1) << kilnd_->log();
  stubs.clear();
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
  kiln::v1::Capabilities capabilities;
  EXPECT_TRUE(kilnd_->Stub()->GetCapabilities(&context, {}, &capabilities).ok());
  EXPECT_NE(Line({"event=connections_admitted", "listener=grpc"}), "") << kilnd_->log();
}

TEST_F(LogTest, AQuarantinedShaderIsSaidAndFoundAgain) {
  const std::vector<std::string> flags = {"--cache-dir=" + dir_ + "/cache", "--quarantine-after=2"};
  Start(flags);
  for (int i = 0; i < 2; ++i) Compile(Request(5), "crash:fake_fold");
  const std::string line = Line({"event=quarantined"});
  for (const char* part : {"level=warning", "target=tgl", "status=CRASHED", "deaths=2", "key="}) {
    EXPECT_NE(line.find(part), std::string::npos) << part << " in " << line;
  }
  EXPECT_EQ(Stop(), 0);
  Start(flags);
  EXPECT_NE(Line({"event=quarantine_loaded", "entries=1", "dropped_damaged=0"}), "")
      << kilnd_->log();
}

TEST_F(LogTest, OverloadIsSaidWhenItBeginsAndWhenItIsOver) {
  Start({"--workers=1", "--queue=1"});
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 8; ++i) {
    threads.emplace_back([this, i] {
      auto stub = kilnd_->Stub();
      grpc::ClientContext context;
      context.AddMetadata("kiln-fault", "slow::500");
      CompileResponse response;
      stub->Compile(&context, Request(i), &response);
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_NE(Line({"event=overload_entered", "level=warning"}), "") << kilnd_->log();
  EXPECT_NE(Line({"event=overload_left", "refused="}), "") << kilnd_->log();
  EXPECT_EQ(Count("event=overload_"), 2) << kilnd_->log();
}

TEST_F(LogTest, SighupReloadsWhatItCanAndSaysWhatItCannot) {
  const std::string file = dir_ + "/kilnd.conf";
  std::ofstream(file) << "workers = 1\n";
  Start({"--config=" + file});
  Compile(Request(1), "crash");
  EXPECT_EQ(Count("event=worker_exited"), 0);
  std::ofstream(file) << "workers = 3\nlog-level = debug\ndrain-time = 5s\n";
  kilnd_->Signal(SIGHUP);
  const std::string reloaded = Line({"event=config_reloaded"});
  EXPECT_NE(reloaded.find("changed=\"drain-time log-level\""), std::string::npos) << reloaded;
  EXPECT_NE(reloaded.find("needs_restart=workers"), std::string::npos) << reloaded;
  Compile(Request(2), "crash");
  EXPECT_NE(Line({"event=worker_exited", "reason=segv", "level=debug"}), "") << kilnd_->log();

  std::ofstream(file) << "workers = many\n";
  kilnd_->Signal(SIGHUP);
  EXPECT_NE(Line({"event=reload_failed", "level=error", "kilnd.conf:1:"}), "") << kilnd_->log();
  std::ofstream(file) << "workers = 1\nlog-format = json\n";
  kilnd_->Signal(SIGHUP);
  EXPECT_NE(Line({"\"event\":\"config_reloaded\"", "\"level\":\"info\"", "\"time\":\"20"}), "")
      << kilnd_->log();
  EXPECT_EQ(Stop(), 0);
  EXPECT_NE(Line({"\"event\":\"drain_started\"", "\"limit_seconds\":30"}), "") << kilnd_->log();
}

// Opening a FIFO would block, reading a device never end; an emptied file does not ask for
// defaults.
TEST_F(LogTest, SighupReadsARegularFileOnly) {
  const std::string file = dir_ + "/kilnd.conf";
  std::ofstream(file) << "workers = 1\nlog-level = debug\n";
  Start({"--config=" + file});
  std::filesystem::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  kilnd_->Signal(SIGHUP);
  EXPECT_NE(Line({"event=reload_failed", "is not a regular file"}), "") << kilnd_->log();
  std::filesystem::remove(file);
  std::ofstream(file) << "\n";
  kilnd_->Signal(SIGHUP);
  EXPECT_NE(Line({"event=reload_failed", "is empty"}), "") << kilnd_->log();
  std::ofstream(file) << std::string((1 << 20) + 1, '#');
  kilnd_->Signal(SIGHUP);
  EXPECT_NE(Line({"event=reload_failed", "is larger than 1 MiB"}), "") << kilnd_->log();
  std::ofstream(file) << "# all defaults\n";
  kilnd_->Signal(SIGHUP);
  EXPECT_NE(Line({"event=config_reloaded", "changed=log-level"}), "") << kilnd_->log();
  EXPECT_EQ(Stop(), 0);
}

// gRPC's messages quote what a client wrote, and there are as many as its requests.
TEST_F(LogTest, OfGrpcsMessagesOnlyTheConstantPartAndFew) {
  Start();
  const size_t before = kilnd_->log().size();
  const auto frame = [](char type, char flags, const std::string& payload) {
    const std::string head = {0, 0, static_cast<char>(payload.size()), type, flags, 0, 0, 0, 1};
    return head + payload;
  };
  const auto header = [](const std::string& key, const std::string& value) {
    return std::string(1, '\0') + static_cast<char>(key.size()) + key +
           static_cast<char>(value.size()) + value;
  };
  for (int i = 0; i < 500; ++i) {
    std::string headers = header(":method", "POST") + header(":scheme", "http") +
                          header(":path", "/x") + header(":authority", "a") +
                          header("content-type", "application/grpc") +
                          header("te", "SECRET\x1b[2J\nevent=stopped");
    std::string settings = frame(4, 0, "");
    settings[8] = 0;
    SendToKilnd("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + settings + frame(1, 5, headers));
  }
  const std::string line = Line({"event=grpc_message"});
  EXPECT_NE(line.find("message=\"Error parsing metadata\""), std::string::npos) << line;
  EXPECT_NE(line.find("severity=E"), std::string::npos) << line;
  EXPECT_NE(line.find("source="), std::string::npos) << line;
  EXPECT_EQ(Stop(), 0);
  EXPECT_EQ(kilnd_->log().find("SECRET"), std::string::npos) << kilnd_->log();
  EXPECT_LT(kilnd_->log().size() - before, 20'000u);
}

// The handler waits only for the log.
TEST_F(LogTest, ACrashIsADeathByItsSignalStill) {
  Start();
  kilnd_->Signal(SIGUSR1);
  EXPECT_NE(Line({"event=signal_ignored"}), "");
  kilnd_->Signal(SIGABRT);
  EXPECT_EQ(kilnd_->Wait(), 128 + SIGABRT);
}

TEST_F(LogTest, OtherSignalsDoNotKill) {
  Start();
  for (int signal : {SIGUSR1, SIGUSR2, SIGHUP}) kilnd_->Signal(signal);
  EXPECT_NE(Line({"event=signal_ignored", "signal=SIGUSR1"}), "") << kilnd_->log();
  EXPECT_NE(Line({"event=signal_ignored", "signal=SIGUSR2"}), "") << kilnd_->log();
  EXPECT_NE(Line({"event=config_reloaded"}), "") << kilnd_->log();
  Compile(Request(1), "");
  EXPECT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(Stop(), 0);
}

TEST_F(LogTest, AnIdleWorkersDeathIsALine) {
  Start({"--workers=1"});
  Compile(Request(1), "");
  ASSERT_TRUE(status_.ok());
  const std::string children = "/proc/" + std::to_string(kilnd_->pid()) + "/task/";
  pid_t worker = 0;
  for (const auto& task : std::filesystem::directory_iterator(children)) {
    std::ifstream(task.path() / "children") >> worker;
    if (worker != 0) break;
  }
  ASSERT_NE(worker, 0);
  kill(worker, SIGKILL);
  const auto ended = [worker] {
    std::string stat;
    std::getline(std::ifstream("/proc/" + std::to_string(worker) + "/stat"), stat);
    return stat.empty() || stat.find(") Z ") != std::string::npos;
  };
  EXPECT_TRUE(Await(ended));
  Compile(Request(2), "");
  EXPECT_TRUE(status_.ok());
  EXPECT_NE(Line({"event=idle_worker_died", "reason=killed"}), "") << kilnd_->log();
  EXPECT_EQ(Count("event=worker_crashed"), 0) << kilnd_->log();
}

// The first file opened, one of the cache's, say, would then be number 2 and receive the log.
TEST_F(LogTest, WithoutStandardErrorTheLogGoesNowhere) {
  const std::string command =
      "exec server/kilnd --listen=127.0.0.1:0 --metrics=none --workers=1 "
      "--worker-binary=server/worker/testing/fake_worker --cache-dir=" +
      dir_ + "/cache 2>&-";
  const pid_t pid = fork();
  if (pid == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  const std::string proc = "/proc/" + std::to_string(pid);
  const auto has_worker = [&] {
    std::error_code error;
    for (const auto& task : std::filesystem::directory_iterator(proc + "/task", error)) {
      std::string children;
      std::getline(std::ifstream(task.path() / "children"), children);
      if (!children.empty()) return true;
    }
    return false;
  };
  EXPECT_TRUE(Await(has_worker));
  std::error_code error;
  EXPECT_EQ(std::filesystem::read_symlink(proc + "/fd/2", error), "/dev/null");
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
}

}  // namespace
}  // namespace kiln::test
