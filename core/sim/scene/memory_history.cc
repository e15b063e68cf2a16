// See memory_history.h.
#include "core/sim/scene/memory_history.h"

namespace kiln::sim::scene {

void MemoryHistory::Change(uint64_t name, absl::Span<const uint8_t> before) {
  ++now_;
  ForEachLine(name, before.size(), [&](uint64_t line, uint64_t offset, uint64_t part) {
    const uint8_t* const from = before.data() + offset;
    lines_[line].push_back({now_, name + offset, {from, from + part}});
    order_.emplace_back(now_, line);
  });
  while (!order_.empty() && order_.front().first + most_ <= now_) {
    const auto [time, line] = order_.front();
    order_.pop_front();
    oldest_ = time;
    const auto pieces = lines_.find(line);
    pieces->second.pop_front();
    if (pieces->second.empty()) lines_.erase(pieces);
  }
}

void MemoryHistory::Restore(uint64_t name, uint64_t time, absl::Span<uint8_t> bytes) const {
  ForEachLine(name, bytes.size(), [&](uint64_t line, uint64_t offset, uint64_t part) {
    const auto changes = lines_.find(line);
    if (changes == lines_.end()) return;
    const uint64_t first = name + offset, end = first + part;
    for (auto c = changes->second.rbegin(); c != changes->second.rend() && c->time > time; ++c) {
      const uint64_t from = std::max(first, c->name);
      const uint64_t to = std::min<uint64_t>(end, c->name + c->before.size());
      for (uint64_t b = from; b < to; ++b) bytes[b - name] = c->before[b - c->name];
    }
  });
}

void MemoryHistory::Forget() {
  lines_.clear();
  order_.clear();
  oldest_ = now_;
}

}  // namespace kiln::sim::scene
