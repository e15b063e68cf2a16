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

void Caches::Empty(Cache& cache, uint64_t oldest) {
  cache.lines.clear();
  cache.emptied = history_.now();
  cache.oldest = oldest;
}

LineCopy Caches::CopyOf(const Cache& cache, uint64_t line, uint64_t time) {
  const auto stored = cache.stored.find(line);
  return {time, stored != cache.stored.end() ? &stored->second : nullptr};
}

// Bytes that were stored through `from` not after a time are in a copy made from it since then.
void Caches::TakeStored(const Cache& from, uint64_t line, uint64_t until, Cache& to) {
  const auto stored = from.stored.find(line);
  if (stored == from.stored.end()) return;
  ByteTimes& bytes = to.stored.try_emplace(line).first->second;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (stored->second[i] <= until) bytes[i] = std::max(bytes[i], stored->second[i]);
  }
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
    at->second = Between(cache.oldest, history_.now());
  }
  return at->second = std::max(at->second, history_.oldest());
}

uint64_t Caches::FromOwn(Cache& own, uint32_t cu, uint64_t line, bool past_array) {
  uint64_t& found = own.found[line];
  const auto at = own.lines.find(line);
  if (at != own.lines.end() && Stays()) {
    return found = at->second = std::max(at->second, history_.oldest());
  }
  Cache& array = arrays_[ArrayOf(cu)];
  if (at == own.lines.end() && kCopiesMayBeOthers && Stays()) {
    // Another's copy, made through the array's cache, which since then has at least that.
    const auto above = array.lines.find(line);
    const uint64_t first = std::max(own.oldest, found);
    const uint64_t last = above != array.lines.end() ? above->second : history_.now();
    if (first <= last) {
      const uint64_t time = Between(first, last);
      if (above == array.lines.end()) array.lines[line] = std::max(time, array.oldest);
      TakeStored(array, line, own.emptied, own);
      return found = own.lines[line] = time;
    }
  }
  const uint64_t time = past_array ? history_.now() : FromArray(cu, line);
  if (!past_array) TakeStored(array, line, history_.now(), own);
  return own.lines[line] = found = std::max(found, time);
}

LineCopy Caches::Load(uint32_t cu, bool scalar, uint64_t line, Nearest nearest) {
  Cache& own = scalar ? scalar_[WgpOf(cu)] : vector_[cu];
  Cache& array = arrays_[ArrayOf(cu)];
  switch (nearest) {
    case Nearest::kOwn: return CopyOf(own, line, FromOwn(own, cu, line, false));
    case Nearest::kOwnElseL2: return CopyOf(own, line, FromOwn(own, cu, line, true));
    case Nearest::kArray:
    case Nearest::kL2: break;
  }
  const bool of_array = nearest == Nearest::kArray;
  const uint64_t time = of_array ? FromArray(cu, line) : history_.now();
  // No source says whether the copies that it passes by become new.
  const auto at = own.lines.find(line);
  if (at != own.lines.end() && random_.Draw(2) == 0) {
    at->second = std::max(at->second, time);
    if (of_array) TakeStored(array, line, history_.now(), own);
  }
  return of_array ? CopyOf(array, line, time) : LineCopy{time};
}

void Caches::Change(uint32_t cu, uint64_t line, uint64_t first, uint64_t bytes) {
  for (Cache* cache : {&vector_[cu], &arrays_[ArrayOf(cu)]}) {
    ByteTimes& stored = cache->stored.try_emplace(line).first->second;
    std::fill_n(stored.begin() + static_cast<ptrdiff_t>(first), bytes, history_.now());
  }
}

}  // namespace kiln::sim::rdna2
