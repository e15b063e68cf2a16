// Opens a Unix-domain socket to listen on that only its user reaches.
//
// Users who can write to the socket file can connect, and users who can write to its directory can
// replace it. So:
//   * the file's mode is 0600 from its first moment (Linux takes it from the unbound socket's);
//   * the directory is made, with mode 0700, if it is missing (one level); one that others can
//     write to is refused, unless it is sticky, as is one that belongs to another user than root;
//   * a file that is no socket is never removed, nor a symbolic link, nor another user's socket; a
//     socket of ours is, if no program answers at it. A file PATH.lock, which only its user can
//     open, is locked meanwhile and removed then, so that of two daemons that start, the second
//     finds the first alive;
//   * at the end only the file that was made here is removed.
//
// Limit: only the last directory of the path is checked; a user who can rename one above it can
// replace it.
#ifndef KILN_SERVER_NET_UNIX_SOCKET_H_
#define KILN_SERVER_NET_UNIX_SOCKET_H_

#include <sys/types.h>

#include <string>

#include "absl/status/statusor.h"

namespace kiln::net {

// The file of a listening socket; no path: there is none.
struct SocketFile {
  std::string path;
  dev_t device = 0;
  ino_t inode = 0;
};

// Returns a non-blocking listening socket, and its file. InvalidArgument: no path for a socket.
// Unavailable: why it cannot be had, and what to do.
absl::StatusOr<int> ListenOnUnixSocket(const std::string& path, int backlog, SocketFile* file);

// Removes the file if it is still the one that was made.
void RemoveSocketFile(const SocketFile& file);

}  // namespace kiln::net

#endif  // KILN_SERVER_NET_UNIX_SOCKET_H_
