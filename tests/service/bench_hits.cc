// Benchmark: digest-only cache hits over loopback against a bare gRPC echo with the same bytes.
//
//   bazel run //tests/service:bench_hits -- [--seconds=10] [--rounds=15] [--bytes=10240]
//       [--keys=1000] [--in-flight=32] [--processors=SERVER,CLIENT] [--instructions=CALLS]
//
// Starts kilnd (with the compiler double: the measured part does not compile) once with the memory
// tier only and once with a disk tier and no memory tier, fills `keys` results of `bytes` of code,
// and asks for them by digest on one connection, `in-flight` at a time: as Compile calls, and as
// items of one CompileStream. The echo is a server in a separate process that answers each call, or
// each message of a stream, with the bytes of one such response and parses nothing. A second one
// answers with the responses of all keys in turn, whose bytes are in no processor's cache by the
// time they are sent, as kilnd's are not: its additional cost over the first is no work of kilnd's.
// Server and client each get a processor of their own if there are two.
//
// Rounds are interleaved (echo, memory, disk, echo, ...), so that a busy machine disturbs all
// alike; `seconds` are those of one kind, all rounds together. The figure that counts is the
// server's CPU time per hit beside that of the echo in the same round: median, and the middle half
// of the rounds. Goals, beside the echo: throughput at least 0.95 x for calls (3 x the unary echo
// for items of a stream), p50 and p99 within 1.2 x at 32 in flight.
//
// CPU time changes with the load of the machine by more than most improvements gain; the number of
// instructions does not. With --instructions the servers run under callgrind, and their
// instructions per hit are counted (in user space: the kernel's part of a call is about the same
// for all) for so many hits of each kind. The profiles stay in the temporary folder that is named
// at the end, for callgrind_annotate.
#include <fcntl.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <sched.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kiln/v1/compiler.grpc.pb.h"
#include "server/key/source_digest.h"
#include "server/worker/testing/fake_backend.h"
#include "tests/service/kilnd_process.h"

namespace {

using Clock = std::chrono::steady_clock;
using kiln::v1::CompileRequest;
using kiln::v1::CompileResponse;
using kiln::v1::StreamRequest;
using kiln::v1::StreamResponse;

struct Settings {
  int seconds = 10;
  int rounds = 15;
  int bytes = 10240;
  int keys = 1000;
  int in_flight = 32;
  int server_cpu = 0;
  int client_cpu = 1;
  int instructions = 0;  // hits whose instructions are counted; 0: CPU time instead
};

void Pin(pid_t pid, int cpu) {
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
    sched_setaffinity(atoi(task.path().filename().c_str()), sizeof set, &set);
  }
}

// ---- the echo: a server that answers every message with the same bytes ----

class EchoStream final : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  explicit EchoStream(const std::vector<grpc::ByteBuffer>& answers) : answers_(answers) {
    std::lock_guard lock(mutex_);
    StartRead(&incoming_);
    Write();  // like kilnd's first message, which answers no item
  }
  void OnReadDone(bool ok) override {
    std::lock_guard lock(mutex_);
    if (!ok) return Finish(grpc::Status::OK);
    incoming_.Clear();
    ++owed_;
    StartRead(&incoming_);
    Write();
  }
  void OnWriteDone(bool) override {
    std::lock_guard lock(mutex_);
    writing_ = false;
    --owed_;
    Write();
  }
  void OnDone() override { delete this; }

 private:
  void Write() {
    if (writing_ || owed_ == 0) return;
    writing_ = true;
    outgoing_ = answers_[next_++ % answers_.size()];
    StartWrite(&outgoing_);
  }

  const std::vector<grpc::ByteBuffer>& answers_;
  std::mutex mutex_;
  grpc::ByteBuffer incoming_, outgoing_;
  size_t next_ = 0;
  int owed_ = 1;
  bool writing_ = false;
};

using EchoBase = kiln::v1::Compiler::WithRawCallbackMethod_Compile<
    kiln::v1::Compiler::WithRawCallbackMethod_CompileStream<kiln::v1::Compiler::Service>>;

grpc::ByteBuffer AsBuffer(const google::protobuf::MessageLite& message) {
  grpc::Slice slice(message.SerializeAsString());
  return grpc::ByteBuffer(&slice, 1);
}

