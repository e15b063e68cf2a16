// Accepted connections that others own and close: how many still live, and which gives way.
//
// gRPC takes connections for good and does not say when it closes one. So a connection is known by
// its descriptor and the identity of its socket (fstat): as long as both agree it lives, whoever
// holds it. Nothing is asked until somebody wants to know.
//
// When there are too many one gives way that is of no use to its client now, in this order:
//   1. the one that came first of those that never sent a byte (TCP only: Unix-domain sockets do
//   not
//      tell), if it came kLeastSilence ago: in a flood of silent connections clients still get in,
//      and a client that has only just come is not thrown out for another;
//   2. of those without an open call, whose client has neither called nor (TCP) sent anything for
//      kLeastIdle: one that never called before one that did, the longest idle first.
// Who gives way is of one address: the newcomer's own where that has as many as it may have, else
// of the one that has most, if that is more than the newcomer's. So nobody loses a place to a crowd
// of another address that is larger than its own.
//
// gRPC tells of a call when its first message has come. A client that has sent nothing for so long
// and is still in the middle of its first message may lose its place too, and tries again.
//
// To give way is to be shut down: the owner reads an end of file and closes. Until then the
// connection counts as leaving.
//
// Not thread-safe. Shutting down goes through a descriptor of our own, whose identity is checked
// after it was made: the number may have been closed and taken by another file meanwhile.
#ifndef KILN_SERVER_NET_CONNECTIONS_H_
#define KILN_SERVER_NET_CONNECTIONS_H_

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "server/net/connection.h"

namespace kiln::net {

class Connections {
 public:
  // A client's first bytes follow the packet that opens the connection as soon as it runs. With 20
  // ms 28 of 250 clients on a busy machine lost a call to each other; 120 connections and 5,500
  // silent ones a second leave 16 of 20 calls answered within 5 s, with no such time all 20.
  static constexpr absl::Duration kLeastSilence = absl::Milliseconds(100);
  // A client between two calls of a loop is not thrown out.
  static constexpr absl::Duration kLeastIdle = absl::Seconds(1);

  // `table`, which outlives it, is told of those that are gone; may be null.
  explicit Connections(ConnectionTable* table) : table_(table) {}

  // Before its descriptor is given to its owner. `peer`: its name in the table.
  void Add(std::shared_ptr<Connection> connection, std::string peer);
  // Forgets what was closed. One system call for each connection.
  void Sweep();
  // The same for those that leave.
  void SweepLeaving();

  // As of the last Sweep.
  size_t open() const { return open_.size(); }
  size_t leaving() const { return leaving_.size(); }
  size_t OpenFrom(const std::string& address) const;

  enum class GaveWay { kNone, kSilent, kIdle };
  // One of that address gives way.
  GaveWay MakeRoomWithin(const std::string& address);
  // A silent one of any address, or one of the address that has most; of the newcomer's, where no
  // other has more.
  GaveWay MakeRoomFor(const std::string& newcomer);

 private:
  struct Entry {
    std::shared_ptr<Connection> connection;
    std::string peer;
    bool spoke = false;  // when last asked
  };
  using Entries = std::list<Entry>;  // in the order in which they came
  struct Traffic;

  static bool Lives(const Connection& connection, int fd);
  static Traffic TrafficOf(const Connection& connection);
  void Drop(Entries::iterator entry);
  // Null: of any. False: none gives way.
  bool SilentGivesWay(const std::string* address);
  bool IdleGivesWay(const std::string& address);
  // Without a call for so long; infinite: it has one.
  static bool IsIdle(const Connection& connection);
  // False: no descriptor to do it with.
  bool ShutDown(Entries::iterator entry);

  ConnectionTable* const table_;
  Entries open_;
  std::map<std::string, size_t> by_address_;  // how many of open_
  std::vector<std::shared_ptr<Connection>> leaving_;
};

}  // namespace kiln::net

#endif  // KILN_SERVER_NET_CONNECTIONS_H_
