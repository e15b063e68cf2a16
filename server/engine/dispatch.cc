// Hands the jobs that make missing results to workers; job_done.cc takes their outcomes. See
// engine.h.
#include <algorithm>
#include <utility>

#include "server/engine/engine_internal.h"
#include "server/engine/job_spans.h"

namespace kiln::server {

using kiln::v1::TargetResult;

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

std::shared_ptr<Engine::Group> Engine::Group::WithoutTargets(const Group& other) {
  auto group = std::make_shared<Group>();
  group->job = other.job;
  group->job.mutable_compile()->clear_targets();
  group->job.clear_fault();
  group->request_id = other.request_id;
  group->owner = other.owner;
  group->module = other.module;
  group->stores = other.stores;
  group->origin = other.origin;
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
      NoteRefused(key);
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
        [this, call, i, key, begun = TraceTime(*call)](const CompileOutcome& o, bool leads) {
          if (!o.call_error.ok()) {
            call->Fail(o.call_error, kRetryDelay);
            return;
          }
          Answer answer;
          answer.ready = cache::ResultCache::Prepare(call->outputs, o.result);
          answer.tier = leads ? o.tier : kiln::v1::CACHE_COALESCED;
          answer.queue_ns = o.queue_ns;
          if (!leads) {
            metrics_->Coalesced();
            AddCoalescedSpan(call->trace.get(), begun, o.made_by);
          }
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
  kiln::v1::OutputMask everything;
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

}  // namespace kiln::server
