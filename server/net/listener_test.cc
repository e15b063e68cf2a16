// Tests the accept loop: its bound, which connection gives way, and how a deaf daemon finds out.
#include "server/net/listener.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "core/base/testing/await.h"
#include "server/net/health_call.h"
#include "server/net/self_probe.h"

namespace kiln::net {
namespace {

// A connected client.
class Client {
 public:
  // From 127.0.0.`own`.
  explicit Client(const Listener& listener, uint32_t own = 1)
      : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in from = {};
    from.sin_family = AF_INET;
    from.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + own);
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&from), sizeof from), 0);
    socklen_t size;
    sockaddr_storage to = listener.first_address(&size);
    connected_ = connect(fd_, reinterpret_cast<sockaddr*>(&to), size) == 0;
  }
  ~Client() { close(fd_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool connected() const { return connected_; }
  void Say(const std::string& text) { ASSERT_GT(send(fd_, text.data(), text.size(), 0), 0); }
  // Waits until the other side has closed.
  bool Ended() const {
    pollfd p = {fd_, POLLIN, 0};
    char byte;
    return poll(&p, 1, 5000) > 0 && recv(fd_, &byte, 1, MSG_DONTWAIT) <= 0;
  }
  bool Open() const {
    char byte;
    return recv(fd_, &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && errno == EAGAIN;
  }

 private:
  int fd_;
  bool connected_ = false;
};

// Owns the connections that a listener hands on; closes one when its client has closed, as gRPC
// does.
class ListenerTest : public testing::Test {
 protected:
  void Start(uint64_t most, uint64_t of_one_address = 0, const std::string& trusted = "none") {
    auto sockets = Listen("listen", "127.0.0.1:0");
    ASSERT_TRUE(sockets.ok()) << sockets.status();
    Listener::Options options;
    options.max_connections = most;
    options.max_per_address = of_one_address;
    options.trusted = *TrustedProxies::Parse(trusted);
    options.table = &table_;
    options.take = [this](int fd, bool) {
      std::lock_guard<std::mutex> lock(mutex_);
      taken_.insert(fd);
    };
    options.on_refusing = [this](bool refusing) { told_ += refusing ? '+' : '-'; };
    listener_ = std::make_unique<Listener>(*std::move(sockets), std::move(options));
  }
  void TearDown() override {
    listener_.reset();
    for (int fd : taken_) close(fd);
  }
  std::unique_ptr<Client> Connect(uint32_t own = 1) {
    auto client = std::make_unique<Client>(*listener_, own);
    EXPECT_TRUE(client->connected());
    return client;
  }
  void CloseEnded() {
    std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(taken_, [](int fd) {
      char byte;
      bool ended = recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
      if (ended) close(fd);
      return ended;
    });
  }
  size_t Taken() {
    std::lock_guard<std::mutex> lock(mutex_);
    return taken_.size();
  }
  void AwaitTaken(size_t count) {
    EXPECT_TRUE(Await([&] { return Taken() >= count; }));
    ASSERT_EQ(Taken(), count);
  }
  // Connects and sends a byte that the kernel has counted.
  std::unique_ptr<Client> ConnectAndSpeak(size_t count, uint32_t own = 1) {
    auto client = Connect(own);
    client->Say("x");
    AwaitTaken(count);
    absl::SleepFor(absl::Milliseconds(20));
    return client;
  }

  ConnectionTable table_;
  std::mutex mutex_;
  std::set<int> taken_;
  std::string told_;  // used by the listener's thread
  std::unique_ptr<Listener> listener_;
};

// A page may read the counters while the daemon ends.
TEST_F(ListenerTest, CountersOutliveAccepting) {
  Start(2);
  auto client = ConnectAndSpeak(1);
  socklen_t size;
  const sockaddr_storage to = listener_->first_address(&size);
  listener_->Stop();
  EXPECT_EQ(listener_->counters().open, 1u);
  EXPECT_TRUE(client->Open());
  const int late = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_NE(connect(late, reinterpret_cast<const sockaddr*>(&to), size), 0);
  close(late);
  listener_->Stop();
}

TEST_F(ListenerTest, RefusesOverTheLimitAndServesWhenOneHasLeft) {
  Start(2);
  auto first = ConnectAndSpeak(1), second = ConnectAndSpeak(2), third = Connect();
  EXPECT_TRUE(third->Ended());
  EXPECT_TRUE(first->Open());
  EXPECT_TRUE(second->Open());
  first.reset();
  for (int i = 0; i < 1000 && Taken() == 2; ++i) {
    CloseEnded();  // its first byte is still unread: peeked at, it is no end of file
    std::lock_guard<std::mutex> lock(mutex_);
    char byte;
    for (int fd : taken_) recv(fd, &byte, 1, MSG_DONTWAIT);
  }
  EXPECT_EQ(listener_->counters().open, 1u);
  auto fourth = ConnectAndSpeak(2);
  EXPECT_TRUE(fourth->Open());
  EXPECT_EQ(listener_->counters().refused_limit, 1u);
  EXPECT_EQ(listener_->counters().accepted, 3u);
  EXPECT_EQ(listener_->counters().closed_silent, 0u);
}

TEST_F(ListenerTest, TheFirstSilentOneGivesWay) {
  Start(3);
  auto speaks = ConnectAndSpeak(1);
  auto silent = Connect(), later = Connect();
  AwaitTaken(3);
  absl::SleepFor(2 * Connections::kLeastSilence);
  auto next = Connect();
  EXPECT_TRUE(silent->Ended());
  EXPECT_TRUE(speaks->Open());
  EXPECT_TRUE(later->Open());
  AwaitTaken(4);
  EXPECT_TRUE(next->Open());
  EXPECT_EQ(listener_->counters().closed_silent, 1u);
}

TEST_F(ListenerTest, OneAddressLeavesPlacesForOthers) {
  Start(4, 2);
  auto first = ConnectAndSpeak(1), second = ConnectAndSpeak(2);
  EXPECT_TRUE(Connect()->Ended()) << "none of its address is idle for long";
  EXPECT_EQ(listener_->counters().refused_address, 1u);
  EXPECT_EQ(listener_->counters().full, Listener::Full::kAddress);
  auto third = ConnectAndSpeak(3, 2), fourth = ConnectAndSpeak(4, 2);
  EXPECT_TRUE(Connect(3)->Ended()) << "all places are taken";
  EXPECT_EQ(listener_->counters().refused_limit, 1u);
  absl::SleepFor(Connections::kLeastIdle + absl::Milliseconds(50));
  auto newcomer = ConnectAndSpeak(5, 3);
  EXPECT_EQ(listener_->counters().closed_idle, 1u);
  EXPECT_TRUE(newcomer->Open());
  EXPECT_NE(first->Open() && second->Open(), third->Open() && fourth->Open())
      << "one of the two addresses gave a place";
}

TEST_F(ListenerTest, ATrustedProxyIsBoundByAllPlacesOnly) {
  Start(4, 1, "127.0.0.2");
  auto first = ConnectAndSpeak(1, 2), second = ConnectAndSpeak(2, 2), third = ConnectAndSpeak(3, 2);
  EXPECT_TRUE(first->Open() && second->Open() && third->Open());
  auto other = ConnectAndSpeak(4);
  EXPECT_TRUE(Connect()->Ended());
  EXPECT_EQ(listener_->counters().refused_limit, 1u);
}

// Connections that were shut down keep their descriptors until their owner closes them, so the
// number shut down before that is bounded.
TEST_F(ListenerTest, AFloodOfSilentOnesDoesNotOutrunTheirClosing) {
  Start(40);
  std::vector<std::unique_ptr<Client>> flood;
  for (int i = 0; i < 40; ++i) flood.push_back(Connect());
  AwaitTaken(40);
  absl::SleepFor(2 * Connections::kLeastSilence);
  for (int i = 0; i < 60; ++i) flood.push_back(Connect());
  EXPECT_TRUE(Await([&] { return listener_->counters().refused_limit >= 44; }));
  Listener::Counters counters = listener_->counters();
  EXPECT_EQ(counters.accepted, 56u);
  EXPECT_EQ(counters.refused_limit, 44u);
  EXPECT_EQ(counters.closed_silent, 16u);
  EXPECT_EQ(Taken(), 56u);
}

// Clients that all come at once are refused, not closed for each other.
TEST_F(ListenerTest, WhoHasJustComeDoesNotGiveWay) {
  Start(20);
  std::vector<std::unique_ptr<Client>> herd;
  absl::Time start = absl::Now();
  for (int i = 0; i < 30; ++i) herd.push_back(Connect());
  absl::Duration took = absl::Now() - start;
  Listener::Counters counters;
  EXPECT_TRUE(Await([&] {
    counters = listener_->counters();
    return counters.accepted + counters.refused_limit >= 30;
  }));
  // On a machine that takes longer the test says nothing.
  if (took > Connections::kLeastSilence / 2) GTEST_SKIP() << took;
  EXPECT_EQ(counters.closed_silent, 0u);
  EXPECT_EQ(counters.refused_limit, 10u);
}

// The number of a descriptor that its owner has closed may be another file now, no connection.
TEST_F(ListenerTest, WhatTookTheNumberOfAClosedConnectionIsLeftAlone) {
  Start(1);
  auto first = Connect();
  AwaitTaken(1);
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  ASSERT_EQ(dup2(pair[0], *taken_.begin()), *taken_.begin());
  auto second = Connect();
  AwaitTaken(2);
  EXPECT_EQ(send(pair[0], "x", 1, MSG_NOSIGNAL), 1) << "was not shut down";
  EXPECT_EQ(listener_->counters().closed_silent, 0u);
  close(pair[0]);
  close(pair[1]);
}

TEST_F(ListenerTest, SaysWhenItBeginsAndEndsToRefuse) {
  Start(1);
  auto only = ConnectAndSpeak(1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Connect()->Ended());
  only.reset();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (int fd : taken_) close(fd);
    taken_.clear();
  }
  absl::SleepFor(absl::Milliseconds(30));
  listener_->counters();
  auto next = ConnectAndSpeak(1);
  listener_.reset();
  EXPECT_EQ(told_.substr(0, 1), "+");
  EXPECT_EQ(told_.find("++"), std::string::npos) << told_;
}

// One address is at its bound and tries again and again, while other clients come and are served.
TEST_F(ListenerTest, OthersWhoAreServedDoNotEndTheRefusing) {
  Start(40, 2);
  auto first = ConnectAndSpeak(1), second = ConnectAndSpeak(2);
  std::vector<std::unique_ptr<Client>> others;
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_TRUE(Connect()->Ended());
    others.push_back(ConnectAndSpeak(3 + i, 10 + static_cast<uint32_t>(i)));
  }
  listener_.reset();
  EXPECT_EQ(told_, "+");
}

