// Implements the accept loop: see listener.h.
#include "server/net/listener.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace kiln::net {
namespace {

// Leaving connections still have their descriptor, so no more may leave at a time than are
// reserved.
constexpr size_t kMaxLeaving = 16;
// Interval between two sweeps of all connections while all are in use.
constexpr std::chrono::milliseconds kSweepInterval(20);
// Rest when no descriptor is left.
constexpr int kRestMilliseconds = 50;
// Rest while the connections' owner makes room, which takes no longer.
constexpr int kRoomMilliseconds = 2;
// Refused clients try again about once a second: refusing is not over for so long after one.
constexpr absl::Duration kFullAfterRefusal = absl::Seconds(2);
// Accepted from one socket before the others are looked at, so that a flood there does not delay
// them.
constexpr int kMaxAtOnce = 64;
// Bound on a wait; usually the wake-up ends it, if there was a descriptor for that.
constexpr int kLookUpMilliseconds = 1000;

int OpenSpare() { return open("/dev/null", O_RDONLY | O_CLOEXEC); }

// Returns true for errors of accept that concern one connection, which is gone.
bool IsOfOneConnection(int error) {
  switch (error) {
    case EINTR:
    case ECONNABORTED:
    case EPROTO:
    case ENETDOWN:
    case ENOPROTOOPT:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENETUNREACH:
    case EPERM: return true;
    default: return false;
  }
}

bool SamePeer(const sockaddr_storage& a, const sockaddr_storage& b) {
  if (a.ss_family != b.ss_family || a.ss_family == AF_UNSPEC) return false;
  if (a.ss_family == AF_UNIX) return memcmp(&a, &b, sizeof a) == 0;
  if (a.ss_family == AF_INET) {
    const auto &x = reinterpret_cast<const sockaddr_in&>(a),
               &y = reinterpret_cast<const sockaddr_in&>(b);
    return x.sin_port == y.sin_port && x.sin_addr.s_addr == y.sin_addr.s_addr;
  }
  const auto &x = reinterpret_cast<const sockaddr_in6&>(a),
             &y = reinterpret_cast<const sockaddr_in6&>(b);
  return x.sin6_port == y.sin6_port && memcmp(&x.sin6_addr, &y.sin6_addr, sizeof x.sin6_addr) == 0;
}

// Returns true for a connection reset while it waited. gRPC would write a log line for each.
bool IsGone(int fd) {
  sockaddr_storage peer;
  socklen_t size = sizeof peer;
  return getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0;
}

}  // namespace

