// Shaders that kill workers, and are refused after some deaths.
//
// Problem: a result that is a death is never cached, so a build farm that asks again and again for
// a shader that crashes the compiler costs a worker each time (and for a loop, a minute of it).
// After `deaths` deaths of the same key (target, options and compiler version are in it) requests
// for it are answered with how it died, without a worker. A compile that succeeds in between takes
// the suspicion away: not the shader was to blame.
//
// Invariants: at most `max_entries` keys are quarantined and as many suspected, those asked for or
// dying last; sources take at most `max_bytes`, the oldest lose theirs first and stay refused. An
// entry belongs to the version of the compiler that died: its key says so, and entries of others
// are dropped when they are read.
//
// With a directory each entry is a file in it, named by its key, written beside and renamed: it
// survives a restart. A file that does not parse or has another name than its key is removed. Where
// the directory cannot be written, entries live as long as the process: counted in `write_errors`.
#ifndef KILN_SERVER_QUARANTINE_QUARANTINE_H_
#define KILN_SERVER_QUARANTINE_QUARANTINE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "proto/admin.pb.h"
#include "server/cache/sha256.h"

namespace kiln::quarantine {

struct Options {
  uint32_t deaths = 3;  // 0: nothing is quarantined
  size_t max_entries = 1024;
  uint64_t max_bytes = uint64_t{64} << 20;
  std::string directory;  // empty: memory only
  // The compiler that a target (empty: of translations) has now, as in QuarantineEntry.compiler.
  std::function<std::string(const std::string& target)> compiler;
};

class Quarantine {
 public:
  // Reads the directory, where there is one.
  explicit Quarantine(Options options);

  // Thread-safe, all. The answer to a request for `key`, which is refused; nothing: go on.
  std::optional<kiln::v1alpha::TargetResult> Refuse(const cache::Digest& key);
  // A worker died of `key`; `death` says of which target and how (status, cause, message,
  // last_pass). `request` is called where the source is to be kept.
  void AddDeath(const cache::Digest& key, kiln::v1alpha::QuarantineEntry death,
                const std::function<kiln::v1alpha::CompileRequest()>& request);
  // It compiled after all.
  void Absolve(const cache::Digest& key);

  kiln::v1alpha::QuarantineList List() const;
  std::optional<kiln::v1alpha::QuarantineEntry> Show(const std::string& key) const;
  // How many there were of them.
  uint32_t Clear(const std::vector<std::string>& keys);
  uint32_t ClearAll();

  struct Usage {
    size_t entries = 0;
    uint64_t bytes = 0;  // of sources
    uint64_t refusals = 0;
    uint64_t write_errors = 0;
  };
  Usage usage() const;

 private:
  using Entry = kiln::v1alpha::QuarantineEntry;
  using Entries = std::list<Entry>;  // the last first

  void Load();
  void Insert(Entry entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void KeepBounds() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Remove(Entries::iterator entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropSource(Entry* entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Write(const Entry& entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::string PathOf(const std::string& key) const;

  const Options options_;
  // Most daemons never see a death: then nothing else is looked at.
  std::atomic<bool> any_ = false;
  mutable absl::Mutex mutex_;
  Entries entries_ ABSL_GUARDED_BY(mutex_);
  std::unordered_map<std::string, Entries::iterator> by_key_ ABSL_GUARDED_BY(mutex_);
  // Deaths of keys that are not quarantined yet, the last first.
  std::list<std::pair<std::string, uint32_t>> suspects_ ABSL_GUARDED_BY(mutex_);
  uint64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t refusals_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t write_errors_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace kiln::quarantine

#endif  // KILN_SERVER_QUARANTINE_QUARANTINE_H_
