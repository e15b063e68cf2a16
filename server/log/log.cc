// The daemon's log: see log.h.
#include "server/log/log.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/time/clock.h"

namespace kiln::log {
namespace {

struct Row {
  std::string_view name;
  Level level;
};

constexpr Row kRows[] = {
#define KILN_EVENT(identifier, name, level) {name, Level::level},
#include "server/log/events.def"
#undef KILN_EVENT
};
static_assert(std::size(kRows) == kEvents, "kSuppressed is the last row");

absl::Duration SteadyTime() {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

// False: the line could not be written whole without waiting.
bool WriteAtOnce(int fd, const std::string& line) {
  pollfd p = {fd, POLLOUT, 0};
  if (poll(&p, 1, 0) != 1 || (p.revents & POLLOUT) == 0) return false;
  return write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

}  // namespace

std::string_view Name(Event event) { return kRows[static_cast<size_t>(event)].name; }
Level LevelOf(Event event) { return kRows[static_cast<size_t>(event)].level; }

Log::Log(Options options) : options_(std::move(options)) {
  if (!options_.clock) options_.clock = SteadyTime;
}

void Log::Configure(Level level, Format format) {
  absl::MutexLock lock(&mutex_);
  options_.level = level;
  options_.format = format;
}

void Log::Write(Event event, std::vector<Field> fields) {
  absl::MutexLock lock(&mutex_);
  if (LevelOf(event) < options_.level) return;
  Kind& kind = kinds_[static_cast<size_t>(event)];
  if (!Admit(&kind)) {
    ++kind.suppressed;
    return;
  }
  if (kind.suppressed > 0) fields.emplace_back("suppressed", std::exchange(kind.suppressed, 0));
  Put(event, std::move(fields));
}

void Log::FlushCounts(bool all) {
  absl::MutexLock lock(&mutex_);
  for (size_t i = 0; i < kEvents; ++i) {
    Kind& kind = kinds_[i];
    if (kind.suppressed == 0 || !(Admit(&kind) || all)) continue;
    Put(Event::kSuppressed,
        {{"of", kRows[i].name}, {"suppressed", std::exchange(kind.suppressed, 0)}});
  }
}

bool Log::Admit(Kind* kind) {
  const absl::Duration now = options_.clock();
  const absl::Duration paid_at = std::max(kind->paid_at, now) + options_.interval;
  if (paid_at - now > options_.interval * options_.burst) return false;
  kind->paid_at = paid_at;
  return true;
}

void Log::Put(Event event, std::vector<Field> fields) {
  // First, so that a long line does not cut it off.
  if (lost_ > 0) fields.insert(fields.begin(), Field("lost_lines", lost_));
  const std::string line =
      FormatLine(options_.format, absl::Now(), LevelOf(event), Name(event), fields);
  if (WriteAtOnce(options_.fd, line)) {
    lost_ = 0;
  } else {
    ++lost_;
  }
}

}  // namespace kiln::log
