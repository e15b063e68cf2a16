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
// are dropped when they are read. So are those that died at a limit which has been raised since:
// nobody knows whether they would now. Any crash may have been for want of memory (a stack that was
// full, an allocation that a library did not check).
//
// Where nothing is quarantined or suspected, Refuse and Absolve are a load each. The mutex is never
// held while a file is written: changes are listed under it, in order, and whoever made one writes
// what is listed, one thread at a time. AddDeath and Clear return when theirs is on disk; only
// those wait for it.
//
// Sources are other people's. They are in the directory only, which the daemon's user and root may
// read, and leave the daemon by no other way: memory has them until they are written, and a daemon
// without a directory keeps none.
//
// With a directory each entry is a file in it (entry_files.h): it survives a restart. A file that
// does not parse, has another name than its key or is of an older daemon is removed and counted in
// `dropped`. Before each change and with each Follow it is looked whether the directory is the one
// that was opened; where it is another (it was removed, exchanged, or not to be used at first),
// what is there is read, and all that memory holds is written to it. What could not be written is
// tried again with each Follow. Until then it lives as long as the process: `write_errors` counts
// each once, `unwritten` says how many, `trouble` why. A source that was in a file only is lost
// with it; its key stays refused.
#ifndef KILN_SERVER_QUARANTINE_QUARANTINE_H_
#define KILN_SERVER_QUARANTINE_QUARANTINE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "proto/admin.pb.h"
#include "server/key/sha256.h"
#include "server/quarantine/entry_files.h"

namespace kiln::quarantine {

struct Options {
  uint32_t deaths = 3;  // 0: nothing is quarantined
  size_t max_entries = 1024;
  uint64_t max_bytes = uint64_t{64} << 20;
  std::string directory;  // absolute; empty: memory only
  // The compiler that a target (empty: of translations) has now, as in QuarantineEntry.compiler.
  std::function<std::string(const std::string& target)> compiler;
  // Those of jobs now, all of them. Memory 0: without limit.
  kiln::v1alpha::QuarantineEntry::Limits limits;
  // For logs; without any lock held, from the thread that caused it. May be null.
  std::function<void(const kiln::v1alpha::QuarantineEntry& entry)> on_quarantined;
  std::function<void(uint32_t entries)> on_cleared;
  // Between Follows of a thread of its own; zero: whoever wants it calls it.
  absl::Duration follow_interval;
  // For tests: called before a file is touched.
  std::function<void()> before_write;
};

class Quarantine {
 public:
  // Reads the directory, where there is one.
  explicit Quarantine(Options options);

  // Thread-safe, all. The answer to a request for `key`, which is refused; nothing: go on.
  std::optional<kiln::v1alpha::TargetResult> Refuse(const cache::Digest& key);
  // A worker died of `key`; `death` says of which target and how (status, cause, message,
  // last_pass). `request` is called where the source is to be kept. Waits for the disk then.
  void AddDeath(const cache::Digest& key, kiln::v1alpha::QuarantineEntry death,
                const std::function<kiln::v1alpha::CompileRequest()>& request);
  // It compiled after all.
  void Absolve(const cache::Digest& key);

  kiln::v1alpha::QuarantineList List() const;
  // With the file that has its source, where there is one.
  std::optional<kiln::v1alpha::QuarantineEntry> Show(const std::string& key) const;
  struct Cleared {
    uint32_t entries = 0;           // how many there were of them: none of them is refused now
    std::vector<std::string> left;  // keys whose file is there still: a restart brings them back
  };
  // Wait for the disk.
  Cleared Clear(const std::vector<std::string>& keys);
  Cleared ClearAll();

  // Where the directory is another one, or was full: reads and writes. Waits for the disk.
  void Follow() ABSL_LOCKS_EXCLUDED(mutex_, writing_);

