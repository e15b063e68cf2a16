// The daemon's log: one line for each event of events.def.
//
// A client can cause events without end, so each kind has a limit of its own: a burst, then one
// line in an interval. Events above it are counted, and the count is in the kind's next line or,
// when no more happen, in a line "suppressed". So a flood of one kind costs little and hides no
// other kind.
//
// A reader that stops reading the log does not stop the daemon. No system call tells in advance if
// a write will block: poll() promises a terminal's writer one byte, and a pipe's room may be taken
// by another process. So lines go into a queue, and a thread that does nothing else writes them, in
// order. Lines that do not fit in the queue or cannot be written (a full disk) are lost, and
// counted in lost_lines of a later line, together with what the lost line itself counted: every
// event is a line of its own, or in `suppressed` or in lost_lines. A line that was cut off by an
// error is ended before the next.
//
// The descriptor is standard error or, from WriteToFile on, a bounded file in its stead
// (log_file.h).
//
// The thread starts with the first line; a child that was forked without exec does not have it.
//
// The latest lines are kept for the daemon's page of its log, without the digest of the module (a
// capability, server/README.md) and the id that the client gave its request.
//
// Shader text never comes here: events.def has what fields may contain.
#ifndef KILN_SERVER_LOG_LOG_H_
#define KILN_SERVER_LOG_LOG_H_

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/log/line.h"
#include "server/log/log_file.h"

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
  absl::Duration interval = absl::Seconds(1);  // between further lines
  size_t queue_bytes = size_t{256} << 10;      // bound on lines that wait to be written
  // Time since any moment, never set back; replaced by tests.
  std::function<absl::Duration()> clock;
};

// All functions may be called from any thread.
class Log {
 public:
  explicit Log(Options options = {});
  // Waits until all is written, so the descriptor must have a reader.
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // To be called before the first line: all that any code writes to the descriptor goes to this
  // file, which takes at most `bytes`, and FILE.1 as many of the older lines. If those cannot be
  // kept the first line says so. Errors as LogFile::Open.
  absl::Status WriteToFile(const std::string& path, uint64_t bytes);

  // Does not block.
  void Write(Event event, std::vector<Field> fields = {});

  void Configure(Level level, Format format);

  // Returns the latest lines, at most kMaxRecent of them, as JSON whatever the format is, without
  // the fields that are not for the page. The oldest first.
  static constexpr size_t kMaxRecent = 256;
  std::vector<std::string> Recent() const;

  // Keeps a line ready for SayLastWords, at most kMaxLineBytes of it.
  void PrepareLastWords(Event event, std::string_view message);
  // Waits for the queued lines, up to `limit`, and writes the prepared line with the present time,
  // bypassing the queue and a file's bound. Allocates nothing and takes no lock; for a process that
  // is about to end, also in a signal handler.
  void SayLastWords(absl::Duration limit) const;

  // Writes the counts of lost lines and of suppressed lines that no later line of their kind has
  // told: for all kinds, or for those that may have a line again.
  void FlushCounts(bool all);

  // Waits until all is written, up to `limit`; returns false if it is not. To be called before the
  // process ends, also in a signal handler: takes no lock and no memory.
  bool Drain(absl::Duration limit) const;

 private:
  struct Kind {
    // Time at which the lines written are paid for, at one per interval.
    absl::Duration paid_at = -absl::InfiniteDuration();
    uint64_t suppressed = 0;
  };
  struct Line {
    std::string text;
    uint64_t events = 0;  // events that only this line reports
  };
  // Counts an event. Returns true if it may have a line.
  bool Admit(Kind* kind) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // `events`: those that only this line reports, without lost ones.
  void Put(Event event, std::vector<Field> fields, uint64_t events)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Keep(absl::Time now, Event event, std::vector<Field> fields)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // If no thread can be started, the next line tries again.
  void StartWriter() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WriteLines();
  bool HasWork() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return ending_ || !queue_.empty(); }
  // Blocks as long as necessary. Returns false if the line is not in the log whole.
  bool WriteWhole(const std::string& line);

  mutable absl::Mutex mutex_;
  Options options_ ABSL_GUARDED_BY(mutex_);
  std::array<Kind, kEvents> kinds_ ABSL_GUARDED_BY(mutex_);
  uint64_t lost_ ABSL_GUARDED_BY(mutex_) = 0;
  std::deque<Line> queue_ ABSL_GUARDED_BY(mutex_);  // the first is being written
  size_t queued_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  std::deque<std::string> recent_ ABSL_GUARDED_BY(mutex_);
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<pthread_t> writer_ ABSL_GUARDED_BY(mutex_);
  std::atomic<size_t> unwritten_ = 0;  // lines in the queue

  void FormatLastWords() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Read without the lock by SayLastWords; written before it can be called.
  std::optional<Event> last_event_ ABSL_GUARDED_BY(mutex_);
  std::string last_message_ ABSL_GUARDED_BY(mutex_);
  char last_words_[kMaxLineBytes] = {};
  std::atomic<size_t> last_words_bytes_ = 0;

  const int fd_;
  std::optional<LogFile> file_;  // used by the writer, once there is one
  bool broken_off_ = false;      // used by the writer: the line before has no newline
};

}  // namespace kiln::log

#endif  // KILN_SERVER_LOG_LOG_H_
