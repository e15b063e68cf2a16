// One thread of the pool with its worker process: see pool.h for the invariants.
//
// Run: reset the board, send the job, then wait on the socket and on the wake-up descriptor until
// the last result frame, the worker's end, the watchdog or the end of the grace given to a
// cancelled job, whichever is first. In all cases but the first the worker's end is recorded and it
// is replaced; a job that it had not begun is handed back.
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/worker/answer.h"
#include "server/worker/pool_internal.h"
#include "server/worker/uptime.h"

namespace kiln::worker {

using kiln::v1::TargetResult;

namespace {

constexpr int kMaxHandedBack = 3;
constexpr char kUnresponsive[] = "unresponsive";
constexpr char kDistrusted[] = "distrusted";
constexpr char kPreempted[] = "preempted";

// Makes a random id, so that a worker cannot answer a job that it was not given yet.
uint64_t UnguessableId() {
  uint64_t id = 0;
  if (getentropy(&id, sizeof id) != 0) abort();  // getentropy does not fail for so few bytes
  return id;
}

}  // namespace

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
  auto process = Process::Start(pool_->executable(), pool_->options().limits, *board_);
  if (!process.ok()) return process.status();
  const PoolOptions& options = pool_->options();
  auto hello = (*process)->AwaitHello(options.start_timeout, options.stopped_timeout);
  if (!hello.ok()) return hello.status();
  if (!(*process)->IsMine()) {
    (*process)->Retire();  // ends it by closing its socket, since signals are not allowed
    return absl::FailedPreconditionError(
        "kilnd lacks CAP_KILL, without which it cannot end workers that run as another user; "
        "--worker-user=none runs them as root");
  }
  if (absl::Status s = pool_->AcceptHello(this, *std::move(hello)); !s.ok()) return s;
  process_ = *std::move(process);
  pool_->SetWorker(this, process_.get());
  heard_ = Uptime();
  alive = true;
  return absl::OkStatus();
}

void Slot::Main() {
  first_start_ = StartWorker();
  bool usable = first_start_.ok();
  started_.Notify();
  if (usable) {
    for (;;) {
      const Pool::Handle entry = pool_->Next(this);
      if (entry == nullptr && pool_->stopping()) break;
      if (entry != nullptr && EnsureWorker(entry)) Run(entry);
      EndIfDistrusted();
      MaybeRecycle();
    }
  }
  if (process_ != nullptr) {
    process_->Retire();
    DropProcess();
  }
}

void Slot::DropProcess() {
  pool_->SetWorker(this, nullptr);
  process_.reset();
}

bool Slot::WorkerIsGone() const {
  pollfd p = {process_->fd(), POLLIN, 0};
  return poll(&p, 1, 0) != 0;  // an idle worker sends nothing: data or hang-up is its end
}

bool Slot::AwaitPong(uint64_t id, absl::Duration asked, absl::Duration timeout) {
  constexpr int64_t kLook = 100;  // milliseconds
  for (;;) {
    JobResult pong;
    bool taken = false;
    if (reader_.Take(&pong, &taken) != absl::StatusCode::kOk) return false;
    if (taken) {
      heard_ = Uptime();
      return pong.id() == id && reader_.empty();
    }
    const absl::Duration waited = Uptime() - asked;
    const int64_t left = absl::ToInt64Milliseconds(timeout - waited);
    if (left <= 0 || pool_->stopping()) return false;
    if (waited >= pool_->options().stopped_timeout && process_->IsStopped()) return false;
    pollfd p[2] = {{process_->fd(), POLLIN, 0}, {wake_fd_, POLLIN, 0}};
    if (poll(p, 2, static_cast<int>(std::min(left, kLook))) < 0) continue;
    if (p[1].revents != 0) DrainWakeups();
    if (p[0].revents != 0 && !reader_.Fill(process_->fd()).ok()) return false;
  }
}

bool Slot::Answers(const Pool::Handle& entry) {
  const PoolOptions& options = pool_->options();
  const absl::Duration asked = Uptime();
  Job ping;
  ping.set_id(UnguessableId());
  ping.mutable_ping();
  std::string frame;
  const bool made = AppendFrame(ping, &frame).ok();
  FrameWriter writer(std::move(frame));
  const bool sent = made && writer.Send(process_->fd()).ok() && writer.done();
  if (sent && AwaitPong(ping.id(), asked, options.ping_grace)) return true;
  pool_->HandBack(entry);
  if (sent && AwaitPong(ping.id(), asked, options.ping_timeout)) return false;
  // The wait was cut short: Main ends this worker like all others.
  if (pool_->stopping()) return false;
  const bool died = WorkerIsGone();
  Exit exit = DescribeExit(process_->KillAndReap(), *board_);
  DropProcess();
  if (!died) {
    exit.reason = kUnresponsive;
    exit.message = "the worker did not answer a ping and was ended; its job went to another worker";
  }
  if (pool_->options().on_idle_death) pool_->options().on_idle_death(exit);
  Report(exit.reason);
  return false;
}

