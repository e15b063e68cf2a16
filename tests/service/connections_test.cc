// kilnd and more connections than it has descriptors for: floods that end and floods that stay,
// connections that send nothing, send garbage, or close at once; on both listeners.
#include <arpa/inet.h>
#include <fcntl.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/testing/await.h"
#include "kiln/v1/admin.grpc.pb.h"
#include "kiln/v1/compiler.grpc.pb.h"
#include "server/worker/testing/fake_backend.h"
#include "tests/service/kilnd_process.h"

namespace kiln::test {
namespace {

using Descriptors = KilndProcess::Descriptors;
using kiln::v1::TargetResult;
using Stub = kiln::v1::Compiler::Stub;
using std::chrono::milliseconds;

// A client's first bytes in HTTP/2: the preface and empty settings.
constexpr std::string_view kHello("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33);

// Connections of a client that does not use gRPC's library.
class Flood {
 public:
  Flood() = default;
  Flood(Flood&&) = default;
  ~Flood() { Close(); }

  // Opens `count` connections from 127.0.0.1 to "127.0.0.1:PORT" or "unix:PATH" and keeps them;
  // waits for none of them.
  void Open(const std::string& address, int count) {
    sockaddr_storage storage = {};
    auto* to = reinterpret_cast<sockaddr*>(&storage);
    if (address.rfind("unix:", 0) == 0) {
      to->sa_family = AF_UNIX;
      address.copy(reinterpret_cast<sockaddr_un*>(to)->sun_path, 107, 5);
    } else {
      auto* ip = reinterpret_cast<sockaddr_in*>(to);
      ip->sin_family = AF_INET;
      ip->sin_port = htons(static_cast<uint16_t>(atoi(address.c_str() + address.find(':') + 1)));
      ip->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    }
    socklen_t size = to->sa_family == AF_UNIX ? sizeof(sockaddr_un) : sizeof(sockaddr_in);
    for (int i = 0; i < count; ++i) {
      int fd = socket(to->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
      ASSERT_GE(fd, 0) << "this test needs descriptors of its own";
      (void)connect(fd, to, size);
      fds_.push_back(fd);
    }
  }
  void Say(std::string_view text) {
    for (int fd : fds_) {
      pollfd p = {fd, POLLOUT, 0};
      if (poll(&p, 1, 10) > 0) send(fd, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
  }
  // Closes them abruptly: each is a reset.
  void Reset() {
    linger at_once = {1, 0};
    for (int fd : fds_) setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    Close();
  }
  // Returns the number of connections that the daemon has not ended.
  int Held() {
    int held = 0;
    for (int fd : fds_) {
      char bytes[4096];
      ssize_t n;
      while ((n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0) {
      }
      held += n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    }
    return held;
  }
  void Close() {
    for (int fd : fds_) close(fd);
    fds_.clear();
  }

 private:
  std::vector<int> fds_;
};

// grpc.health.v1.HealthCheckResponse.
constexpr std::string_view kServing("\x08\x01"), kNotServing("\x08\x02");

// Returns the answer to a health check of the whole server.
std::string Health(const std::shared_ptr<grpc::Channel>& channel) {
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(5));
  grpc::Slice empty;
  grpc::ByteBuffer request(&empty, 1), response;
  grpc::CompletionQueue queue;
  auto call = stub.PrepareUnaryCall(&context, "/grpc.health.v1.Health/Check", request, &queue);
  grpc::Status status;
  call->StartCall();
  call->Finish(&response, &status, nullptr);
  void* tag;
  bool ok;
  queue.Next(&tag, &ok);
  grpc::Slice answer;
  if (!status.ok() || !response.DumpToSingleSlice(&answer).ok()) return status.error_message();
  return std::string(answer.begin(), answer.end());
}

class ConnectionsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  void Start(std::vector<std::string> flags, std::optional<Descriptors> descriptors = {}) {
    flags.push_back("--enable-fault-injection");
    flags.push_back("--workers=2");
    kilnd_ = std::make_unique<KilndProcess>(flags, descriptors);
    ASSERT_TRUE(kilnd_->AwaitReady()) << kilnd_->log();
  }
  // Makes a call of a new client, which reconnects while it is refused.
  grpc::Status Call(int deadline_ms = 5000, bool patient = true) {
    return CallOn(kilnd_->Stub().get(), deadline_ms, patient);
  }
  static grpc::Status CallOn(Stub* stub, int deadline_ms = 5000, bool patient = true) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + milliseconds(deadline_ms));
    context.set_wait_for_ready(patient);
    kiln::v1::Capabilities capabilities;
    return stub->GetCapabilities(&context, {}, &capabilities);
  }
  static grpc::Status Compile(Stub* stub, uint32_t seed, const std::string& fault,
                              TargetResult* result = nullptr) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    if (!fault.empty()) context.AddMetadata("kiln-fault", fault);
    kiln::v1::CompileRequest request;
    request.set_spirv(worker::FakeModule(seed));
    request.add_targets("tgl");
    kiln::v1::CompileResponse response;
    grpc::Status status = stub->Compile(&context, request, &response);
    if (result != nullptr && response.results_size() > 0) *result = response.results(0);
    return status;
  }
  double Metric(const std::string& name) { return kilnd_->Metric(name); }

  std::unique_ptr<KilndProcess> kilnd_;
};

// Returns a stub over a connection from 127.0.0.2.
std::unique_ptr<Stub> StubOfAnother(const std::string& address) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in from = {}, to = {};
  from.sin_family = to.sin_family = AF_INET;
  from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(static_cast<uint16_t>(atoi(address.c_str() + address.find(':') + 1)));
  EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&from), sizeof from), 0);
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  return kiln::v1::Compiler::NewStub(grpc::CreateInsecureChannelFromFd("kilnd", fd));
}

