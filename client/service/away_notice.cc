// Messages of a command about a service that does not answer: see away_notice.h.
#include "client/service/away_notice.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/progress.h"

namespace kiln::client {

std::string WaitingText(const std::string& service, const Away& away) {
  return absl::StrCat("waiting for ", service, " ", ClockTime(away.since), " of ",
                      ClockTime(away.patience));
}

std::string AwayNotice::Update(const std::optional<Away>& away) {
  if (!away.has_value()) {
    if (!std::exchange(said_, false)) return "";
    return absl::StrCat(service_, " answers again after ", ClockTime(longest_));
  }
  longest_ = away->since;
  if (said_ || away->since < kWorthMentioning) return "";
  said_ = true;
  return absl::StrCat(service_, away->sheds ? " refuses work (" : " does not answer (", away->why,
                      "); waiting for it, up to ", absl::ToDoubleSeconds(away->patience),
                      " s (--patience)");
}

}  // namespace kiln::client
