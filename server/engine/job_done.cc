// Handles the outcomes of jobs: passes results to the waiting calls, the cache, the quarantine and
// the recheck. See engine.h.
#include <algorithm>
#include <utility>

#include "absl/time/clock.h"
#include "server/engine/engine_internal.h"
#include "server/engine/job_spans.h"

namespace kiln::server {

using kiln::v1::TargetResult;

namespace {

TargetResult Died(const worker::JobOutcome& outcome) {
  TargetResult result;
  result.set_status(outcome.status);
  result.set_cause(outcome.cause);
  result.set_message(outcome.message);
  result.set_last_pass(outcome.last_pass);
  return result;
}

cache::StoredTranslation ToStored(const worker::JobOutcome& outcome) {
  cache::StoredTranslation t;
  if (outcome.translation.has_value()) {
    t.status = outcome.translation->status();
    t.cause = outcome.translation->cause();
    t.message = outcome.translation->message();
    t.reason = outcome.translation->reason();
    t.nanoseconds = outcome.translation->nanoseconds();
    t.module = cache::Sha256(outcome.translation->spirv());
  } else {
    t.status = outcome.status;
    t.cause = outcome.cause;
    t.message = outcome.message;
  }
  return t;
}

}  // namespace

void Engine::Judge(const Group& group, size_t item, const worker::JobOutcome& outcome,
                   TargetResult::Status status) {
  if (options_.quarantine == nullptr) return;
  const cache::Digest& key = group.items[item].key;
  if (status != TargetResult::CRASHED && status != TargetResult::TIMED_OUT &&
      status != TargetResult::MEMORY_LIMIT) {
    if (status != TargetResult::CANCELLED) options_.quarantine->Absolve(key);
    return;
  }
  if (!outcome.blames_job) return;
  kiln::v1::QuarantineEntry death;
  const bool translates = group.job.has_translate();
  if (!translates) death.set_target(group.job.compile().targets(static_cast<int>(item)));
  death.set_status(outcome.status);
  death.set_cause(outcome.cause);
  death.set_message(outcome.message);
  death.set_last_pass(outcome.last_pass);
  options_.quarantine->AddDeath(key, death, [&] {
    kiln::v1::CompileRequest request = group.origin->request;
    if (!translates) {  // with the module, whether it was sent, translated or known
      request.clear_targets();
      request.add_targets(death.target());
      request.set_spirv(group.job.compile().spirv());
      request.set_stage(group.job.compile().stage());
      request.set_entry_point(group.job.compile().entry_point());
    }
    request.clear_cache_policy();
    return request;
  });
}

bool Engine::IsBelieved(const worker::JobOutcome& outcome) const {
  return options_.recheck == nullptr || options_.recheck->Trusts(outcome.worker);
}

void Engine::NoteMaker(const Group& group, size_t item, const worker::JobOutcome& outcome) {
  if (options_.recheck == nullptr) return;
  options_.recheck->Add(outcome.worker, {group.items[item].key, group.job.has_translate()});
}

void Engine::LookBack(const Group& group, const worker::JobOutcome& outcome) {
  if (IsBelieved(outcome)) return;
  for (const Group::Item& item : group.items) {
    options_.recheck->Forget({item.key, group.job.has_translate()});
  }
}

bool Engine::DrawsRecheck(const worker::JobOutcome& outcome) const {
  return options_.recheck != nullptr && outcome.status == TargetResult::OK &&
         options_.recheck->Draws();
}

void Engine::CheckAgain(const Group& group, const worker::JobOutcome& outcome,
                        std::vector<std::optional<cache::Digest>> fingerprints) {
  Recheck::Answer answer;
  answer.job = group.job;
  answer.worker = outcome.worker;
  answer.worker_pid = outcome.worker_pid;
  for (const Group::Item& item : group.items) answer.keys.push_back(item.key);
  answer.fingerprints = std::move(fingerprints);
  options_.recheck->Check(std::move(answer));
}

// Dispatches the job again if its outcome does not count: the queue displaced it, or its worker is
// not trusted any more. Returns true if it did.
bool Engine::RunAgain(const std::shared_ptr<Group>& group, const worker::JobOutcome& outcome) {
  if (outcome.displaced) {
    RefuseJob(*group,
              absl::UnavailableError(
                  "the queue is full, and this client has more waiting jobs than others"),
              &outcome.owner);
  } else if (!IsBelieved(outcome) && outcome.status != TargetResult::CANCELLED) {
    group->job.clear_fault();
  } else {
    return false;
  }
  Dispatch(group);
  return true;
}

void Engine::TranslationDone(const Group& group, const worker::JobOutcome& outcome, bool recheck) {
  TranslateOutcome done;
  done.translation = ToStored(outcome);
  done.last_pass = outcome.last_pass;
  done.made_by = group.span;
  if (outcome.translation.has_value()) {
    done.start_ns = outcome.translation->start_nanoseconds();
    done.spirv = std::make_shared<const std::string>(outcome.translation->spirv());
  }
  // A refusal by Kiln's own bounds is not stored: the key has glslang's version only. A failure to
  // store (a full disk) is counted by the tier, and costs another translation next time.
  if (group.stores && done.spirv != nullptr && done.translation.status != TargetResult::REFUSED) {
    NoteMaker(group, 0, outcome);
    cache_->StoreTranslation(group.items[0].key, done.translation, *done.spirv).IgnoreError();
  }
  Judge(group, 0, outcome, done.translation.status);
  translations_.Finish(group.items[0].flight, done);
  LookBack(group, outcome);
  if (recheck && cache::Storable(done.translation.status)) {
    CheckAgain(group, outcome, {Fingerprint(*outcome.translation)});
  }
}

// True for a target that the worker had not begun when another one of its job ended it.
bool Engine::IsInnocent(const worker::JobOutcome& outcome, size_t item) {
  const bool died = outcome.status != TargetResult::OK && outcome.status != TargetResult::CANCELLED;
  const bool has_result = item < outcome.results.size() && outcome.results[item].has_value();
  return died && !has_result && outcome.blamed_target >= 0 &&
         static_cast<int>(item) > outcome.blamed_target;
}

TargetResult Engine::FinishTarget(const Group& group, size_t i, worker::JobOutcome* outcome) {
  const Group::Item& item = group.items[i];
  const bool has_result = i < outcome->results.size() && outcome->results[i].has_value();
  CompileOutcome done;
  done.queue_ns = absl::ToInt64Nanoseconds(outcome->queued);
  done.made_by = group.span;
  done.result = has_result ? std::move(*outcome->results[i]) : Died(*outcome);
  done.result.set_target(group.job.compile().targets(static_cast<int>(i)));
  done.result.set_key(cache::ToHex(item.key));
  done.result.set_spirv_sha256(std::string(cache::AsBytes(group.module)));
  Judge(group, i, *outcome, done.result.status());
  if (options_.activity != nullptr && done.result.status() != TargetResult::CANCELLED) {
    options_.activity->shaders.Made(item.key, done.result, outcome->ran, absl::Now());
  }
  if (group.stores) {
    if (cache::Storable(done.result.status())) NoteMaker(group, i, *outcome);
    cache_->Store(item.key, done.result).IgnoreError();
  }
  compiles_.Finish(item.flight, done);
  return std::move(done.result);
}

void Engine::CompileDone(const Group& group, worker::JobOutcome outcome, bool recheck) {
  std::vector<std::optional<cache::Digest>> fingerprints;
  std::shared_ptr<Group> again;
  for (size_t i = 0; i < group.items.size(); ++i) {
    if (IsInnocent(outcome, i)) {
      if (again == nullptr) again = Group::WithoutTargets(group);
      again->Add(group.job.compile().targets(static_cast<int>(i)), group.items[i]);
      Watch(again, group.items[i].flight);
      continue;
    }
    const TargetResult result = FinishTarget(group, i, &outcome);
    if (recheck) fingerprints.push_back(FingerprintIfStorable(result));
  }
  LookBack(group, outcome);
  if (recheck) CheckAgain(group, outcome, std::move(fingerprints));
  if (again != nullptr) Dispatch(std::move(again));
}

void Engine::JobDone(const std::shared_ptr<Group>& group, worker::JobOutcome outcome) {
  // Tells two refusals early for each job that ends: their clients, coming again, refill the queue
  // without a burst.
  if (refusals_.held() > 0 && pool_->HasRoom()) refusals_.HasRoom(2);
  if (RunAgain(group, outcome)) return;
  const bool recheck = DrawsRecheck(outcome);
  metrics_->Job(outcome, group->Targets(), group->request_id);
  if (options_.activity != nullptr) options_.activity->passes.Add(outcome, group->job);
  if (group->origin != nullptr && group->origin->trace != nullptr) {
    group->span = AddJobSpans(outcome, group->job, group->origin->trace.get());
  }
  if (JobLog::Tells(outcome)) job_log_.Tell(outcome, group->Origin(outcome));
  if (group->job.has_translate()) {
    TranslationDone(*group, outcome, recheck);
  } else {
    CompileDone(*group, std::move(outcome), recheck);
  }
}

}  // namespace kiln::server
