// What a command says about a service that does not answer.
#ifndef KILN_CLIENT_SERVICE_AWAY_NOTICE_H_
#define KILN_CLIENT_SERVICE_AWAY_NOTICE_H_

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "client/service/service.h"

namespace kiln::client {

// "waiting for 127.0.0.1:7411 0:07 of 1:00": in a progress line.
std::string WaitingText(const std::string& service, const Away& away);

// Shorter absences are nobody's business.
inline constexpr absl::Duration kWorthMentioning = absl::Seconds(1);

// The sentences for those who see no progress line: one when an absence has lasted so long, one
// when it is over. For one thread at a time.
class AwayNotice {
 public:
  explicit AwayNotice(std::string service) : service_(std::move(service)) {}

  // What is to be said now; empty: nothing new.
  std::string Update(const std::optional<Away>& away);

 private:
  const std::string service_;
  bool said_ = false;
  absl::Duration longest_;
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_SERVICE_AWAY_NOTICE_H_