// Methods without a request or response type: the least that gRPC does for a call.
class EchoService final : public EchoBase {
 public:
  // Makes a response of each of the results.
  explicit EchoService(const CompileResponse& results) {
    for (const auto& result : results.results()) {
      StreamResponse item;
      item.set_item(1);
      *item.mutable_response()->add_results() = result;
      responses_.push_back(AsBuffer(item.response()));
      items_.push_back(AsBuffer(item));
    }
  }
  grpc::ServerUnaryReactor* Compile(grpc::CallbackServerContext* context, const grpc::ByteBuffer*,
                                    grpc::ByteBuffer* response) override {
    *response = responses_[next_++ % responses_.size()];
    auto* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* CompileStream(
      grpc::CallbackServerContext*) override {
    return new EchoStream(items_);
  }

 private:
  std::vector<grpc::ByteBuffer> responses_, items_;
  std::atomic<size_t> next_ = 0;
};

// Child process: reads the results for its answers from standard input, writes its port to standard
// output.
int RunEcho() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  CompileResponse results;
  if (!results.ParseFromFileDescriptor(STDIN_FILENO)) return 1;
  EchoService service(results);
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  auto server = builder.BuildAndStart();
  if (write(STDOUT_FILENO, &port, sizeof port) != sizeof port) return 1;
  server->Wait();
  return 0;
}

class Echo {
 public:
  // `under`: the program that runs it, and its arguments.
  Echo(std::vector<std::string> under, const CompileResponse& results) {
    under.push_back(std::filesystem::read_symlink("/proc/self/exe"));
    under.push_back("--echo");
    std::vector<char*> argv;
    for (std::string& word : under) argv.push_back(word.data());
    argv.push_back(nullptr);
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) abort();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    if (posix_spawnp(&pid_, argv[0], &actions, nullptr, argv.data(), environ) != 0) abort();
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    int port = 0;
    if (!results.SerializeToFileDescriptor(to[1])) abort();
    close(to[1]);
    if (read(from[0], &port, sizeof port) != sizeof port) abort();
    close(from[0]);
    address_ = "127.0.0.1:" + std::to_string(port);
  }
  ~Echo() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Echo(const Echo&) = delete;
  Echo& operator=(const Echo&) = delete;
  pid_t pid() const { return pid_; }
  const std::string& address() const { return address_; }

 private:
  pid_t pid_ = -1;
  std::string address_;
};

// ---- cost of a server ----

// Returns the CPU time of all threads of a process, in microseconds.
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

// A process, and the file that callgrind writes for it; empty if it does not run under callgrind.
class Meter {
 public:
  Meter(pid_t pid, std::string profile) : pid_(pid), profile_(std::move(profile)) {}

  // Returns microseconds of CPU time, or instructions, since the previous call.
  double Take() {
    if (!profile_.empty()) return Instructions();
    const double now = CpuMicroseconds(pid_);
    return now - std::exchange(before_, now);
  }

 private:
  // Each dump starts from zero.
  double Instructions() {
    const std::string dump =
        "callgrind_control --dump " + std::to_string(pid_) + " >/dev/null 2>&1";
    if (std::system(dump.c_str()) != 0) abort();
    std::ifstream file(profile_ + "." + std::to_string(++dumps_));
    double instructions = 0;
    for (std::string word; file >> word;) {
      if (word == "totals:") file >> instructions;
    }
    return instructions;
  }

  const pid_t pid_;
  const std::string profile_;
  double before_ = 0;
  int dumps_ = 0;
};

// ---- the client: keeps hits in flight, raw bytes both ways ----

struct Figures {
  double per_second = 0;
  double p50_us = 0;
  double p99_us = 0;
  double cost = 0;  // the server's cost per hit
};

// The length of one run: so many hits, or if that is 0 so many seconds.
struct Extent {
  double seconds = 0;
  size_t hits = 0;
};

struct Target {
  std::string address;
  Meter* meter;
  int in_flight;
};

std::unique_ptr<grpc::GenericStub> StubTo(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetMaxReceiveMessageSize(-1);
  return std::make_unique<grpc::GenericStub>(
      grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments));
}

class Load {
 public:
  Load(const Target& target, const std::vector<grpc::ByteBuffer>& requests)
      : target_(target), requests_(requests), stub_(StubTo(target.address)) {}
  virtual ~Load() = default;