bool Slot::EnsureWorker(const Pool::Handle& entry) {
  if (process_ != nullptr && WorkerIsGone()) {
    const Exit exit = DescribeExit(process_->KillAndReap(), *board_);
    if (pool_->options().on_idle_death) pool_->options().on_idle_death(exit);
    Report(exit.reason);
    DropProcess();
  }
  if (process_ == nullptr) return RestartWorker(entry);
  return Uptime() - heard_ < pool_->options().ping_after || Answers(entry);
}

bool Slot::RestartWorker(const Pool::Handle& entry) {
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
  outcome.results.resize(static_cast<size_t>(entry->job->compile().targets_size()));
  pool_->Finish(entry, std::move(outcome), absl::ZeroDuration());
  return false;
}

void Slot::Run(const Pool::Handle& entry) {
  JobOutcome outcome;
  outcome.results.resize(static_cast<size_t>(entry->job->compile().targets_size()));
  const absl::Duration start = Uptime();
  outcome.queued = std::max(absl::ZeroDuration(), absl::Now() - entry->queued_at);
  outcome.express = entry->express;
  outcome.worker = worker;
  outcome.worker_pid = process_->pid();
  board_->Reset();
  cpu_before_ = process_->cpu_time()->Used();
  ++jobs_;
  entry->id = UnguessableId();
  const std::shared_ptr<const CpuTime> cpu_time = process_->cpu_time();  // outlives the process
  const Exchange how = Converse(*entry, &outcome);
  heard_ = Uptime();
  if (how != Exchange::kDone) {
    const Exit exit = End(*entry, how);
    if (how == Exchange::kDistrusted) return pool_->HandBack(entry);
    if (how == Exchange::kGaveWay) {
      return pool_->HandBack(entry, Cost(how, *cpu_time, heard_ - start));
    }
    if (!IsJudged(exit, how) && ++entry->handed_back < kMaxHandedBack) {
      return pool_->HandBack(entry);
    }
    if (how == Exchange::kGarbage) Disbelieve(&outcome);
    Bury(exit, &outcome);
  }
  const absl::Duration cost = Cost(how, *cpu_time, heard_ - start);
  outcome.passes = board_->Passes();
  outcome.lost_passes = board_->LostPasses();
  board_->Reset();  // later writes to it are an idle worker's
  outcome.ran = Uptime() - start;
  pool_->Finish(entry, std::move(outcome), cost);
}

absl::Duration Slot::Cost(Exchange how, const CpuTime& cpu_time, absl::Duration held) const {
  const absl::Duration used = cpu_time.Used() - cpu_before_;
  // The next worker's start is taken to cost what this one's did.
  return how == Exchange::kDone ? used : std::max(used, held / 2) + start_cpu;
}

// Also counts a quarter of the wall-clock time: on a starved machine a short job takes long without
// using much.
absl::Duration Slot::LeftOfExpress(absl::Duration sent) const {
  const absl::Duration used =
      std::max(process_->cpu_time()->Used() - cpu_before_, (Uptime() - sent) / 4);
  return std::max(FairQueue<Pool::Handle>::kExpressLength - used, absl::ZeroDuration());
}

bool Slot::HasBegun() const {
  const std::string pass = board_->CurrentPass();
  return !pass.empty() && pass != kReadJobStep;
}

// A worker takes up a job at once, unless it is stopped or the machine is starved. The first one
// that does not, and was not pinged because it had just sent something, may cost a job no more than
// a ping would have; after that the machine gets the benefit of the doubt, except for a worker that
// the kernel reports as stopped (Converse checks).
absl::Duration Slot::TimeToBegin(const Pool::Entry& entry) const {
  const PoolOptions& options = pool_->options();
  const bool taken = !board_->CurrentPass().empty();
  if (taken || entry.handed_back > 0) return options.limits.begin_time;
  return std::min(options.ping_timeout, options.limits.begin_time);
}

bool Slot::IsJudged(const Exit& exit, Exchange how) const {
  return how == Exchange::kTooLarge || HasBegun() ||
         (how == Exchange::kWorkerGone && exit.blames_job && !board_->CurrentPass().empty());
}

void Slot::Disbelieve(JobOutcome* outcome) {
  for (auto& result : outcome->results) result.reset();
  outcome->translation.reset();
}

