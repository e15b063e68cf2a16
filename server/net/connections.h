// Accepted connections that others own and close: how many still live, and which gives way.
//
// gRPC takes connections for good and does not say when it closes one. So a connection is known by
// its descriptor and the identity of its socket (fstat): as long as both agree it lives. The kernel
// is asked only in Sweep, and of those that may give way.
//
// When there are too many one gives way that is of no use to its client now. First that is the one
// that came first of those that never sent a byte (TCP only: Unix-domain sockets do not tell), if
// it came kLeastSilence ago: in a flood of silent connections clients still get in, and a client
// that has only just come is not thrown out for another. Then it is an idle one: without an open
// call for kLeastIdle, nothing from its client for as long (TCP), and no bytes of an answer on
// their way to it. One that never called goes before one that did, the longest idle first. After
// kLongestIdle without a call it does not matter what is sent or read: else a client that drips
// bytes of HTTP/2 and calls for nothing would keep its place.
//
// Who gives way is of the newcomer's own address where that has as many as it may have. Else it is
// of the address that has most of those that have one to give, as long as it has more than the
// newcomer's; then of the newcomer's own. So no address loses a place to a larger crowd.
//
// gRPC tells of a call when its first message has come. A client that is still in the middle of its
// first message, and has sent nothing for kLeastIdle or takes longer than kLongestIdle, may lose
// its place too, and tries again.
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
  static constexpr absl::Duration kLongestIdle = absl::Seconds(10);
  // An address that had none to give is not looked at for so long: a flood of clients that are
  // refused would have all connections asked for each.
  static constexpr absl::Duration kNoneAgain = absl::Milliseconds(20);

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
  // A silent one of any address, or an idle one of an address that has more than the newcomer's, or
  // of the newcomer's own.
  GaveWay MakeRoomFor(const std::string& newcomer);

 private:
  struct Address {
    size_t open = 0;            // how many of open_
    absl::Duration none_until;  // Uptime; none of them gives way before that
  };
  using Addresses = std::map<std::string, Address>;
  struct Entry {
    std::shared_ptr<Connection> connection;
    std::string peer;
    Addresses::iterator address;
    bool spoke = false;  // when last asked
  };
  using Entries = std::list<Entry>;  // in the order in which they came
  struct Traffic;

  static bool Lives(const Connection& connection, int fd);
  static Traffic TrafficOf(const Connection& connection);
  void Drop(Entries::iterator entry);
  // Of those whose address fits. False: none gives way.
  template <typename Fits>
  bool SilentGivesWay(Fits fits);
  template <typename Fits>
  bool IdleGivesWay(Fits fits);
  // Of idle ones: does nothing go either way, or is it too long since there was a call?
  static bool IsOfNoUse(const Connection& connection, absl::Duration now);
  // False: no descriptor to do it with.
  bool ShutDown(Entries::iterator entry);

  ConnectionTable* const table_;
  Entries open_;
  Addresses by_address_;
  std::vector<std::shared_ptr<Connection>> leaving_;
};

}  // namespace kiln::net

#endif  // KILN_SERVER_NET_CONNECTIONS_H_