TEST_F(ListenerTest, FullIsWhatHasNoPlacesNow) {
  Start(3, 2);
  auto first = ConnectAndSpeak(1), second = ConnectAndSpeak(2);
  EXPECT_TRUE(Connect()->Ended());
  EXPECT_EQ(listener_->counters().full, Listener::Full::kAddress);
  auto third = ConnectAndSpeak(3, 2);
  EXPECT_TRUE(Connect(3)->Ended());
  EXPECT_EQ(listener_->counters().full, Listener::Full::kConnections);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (int fd : taken_) close(fd);
    taken_.clear();
  }
  EXPECT_EQ(listener_->counters().full, Listener::Full::kNo);
}

// Clients come to one socket as fast as they are accepted; the other socket's wait no longer for
// that.
TEST(ListenerSocketsTest, AFloodOnOneSocketDoesNotKeepTheOtherWaiting) {
  constexpr size_t kFlood = 1000;
  auto sockets = Listen("listen", "127.0.0.1:0");
  auto quiet = Listen("listen", "127.0.0.2:0");
  ASSERT_TRUE(sockets.ok() && quiet.ok());
  const auto connect_to = [](int listening) {
    sockaddr_storage to = {};
    socklen_t size = sizeof to;
    getsockname(listening, reinterpret_cast<sockaddr*>(&to), &size);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&to), size), 0);
    return fd;
  };
  const int flooded = sockets->fds[0], other = quiet->fds[0];
  sockets->fds.push_back(dup(other));
  std::vector<int> clients = {connect_to(other), connect_to(flooded)};
  std::atomic<size_t> taken = 0, other_at = 0;
  Listener::Options options;
  options.max_connections = 2 * kFlood;
  options.take = [&](int fd, bool) {
    sockaddr_in own = {};
    socklen_t size = sizeof own;
    getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size);
    close(fd);
    ++taken;
    if (own.sin_addr.s_addr == htonl(INADDR_LOOPBACK + 1)) {
      other_at = taken.load();
    } else if (taken < kFlood) {
      clients.push_back(connect_to(flooded));
    }
  };
  Listener listener(*std::move(sockets), std::move(options));
  EXPECT_TRUE(Await([&] { return taken >= kFlood && other_at != 0; }));
  listener.Stop();
  EXPECT_GE(other_at, 1u);
  EXPECT_LE(other_at, 65u);
  for (int fd : clients) close(fd);
}

