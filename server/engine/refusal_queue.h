// Refusals that are told later than they are made.
//
// Problem: a client that is refused comes again. With thousands of calls open at a time, each told
// at once, it comes tens of thousands of times a second, and every one of these costs the daemon
// some 45 us of gRPC's threads, which answer the hits of others too. No cheaper refusal helps: most
// of that is gRPC's. What helps is that the client has its answer later: until then the call keeps
// its place among those that HTTP/2 (and a stream's credits) lets a connection have open.
//
// Algorithm: the generic cell rate algorithm (ITU-T I.371) for each address: kBurst refusals are
// told at once, and from then on kPerSecond a second, each when its turn comes, but none later than
// kLongest, nor than its caller allows. What waits costs an open call; its request is gone. Of more
// than kMaxHeld the next ones are told early. When the queue that they were refused by has room
// again they are told early too, so that nothing stands idle for them.
//
// Deterministic; time comes from outside, of any clock that is never set back. Not thread-safe:
// refusals.h is.
#ifndef KILN_SERVER_ENGINE_REFUSAL_QUEUE_H_
#define KILN_SERVER_ENGINE_REFUSAL_QUEUE_H_

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/time/time.h"

namespace kiln::server {

class RefusalQueue {
 public:
  static constexpr int kPerSecond = 100;
  static constexpr int kBurst = 100;
  static constexpr absl::Duration kLongest = absl::Seconds(10);
  static constexpr size_t kMaxHeld = 16384;
  // Addresses that are remembered although they have no refusals to wait for.
  static constexpr size_t kMaxPaid = 256;

  // Tells one call that it was refused.
  using Tell = std::function<void()>;

  // Keeps a refusal of a client of that address. False: it is its turn at once, and `tell` is as it
  // was. `caller`: for Leave. `longest`: how long it may wait at most.
  bool Hold(const std::string& address, const void* caller, absl::Duration longest,
            absl::Duration now, Tell* tell);

  // Takes out those whose turn has come, and those beyond kMaxHeld.
  std::vector<Tell> Due(absl::Duration now);
  // When Due has something; nothing: none is held.
  std::optional<absl::Duration> NextDue() const;
  // Takes out the next `count`, before their turn.
  std::vector<Tell> Next(size_t count);
  // Takes out all of a caller that waits no more.
  std::vector<Tell> Leave(const void* caller);

  size_t held() const { return held_.size(); }
  size_t addresses() const { return paid_until_.size(); }

 private:
  struct Held {
    const void* caller;
    Tell tell;
  };
  using ByTurn = std::multimap<absl::Duration, Held>;

  Tell TakeOut(ByTurn::iterator it);

  ByTurn held_;
  std::unordered_multimap<const void*, ByTurn::iterator> by_caller_;
  // By address: when it has been told all that it was refused, if it were told as slowly as it may.
  std::map<std::string, absl::Duration> paid_until_;
  size_t sweep_at_ = kMaxPaid;
};

}  // namespace kiln::server

#endif  // KILN_SERVER_ENGINE_REFUSAL_QUEUE_H_
