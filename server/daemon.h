// kilnd put together: workers, cache, engine, gRPC server, metrics server, and their end.
//
// Starts in the order of dependence; a step that fails returns one clear sentence. Connections are
// accepted here, not by gRPC, which would stop accepting for ever when descriptors run out
// (net/listener.h). The daemon asks itself for its health through its own listener, and turns
// NOT_SERVING while that fails. To stop: health turns NOT_SERVING, new calls are refused, calls in
// flight are finished (within drain-time, then they are cancelled), then the parts end in reverse
// order.
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
#include "server/pages/documents.h"

namespace kiln::server {

class Daemon {
 public:
  // `log` outlives it.
  static absl::StatusOr<std::unique_ptr<Daemon>> Start(const Config& config, log::Log* log);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // For example "127.0.0.1:7411", with the port that was really bound.
  const std::string& listen_address() const;
  // Empty: there is no metrics server.
  const std::string& metrics_address() const;

  // True if clients can be on other machines.
  bool reached_from_elsewhere() const;

  // Bound on connections; below the setting where descriptors are few.
  uint64_t max_connections() const;

  // Number of calls without an answer yet.
  int in_flight() const;
  // Takes the settings that TakeChanges changes in a running daemon.
  void Reconfigure(const Config& config);
  // Checks the states that no event reports (overload, quarantine) and logs changes. To be called
  // about once a second.
  void Look();

  // Drains and stops serving; blocks until done. Returns the number of calls that did not end in
  // time and were cancelled. Metrics are served until the destructor.
  int Stop();

 private:
  struct Parts;
  void LookForOverload();
  void LookAtQuarantine();
  explicit Daemon(std::unique_ptr<Parts> parts);
  static absl::Status StartServing(const Config& config, Parts* parts);
  static void ListenForCalls(const Config& config, net::ListeningSockets sockets,
                             net::TrustedProxies trusted, Parts* parts);
  static pages::Health HealthOf(const Parts& parts);
  static net::HttpPages::Page HealthPage(const Parts& parts);
  static net::HttpPages::Page MetricsPage(Parts* parts, bool open_metrics);
  static void ListenForScrapes(net::ListeningSockets sockets, Parts* parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace kiln::server

#endif  // KILN_SERVER_DAEMON_H_