  // Entries dropped when the directory was read, by why.
  struct Dropped {
    uint64_t damaged = 0;
    uint64_t format = 0;    // of an older or newer daemon
    uint64_t compiler = 0;  // of another version of the compiler
    uint64_t limits = 0;    // a limit that they died at has been raised
  };
  struct Usage {
    size_t entries = 0;
    uint64_t bytes = 0;  // of sources
    uint64_t refusals = 0;
    uint64_t write_errors = 0;
    Dropped dropped;
    size_t unwritten = 0;  // entries that are in memory only, though there should be a directory
    std::string trouble;   // why, or why what is there could not be read; empty: all is well
  };
  Usage usage() const;
  // Nothing is quarantined or suspected: the mutex is not taken for a compile.
  bool idle() const { return !refuses_ && !suspects_any_; }

 private:
  using Entry = kiln::v1alpha::QuarantineEntry;
  using Source = std::shared_ptr<const kiln::v1alpha::CompileRequest>;
  struct Held {
    Entry entry;    // without its request; the size of that, as it is in its file or `source`
    Source source;  // while it is not written yet
    uint64_t version = 0;
    bool written = false;  // its file has this version
  };
  using Entries = std::list<Held>;  // the last first
  // Dies, and not yet quarantined.
  struct Suspect {
    std::string key;
    uint32_t deaths = 0;
    Entry::Limits limits;
  };
  // What is to be done to the directory.
  struct Change {
    Held held;
    bool remove = false;
    bool again = false;                        // it failed before
    std::vector<std::string>* left = nullptr;  // where to say that it could not be removed
  };

  // What is in a directory that was not open before, together with what is held.
  void Load() ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_) ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<Entry> ReadFiles(Dropped* dropped, std::set<std::string>* unread)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_);
  void Merge(std::vector<Entry> found, const std::set<std::string>& unread)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Where an entry that was read is to be dropped, the counter for that.
  uint64_t* ReasonToDrop(const std::optional<Entry>& entry, Dropped* dropped) const;
  // Counts a death; true: it is one too many.
  bool CountDeath(const std::string& key, Entry* death) ABSL_LOCKS_EXCLUDED(mutex_);
  void Insert(Entry entry, Source source) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void KeepBounds() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // From memory; the file stays.
  void Forget(Entries::iterator held) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Remove(Entries::iterator held, std::vector<std::string>* left = nullptr)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // It is to be written.
  void Note(Held* held) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropSource(Held* held) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // After every change: what Refuse and Absolve look at first.
  void Publish() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns when everything that was listed before is written, or could not be.
  void Flush() ABSL_LOCKS_EXCLUDED(mutex_, writing_);
  size_t CountUnwritten() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What becomes of its entry when a change is written, or could not be.
  void Settle(const Change& change, bool done) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Perform(const Change& change) ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_);

  const Options options_;
  // Most daemons never see a death.
  std::atomic<bool> refuses_ = false;
  std::atomic<bool> suspects_any_ = false;

  absl::Mutex writing_ ABSL_ACQUIRED_BEFORE(mutex_);
  EntryFiles files_ ABSL_GUARDED_BY(writing_);

  mutable absl::Mutex mutex_;
  Entries entries_ ABSL_GUARDED_BY(mutex_);
  std::unordered_map<std::string, Entries::iterator> by_key_ ABSL_GUARDED_BY(mutex_);
  std::list<Suspect> suspects_ ABSL_GUARDED_BY(mutex_);  // the last first
  std::vector<Change> changes_ ABSL_GUARDED_BY(mutex_);
  uint64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t refusals_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t write_errors_ ABSL_GUARDED_BY(mutex_) = 0;
  Dropped dropped_ ABSL_GUARDED_BY(mutex_);
  uint64_t versions_ ABSL_GUARDED_BY(mutex_) = 0;
  std::string trouble_ ABSL_GUARDED_BY(mutex_);

  std::jthread follower_;  // the last: it ends first
};

}  // namespace kiln::quarantine

#endif  // KILN_SERVER_QUARANTINE_QUARANTINE_H_
