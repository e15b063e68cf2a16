// Refuses shaders that have killed workers several times.
//
// Problem: a result that is a death is never cached, so a build farm that asks again and again for
// a shader that crashes the compiler costs a worker each time (and for a loop, a minute of it).
// After `deaths` deaths of the same key (which includes target, options and compiler version)
// requests for it are answered with how it died, without a worker. A compile that succeeds in
// between clears the suspicion: the shader was not to blame.
//
// Invariants: at most `max_entries` keys are quarantined and as many suspected; the ones that were
// asked for or died longest ago are dropped. Sources take at most `max_bytes`; the oldest entries
// lose theirs first and stay refused. An entry belongs to the compiler version that died: its key
// says so, and entries of other versions are dropped when they are read. So are entries that died
// at a limit which has been raised since, because they might now survive. Any crash may have been
// for lack of memory (a full stack, an allocation that a library did not check).
//
// While nothing is quarantined or suspected, Refuse and Absolve cost one load each. The mutex is
// never held while a file is written: changes are listed under it, in order, and the thread that
// made a change writes the list, one thread at a time. AddDeath and Clear return when their change
// is on disk; only their callers wait for it.
//
// Sources belong to clients. They are in the directory only, which the daemon's user and root can
// read, and leave the daemon in no other way: memory has them until they are written, and a daemon
// without a directory keeps none.
//
// With a directory each entry is a file in it (entry_files.h) and survives a restart. A file that
// does not parse, has another name than its key or is of an older daemon is removed and counted in
// `dropped`. Before each change, and with each Follow, the directory is compared with the one that
// was opened. If it is another one (it was removed, exchanged, or not usable at first), it is read,
// and all that memory holds is written to it. Writes that failed are tried again with each Follow.
// Until then such an entry lives as long as the process: `write_errors` counts each once,
// `unwritten` says how many there are, `trouble` why. A source that was only in a lost file is lost
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
#include "kiln/v1/admin.pb.h"
#include "server/key/sha256.h"
#include "server/quarantine/entry_files.h"

namespace kiln::quarantine {

struct Options {
  uint32_t deaths = 3;  // 0: nothing is quarantined
  size_t max_entries = 1024;
  uint64_t max_bytes = uint64_t{64} << 20;
  std::string directory;  // absolute; empty: memory only
  // Returns the present compiler of a target (empty: of translations), as in
  // QuarantineEntry.compiler.
  std::function<std::string(const std::string& target)> compiler;
  // The present limits of jobs, all of them. Memory 0: without limit.
  kiln::v1::QuarantineEntry::Limits limits;
  // For logs; called without any lock held, from the thread that caused it. May be null.
  std::function<void(const kiln::v1::QuarantineEntry& entry)> on_quarantined;
  std::function<void(uint32_t entries)> on_cleared;
  // Interval at which an own thread calls Follow; zero: no such thread.
  absl::Duration follow_interval;
  // For tests: called before a file is touched.
  std::function<void()> before_write;
};

class Quarantine {
 public:
  // Reads the directory, if there is one.
  explicit Quarantine(Options options);

  // All functions are thread-safe. Returns the answer to a request for `key`, which is refused;
  // nothing: `key` may be compiled.
  std::optional<kiln::v1::TargetResult> Refuse(const cache::Digest& key);
  // Counts a death of `key`; `death` says of which target and how (status, cause, message,
  // last_pass). Calls `request` if the source is to be kept; then waits for the disk.
  void AddDeath(const cache::Digest& key, kiln::v1::QuarantineEntry death,
                const std::function<kiln::v1::CompileRequest()>& request);
  // Clears the suspicion: `key` compiled after all.
  void Absolve(const cache::Digest& key);

  kiln::v1::QuarantineList List() const;
  // Returns the entry with the file that has its source, if there is one.
  std::optional<kiln::v1::QuarantineEntry> Show(const std::string& key) const;
  struct Cleared {
    uint32_t entries = 0;  // how many of the keys had an entry; none is refused now
    // Keys whose file could not be removed: a restart brings them back.
    std::vector<std::string> left;
  };
  // Both wait for the disk.
  Cleared Clear(const std::vector<std::string>& keys);
  Cleared ClearAll();

  // Reads and writes what is due if the directory is another one, or was full. Waits for the disk.
  void Follow() ABSL_LOCKS_EXCLUDED(mutex_, writing_);

  // Entries dropped when the directory was read, by reason.
  struct Dropped {
    uint64_t damaged = 0;
    uint64_t format = 0;    // written by an older or newer daemon
    uint64_t compiler = 0;  // made with another compiler version
    uint64_t limits = 0;    // a limit at which they died has been raised
  };
  struct Usage {
    size_t entries = 0;
    uint64_t bytes = 0;  // of sources
    uint64_t refusals = 0;
    uint64_t write_errors = 0;
    Dropped dropped;
    size_t unwritten = 0;  // entries in memory only, though a directory is set
    // Reason for that, or for files that could not be read; empty: all is well.
    std::string trouble;
  };
  Usage usage() const;
  // True if nothing is quarantined or suspected: a compile does not take the mutex.
  bool idle() const { return !refuses_ && !suspects_any_; }

 private:
  using Entry = kiln::v1::QuarantineEntry;
  using Source = std::shared_ptr<const kiln::v1::CompileRequest>;
  struct Held {
    Entry entry;    // without its request, but with the request's size, in its file or in `source`
    Source source;  // until it is written
    uint64_t version = 0;
    bool written = false;  // its file has this version
  };
  using Entries = std::list<Held>;  // the last first
  // A key with deaths that is not quarantined yet.
  struct Suspect {
    std::string key;
    uint32_t deaths = 0;
    Entry::Limits limits;
  };
  // A change of the directory that is to be made.
  struct Change {
    Held held;
    bool remove = false;
    bool again = false;                        // it failed before
    std::vector<std::string>* left = nullptr;  // gets the keys whose file could not be removed
  };

  // Reads a directory that was not open before, and merges it with the entries in memory.
  void Load() ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_) ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<Entry> ReadFiles(Dropped* dropped, std::set<std::string>* unread)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_);
  void Merge(std::vector<Entry> found, const std::set<std::string>& unread)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns the counter of the reason to drop an entry that was read; null: it is kept.
  uint64_t* ReasonToDrop(const std::optional<Entry>& entry, Dropped* dropped) const;
  // Counts a death. Returns true if the key is to be quarantined.
  bool CountDeath(const std::string& key, Entry* death) ABSL_LOCKS_EXCLUDED(mutex_);
  void Insert(Entry entry, Source source) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void KeepBounds() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Removes it from memory; the file stays.
  void Forget(Entries::iterator held) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Remove(Entries::iterator held, std::vector<std::string>* left = nullptr)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Lists the entry to be written.
  void Note(Held* held) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropSource(Held* held) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Called after every change: sets the flags that Refuse and Absolve read first.
  void Publish() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns once all changes listed before are written or have failed.
  void Flush() ABSL_LOCKS_EXCLUDED(mutex_, writing_);
  size_t CountUnwritten() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Updates the entry of a change that was written or has failed.
  void Settle(const Change& change, bool done) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Perform(const Change& change) ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_);

  const Options options_;
  // Atomic flags, since most daemons never see a death.
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

  std::jthread follower_;  // declared last, so that it ends first
};

}  // namespace kiln::quarantine

#endif  // KILN_SERVER_QUARANTINE_QUARANTINE_H_
