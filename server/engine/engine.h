// The way of a compile request, apart from the transport. DESIGN.md has the whole picture.
//
// Order for each target: memory, disk, a flight already under way, a worker. A request that the
// memory tier answers whole is done in the caller's thread; others go to the executor, whose
// threads may block on the disk, and from there to flights:
//
//   GLSL -> (translation: cache, flight, worker) -> module digest
//   module digest -> key per target -> (cache, flight, worker: one job for all that are missing)
//
// A result is stored before any client is told of it. Between a miss and the start of a flight
// another flight may have finished, so the leader of a flight looks into the cache once more. A job
// is cancelled when the last waiter of all its flights has left. A worker that dies spoils only the
// target it worked on; targets of the same job that had not begun are sent again. A key that has
// killed too many workers is refused before it becomes a flight (server/quarantine).
#ifndef KILN_SERVER_ENGINE_ENGINE_H_
#define KILN_SERVER_ENGINE_ENGINE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "kiln/v1/compile.pb.h"
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
#include "server/pages/activity.h"
#include "server/quarantine/quarantine.h"
#include "server/request/request.h"
#include "server/trace/tracer.h"
#include "server/worker/pool.h"

namespace kiln::server {

// One target's result on its way to the client.
struct Answer {
  cache::Ready ready{};  // the TargetResult's bytes
  kiln::v1::CacheTier tier = kiln::v1::CACHE_MISS;
  int64_t queue_ns = 0;
  bool quarantined = false;  // the quarantine refused it
  cache::Digest key{};       // zeros: it was not computed
};

struct Reply {
  // If not ok, the call as a whole failed: Unavailable carries `retry`, InvalidArgument
  // `violations`.
  absl::Status status;
  absl::Duration retry;
  Violations violations;
  std::vector<Answer> answers;  // one for each target
  int64_t translate_ns = 0;
  int64_t start_ns = 0;

  // Sets InvalidArgument: `field` of the request is wrong.
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
    size_t queue_limit = 4096;                     // calls that wait for the executor
    quarantine::Quarantine* quarantine = nullptr;  // outlives the engine's calls; null: none
    Recheck* recheck = nullptr;                    // likewise
    log::Log* log = nullptr;                       // for jobs that end badly; may be null
    pages::Activity* activity = nullptr;           // outlives the engine's calls; null: none
    KnownSources* known =
        nullptr;  // not null: a client may ask by digest only for sources it has sent
  };
  // All arguments outlive the engine's calls. Order of the end: Stop, then destroy the pool (its
  // last jobs report to the engine), then the engine.
  Engine(const Options& options, worker::Pool* pool, cache::ResultCache* cache,
         metrics::Metrics* metrics);
  ~Engine();

  using Done = std::function<void(Reply reply)>;

  // Answers at once if no wait is needed: returns null, and `reply` is complete (also for an
  // invalid request). Otherwise returns a call for Continue. Never blocks. `fault`: a test hook.
  // `client`: as in known_sources.h; empty: has sent no source. `trace`: takes the steps' spans;
  // null: the request is not traced.
  std::shared_ptr<Call> Begin(kiln::v1::CompileRequest request, const worker::Fault& fault,
                              std::string client, Reply* reply,
                              std::shared_ptr<trace::Trace> trace = nullptr);
  // Calls `done` once, from any thread, perhaps before Continue returns. Never blocks.
  void Continue(const std::shared_ptr<Call>& call, Done done);
  // Ends the call because the client has left: `done` is called with `why`, unless it was called
  // before.
  void Cancel(const std::shared_ptr<Call>& call, absl::Status why);

  // Ends the executor's threads. Called when all calls are answered.
  void Stop() { executor_.Stop(); }

  // Holds the refused calls that are not told yet.
  Refusals& refusals() { return refusals_; }
  // True if Begin needs to know which client a request is from.
  bool asks_who() const { return options_.known != nullptr; }
  const RequestChecker& checker() const { return checker_; }
  // Number of calls that wait for the executor.
  size_t queued() const { return executor_.queued(); }

 private:
  friend class Call;
  struct CompileOutcome {
    absl::Status call_error;  // not ok: the job was refused or displaced
    kiln::v1::TargetResult result;
    int64_t queue_ns = 0;
    kiln::v1::CacheTier tier = kiln::v1::CACHE_MISS;  // for the leader
    std::optional<trace::Link> made_by;               // the span of the job, if that is traced
  };
  struct TranslateOutcome {
    absl::Status call_error;
    cache::StoredTranslation translation;
    kiln::v1::CacheTier tier = kiln::v1::CACHE_MISS;  // for the leader
    int64_t start_ns = 0;   // not stored: it belongs to the worker's process
    std::string last_pass;  // not stored; empty: the worker survived
    std::shared_ptr<const std::string> spirv;
    std::optional<trace::Link> made_by;
  };
  // The flights that one worker job serves.
  struct Group;

