// Addresses to listen on.
//
// "HOST:PORT": every address that HOST has here, on one port; "[::]" is IPv4 too. "unix:PATH": a
// socket file for its user alone (unix_socket.h); one that a dead daemon left is replaced.
#ifndef KILN_SERVER_NET_ADDRESS_H_
#define KILN_SERVER_NET_ADDRESS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/net/unix_socket.h"

namespace kiln::net {

// Sockets that listen; closed at the end, and the socket file is removed.
struct ListeningSockets {
  ListeningSockets() = default;
  ~ListeningSockets();
  ListeningSockets(ListeningSockets&& other) noexcept { *this = std::move(other); }
  ListeningSockets& operator=(ListeningSockets&& other) noexcept;

  std::vector<int> fds;  // none blocks
  std::string address;   // as given, with the port that was taken
  SocketFile file;       // if there is one
};

// Whether more than this machine's programs can connect, as far as addresses tell.
bool ReachedFromElsewhere(const ListeningSockets& sockets);

// Errors name `flag` and what to do.
absl::StatusOr<ListeningSockets> Listen(const std::string& flag, const std::string& address);

}  // namespace kiln::net

#endif  // KILN_SERVER_NET_ADDRESS_H_
