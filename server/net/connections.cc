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

namespace kiln::net {

struct Connections::Traffic {
  bool lives = false;
  bool silent = false;
  absl::Duration age;  // of what is silent
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
  traffic.age = absl::Milliseconds(std::min(info.tcpi_last_data_recv, info.tcpi_last_data_sent));
  return traffic;
}

void Connections::Add(int fd) {
  struct stat now;
  if (fstat(fd, &now) == 0) silent_.push_back({fd, now.st_dev, now.st_ino});
}

template <typename List>
void Connections::Sweep(List* list) {
  std::erase_if(*list, [](const Connection& c) { return !Lives(c, c.fd); });
}

void Connections::Sweep() {
  Sweep(&silent_);
  Sweep(&spoken_);
  Sweep(&leaving_);
}

void Connections::SweepLeaving() { Sweep(&leaving_); }

bool Connections::ShutDown(const Connection& connection) {
  int own = fcntl(connection.fd, F_DUPFD_CLOEXEC, 0);
  if (own < 0) return errno == EBADF;  // closed meanwhile
  if (Lives(connection, own)) {
    shutdown(own, SHUT_RDWR);
    leaving_.push_back(connection);
  }
  close(own);
  return true;
}

bool Connections::MakeRoom() {
  for (; !silent_.empty(); silent_.pop_front()) {
    const Connection& first = silent_.front();
    Traffic traffic = TrafficOf(first);
    if (!traffic.lives) continue;
    if (traffic.silent) {
      if (traffic.age < kLeastSilence || !ShutDown(first)) return false;
      silent_.pop_front();
      return true;
    }
    spoken_.push_back(first);
  }
  return false;
}

}  // namespace kiln::net
