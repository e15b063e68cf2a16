// Addresses to listen on: see address.h.
#include "server/address.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace kiln::server {
namespace {

absl::Status Try(const addrinfo& info) {
  int fd = socket(info.ai_family, info.ai_socktype | SOCK_CLOEXEC, info.ai_protocol);
  if (fd < 0) return absl::UnavailableError(strerror(errno));
  int one = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  absl::Status status;
  if (bind(fd, info.ai_addr, info.ai_addrlen) != 0 || listen(fd, 1) != 0) {
    status = absl::UnavailableError(errno == EADDRINUSE ? "another program listens there"
                                                        : strerror(errno));
  }
  close(fd);
  return status;
}

}  // namespace

absl::Status CheckListenable(const std::string& flag, const std::string& address) {
  size_t colon = address.rfind(':');
  if (colon == std::string::npos || colon + 1 == address.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", flag, " takes HOST:PORT, not '", address, "'"));
  }
  // getaddrinfo and gRPC take a larger number modulo 65,536.
  int port = 0;
  if (!absl::SimpleAtoi(address.substr(colon + 1), &port) || port < 0 || port > 65535) {
    return absl::InvalidArgumentError(absl::StrCat("--", flag, "=", address, ": '",
                                                   address.substr(colon + 1),
                                                   "' is not a port from 0 to 65535"));
  }
  std::string host = address.substr(0, colon);
  if (host.size() > 1 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  int error = getaddrinfo(host.c_str(), address.c_str() + colon + 1, &hints, &list);
  if (error != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", flag, "=", address, ": ", gai_strerror(error)));
  }
  absl::Status status = Try(*list);
  freeaddrinfo(list);
  if (status.ok()) return status;
  return absl::UnavailableError(absl::StrCat("cannot listen on ", address, ": ", status.message(),
                                             "; choose another with --", flag, "=HOST:PORT"));
}

std::string WithPort(const std::string& address, int port) {
  return absl::StrCat(address.substr(0, address.rfind(':')), ":", port);
}

}  // namespace kiln::server
