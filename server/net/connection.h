// An accepted connection, as the handlers of its calls see it.
//
// gRPC owns the connection and tells a call's handler nothing of it but a name of its peer. So
// connections are entered under that name when they are accepted; by the name a call finds its
// connection, and with it the client's address and the other open calls. gRPC's name of a
// Unix-domain connection is the number of its descriptor ("fd:7"), since such a client has no name
// of its own (Listener::Options).
#ifndef KILN_SERVER_NET_CONNECTION_H_
#define KILN_SERVER_NET_CONNECTION_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace kiln::net {

// Time of a clock that is never set back.
absl::Duration Uptime();

struct Connection {
  // Its descriptor and the identity of its socket (fstat): it lives as long as both agree.
  int fd = -1;
  dev_t device = 0;
  ino_t inode = 0;
  uint64_t number = 0;      // differs from that of every other connection
  std::string address;      // peer.h
  bool trusted = false;     // its forwarding headers are believed
  absl::Duration accepted;  // Uptime
  // Calls that gRPC has reported, which it does when a call's first message has arrived.
  std::atomic<int> calls = 0;  // that are open
  std::atomic<int64_t> last_call =
      -1;  // when the last one began or ended, in nanoseconds of Uptime; -1: none did

  absl::Duration LastCall() const {
    return absl::Nanoseconds(last_call.load(std::memory_order_relaxed));
  }
  bool HasCalled() const { return last_call.load(std::memory_order_relaxed) >= 0; }
};

// Counts a call of a connection as open as long as it lives. Empty if the connection is not known,
// or gone.
class OpenCall {
 public:
  OpenCall() = default;
  explicit OpenCall(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {
    if (connection_ == nullptr) return;
    connection_->calls.fetch_add(1, std::memory_order_relaxed);
    Touch();
  }
  ~OpenCall() { End(); }
  OpenCall(OpenCall&& other) noexcept : connection_(std::move(other.connection_)) {}
  OpenCall& operator=(OpenCall&& other) noexcept {
    std::swap(connection_, other.connection_);
    return *this;
  }

  const Connection* connection() const { return connection_.get(); }

 private:
  void Touch() {
    connection_->last_call.store(absl::ToInt64Nanoseconds(Uptime()), std::memory_order_relaxed);
  }
  void End() {
    if (connection_ == nullptr) return;
    Touch();
    connection_->calls.fetch_sub(1, std::memory_order_relaxed);
    connection_.reset();
  }
  std::shared_ptr<Connection> connection_;
};

// Connections by gRPC's name of their peer. Thread-safe.
class ConnectionTable {
 public:
  // To be called before gRPC gets the connection. A name that is reused belongs to the new
  // connection.
  void Enter(const std::string& peer, std::shared_ptr<Connection> connection);
  // It is closed.
  void Remove(const std::string& peer, const Connection* connection);
  // Begins a call. `peer`: ServerContext::peer().
  OpenCall Begin(std::string peer) const;

 private:
  mutable absl::Mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Connection>> by_peer_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::net

#endif  // KILN_SERVER_NET_CONNECTION_H_
