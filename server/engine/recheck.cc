// Makes results once more by another worker: see recheck.h.
#include "server/engine/recheck.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <utility>

namespace kiln::server {
namespace {

using kiln::v1::TargetResult;

constexpr int kLeastPriority = 19;

// Serializes deterministically: map entries in a fixed order.
std::string Serialized(const google::protobuf::MessageLite& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&out);
  out.Trim();
  return bytes;
}

worker::PoolOptions OneWorker(worker::PoolOptions options, const worker::Pool& pool) {
  options.executable = pool.executable();
  options.workers = 1;
  options.spare_workers = 0;
  options.limits.niceness = kLeastPriority;
  options.on_worker_exit = nullptr;
  options.on_idle_death = nullptr;
  return options;
}

std::string Compiler(worker::Hello hello) {
  hello.clear_sandbox();
  return Serialized(hello);
}

}  // namespace

cache::Digest Fingerprint(const TargetResult& result) {
  TargetResult compared = result;
  compared.clear_key();  // added by the daemon, not by the worker
  compared.clear_spirv_sha256();
  compared.clear_cache();
  compared.clear_timings();
  for (auto& pass : *compared.mutable_passes()) pass.clear_nanoseconds();
  return cache::Sha256(Serialized(compared));
}

cache::Digest Fingerprint(const worker::Translation& translation) {
  worker::Translation compared = translation;
  compared.clear_nanoseconds();
  compared.clear_start_nanoseconds();
  return cache::Sha256(Serialized(compared));
}

Recheck::Recheck(const Options& options, worker::Pool* pool, cache::ResultCache* cache,
                 metrics::Metrics* metrics)
    : options_(options),
      pool_(pool),
      cache_(cache),
      metrics_(metrics),
      history_(kMaxResults),
      thread_([this] { Loop(); }) {}

std::optional<cache::Digest> FingerprintIfStorable(const TargetResult& result) {
  if (!cache::Storable(result.status())) return std::nullopt;
  return Fingerprint(result);
}

bool Recheck::IsStopping() const {
  absl::MutexLock lock(&mutex_);
  return stopping_;
}

bool Recheck::Draws() const {
  if (options_.one_in == 0) return false;
  uint64_t number = 0;
  // For so few bytes getentropy does not fail.
  if (getentropy(&number, sizeof number) != 0) abort();
  return number % options_.one_in == 0;
}

bool Recheck::Forget(const Made& made) const {
  return made.translation ? cache_->ForgetTranslation(made.key) : cache_->Forget(made.key);
}

void Recheck::Check(Answer answer) {
  answer.job.clear_fault();  // a test's fault was meant for the first worker only
  const size_t bytes = answer.job.ByteSizeLong();
  absl::MutexLock lock(&mutex_);
  if (stopping_ || waiting_.size() >= kMaxWaiting || bytes_ + bytes > kMaxBytes) {
    metrics_->RecheckEnds(End::kDropped);
    return;
  }
  bytes_ += bytes;
  waiting_.push_back(std::move(answer));
}

void Recheck::Stop() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

void Recheck::Loop() {
  for (;;) {
    Answer answer;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(
          +[](Recheck* self) ABSL_EXCLUSIVE_LOCKS_REQUIRED(self->mutex_) {
            return self->stopping_ || !self->waiting_.empty();
          },
          this));
      if (stopping_) return;
      answer = std::move(waiting_.front());
      waiting_.pop_front();
      bytes_ -= answer.job.ByteSizeLong();
    }
    const Verdict verdict = MakeAgain(answer);
    // Convicts before counting: a reader that sees the count finds the conviction done.
    if (verdict.end == End::kDifferent) Convict(answer, verdict);
    metrics_->RecheckEnds(verdict.end);
  }
}

Recheck::Verdict Recheck::MakeAgain(const Answer& answer) {
  const auto outcome = Run(answer.job);
  return outcome.has_value() ? Compare(answer, *outcome) : Verdict();
}

std::optional<worker::JobOutcome> Recheck::Run(const worker::Job& job) {
  struct Shared {
    Recheck* self;
    std::optional<worker::JobOutcome> outcome;  // under its mutex_
  } shared{this, std::nullopt};
  auto pool = worker::Pool::Start(OneWorker(options_.workers, *pool_));
  if (!pool.ok() || Compiler((*pool)->hello()) != Compiler(pool_->hello())) return std::nullopt;
  const auto handle = (*pool)->Submit(job, [&shared](worker::JobOutcome outcome) {
    absl::MutexLock lock(&shared.self->mutex_);
    shared.outcome = std::move(outcome);
  });
  if (!handle.ok()) return std::nullopt;
  bool stop = false;
  {
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(
        +[](Shared* s) { return s->outcome.has_value() || s->self->stopping_; }, &shared));
    stop = !shared.outcome.has_value();
  }
  if (stop) (*pool)->Cancel(*handle);
  pool->reset();  // after that no thread has `shared`
  absl::MutexLock lock(&mutex_);
  return std::move(shared.outcome);
}

Recheck::Verdict Recheck::Compare(const Answer& answer, const worker::JobOutcome& outcome) {
  Verdict verdict;
  verdict.pid = outcome.worker_pid;
  if (outcome.status != TargetResult::OK) return verdict;
  bool all = true;
  for (size_t i = 0; i < answer.fingerprints.size(); ++i) {
    std::optional<cache::Digest> again;
    if (outcome.translation.has_value()) {
      if (cache::Storable(outcome.translation->status())) again = Fingerprint(*outcome.translation);
    } else if (i < outcome.results.size()) {
      again = FingerprintIfStorable(*outcome.results[i]);
    }
    if (again.has_value() && again != answer.fingerprints[i]) {
      verdict.index = i;
      verdict.end = End::kDifferent;
      return verdict;
    }
    all = all && again.has_value();
  }
  if (all) verdict.end = End::kSame;
  return verdict;
}

void Recheck::Convict(const Answer& answer, const Verdict& verdict) {
  const WorkerHistory::Results results = history_.Distrust(answer.worker);
  pool_->Distrust(answer.worker);
  uint64_t left = 0;
  for (const Made& made : results.made) left += !IsStopping() && Forget(made) ? 0 : 1;
  metrics_->DistrustedResults(results.made.size());
  ++differences_;
  if (options_.log == nullptr) return;
  const auto& targets = answer.job.compile().targets();
  const bool compiled = verdict.index < static_cast<size_t>(targets.size());
  options_.log->Write(log::Event::kWorkersDisagree,
                      {{"key", cache::ToHex(answer.keys.at(verdict.index))},
                       {"target", compiled ? targets[static_cast<int>(verdict.index)] : "GLSL"},
                       {"worker_pid", static_cast<int64_t>(answer.worker_pid)},
                       {"other_pid", static_cast<int64_t>(verdict.pid)},
                       {"results", results.made.size()},
                       {"not_known", results.forgotten},
                       {"not_removed", left}});
}

}  // namespace kiln::server
