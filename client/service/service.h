// A compile service: a daemon (client.h) or worker processes of the command itself
// (local_service.h).
//
// All calls block and may be made from several threads at once.
#ifndef KILN_CLIENT_SERVICE_SERVICE_H_
#define KILN_CLIENT_SERVICE_SERVICE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

struct ServiceHealth {
  std::string service;  // "kiln.v1.Compiler"; empty: the whole daemon
  std::string status;   // "serving", "not_serving", "unknown"
  std::string detail;   // for people, may be empty
};

// A service that answers no call.
struct Away {
  absl::Duration since;     // duration so far
  absl::Duration patience;  // the total time to wait
  bool sheds = false;       // it is present, but takes no work
  std::string why;
};

class Service {
 public:
  virtual ~Service() = default;

  // The outcome of a compile is in the response. An error is about the call: InvalidArgument (the
  // request is malformed, the message names the field), Unavailable (no answer, or refusals for
  // longer than patience lasts), DeadlineExceeded, Cancelled (after Stop).
  virtual absl::StatusOr<kiln::v1::CompileResponse> Compile(
      const kiln::v1::CompileRequest& request) = 0;

  virtual absl::StatusOr<kiln::v1::Capabilities> GetCapabilities() = 0;

  virtual absl::StatusOr<std::vector<ServiceHealth>> Health() = 0;

  // Ends calls in flight and fails later ones with Cancelled.
  virtual void Stop() = 0;

  // Returns the absence if calls wait for a service that does not answer.
  virtual std::optional<Away> CurrentlyAway() { return std::nullopt; }

  // Returns a notice for the user beside the results, once: a sentence, or "".
  virtual std::string TakeNotice() { return ""; }

  // Returns "127.0.0.1:7411" or "local workers", for messages.
  virtual std::string Name() const = 0;
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_SERVICE_SERVICE_H_
