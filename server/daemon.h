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
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/version.h"
#include "server/config/config.h"
#include "server/log/log.h"
#include "server/net/address.h"
#include "server/net/http_pages.h"
#include "server/net/peer.h"

namespace kiln::server {

class Daemon {
 public:
  // `log` outlives it.
  static absl::StatusOr<std::unique_ptr<Daemon>> Start(const Config& config, log::Log* log);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // "127.0.0.1:7411", with the port that was taken.
  const std::string& listen_address() const;
  // Empty: there is no metrics server.
  const std::string& metrics_address() const;

  // Clients can be on other machines.
  bool reached_from_elsewhere() const;

  // Connections that fit; fewer than were asked for where descriptors are few.
  uint64_t max_connections() const;

  // Calls that are not answered.
  int in_flight() const;
  // Takes those settings that TakeChanges gives a running daemon.
  void Reconfigure(const Config& config);
  // To be called about once a second: looks at what nobody reports, and logs what has changed.
  void Look();

  // Drains and stops serving; blocks until done. The number of calls that did not end in time and
  // were cancelled. Metrics are served on, until the destructor.
  int Stop();

 private:
  struct Parts;
  void LookForOverload();
  void LookAtQuarantine();
  explicit Daemon(std::unique_ptr<Parts> parts);
  static absl::Status StartServing(const Config& config, Parts* parts);
  static void ListenForCalls(const Config& config, net::ListeningSockets sockets,
                             net::TrustedProxies trusted, Parts* parts);
  static net::HttpPages::Page HealthPage(const Parts& parts);
  static void ListenForScrapes(net::ListeningSockets sockets, Parts* parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace kiln::server

#endif  // KILN_SERVER_DAEMON_H_
