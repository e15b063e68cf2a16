// Holds refusals back for a while: see refusal_queue.h.
#include "server/engine/refusal_queue.h"

#include <algorithm>
#include <utility>

namespace kiln::server {

bool RefusalQueue::Hold(const std::string& address, const void* caller, absl::Duration longest,
                        absl::Duration now, Tell* tell) {
  const absl::Duration each = absl::Seconds(1) / kPerSecond;
  const absl::Duration ahead = each * kBurst;
  absl::Duration& paid_until = paid_until_[address];
  paid_until = std::max(paid_until, now) + each;
  // Capped: all refusals beyond that wait kLongest, and a longer flood adds no debt.
  paid_until = std::min(paid_until, now + ahead + kLongest);
  const absl::Duration turn = std::min(paid_until - ahead, now + std::min(longest, kLongest));
  if (paid_until_.size() > sweep_at_) {
    std::erase_if(paid_until_, [now](const auto& address) { return address.second <= now; });
    sweep_at_ = paid_until_.size() + kMaxPaid;
  }
  if (turn <= now) return false;
  by_caller_.emplace(caller, held_.emplace(turn, Held{caller, std::move(*tell)}));
  return true;
}

std::vector<RefusalQueue::Tell> RefusalQueue::Due(absl::Duration now) {
  std::vector<Tell> due;
  while (!held_.empty() && (held_.begin()->first <= now || held_.size() > kMaxHeld)) {
    due.push_back(TakeOut(held_.begin()));
  }
  return due;
}

std::optional<absl::Duration> RefusalQueue::NextDue() const {
  if (held_.empty()) return std::nullopt;
  return held_.size() > kMaxHeld ? -absl::InfiniteDuration() : held_.begin()->first;
}

std::vector<RefusalQueue::Tell> RefusalQueue::Next(size_t count) {
  std::vector<Tell> next;
  while (next.size() < count && !held_.empty()) next.push_back(TakeOut(held_.begin()));
  return next;
}

std::vector<RefusalQueue::Tell> RefusalQueue::Leave(const void* caller) {
  std::vector<Tell> own;
  for (auto it = by_caller_.find(caller); it != by_caller_.end(); it = by_caller_.find(caller)) {
    own.push_back(TakeOut(it->second));
  }
  return own;
}

RefusalQueue::Tell RefusalQueue::TakeOut(ByTurn::iterator it) {
  auto [begin, end] = by_caller_.equal_range(it->second.caller);
  by_caller_.erase(std::find_if(begin, end, [&](const auto& entry) { return entry.second == it; }));
  Tell tell = std::move(it->second.tell);
  held_.erase(it);
  return tell;
}

}  // namespace kiln::server
