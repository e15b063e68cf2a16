// Counts accepted connections and chooses which gives way: see connections.h.
#include "server/net/connections.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <tuple>
#include <utility>

namespace kiln::net {
namespace {

// Returns since when the connection has had no call, if it has none now.
absl::Duration IdleSince(const Connection& connection) {
  return std::max(connection.accepted, connection.LastCall());
}

}  // namespace

struct Connections::Traffic {
  bool lives = false;
  bool silent = false;
  bool unread = false;  // bytes wait for the client
  // Since the client last sent something, or connected.
  absl::Duration quiet = absl::InfiniteDuration();
};

bool Connections::Lives(const Connection& connection, int fd) {
  struct stat now;
  return fstat(fd, &now) == 0 && now.st_dev == connection.device && now.st_ino == connection.inode;
}

Connections::Traffic Connections::TrafficOf(const Connection& connection) {
  if (!Lives(connection, connection.fd)) return {};
  tcp_info info = {};
  socklen_t size = sizeof info;
  Traffic traffic;
  traffic.lives = true;
  int unread = 0;
  traffic.unread = ioctl(connection.fd, SIOCOUTQ, &unread) == 0 && unread > 0;
  if (getsockopt(connection.fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return traffic;
  traffic.silent = info.tcpi_bytes_received == 0;
  traffic.quiet = absl::Milliseconds(
      traffic.silent ? std::min(info.tcpi_last_data_recv, info.tcpi_last_data_sent)
                     : info.tcpi_last_data_recv);
  return traffic;
}

void Connections::Add(std::shared_ptr<Connection> connection, std::string peer) {
  struct stat now;
  if (fstat(connection->fd, &now) != 0) return;
  connection->device = now.st_dev;
  connection->inode = now.st_ino;
  const auto address = by_address_.try_emplace(connection->address).first;
  ++address->second.open;
  if (table_ != nullptr) table_->Enter(peer, connection);
  open_.push_back({std::move(connection), std::move(peer), address});
}

void Connections::Drop(Entries::iterator entry) {
  if (--entry->address->second.open == 0) by_address_.erase(entry->address);
  if (table_ != nullptr) table_->Remove(entry->peer, entry->connection.get());
  open_.erase(entry);
}

void Connections::Sweep() {
  for (auto it = open_.begin(); it != open_.end();) {
    const auto entry = it++;
    if (!Lives(*entry->connection, entry->connection->fd)) Drop(entry);
  }
  SweepLeaving();
}

void Connections::SweepLeaving() {
  std::erase_if(leaving_, [](const auto& c) { return !Lives(*c, c->fd); });
}

size_t Connections::OpenFrom(const std::string& address) const {
  const auto found = by_address_.find(address);
  return found == by_address_.end() ? 0 : found->second.open;
}

bool Connections::ShutDown(Entries::iterator entry) {
  const std::shared_ptr<Connection> connection = entry->connection;
  const int own = fcntl(connection->fd, F_DUPFD_CLOEXEC, 0);
  if (own < 0 && errno != EBADF) return false;
  Drop(entry);
  if (own < 0) return true;  // closed meanwhile
  if (Lives(*connection, own)) {
    shutdown(own, SHUT_RDWR);
    leaving_.push_back(connection);
  }
  close(own);
  return true;
}

template <typename Fits>
bool Connections::SilentGivesWay(Fits fits) {
  for (auto it = open_.begin(); it != open_.end();) {
    const auto entry = it++;
    if (entry->spoke || !fits(*entry->address)) continue;
    const Traffic traffic = TrafficOf(*entry->connection);
    if (!traffic.lives) {
      Drop(entry);
    } else if (traffic.silent) {
      // The connections after this one are younger.
      return traffic.quiet >= kLeastSilence && ShutDown(entry);
    } else {
      entry->spoke = true;
    }
  }
  return false;
}

bool Connections::IsOfNoUse(const Connection& connection, absl::Duration now) {
  if (now - IdleSince(connection) >= kLongestIdle) return true;
  const Traffic traffic = TrafficOf(connection);
  // For gRPC a call is over when its answer was written; the client may not have read any of it.
  if (connection.HasCalled() && traffic.unread) return false;
  return traffic.quiet >= kLeastIdle;
}

template <typename Fits>
bool Connections::IdleGivesWay(Fits fits) {
  const absl::Duration now = Uptime();
  const auto rank = [](Entries::iterator entry) {
    const Connection& c = *entry->connection;
    return std::tuple(entry->address->second.open, !c.HasCalled(), -IdleSince(c), ~c.number);
  };
  // The rank is stored because it may change meanwhile.
  std::vector<std::pair<decltype(rank({})), Entries::iterator>> idle;
  for (auto it = open_.begin(); it != open_.end(); ++it) {
    const Connection& c = *it->connection;
    if (now < it->address->second.none_until || !fits(*it->address)) continue;
    if (c.calls.load(std::memory_order_relaxed) > 0 || now - IdleSince(c) < kLeastIdle) continue;
    idle.emplace_back(rank(it), it);
  }
  const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::make_heap(idle.begin(), idle.end(), less);
  for (; !idle.empty(); idle.pop_back()) {
    std::pop_heap(idle.begin(), idle.end(), less);
    const Entries::iterator entry = idle.back().second;
    if (IsOfNoUse(*entry->connection, now)) return ShutDown(entry);
  }
  // Only for the addresses searched now; for skipped ones the time would never end in a flood.
  for (auto& address : by_address_) {
    absl::Duration* none_until = &address.second.none_until;
    if (now >= *none_until && fits(address)) *none_until = now + kNoneAgain;
  }
  return false;
}

Connections::GaveWay Connections::MakeRoomWithin(const std::string& address) {
  const auto found = by_address_.find(address);
  if (found == by_address_.end()) return GaveWay::kNone;
  const auto is_own = [own = &*found](const auto& other) { return &other == own; };
  if (SilentGivesWay(is_own)) return GaveWay::kSilent;
  return IdleGivesWay(is_own) ? GaveWay::kIdle : GaveWay::kNone;
}

Connections::GaveWay Connections::MakeRoomFor(const std::string& newcomer) {
  if (SilentGivesWay([](const auto&) { return true; })) return GaveWay::kSilent;
  const size_t own = OpenFrom(newcomer);
  const auto gives = [own, &newcomer](const auto& address) {
    return address.second.open > own || address.first == newcomer;
  };
  return IdleGivesWay(gives) ? GaveWay::kIdle : GaveWay::kNone;
}

}  // namespace kiln::net
