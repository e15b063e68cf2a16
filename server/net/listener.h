// The accept loop: bounded connections, and recovery after all descriptors were taken.
//
// A thread accepts. Up to max_connections are handed on, of one address (peer.h) up to
// max_per_address. When all are in use one may give way (connections.h), of the same address if
// that has as many as it may have. Otherwise the new connection is refused: closed before a byte
// was sent, which gRPC clients take for UNAVAILABLE and try again after their own delay. (A GOAWAY
// could give a reason, but after one gRPC's clients connect again without any delay, 2,400 times a
// second with 1.51, and fail no call meanwhile.)
//
// When no descriptor is left, a spare one is used to accept and close waiting connections. If even
// that fails the thread rests for a moment and goes on, so that no restart is needed when
// descriptors are back.
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

// Descriptors of a listener besides max_connections: leaving connections, the spare descriptor,
// listening sockets, its wake-up.
inline constexpr uint64_t kListenerDescriptors = 24;

class Listener {
 public:
  struct Options {
    uint64_t max_connections = 0;
    // Bound for one address; 0: none. A trusted proxy's address has none.
    uint64_t max_per_address = 0;
    TrustedProxies trusted;
    // Told of every connection before it is handed on, and of its end. May be null; outlives this.
    ConnectionTable* table = nullptr;
    // Takes ownership of a non-blocking connection; called from the listener's thread. `named`: the
    // socket's peer has a name that differs from all others (TCP); otherwise the table has it as
    // "fd:N".
    std::function<void(int fd, bool named)> take;
    // Returns how many of the connections handed on are open, if their owner can tell. The owner
    // then makes room itself, and while there are max_connections clients wait unaccepted. Null:
    // connections.h decides.
    std::function<uint64_t()> held;
    // Called when refusing begins (true), and when there is ample room and no client was refused
    // for two seconds (false); from the listener's thread. May be null.
    std::function<void(bool refusing)> on_refusing;
  };
  // Why clients are refused now: one was refused in the last two seconds, and what it lacked is
  // still not there (for descriptors that is not known).
  enum class Full { kNo, kConnections, kAddress, kDescriptors };
  struct Counters {
    uint64_t open = 0;
    uint64_t limit = 0;
    uint64_t accepted = 0;  // and handed on
    uint64_t refused_limit = 0;
    uint64_t refused_address = 0;  // refused because its address had as many as it may have
    uint64_t refused_descriptors = 0;
    uint64_t closed_silent = 0;  // gave way
    uint64_t closed_idle = 0;    // likewise
    Full full = Full::kNo;
  };

  Listener(ListeningSockets sockets, Options options);
  // Stops accepting. Connections handed on stay.
  ~Listener() { Stop(); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Stops accepting and closes the sockets. Connections handed on stay, and counters() still works.
  // A second call has no effect. Not to be called from several threads.
  void Stop();

  // Asks the kernel, or the owner, which connections live.
  Counters counters();
  // Returns the address of the first socket.
  sockaddr_storage first_address(socklen_t* size) const;

  // Announces the daemon's own connection from `peer`: the next one from there is exempt from the
  // bound.
  void Expect(const sockaddr_storage& peer);

 private:
  void Run();
  void AcceptSome(int socket);
  bool AcceptOne(int socket);
  bool OwnerHasRoom() const;
  bool SpendSpare(int socket);
  bool Admit(int fd, const sockaddr_storage& peer);
  // Returns kNo if the connection can be admitted, perhaps because another one gave way.
  Full MakeRoomFor(const Connection& connection) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns true if that address has as many as it may have.
  bool HasAll(const std::string& address) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Forgets closed connections, unless it did so just now.
  void SweepAtTimes() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool GaveWay(Connections::GaveWay how) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsExpected(const sockaddr_storage& peer) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Refuse(int fd);
  // Notes that a client was refused just now.
  void NoteRefusal(Full why, const std::string& address) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool RefusedOfLate() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Full IsFull() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Calls on_refusing once when refusing begins, and once when it is over.
  void TellRefusing() ABSL_LOCKS_EXCLUDED(mutex_);

  ListeningSockets sockets_;  // used by Run alone, after the start
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
