// kilnd put together: workers, cache, engine, gRPC server, metrics server, and their end.
//
// Start order is the order of dependence; each step's failure is one clear sentence. Stopping:
// health turns NOT_SERVING, new calls are refused, calls in flight are finished (for drain-time at
// most, then they are cancelled), then everything is taken down in reverse.
#ifndef KILN_SERVER_DAEMON_H_
#define KILN_SERVER_DAEMON_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/config.h"

namespace kiln::server {

inline constexpr char kVersion[] = "0.1.0";

class Daemon {
 public:
  static absl::StatusOr<std::unique_ptr<Daemon>> Start(const Config& config);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // "127.0.0.1:7411", with the port that was taken.
  const std::string& listen_address() const;
  // Empty: there is no metrics server.
  const std::string& metrics_address() const;

  // Drains and stops serving; blocks until done. Metrics are served on, until the destructor, which
  // takes seconds for that: the HTTP server's threads look up only now and then.
  void Stop();

 private:
  struct Parts;
  explicit Daemon(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace kiln::server

#endif  // KILN_SERVER_DAEMON_H_
