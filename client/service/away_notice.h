// Messages of a command about a service that does not answer.
#ifndef KILN_CLIENT_SERVICE_AWAY_NOTICE_H_
#define KILN_CLIENT_SERVICE_AWAY_NOTICE_H_

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "client/service/service.h"

namespace kiln::client {

// Returns "waiting for 127.0.0.1:7411 0:07 of 1:00", for a progress line.
std::string WaitingText(const std::string& service, const Away& away);

// Shorter outages are not reported.
inline constexpr absl::Duration kWorthMentioning = absl::Seconds(1);

// Makes the sentences for users without a progress line: one when an absence has lasted so long,
// one when it is over. Not thread-safe.
class AwayNotice {
 public:
  explicit AwayNotice(std::string service) : service_(std::move(service)) {}

  // Returns the sentence to print now; empty: nothing new.
  std::string Update(const std::optional<Away>& away);

 private:
  const std::string service_;
  bool said_ = false;
  absl::Duration longest_;
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_SERVICE_AWAY_NOTICE_H_
