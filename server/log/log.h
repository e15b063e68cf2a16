// The daemon's log: one line for each event of events.def that an operator wants to know.
//
// A client can cause events without end, so each kind has a limit of its own: a burst, then one
// line in an interval. What is over it is counted, and the count is in the kind's next line or,
// when nothing more happens, in a line "suppressed". So a flood of one kind costs little and hides
// no other kind. And nobody who stops reading the log stops the daemon: a line that cannot be
// written at once is dropped, and the next one says how many were lost.
//
// Shader text never comes here: see events.def for what may be in fields.
#ifndef KILN_SERVER_LOG_LOG_H_
#define KILN_SERVER_LOG_LOG_H_

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/log/line.h"

namespace kiln::log {

enum class Event {
#define KILN_EVENT(identifier, name, level) identifier,
#include "server/log/events.def"
#undef KILN_EVENT
};
inline constexpr size_t kEvents = static_cast<size_t>(Event::kSuppressed) + 1;

std::string_view Name(Event event);
Level LevelOf(Event event);

struct Options {
  Level level = Level::kInfo;  // and above
  Format format = Format::kText;
  int fd = 2;
  int burst = 10;                              // lines of one kind at once
  absl::Duration interval = absl::Seconds(1);  // between lines after that
  // Time since any moment, never set back; for tests.
  std::function<absl::Duration()> clock;
};

// All functions may be called from any thread.
class Log {
 public:
  explicit Log(Options options = {});
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Does not block.
  void Write(Event event, std::vector<Field> fields = {});

  void Configure(Level level, Format format);

  // Writes counts of suppressed lines that no later line of their kind brought: of kinds that may
  // have a line again, or of all.
  void FlushCounts(bool all);

 private:
  struct Kind {
    // When the lines written are paid for, at one an interval.
    absl::Duration paid_at = -absl::InfiniteDuration();
    uint64_t suppressed = 0;
  };
  // True: there may be a line, and it is counted.
  bool Admit(Kind* kind) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Put(Event event, std::vector<Field> fields) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  absl::Mutex mutex_;
  Options options_ ABSL_GUARDED_BY(mutex_);
  std::array<Kind, kEvents> kinds_ ABSL_GUARDED_BY(mutex_);
  uint64_t lost_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace kiln::log

#endif  // KILN_SERVER_LOG_LOG_H_
