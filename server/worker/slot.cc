// One thread of the pool with its worker process: see pool.h for the invariants.
//
// Run: reset the board, send the job, then wait on the socket and on the wake-up descriptor until
// the last result frame, the worker's end, the watchdog or the end of the grace given to a
// cancelled job, whichever is first. In all cases but the first the worker is buried and replaced.
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/worker/pool_internal.h"

namespace kiln::worker {

using kiln::v1alpha::TargetResult;

absl::StatusOr<std::unique_ptr<Slot>> Slot::Create(Pool::Impl* pool) {
  std::unique_ptr<Slot> slot(new Slot(pool));
  slot->wake_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (slot->wake_fd_ < 0) {
    return absl::UnavailableError(absl::StrCat("eventfd: ", strerror(errno)));
  }
  auto board = Board::Create();
  if (!board.ok()) return board.status();
  slot->board_ = *std::move(board);
  return slot;
}

Slot::~Slot() {
  if (wake_fd_ >= 0) close(wake_fd_);
}

void Slot::StartThread() {
  thread_ = std::thread([this] { Main(); });
}

absl::Status Slot::AwaitFirstStart() {
  started_.WaitForNotification();
  return first_start_;
}

void Slot::Wake() {
  uint64_t one = 1;
  if (write(wake_fd_, &one, sizeof one) < 0) return;  // full: it will wake anyway
}

void Slot::DrainWakeups() {
  uint64_t count;
  while (read(wake_fd_, &count, sizeof count) > 0) {
  }
}

void Slot::Join() {
  if (thread_.joinable()) thread_.join();
}

void Slot::Report(std::string_view reason) {
  alive = false;
  if (pool_->options().on_worker_exit) pool_->options().on_worker_exit(reason);
}

absl::Status Slot::StartWorker() {
  reader_.Clear();
  jobs_ = 0;
  board_->SetMaxResidentBytes(0);
  auto process = Process::Start(pool_->executable(), pool_->options().limits, *board_);
  if (!process.ok()) return process.status();
  auto hello = (*process)->AwaitHello(pool_->options().start_timeout);
  if (!hello.ok()) return hello.status();
  if (absl::Status s = pool_->AcceptHello(*std::move(hello)); !s.ok()) return s;
  process_ = *std::move(process);
  alive = true;
  return absl::OkStatus();
}

void Slot::Main() {
  first_start_ = StartWorker();
  bool usable = first_start_.ok();
  started_.Notify();
  if (usable) {
    while (Pool::Handle entry = pool_->Next(this)) {
      if (EnsureWorker(entry)) Run(entry);
      MaybeRecycle();
    }
  }
  if (process_ != nullptr) {
    process_->Retire();
    process_.reset();
  }
}

bool Slot::WorkerIsGone() const {
  pollfd p = {process_->fd(), POLLIN, 0};
  return poll(&p, 1, 0) != 0;  // an idle worker says nothing: data or hang-up is its end
}

bool Slot::EnsureWorker(const Pool::Handle& entry) {
  if (process_ != nullptr && WorkerIsGone()) {
    Report(DescribeExit(process_->KillAndReap(), *board_).reason);
    process_.reset();
  }
  absl::Status status;
  absl::Duration pause = absl::Milliseconds(20);
  for (int attempt = 0; process_ == nullptr && attempt < 5; ++attempt) {
    if (attempt > 0) pool_->Sleep(pause);
    pause *= 3;
    if (pool_->stopping() || entry->cancelled) break;
    status = StartWorker();
  }
  if (process_ != nullptr) return true;
  JobOutcome outcome;
  bool cancelled = pool_->stopping() || entry->cancelled;
  outcome.status = cancelled ? TargetResult::CANCELLED : TargetResult::CRASHED;
  outcome.cause = cancelled ? "cancelled" : "no_worker";
  outcome.message = cancelled ? "cancelled" : std::string(status.message());
  outcome.results.resize(static_cast<size_t>(entry->job.compile().targets_size()));
  pool_->Finish(entry, std::move(outcome));
  return false;
}

void Slot::Run(const Pool::Handle& entry) {
  JobOutcome outcome;
  outcome.results.resize(static_cast<size_t>(entry->job.compile().targets_size()));
  absl::Time start = absl::Now();
  outcome.queued = start - entry->queued_at;
  board_->Reset();
  ++jobs_;
  Exchange how = WriteFrame(process_->fd(), entry->job).ok() ? Converse(*entry, &outcome)
                                                             : Exchange::kWorkerGone;
  if (how != Exchange::kDone) Bury(*entry, how, &outcome);
  outcome.passes = board_->Passes();
  outcome.lost_passes = board_->LostPasses();
  outcome.ran = absl::Now() - start;
  pool_->Finish(entry, std::move(outcome));
}

Slot::Exchange Slot::Converse(const Pool::Entry& entry, JobOutcome* outcome) {
  absl::Time deadline = absl::Now() + pool_->options().limits.wall_time;
  bool told = false;
  for (;;) {
    if (entry.cancelled && !told) {
      board_->Cancel();
      told = true;
      deadline = std::min(deadline, absl::Now() + pool_->options().cancel_grace);
    }
    int64_t left = absl::ToInt64Milliseconds(deadline - absl::Now());
    if (left <= 0) return told ? Exchange::kCancelGraceOver : Exchange::kDeadline;
    pollfd p[2] = {{process_->fd(), POLLIN, 0}, {wake_fd_, POLLIN, 0}};
    if (poll(p, 2, static_cast<int>(std::min<int64_t>(left, 60'000))) < 0) continue;
    if (p[1].revents != 0) DrainWakeups();
    if (p[0].revents == 0) continue;
    absl::Status filled = reader_.Fill(process_->fd());
    bool last = false;
    if (Accept(entry, outcome, &last) != absl::StatusCode::kOk) return Exchange::kGarbage;
    if (last) return Exchange::kDone;
    if (!filled.ok()) return Exchange::kWorkerGone;
  }
}

absl::StatusCode Slot::Accept(const Pool::Entry& entry, JobOutcome* outcome, bool* last) {
  for (;;) {
    JobResult frame;
    bool taken = false;
    absl::StatusCode code = reader_.Take(&frame, &taken);
    if (code != absl::StatusCode::kOk || !taken) return code;
    if (frame.id() != entry.job.id()) return absl::StatusCode::kDataLoss;
    if (frame.has_translation()) {
      outcome->translation = std::move(*frame.mutable_translation());
    } else {
      if (frame.target_index() >= outcome->results.size()) return absl::StatusCode::kDataLoss;
      outcome->results[frame.target_index()] = std::move(*frame.mutable_result());
    }
    if (frame.last()) {
      *last = true;
      return absl::StatusCode::kOk;
    }
  }
}

// The worker is gone or must go; the outcome says why, with the pass that ran.
void Slot::Bury(const Pool::Entry& entry, Exchange how, JobOutcome* outcome) {
  bool by_us = how == Exchange::kDeadline || how == Exchange::kCancelGraceOver;
  int status = how == Exchange::kWorkerGone ? process_->Reap() : process_->KillAndReap();
  process_.reset();
  Exit exit = DescribeExit(status, *board_);
  if (how == Exchange::kDeadline) {
    exit = {"timeout", TargetResult::TIMED_OUT, "wall_time_limit",
            absl::StrCat("over the limit of ",
                         absl::FormatDuration(pool_->options().limits.wall_time), " for one job")};
  } else if (how == Exchange::kGarbage) {
    exit = {"killed", TargetResult::CRASHED, "worker_protocol",
            "the worker answered something that is no result"};
  }
  if (entry.cancelled && (by_us || how == Exchange::kWorkerGone)) {
    exit = {"cancelled", TargetResult::CANCELLED, "cancelled", "cancelled while it ran"};
  }
  outcome->status = exit.status;
  outcome->cause = exit.cause;
  outcome->message = exit.message;
  outcome->last_pass = board_->CurrentPass();
  int target = board_->CurrentTarget();
  outcome->blamed_target = target < static_cast<int>(outcome->results.size()) ? target : -1;
  Report(exit.reason);
}

// Between jobs: a worker that has served long enough leaves, and there is always a fresh one.
void Slot::MaybeRecycle() {
  const PoolOptions& options = pool_->options();
  if (process_ != nullptr && (jobs_ >= options.jobs_per_worker ||
                              board_->MaxResidentBytes() > options.resident_bytes_per_worker)) {
    process_->Retire();
    process_.reset();
    Report("recycle");
  }
  // Failure is not final: EnsureWorker tries again when there is a job.
  if (process_ == nullptr && !pool_->stopping()) (void)StartWorker();
}

}  // namespace kiln::worker