Listener::Listener(ListeningSockets sockets, Options options)
    : sockets_(std::move(sockets)),
      options_(std::move(options)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      spare_(OpenSpare()),
      connections_(options_.table) {
  counters_.limit = options_.max_connections;
  thread_ = std::thread([this] { Run(); });
}

void Listener::Stop() {
  if (!thread_.joinable()) return;
  stopping_ = true;
  uint64_t one = 1;
  [[maybe_unused]] ssize_t written = write(wake_, &one, sizeof one);
  thread_.join();
  close(wake_);
  if (spare_ >= 0) close(spare_);
  sockets_ = ListeningSockets();
}

Listener::Counters Listener::counters() {
  absl::MutexLock lock(&mutex_);
  connections_.Sweep();
  counters_.open = options_.held ? options_.held() : connections_.open() + connections_.leaving();
  counters_.full = IsFull();
  return counters_;
}

sockaddr_storage Listener::first_address(socklen_t* size) const {
  sockaddr_storage address = {};
  *size = sizeof address;
  getsockname(sockets_.fds[0], reinterpret_cast<sockaddr*>(&address), size);
  return address;
}

void Listener::Expect(const sockaddr_storage& peer) {
  absl::MutexLock lock(&mutex_);
  expected_ = peer;
}

void Listener::Run() {
  std::vector<pollfd> wait;
  for (int fd : sockets_.fds) wait.push_back({fd, POLLIN, 0});
  wait.push_back({wake_, POLLIN, 0});
  while (!stopping_) {
    // While it rests it waits for the wake-up only: the sockets are readable all the time.
    bool rests = rest_milliseconds_ > 0;
    pollfd* from = rests ? &wait.back() : wait.data();
    poll(from, static_cast<nfds_t>(wait.data() + wait.size() - from),
         rests ? rest_milliseconds_ : kLookUpMilliseconds);
    rest_milliseconds_ = 0;
    for (size_t i = 0; i + 1 < wait.size() && !stopping_; ++i) AcceptSome(wait[i].fd);
    TellRefusing();
  }
}

void Listener::AcceptSome(int socket) {
  for (int i = 0; i < kMaxAtOnce && !stopping_ && AcceptOne(socket); ++i) {
  }
}

// Returns false if there is nothing more to accept now.
bool Listener::AcceptOne(int socket) {
  if (!OwnerHasRoom()) {
    rest_milliseconds_ = kRoomMilliseconds;
    return false;
  }
  sockaddr_storage peer = {};
  socklen_t size = sizeof peer;
  int fd = accept4(socket, reinterpret_cast<sockaddr*>(&peer), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) {
    if (errno == EAGAIN || errno == EWOULDBLOCK) return false;
    if (IsOfOneConnection(errno)) return true;
    if (errno == EMFILE || errno == ENFILE) return SpendSpare(socket);
    rest_milliseconds_ = kRestMilliseconds;
    return false;
  }
  if (IsGone(fd)) {
    close(fd);
  } else if (Admit(fd, peer)) {
    options_.take(fd, peer.ss_family != AF_UNIX);
  } else {
    Refuse(fd);
  }
  return true;
}

bool Listener::OwnerHasRoom() const {
  return !options_.held || options_.held() < options_.max_connections;
}

// Returns false if there is nothing more to accept now. Without descriptors only this call finds
// out.
bool Listener::SpendSpare(int socket) {
  if (spare_ >= 0) close(spare_);
  int fd = accept4(socket, nullptr, nullptr, SOCK_CLOEXEC);
  bool empty = fd < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  if (fd >= 0) close(fd);
  spare_ = OpenSpare();
  // Another thread may have taken the freed descriptor first.
  if (spare_ < 0 || (fd < 0 && !empty)) rest_milliseconds_ = kRestMilliseconds;
  if (fd < 0) return false;
  {
    absl::MutexLock lock(&mutex_);
    ++counters_.refused_descriptors;
    NoteRefusal(Full::kDescriptors, "");
  }
  return rest_milliseconds_ == 0;
}

bool Listener::Admit(int fd, const sockaddr_storage& peer) {
  auto connection = std::make_shared<Connection>();
  connection->fd = fd;
  connection->address = AddressOf(fd, peer);
  connection->trusted = options_.trusted.Has(peer);
  connection->accepted = Uptime();
  absl::MutexLock lock(&mutex_);
  if (IsExpected(peer)) return true;
  const Full full = options_.held ? Full::kNo : MakeRoomFor(*connection);
  if (full != Full::kNo) {
    NoteRefusal(full, connection->address);
    ++(full == Full::kConnections ? counters_.refused_limit : counters_.refused_address);
    return false;
  }
  ++counters_.accepted;
  if (!options_.held) {
    connection->number = ++last_number_;
    const std::string name = PeerName(peer);
    connections_.Add(std::move(connection), name.empty() ? absl::StrCat("fd:", fd) : name);
  }
  return true;
}

bool Listener::HasAll(const std::string& address) const {
  return options_.max_per_address != 0 &&
         connections_.OpenFrom(address) >= options_.max_per_address;
}

Listener::Full Listener::MakeRoomFor(const Connection& connection) {
  const auto own = [&] { return !connection.trusted && HasAll(connection.address); };
  const auto full = [&] { return connections_.open() >= counters_.limit; };
  if (own() || full()) SweepAtTimes();
  if (!own() && !full()) return Full::kNo;
  const Full none = full() ? Full::kConnections : Full::kAddress;
  connections_.SweepLeaving();
  if (connections_.leaving() >= kMaxLeaving) return none;
  const bool made = GaveWay(own() ? connections_.MakeRoomWithin(connection.address)
                                  : connections_.MakeRoomFor(connection.address));
  return made ? Full::kNo : none;
}

void Listener::SweepAtTimes() {
  const auto now = std::chrono::steady_clock::now();
  if (now - swept_ < kSweepInterval) return;
  connections_.Sweep();
  swept_ = now;
}

bool Listener::GaveWay(Connections::GaveWay how) {
  counters_.closed_silent += how == Connections::GaveWay::kSilent ? 1 : 0;
  counters_.closed_idle += how == Connections::GaveWay::kIdle ? 1 : 0;
  return how != Connections::GaveWay::kNone;
}

bool Listener::IsExpected(const sockaddr_storage& peer) {
  if (!SamePeer(expected_, peer)) return false;
  expected_.ss_family = AF_UNSPEC;
  return true;
}

// Sends the end of file before the close: otherwise bytes that the client has sent by then, unread
// at the close, would turn it into a reset.
void Listener::Refuse(int fd) {
  shutdown(fd, SHUT_WR);
  char bytes[4096];
  recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
  close(fd);
}

void Listener::NoteRefusal(Full why, const std::string& address) {
  refusal_ = {Uptime(), why, address};
}

bool Listener::RefusedOfLate() const {
  return refusal_.has_value() && Uptime() - refusal_->at < kFullAfterRefusal;
}

Listener::Full Listener::IsFull() const {
  if (!RefusedOfLate()) return Full::kNo;
  if (refusal_->why == Full::kDescriptors) return Full::kDescriptors;
  if (connections_.open() >= counters_.limit) return Full::kConnections;
  return HasAll(refusal_->address) ? Full::kAddress : Full::kNo;
}

// Two things do not end refusing: other clients that are served while an address at its bound is
// refused again and again, and a connection that becomes free and is taken at once.
void Listener::TellRefusing() {
  bool refusing = false;
  {
    absl::MutexLock lock(&mutex_);
    if (refusing_ && !RefusedOfLate()) SweepAtTimes();
    const bool ample = options_.held || connections_.open() * 10 <= counters_.limit * 9;
    refusing = RefusedOfLate() || (refusing_ && !ample);
  }
  if (refusing == refusing_) return;
  refusing_ = refusing;
  if (options_.on_refusing) options_.on_refusing(refusing);
}

}  // namespace kiln::net
