// Accepted connections, which gRPC owns and closes: how many still live, and which gives way.
//
// gRPC takes connections for good and does not report when it closes one. So a connection is known
// by its descriptor and the identity of its socket (fstat): it lives as long as both agree. The
// kernel is asked only in Sweep, and about connections that may give way.
//
// When there are too many, one gives way that is of no use to its client now. First choice is the
// oldest that never sent a byte (TCP only: Unix-domain sockets do not tell), if it is at least
// kLeastSilence old: in a flood of silent connections clients still get in, and a client that has
// only just come is not closed for another. Second choice is an idle one: no open call for
// kLeastIdle, nothing from its client for as long (TCP), and no bytes of an answer on their way to
// it. One that never called goes before one that did, the longest idle first. After kLongestIdle
// without a call it does not matter what is sent or read: otherwise a client that drips bytes of
// HTTP/2 without ever calling would keep its connection.
//
// The connection that gives way is of the newcomer's own address if that has as many as it may
// have. Otherwise it is of the address with most connections among those that have one to give, if
// it has more than the newcomer's address; then of the newcomer's own. So no address loses a
// connection to a larger crowd.
//
// gRPC reports a call when its first message has arrived. A client that is still in the middle of
// its first message, and has sent nothing for kLeastIdle or takes longer than kLongestIdle, may
// lose its connection too, and tries again.
//
// To give way is to be shut down: gRPC reads an end of file and closes. Until then the connection
// counts as leaving.
//
// Not thread-safe. Shuts down through a duplicated descriptor, whose identity is checked after it
// was made: the number may have been closed and reused for another file meanwhile.
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
  // A client's first bytes follow the packet that opens the connection as soon as the client runs.
  // With 20 ms, 28 of 250 clients on a busy machine lost a call to each other. With this value, 120
  // connections and 5,500 silent ones a second leave 16 of 20 calls answered within 5 s; with no
  // such time, all 20.
  static constexpr absl::Duration kLeastSilence = absl::Milliseconds(100);
  // A client between two calls of a loop keeps its connection.
  static constexpr absl::Duration kLeastIdle = absl::Seconds(1);
  static constexpr absl::Duration kLongestIdle = absl::Seconds(10);
  // An address that had none to give is not searched again for so long: otherwise a flood of
  // refused clients would have all connections searched for each.
  static constexpr absl::Duration kNoneAgain = absl::Milliseconds(20);

  // `table` outlives it and is told of connections that are gone; may be null.
  explicit Connections(ConnectionTable* table) : table_(table) {}

  // To be called before gRPC gets the descriptor. `peer`: the connection's name in the table.
  void Add(std::shared_ptr<Connection> connection, std::string peer);
  // Forgets closed connections. One system call for each connection.
  void Sweep();
  // Likewise for leaving connections only.
  void SweepLeaving();

  // Numbers as of the last Sweep.
  size_t open() const { return open_.size(); }
  size_t leaving() const { return leaving_.size(); }
  size_t OpenFrom(const std::string& address) const;

  enum class GaveWay { kNone, kSilent, kIdle };
  // Has a connection of that address give way.
  GaveWay MakeRoomWithin(const std::string& address);
  // Has a silent connection of any address give way, or an idle one of an address that has more
  // than the newcomer's, or of the newcomer's own.
  GaveWay MakeRoomFor(const std::string& newcomer);

 private:
  struct Address {
    size_t open = 0;            // number of its connections in open_
    absl::Duration none_until;  // in Uptime; until then none of them can give way
  };
  using Addresses = std::map<std::string, Address>;
  struct Entry {
    std::shared_ptr<Connection> connection;
    std::string peer;
    Addresses::iterator address;
    bool spoke = false;  // when last asked
  };
  using Entries = std::list<Entry>;  // the oldest first
  struct Traffic;

  static bool Lives(const Connection& connection, int fd);
  static Traffic TrafficOf(const Connection& connection);
  void Drop(Entries::iterator entry);
  // Chooses among connections whose address fits. Returns false if none gives way.
  template <typename Fits>
  bool SilentGivesWay(Fits fits);
  template <typename Fits>
  bool IdleGivesWay(Fits fits);
  // True for an idle connection if no bytes go either way, or its last call is too long ago.
  static bool IsOfNoUse(const Connection& connection, absl::Duration now);
  // Returns false if there was no descriptor to do it with.
  bool ShutDown(Entries::iterator entry);

  ConnectionTable* const table_;
  Entries open_;
  Addresses by_address_;
  std::vector<std::shared_ptr<Connection>> leaving_;
};

}  // namespace kiln::net

#endif  // KILN_SERVER_NET_CONNECTIONS_H_
