// A TCP port that a test can close and reset: see tcp_proxy.h.
#include "tests/service/tcp_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

namespace kiln::test {
namespace {

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// Makes the kernel send a reset instead of an orderly end.
void SetAbrupt(int fd) {
  const linger abrupt = {1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &abrupt, sizeof abrupt);
}

// Returns false if one of the two is gone.
bool Copy(int from, int to) {
  char block[1 << 16];
  ssize_t n = read(from, block, sizeof block);
  if (n <= 0) return false;
  for (ssize_t at = 0; at < n;) {
    const ssize_t wrote = send(to, block + at, static_cast<size_t>(n - at), MSG_NOSIGNAL);
    if (wrote <= 0) return false;
    at += wrote;
  }
  return true;
}

}  // namespace

TcpProxy::TcpProxy(uint16_t port) : target_(port) { Open(); }

TcpProxy::~TcpProxy() { Close(); }

void TcpProxy::Open() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address = Loopback(port_);
  socklen_t length = sizeof address;
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), length) != 0 || listen(fd, 64) != 0) abort();
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length);
  port_ = ntohs(address.sin_port);
  listener_ = fd;
  acceptor_ = std::thread([this] { Accept(); });
}

void TcpProxy::Close() {
  const int fd = listener_.exchange(-1);
  if (fd >= 0) {
    shutdown(fd, SHUT_RDWR);  // ends accept()
    acceptor_.join();
    close(fd);
  }
  Reset();
}

void TcpProxy::Reset() {
  std::list<Connection> over;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    over.swap(connections_);
  }
  for (Connection& c : over) {
    SetAbrupt(c.client);
    // Ends the thread's poll(); the reset itself comes with close().
    shutdown(c.daemon, SHUT_RDWR);
    c.thread.join();
    close(c.client);
    close(c.daemon);
  }
}

void TcpProxy::Accept() {
  for (int fd = listener_; fd >= 0; fd = listener_) {
    const int client = accept4(fd, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    const int daemon = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = Loopback(target_);
    if (connect(daemon, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      SetAbrupt(client);
      close(client);
      close(daemon);
      continue;
    }
    std::lock_guard<std::mutex> lock(mutex_);
    connections_.push_back({client, daemon, {}});
    connections_.back().thread = std::thread([this, client, daemon] { Forward(client, daemon); });
  }
}

// Copies until either side is gone. Reset closes the descriptors.
void TcpProxy::Forward(int client, int daemon) {
  pollfd both[2] = {{client, POLLIN, 0}, {daemon, POLLIN, 0}};
  while (poll(both, 2, 10) >= 0) {
    if (gone_) {
      // Waits until Reset shuts it down.
      pollfd end = {daemon, 0, 0};
      poll(&end, 1, -1);
      return;
    }
    if (both[0].revents != 0 && !Copy(client, daemon)) break;
    if (both[1].revents != 0 && !Copy(daemon, client)) break;
  }
  // Each side learns that the other ended.
  shutdown(client, SHUT_RDWR);
  shutdown(daemon, SHUT_RDWR);
}

}  // namespace kiln::test