  Figures Run(const Extent& extent) {
    latencies_.clear();
    sent_ = 0;
    extent_ = extent;
    target_.meter->Take();
    start_ = Clock::now();
    Send();
    const double took = std::chrono::duration<double>(Clock::now() - start_).count();
    const auto hits = static_cast<double>(latencies_.size());
    std::sort(latencies_.begin(), latencies_.end());
    return {.per_second = hits / took,
            .p50_us = latencies_[latencies_.size() / 2],
            .p99_us = latencies_[latencies_.size() * 99 / 100],
            .cost = target_.meter->Take() / hits};
  }

 protected:
  // Sends the run's requests, `in_flight` at a time; returns when all are answered.
  virtual void Send() = 0;

  bool over() const {
    if (extent_.hits > 0) return sent_ >= extent_.hits;
    return std::chrono::duration<double>(Clock::now() - start_).count() >= extent_.seconds;
  }
  size_t in_flight() const { return sent_ - latencies_.size(); }
  bool may_send() const { return in_flight() < static_cast<size_t>(target_.in_flight) && !over(); }
  const grpc::ByteBuffer& Next() {
    ++sent_;
    return requests_[next_++ % requests_.size()];
  }
  void Answered(Clock::time_point sent) {
    latencies_.push_back(std::chrono::duration<float, std::micro>(Clock::now() - sent).count());
  }
  [[noreturn]] static void Fail(const char* what) {
    fprintf(stderr, "bench_hits: %s\n", what);
    exit(1);
  }

  const Target target_;
  const std::vector<grpc::ByteBuffer>& requests_;
  const std::unique_ptr<grpc::GenericStub> stub_;
  grpc::CompletionQueue queue_;

 private:
  Extent extent_;
  Clock::time_point start_;
  size_t next_ = 0;
  size_t sent_ = 0;
  std::vector<float> latencies_;
};

class UnaryLoad final : public Load {
 public:
  using Load::Load;

 private:
  struct Call {
    grpc::ClientContext context;
    grpc::ByteBuffer response;
    grpc::Status status;
    Clock::time_point start;
    std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader;
  };
  void Send() override {
    while (may_send()) Start();
    while (in_flight() > 0) {
      void* tag = nullptr;
      bool ok = false;
      if (!queue_.Next(&tag, &ok)) abort();
      std::unique_ptr<Call> call(static_cast<Call*>(tag));
      if (!call->status.ok()) Fail(call->status.error_message().c_str());
      Answered(call->start);
      if (may_send()) Start();
    }
  }
  void Start() {
    auto* call = new Call;
    call->start = Clock::now();
    call->reader =
        stub_->PrepareUnaryCall(&call->context, "/kiln.v1.Compiler/Compile", Next(), &queue_);
    call->reader->StartCall();
    call->reader->Finish(&call->response, &call->status, call);
  }
};

// Sends all rounds as items of one stream. Latencies pair answers with items in the order of
// sending, which is not always the order of the answers.
class StreamLoad final : public Load {
 public:
  StreamLoad(const Target& target, const std::vector<grpc::ByteBuffer>& requests)
      : Load(target, requests),
        stream_(stub_->PrepareCall(&context_, "/kiln.v1.Compiler/CompileStream", &queue_)) {
    stream_->StartCall(Tag(kStart));
    Await();
    stream_->Read(&message_, Tag(kRead));
    Await();  // the first message belongs to no item
  }
  ~StreamLoad() override {
    context_.TryCancel();
    if (reading_) Await();
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
    }
  }

 private:
  enum What : intptr_t { kStart = 1, kRead, kWrite };
  static void* Tag(What what) { return reinterpret_cast<void*>(what); }

  What Await() {
    void* tag = nullptr;
    bool ok = false;
    if (!queue_.Next(&tag, &ok)) abort();
    return static_cast<What>(reinterpret_cast<intptr_t>(tag));
  }
  void Send() override {
    while (may_send() || in_flight() > 0 || writing_) {
      if (!writing_ && may_send()) {
        writing_ = true;
        started_.push_back(Clock::now());
        stream_->Write(Next(), Tag(kWrite));
      }
      if (!reading_) {
        reading_ = true;
        stream_->Read(&message_, Tag(kRead));
      }
      if (Await() == kWrite) {
        writing_ = false;
      } else {
        reading_ = false;
        if (message_.Length() < kLeastAnswer) Fail("an item was not answered with a result");
        Answered(started_.front());
        started_.pop_front();
      }
    }
  }

  // More than an item's error has, less than any result requested here.
  static constexpr size_t kLeastAnswer = 256;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;
  grpc::ByteBuffer message_;
  std::deque<Clock::time_point> started_;
  bool reading_ = false, writing_ = false;
};

