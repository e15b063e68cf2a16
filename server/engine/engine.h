// What happens to a compile request, apart from the transport.
//
// Order for each target: memory, disk, a flight already under way, a worker. A request that both
// caches answer without waiting is done in the caller's thread; others go to the executor, where
// disk reads may block, and from there to flights:
//
//   GLSL -> (translation: cache, flight, worker) -> module digest
//   module digest -> key per target -> (cache, flight, worker: one job for all that are missing)
//
// A result is stored before anybody is told of it. Between a miss and the start of a flight another
// may have finished: the leader of a flight looks into the cache once more. A job is cancelled when
// the last waiter of all its flights has left. Workers that die spoil only the target they died of;
// targets of the same job that had not begun are sent again. What has killed too many is refused
// before it becomes a flight (server/quarantine).
#ifndef KILN_SERVER_ENGINE_ENGINE_H_
#define KILN_SERVER_ENGINE_ENGINE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "proto/compile.pb.h"
#include "proto/worker.pb.h"
#include "server/cache/result_cache.h"
#include "server/engine/executor.h"
#include "server/engine/job_log.h"
#include "server/engine/known_sources.h"
#include "server/engine/recheck.h"
#include "server/engine/refusals.h"
#include "server/engine/single_flight.h"
#include "server/log/log.h"
#include "server/metrics/metrics.h"
#include "server/quarantine/quarantine.h"
#include "server/request/request.h"
#include "server/worker/pool.h"

namespace kiln::server {

// One target's result on its way to the client.
struct Answer {
  cache::Ready ready{};  // the TargetResult's bytes
  kiln::v1alpha::CacheTier tier = kiln::v1alpha::CACHE_MISS;
  int64_t queue_ns = 0;
  bool quarantined = false;  // refused by the quarantine
};

struct Reply {
  // Not ok: about the call. Unavailable carries `retry`, InvalidArgument `violations`.
  absl::Status status;
  absl::Duration retry;
  Violations violations;
  std::vector<Answer> answers;  // one for each target
  int64_t translate_ns = 0;
  int64_t start_ns = 0;

  // A field of the request is wrong.
  void Refuse(std::string field, std::string why) {
    status = absl::InvalidArgumentError(field + ": " + why);
    violations.emplace_back(std::move(field), std::move(why));
  }
};

class Call;

class Engine {
 public:
  struct Options {
    Limits limits;
    int threads = 2;
    size_t queue_limit = 4096;                     // calls that wait for the disk
    quarantine::Quarantine* quarantine = nullptr;  // outlives the engine's calls; null: none
    Recheck* recheck = nullptr;                    // likewise
    log::Log* log = nullptr;                       // of jobs that end badly; may be null
    KnownSources* known =
        nullptr;  // a digest is worth what its client showed; null: all digests are
  };
  // All outlive the engine's calls. To take everything down: Stop, then destroy the pool (its last
  // jobs report to the engine), then the engine.
  Engine(const Options& options, worker::Pool* pool, cache::ResultCache* cache,
         metrics::Metrics* metrics);
  ~Engine();

  using Done = std::function<void(Reply reply)>;

  // What can be answered without waiting, is: null, and `reply` is complete. Otherwise a call to
  // give to Continue. Never blocks. `fault`: a test hook. `client`: as known_sources.h has it;
  // empty: it has shown no source.
  std::shared_ptr<Call> Begin(kiln::v1alpha::CompileRequest request, const worker::Fault& fault,
                              std::string client, Reply* reply);
  // Calls `done` once, from any thread, perhaps before it returns. Never blocks.
  void Continue(const std::shared_ptr<Call>& call, Done done);
  // The client has left: `done` is called with `why`, unless it was called before.
  void Cancel(const std::shared_ptr<Call>& call, absl::Status why);

  // When all calls are answered: ends the threads.
  void Stop() { executor_.Stop(); }

  // Where the calls wait that are refused and not told yet.
  Refusals& refusals() { return refusals_; }
  // Which client a request is from matters.
  bool asks_who() const { return options_.known != nullptr; }
  const RequestChecker& checker() const { return checker_; }
  // Calls that wait for the disk.
  size_t queued() const { return executor_.queued(); }

