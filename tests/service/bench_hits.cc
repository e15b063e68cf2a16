// Benchmark: digest-only cache hits over loopback against a bare gRPC echo with the same bytes.
//
//   bazel run //tests/service:bench_hits -- [--seconds=5] [--bytes=10240] [--keys=1000]
//                                           [--in-flight=32] [--processors=SERVER,CLIENT]
//
// Starts kilnd (with the compiler double: what is measured does not compile) once with the memory
// tier only and once with a disk tier and no memory tier, fills `keys` results of `bytes` of code,
// and asks for them by digest, `in-flight` calls at a time on one connection, for `seconds`. The
// echo is a server in a process of its own that answers each call with the bytes of one such
// response and looks at nothing. Server and client each get a processor of their own where there
// are two. Runs are interleaved (echo, memory, disk, echo, ...) so that a busy machine disturbs all
// alike; the server's CPU time per call is given too, which it disturbs least. Ratios are printed
// with the figures; goals are in DESIGN.md section 7.
#include <fcntl.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "proto/compiler.grpc.pb.h"
#include "server/cache/source_digest.h"
#include "server/worker/testing/fake_backend.h"
#include "tests/service/kilnd_process.h"

namespace {

using Clock = std::chrono::steady_clock;
using kiln::v1alpha::CompileRequest;
using kiln::v1alpha::CompileResponse;

struct Settings {
  int seconds = 5;
  int bytes = 10240;
  int keys = 1000;
  int in_flight = 32;
  int server_cpu = 0;
  int client_cpu = 1;
};

void Pin(pid_t pid, int cpu) {
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(pid, sizeof set, &set);
}

// ---- the echo: a server that answers every call with the same bytes
// ------------------------------

// The unary method without a request or response type: the least that gRPC does for a call.
class EchoService final : public kiln::v1alpha::Compiler::WithRawCallbackMethod_Compile<
                              kiln::v1alpha::Compiler::Service> {
 public:
  explicit EchoService(const std::string& bytes) : slice_(bytes), response_(&slice_, 1) {}
  grpc::ServerUnaryReactor* Compile(grpc::CallbackServerContext* context, const grpc::ByteBuffer*,
                                    grpc::ByteBuffer* response) override {
    *response = response_;
    auto* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

 private:
  grpc::Slice slice_;
  grpc::ByteBuffer response_;
};

// Child process: reads the bytes to answer with from `in`, writes its port to `out`.
[[noreturn]] void RunEcho(int in, int out) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::string bytes;
  char buffer[65536];
  ssize_t n;
  while ((n = read(in, buffer, sizeof buffer)) > 0) bytes.append(buffer, static_cast<size_t>(n));
  EchoService service(bytes);
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  auto server = builder.BuildAndStart();
  if (write(out, &port, sizeof port) != sizeof port) _exit(1);
  server->Wait();
  _exit(0);
}

struct Echo {
  pid_t pid = -1;
  std::string address;
  ~Echo() {
    if (pid > 0) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
  }
  // Forked before this process has used gRPC; started by giving it its bytes.
  int bytes_fd = -1, port_fd = -1;
  void Fork() {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) abort();
    pid = fork();
    if (pid == 0) {
      close(to[1]);
      close(from[0]);
      RunEcho(to[0], from[1]);
    }
    close(to[0]);
    close(from[1]);
    bytes_fd = to[1];
    port_fd = from[0];
  }
  void Start(const std::string& bytes) {
    int port = 0;
    if (write(bytes_fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) abort();
    close(bytes_fd);
    if (read(port_fd, &port, sizeof port) != sizeof port) abort();
    address = "127.0.0.1:" + std::to_string(port);
  }
};

// ---- the client: keeps calls in flight, raw bytes both ways
// --------------------------------------

struct Figures {
  double per_second = 0;
  double p50_us = 0;
  double p99_us = 0;
  double cpu_us = 0;  // of the server, per call
};

// CPU time of all threads of a process, in microseconds.
double CpuMicroseconds(pid_t pid) {
  double sum = 0;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
    std::ifstream schedstat(task.path() / "schedstat");
    double nanoseconds = 0;
    if (schedstat >> nanoseconds) sum += nanoseconds / 1000;
  }
  return sum;
}