// Many connections of one address that speak HTTP/2 and never call leave slots for another address;
// new clients of their own address get the slots of idle ones.
TEST_F(ConnectionsTest, OneAddressDoesNotHoldAllPlaces) {
  Start({});
  std::vector<Flood> floods(11);
  for (Flood& flood : floods) {
    flood.Open(kilnd_->address(), 100);
    flood.Say(kHello);
  }
  ASSERT_TRUE(Await([&] { return Metric("kiln_connections{listener=\"grpc\"}") >= 490; }));
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(CallOn(StubOfAnother(kilnd_->address()).get(), 1000).ok()) << i;
  }
  EXPECT_LE(Metric("kiln_connections{listener=\"grpc\"}"), 540);
  EXPECT_GE(Metric("kiln_connections_refused_total{listener=\"grpc\",reason=\"address_limit\"}"),
            1);
  EXPECT_EQ(kilnd_->Page("/healthz").rfind("ok\nconnections_full: ", 0), 0u)
      << kilnd_->Page("/healthz");
  // The connections have been idle for long enough now.
  std::this_thread::sleep_for(milliseconds(1100));
  EXPECT_TRUE(Call().ok());
  EXPECT_GE(Metric("kiln_connections_closed_total{listener=\"grpc\",reason=\"idle\"}"), 1);
  floods.clear();
  EXPECT_TRUE(Await([&] { return kilnd_->Page("/healthz") == "ok\n"; }));
}

// A client with an open call keeps its connection; one that has called is closed after those that
// never did.
class PlaceTest : public ConnectionsTest, public testing::WithParamInterface<const char*> {};

TEST_P(PlaceTest, IdleOnesOfAnAddressGiveWayBeforeThoseWithCalls) {
  Start({std::string("--listen=") + GetParam(), "--max-connections=8",
         "--max-connections-per-address=4"});
  auto called = kilnd_->Stub(), busy = kilnd_->Stub();
  ASSERT_TRUE(CallOn(called.get()).ok());
  grpc::Status slow;
  std::thread caller([&] { slow = Compile(busy.get(), 1, "slow::4000"); });
  EXPECT_TRUE(Await([&] { return Metric("kiln_workers_busy") == 1; }));
  Flood never;
  never.Open(kilnd_->address(), 2);
  never.Say(kHello);
  std::this_thread::sleep_for(milliseconds(1300));
  auto first = kilnd_->Stub(), second = kilnd_->Stub(), third = kilnd_->Stub();
  EXPECT_TRUE(CallOn(first.get()).ok());
  EXPECT_TRUE(Await([&] { return never.Held() == 1; }));
  EXPECT_TRUE(CallOn(second.get()).ok());
  EXPECT_TRUE(Await([&] { return never.Held() == 0; }));
  EXPECT_TRUE(CallOn(third.get()).ok()) << "instead of the one that called longest ago";
  EXPECT_EQ(Metric("kiln_connections_closed_total{listener=\"grpc\",reason=\"idle\"}"), 3);
  caller.join();
  EXPECT_TRUE(slow.ok()) << slow.error_message();
}

