#include "core/front/state/slots.h"

#include <algorithm>

namespace kiln::front {

Slots::Writes Slots::UndoTo(size_t mark) {
  Writes writes;
  writes.reserve(log_.size() - mark);
  BeginList();
  for (size_t i = log_.size(); i > mark; --i) {
    const uint32_t slot = log_[i - 1].first;
    if (IsNew(slot)) writes.push_back({slot, current_[slot]});
  }
  for (size_t i = log_.size(); i > mark; --i) current_[log_[i - 1].first] = log_[i - 1].second;
  log_.resize(mark);
  std::sort(writes.begin(), writes.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return writes;
}

}  // namespace kiln::front