Slot::Exchange Slot::Converse(const Pool::Entry& entry, JobOutcome* outcome) {
  std::string frame;
  Job head;
  head.set_id(entry.id);
  if (!AppendFrame(head, &frame, entry.job.get()).ok()) return Exchange::kTooLarge;
  FrameWriter writer(std::move(frame));
  const PoolOptions& options = pool_->options();
  const absl::Duration sent = Uptime();
  absl::Duration deadline = sent + options.limits.wall_time;
  bool told = false, begun = false;
  for (;;) {
    if (distrusted) return Exchange::kDistrusted;
    if (entry.cancelled && !told) {
      board_->Cancel();
      told = true;
      deadline = std::min(deadline, Uptime() + options.cancel_grace);
    }
    begun = begun || HasBegun();
    const absl::Duration until = begun ? deadline : std::min(sent + TimeToBegin(entry), deadline);
    const absl::Duration now = Uptime();
    int64_t left = absl::ToInt64Milliseconds(until - now);
    if (left <= 0 && !begun) return Exchange::kNotBegun;
    if (!begun && now - sent >= options.stopped_timeout && process_->IsStopped()) {
      return Exchange::kNotBegun;
    }
    if (left <= 0) return told ? Exchange::kCancelGraceOver : Exchange::kDeadline;
    if (entry.express) {
      const absl::Duration express = LeftOfExpress(sent);
      if (express == absl::ZeroDuration() && pool_->GivesWay(this)) return Exchange::kGaveWay;
      left = std::min(left, absl::ToInt64Milliseconds(
                                std::max(express, FairQueue<Pool::Handle>::kExpressLook)));
    }
    if (!writer.done() && !writer.Send(process_->fd()).ok()) return Exchange::kWorkerGone;
    const short wanted = writer.done() ? POLLIN : POLLIN | POLLOUT;
    pollfd p[2] = {{process_->fd(), wanted, 0}, {wake_fd_, POLLIN, 0}};
    if (poll(p, 2, static_cast<int>(std::min<int64_t>(left, begun ? 60'000 : 500))) < 0) continue;
    if (p[1].revents != 0) DrainWakeups();
    if ((p[0].revents & ~POLLOUT) == 0) continue;
    absl::Status filled = reader_.Fill(process_->fd());
    bool last = false;
    // It answered before it had the job.
    if (!writer.done() && !reader_.empty()) return Exchange::kGarbage;
    if (TakeAnswers(pool_->hello(), *entry.job, entry.id, entry.cancelled, &reader_, outcome,
                    &last) != absl::StatusCode::kOk) {
      return Exchange::kGarbage;
    }
    if (last) return Exchange::kDone;
    if (!filled.ok()) return Exchange::kWorkerGone;
  }
}

Exit Slot::DescribeStop(Exchange how, absl::Duration worked) const {
  switch (how) {
    case Exchange::kDeadline: return DescribeTimeout(pool_->options().limits.wall_time, worked);
    case Exchange::kNotBegun:
      return {kUnresponsive, TargetResult::CRASHED, "worker_unresponsive",
              absl::StrCat(kMaxHandedBack, " workers did not start the job"), false};
    case Exchange::kTooLarge:
      return {"recycle", TargetResult::CRASHED, "job_too_large",
              absl::StrCat("the job has more than the ", kMaxFrameBytes,
                           " bytes that a worker accepts"),
              false};
    case Exchange::kDistrusted:
      return {kDistrusted, TargetResult::CRASHED, "worker_protocol",
              "the worker is no longer trusted", false};
    case Exchange::kGaveWay:
      return {kPreempted, TargetResult::CRASHED, "worker_protocol",
              "the job gave way to short jobs of other clients", false};
    case Exchange::kCancelGraceOver:
      return {"cancelled", TargetResult::CANCELLED, "cancelled",
              "the job was cancelled while it ran", false};
    default:
      return {"killed", TargetResult::CRASHED, "worker_protocol",
              "the worker's answer is not a result"};
  }
}

Exit Slot::End(const Pool::Entry& entry, Exchange how) {
  const absl::Duration worked = process_->cpu_time()->Used() - cpu_before_;
  bool gone = false;
  const int status = how == Exchange::kWorkerGone ? process_->Reap(&gone) : process_->KillAndReap();
  DropProcess();
  // It closed its socket, but lives.
  if (how == Exchange::kWorkerGone && !gone) how = Exchange::kGarbage;
  if (entry.cancelled && how != Exchange::kGarbage) how = Exchange::kCancelGraceOver;
  Exit exit =
      how == Exchange::kWorkerGone ? DescribeExit(status, *board_) : DescribeStop(how, worked);
  Report(exit.reason);
  return exit;
}

// Fills in the outcome of a job that its worker did not survive, with the pass that ran.
void Slot::Bury(const Exit& exit, JobOutcome* outcome) {
  outcome->blames_job = exit.blames_job;
  outcome->status = exit.status;
  outcome->cause = exit.cause;
  outcome->message = exit.message;
  outcome->last_pass = board_->CurrentPass();
  int target = board_->CurrentTarget();
  outcome->blamed_target = target < static_cast<int>(outcome->results.size()) ? target : -1;
}

void Slot::EndIfDistrusted() {
  if (process_ == nullptr || !distrusted) return;
  process_->KillAndReap();
  DropProcess();
  Report(kDistrusted);
}

// Called between jobs: replaces a worker that has served long enough, and starts a missing one.
void Slot::MaybeRecycle() {
  const PoolOptions& options = pool_->options();
  if (process_ != nullptr && (jobs_ >= options.jobs_per_worker ||
                              process_->memory()->Bytes() > options.resident_bytes_per_worker)) {
    process_->Retire();
    DropProcess();
    Report("recycle");
  }
  // A failure is not final: EnsureWorker tries again when there is a job.
  if (process_ == nullptr && !pool_->stopping()) (void)StartWorker();
}

}  // namespace kiln::worker
