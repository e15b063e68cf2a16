// The disk tier's health: see disk_health.h.
#include "server/cache/disk_health.h"

namespace kiln::cache {

void DiskHealth::Fail(DiskCause cause, std::string detail) {
  DiskEvent event;
  event.kind = DiskEvent::Kind::kFailing;
  event.cause = cause;
  event.detail = detail;
  {
    absl::MutexLock lock(&mutex_);
    if (failing_ == cause) return;
    if (failing_ == DiskCause::kNone) ++failures_;
    failing_ = cause;
    detail_ = std::move(detail);
  }
  Tell(event);
}

void DiskHealth::Recover() {
  {
    absl::MutexLock lock(&mutex_);
    if (failing_ == DiskCause::kNone) return;
    failing_ = DiskCause::kNone;
    detail_.clear();
    ++recoveries_;
  }
  DiskEvent event;
  event.kind = DiskEvent::Kind::kRecovered;
  Tell(event);
}

void DiskHealth::SetAway(DiskCause cause, std::string detail) {
  absl::MutexLock lock(&mutex_);
  away_ = cause;
  away_detail_ = std::move(detail);
}

void DiskHealth::Tell(const DiskEvent& event) {
  if (observer_ == nullptr) return;
  absl::MutexLock lock(&observer_mutex_);
  observer_(event);
}

bool DiskHealth::failing() const {
  absl::MutexLock lock(&mutex_);
  return failing_ != DiskCause::kNone;
}

bool DiskHealth::whole() const {
  absl::MutexLock lock(&mutex_);
  return failing_ == DiskCause::kNone && away_ == DiskCause::kNone;
}

absl::Status DiskHealth::Failure() const {
  absl::MutexLock lock(&mutex_);
  return failing_ == DiskCause::kNone ? absl::OkStatus() : absl::UnavailableError(detail_);
}

DiskStatus DiskHealth::status(bool has_generations) const {
  absl::MutexLock lock(&mutex_);
  if (failing_ != DiskCause::kNone) {
    return {has_generations ? DiskState::kDegraded : DiskState::kUnavailable, failing_, detail_};
  }
  if (away_ != DiskCause::kNone) return {DiskState::kDegraded, away_, away_detail_};
  return {};
}

uint64_t DiskHealth::failures() const {
  absl::MutexLock lock(&mutex_);
  return failures_;
}

uint64_t DiskHealth::recoveries() const {
  absl::MutexLock lock(&mutex_);
  return recoveries_;
}

}  // namespace kiln::cache
