// The daemon's log: see log.h.
#include "server/log/log.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <span>
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

void PutNumber(int64_t number, size_t digits, char* to) {
  for (; digits > 0; number /= 10) to[--digits] = static_cast<char>('0' + number % 10);
}

// Overwrites a line's 1970-01-01T00:00:00.000Z. The date functions of the C library and of absl may
// allocate, so days since 1970 are taken off year by year and month by month.
void PutTime(const timespec& now, std::span<char> line) {
  constexpr std::string_view kEpoch = "1970-01-01T00:00:00.000Z";
  const auto found = std::search(line.begin(), line.end(), kEpoch.begin(), kEpoch.end());
  if (found == line.end()) return;
  char* to = &*found;
  int64_t days = now.tv_sec / 86400, year = 1970, month = 1;
  const auto leap = [&] { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); };
  for (; days >= (leap() ? 366 : 365); ++year) days -= leap() ? 366 : 365;
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const auto of_month = [&] { return kDays[month - 1] + (month == 2 && leap() ? 1 : 0); };
  for (; days >= of_month(); ++month) days -= of_month();
  PutNumber(year, 4, to);
  PutNumber(month, 2, to + 5);
  PutNumber(days + 1, 2, to + 8);
  PutNumber(now.tv_sec / 3600 % 24, 2, to + 11);
  PutNumber(now.tv_sec / 60 % 60, 2, to + 14);
  PutNumber(now.tv_sec % 60, 2, to + 17);
  PutNumber(now.tv_nsec / 1'000'000, 3, to + 20);
}

}  // namespace

std::string_view Name(Event event) { return kRows[static_cast<size_t>(event)].name; }
Level LevelOf(Event event) { return kRows[static_cast<size_t>(event)].level; }

Log::Log(Options options) : options_(std::move(options)), fd_(options_.fd) {
  if (!options_.clock) options_.clock = SteadyTime;
}

Log::~Log() {
  std::optional<pthread_t> writer;
  {
    absl::MutexLock lock(&mutex_);
    ending_ = true;
    writer = writer_;
  }
  if (writer) pthread_join(*writer, nullptr);
}

void Log::Configure(Level level, Format format) {
  absl::MutexLock lock(&mutex_);
  options_.level = level;
  options_.format = format;
  FormatLastWords();
}

void Log::PrepareLastWords(Event event, std::string_view message) {
  absl::MutexLock lock(&mutex_);
  last_event_ = event;
  last_message_ = message;
  FormatLastWords();
}

// A process that ends while this runs has no last words.
void Log::FormatLastWords() {
  if (!last_event_) return;
  const std::string line = FormatLine(options_.format, absl::UnixEpoch(), LevelOf(*last_event_),
                                      Name(*last_event_), {{"message", last_message_}});
  last_words_bytes_ = 0;
  memcpy(last_words_, line.data(), line.size());
  last_words_bytes_ = line.size();
}

void Log::SayLastWords(absl::Duration limit) const {
  Drain(limit);
  char line[kMaxLineBytes];
  const size_t bytes = last_words_bytes_;
  memcpy(line, last_words_, bytes);
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  PutTime(now, {line, bytes});
  for (size_t at = 0; at < bytes;) {
    const ssize_t n = write(fd_, line + at, bytes - at);
    if (n == 0 || (n < 0 && errno != EINTR)) return;
    if (n > 0) at += static_cast<size_t>(n);
  }
}

absl::Status Log::WriteToFile(const std::string& path, uint64_t bytes) {
  absl::StatusOr<LogFile> file = LogFile::Open(path, bytes, fd_);
  if (!file.ok()) return file.status();
  file_ = *std::move(file);
  const std::string why = file_->WhyNotKept();
  if (!why.empty()) Write(Event::kLogNotKept, {{"message", why}});
  return absl::OkStatus();
}

void Log::Write(Event event, std::vector<Field> fields) {
  absl::MutexLock lock(&mutex_);
  if (LevelOf(event) < options_.level) return;
  Kind& kind = kinds_[static_cast<size_t>(event)];
  if (!Admit(&kind)) {
    ++kind.suppressed;
    return;
  }
  const uint64_t suppressed = std::exchange(kind.suppressed, 0);
  if (suppressed > 0) fields.emplace_back("suppressed", suppressed);
  Put(event, std::move(fields), 1 + suppressed);
}

