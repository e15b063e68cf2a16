// Tests which connection gives way, by its client's behaviour and address. Ages are made up; but
// the tests really wait until a TCP client has been quiet for a second.
#include "server/net/connections.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"

namespace kiln::net {
namespace {

using GaveWay = Connections::GaveWay;

// Both ends of a connection, TCP or Unix-domain.
class Pair {
 public:
  explicit Pair(int family) {
    if (family == AF_UNIX) {
      EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds_), 0);
      return;
    }
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof to;
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&to), size), 0);
    EXPECT_EQ(listen(listener, 1), 0);
    EXPECT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&to), &size), 0);
    fds_[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(connect(fds_[0], reinterpret_cast<sockaddr*>(&to), size), 0);
    fds_[1] = accept(listener, nullptr, nullptr);
    close(listener);
  }
  ~Pair() {
    close(fds_[0]);
    close(fds_[1]);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  int server() const { return fds_[1]; }
  void ClientSays() const { EXPECT_EQ(send(fds_[0], "x", 1, 0), 1); }
  bool Ended() const {
    char byte;
    return recv(fds_[0], &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
  }
  // Writes an answer longer than the kernel's buffers.
  void ServerAnswers() const {
    const std::string answer(1 << 16, 'a');
    while (send(fds_[1], answer.data(), answer.size(), MSG_DONTWAIT) > 0) {
    }
    EXPECT_EQ(errno, EAGAIN);
  }
  void ClientReads() const {
    std::string answer(1 << 16, 0);
    timeval soon = {0, 200'000};
    setsockopt(fds_[0], SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
    while (recv(fds_[0], answer.data(), answer.size(), 0) > 0) {
    }
  }

 private:
  int fds_[2] = {-1, -1};
};

class ConnectionsTest : public testing::Test {
 protected:
  struct Client {
    std::unique_ptr<Pair> pair;
    std::shared_ptr<Connection> connection;
    bool Ended() const { return pair->Ended(); }
  };
  // A client that connected `age` ago and has sent something.
  Client Connect(const std::string& address, absl::Duration age = absl::Seconds(5),
                 int family = AF_INET) {
    Client client{std::make_unique<Pair>(family), std::make_shared<Connection>()};
    client.connection->fd = client.pair->server();
    client.connection->address = address;
    client.connection->number = ++last_;
    client.connection->accepted = Uptime() - age;
    client.pair->ClientSays();
    connections_.Add(client.connection, address + std::to_string(last_));
    return client;
  }
  // A Unix-domain connection: the kernel does not tell when its client sent something.
  Client Idle(const std::string& address) { return Connect(address, absl::Seconds(5), AF_UNIX); }
  Client Busy(const std::string& address) {
    Client client = Idle(address);
    client.connection->calls = 1;
    return client;
  }
  static void BeQuiet() { absl::SleepFor(Connections::kLeastIdle + absl::Milliseconds(50)); }
  static void Called(const Client& client, absl::Duration ago) {
    client.connection->last_call = absl::ToInt64Nanoseconds(Uptime() - ago);
  }

  Connections connections_{nullptr};
  uint64_t last_ = 0;
};

TEST_F(ConnectionsTest, WhoNeverCalledGoesFirstAndThenTheLongestIdle) {
  std::vector<Client> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(Idle("a"));
  Called(clients[0], absl::Seconds(3));
  Called(clients[1], absl::Seconds(4));
  Called(clients[2], absl::Milliseconds(1));
  for (int next : {3, 1, 0}) {
    EXPECT_EQ(connections_.MakeRoomWithin("a"), GaveWay::kIdle);
    EXPECT_TRUE(clients[static_cast<size_t>(next)].Ended()) << next;
  }
  EXPECT_EQ(connections_.MakeRoomWithin("a"), GaveWay::kNone) << "it has just called";
  EXPECT_EQ(connections_.open(), 1u);
  EXPECT_EQ(connections_.leaving(), 3u);
}

// Connections that do not drip give way, however many others send something all the time.
TEST_F(ConnectionsTest, ThoseThatDripDoNotProtectTheOthers) {
  std::vector<Client> drip, quiet;
  for (int i = 0; i < 40; ++i) drip.push_back(Connect("a"));
  for (int i = 0; i < 3; ++i) quiet.push_back(Connect("a", absl::Seconds(2)));
  BeQuiet();
  for (const Client& client : drip) client.pair->ClientSays();
  for (const Client& client : quiet) {
    EXPECT_EQ(connections_.MakeRoomWithin("a"), GaveWay::kIdle);
    EXPECT_TRUE(client.Ended());
  }
  EXPECT_EQ(connections_.MakeRoomWithin("a"), GaveWay::kNone);
}

TEST_F(ConnectionsTest, WithoutACallForLongItGivesWayWhateverItSends) {
  const Client young = Connect("a", Connections::kLongestIdle - absl::Seconds(1));
  const Client called = Connect("a", absl::Hours(1)), old = Connect("a", absl::Seconds(11));
  Called(called, Connections::kLongestIdle + absl::Seconds(1));
  Client busy = Connect("a", absl::Hours(1));
  busy.connection->calls = 1;
  EXPECT_EQ(connections_.MakeRoomWithin("a"), GaveWay::kIdle);
  EXPECT_TRUE(old.Ended()) << "it never called";
  EXPECT_EQ(connections_.MakeRoomWithin("a"), GaveWay::kIdle);
  EXPECT_TRUE(called.Ended());
  EXPECT_EQ(connections_.MakeRoomWithin("a"), GaveWay::kNone);
  EXPECT_FALSE(young.Ended() || busy.Ended());
}

TEST_F(ConnectionsTest, TheLargestAddressThatCanGivesAPlace) {
  std::vector<Client> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(Busy("large"));
  for (int i = 0; i < 3; ++i) clients.push_back(Idle("idle"));
  for (int i = 0; i < 2; ++i) clients.push_back(Idle("smaller"));
  EXPECT_EQ(connections_.MakeRoomFor("newcomer"), GaveWay::kIdle);
  EXPECT_TRUE(clients[4].Ended());
  EXPECT_EQ(connections_.OpenFrom("idle"), 2u);
}

TEST_F(ConnectionsTest, NoAddressGivesAPlaceToOneThatHasAsMany) {
  std::vector<Client> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(Busy("large"));
  for (int i = 0; i < 2; ++i) clients.push_back(Idle("a"));
  for (int i = 0; i < 2; ++i) clients.push_back(Busy("b"));
  EXPECT_EQ(connections_.MakeRoomFor("b"), GaveWay::kNone);
  EXPECT_EQ(connections_.MakeRoomFor("a"), GaveWay::kIdle) << "its own";
  EXPECT_TRUE(clients[3].Ended());
}

// gRPC counts a call as over when it has the answer, of which the client has read nothing yet.
TEST_F(ConnectionsTest, WhoIsReadingAnAnswerKeepsItsPlace) {
  for (int family : {AF_INET, AF_UNIX}) {
    const Client client = Connect("a", absl::Seconds(5), family);
    Called(client, absl::Seconds(2));
    client.pair->ServerAnswers();
    BeQuiet();
    EXPECT_EQ(connections_.MakeRoomWithin("a"), GaveWay::kNone) << family;
    client.pair->ClientReads();
    absl::SleepFor(2 * Connections::kNoneAgain);
    EXPECT_EQ(connections_.MakeRoomWithin("a"), GaveWay::kIdle) << family;
  }
}

// A flood of refused clients does not have all connections searched for each.
TEST_F(ConnectionsTest, ThatNoneGivesWayIsRememberedForAMoment) {
  const Client client = Busy("a");
  const absl::Duration before = Uptime();
  EXPECT_EQ(connections_.MakeRoomFor("b"), GaveWay::kNone);
  client.connection->calls = 0;
  while (connections_.MakeRoomFor("b") == GaveWay::kNone &&
         Uptime() - before < 50 * Connections::kNoneAgain) {
    absl::SleepFor(absl::Milliseconds(1));
  }
  EXPECT_TRUE(client.Ended()) << "the moment has no end while others ask";
  EXPECT_GE(Uptime() - before, Connections::kNoneAgain);
}

}  // namespace
}  // namespace kiln::net
