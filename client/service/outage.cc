// Shared knowledge of a service's absence: see outage.h.
#include "client/service/outage.h"

namespace kiln::client {

void Outage::Answered() {
  absl::MutexLock lock(&mutex_);
  since_.reset();
  reached_ = false;
}

void Outage::Reached() {
  absl::MutexLock lock(&mutex_);
  reached_ = true;
}

absl::Time Outage::Failed(bool sheds, const std::string& why, absl::Time now) {
  absl::MutexLock lock(&mutex_);
  if (!since_.has_value()) since_ = now;
  reached_ = false;
  sheds_ = sheds;
  why_ = why;
  return *since_;
}

std::optional<Away> Outage::away(absl::Time now) const {
  absl::MutexLock lock(&mutex_);
  if (!since_.has_value() || reached_) return std::nullopt;
  return Away{now - *since_, patience_, sheds_, why_};
}

}  // namespace kiln::client