  // Steps of a call; see engine.cc.
  bool MayAsk(Call* call);
  void Remember(const Call& call);
  // The call has the digest of its text.
  cache::Digest TranslationKeyOf(const Call& call) const;
  bool TryCaches(Call* call, Reply* reply);
  // Notes that a stored result, or the quarantine, refused a request for `key`.
  void NoteRefused(const cache::Digest& key);
  void Slow(const std::shared_ptr<Call>& call);
  void Translate(const std::shared_ptr<Call>& call);
  void AfterTranslation(const std::shared_ptr<Call>& call, const TranslateOutcome& outcome);
  // Answers a call whose source did not become a module.
  static void EndUntranslated(Call* call, const TranslateOutcome& outcome);
  void AfterModule(const std::shared_ptr<Call>& call);
  void CompileMissing(const std::shared_ptr<Call>& call, const std::vector<size_t>& missing);
  bool LoadModule(Call* call);

  // Flights to workers.
  bool FindAgain(const Call& call, const cache::Digest& key, CompileOutcome* outcome);
  void Dispatch(std::shared_ptr<Group> group);
  // Registers with the flight: the job's owner is chosen again when the waiters' owners change, and
  // the job is abandoned when the last waiter leaves.
  void Watch(const std::shared_ptr<Group>& group, uint64_t flight);
  // Returns the owners of the calls that wait for the group.
  std::vector<worker::Owner> Owners(const Group& group) const;
  // Charges a waiting job to the owner, among those that wait for it, that is served first.
  void ChooseOwner(const std::shared_ptr<Group>& group);
  // Fails the calls that wait for a job which the pool refused or displaced: all of them, or those
  // of `owner` if it is not null.
  void RefuseJob(const Group& group, const absl::Status& why, const worker::Owner* owner = nullptr);
  // Ends a job that was displaced from the full queue.
  void EndDisplaced(const worker::Pool::Handle& displaced);
  // Returns the quarantine's answer for `key`; nothing: `key` is not quarantined.
  std::optional<kiln::v1::TargetResult> Refuse(const cache::Digest& key);
  // Reports the end of one item to the quarantine.
  void Judge(const Group& group, size_t item, const worker::JobOutcome& outcome,
             kiln::v1::TargetResult::Status status);
  // Outcomes of jobs: job_done.cc. `recheck`: the result is compared with another worker's.
  void JobDone(const std::shared_ptr<Group>& group, worker::JobOutcome outcome);
  bool RunAgain(const std::shared_ptr<Group>& group, const worker::JobOutcome& outcome);
  void TranslationDone(const Group& group, const worker::JobOutcome& outcome, bool recheck);
  void CompileDone(const Group& group, worker::JobOutcome outcome, bool recheck);
  static bool IsInnocent(const worker::JobOutcome& outcome, size_t item);
  // Returns the result that it stored and gave to the calls that wait for target `i`.
  kiln::v1::TargetResult FinishTarget(const Group& group, size_t i, worker::JobOutcome* outcome);
  void Abandon(const std::shared_ptr<Group>& group);

  // Returns true unless a recheck found the outcome's worker to lie.
  bool IsBelieved(const worker::JobOutcome& outcome) const;
  // Records before a result is stored which worker made it.
  void NoteMaker(const Group& group, size_t item, const worker::JobOutcome& outcome);
  // Forgets the stored results again if their worker was found to lie meanwhile.
  void LookBack(const Group& group, const worker::JobOutcome& outcome);
  bool DrawsRecheck(const worker::JobOutcome& outcome) const;
  // Hands the job to Recheck, after its answer was given. `fingerprints`: one for each item;
  // nothing where the item has no result to keep.
  void CheckAgain(const Group& group, const worker::JobOutcome& outcome,
                  std::vector<std::optional<cache::Digest>> fingerprints);

  const Options options_;
  worker::Pool* pool_;
  cache::ResultCache* cache_;
  metrics::Metrics* metrics_;
  RequestChecker checker_;
  std::string glslang_version_, hlsl_version_;
  const JobLog job_log_;
  SingleFlight<CompileOutcome> compiles_;
  SingleFlight<TranslateOutcome> translations_;
  Refusals refusals_;
  Executor executor_;
};

}  // namespace kiln::server

#endif  // KILN_SERVER_ENGINE_ENGINE_H_
