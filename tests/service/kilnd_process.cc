// A kilnd process for end-to-end tests: see kilnd_process.h.
#include "tests/service/kilnd_process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace kiln::test {
namespace {

// Returns the text after `mark`, up to one of `ends`.
std::string After(const std::string& text, const std::string& mark, const char* ends) {
  size_t at = text.find(mark);
  if (at == std::string::npos) return "";
  at += mark.size();
  return text.substr(at, text.find_first_of(ends, at) - at);
}

}  // namespace

KilndProcess::KilndProcess(std::vector<std::string> flags, std::optional<Descriptors> descriptors,
                           const std::vector<std::string>& under) {
  flags.insert(flags.begin(), {"server/kilnd", "--listen=127.0.0.1:0", "--metrics=127.0.0.1:0",
                               "--worker-binary=server/worker/testing/fake_worker",
                               // No further workers, for tests that count them.
                               "--recheck=none", "--spare-workers=0"});
  flags.insert(flags.begin(), under.begin(), under.end());
  // prlimit executes kilnd, so the process id stays.
  if (descriptors) {
    flags.insert(flags.begin(), {"prlimit", "--nofile=" + std::to_string(descriptors->soft) + ":" +
                                                std::to_string(descriptors->hard)});
  }
  std::vector<char*> argv;
  for (std::string& f : flags) argv.push_back(f.data());
  argv.push_back(nullptr);
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) return;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fds[1], 2);
  posix_spawnp(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(fds[1]);
  log_fd_ = fds[0];
}

KilndProcess::~KilndProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (log_fd_ >= 0) close(log_fd_);
}

bool KilndProcess::ReadSome(int timeout_ms) {
  pollfd p = {log_fd_, POLLIN, 0};
  if (poll(&p, 1, timeout_ms) <= 0) return false;
  char buffer[4096];
  ssize_t n = read(log_fd_, buffer, sizeof buffer);
  if (n <= 0) return false;
  log_.append(buffer, static_cast<size_t>(n));
  return true;
}

bool KilndProcess::AwaitReady() {
  while (ReadSome(30'000)) {
    if (log_.find("listening on ") == std::string::npos || log_.back() != '\n') continue;
    address_ = After(log_, "listening on ", ",\"\n");
    metrics_ = After(log_, "metrics on http://", "/\"\n");
    return true;
  }
  return false;
}

void KilndProcess::Signal(int signal) { kill(pid_, signal); }

std::vector<pid_t> KilndProcess::Children() const {
  std::vector<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream stat(entry.path() / "stat");
    pid_t id = 0, parent = 0;
    std::string name, state;
    if (stat >> id >> name >> state >> parent && parent == pid_) children.push_back(id);
  }
  return children;
}

int KilndProcess::Wait() {
  for (int i = 0; i < 12'000; ++i) {
    int status = 0;
    while (ReadSome(0)) {
    }
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      while (ReadSome(0)) {
      }
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return -1;
}

std::shared_ptr<grpc::Channel> KilndProcess::Channel() const {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  // Each channel has its own connection, so that none to a previous daemon is reused.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(address_, grpc::InsecureChannelCredentials(), arguments);
}

std::unique_ptr<kiln::v1::Compiler::Stub> KilndProcess::Stub() const {
  return kiln::v1::Compiler::NewStub(Channel());
}

std::string KilndProcess::Page(const std::string& path) const {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(atoi(metrics_.c_str() + metrics_.find(':') + 1)));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string text = "GET " + path + " HTTP/1.0\r\n\r\n";
  std::string body;
  if (connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0 &&
      write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size())) {
    char buffer[16384];
    ssize_t n;
    while ((n = read(fd, buffer, sizeof buffer)) > 0) body.append(buffer, static_cast<size_t>(n));
  }
  close(fd);
  size_t blank = body.find("\r\n\r\n");
  return blank == std::string::npos ? "" : body.substr(blank + 4);
}

double KilndProcess::Metric(const std::string& name) const {
  std::string text = "\n" + Metrics();
  size_t at = text.find("\n" + name + " ");
  if (at == std::string::npos) return -1;
  return strtod(text.c_str() + at + name.size() + 2, nullptr);
}

}  // namespace kiln::test
