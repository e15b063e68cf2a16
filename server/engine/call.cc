// Implements one compile request in progress: see call.h.
#include "server/engine/call.h"

#include <utility>

namespace kiln::server {

using kiln::v1::CompileRequest;
using kiln::v1::SourceDigest;
using kiln::v1::TargetResult;

Call::Call(CompileRequest r, const worker::Fault& f)
    : request(std::move(r)),
      fault(f),
      outputs(request.outputs()),
      spec(cache::SpecValues(request.spec_constants())),
      missing_(targets()),
      answers_(targets()) {}

bool Call::reads_cache() const {
  return request.cache_policy() == kiln::v1::CACHE_USE ||
         request.cache_policy() == kiln::v1::CACHE_ONLY_IF_CACHED;
}

bool Call::writes_cache() const { return request.cache_policy() != kiln::v1::CACHE_BYPASS; }

bool Call::may_compile() const { return request.cache_policy() != kiln::v1::CACHE_ONLY_IF_CACHED; }

bool Call::is_glsl() const {
  return request.has_glsl() ||
         (request.has_digest() && (request.digest().kind() == SourceDigest::GLSL ||
                                   request.digest().kind() == SourceDigest::HLSL));
}

bool Call::is_hlsl() const {
  return request.glsl().has_hlsl() ||
         (request.has_digest() && request.digest().kind() == SourceDigest::HLSL);
}

bool Call::Answered(size_t target) const {
  absl::MutexLock lock(&mutex_);
  return answers_[target].has_value();
}

bool Call::done() const {
  absl::MutexLock lock(&mutex_);
  return finished_;
}

void Call::SetAnswer(size_t target, Answer answer) {
  {
    absl::MutexLock lock(&mutex_);
    if (finished_ || answers_[target].has_value()) return;
    if (target < keys.size()) answer.key = keys[target];
    answers_[target] = std::move(answer);
    if (--missing_ > 0 || done_ == nullptr) return;
  }
  Finish(TakeReply());
}

Reply Call::TakeReply() {
  Reply reply;
  absl::MutexLock lock(&mutex_);
  for (auto& a : answers_) reply.answers.push_back(*std::move(a));
  reply.translate_ns = translate_ns;
  reply.start_ns = start_ns;
  return reply;
}

void Call::OnDone(Engine::Done done) {
  absl::MutexLock lock(&mutex_);
  done_ = std::move(done);
}

void Call::SetResult(size_t target, TargetResult result, Answer answer) {
  result.set_target(request.targets(static_cast<int>(target)));
  answer.ready = cache::ResultCache::Prepare(outputs, std::move(result));
  SetAnswer(target, std::move(answer));
}

void Call::SetAll(const TargetResult& result, const Answer& answer) {
  for (size_t i = 0; i < targets(); ++i) {
    if (!Answered(i)) SetResult(i, result, answer);
  }
}

void Call::Fail(absl::Status status, absl::Duration retry) {
  Reply reply;
  reply.status = std::move(status);
  reply.retry = retry;
  Finish(std::move(reply));
  Leave();  // the call has no use for work that is still under way for it
}

void Call::Finish(Reply reply) {
  Engine::Done done;
  {
    absl::MutexLock lock(&mutex_);
    if (finished_) return;
    finished_ = true;
    done = std::move(done_);
    done_ = nullptr;
  }
  done(std::move(reply));
}

void Call::OnLeave(std::function<void()> leave) {
  {
    absl::MutexLock lock(&mutex_);
    if (!left_) {
      leave_.push_back(std::move(leave));
      return;
    }
  }
  leave();
}

void Call::Leave() {
  std::vector<std::function<void()>> leave;
  {
    absl::MutexLock lock(&mutex_);
    left_ = true;
    leave.swap(leave_);
  }
  for (auto& l : leave) l();
}

}  // namespace kiln::server
