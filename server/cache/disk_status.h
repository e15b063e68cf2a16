// The disk tier's state, and its events, for operators.
//
// The tier never ends its process and never stops answering; these tell what it cannot do. The
// state is for health and metrics; events are for logs, each reported once when it happens.
#ifndef KILN_SERVER_CACHE_DISK_STATUS_H_
#define KILN_SERVER_CACHE_DISK_STATUS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace kiln::cache {

enum class DiskState {
  kServing,      // reads and writes
  kDegraded,     // reads what it has; takes no records, or a part is away for repair
  kUnavailable,  // nothing can be used, as if there were no disk tier
};
inline constexpr DiskState kDiskStates[] = {DiskState::kServing, DiskState::kDegraded,
                                            DiskState::kUnavailable};

enum class DiskCause {
  kNone,
  kFull,           // no space, or a quota or a limit on file sizes
  kReadOnly,       // the file system is mounted read-only
  kNotPermitted,   // by its owner or mode
  kNotADirectory,  // another file has its name, or it cannot be made
  kNotOurs,        // it belongs to another user, or no kilnd made it (cache_directory.h)
  kOpenToOthers,   // others can write to it
  kInUse,          // another process took the directory while this one had lost it
  kDamaged,        // a generation waits for its repair
  kInputOutput,    // any other failure of the disk or of RocksDB
};
inline constexpr DiskCause kDiskCauses[] = {
    DiskCause::kFull,          DiskCause::kReadOnly, DiskCause::kNotPermitted,
    DiskCause::kNotADirectory, DiskCause::kNotOurs,  DiskCause::kOpenToOthers,
    DiskCause::kInUse,         DiskCause::kDamaged,  DiskCause::kInputOutput};

struct DiskStatus {
  DiskState state = DiskState::kServing;
  DiskCause cause = DiskCause::kNone;
  std::string detail;  // the system's or RocksDB's message, with the path
};

// Returns for example "serving" or "degraded (full): IO error: No space left on device ...".
std::string Describe(const DiskStatus& status);

struct DiskEvent {
  enum class Kind {
    kFailing,           // from serving to `cause`, or from one cause to another
    kRecovered,         // serving again
    kDamaged,           // a generation lost `records` (0: not known yet), or waits for its repair
    kRepaired,          // the generation is back without `records`
    kLost,              // no record of it could be saved: `records` (0: not known) are gone
    kDropped,           // the oldest was dropped for the bound or (`cause`) a full disk
    kOldLayoutDropped,  // a directory of an earlier version was found and removed: `bytes`
  };
  Kind kind = Kind::kFailing;
  DiskCause cause = DiskCause::kNone;
  uint64_t generation = 0;
  uint64_t records = 0;
  uint64_t bytes = 0;
  std::string detail;
};

// Called from any thread, one at a time; may not call the tier.
using DiskObserver = std::function<void(const DiskEvent& event)>;

// Labels of metrics: "serving", "full", "damaged", "old_layout_dropped".
std::string_view Name(DiskState state);
std::string_view Name(DiskCause cause);
std::string_view Name(DiskEvent::Kind kind);

// Returns the cause of a failed system call.
DiskCause CauseOfErrno(int error);

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_DISK_STATUS_H_