// ---- filling ----

struct Requests {
  std::vector<grpc::ByteBuffer> calls, items;
  CompileResponse results;  // of all
};

// Compiles every key once; returns the digest-only requests.
Requests Fill(const kiln::test::KilndProcess& kilnd, const Settings& s) {
  auto stub = kilnd.Stub();
  Requests requests;
  for (int i = 0; i < s.keys; ++i) {
    CompileRequest request;
    request.set_spirv(kiln::worker::FakeModule(static_cast<uint32_t>(i + 1), s.bytes / 4 - 3));
    request.add_targets("tgl");
    request.mutable_outputs()->set_binary(true);
    CompileResponse response;
    grpc::ClientContext context;
    grpc::Status status = stub->Compile(&context, request, &response);
    if (!status.ok() || response.results(0).status() != kiln::v1::TargetResult::OK) {
      fprintf(stderr, "filling failed: %s\n", status.error_message().c_str());
      exit(1);
    }
    *requests.results.add_results() = response.results(0);
    auto digest = kiln::cache::SpirvDigest(request.spirv());
    request.mutable_digest()->set_kind(kiln::v1::SourceDigest::SPIRV);
    request.mutable_digest()->set_sha256(std::string(kiln::cache::AsBytes(digest)));
    requests.calls.push_back(AsBuffer(request));
    StreamRequest item;
    item.set_item(static_cast<uint64_t>(i) + 1);
    *item.mutable_request() = request;
    requests.items.push_back(AsBuffer(item));
  }
  return requests;
}

// ---- figures ----

// Returns the quantile `part` (0 to 1) of the values: the one at the nearest rank.
double Quantile(std::vector<double> v, double part) {
  std::sort(v.begin(), v.end());
  return v[static_cast<size_t>(part * static_cast<double>(v.size() - 1) + 0.5)];
}
double Median(const std::vector<double>& v) { return Quantile(v, 0.5); }

struct Series {
  std::vector<double> rate, p50, p99, cost;
  void Add(const Figures& f) {
    rate.push_back(f.per_second);
    p50.push_back(f.p50_us);
    p99.push_back(f.p99_us);
    cost.push_back(f.cost);
  }
};

void Print(const std::string& name, const Series& s, const Series& echo, const Settings& settings) {
  if (settings.instructions > 0) {
    printf("%-17s %7.0f instructions (%4.2f x echo, %+.0f)\n", name.c_str(), s.cost[0],
           s.cost[0] / echo.cost[0], s.cost[0] - echo.cost[0]);
    return;
  }
  std::vector<double> ratios;
  for (size_t i = 0; i < s.cost.size(); ++i) ratios.push_back(s.cost[i] / echo.cost[i]);
  printf(
      "%-17s server CPU %5.1f us  %4.2f x echo (%4.2f to %4.2f)   %6.0f hits/s %4.2f x   "
      "p50 %5.0f us %4.2f x   p99 %5.0f us %4.2f x\n",
      name.c_str(), Median(s.cost), Median(ratios), Quantile(ratios, 0.25), Quantile(ratios, 0.75),
      Median(s.rate), Median(s.rate) / Median(echo.rate), Median(s.p50),
      Median(s.p50) / Median(echo.p50), Median(s.p99), Median(s.p99) / Median(echo.p99));
}

struct Server {
  const char* name;
  std::string address;
  Meter meter;
};

template <typename Kind>
void Compare(const char* what, std::vector<Server>* servers,
             const std::vector<grpc::ByteBuffer>& requests, const Settings& s) {
  const bool counts = s.instructions > 0;
  const Extent round = {s.seconds / double(s.rounds), static_cast<size_t>(s.instructions)};
  std::vector<std::unique_ptr<Load>> loads;
  for (Server& server : *servers) {
    loads.push_back(
        std::make_unique<Kind>(Target{server.address, &server.meter, s.in_flight}, requests));
    loads.back()->Run({0.5, counts ? requests.size() : 0});  // connect, warm up
  }
  std::vector<Series> series(servers->size());
  for (int i = 0; i < (counts ? 1 : s.rounds); ++i) {
    for (size_t k = 0; k < loads.size(); ++k) series[k].Add(loads[k]->Run(round));
  }
  for (size_t k = 0; k < loads.size(); ++k) {
    Print(std::string((*servers)[k].name) + ", " + what, series[k], series[0], s);
  }
}