 private:
  friend class Call;
  struct CompileOutcome {
    absl::Status call_error;  // the job was never accepted
    kiln::v1alpha::TargetResult result;
    int64_t queue_ns = 0;
    kiln::v1alpha::CacheTier tier = kiln::v1alpha::CACHE_MISS;  // for the leader
  };
  struct TranslateOutcome {
    absl::Status call_error;
    cache::StoredTranslation translation;
    kiln::v1alpha::CacheTier tier = kiln::v1alpha::CACHE_MISS;  // for the leader
    int64_t start_ns = 0;   // not stored: it is of the worker's process
    std::string last_pass;  // likewise; empty: the worker survived
    std::shared_ptr<const std::string> spirv;
  };
  // Flights of one worker job.
  struct Group;

  // Steps of a call; see engine.cc.
  bool MayAsk(Call* call);
  void Remember(const Call& call);
  bool TryCaches(Call* call, Reply* reply);
  void Slow(const std::shared_ptr<Call>& call);
  void Translate(const std::shared_ptr<Call>& call);
  void AfterTranslation(const std::shared_ptr<Call>& call, const TranslateOutcome& outcome);
  // What a call is told whose source did not become a module.
  static void EndUntranslated(Call* call, const TranslateOutcome& outcome);
  void AfterModule(const std::shared_ptr<Call>& call);
  void CompileMissing(const std::shared_ptr<Call>& call, const std::vector<size_t>& missing);
  bool LoadModule(Call* call);

  // Flights to workers.
  bool FindAgain(const Call& call, const cache::Digest& key, CompileOutcome* outcome);
  void Dispatch(std::shared_ptr<Group> group);
  // Says when the job is to be chosen an owner again, and when it is not wanted any more.
  void Watch(const std::shared_ptr<Group>& group, uint64_t flight);
  // The owners of the calls that wait for it.
  std::vector<worker::Owner> Owners(const Group& group) const;
  // Lets a job that waits be the job of the one of them that is served first.
  void ChooseOwner(const std::shared_ptr<Group>& group);
  // Its job was not taken, or had to make room: the call's error for all calls that wait for it, or
  // for all of `owner`.
  void RefuseJob(const Group& group, const absl::Status& why, const worker::Owner* owner = nullptr);
  // Ends a job that had to make room.
  void EndDisplaced(const worker::Pool::Handle& displaced);
  // What the quarantine says to a key.
  std::optional<kiln::v1alpha::TargetResult> Refuse(const cache::Digest& key);
  // Tells it what became of a group's item.
  void Judge(const Group& group, size_t item, const worker::JobOutcome& outcome,
             kiln::v1alpha::TargetResult::Status status);
  // Outcomes of jobs: job_done.cc. `recheck`: the result is compared with another worker's.
  void JobDone(const std::shared_ptr<Group>& group, worker::JobOutcome outcome);
  bool RunAgain(const std::shared_ptr<Group>& group, const worker::JobOutcome& outcome);
  void TranslationDone(const Group& group, const worker::JobOutcome& outcome, bool recheck);
  void CompileDone(const Group& group, worker::JobOutcome outcome, bool recheck);
  static bool IsInnocent(const worker::JobOutcome& outcome, size_t item);
  // Returns the result that it stored and gave to the calls that wait for target `i`.
  kiln::v1alpha::TargetResult FinishTarget(const Group& group, size_t i,
                                           worker::JobOutcome* outcome);
  void Abandon(const std::shared_ptr<Group>& group);

  // Nobody has found its worker to lie.
  bool IsBelieved(const worker::JobOutcome& outcome) const;
  // Before a result is stored.
  void NoteMaker(const Group& group, size_t item, const worker::JobOutcome& outcome);
  // After: its worker may have been found to lie meanwhile.
  void LookBack(const Group& group, const worker::JobOutcome& outcome);
  bool DrawsRecheck(const worker::JobOutcome& outcome) const;
  // Once its answer was given. `fingerprints`: of its items that have a result.
  void CheckAgain(const Group& group, const worker::JobOutcome& outcome,
                  std::vector<std::optional<cache::Digest>> fingerprints);

  const Options options_;
  worker::Pool* pool_;
  cache::ResultCache* cache_;
  metrics::Metrics* metrics_;
  RequestChecker checker_;
  std::string glslang_version_;
  const JobLog job_log_;
  SingleFlight<CompileOutcome> compiles_;
  SingleFlight<TranslateOutcome> translations_;
  Refusals refusals_;
  Executor executor_;
};

}  // namespace kiln::server

#endif  // KILN_SERVER_ENGINE_ENGINE_H_
