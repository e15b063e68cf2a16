// Inside of the engine: shared by engine.cc, dispatch.cc and job_done.cc.
#ifndef KILN_SERVER_ENGINE_ENGINE_INTERNAL_H_
#define KILN_SERVER_ENGINE_ENGINE_INTERNAL_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "server/engine/call.h"
#include "server/engine/engine.h"

namespace kiln::server {

// The delay that an overloaded daemon asks clients to wait before they try again.
inline constexpr absl::Duration kRetryDelay = absl::Milliseconds(250);

// Names of spans: a wait in a queue, a look into the caches.
inline constexpr char kQueueSpan[] = "queue";
inline constexpr char kLookupSpan[] = "cache lookup";

inline bool Found(cache::Lookup found) {
  return found == cache::Lookup::kMemory || found == cache::Lookup::kDisk;
}

inline kiln::v1::CacheTier TierOf(cache::Lookup found) {
  return found == cache::Lookup::kMemory ? kiln::v1::CACHE_MEMORY : kiln::v1::CACHE_DISK;
}

// Returns the tier's name as metrics have it; "none": not found.
inline std::string TierName(cache::Lookup found) {
  if (found == cache::Lookup::kMemory) return "memory";
  return found == cache::Lookup::kDisk ? "disk" : "none";
}

// Computes the keys of all targets; needs the module's digest.
void MakeKeys(const RequestChecker& checker, Call* call);

struct Engine::Group {
  struct Item {
    cache::Digest key{};
    uint64_t flight = 0;
  };
  // Makes a group whose CompileJob is complete but for its targets.
  static std::shared_ptr<Group> ForCompile(const Call& call);
  static std::shared_ptr<Group> ForTranslation(const Call& call, const cache::Digest& key,
                                               uint64_t flight);
  // A compile of the same module, without targets and faults.
  static std::shared_ptr<Group> WithoutTargets(const Group& other);
  void Add(const std::string& target, const Item& item);
  std::vector<std::string> Targets() const;
  // Returns what the log says of the job with this outcome.
  JobOrigin Origin(const worker::JobOutcome& outcome) const;

  std::string request_id;
  worker::Owner owner;  // the owner for whom the job was submitted to the pool
  // Shared with the pool from Submit on; not changed while the pool has it.
  const std::shared_ptr<worker::Job> shared_job = std::make_shared<worker::Job>();
  worker::Job& job = *shared_job;
  std::vector<Item> items;  // one for each target of a compile; one for a translation
  cache::Digest module{};
  bool stores = true;
  std::shared_ptr<const Call> origin;  // who asked first
  std::optional<trace::Link> span;     // of the job, once it has ended, if it is traced

  absl::Mutex mutex;
  size_t wanted ABSL_GUARDED_BY(mutex) = 0;  // flights that still have waiters
  worker::Pool::Handle handle ABSL_GUARDED_BY(mutex);
};

}  // namespace kiln::server

#endif  // KILN_SERVER_ENGINE_ENGINE_INTERNAL_H_