bool ParseSettings(int argc, char** argv, Settings* s) {
  for (int i = 1; i < argc; ++i) {
    if (sscanf(argv[i], "--seconds=%d", &s->seconds) == 1) continue;
    if (sscanf(argv[i], "--rounds=%d", &s->rounds) == 1) continue;
    if (sscanf(argv[i], "--bytes=%d", &s->bytes) == 1) continue;
    if (sscanf(argv[i], "--keys=%d", &s->keys) == 1) continue;
    if (sscanf(argv[i], "--in-flight=%d", &s->in_flight) == 1) continue;
    if (sscanf(argv[i], "--processors=%d,%d", &s->server_cpu, &s->client_cpu) == 2) continue;
    if (sscanf(argv[i], "--instructions=%d", &s->instructions) == 1) continue;
    fprintf(stderr, "bench_hits: unknown argument %s; see the top of bench_hits.cc\n", argv[i]);
    return false;
  }
  // A stream has 64 credits, and items in flight have different numbers.
  return s->seconds > 0 && s->rounds > 0 && s->bytes >= 512 && s->in_flight > 0 &&
         s->in_flight <= 64 && s->keys > s->in_flight && s->instructions >= 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--echo") return RunEcho();
  Settings s;
  if (!ParseSettings(argc, argv, &s)) return 2;
  const std::string dir =
      std::filesystem::temp_directory_path() / ("kiln_bench_" + std::to_string(getpid()));
  std::filesystem::create_directory(dir);
  const bool counts = s.instructions > 0;
  auto profile = [&](const std::string& name) { return counts ? dir + "/" + name : ""; };
  auto under = [&](const std::string& name) -> std::vector<std::string> {
    if (!counts) return {};
    return {"valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=" + profile(name)};
  };

  kiln::test::KilndProcess memory({"--memory-cache-bytes=2GiB"}, std::nullopt, under("memory"));
  kiln::test::KilndProcess disk({"--memory-cache-bytes=0", "--cache-dir=" + dir + "/cache"},
                                std::nullopt, under("disk"));
  if (!memory.AwaitReady() || !disk.AwaitReady()) {
    fprintf(stderr, "%s%s", memory.log().c_str(), disk.log().c_str());
    return 1;
  }
  Fill(disk, s);
  const Requests requests = Fill(memory, s);
  CompileResponse one;
  *one.add_results() = requests.results.results(0);
  Echo echo(under("echo"), one), echo_all(under("echo_all"), requests.results);
  for (pid_t pid : {echo.pid(), echo_all.pid(), memory.pid(), disk.pid()}) Pin(pid, s.server_cpu);
  Pin(getpid(), s.client_cpu);

  std::vector<Server> servers;
  servers.push_back({"echo", echo.address(), Meter(echo.pid(), profile("echo"))});
  servers.push_back(
      {"echo of all", echo_all.address(), Meter(echo_all.pid(), profile("echo_all"))});
  servers.push_back({"memory", memory.address(), Meter(memory.pid(), profile("memory"))});
  servers.push_back({"disk", disk.address(), Meter(disk.pid(), profile("disk"))});
  printf("%d in flight, %zu-byte responses, %d keys", s.in_flight, one.ByteSizeLong(), s.keys);
  if (counts) {
    printf(", %d hits of each kind; profiles: %s\n", s.instructions, dir.c_str());
  } else {
    printf(", medians of %d rounds\n", s.rounds);
  }
  Compare<UnaryLoad>("call", &servers, requests.calls, s);
  Compare<StreamLoad>("item", &servers, requests.items, s);
  for (auto* kilnd : {&memory, &disk}) kilnd->Signal(SIGTERM);
  for (auto* kilnd : {&memory, &disk}) kilnd->Wait();
  std::filesystem::remove_all(counts ? dir + "/cache" : dir);
  return 0;
}
