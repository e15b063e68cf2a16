// A pool of worker processes: see pool.h.
//
// pool.cc has the queue; slot.cc has one thread with its worker.
#include "server/worker/pool.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "server/worker/executable.h"
#include "server/worker/pool_internal.h"
#include "server/worker/sandbox_level.h"
#include "server/worker/uptime.h"

namespace kiln::worker {
namespace {

// Kinds of jobs whose cost is guessed separately.
constexpr FairQueue<Pool::Handle>::Kind kCompile = 0, kTranslate = 1;

}  // namespace

absl::StatusOr<std::unique_ptr<Pool>> Pool::Start(PoolOptions options) {
  auto path = FindWorkerExecutable(options.executable);
  if (!path.ok()) return path.status();
  auto executable = Executable::Open(*path);
  if (!executable.ok()) return executable.status();
  if (options.workers < 1) return absl::InvalidArgumentError("a pool needs at least one worker");
  auto impl = std::make_unique<Impl>(std::move(options), *std::move(executable));
  if (absl::Status s = impl->StartSlots(); !s.ok()) return s;
  return std::unique_ptr<Pool>(new Pool(std::move(impl)));
}

Pool::Pool(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Pool::~Pool() = default;
const Hello& Pool::hello() const { return impl_->hello(); }
absl::StatusOr<Pool::Handle> Pool::Submit(std::shared_ptr<const Job> job, Done done,
                                          const Owner& owner, Handle* displaced) {
  return impl_->Submit(std::move(job), std::move(done), owner, displaced);
}
void Pool::EndDisplaced(const Handle& handle) { impl_->EndDisplaced(handle); }
void Pool::Adopt(const Handle& handle, const std::vector<Owner>& owners) {
  impl_->Adopt(handle, owners);
}
void Pool::Cancel(const Handle& handle) { impl_->Cancel(handle); }
void Pool::Distrust(uint64_t worker) { impl_->Distrust(worker); }
std::string Pool::executable() const { return impl_->executable().ExecPath(); }
Pool::Load Pool::load() const { return impl_->load(); }
bool Pool::HasRoom() const { return impl_->HasRoom(); }
Hello::Sandbox Pool::sandbox() const { return impl_->sandbox(); }

absl::Status Pool::Impl::StartSlots() {
  for (int i = 0; i < options_.workers + options_.spare_workers; ++i) {
    auto slot = Slot::Create(this);
    if (!slot.ok()) return slot.status();
    slots_.push_back(*std::move(slot));
  }
  for (auto& slot : slots_) slot->StartThread();
  absl::Status status;
  for (auto& slot : slots_) status.Update(slot->AwaitFirstStart());
  return status;
}

Pool::Impl::~Impl() {
  std::vector<Handle> waiting;
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
    queue_.Clear([&](Handle entry) { waiting.push_back(std::move(entry)); });
    for (auto& slot : slots_) {
      if (slot->running != nullptr) slot->running->cancelled = true;
      slot->Wake();
    }
  }
  for (const Handle& entry : waiting) Finish(entry, CancelledOutcome(*entry));
  for (auto& slot : slots_) slot->Join();
}

absl::StatusOr<Pool::Handle> Pool::Impl::Submit(std::shared_ptr<const Job> job, Done done,
                                                const Owner& owner, Handle* displaced) {
  auto entry = std::make_shared<Entry>();
  entry->job = std::move(job);
  entry->done = std::move(done);
  entry->owner = owner;
  entry->queued_at = absl::Now();
  absl::MutexLock lock(&mutex_);
  if (stopping_) return absl::UnavailableError("shutting down");
  if (queue_.size() >= options_.queue_limit) {
    auto other = displaced == nullptr ? std::nullopt : queue_.Displace(owner);
    const Owner& refused = other.has_value() ? (*other)->owner : owner;
    ++(queue_.IsBusiest(refused) ? refused_busiest_ : refused_others_);
    if (!other.has_value()) {
      return absl::UnavailableError(
          absl::StrCat("the queue is full: ", queue_.size(), " jobs are waiting"));
    }
    ++displaced_;
    *displaced = *std::move(other);
  }
  queue_.Push(owner, entry, entry->job->has_translate() ? kTranslate : kCompile);
  return entry;
}

void Pool::Impl::EndDisplaced(const Handle& entry) {
  JobOutcome outcome = CancelledOutcome(*entry);
  outcome.displaced = true;
  {
    absl::MutexLock lock(&mutex_);
    outcome.owner = entry->owner;
  }
  Finish(entry, std::move(outcome));
}

void Pool::Impl::Adopt(const Handle& entry, const std::vector<Owner>& owners) {
  absl::MutexLock lock(&mutex_);
  if (entry->state != Entry::State::kQueued) return;
  const bool has_left = std::find(owners.begin(), owners.end(), entry->owner) == owners.end();
  entry->owner = queue_.Move(entry->owner, entry, owners, has_left);
}

void Pool::Impl::Cancel(const Handle& entry) {
  {
    absl::MutexLock lock(&mutex_);
    if (entry->state == Entry::State::kDone) return;
    entry->cancelled = true;
    if (entry->state == Entry::State::kRunning) {
      entry->slot->Wake();
      return;
    }
    queue_.Remove(entry->owner, entry);
  }
  Finish(entry, CancelledOutcome(*entry));
}

void Pool::Impl::Distrust(uint64_t worker) {
  absl::MutexLock lock(&mutex_);
  for (auto& slot : slots_) {
    if (worker == 0 || slot->worker != worker) continue;
    slot->distrusted = true;
    slot->Wake();
  }
}

bool Pool::Impl::HasNext() {
  if (queue_.running() < workers()) return !queue_.empty();
  return !queue_.empty() && queue_.HasExpress(Uptime());
}

Pool::Handle Pool::Impl::TakeNext() {
  const bool express = queue_.running() >= workers();
  auto taken = express ? queue_.TakeExpress(Uptime()) : queue_.Take(Uptime());
  if (!taken.has_value()) return nullptr;
  if (express) ++express_;
  taken->item->express = express;
  taken->item->turn = taken->turn;
  return std::move(taken->item);
}

Pool::Handle Pool::Impl::Next(Slot* slot) {
  absl::MutexLock lock(&mutex_);
  if (gives_way_ == slot) gives_way_ = nullptr;
  Handle entry;
  while (entry == nullptr) {
    AwaitNext(*slot);
    if (stopping_ || slot->distrusted) return nullptr;
    entry = TakeNext();
  }
  // From here on, anything that happens to the slot's worker is this job's outcome.
  entry->state = Entry::State::kRunning;
  entry->slot = slot;
  slot->running = entry;
  return entry;
}

void Pool::Impl::AwaitNext(const Slot& slot) {
  // A job may become an express job just because others have run on, which no notification reports.
  // A wait that began with an empty queue has no time-out, so it ends when the queue is no longer
  // empty.
  const bool looks = !queue_.empty();
  const auto has_reason = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return stopping_ || slot.distrusted || HasNext() || (!looks && !queue_.empty());
  };
  mutex_.AwaitWithTimeout(absl::Condition(&has_reason),
                          looks ? FairQueue<Handle>::kExpressLook : absl::InfiniteDuration());
}

