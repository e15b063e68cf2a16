// Steps of a compile request: see engine.h. This file has the way through the caches and the
// translation; dispatch.cc and job_done.cc have flights and worker jobs.
#include "server/engine/engine.h"

#include <chrono>
#include <utility>

#include "absl/time/clock.h"
#include "server/engine/call.h"
#include "server/engine/engine_internal.h"
#include "server/engine/job_spans.h"
#include "server/key/source_digest.h"

namespace kiln::server {

using cache::Lookup;
using kiln::v1::CompileRequest;
using kiln::v1::SourceDigest;
using kiln::v1::TargetResult;

namespace {

// Hashing more than this would hold up a thread of gRPC for over half a millisecond.
constexpr size_t kHashAtOnce = size_t{1} << 20;

constexpr char kUnknownGlsl[] = "the source text is not known to the daemon: send it";
constexpr char kUnknownModule[] = "not in the cache: send the source";

// Time of a clock that is never set back.
absl::Duration Uptime() {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

TargetResult NotCached(const char* message) {
  TargetResult result;
  result.set_status(TargetResult::NOT_CACHED);
  result.set_cause("not_cached");
  result.set_message(message);
  return result;
}

TargetResult FromTranslation(const cache::StoredTranslation& translation) {
  TargetResult result;
  result.set_status(translation.status);
  result.set_cause(translation.cause);
  result.set_message(translation.message);
  if (translation.reason.ByteSizeLong() != 0) *result.mutable_reason() = translation.reason;
  return result;
}

void HashGlsl(Call* call) {
  if (call->has_glsl_digest) return;
  if (call->request.has_glsl()) {
    call->glsl = cache::GlslDigest(call->request.glsl());
  } else {
    const std::string& bytes = call->request.digest().sha256();
    std::copy(bytes.begin(), bytes.end(), call->glsl.begin());
  }
  call->has_glsl_digest = true;
}

// Computes the module's digest where that needs no translation.
void HashModule(Call* call) {
  if (call->has_module || call->is_glsl()) return;
  if (call->request.has_spirv()) {
    call->module = cache::SpirvDigest(call->request.spirv());
    // Points into the request instead of copying the module; the call keeps the request alive.
    call->spirv =
        std::shared_ptr<const std::string>(std::shared_ptr<void>(), &call->request.spirv());
  } else {
    const std::string& bytes = call->request.digest().sha256();
    std::copy(bytes.begin(), bytes.end(), call->module.begin());
  }
  call->has_module = true;
}

}  // namespace

Engine::Engine(const Options& options, worker::Pool* pool, cache::ResultCache* cache,
               metrics::Metrics* metrics)
    : options_(options),
      pool_(pool),
      cache_(cache),
      metrics_(metrics),
      checker_(pool->hello(), options.limits),
      glslang_version_(pool->hello().glslang_version()),
      hlsl_version_(pool->hello().hlsl_version()),
      job_log_(options.log, pool->hello()),
      executor_(options.threads, options.queue_limit, [metrics](absl::Duration time) {
        metrics->Waited(metrics::Metrics::Queued::kLookup, time);
      }) {}

Engine::~Engine() = default;

std::shared_ptr<Call> Engine::Begin(CompileRequest request, const worker::Fault& fault,
                                    std::string client, Reply* reply,
                                    std::shared_ptr<trace::Trace> trace) {
  Violations violations = checker_.Check(request);
  if (!violations.empty()) {
    reply->status = absl::InvalidArgumentError(violations[0].first + ": " + violations[0].second);
    reply->violations = std::move(violations);
    return nullptr;
  }
  auto call = std::make_shared<Call>(std::move(request), fault);
  call->client = std::move(client);
  call->trace = std::move(trace);
  if (!MayAsk(call.get())) {
    // Same reply as for a miss; a different one would reveal that the entry exists.
    call->SetAll(NotCached(call->is_glsl() ? kUnknownGlsl : kUnknownModule));
    *reply = call->TakeReply();
  } else if (!TryCaches(call.get(), reply)) {
    return call;
  }
  return nullptr;
}

void Engine::Continue(const std::shared_ptr<Call>& call, Done done) {
  call->OnDone(std::move(done));
  std::shared_ptr<trace::Step> queued;
  if (call->trace != nullptr) {
    queued = std::make_shared<trace::Step>(call->trace.get(), kQueueSpan);
    queued->Set("kiln.queue", "disk");
  }
  executor_.TryRun(
      call->owner,
      [this, call, queued]() mutable {
        queued.reset();
        Slow(call);
      },
      [this, call] {
        metrics_->ShedRequest(metrics::Metrics::Shed::kQueueFull);
        call->Fail(absl::UnavailableError("too many calls are waiting"), kRetryDelay);
      });
}

void Engine::Cancel(const std::shared_ptr<Call>& call, absl::Status why) {
  call->Fail(std::move(why));
}

// Returns true if the call may be answered: with --require-source-once, a digest is answered only
// if its client has sent the source.
bool Engine::MayAsk(Call* call) {
  if (options_.known == nullptr || !call->request.has_digest()) return true;
  if (call->client.empty()) return false;
  call->is_glsl() ? HashGlsl(call) : HashModule(call);
  return options_.known->Has(call->client, call->is_glsl() ? call->glsl : call->module, Uptime());
}

// Notes that the client has sent this source, so that it may ask for it by digest from now on.
void Engine::Remember(const Call& call) {
  if (options_.known == nullptr || call.client.empty() || call.request.has_digest()) return;
  options_.known->Add(call.client, call.is_glsl() ? call.glsl : call.module, Uptime());
}

cache::Digest Engine::TranslationKeyOf(const Call& call) const {
  return cache::TranslationKey(call.glsl, call.is_hlsl() ? hlsl_version_ : glslang_version_);
}

// Answers what the caches have without waiting. Returns true if the reply is complete; then no
// other thread ever sees the call, so a full hit bypasses the call's answers and their lock.
bool Engine::TryCaches(Call* call, Reply* reply) {
  if (!call->reads_cache() || call->request.spirv().size() > kHashAtOnce ||
      call->request.glsl().ByteSizeLong() > kHashAtOnce) {
    return false;
  }
  trace::Step step(call->trace.get(), kLookupSpan);
  step.Set("kiln.cache.tier", "memory");
  HashModule(call);
  if (call->is_glsl()) HashGlsl(call);
  Remember(*call);
  if (call->is_glsl()) {
    TranslateOutcome outcome;
    Lookup found = cache_->FindTranslation(TranslationKeyOf(*call), false, &outcome.translation);
    if (!Found(found)) return false;
    outcome.tier = TierOf(found);
    call->translate_ns = outcome.translation.nanoseconds;
    if (outcome.translation.status != TargetResult::OK) {
      EndUntranslated(call, outcome);
      *reply = call->TakeReply();
      return true;
    }
    call->module = outcome.translation.module;
    call->has_module = true;
  }
  MakeKeys(checker_, call);
  std::vector<Answer> answers(call->targets());
  std::vector<size_t> found_ones;
  for (size_t i = 0; i < answers.size(); ++i) {
    const Lookup found = cache_->Find(call->keys[i], call->outputs, false, &answers[i].ready);
    if (!Found(found)) continue;
    if (answers[i].ready.status != TargetResult::OK) NoteRefused(call->keys[i]);
    answers[i].tier = TierOf(found);
    answers[i].key = call->keys[i];
    found_ones.push_back(i);
  }
  step.Set("kiln.cache.found", static_cast<int64_t>(found_ones.size()));
  if (found_ones.size() == answers.size()) {
    reply->answers = std::move(answers);
    reply->translate_ns = call->translate_ns;
    return true;
  }
  for (size_t i : found_ones) call->SetAnswer(i, std::move(answers[i]));
  return false;
}

void Engine::NoteRefused(const cache::Digest& key) {
  if (options_.activity != nullptr) options_.activity->shaders.RefusedAgain(key, absl::Now());
}

void Engine::Slow(const std::shared_ptr<Call>& call) {
  if (call->done()) return;
  HashModule(call.get());
  if (call->is_glsl()) HashGlsl(call.get());
  Remember(*call);
  if (call->has_module) {
    AfterModule(call);
  } else {
    Translate(call);
  }
}

void Engine::Translate(const std::shared_ptr<Call>& call) {
  cache::Digest key = TranslationKeyOf(*call);
  if (auto refused = Refuse(key); refused.has_value()) {
    call->SetAll(*refused, {.quarantined = true});
    return;
  }
  TranslateOutcome outcome;
  const bool looks = call->reads_cache() && !call->needs_spirv;
  const auto known = [&] {
    if (!looks) return false;
    trace::Step step(call->trace.get(), kLookupSpan);
    const Lookup found = cache_->FindTranslation(key, true, &outcome.translation);
    step.Set("kiln.cache.tier", TierName(found));
    if (Found(found)) outcome.tier = TierOf(found);
    return Found(found);
  };
  if (known()) {
    AfterTranslation(call, outcome);
    return;
  }
  if (!call->request.has_glsl() || !call->may_compile()) {
    call->SetAll(NotCached(kUnknownGlsl));
    return;
  }
  std::string name;
  if (call->writes_cache()) {
    name.assign(cache::AsBytes(key));
    // Kept apart: a flight that may end with a cached translation does not always bring the module.
    name.push_back(looks ? 'c' : 'm');
  }
  auto joined = translations_.Join(
      name,
      [this, call, begun = TraceTime(*call)](const TranslateOutcome& result, bool leads) {
        TranslateOutcome own = result;
        if (!leads) {
          own.tier = kiln::v1::CACHE_COALESCED;
          metrics_->Coalesced();
          AddCoalescedSpan(call->trace.get(), begun, result.made_by);
        }
        // Continues in the executor: the pool's thread has other jobs to hand out.
        executor_.Run(call->owner, [this, call, own] { AfterTranslation(call, own); });
      },
      call->owner);
  call->OnLeave([this, ticket = joined.ticket] { translations_.Leave(ticket); });
  if (!joined.leads) return;
  if (known()) {
    translations_.Finish(joined.ticket.flight, outcome);
    return;
  }
  auto group = Group::ForTranslation(*call, key, joined.ticket.flight);
  group->origin = call;
  Watch(group, joined.ticket.flight);
  Dispatch(std::move(group));
}

void Engine::EndUntranslated(Call* call, const TranslateOutcome& outcome) {
  TargetResult result = FromTranslation(outcome.translation);
  if (!cache::Storable(result.status())) result.set_last_pass(outcome.last_pass);
  call->SetAll(result, {.tier = outcome.tier});
}

void Engine::AfterTranslation(const std::shared_ptr<Call>& call, const TranslateOutcome& outcome) {
  if (!outcome.call_error.ok()) {
    call->Fail(outcome.call_error, kRetryDelay);
    return;
  }
  call->translate_ns = outcome.translation.nanoseconds;
  call->start_ns = outcome.start_ns;
  if (outcome.translation.status != TargetResult::OK) {
    EndUntranslated(call.get(), outcome);
    return;
  }
  call->module = outcome.translation.module;
  call->spirv = outcome.spirv;
  call->has_module = true;
  AfterModule(call);
}

void Engine::AfterModule(const std::shared_ptr<Call>& call) {
  MakeKeys(checker_, call.get());
  std::vector<size_t> missing;
  for (size_t i = 0; i < call->targets(); ++i) {
    if (call->Answered(i)) continue;
    Answer answer;
    Lookup found = Lookup::kMiss;
    if (call->reads_cache()) {
      trace::Step step(call->trace.get(), kLookupSpan);
      found = cache_->Find(call->keys[i], call->outputs, true, &answer.ready);
      step.Set("kiln.target", call->request.targets(static_cast<int>(i)));
      step.Set("kiln.cache.tier", TierName(found));
    }
    if (Found(found)) {
      if (answer.ready.status != TargetResult::OK) NoteRefused(call->keys[i]);
      answer.tier = TierOf(found);
      call->SetAnswer(i, std::move(answer));
    } else {
      missing.push_back(i);
    }
  }
  if (missing.empty()) return;
  if (!call->may_compile()) {
    call->SetAll(NotCached("not in the cache"));
  } else if (!LoadModule(call.get())) {
    if (call->request.has_glsl()) {
      call->needs_spirv = true;  // the module's digest is known, but its bytes are no longer cached
      Translate(call);
      return;
    }
    call->SetAll(NotCached(kUnknownModule));
  } else {
    CompileMissing(call, missing);
  }
}

// Loads the module from the cache where the request did not bring it: only a digest was sent, or
// the translation was found in the cache. Returns false if it is not there.
bool Engine::LoadModule(Call* call) {
  if (call->spirv != nullptr) return true;
  std::string spirv;
  if (cache_->FindModule(call->module, &spirv)) {
    call->spirv = std::make_shared<const std::string>(std::move(spirv));
  }
  return call->spirv != nullptr;
}

}  // namespace kiln::server