INSTANTIATE_TEST_SUITE_P(, PlaceTest, testing::Values("127.0.0.1:0", "unix:place_test/kilnd.sock"),
                         [](const auto& p) { return p.param[0] == 'u' ? "Unix" : "Tcp"; });

// Calls to every service count, so that an operator's tool that uses the Admin service is closed
// after clients that never called.
TEST_F(ConnectionsTest, CallsToTheAdminServiceCount) {
  Start({"--max-connections=8", "--max-connections-per-address=2"});
  const auto admin = kiln::v1::Admin::NewStub(kilnd_->Channel());
  const auto list = [&admin] {
    grpc::ClientContext context;
    kiln::v1::QuarantineList entries;
    return admin->ListQuarantine(&context, {}, &entries);
  };
  ASSERT_TRUE(list().ok());
  Flood never;
  never.Open(kilnd_->address(), 1);
  never.Say(kHello);
  std::this_thread::sleep_for(milliseconds(1300));
  auto newcomer = kilnd_->Stub();
  EXPECT_TRUE(CallOn(newcomer.get()).ok());
  EXPECT_TRUE(Await([&] { return never.Held() == 0; }));
  EXPECT_TRUE(list().ok());
  EXPECT_EQ(Metric("kiln_connections_accepted_total{listener=\"grpc\"}"), 3);
}

class FloodTest : public ConnectionsTest, public testing::WithParamInterface<Descriptors> {};

TEST_P(FloodTest, TheNextClientIsServed) {
  Start({}, GetParam());
  Flood flood;
  flood.Open(kilnd_->address(), 1500);
  std::this_thread::sleep_for(milliseconds(500));
  EXPECT_TRUE(Call().ok()) << "while silent connections are held";
  flood.Close();
  grpc::Status status = Call();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_TRUE(Await([&] { return Metric("kiln_connections{listener=\"grpc\"}") <= 2; }));
  EXPECT_LT(Metric("process_open_fds"), 128);
  EXPECT_EQ(Metric("kiln_connections_refused_total{listener=\"grpc\",reason=\"descriptors\"}"), 0);
}

INSTANTIATE_TEST_SUITE_P(, FloodTest,
                         testing::Values(Descriptors{1024, 1024}, Descriptors{256, 20000},
                                         Descriptors{256, 256}),
                         [](const auto& p) {
                           return "Soft" + std::to_string(p.param.soft) + "Hard" +
                                  std::to_string(p.param.hard);
                         });

// Silent, with half a greeting, with garbage, closed at once; many times the limit.
TEST_F(ConnectionsTest, FiveThousandOfEveryKind) {
  Start({}, Descriptors{256, 256});
  for (std::string_view text : {std::string_view(), kHello.substr(0, 10),
                                std::string_view("GET / HTTP/1.1\r\n\r\n"), kHello}) {
    for (bool held : {false, true}) {
      Flood flood;
      for (int i = 0; i < 6; ++i) {
        flood.Open(kilnd_->address(), 105);
        if (!held) flood.Close();
        if (held && !text.empty()) flood.Say(text);
      }
      ASSERT_GE(Metric("kiln_connections_limit{listener=\"grpc\"}"), 8);
      flood.Close();
      grpc::Status status = Call();
      ASSERT_TRUE(status.ok()) << text << " " << held << ": " << status.error_message();
    }
  }
  EXPECT_TRUE(Await([&] { return Metric("kiln_connections{listener=\"grpc\"}") <= 2; }));
  EXPECT_EQ(Metric("kiln_connections_refused_total{listener=\"grpc\",reason=\"descriptors\"}"), 0);
  kilnd_->Signal(SIGTERM);
  EXPECT_EQ(kilnd_->Wait(), 0);
  EXPECT_NE(kilnd_->log().find("event=few_descriptors"), std::string::npos) << kilnd_->log();
}

