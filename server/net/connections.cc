// Accepted connections that others own and close: see connections.h.
#include "server/net/connections.h"

#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
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

// Of one address, those that were idle longest are asked for what they sent of late: so many.
constexpr size_t kMostAsked = 16;

}  // namespace

struct Connections::Traffic {
  bool lives = false;
  bool silent = false;
  absl::Duration quiet = absl::InfiniteDuration();  // since the client sent something last, or came
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
  ++by_address_[connection->address];
  if (table_ != nullptr) table_->Enter(peer, connection);
  open_.push_back({std::move(connection), std::move(peer)});
}

void Connections::Drop(Entries::iterator entry) {
  const auto count = by_address_.find(entry->connection->address);
  if (--count->second == 0) by_address_.erase(count);
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
  const auto count = by_address_.find(address);
  return count == by_address_.end() ? 0 : count->second;
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

bool Connections::SilentGivesWay(const std::string* address) {
  for (auto it = open_.begin(); it != open_.end();) {
    const auto entry = it++;
    if (entry->spoke || (address != nullptr && entry->connection->address != *address)) continue;
    const Traffic traffic = TrafficOf(*entry->connection);
    if (!traffic.lives) {
      Drop(entry);
    } else if (traffic.silent) {
      // Those after it have come later.
      return traffic.quiet >= kLeastSilence && ShutDown(entry);
    } else {
      entry->spoke = true;
    }
  }
  return false;
}

bool Connections::IsIdle(const Connection& connection) {
  const absl::Duration since = std::max(connection.accepted, connection.LastCall());
  return connection.calls.load(std::memory_order_relaxed) == 0 && Uptime() - since >= kLeastIdle;
}

bool Connections::IdleGivesWay(const std::string& address) {
  std::vector<Entries::iterator> idle;
  for (auto it = open_.begin(); it != open_.end(); ++it) {
    if (it->connection->address == address && IsIdle(*it->connection)) idle.push_back(it);
  }
  const auto first = idle.begin() + static_cast<ptrdiff_t>(std::min(kMostAsked, idle.size()));
  std::partial_sort(idle.begin(), first, idle.end(), [](const auto& a, const auto& b) {
    const auto rank = [](const Connection& c) {
      return std::tuple(c.HasCalled(), std::max(c.accepted, c.LastCall()), c.number);
    };
    return rank(*a->connection) < rank(*b->connection);
  });
  for (auto it = idle.begin(); it != first; ++it) {
    if (TrafficOf(*(*it)->connection).quiet >= kLeastIdle) return ShutDown(*it);
  }
  return false;
}

Connections::GaveWay Connections::MakeRoomWithin(const std::string& address) {
  if (SilentGivesWay(&address)) return GaveWay::kSilent;
  return IdleGivesWay(address) ? GaveWay::kIdle : GaveWay::kNone;
}

Connections::GaveWay Connections::MakeRoomFor(const std::string& newcomer) {
  if (SilentGivesWay(nullptr)) return GaveWay::kSilent;
  const auto most =
      std::max_element(by_address_.begin(), by_address_.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == by_address_.end()) return GaveWay::kNone;
  // A copy: the entry may go.
  const std::string address = most->second > OpenFrom(newcomer) ? most->first : newcomer;
  return IdleGivesWay(address) ? GaveWay::kIdle : GaveWay::kNone;
}

}  // namespace kiln::net
