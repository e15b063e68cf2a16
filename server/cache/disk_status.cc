// Names states, causes and events: see disk_status.h.
#include "server/cache/disk_status.h"

#include <cerrno>

namespace kiln::cache {

std::string_view Name(DiskState state) {
  switch (state) {
    case DiskState::kServing: return "serving";
    case DiskState::kDegraded: return "degraded";
    case DiskState::kUnavailable: return "unavailable";
  }
  return "";
}

std::string_view Name(DiskCause cause) {
  switch (cause) {
    case DiskCause::kNone: return "none";
    case DiskCause::kFull: return "full";
    case DiskCause::kReadOnly: return "read_only";
    case DiskCause::kNotPermitted: return "not_permitted";
    case DiskCause::kNotADirectory: return "not_a_directory";
    case DiskCause::kNotOurs: return "not_ours";
    case DiskCause::kOpenToOthers: return "open_to_others";
    case DiskCause::kInUse: return "in_use";
    case DiskCause::kDamaged: return "damaged";
    case DiskCause::kInputOutput: return "input_output";
  }
  return "";
}

std::string_view Name(DiskEvent::Kind kind) {
  switch (kind) {
    case DiskEvent::Kind::kFailing: return "failing";
    case DiskEvent::Kind::kRecovered: return "recovered";
    case DiskEvent::Kind::kDamaged: return "damaged";
    case DiskEvent::Kind::kRepaired: return "repaired";
    case DiskEvent::Kind::kLost: return "lost";
    case DiskEvent::Kind::kDropped: return "dropped";
    case DiskEvent::Kind::kOldLayoutDropped: return "old_layout_dropped";
  }
  return "";
}

std::string Describe(const DiskStatus& status) {
  std::string text(Name(status.state));
  if (status.cause != DiskCause::kNone) text.append(" (").append(Name(status.cause)).append(")");
  if (!status.detail.empty()) text.append(": ").append(status.detail);
  return text;
}

DiskCause CauseOfErrno(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return DiskCause::kFull;
    case EROFS: return DiskCause::kReadOnly;
    case EACCES:
    case EPERM: return DiskCause::kNotPermitted;
    case ENOTDIR:
    case EEXIST:
    case EISDIR:
    case ENOENT:
    case ELOOP: return DiskCause::kNotADirectory;
    default: return DiskCause::kInputOutput;
  }
}

}  // namespace kiln::cache