void Log::FlushCounts(bool all) {
  absl::MutexLock lock(&mutex_);
  for (size_t i = 0; i < kEvents; ++i) {
    Kind& kind = kinds_[i];
    if (kind.suppressed == 0 || !(Admit(&kind) || all)) continue;
    const uint64_t suppressed = std::exchange(kind.suppressed, 0);
    Put(Event::kSuppressed, {{"of", kRows[i].name}, {"suppressed", suppressed}}, suppressed);
  }
  if (lost_ > 0) Put(Event::kSuppressed, {}, 0);
}

bool Log::Drain(absl::Duration limit) const {
  const timespec step = {0, 1'000'000};
  for (int64_t left = absl::ToInt64Milliseconds(limit); unwritten_ > 0 && left > 0; --left) {
    nanosleep(&step, nullptr);
  }
  return unwritten_ == 0;
}

bool Log::Admit(Kind* kind) {
  const absl::Duration now = options_.clock();
  const absl::Duration paid_at = std::max(kind->paid_at, now) + options_.interval;
  if (paid_at - now > options_.interval * options_.burst) return false;
  kind->paid_at = paid_at;
  return true;
}

void Log::Put(Event event, std::vector<Field> fields, uint64_t events) {
  // In front, so that a long line does not cut it off.
  if (lost_ > 0) fields.insert(fields.begin(), Field("lost_lines", lost_));
  events += std::exchange(lost_, 0);
  const absl::Time now = absl::Now();
  std::string line = FormatLine(options_.format, now, LevelOf(event), Name(event), fields);
  Keep(now, event, std::move(fields));
  if (queued_bytes_ + line.size() > options_.queue_bytes) {
    lost_ = events;
    return;
  }
  queued_bytes_ += line.size();
  queue_.push_back({std::move(line), events});
  ++unwritten_;
  if (!writer_) StartWriter();
}

void Log::Keep(absl::Time now, Event event, std::vector<Field> fields) {
  std::erase_if(fields, [](const Field& f) { return f.key == "module" || f.key == "request"; });
  recent_.push_back(FormatLine(Format::kJson, now, LevelOf(event), Name(event), fields));
  if (recent_.size() > kMaxRecent) recent_.pop_front();
}

std::vector<std::string> Log::Recent() const {
  absl::MutexLock lock(&mutex_);
  return {recent_.begin(), recent_.end()};
}

void Log::StartWriter() {
  // Blocks all signals in the new thread: other threads handle them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const auto run = [](void* log) -> void* {
    static_cast<Log*>(log)->WriteLines();
    return nullptr;
  };
  pthread_t writer;
  if (pthread_create(&writer, nullptr, run, this) == 0) writer_ = writer;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Log::WriteLines() {
  absl::MutexLock lock(&mutex_);
  for (;;) {
    mutex_.Await(absl::Condition(this, &Log::HasWork));
    if (queue_.empty()) return;
    const std::string text = std::move(queue_.front().text);
    mutex_.Unlock();
    const bool written = WriteWhole(text);
    mutex_.Lock();
    if (!written) lost_ += queue_.front().events;
    queued_bytes_ -= text.size();
    queue_.pop_front();
    --unwritten_;
  }
}

bool Log::WriteWhole(const std::string& line) {
  const std::string bytes = broken_off_ ? "\n" + line : line;
  if (file_) file_->MakeRoom(bytes.size());
  size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t n = write(fd_, bytes.data() + at, bytes.size() - at);
    if (n > 0) {
      at += static_cast<size_t>(n);
    } else if (n < 0 && errno == EAGAIN) {
      // Another process that shares the descriptor made it non-blocking.
      pollfd p = {fd_, POLLOUT, 0};
      poll(&p, 1, -1);
    } else if (n == 0 || errno != EINTR) {
      break;
    }
  }
  if (at > 0) broken_off_ = at < bytes.size() && bytes[at - 1] != '\n';
  return at == bytes.size();
}

}  // namespace kiln::log
