// Accepted connections that others own and close: how many still live, and which gives way.
//
// gRPC takes connections for good and does not say when it closes one. So a connection is known by
// its descriptor and the identity of its socket (fstat): as long as both agree it lives, whoever
// holds it. Nothing is asked until somebody wants to know.
//
// When there are too many, the one that came first of those that never sent a byte gives way, if it
// came kLeastSilence ago: in a flood of silent connections clients still get in, and a client that
// has only just come is not thrown out for another. To give way is to be shut down: the owner reads
// an end of file and closes. Until then the connection counts as leaving.
//
// Of the others only gRPC knows which have calls, and closes itself those without for long
// (server/daemon.cc). Bytes say nothing of that: a client that talks HTTP/2 and never calls sends
// them, and Unix-domain sockets do not tell when. Nor do they tell whether any ever came
// (TCP_INFO): they never give way here, and gRPC gives the silent ones a time to begin.
//
// Not thread-safe. Shutting down goes through a descriptor of our own, whose identity is checked
// after it was made: the number may have been closed and taken by another file meanwhile.
#ifndef KILN_SERVER_NET_CONNECTIONS_H_
#define KILN_SERVER_NET_CONNECTIONS_H_

#include <sys/types.h>

#include <cstddef>
#include <deque>
#include <vector>

#include "absl/time/time.h"

namespace kiln::net {

class Connections {
 public:
  // A client's first bytes follow the packet that opens the connection as soon as it runs. With 20
  // ms 28 of 250 clients on a busy machine lost a call to each other; 120 connections and 5,500
  // silent ones a second leave 16 of 20 calls answered within 5 s, with no such time all 20.
  static constexpr absl::Duration kLeastSilence = absl::Milliseconds(100);

  // Before `fd` is given to its owner.
  void Add(int fd);
  // Forgets what was closed. One system call for each connection.
  void Sweep();
  // The same for those that leave.
  void SweepLeaving();

  // As of the last Sweep.
  size_t open() const { return silent_.size() + spoken_.size(); }
  size_t leaving() const { return leaving_.size(); }

  // False: nobody gives way.
  bool MakeRoom();

 private:
  struct Connection {
    int fd;
    dev_t device;
    ino_t inode;
  };
  struct Traffic;

  template <typename List>
  static void Sweep(List* list);
  static bool Lives(const Connection& connection, int fd);
  static Traffic TrafficOf(const Connection& connection);
  // False: no descriptor to do it with.
  bool ShutDown(const Connection& connection);

  std::deque<Connection> silent_;  // when last asked; in the order in which they came
  std::vector<Connection> spoken_;
  std::vector<Connection> leaving_;
};

}  // namespace kiln::net

#endif  // KILN_SERVER_NET_CONNECTIONS_H_
