// Opens addresses to listen on: see address.h.
#include "server/net/address.h"

#include <linux/tcp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace kiln::net {
namespace {

constexpr char kUnix[] = "unix:";

// Connections that wait to be accepted; the kernel bounds them further (net.core.somaxconn).
constexpr int kBacklog = 1024;

absl::Status FromErrno(int error) {
  return absl::UnavailableError(error == EADDRINUSE ? "another program listens on it"
                                                    : strerror(error));
}

// Sets options that accepted connections inherit from their listener.
void SetOptions(int fd, int family) {
  int one = 1, zero = 0;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof zero);
}

// Returns a listening socket, or -errno.
int ListenOn(const sockaddr* to, socklen_t size) {
  int fd = socket(to->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  SetOptions(fd, to->sa_family);
  if (bind(fd, to, size) == 0 && listen(fd, kBacklog) == 0) return fd;
  int error = errno;
  close(fd);
  return -error;
}

uint16_t* PortOf(sockaddr* address) {
  return address->sa_family == AF_INET6 ? &reinterpret_cast<sockaddr_in6*>(address)->sin6_port
                                        : &reinterpret_cast<sockaddr_in*>(address)->sin_port;
}

uint16_t PortTaken(int fd) {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return *PortOf(reinterpret_cast<sockaddr*>(&address));
}

// Listens on every address of the list once, all on one port. If this machine lacks an address
// family, the host's other addresses are used. A port that is taken on one of them is an error: two
// daemons under one name would be confusing.
absl::Status ListenOnAll(const addrinfo* list, ListeningSockets* sockets) {
  std::set<std::string> done;
  uint16_t port = 0;
  int error = 0;
  for (const addrinfo* info = list; info != nullptr; info = info->ai_next) {
    if (!done.emplace(reinterpret_cast<const char*>(info->ai_addr), info->ai_addrlen).second) {
      continue;
    }
    if (port != 0) *PortOf(info->ai_addr) = port;
    int fd = ListenOn(info->ai_addr, info->ai_addrlen);
    if (fd == -EADDRINUSE) return FromErrno(EADDRINUSE);
    if (fd < 0) {
      error = -fd;
      continue;
    }
    sockets->fds.push_back(fd);
    port = PortTaken(fd);
  }
  return sockets->fds.empty() ? FromErrno(error) : absl::OkStatus();
}

absl::Status ListenOnHost(const std::string& host, const char* port, ListeningSockets* sockets) {
  bool brackets = host.size() > 1 && host.front() == '[' && host.back() == ']';
  std::string name = brackets ? host.substr(1, host.size() - 2) : host;
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  if (int error = getaddrinfo(name.c_str(), port, &hints, &list); error != 0) {
    return absl::InvalidArgumentError(gai_strerror(error));
  }
  absl::Status status = ListenOnAll(list, sockets);
  freeaddrinfo(list);
  if (status.ok()) sockets->address = absl::StrCat(host, ":", ntohs(PortTaken(sockets->fds[0])));
  return status;
}

absl::Status ListenOnAddress(const std::string& address, ListeningSockets* sockets) {
  if (address.rfind(kUnix, 0) == 0) {
    sockets->address = address;
    auto fd = ListenOnUnixSocket(address.substr(sizeof kUnix - 1), kBacklog, &sockets->file);
    if (fd.ok()) sockets->fds.push_back(*fd);
    return fd.status();
  }
  size_t colon = address.rfind(':');
  if (colon == std::string::npos || colon + 1 == address.size()) {
    return absl::InvalidArgumentError("must be HOST:PORT or unix:PATH");
  }
  // getaddrinfo takes a larger number modulo 65,536.
  int port = 0;
  std::string text = address.substr(colon + 1);
  if (!absl::SimpleAtoi(text, &port) || port < 0 || port > 65535) {
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' is not a port from 0 to 65535"));
  }
  return ListenOnHost(address.substr(0, colon), text.c_str(), sockets);
}

bool IsLocal(int fd) {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return false;
  if (address.ss_family == AF_UNIX) return true;
  if (address.ss_family == AF_INET) {
    return ntohl(reinterpret_cast<sockaddr_in&>(address).sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
  }
  const in6_addr& ip = reinterpret_cast<sockaddr_in6&>(address).sin6_addr;
  return IN6_IS_ADDR_LOOPBACK(&ip) ||
         (IN6_IS_ADDR_V4MAPPED(&ip) && ip.s6_addr[12] == IN_LOOPBACKNET);
}

}  // namespace

ListeningSockets::~ListeningSockets() {
  RemoveSocketFile(file);
  for (int fd : fds) close(fd);
}

ListeningSockets& ListeningSockets::operator=(ListeningSockets&& other) noexcept {
  std::swap(fds, other.fds);
  std::swap(address, other.address);
  std::swap(file, other.file);
  return *this;
}

bool ReachedFromElsewhere(const ListeningSockets& sockets) {
  return !std::all_of(sockets.fds.begin(), sockets.fds.end(), IsLocal);
}

absl::StatusOr<ListeningSockets> Listen(const std::string& flag, const std::string& address) {
  ListeningSockets sockets;
  absl::Status status = ListenOnAddress(address, &sockets);
  if (status.ok()) return sockets;
  if (absl::IsInvalidArgument(status)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", flag, "=", address, ": ", status.message()));
  }
  return absl::UnavailableError(absl::StrCat("cannot listen on ", address, ": ", status.message(),
                                             "; choose another with --", flag, "=HOST:PORT"));
}

}  // namespace kiln::net
