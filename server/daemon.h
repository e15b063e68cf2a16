// kilnd put together: workers, cache, engine, gRPC server, metrics server, and their end.
//
// Start order is the order of dependence; each step's failure is one clear sentence. Connections
// are accepted here, not by gRPC, which would stop for ever when descriptors run out
// (net/listener.h); the daemon asks itself for its health through its own listener, and turns
// NOT_SERVING while that fails. Stopping: health turns NOT_SERVING, new calls are refused, calls in
// flight are finished (for drain-time at most, then they are cancelled), then everything is taken
// down in reverse.
#ifndef KILN_SERVER_DAEMON_H_
#define KILN_SERVER_DAEMON_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/cache/disk_status.h"
#include "server/config.h"
#include "server/net/address.h"

namespace kiln::server {

inline constexpr char kVersion[] = "0.1.0";

// What an operator wants to know when it happens. Called from the daemon's threads, which wait for
// it; any may be null.
struct Events {
  // The health check through the listener fails, or (Ok) is answered again.
  std::function<void(const absl::Status& status)> on_self_health;
  // Connections to `listener` ("grpc", "metrics") begin to be refused, or there is room again.
  std::function<void(std::string_view listener, bool refusing)> on_refusing;
};

class Daemon {
 public:
  static absl::StatusOr<std::unique_ptr<Daemon>> Start(const Config& config, Events events = {});
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // "127.0.0.1:7411", with the port that was taken.
  const std::string& listen_address() const;
  // Empty: there is no metrics server.
  const std::string& metrics_address() const;
  // How the disk cache is; serving where there is none.
  cache::DiskStatus disk_status() const;

  // Connections that fit; fewer than were asked for where descriptors are few.
  uint64_t max_connections() const;

  // Drains and stops serving; blocks until done. Metrics are served on, until the destructor.
  void Stop();

 private:
  struct Parts;
  explicit Daemon(std::unique_ptr<Parts> parts);
  static absl::Status StartServing(const Config& config, Parts* parts);
  static void ListenForCalls(const Config& config, net::ListeningSockets sockets, Parts* parts);
  static void ListenForScrapes(net::ListeningSockets sockets, Parts* parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace kiln::server

#endif  // KILN_SERVER_DAEMON_H_
