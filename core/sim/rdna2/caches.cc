// See caches.h.
#include "core/sim/rdna2/caches.h"

#include <algorithm>

namespace kiln::sim::rdna2 {

// In half of the runs every copy stays as old as it can be, so that one run shows most of what
// depends on new ones.
Caches::Caches(Splitmix& random, const scene::MemoryHistory& history)
    : random_(random),
      history_(history),
      staleness_(1 + (random.Draw(2) == 0 ? 0 : random.Draw(4))) {}

void Caches::Empty(Cache& cache) {
  cache.lines.clear();
  cache.emptied = history_.now();
}

bool Caches::Stays() { return random_.Draw(staleness_) == 0; }

// Returns a time: the first one, or any.
uint64_t Caches::Between(uint64_t first, uint64_t last) {
  first = std::max(first, history_.oldest());
  if (first >= last) return last;
  if (random_.Draw(2) == 0) return first;
  const uint64_t span = std::min<uint64_t>(last - first, 0xffffffffu);
  return first + random_.Draw(static_cast<uint32_t>(span));
}

uint64_t Caches::FromArray(uint32_t cu, uint64_t line) {
  Cache& cache = arrays_[ArrayOf(cu)];
  const auto [at, absent] = cache.lines.try_emplace(line, history_.now());
  if (!absent && !Stays()) at->second = history_.now();
  if (absent && kCopiesMayBeOthers && Stays()) {
    at->second = Between(cache.emptied, history_.now());
  }
  return at->second = std::max(at->second, history_.oldest());
}

uint64_t Caches::FromOwn(Cache& own, uint32_t cu, uint64_t line, bool past_array) {
  const auto at = own.lines.find(line);
  if (at != own.lines.end() && Stays()) {
    return at->second = std::max(at->second, history_.oldest());
  }
  uint64_t time = at != own.lines.end() ? at->second : 0;
  Cache& array = arrays_[ArrayOf(cu)];
  if (at == own.lines.end() && kCopiesMayBeOthers && Stays()) {
    // Another's copy, made through the array's cache, which since then has at least that.
    const auto above = array.lines.find(line);
    const uint64_t last = above != array.lines.end() ? above->second : history_.now();
    if (own.emptied <= last) {
      time = Between(own.emptied, last);
      if (above == array.lines.end()) array.lines[line] = std::max(time, array.emptied);
      return own.lines[line] = time;
    }
  }
  time = std::max(time, past_array ? history_.now() : FromArray(cu, line));
  return own.lines[line] = time;
}

uint64_t Caches::Load(uint32_t cu, bool scalar, uint64_t line, Nearest nearest) {
  Cache& own = scalar ? scalar_[WgpOf(cu)] : vector_[cu];
  uint64_t time = 0;
  switch (nearest) {
    case Nearest::kOwn: return FromOwn(own, cu, line, false);
    case Nearest::kOwnElseL2: return FromOwn(own, cu, line, true);
    case Nearest::kArray: time = FromArray(cu, line); break;
    case Nearest::kL2: time = history_.now(); break;
  }
  // No source says whether the copies that it passes by become new.
  const auto at = own.lines.find(line);
  if (at != own.lines.end() && random_.Draw(2) == 0) at->second = std::max(at->second, time);
  return time;
}

void Caches::Change(uint32_t cu, uint64_t line) {
  vector_[cu].lines[line] = history_.now();
  arrays_[ArrayOf(cu)].lines[line] = history_.now();
}

}  // namespace kiln::sim::rdna2
