// A Unix-domain socket to listen on, where only its user reaches it.
//
// Who may connect is who may write to the socket file, and who may replace it is who may write to
// its directory. So:
//   * the file's mode is 0600 from its first moment (Linux takes it from the unbound socket's);
//   * the directory is made, with mode 0700, if it is missing (one level); one that others can
//     write to is refused, unless it is sticky, as is one that belongs to another user than root;
//   * a file that is no socket is never removed, a symbolic link neither, nor another user's
//     socket; a socket of ours is, when nobody answers behind it. A file PATH.lock, which only its
//     user can open, is locked meanwhile and removed then, so that of two daemons that start the
//     second finds the first alive;
//   * at the end only the file that was made here is removed.
//
// Limit: of the path only the last directory is looked at; who can rename one above it can replace
// it.
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

// A listening socket that does not block, and its file. InvalidArgument: no path for a socket.
// Unavailable: why it cannot be had, and what to do.
absl::StatusOr<int> ListenOnUnixSocket(const std::string& path, int backlog, SocketFile* file);

// If it is still there.
void RemoveSocketFile(const SocketFile& file);

}  // namespace kiln::net

#endif  // KILN_SERVER_NET_UNIX_SOCKET_H_