bool Pool::Impl::GivesWay(Slot* slot) {
  absl::MutexLock lock(&mutex_);
  if (gives_way_ != nullptr || queue_.empty()) return false;
  if (queue_.running() < slots_.size() || !queue_.HasExpress(Uptime())) return false;
  gives_way_ = slot;
  return true;
}

void Pool::Impl::Finish(const Handle& entry, JobOutcome outcome, absl::Duration cost) {
  Done done;
  {
    absl::MutexLock lock(&mutex_);
    if (entry->state == Entry::State::kDone) return;
    if (entry->slot != nullptr) entry->slot->running = nullptr;
    if (entry->state == Entry::State::kRunning) queue_.Finish(entry->turn, cost);
    entry->state = Entry::State::kDone;
    entry->slot = nullptr;
    done = std::move(entry->done);
    entry->done = nullptr;
  }
  done(std::move(outcome));
}

void Pool::Impl::HandBack(const Handle& entry, std::optional<absl::Duration> cost) {
  {
    absl::MutexLock lock(&mutex_);
    entry->slot->running = nullptr;
    entry->slot = nullptr;
    if (!stopping_ && !entry->cancelled) {
      entry->state = Entry::State::kQueued;
      cost.has_value() ? queue_.Interrupt(entry->turn, entry, *cost)
                       : queue_.PutBack(entry->turn, entry);
      return;
    }
  }
  Finish(entry, CancelledOutcome(*entry), cost.value_or(absl::ZeroDuration()));
}

void Pool::Impl::SetWorker(Slot* slot, const Process* process) {
  absl::MutexLock lock(&mutex_);
  if (slot->cpu_time != nullptr) ended_cpu_ += slot->cpu_time->Used() - slot->start_cpu;
  slot->worker = process == nullptr ? 0 : ++last_worker_;
  slot->distrusted = false;
  slot->memory = process == nullptr ? nullptr : process->memory();
  slot->cpu_time = process == nullptr ? nullptr : process->cpu_time();
  if (process == nullptr) return;
  slot->start_cpu = slot->cpu_time->Used();
  start_cpu_ += slot->start_cpu;
}

