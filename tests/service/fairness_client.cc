// Clients of the fairness table: see fairness_client.h.
#include "tests/service/fairness_client.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <grpcpp/alarm.h>
#include <grpcpp/create_channel_posix.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>

namespace kiln::test {
namespace {

using kiln::v1::Compiler;
using kiln::v1::CompileRequest;
using kiln::v1::CompileResponse;
using kiln::v1::TargetResult;

// kilnd's retry delay; like the program kiln a client waits up to a quarter more, by chance.
constexpr std::chrono::milliseconds kRetry(250);
constexpr std::chrono::milliseconds kTellEvery(100);
constexpr char kFormat[] = "--crowd=%63[^,],%63[^,],%d,%d,%d,%d,%lu,%d,%d";

[[noreturn]] void Fail(const std::string& what) {
  fprintf(stderr, "a client of bench_fairness: %s\n", what.c_str());
  exit(1);
}

sockaddr_in Address(const std::string& host, int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  inet_pton(AF_INET, host.c_str(), &address.sin_addr);
  return address;
}

// A slot for one call at a time; a call is repeated in it as often as the crowd wants.
struct CallSlot {
  Compiler::Stub* stub = nullptr;
  std::unique_ptr<grpc::ClientContext> context;
  std::unique_ptr<grpc::ClientAsyncResponseReader<CompileResponse>> reader;
  CompileRequest request;
  CompileResponse response;
  grpc::Status status;
  grpc::Alarm alarm;
  bool waits = false;  // to try again
};

class Caller {
 public:
  Caller(const Crowd& crowd, bool tells)
      : crowd_(crowd),
        tells_(tells),
        request_(Request(Glsl(crowd.loops), 0)),
        salt_(crowd.first_salt) {}

  CrowdResult Run() {
    for (int i = 0; i < crowd_.connections; ++i) {
      stubs_.push_back(Compiler::NewStub(ChannelFrom(crowd_.source, crowd_.address)));
    }
    std::vector<CallSlot> slots(static_cast<size_t>(crowd_.outstanding));
    for (size_t i = 0; i < slots.size(); ++i) {
      slots[i].stub = stubs_[i % stubs_.size()].get();
      BeginNext(&slots[i]);
    }
    Tell();
    while (open_ > 0) {
      void* tag = nullptr;
      bool ok = false;
      if (!queue_.Next(&tag, &ok)) abort();
      Come(static_cast<CallSlot*>(tag));
      if (std::chrono::steady_clock::now() - told_ > kTellEvery) Tell();
    }
    Tell();
    return result_;
  }

 private:
  void Come(CallSlot* slot) {
    --open_;
    if (slot->waits) {
      slot->waits = false;
      return Begin(slot);
    }
    if (slot->status.error_code() == grpc::UNAVAILABLE) {
      ++result_.refused;
      if (crowd_.hostile) return Begin(slot);
      slot->waits = true;
      ++open_;
      const std::chrono::microseconds delay(kRetry.count() *
                                            (1000 + static_cast<int64_t>(random_() % 250)));
      slot->alarm.Set(&queue_, std::chrono::system_clock::now() + delay, slot);
      return;
    }
    if (!slot->status.ok()) Fail(slot->status.error_message());
    if (slot->response.results(0).status() != TargetResult::OK) {
      Fail(slot->response.results(0).message());
    }
    ++result_.answered;
    BeginNext(slot);
  }
  void BeginNext(CallSlot* slot) {
    if (crowd_.calls > 0 && begun_ >= crowd_.calls) return;
    ++begun_;
    slot->request = request_;
    slot->request.mutable_spec_constants(0)->set_uint_value(static_cast<uint32_t>(++salt_));
    Begin(slot);
  }
  void Begin(CallSlot* slot) {
    ++open_;
    slot->context = std::make_unique<grpc::ClientContext>();
    slot->response.Clear();
    slot->reader = slot->stub->AsyncCompile(slot->context.get(), slot->request, &queue_);
    slot->reader->Finish(&slot->response, &slot->status, slot);
  }
  // Writes a line for the parent process.
  void Tell() {
    if (!tells_) return;
    told_ = std::chrono::steady_clock::now();
    printf("%lu %lu\n", result_.answered, result_.refused);
    fflush(stdout);
  }

  const Crowd crowd_;
  const bool tells_;
  const CompileRequest request_;
  uint64_t salt_;
  std::vector<std::unique_ptr<Compiler::Stub>> stubs_;
  grpc::CompletionQueue queue_;
  CrowdResult result_;
  std::minstd_rand random_;
  int begun_ = 0, open_ = 0;
  std::chrono::steady_clock::time_point told_;
};

}  // namespace

std::shared_ptr<grpc::Channel> ChannelFrom(const std::string& source, const std::string& address) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const size_t colon = address.rfind(':');
  const sockaddr_in from = Address(source, 0);
  const sockaddr_in to = Address(address.substr(0, colon), atoi(address.c_str() + colon + 1));
  if (bind(fd, reinterpret_cast<const sockaddr*>(&from), sizeof from) != 0 ||
      connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
    Fail(source + " to " + address + ": " + strerror(errno));
  }
  fcntl(fd, F_SETFL, O_NONBLOCK);
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  return grpc::CreateCustomInsecureChannelFromFd("kilnd", fd, arguments);
}

