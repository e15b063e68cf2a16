// The accept loop: bounded connections, and life after every descriptor was taken.
//
// A thread accepts. Up to max_connections are handed on, of one address (peer.h) up to
// max_per_address; when they are all in use, one of them may give way (connections.h), the
// address's own where it has as many as it may have. Otherwise the new one is refused: closed
// before a byte was sent, which gRPC clients take for UNAVAILABLE and try again after their own
// delay. (A GOAWAY could say why, but after one gRPC's clients connect again without any delay,
// 2,400 times a second with 1.51, and fail no call meanwhile.)
//
// When no descriptor is left one that is kept for this is spent on accepting and closing what
// waits; where even that fails the thread rests for a moment and goes on, so that nothing has to be
// restarted when descriptors are back.
#ifndef KILN_SERVER_NET_LISTENER_H_
#define KILN_SERVER_NET_LISTENER_H_

#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/net/address.h"
#include "server/net/connection.h"
#include "server/net/connections.h"
#include "server/net/peer.h"

namespace kiln::net {

// Of a listener, besides max_connections: those that leave, the spare descriptor, listening
// sockets, its wake-up.
inline constexpr uint64_t kListenerDescriptors = 24;

class Listener {
 public:
  struct Options {
    uint64_t max_connections = 0;
    // Of one address; 0: no bound of its own. A trusted proxy's address has none.
    uint64_t max_per_address = 0;
    TrustedProxies trusted;
    // Told of every connection, before it is handed on, and of its end. May be null; outlives this.
    ConnectionTable* table = nullptr;
    // Takes ownership of a non-blocking connection. From the listener's thread. `named`: the socket
    // has a name of its peer that tells it from all others (TCP); otherwise the table has it as
    // "fd:N".
    std::function<void(int fd, bool named)> take;
    // Of those that were handed on, how many are open, where their owner can tell; it then makes
    // room itself, and while there are max_connections clients wait unaccepted. Null:
    // connections.h.
    std::function<uint64_t()> held;
    // Connections begin to be refused (true), and there is ample room and none was refused for two
    // seconds (false); from the listener's thread. May be null.
    std::function<void(bool refusing)> on_refusing;
  };
  // Why clients are refused now: one was in the last two seconds, and what it lacked is still not
  // there (of descriptors that is not known).
  enum class Full { kNo, kPlaces, kAddress, kDescriptors };
  struct Counters {
    uint64_t open = 0;
    uint64_t limit = 0;
    uint64_t accepted = 0;  // and handed on
    uint64_t refused_limit = 0;
    uint64_t refused_address = 0;  // its address had as many as it may have
    uint64_t refused_descriptors = 0;
    uint64_t closed_silent = 0;  // gave way
    uint64_t closed_idle = 0;    // likewise
    Full full = Full::kNo;
  };

  Listener(ListeningSockets sockets, Options options);
  // Ends accepting. What was handed on stays.
  ~Listener() { Stop(); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Ends accepting and gives the sockets up. What was handed on stays, and counters() goes on.
  // Once, or again without effect; not from several threads.
  void Stop();

  // Asks the kernel, or the owner, which connections live.
  Counters counters();
  // The address of the first socket.
  sockaddr_storage first_address(socklen_t* size) const;

  // The next connection from `peer` is the daemon's own: it is handed on whatever the bound.
  void Expect(const sockaddr_storage& peer);

 private:
  void Run();
  void AcceptSome(int socket);
  bool AcceptOne(int socket);
  bool OwnerHasRoom() const;
  bool SpendSpare(int socket);
  bool Admit(int fd, const sockaddr_storage& peer);
  // kNo: there is a place for it. Another may have given way.
  Full MakeRoomFor(const Connection& connection) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // That address has as many as it may have.
  bool HasAll(const std::string& address) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What was closed is forgotten, if it was not just now.
  void SweepAtTimes() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool GaveWay(Connections::GaveWay how) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsExpected(const sockaddr_storage& peer) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Refuse(int fd);
  // A client was refused just now.
  void NoteRefusal(Full why, const std::string& address) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool RefusedOfLate() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Full IsFull() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Tells, once each, that refusing begins and that it is over.
  void TellRefusing() ABSL_LOCKS_EXCLUDED(mutex_);

  ListeningSockets sockets_;  // of Run, after the start
  const Options options_;
  int wake_ = -1;
  int spare_ = -1;
  int rest_milliseconds_ = 0;  // of the thread
  bool refusing_ = false;      // as told
  std::atomic<bool> stopping_ = false;
  mutable absl::Mutex mutex_;
  Connections connections_ ABSL_GUARDED_BY(mutex_);
  Counters counters_ ABSL_GUARDED_BY(mutex_);
  sockaddr_storage expected_ ABSL_GUARDED_BY(mutex_) = {};
  std::chrono::steady_clock::time_point swept_ ABSL_GUARDED_BY(mutex_) = {};
  struct Refusal {
    absl::Duration at;  // Uptime
    Full why = Full::kNo;
    std::string address;
  };
  std::optional<Refusal> refusal_ ABSL_GUARDED_BY(mutex_);  // the last one
  uint64_t last_number_ ABSL_GUARDED_BY(mutex_) = 0;
  std::thread thread_;
};

}  // namespace kiln::net

#endif  // KILN_SERVER_NET_LISTENER_H_