class Load {
 public:
  Load(pid_t server, const std::string& address, const std::vector<grpc::ByteBuffer>& requests,
       int in_flight)
      : server_(server), requests_(requests), in_flight_(in_flight) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetMaxReceiveMessageSize(-1);
    stub_ = std::make_unique<grpc::GenericStub>(
        grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments));
  }

  Figures Run(double seconds) {
    latencies_.clear();
    double cpu = CpuMicroseconds(server_);
    start_ = Clock::now();
    end_ = start_ + std::chrono::nanoseconds(static_cast<int64_t>(seconds * 1e9));
    for (int i = 0; i < in_flight_; ++i) Next();
    while (pending_ > 0) {
      void* tag = nullptr;
      bool ok = false;
      if (!queue_.Next(&tag, &ok)) abort();
      Finished(static_cast<Call*>(tag));
    }
    double took = std::chrono::duration<double>(Clock::now() - start_).count();
    std::sort(latencies_.begin(), latencies_.end());
    Figures f;
    f.per_second = static_cast<double>(latencies_.size()) / took;
    f.p50_us = latencies_[latencies_.size() / 2];
    f.cpu_us = (CpuMicroseconds(server_) - cpu) / static_cast<double>(latencies_.size());
    f.p99_us = latencies_[latencies_.size() * 99 / 100];
    return f;
  }

 private:
  struct Call {
    grpc::ClientContext context;
    grpc::ByteBuffer response;
    grpc::Status status;
    Clock::time_point start;
    std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader;
  };
  void Next() {
    if (Clock::now() >= end_) return;
    auto* call = new Call;
    call->start = Clock::now();
    call->reader = stub_->PrepareUnaryCall(&call->context, "/kiln.v1alpha.Compiler/Compile",
                                           requests_[next_++ % requests_.size()], &queue_);
    call->reader->StartCall();
    call->reader->Finish(&call->response, &call->status, call);
    ++pending_;
  }
  void Finished(Call* call) {
    --pending_;
    if (!call->status.ok()) {
      fprintf(stderr, "call failed: %s\n", call->status.error_message().c_str());
      exit(1);
    }
    latencies_.push_back(
        std::chrono::duration<float, std::micro>(Clock::now() - call->start).count());
    delete call;
    Next();
  }

  const pid_t server_;
  const std::vector<grpc::ByteBuffer>& requests_;
  const int in_flight_;
  std::unique_ptr<grpc::GenericStub> stub_;
  grpc::CompletionQueue queue_;
  Clock::time_point start_, end_;
  size_t next_ = 0;
  int pending_ = 0;
  std::vector<float> latencies_;
};

// ---- filling
// --------------------------------------------------------------------------------------

grpc::ByteBuffer AsBuffer(const google::protobuf::MessageLite& message) {
  grpc::Slice slice(message.SerializeAsString());
  return grpc::ByteBuffer(&slice, 1);
}

// Compiles every key once; returns the digest-only requests and one response's bytes.
std::vector<grpc::ByteBuffer> Fill(const kiln::test::KilndProcess& kilnd, const Settings& s,
                                   std::string* response_bytes) {
  auto stub = kilnd.Stub();
  std::vector<grpc::ByteBuffer> requests;
  for (int i = 0; i < s.keys; ++i) {
    CompileRequest request;
    request.set_spirv(kiln::worker::FakeModule(static_cast<uint32_t>(i + 1), s.bytes / 4 - 3));
    request.add_targets("tgl");
    request.mutable_outputs()->set_binary(true);
    CompileResponse response;
    grpc::ClientContext context;
    grpc::Status status = stub->Compile(&context, request, &response);
    if (!status.ok() || response.results(0).status() != kiln::v1alpha::TargetResult::OK) {
      fprintf(stderr, "filling failed: %s\n", status.error_message().c_str());
      exit(1);
    }
    *response_bytes = response.SerializeAsString();
    auto digest = kiln::cache::SpirvDigest(request.spirv());
    request.mutable_digest()->set_kind(kiln::v1alpha::SourceDigest::SPIRV);
    request.mutable_digest()->set_sha256(std::string(kiln::cache::AsBytes(digest)));
    requests.push_back(AsBuffer(request));
  }
  return requests;
}

