// Batches, retries and counts: see exporter.h.
#include "server/trace/exporter.h"

#include <algorithm>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace kiln::trace {
namespace {

bool IsRetryable(const Transport::Answer& answer) {
  constexpr int kRetryable[] = {0, 429, 502, 503, 504};
  return std::find(std::begin(kRetryable), std::end(kRetryable), answer.status) !=
         std::end(kRetryable);
}

bool IsSuccess(const Transport::Answer& answer) {
  return answer.status >= 200 && answer.status < 300;
}

std::string Describe(const Transport::Answer& answer) {
  return answer.status == 0 ? absl::StrCat("no answer: ", answer.error)
                            : absl::StrCat("HTTP status ", answer.status);
}

}  // namespace

Exporter::Exporter(Options options, std::unique_ptr<Transport> transport)
    : options_(std::move(options)), transport_(std::move(transport)) {
  thread_ = std::thread([this] { Run(); });
}

Exporter::~Exporter() { Stop(absl::ZeroDuration()); }

void Exporter::Add(Span span) {
  const size_t bytes = span.Bytes();
  absl::MutexLock lock(&mutex_);
  if (stopping_) {
    ++counters_.unreachable;
  } else if (queue_.size() >= options_.queue || bytes_ + bytes > options_.queue_bytes) {
    ++counters_.queue_full;
  } else {
    bytes_ += bytes;
    queue_.push_back(std::move(span));
  }
}

Exporter::Counters Exporter::counters() const {
  absl::MutexLock lock(&mutex_);
  Counters counters = counters_;
  counters.queued = queue_.size() + under_way_;
  return counters;
}

void Exporter::Stop(absl::Duration limit) {
  {
    absl::MutexLock lock(&mutex_);
    if (!stopping_) {
      stopping_ = true;
      end_ = absl::Now() + limit;
      transport_->EndBy(end_);
    }
  }
  if (thread_.joinable()) thread_.join();
}

bool Exporter::IsReady() const { return stopping_ || queue_.size() >= options_.batch; }

std::vector<Span> Exporter::TakeBatch() {
  std::vector<Span> batch;
  absl::MutexLock lock(&mutex_);
  do {
    mutex_.AwaitWithTimeout(absl::Condition(this, &Exporter::IsReady), options_.delay);
  } while (queue_.empty() && !stopping_);
  const auto end =
      queue_.begin() + static_cast<std::ptrdiff_t>(std::min(queue_.size(), options_.batch));
  for (auto span = queue_.begin(); span != end; ++span) {
    bytes_ -= span->Bytes();
    batch.push_back(std::move(*span));
  }
  queue_.erase(queue_.begin(), end);
  under_way_ = batch.size();
  return batch;
}

void Exporter::Run() {
  for (;;) {
    const std::vector<Span> batch = TakeBatch();
    if (batch.empty()) return;
    Send(batch);
    absl::MutexLock lock(&mutex_);
    under_way_ = 0;
  }
}

void Exporter::Count(uint64_t Counters::*spans, uint64_t number) {
  absl::MutexLock lock(&mutex_);
  counters_.*spans += number;
}

void Exporter::Tell(const std::string& why) {
  if (fails_ == !why.empty()) return;
  fails_ = !why.empty();
  if (options_.on_change != nullptr) options_.on_change(why);
}

bool Exporter::Wait(absl::Duration delay) {
  absl::MutexLock lock(&mutex_);
  return !mutex_.AwaitWithTimeout(absl::Condition(&stopping_), delay);
}

absl::Duration Exporter::DelayBefore(int next_try, const Transport::Answer& answer) {
  static thread_local std::minstd_rand random(std::random_device{}());
  absl::Duration delay = options_.first_delay;
  for (int i = 2; i < next_try; ++i) delay *= 2;
  delay *= std::uniform_real_distribution<double>(0.8, 1.2)(random);
  if (answer.retry_after.has_value()) delay = std::max(delay, *answer.retry_after);
  return std::min(delay, options_.longest_wait);
}

void Exporter::Send(const std::vector<Span>& batch) {
  const std::string body = ToJson(options_.resource, options_.version, batch);
  bool waits = true;  // false: the exporter stops, and tries are not delayed any more
  for (int number = 1;; ++number) {
    absl::Duration timeout = options_.timeout;
    {
      absl::MutexLock lock(&mutex_);
      timeout = std::min(timeout, end_ - absl::Now());
    }
    if (timeout <= absl::ZeroDuration()) break;
    const Transport::Answer answer = transport_->Post(body, timeout);
    if (IsSuccess(answer)) {
      const PartialSuccess partial = ReadPartialSuccess(answer.body);
      const uint64_t rejected = std::min<uint64_t>(
          batch.size(), static_cast<uint64_t>(std::max<int64_t>(partial.rejected, 0)));
      Count(&Counters::accepted_requests, 1);
      Count(&Counters::exported, batch.size() - rejected);
      Count(&Counters::rejected, rejected);
      Tell(rejected == 0
               ? ""
               : absl::StrCat("the collector rejected ", rejected, " spans: ", partial.message));
      return;
    }
    Tell(Describe(answer));
    if (!IsRetryable(answer)) {
      Count(&Counters::failed_requests, 1);
      Count(&Counters::rejected, batch.size());
      return;
    }
    // A stopping exporter tries once more, at once.
    const bool last = number >= options_.tries || !waits;
    Count(last ? &Counters::failed_requests : &Counters::retried_requests, 1);
    if (last) break;
    waits = Wait(DelayBefore(number + 1, answer));
  }
  Count(&Counters::unreachable, batch.size());
}

}  // namespace kiln::trace
