// Holds refusals back, so that clients learn of them later.
//
// Problem: a refused client comes again. With thousands of calls open at a time, each told at once,
// it comes tens of thousands of times a second, and each call costs the daemon some 45 us of gRPC's
// threads, which also answer the hits of other clients. A cheaper refusal does not help: most of
// that cost is gRPC's. A later answer helps: until then the call counts among those that HTTP/2
// (and a stream's credits) lets a connection have open.
//
// Algorithm: the generic cell rate algorithm (ITU-T I.371) for each address: kBurst refusals are
// told at once, and from then on kPerSecond a second, each when its turn comes, but none later than
// kLongest or than its caller allows. A held refusal costs an open call; its request is freed
// already. Above kMaxHeld the earliest ones are told before their turn. When the queue that refused
// them has room again, some are told before their turn too, so that no worker idles meanwhile.
//
// Deterministic; the caller passes the time, of any clock that is never set back. Not thread-safe:
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
  // Up to so many addresses are remembered that hold no refusals.
  static constexpr size_t kMaxPaid = 256;

  // Tells one call that it was refused.
  using Tell = std::function<void()>;

  // Keeps a refusal of a client at `address`. Returns false if its turn is now; then `tell` is
  // unchanged. `caller`: key for Leave. `longest`: the longest time that it may be held.
  bool Hold(const std::string& address, const void* caller, absl::Duration longest,
            absl::Duration now, Tell* tell);

  // Takes out the refusals whose turn has come, and those beyond kMaxHeld.
  std::vector<Tell> Due(absl::Duration now);
  // Time when Due next returns something; nothing: none is held.
  std::optional<absl::Duration> NextDue() const;
  // Takes out the next `count` before their turn.
  std::vector<Tell> Next(size_t count);
  // Takes out all refusals of a caller that no longer waits.
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
  // By address: the time when all its refusals so far would be told at the rate of kPerSecond.
  std::map<std::string, absl::Duration> paid_until_;
  size_t sweep_at_ = kMaxPaid;
};

}  // namespace kiln::server

#endif  // KILN_SERVER_ENGINE_REFUSAL_QUEUE_H_