std::string Glsl(int loops) {
  std::string text =
      "#version 450\n"
      "layout(local_size_x = 64) in;\n"
      "layout(constant_id = 0) const uint salt = 0;\n"
      "layout(std430, binding = 0) buffer Data { float data[]; };\n"
      "void main() {\n"
      "  uint i = gl_GlobalInvocationID.x;\n"
      "  float s = float(salt);\n";
  if (loops == 0) {
    for (int k = 0; k < 4; ++k)
      text += "  s = s * data[i + " + std::to_string(k) + "u] + sin(s);\n";
    return text + "  data[i] = s;\n}\n";
  }
  const int values = loops * 8 / 5;
  auto v = [values](int k) { return "v" + std::to_string(k % values); };
  for (int k = 0; k < values; ++k) {
    const std::string n = std::to_string(k);
    text += "  float v" + n + " = data[i * " + std::to_string(k + 1) + "u + " + n + "u];\n";
  }
  for (int k = 0; k < loops; ++k) {
    text += "  for (int k = 0; k < int(" + v(k) + "); ++k) { " + v(7 * k + 1) + " += sin(" +
            v(3 * k) + ") * s; " + v(5 * k + 2) + " *= data[i + k]; s += 1.0; }\n";
  }
  text += "  s = 0.0;\n";
  for (int k = 0; k < values; ++k) text += "  s += " + v(k) + ";\n";
  return text + "  data[i] = s;\n}\n";
}

CompileRequest Request(const std::string& glsl, uint64_t salt) {
  CompileRequest request;
  request.mutable_glsl()->set_text(glsl);
  request.mutable_glsl()->set_name("load.comp");
  request.mutable_glsl()->set_stage("compute");
  request.add_targets("tgl");
  request.mutable_outputs()->set_binary(true);
  auto* constant = request.add_spec_constants();
  constant->set_id(0);
  constant->set_uint_value(static_cast<uint32_t>(salt));
  return request;
}

CrowdResult Run(const Crowd& crowd) { return Caller(crowd, false).Run(); }

CrowdProcess::CrowdProcess(const Crowd& c) {
  char argument[256];
  snprintf(argument, sizeof argument, "--crowd=%s,%s,%d,%d,%d,%d,%lu,%d,%d", c.address.c_str(),
           c.source.c_str(), c.connections, c.outstanding, c.calls, c.loops, c.first_salt,
           c.hostile ? 1 : 0, c.elsewhere ? 1 : 0);
  std::string self = std::filesystem::read_symlink("/proc/self/exe");
  char* argv[] = {self.data(), argument, nullptr};
  int pipe[2];
  if (pipe2(pipe, O_CLOEXEC) != 0) abort();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
  if (posix_spawn(&pid_, self.c_str(), &actions, nullptr, argv, environ) != 0) abort();
  posix_spawn_file_actions_destroy(&actions);
  close(pipe[1]);
  from_ = pipe[0];
}

CrowdProcess::~CrowdProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(from_);
}

bool CrowdProcess::ReadLine() {
  char buffer[4096];
  const ssize_t n = read(from_, buffer, sizeof buffer);
  if (n <= 0) return false;
  text_.append(buffer, static_cast<size_t>(n));
  const size_t end = text_.rfind('\n');
  if (end == std::string::npos) return true;
  const size_t begin = text_.rfind('\n', end == 0 ? 0 : end - 1);
  sscanf(text_.c_str() + (begin == std::string::npos ? 0 : begin + 1), "%lu %lu", &last_.answered,
         &last_.refused);
  text_.erase(0, end);
  return true;
}

CrowdResult CrowdProcess::Look() {
  pollfd p = {from_, POLLIN, 0};
  while (poll(&p, 1, 0) > 0 && ReadLine()) {
  }
  return last_;
}

CrowdResult CrowdProcess::Wait() {
  while (ReadLine()) {
  }
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  if (status != 0) Fail("it failed");
  return last_;
}

bool RunIfCrowd(int argc, char** argv) {
  char address[64], source[64];
  Crowd c;
  int hostile = 0, elsewhere = 0;
  if (argc != 2 || sscanf(argv[1], kFormat, address, source, &c.connections, &c.outstanding,
                          &c.calls, &c.loops, &c.first_salt, &hostile, &elsewhere) != 9) {
    return false;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  c.address = address;
  c.source = source;
  c.hostile = hostile != 0;
  sched_param none = {};
  if (elsewhere != 0 && sched_setscheduler(0, SCHED_IDLE, &none) != 0) abort();
  Caller(c, true).Run();
  return true;
}

}  // namespace kiln::test