// No server answers: that is how a deaf daemon looks to itself.
TEST_F(ListenerTest, AProbeOfADeafDaemonFailsAndSaysSo) {
  Start(1);
  auto only = ConnectAndSpeak(1);
  std::atomic<bool> deaf = true;
  std::vector<bool> told;
  SelfProbe::Options options;
  options.interval = absl::Milliseconds(10);
  options.ask = [&] {
    return deaf ? CallHealthThrough(listener_.get(), absl::Milliseconds(50)) : absl::OkStatus();
  };
  options.on_change = [&](const absl::Status& status) { told.push_back(status.ok()); };
  SelfProbe probe(std::move(options));
  EXPECT_TRUE(Await([&] { return probe.counters().failed >= 2; }));
  EXPECT_FALSE(probe.counters().last.ok());
  EXPECT_EQ(listener_->counters().refused_limit, 0u) << "the probe passes the limit";
  deaf = false;
  EXPECT_TRUE(Await([&] { return probe.counters().answered != 0; }));
  probe.Stop();
  EXPECT_TRUE(probe.counters().last.ok());
  EXPECT_EQ(told, (std::vector<bool>{false, true}));
}

// A probe hangs together with what it asks: its thread cannot report that, the counters can.
TEST(SelfProbeTest, AProbeThatHangsHasFailed) {
  std::atomic<bool> hangs = true;
  SelfProbe::Options options;
  options.interval = absl::Milliseconds(1);
  options.bound = absl::Milliseconds(50);
  options.ask = [&] {
    while (hangs) absl::SleepFor(absl::Milliseconds(1));
    return absl::OkStatus();
  };
  SelfProbe probe(std::move(options));
  EXPECT_TRUE(Await([&] { return !probe.counters().last.ok(); }));
  EXPECT_EQ(probe.counters().last.message(), "the health check has not returned");
  EXPECT_EQ(probe.counters().answered, 0u);
  hangs = false;
  EXPECT_TRUE(Await([&] { return probe.counters().last.ok(); }));
}

}  // namespace
}  // namespace kiln::net