double Median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

struct Series {
  std::vector<double> rate, p50, p99, cpu;
  void Add(const Figures& f) {
    rate.push_back(f.per_second);
    p50.push_back(f.p50_us);
    p99.push_back(f.p99_us);
    cpu.push_back(f.cpu_us);
  }
};

void Print(const char* name, const Series& s, const Series& echo) {
  printf(
      "%-12s %9.0f calls/s  %5.2f x echo   p50 %6.0f us (%4.2f x)   p99 %6.0f us (%4.2f x)   "
      "server CPU %5.1f us (%4.2f x)\n",
      name, Median(s.rate), Median(s.rate) / Median(echo.rate), Median(s.p50),
      Median(s.p50) / Median(echo.p50), Median(s.p99), Median(s.p99) / Median(echo.p99),
      Median(s.cpu), Median(s.cpu) / Median(echo.cpu));
}

bool ParseSettings(int argc, char** argv, Settings* s) {
  for (int i = 1; i < argc; ++i) {
    if (sscanf(argv[i], "--seconds=%d", &s->seconds) == 1) continue;
    if (sscanf(argv[i], "--bytes=%d", &s->bytes) == 1) continue;
    if (sscanf(argv[i], "--keys=%d", &s->keys) == 1) continue;
    if (sscanf(argv[i], "--in-flight=%d", &s->in_flight) == 1) continue;
    if (sscanf(argv[i], "--processors=%d,%d", &s->server_cpu, &s->client_cpu) == 2) continue;
    fprintf(stderr, "bench_hits: %s is not understood; see the top of bench_hits.cc\n", argv[i]);
    return false;
  }
  return s->seconds > 0 && s->bytes >= 64 && s->keys > 0 && s->in_flight > 0;
}

}  // namespace

int main(int argc, char** argv) {
  Settings s;
  if (!ParseSettings(argc, argv, &s)) return 2;
  Echo echo;
  echo.Fork();

  std::string dir =
      std::filesystem::temp_directory_path() / ("kiln_bench_" + std::to_string(getpid()));
  kiln::test::KilndProcess memory({"--memory-cache-bytes=2GiB"});
  kiln::test::KilndProcess disk({"--memory-cache-bytes=0", "--cache-dir=" + dir});
  if (!memory.AwaitReady() || !disk.AwaitReady()) {
    fprintf(stderr, "%s%s", memory.log().c_str(), disk.log().c_str());
    return 1;
  }
  std::string response;
  auto requests = Fill(memory, s, &response);
  Fill(disk, s, &response);
  echo.Start(response);
  for (pid_t pid : {echo.pid, memory.pid(), disk.pid()}) {
    for (const auto& task :
         std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
      Pin(atoi(task.path().filename().c_str()), s.server_cpu);
    }
  }
  Pin(0, s.client_cpu);

  Load to_echo(echo.pid, echo.address, requests, s.in_flight);
  Load to_memory(memory.pid(), memory.address(), requests, s.in_flight);
  Load to_disk(disk.pid(), disk.address(), requests, s.in_flight);
  for (Load* load : {&to_echo, &to_memory, &to_disk}) load->Run(0.5);  // connect, warm up
  Series of_echo, of_memory, of_disk;
  constexpr int kRounds = 5;
  for (int round = 0; round < kRounds; ++round) {
    of_echo.Add(to_echo.Run(s.seconds / double{kRounds}));
    of_memory.Add(to_memory.Run(s.seconds / double{kRounds}));
    of_disk.Add(to_disk.Run(s.seconds / double{kRounds}));
  }
  printf("%d in flight, %zu-byte responses, %d keys, medians of %d rounds\n", s.in_flight,
         response.size(), s.keys, kRounds);
  Print("echo", of_echo, of_echo);
  Print("memory tier", of_memory, of_echo);
  Print("disk tier", of_disk, of_echo);
  memory.Signal(SIGTERM);
  disk.Signal(SIGTERM);
  memory.Wait();
  disk.Wait();
  std::filesystem::remove_all(dir);
  return 0;
}
