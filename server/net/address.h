// Opens addresses to listen on.
//
// "HOST:PORT": every address that HOST has here, on one port; "[::]" includes IPv4. "unix:PATH": a
// socket file for its user alone (unix_socket.h); one left by a dead daemon is replaced.
#ifndef KILN_SERVER_NET_ADDRESS_H_
#define KILN_SERVER_NET_ADDRESS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/net/unix_socket.h"

namespace kiln::net {

// Listening sockets. Closed at the end, and the socket file is removed.
struct ListeningSockets {
  ListeningSockets() = default;
  ~ListeningSockets();
  ListeningSockets(ListeningSockets&& other) noexcept { *this = std::move(other); }
  ListeningSockets& operator=(ListeningSockets&& other) noexcept;

  std::vector<int> fds;  // none blocks
  std::string address;   // as given, with the port that was really bound
  SocketFile file;       // if there is one
};

// Returns true if other machines can connect, as far as the addresses tell.
bool ReachedFromElsewhere(const ListeningSockets& sockets);

// Errors name `flag` and what to do.
absl::StatusOr<ListeningSockets> Listen(const std::string& flag, const std::string& address);

}  // namespace kiln::net

#endif  // KILN_SERVER_NET_ADDRESS_H_