JobOutcome Pool::Impl::CancelledOutcome(const Entry& entry) {
  JobOutcome outcome;
  outcome.status = kiln::v1::TargetResult::CANCELLED;
  outcome.cause = "cancelled";
  outcome.message = "cancelled while it waited for a worker";
  outcome.queued = absl::Now() - entry.queued_at;
  outcome.results.resize(static_cast<size_t>(entry.job->compile().targets_size()));
  return outcome;
}

absl::Status Pool::Impl::CheckHello(const Hello& hello) const {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr bool kFiltered = false;  // for workers of the same build
#else
  constexpr bool kFiltered = true;
#endif
  if (kFiltered && options_.limits.seccomp && !hello.sandbox().seccomp()) {
    return absl::FailedPreconditionError(
        "the worker could not install its system-call filter (seccomp), and is not used without "
        "one");
  }
  const bool memory =
      options_.limits.address_space_bytes == 0 || hello.sandbox().address_space_limit();
  if (kFiltered && !(memory && hello.sandbox().resource_limits())) {
    return absl::FailedPreconditionError(
        absl::StrCat("the worker could not limit its ",
                     memory ? "resources" : "memory (--job-memory=0 sets no limit)",
                     ", and is not used without the limit"));
  }
  if (options_.limits.uid != 0 && !hello.sandbox().not_root()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the worker could not become user ", options_.limits.uid,
        " for good, and is not used as root. It needs CAP_SETUID and CAP_SETGID, and a user "
        "namespace that has this user. --worker-user=NAME chooses another user; with "
        "--worker-user=none workers stay root, with all other layers of the sandbox"));
  }
  if (options_.limits.fault_injection && !hello.fault_injection()) {
    return absl::FailedPreconditionError(
        "--enable-fault-injection needs a test build of the worker; this build has no fault "
        "injection");
  }
  return absl::OkStatus();
}

absl::Status Pool::Impl::AcceptHello(Slot* slot, Hello hello) {
  if (absl::Status s = CheckHello(hello); !s.ok()) return s;
  absl::MutexLock lock(&mutex_);
  slot->sandbox = hello.sandbox();
  if (has_hello_) *hello.mutable_sandbox() = hello_.sandbox();  // which may differ
  if (!has_hello_) {
    hello_ = std::move(hello);
    has_hello_ = true;
    return absl::OkStatus();
  }
  // Keys contain these versions: results of another compiler must not be stored under them.
  if (hello.SerializeAsString() != hello_.SerializeAsString()) {
    return absl::FailedPreconditionError("the worker executable has changed; restart kilnd");
  }
  return absl::OkStatus();
}

bool Pool::Impl::HasRoom() const {
  absl::MutexLock lock(&mutex_);
  return queue_.size() < options_.queue_limit - options_.queue_limit / 4;
}

bool Pool::Impl::stopping() const {
  absl::MutexLock lock(&mutex_);
  return stopping_;
}

void Pool::Impl::Sleep(absl::Duration time) {
  absl::MutexLock lock(&mutex_);
  mutex_.AwaitWithTimeout(absl::Condition(&stopping_), time);
}

Hello::Sandbox Pool::Impl::sandbox() const {
  absl::MutexLock lock(&mutex_);
  std::optional<Hello::Sandbox> weakest;
  for (const auto& slot : slots_) {
    if (!slot->alive.load(std::memory_order_relaxed)) continue;
    weakest = weakest.has_value() ? Weaker(*weakest, slot->sandbox) : slot->sandbox;
  }
  return weakest.value_or(slots_.front()->sandbox);
}

Pool::Load Pool::Impl::load() const {
  Load load;
  std::vector<std::shared_ptr<const ResidentMemory>> memories;
  {
    absl::MutexLock lock(&mutex_);
    load.queued = queue_.size();
    load.express = express_;
    load.displaced = displaced_;
    load.owners = queue_.groups();
    load.busiest_share = queue_.busiest_share();
    load.largest_shares = queue_.largest_shares(Load::kLargestShares);
    load.refused_busiest = refused_busiest_;
    load.refused_others = refused_others_;
    load.start_cpu = start_cpu_;
    load.jobs_cpu = ended_cpu_;
    for (const auto& slot : slots_) {
      load.busy += slot->running != nullptr ? 1 : 0;
      load.workers += slot->alive.load(std::memory_order_relaxed) ? 1 : 0;
      if (slot->memory != nullptr) memories.push_back(slot->memory);
      if (slot->cpu_time != nullptr) load.jobs_cpu += slot->cpu_time->Used() - slot->start_cpu;
    }
  }
  for (const auto& memory : memories) {
    const int64_t bytes = memory->Bytes();
    load.resident_bytes += bytes;
    load.largest_resident_bytes = std::max(load.largest_resident_bytes, bytes);
  }
  return load;
}

}  // namespace kiln::worker
