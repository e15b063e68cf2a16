// Makes results once more by another worker (--recheck=1/N), to find workers that lie.
//
// A worker that a shader took over can answer its later jobs with anything, and the cache keeps it.
// So one of N answers, drawn at random after it has come, is made again by a process that is
// started for it and ended after it. That process has seen no other shader, so no earlier shader
// can have taken it over; and a lying worker cannot know which of its answers will be drawn. A
// shader that takes over both processes gets the same wrong machine code of itself twice and is not
// found; but that is only its own result, which it could spoil anyway.
//
// Compares status and all outputs, byte by byte, without times. A difference does not say which
// worker is right, so the first worker is ended, and all it made since its start is forgotten in
// memory and on disk and made again when a client asks for it; log, metric and /healthz report it.
// The second process has ended already, and nothing of it was kept. If the second process ends
// without a result (a death, a time-out), that is not a difference and is counted apart. But if the
// first worker reported a crash, alive, for a job that the second compiles, that is a difference.
//
// Never delays work that a client waits for: one thread, one process with the least priority (nice
// 19), at most kMaxWaiting waiting answers with at most kMaxBytes of jobs together; answers beyond
// that are not rechecked, but counted. Cost: start and job of a worker for each, 14 ms of processor
// time on average over compute modules of the corpus.
//
// Not known after a restart: which worker made which result. WorkerHistory bounds how many results
// are known since.
#ifndef KILN_SERVER_ENGINE_RECHECK_H_
#define KILN_SERVER_ENGINE_RECHECK_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "kiln/v1/compile.pb.h"
#include "proto/worker.pb.h"
#include "server/cache/result_cache.h"
#include "server/engine/worker_history.h"
#include "server/log/log.h"
#include "server/metrics/metrics.h"
#include "server/worker/pool.h"

namespace kiln::server {

// Hash the parts that are compared.
cache::Digest Fingerprint(const kiln::v1::TargetResult& result);
cache::Digest Fingerprint(const worker::Translation& translation);
std::optional<cache::Digest> FingerprintIfStorable(const kiln::v1::TargetResult& result);

class Recheck {
 public:
  static constexpr size_t kMaxWaiting = 16;
  static constexpr size_t kMaxBytes = size_t{64} << 20;
  static constexpr size_t kMaxResults = size_t{1} << 18;

  // An answer that was drawn for a recheck.
  struct Answer {
    worker::Job job;
    uint64_t worker = 0;
    pid_t worker_pid = 0;
    std::vector<cache::Digest> keys;  // one for each target, or one for a translation
    // As many as keys. Nothing: the worker, alive, reported an end that is not stored (a crash).
    std::vector<std::optional<cache::Digest>> fingerprints;
  };

  struct Options {
    uint64_t one_in = 0;          // N; 0: no answer is drawn
    worker::PoolOptions workers;  // as for `pool`; the number of workers is ignored
    log::Log* log = nullptr;      // may be null
  };
  // All arguments outlive it. Call Stop before `pool` is destroyed.
  Recheck(const Options& options, worker::Pool* pool, cache::ResultCache* cache,
          metrics::Metrics* metrics);
  ~Recheck() { Stop(); }

  // Draws at random: true if an answer that has just come is to be made again.
  bool Draws() const;
  // Never blocks.
  void Check(Answer answer);
  // Add records a result's worker before the result is stored. Trusts says if that worker's results
  // may be used; ask before storing and once more after it.
  void Add(uint64_t worker, const Made& made) { history_.Add(worker, made); }
  bool Trusts(uint64_t worker) const { return history_.Trusts(worker); }
  // Removes a result from both tiers. Returns false if the disk tier could not.
  bool Forget(const Made& made) const;

  // How many differed.
  uint64_t differences() const { return differences_; }

  // Cancels the recheck under way, drops waiting answers, ends the thread.
  void Stop();

 private:
  using End = metrics::Metrics::Recheck;
  struct Verdict {
    End end = End::kUnfinished;
    size_t index = 0;  // of the first item that differs
    pid_t pid = 0;     // the process that made it again
  };

  void Loop();
  Verdict MakeAgain(const Answer& answer);
  // Returns nothing if the second worker gave no outcome.
  std::optional<worker::JobOutcome> Run(const worker::Job& job);
  static Verdict Compare(const Answer& answer, const worker::JobOutcome& outcome);
  // Distrusts the first worker and forgets its results. A daemon that is stopping does not wait for
  // that: the log line counts the results that were not removed.
  void Convict(const Answer& answer, const Verdict& verdict);
  bool IsStopping() const;

  const Options options_;
  worker::Pool* pool_;
  cache::ResultCache* cache_;
  metrics::Metrics* metrics_;
  WorkerHistory history_;
  std::atomic<uint64_t> differences_ = 0;
  mutable absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<Answer> waiting_ ABSL_GUARDED_BY(mutex_);
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;  // of their jobs
  std::thread thread_;
};

}  // namespace kiln::server

#endif  // KILN_SERVER_ENGINE_RECHECK_H_
