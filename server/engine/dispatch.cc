// Flights and worker jobs: how the engine gets missing results made. See engine.h.
#include <algorithm>
#include <utility>

#include "server/engine/engine_internal.h"

namespace kiln::server {

using kiln::v1alpha::TargetResult;

void MakeKeys(const RequestChecker& checker, Call* call) {
  if (!call->keys.empty()) return;
  cache::ShaderComponents shader =
      cache::HashShader(call->module, call->request.entry_point(), call->request.stage(),
                        call->spec, call->request.options());
  for (const std::string& target : call->request.targets()) {
    call->keys.push_back(cache::ResultKey(shader, checker.Components(target)));
  }
}

std::shared_ptr<Engine::Group> Engine::Group::ForCompile(const Call& call) {
  auto group = std::make_shared<Group>();
  group->request_id = call.request_id;
  group->owner = call.owner;
  worker::CompileJob* compile = group->job.mutable_compile();
  compile->set_spirv(*call.spirv);
  compile->set_entry_point(call.request.entry_point());
  compile->set_stage(call.request.stage());
  for (const auto& [id, value] : call.spec) {
    (*compile->mutable_spec_constants())[id] = value.bits;
    (*compile->mutable_spec_types())[id] = static_cast<uint32_t>(value.type);
  }
  *compile->mutable_options() = call.request.options();
  compile->set_assembly(call.outputs.assembly());
  *group->job.mutable_fault() = call.fault;
  group->module = call.module;
  group->stores = call.writes_cache();
  return group;
}

std::shared_ptr<Engine::Group> Engine::Group::ForTranslation(const Call& call,
                                                             const cache::Digest& key,
                                                             uint64_t flight) {
  auto group = std::make_shared<Group>();
  group->request_id = call.request_id;
  group->owner = call.owner;
  *group->job.mutable_translate()->mutable_glsl() = call.request.glsl();
  // A fault names a pass: faults in glslang's passes go with the translation, all others with the
  // compile of the module.
  const std::string& pass = call.fault.pass();
  if (pass == "translate_glsl" || pass == "start_glslang") *group->job.mutable_fault() = call.fault;
  group->items.push_back({key, flight});
  group->stores = call.writes_cache();
  absl::MutexLock lock(&group->mutex);
  group->wanted = 1;
  return group;
}

void Engine::Group::Add(const std::string& target, const Item& item) {
  job.mutable_compile()->add_targets(target);
  items.push_back(item);
  absl::MutexLock lock(&mutex);
  ++wanted;
}

std::vector<std::string> Engine::Group::Targets() const {
  return {job.compile().targets().begin(), job.compile().targets().end()};
}

JobOrigin Engine::Group::Origin(const worker::JobOutcome& outcome) const {
  JobOrigin origin = {request_id, Targets(), "", ""};
  const auto blamed = static_cast<size_t>(std::max(outcome.blamed_target, 0));
  if (blamed < items.size()) origin.key = cache::ToHex(items[blamed].key);
  if (job.has_compile()) origin.module = cache::ToHex(module);
  return origin;
}

void Engine::CompileMissing(const std::shared_ptr<Call>& call, const std::vector<size_t>& missing) {
  auto group = Group::ForCompile(*call);
  group->origin = call;
  bool shared = call->writes_cache();
  for (size_t i : missing) {
    const cache::Digest& key = call->keys[i];
    if (auto refused = Refuse(key); refused.has_value()) {
      refused->set_spirv_sha256(std::string(cache::AsBytes(call->module)));
      call->SetResult(i, *std::move(refused), {.quarantined = true});
      continue;
    }
    std::string name;
    if (shared) {
      name.assign(cache::AsBytes(key));
      name.push_back(call->outputs.assembly() ? 'a' : ' ');
    }
    auto joined = compiles_.Join(
        name,
        [this, call, i, key](const CompileOutcome& o, bool leads) {
          if (!o.call_error.ok()) {
            call->Fail(o.call_error, kRetryDelay);
            return;
          }
          Answer answer;
          answer.ready = cache::ResultCache::Prepare(call->outputs, o.result);
          answer.tier = leads ? o.tier : kiln::v1alpha::CACHE_COALESCED;
          answer.queue_ns = o.queue_ns;
          if (!leads) metrics_->Coalesced();
          if (call->writes_cache()) cache_->Remember(key, call->outputs, answer.ready);
          call->SetAnswer(i, std::move(answer));
        },
        call->owner);
    call->OnLeave([this, ticket = joined.ticket] { compiles_.Leave(ticket); });
    if (!joined.leads) continue;
    CompileOutcome again;
    const uint64_t forgotten = cache_->forgotten();
    if (FindAgain(*call, key, &again)) {
      compiles_.Finish(joined.ticket.flight, again);
      // The key was forgotten meanwhile, but the flight's waiters have put its result into memory
      // again.
      if (cache_->forgotten() != forgotten) cache_->Forget(key);
    } else {
      group->Add(call->request.targets(static_cast<int>(i)), {key, joined.ticket.flight});
      Watch(group, joined.ticket.flight);
    }
  }
  if (!group->items.empty()) Dispatch(std::move(group));
}

std::optional<TargetResult> Engine::Refuse(const cache::Digest& key) {
  return options_.quarantine == nullptr ? std::nullopt : options_.quarantine->Refuse(key);
}

// Between this call's lookup in the cache and its flight, another flight may have stored the
// result.
bool Engine::FindAgain(const Call& call, const cache::Digest& key, CompileOutcome* outcome) {
  if (!call.reads_cache()) return false;
  cache::Ready ready;
  kiln::v1alpha::OutputMask everything;
  everything.set_binary(true);
  everything.set_assembly(call.outputs.assembly());
  everything.set_launch_record(true);
  everything.set_pass_records(true);
  everything.set_remarks(true);
  cache::Lookup found = cache_->Find(key, cache::Outputs(everything), true, &ready);
  if (!Found(found)) return false;
  outcome->tier = TierOf(found);
  return outcome->result.ParseFromArray(ready.bytes->data(), static_cast<int>(ready.bytes->size()));
}

void Engine::Watch(const std::shared_ptr<Group>& group, uint64_t flight) {
  const auto watch = [&](auto& flights) {
    flights.WhenOwnersChange(flight, [this, group] { ChooseOwner(group); });
    flights.IfAbandoned(flight, [this, group] { Abandon(group); });
  };
  group->job.has_translate() ? watch(translations_) : watch(compiles_);
}

std::vector<worker::Owner> Engine::Owners(const Group& group) const {
  std::vector<worker::Owner> owners;
  for (const Group::Item& item : group.items) {
    group.job.has_translate() ? translations_.AddOwners(item.flight, &owners)
                              : compiles_.AddOwners(item.flight, &owners);
  }
  return owners;
}

void Engine::ChooseOwner(const std::shared_ptr<Group>& group) {
  worker::Pool::Handle handle;
  {
    absl::MutexLock lock(&group->mutex);
    handle = group->handle;
  }
  if (handle != nullptr) pool_->Adopt(handle, Owners(*group));
}

void Engine::Dispatch(std::shared_ptr<Group> group) {
  const std::vector<worker::Owner> owners = Owners(*group);
  const bool is_one = std::find(owners.begin(), owners.end(), group->owner) != owners.end();
  if (!is_one && !owners.empty()) group->owner = owners.front();
  absl::Status refused;
  worker::Pool::Handle displaced;
  {
    absl::MutexLock lock(&group->mutex);
    if (group->wanted == 0) return;  // all callers left while the job was put together
    auto handle = pool_->Submit(
        group->shared_job,
        [this, group](worker::JobOutcome outcome) { JobDone(group, std::move(outcome)); },
        group->owner, &displaced);
    if (handle.ok()) {
      group->handle = *std::move(handle);
    } else {
      refused = handle.status();
    }
  }
  if (displaced != nullptr) EndDisplaced(displaced);
  if (!refused.ok()) {
    RefuseJob(*group, refused);
  } else {
    ChooseOwner(group);  // other owners may have joined before the job had a handle
  }
}

// A displaced job may be queued again for another owner and displace a further job. A loop instead
// of recursion, because such a chain may be as long as the queue.
void Engine::EndDisplaced(const worker::Pool::Handle& displaced) {
  thread_local std::vector<worker::Pool::Handle>* pending = nullptr;
  if (pending != nullptr) {
    pending->push_back(displaced);
    return;
  }
  std::vector<worker::Pool::Handle> own = {displaced};
  pending = &own;
  while (!own.empty()) {
    const worker::Pool::Handle next = std::move(own.back());
    own.pop_back();
    pool_->EndDisplaced(next);
  }
  pending = nullptr;
}

void Engine::RefuseJob(const Group& group, const absl::Status& why, const worker::Owner* owner) {
  metrics_->ShedRequest(metrics::Metrics::Shed::kQueueFull);
  const auto refuse = [&](auto& flights, uint64_t flight, auto outcome) {
    outcome.call_error = why;
    owner == nullptr ? flights.Finish(flight, outcome) : flights.FinishFor(flight, *owner, outcome);
  };
  for (const Group::Item& item : group.items) {
    group.job.has_translate() ? refuse(translations_, item.flight, TranslateOutcome())
                              : refuse(compiles_, item.flight, CompileOutcome());
  }
}

void Engine::Abandon(const std::shared_ptr<Group>& group) {
  worker::Pool::Handle handle;
  {
    absl::MutexLock lock(&group->mutex);
    if (--group->wanted > 0) return;
    handle = group->handle;
  }
  if (handle != nullptr) pool_->Cancel(handle);
}

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
  kiln::v1alpha::QuarantineEntry death;
  const bool translates = group.job.has_translate();
  if (!translates) death.set_target(group.job.compile().targets(static_cast<int>(item)));
  death.set_status(outcome.status);
  death.set_cause(outcome.cause);
  death.set_message(outcome.message);
  death.set_last_pass(outcome.last_pass);
  options_.quarantine->AddDeath(key, death, [&] {
    kiln::v1alpha::CompileRequest request = group.origin->request;
    if (!translates) {  // keeps the module itself, even if the request had only GLSL or a digest
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

void Engine::JobDone(const std::shared_ptr<Group>& group, worker::JobOutcome outcome) {
  // Two refusals for each job that ends fill the queue again without a flood of calls at once.
  if (refusals_.held() > 0 && pool_->HasRoom()) refusals_.HasRoom(2);
  if (!outcome.displaced && !IsBelieved(outcome) && outcome.status != TargetResult::CANCELLED) {
    group->job.clear_fault();
    Dispatch(group);  // to another worker
    return;
  }
  if (outcome.displaced) {
    RefuseJob(*group,
              absl::UnavailableError(
                  "the queue is full, and others wait with fewer jobs than this client"),
              &outcome.owner);
    Dispatch(group);  // again, for another owner that waits for it, if there is one
    return;
  }
  const bool drawn = DrawsRecheck(outcome);
  std::vector<std::optional<cache::Digest>> fingerprints;
  metrics_->Job(outcome, group->Targets());
  if (JobLog::Tells(outcome)) job_log_.Tell(outcome, group->Origin(outcome));
  if (group->job.has_translate()) {
    TranslateOutcome done;
    done.translation = ToStored(outcome);
    done.last_pass = outcome.last_pass;
    if (outcome.translation.has_value()) {
      done.start_ns = outcome.translation->start_nanoseconds();
      done.spirv = std::make_shared<const std::string>(outcome.translation->spirv());
    }
    // A failed store (no space, for example) is counted by the tier; the translation is made again
    // next time. Refusals by Kiln's own bounds are not stored: the key has glslang's version only.
    if (group->stores && done.spirv != nullptr &&
        done.translation.status != TargetResult::REFUSED) {
      NoteMaker(*group, 0, outcome);
      cache_->StoreTranslation(group->items[0].key, done.translation, *done.spirv).IgnoreError();
    }
    Judge(*group, 0, outcome, done.translation.status);
    translations_.Finish(group->items[0].flight, done);
    LookBack(*group, outcome);
    if (drawn && cache::Storable(done.translation.status)) {
      CheckAgain(*group, outcome, {Fingerprint(*outcome.translation)});
    }
    return;
  }
  std::shared_ptr<Group> again;
  bool died = outcome.status != TargetResult::OK;
  for (size_t i = 0; i < group->items.size(); ++i) {
    const Group::Item& item = group->items[i];
    CompileOutcome done;
    done.queue_ns = absl::ToInt64Nanoseconds(outcome.queued);
    bool has_result = i < outcome.results.size() && outcome.results[i].has_value();
    bool innocent = died && !has_result && outcome.status != TargetResult::CANCELLED &&
                    outcome.blamed_target >= 0 && static_cast<int>(i) > outcome.blamed_target;
    if (innocent) {
      if (again == nullptr) {
        again = std::make_shared<Group>();
        again->job = group->job;
        again->job.mutable_compile()->clear_targets();
        again->job.clear_fault();
        again->request_id = group->request_id;
        again->owner = group->owner;
        again->module = group->module;
        again->stores = group->stores;
        again->origin = group->origin;
      }
      again->Add(group->job.compile().targets(static_cast<int>(i)), item);
      Watch(again, item.flight);
      continue;
    }
    done.result = has_result ? std::move(*outcome.results[i]) : Died(outcome);
    done.result.set_target(group->job.compile().targets(static_cast<int>(i)));
    done.result.set_key(cache::ToHex(item.key));
    done.result.set_spirv_sha256(std::string(cache::AsBytes(group->module)));
    Judge(*group, i, outcome, done.result.status());
    if (group->stores) {
      if (cache::Storable(done.result.status())) NoteMaker(*group, i, outcome);
      cache_->Store(item.key, done.result).IgnoreError();
    }
    compiles_.Finish(item.flight, done);
    if (drawn) fingerprints.push_back(FingerprintIfStorable(done.result));
  }
  LookBack(*group, outcome);
  if (drawn) CheckAgain(*group, outcome, std::move(fingerprints));
  if (again != nullptr) Dispatch(std::move(again));
}

}  // namespace kiln::server
