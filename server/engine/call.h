// One compile request in progress: its module, its keys, its answers so far, and who waits for
// them.
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
#include "server/trace/tracer.h"

namespace kiln::server {

class Call {
 public:
  Call(kiln::v1::CompileRequest request, const worker::Fault& fault);

  // Set before the call is shared between threads, constant afterwards.
  const kiln::v1::CompileRequest request;
  const worker::Fault fault;
  const cache::Outputs outputs;
  const std::map<uint32_t, cache::SpecValue> spec;

  bool reads_cache() const;
  bool writes_cache() const;
  bool may_compile() const;
  bool is_glsl() const;  // a source of GLSL or HLSL
  bool is_hlsl() const;

  // Progress of the call. Each step happens after the one before it, so these need no lock.
  std::string request_id;
  worker::Owner owner;                  // charged for the work of this call
  std::string client;                   // as in known_sources.h; empty: not known, or not needed
  std::shared_ptr<trace::Trace> trace;  // null: the call is not traced
  bool has_module = false;
  cache::Digest module{};
  std::shared_ptr<const std::string> spirv;  // null: not loaded
  bool needs_spirv = false;                  // GLSL: translate even if the translation is cached
  int64_t translate_ns = 0;
  int64_t start_ns = 0;  // glslang's start-up within this call
  cache::Digest glsl{};
  bool has_glsl_digest = false;
  std::vector<cache::Digest> keys;  // set once has_module is: one for each target

  size_t targets() const { return static_cast<size_t>(request.targets_size()); }
  bool Answered(size_t target) const;
  // Answers one target; the first answer counts. The last missing answer ends the call.
  void SetAnswer(size_t target, Answer answer);
  // Answers one target with a result that the daemon itself made; `answer` has its tier and flags.
  void SetResult(size_t target, kiln::v1::TargetResult result, Answer answer = {});
  void SetAll(const kiln::v1::TargetResult& result, const Answer& answer = {});
  // Ends the call with an error that concerns all targets.
  void Fail(absl::Status status, absl::Duration retry = absl::ZeroDuration());
  bool done() const;

  // TakeReply: the reply, once all targets are answered. OnDone: who gets the reply when they are;
  // set before other threads know the call.
  Reply TakeReply();
  void OnDone(Engine::Done done);

  // Adds an action for when the client leaves. Runs it at once if the client has left already.
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