// Connections are reset before they are accepted: gRPC would write a line for each, which fills an
// unread pipe and blocks the threads that write to it.
TEST_F(ConnectionsTest, ResetsNeitherFillTheLogNorStopTheListener) {
  Start({});
  const size_t before = kilnd_->log().size();
  for (int i = 0; i < 60; ++i) {
    kilnd_->Signal(SIGSTOP);
    Flood flood;
    flood.Open(kilnd_->address(), 50);
    flood.Reset();
    kilnd_->Signal(SIGCONT);
  }
  grpc::Status status = Call();
  ASSERT_TRUE(status.ok()) << status.error_message();
  kilnd_->Signal(SIGTERM);
  EXPECT_EQ(kilnd_->Wait(), 0);
  EXPECT_LT(kilnd_->log().size() - before, 2000u) << kilnd_->log().substr(before, 2000);
}

TEST_F(ConnectionsTest, AScrapeIsAnsweredWhileSilentConnectionsAreHeld) {
  Start({}, Descriptors{256, 256});
  Flood flood;
  flood.Open(kilnd_->metrics_address(), 300);
  std::this_thread::sleep_for(milliseconds(500));
  auto start = std::chrono::steady_clock::now();
  EXPECT_NE(kilnd_->Metrics(), "");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_LE(flood.Held(), 32);
  EXPECT_TRUE(Call().ok());
}

// More connections than slots, each with a byte now and then: none is idle, none makes a request.
TEST_F(ConnectionsTest, ScrapesAreAnsweredWhileOthersDrip) {
  Start({});
  Flood flood;
  flood.Open(kilnd_->metrics_address(), 100);
  flood.Say("GET /x");
  for (int i = 0; i < 12; ++i) {
    std::this_thread::sleep_for(milliseconds(100));
    flood.Say("a");
    EXPECT_EQ(kilnd_->Page("/healthz"), "ok\n") << i;
    EXPECT_NE(kilnd_->Metrics(), "") << i;
    if (i % 4 == 0) flood.Open(kilnd_->metrics_address(), 20);
  }
  EXPECT_GE(Metric("kiln_connections_closed_total{listener=\"metrics\",reason=\"gave_way\"}"), 84);
  EXPECT_TRUE(Await([&] {
    flood.Say("a");
    return flood.Held() == 0;
  })) << "2 s after they came";
}

// Clients send requests again and again, and read no answer.
TEST_F(ConnectionsTest, ScrapesAreAnsweredWhileOthersDoNotRead) {
  Start({});
  Flood flood;
  for (int i = 0; i < 12; ++i) {
    flood.Open(kilnd_->metrics_address(), 30);
    flood.Say("GET /metrics HTTP/1.1\r\n\r\n");
    EXPECT_EQ(kilnd_->Page("/healthz"), "ok\n") << i;
    EXPECT_NE(kilnd_->Metrics(), "") << i;
  }
}

TEST_F(ConnectionsTest, OverTheLimitClientsAreRefusedAndSoTold) {
  Start({"--max-connections=2", "--max-connections-per-address=2"});
  auto first = kilnd_->Stub(), second = kilnd_->Stub();
  ASSERT_TRUE(CallOn(first.get()).ok());
  ASSERT_TRUE(CallOn(second.get()).ok());
  grpc::Status refused = Call(5000, false);
  EXPECT_EQ(refused.error_code(), grpc::UNAVAILABLE) << refused.error_message();
  EXPECT_GE(Metric("kiln_connections_refused_total{listener=\"grpc\",reason=\"limit\"}"), 1);
  EXPECT_EQ(Metric("kiln_connections{listener=\"grpc\"}"), 2);
  EXPECT_TRUE(CallOn(first.get()).ok()) << "those that are connected do not notice";
  second.reset();
  EXPECT_TRUE(Call().ok());
}

