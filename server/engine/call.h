// One compile request while it is worked on: what is known, what is missing, who waits.
#ifndef KILN_SERVER_ENGINE_CALL_H_
#define KILN_SERVER_ENGINE_CALL_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "server/engine/engine.h"

namespace kiln::server {

class Call {
 public:
  Call(kiln::v1alpha::CompileRequest request, const worker::Fault& fault);

  // Set before the call is shared between threads, constant afterwards.
  const kiln::v1alpha::CompileRequest request;
  const worker::Fault fault;
  const cache::Outputs outputs;
  const std::map<uint32_t, cache::SpecValue> spec;

  bool reads_cache() const;
  bool writes_cache() const;
  bool may_compile() const;
  bool is_glsl() const;

  // Progress; each step of a call happens after the one before, so these need no lock.
  std::string request_id;
  worker::Owner owner;  // who is charged for what it costs
  std::string client;   // as known_sources.h has it; empty: not known, or of no matter
  bool has_module = false;
  cache::Digest module{};
  std::shared_ptr<const std::string> spirv;  // null: not loaded
  bool needs_spirv = false;                  // GLSL: translate, whatever the cache knows
  int64_t translate_ns = 0;
  int64_t start_ns = 0;  // of glslang, in this call
  cache::Digest glsl{};
  bool has_glsl_digest = false;
  std::vector<cache::Digest> keys;  // with has_module: one for each target

  size_t targets() const { return static_cast<size_t>(request.targets_size()); }
  bool Answered(size_t target) const;
  // The last answer ends the call.
  void SetAnswer(size_t target, Answer answer);
  // A result that is made up here; `answer` says where it is from.
  void SetResult(size_t target, kiln::v1alpha::TargetResult result, Answer answer = {});
  void SetAll(const kiln::v1alpha::TargetResult& result, const Answer& answer = {});
  // Ends the call with an error of the call.
  void Fail(absl::Status status, absl::Duration retry = absl::ZeroDuration());
  bool done() const;

  // Before others know the call: the reply, when all targets are answered already, or else who gets
  // it later.
  Reply TakeReply();
  void OnDone(Engine::Done done);

  // What to do when the client leaves. Called at once if it has left already.
  void OnLeave(std::function<void()> leave);
  void Leave();

 private:
  void Finish(Reply reply) ABSL_LOCKS_EXCLUDED(mutex_);

  mutable absl::Mutex mutex_;
  Engine::Done done_ ABSL_GUARDED_BY(mutex_);
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  bool left_ ABSL_GUARDED_BY(mutex_) = false;
  size_t missing_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::optional<Answer>> answers_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::function<void()>> leave_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::server

#endif  // KILN_SERVER_ENGINE_CALL_H_
