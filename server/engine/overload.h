// Decides when the daemon is overloaded, from the number of requests that it refused.
//
// Look is called now and then: overload begins when requests were refused since the last call, and
// ends when none was refused for kQuiet. A few refusals more or less within that make no
// difference, so that an operator sees two lines for a busy hour and not thousands.
#ifndef KILN_SERVER_ENGINE_OVERLOAD_H_
#define KILN_SERVER_ENGINE_OVERLOAD_H_

#include <cstdint>

#include "absl/time/time.h"

namespace kiln::server {

class Overload {
 public:
  static constexpr absl::Duration kQuiet = absl::Seconds(5);
  enum class Change { kNone, kEntered, kLeft };

  // `refused`: since the daemon's start. `now`: of a clock that is never set back.
  Change Look(uint64_t refused, absl::Duration now) {
    if (refused > seen_) {
      const bool entered = !overloaded_;
      if (entered) {
        overloaded_ = true;
        entered_ = now;
        before_ = seen_;
      }
      last_ = now;
      seen_ = refused;
      return entered ? Change::kEntered : Change::kNone;
    }
    if (!overloaded_ || now - last_ < kQuiet) return Change::kNone;
    overloaded_ = false;
    return Change::kLeft;
  }

  // Describe the present overload, or else the last one: requests refused in it, and its length up
  // to the last refusal.
  uint64_t refused() const { return seen_ - before_; }
  absl::Duration lasted() const { return last_ - entered_; }

 private:
  bool overloaded_ = false;
  uint64_t seen_ = 0;
  uint64_t before_ = 0;  // value of `seen_` when it began
  absl::Duration entered_;
  absl::Duration last_;
};

}  // namespace kiln::server

#endif  // KILN_SERVER_ENGINE_OVERLOAD_H_