// On every kind of socket. A client without a call is idle: one that sends nothing, and one that
// keeps speaking HTTP/2 (here it grants a byte to be sent, again and again) without ever calling.
class IdleTest : public ConnectionsTest, public testing::WithParamInterface<const char*> {};

TEST_P(IdleTest, ClientsWithoutCallsGiveWayAndThoseWithCallsDoNot) {
  constexpr std::string_view kWindowUpdate("\0\0\4\10\0\0\0\0\0\0\0\0\1", 13);
  Start({std::string("--listen=") + GetParam(), "--max-connections=3",
         "--max-connections-per-address=3", "--idle-time=1s"});
  Flood talks;
  talks.Open(kilnd_->address(), 1);
  talks.Say(kHello);
  auto idle = kilnd_->Stub(), busy = kilnd_->Stub();
  ASSERT_TRUE(CallOn(idle.get()).ok());
  grpc::Status slow;
  std::thread caller([&] { slow = Compile(busy.get(), 1, "slow::6000"); });
  EXPECT_TRUE(Await([&] { return Metric("kiln_workers_busy") == 1; }));
  EXPECT_EQ(Metric("kiln_connections{listener=\"grpc\"}"), 3);
  EXPECT_TRUE(Await([&] {
    talks.Say(kWindowUpdate);
    return talks.Held() == 0;
  }));
  EXPECT_TRUE(Await([&] { return Metric("kiln_connections{listener=\"grpc\"}") == 1; }));
  auto third = kilnd_->Stub(), fourth = kilnd_->Stub();
  EXPECT_TRUE(CallOn(third.get()).ok());
  EXPECT_TRUE(CallOn(fourth.get()).ok());
  caller.join();
  EXPECT_TRUE(slow.ok()) << slow.error_message();
  EXPECT_TRUE(CallOn(idle.get(), 10'000).ok()) << "connects again at its next call";
}

// A Unix-domain socket has no other bound for these (server/net/README.md).
TEST_P(IdleTest, WhoDoesNotBeginIsEndedToo) {
  Start({std::string("--listen=") + GetParam(), "--idle-time=1s"});
  Flood silent, half, begun;
  silent.Open(kilnd_->address(), 3);
  half.Open(kilnd_->address(), 3);
  half.Say(kHello.substr(0, 10));
  begun.Open(kilnd_->address(), 3);
  begun.Say(kHello);
  const auto held = [&] { return silent.Held() + half.Held() + begun.Held(); };
  EXPECT_EQ(held(), 9);
  EXPECT_TRUE(Await([&] { return held() == 0; }, std::chrono::seconds(20)))
      << silent.Held() << " " << half.Held() << " " << begun.Held();
  EXPECT_TRUE(Call().ok());
}

INSTANTIATE_TEST_SUITE_P(, IdleTest, testing::Values("127.0.0.1:0", "unix:idle_test/kilnd.sock"),
                         [](const auto& p) { return p.param[0] == 'u' ? "Unix" : "Tcp"; });

// Descriptors for the daemon's own work remain while clients have all that they may have.
TEST_F(ConnectionsTest, AtTheLimitWorkersStartAndTheCacheIsWritten) {
  std::string dir = testing::TempDir() + "/connections_cache";
  std::filesystem::remove_all(dir);
  Start({"--cache-dir=" + dir, "--cache-bytes=4MiB", "--max-connections-per-address=1000"},
        Descriptors{256, 256});
  auto stub = kilnd_->Stub();
  ASSERT_TRUE(CallOn(stub.get()).ok());
  int limit = static_cast<int>(Metric("kiln_connections_limit{listener=\"grpc\"}"));
  ASSERT_GE(limit, 8);
  Flood flood, scrapes;
  flood.Open(kilnd_->address(), limit - 1);
  flood.Say(kHello);
  scrapes.Open(kilnd_->metrics_address(), 100);
  flood.Open(kilnd_->address(), 1000);
  EXPECT_TRUE(Await([&] { return Metric("kiln_connections{listener=\"grpc\"}") >= limit; }));
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    TargetResult result;
    bool crash = seed % 15 == 0;
    grpc::Status status = Compile(stub.get(), seed, crash ? "crash" : "", &result);
    ASSERT_TRUE(status.ok()) << status.error_message();
    ASSERT_EQ(result.status(), crash ? TargetResult::CRASHED : TargetResult::OK) << seed;
  }
  EXPECT_EQ(Metric("kiln_worker_exits_total{reason=\"segv\"}"), 20);
  EXPECT_EQ(Metric("kiln_cache_write_errors_total"), 0);
  EXPECT_EQ(Metric("kiln_connections_refused_total{listener=\"grpc\",reason=\"descriptors\"}"), 0);
  EXPECT_LT(Metric("process_open_fds"), 256);
}

// Without a single descriptor nothing can be accepted. The daemon notices, and recovers when
// descriptors are free again.
TEST_F(ConnectionsTest, ADeafDaemonKnowsAndRecovers) {
  Start({"--probe-interval=100ms"});
  EXPECT_EQ(Metric("kiln_listener_healthy"), 1);
  EXPECT_TRUE(Await([&] { return Metric("kiln_self_probes_total{result=\"answered\"}") >= 2; }));
  EXPECT_EQ(Metric("kiln_self_probes_total{result=\"failed\"}"), 0);
  rlimit before, few = {8, 0};
  ASSERT_EQ(prlimit(kilnd_->pid(), RLIMIT_NOFILE, nullptr, &before), 0);
  few.rlim_max = before.rlim_max;
  auto connected = kilnd_->Channel();
  EXPECT_EQ(Health(connected), kServing);
  EXPECT_EQ(kilnd_->Page("/healthz"), "ok\n");
  ASSERT_EQ(prlimit(kilnd_->pid(), RLIMIT_NOFILE, &few, nullptr), 0);
  EXPECT_FALSE(Call(300).ok());
  EXPECT_TRUE(Await([&] { return Health(connected) == kNotServing; }));
  ASSERT_EQ(prlimit(kilnd_->pid(), RLIMIT_NOFILE, &before, nullptr), 0);
  EXPECT_TRUE(Call().ok());
  EXPECT_TRUE(Await([&] { return Health(connected) == kServing; }));
  EXPECT_EQ(Metric("kiln_listener_healthy"), 1);
  EXPECT_EQ(kilnd_->Page("/healthz"), "ok\n");
  EXPECT_GE(Metric("kiln_self_probes_total{result=\"failed\"}"), 1);
}

// Every descriptor is taken but the one that is reserved for refusing: clients get an answer at
// once.
TEST_F(ConnectionsTest, TheLastDescriptorIsSpentOnRefusing) {
  Start({});
  uint64_t highest = 0;
  for (const auto& fd :
       std::filesystem::directory_iterator("/proc/" + std::to_string(kilnd_->pid()) + "/fd")) {
    highest = std::max<uint64_t>(highest, std::stoul(fd.path().filename().string()));
  }
  rlimit before, few;
  ASSERT_EQ(prlimit(kilnd_->pid(), RLIMIT_NOFILE, nullptr, &before), 0);
  few = {highest + 6, before.rlim_max};
  ASSERT_EQ(prlimit(kilnd_->pid(), RLIMIT_NOFILE, &few, nullptr), 0);
  // The page says so for two seconds after the last refusal, and it is itself refused until kilnd
  // has closed some of the flood's connections: on a busy machine one flood may show neither.
  std::string page;
  EXPECT_TRUE(Await([&] {
    Flood flood;
    flood.Open(kilnd_->address(), 100);
    flood.Say(kHello);
    auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(Call(5000, false).error_code(), grpc::UNAVAILABLE);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
    flood.Close();
    Await([&] { return !(page = kilnd_->Page("/healthz")).empty(); }, std::chrono::seconds(5));
    return page.find("\nconnections_full: new clients are refused for lack of ") !=
           std::string::npos;
  })) << page;
  EXPECT_TRUE(Call().ok());
  EXPECT_GE(Metric("kiln_connections_refused_total{listener=\"grpc\",reason=\"descriptors\"}"), 1);
}

TEST_F(ConnectionsTest, TheProbePassesWhereClientsAreRefused) {
  Start({"--probe-interval=50ms", "--max-connections=1"});
  auto only = kilnd_->Stub();
  ASSERT_TRUE(CallOn(only.get()).ok());
  EXPECT_EQ(Call(1000, false).error_code(), grpc::UNAVAILABLE);
  double before = Metric("kiln_self_probes_total{result=\"answered\"}");
  EXPECT_TRUE(
      Await([&] { return Metric("kiln_self_probes_total{result=\"answered\"}") >= before + 3; }));
  EXPECT_EQ(Metric("kiln_self_probes_total{result=\"failed\"}"), 0);
  EXPECT_EQ(Metric("kiln_connections_refused_total{listener=\"grpc\",reason=\"limit\"}") >= 1,
            true);
}

TEST_F(ConnectionsTest, MetricsArePresentFromTheStart) {
  Start({});
  for (const char* name : {
           "kiln_connections{listener=\"grpc\"}",
           "kiln_connections_accepted_total{listener=\"grpc\"}",
           "kiln_connections_refused_total{listener=\"grpc\",reason=\"limit\"}",
           "kiln_connections_refused_total{listener=\"grpc\",reason=\"descriptors\"}",
           "kiln_connections_closed_total{listener=\"grpc\",reason=\"silent\"}",
           "kiln_connections_closed_total{listener=\"metrics\",reason=\"gave_way\"}",
           "kiln_connections_closed_total{listener=\"metrics\",reason=\"late\"}",
           "kiln_connections_refused_total{listener=\"metrics\",reason=\"limit\"}",
           "kiln_self_probes_total{result=\"failed\"}",
       }) {
    EXPECT_EQ(Metric(name), 0) << name;
  }
  EXPECT_EQ(Metric("kiln_connections_limit{listener=\"grpc\"}"), 1000);
  EXPECT_GT(Metric("process_open_fds"), 10);
  EXPECT_GE(Metric("process_max_fds"), 1000);
  double now = static_cast<double>(time(nullptr));
  EXPECT_NEAR(Metric("process_start_time_seconds"), now, 60);
}

TEST_F(ConnectionsTest, EveryKindOfAddress) {
  // Relative, because the full name of a test's folder is too long for a socket. kilnd makes "k".
  std::string socket = std::filesystem::relative(testing::TempDir()).string() + "/k/kilnd.sock";
  for (std::string listen : {std::string("[::1]:0"), std::string("[::]:0"), "unix:" + socket,
                             std::string("localhost:0"), std::string("0.0.0.0:0")}) {
    Start({"--listen=" + listen, "--probe-interval=50ms"});
    EXPECT_TRUE(Call().ok()) << kilnd_->address();
    EXPECT_TRUE(Await([&] { return Metric("kiln_self_probes_total{result=\"answered\"}") >= 2; }))
        << listen;
    EXPECT_EQ(Metric("kiln_self_probes_total{result=\"failed\"}"), 0) << listen;
    // the socket file of a dead daemon is replaced, that of a live one is not
    if (listen[0] == 'u') {
      KilndProcess other({"--listen=" + listen});
      EXPECT_FALSE(other.AwaitReady());
      EXPECT_NE(other.log().find("another program listens on it"), std::string::npos);
      kilnd_->Signal(SIGKILL);
      kilnd_->Wait();
      EXPECT_TRUE(std::filesystem::exists(socket));
      Start({"--listen=" + listen});
      EXPECT_TRUE(Call().ok());
    }
    kilnd_->Signal(SIGTERM);
    EXPECT_EQ(kilnd_->Wait(), 0);
    EXPECT_FALSE(std::filesystem::exists(socket));
    EXPECT_EQ(kilnd_->log().find("event=open_to_others") != std::string::npos,
              listen == "[::]:0" || listen == "0.0.0.0:0")
        << listen << kilnd_->log();
  }
}

TEST_F(ConnectionsTest, TooFewDescriptorsAreAClearError) {
  kilnd_ = std::make_unique<KilndProcess>(std::vector<std::string>(), Descriptors{100, 100});
  EXPECT_FALSE(kilnd_->AwaitReady());
  EXPECT_EQ(kilnd_->Wait(), 1);
  EXPECT_NE(kilnd_->log().find("this process may have at most 100 open files"), std::string::npos)
      << kilnd_->log();
}

}  // namespace
}  // namespace kiln::test
