// Results made once more by another worker (--recheck=1/N): how a worker that lies is found.
//
// A worker that a shader took over answers its later jobs as it likes, and the cache keeps that. So
// of N answers one, drawn when it has come, is made again, by a process started for that and ended
// after it: it has seen no other shader, so nobody can have taken it over before, and what a lying
// worker says of a sample that is not drawn yet it says without knowing. A shader that takes over
// both gets the wrong machine code of itself twice, and is not found by that; it had its own to
// spoil anyway.
//
// Compared are status and all outputs, byte by byte, without times. Where they differ nobody knows
// who is right: the first worker is ended, what it made since its start is forgotten in memory and
// on disk, and made again when it is asked for; log, metric and /healthz say so. The other process
// is gone already, and nothing of it was kept. An end of the second without a result (a death, a
// time-out) is no difference and is counted apart; a crash that the first lived to tell, of what
// the second compiles, is one.
//
// It never waits for anything that a client waits for: one thread, one process with the least
// priority (nice 19), at most kMaxWaiting answers that wait, of at most kMaxBytes; what comes
// then is not rechecked and counted. Cost: start and job of a worker
// for each, 14 ms of processor time on average over compute modules of the corpus.
//
// Not known after a restart: which worker made what. WorkerHistory has the bound of that before it.
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
#include "proto/compile.pb.h"
#include "proto/worker.pb.h"
#include "server/cache/result_cache.h"
#include "server/engine/worker_history.h"
#include "server/log/log.h"
#include "server/metrics/metrics.h"
#include "server/worker/pool.h"

namespace kiln::server {

// Of what is compared.
cache::Digest Fingerprint(const kiln::v1alpha::TargetResult& result);
cache::Digest Fingerprint(const worker::Translation& translation);
std::optional<cache::Digest> FingerprintIfStorable(const kiln::v1alpha::TargetResult& result);

class Recheck {
 public:
  static constexpr size_t kMaxWaiting = 16;
  static constexpr size_t kMaxBytes = size_t{64} << 20;
  static constexpr size_t kMaxResults = size_t{1} << 18;

  // An answer that was drawn.
  struct Answer {
    worker::Job job;
    uint64_t worker = 0;
    pid_t worker_pid = 0;
    std::vector<cache::Digest> keys;  // one for each target, or of a translation
    // Likewise; nothing: the worker said, and lived, that it is no result to be kept (a crash).
    std::vector<std::optional<cache::Digest>> fingerprints;
  };

  struct Options {
    uint64_t one_in = 0;          // N; 0: none is drawn
    worker::PoolOptions workers;  // what those of `pool` are; how many is of no account
    log::Log* log = nullptr;      // may be null
  };
  // All outlive it. Before `pool` goes: Stop.
  Recheck(const Options& options, worker::Pool* pool, cache::ResultCache* cache,
          metrics::Metrics* metrics);
  ~Recheck() { Stop(); }

  // Whether an answer that has just come is made again.
  bool Draws() const;
  // Never blocks.
  void Check(Answer answer);
  // What a worker made, before it is stored, and whether that may be believed: to be asked before
  // and after it is stored.
  void Add(uint64_t worker, const Made& made) { history_.Add(worker, made); }
  bool Trusts(uint64_t worker) const { return history_.Trusts(worker); }
  // Out of both tiers. False: the disk could not.
  bool Forget(const Made& made) const;

  // How many differed.
  uint64_t differences() const { return differences_; }

  // Cancels what is under way, drops what waits, ends the thread.
  void Stop();

 private:
  using End = metrics::Metrics::Recheck;
  struct Verdict {
    End end = End::kUnfinished;
    size_t index = 0;  // of the first that differs
    pid_t pid = 0;     // of who made it again
  };

  void Loop();
  Verdict MakeAgain(const Answer& answer);
  // Nothing: there is no outcome.
  std::optional<worker::JobOutcome> Run(const worker::Job& job);
  static Verdict Compare(const Answer& answer, const worker::JobOutcome& outcome);
  // Daemons that end do not wait for it: what is left then is said to be.
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
