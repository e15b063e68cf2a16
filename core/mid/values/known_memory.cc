#include "core/mid/values/known_memory.h"

#include <algorithm>
#include <utility>

namespace kiln::mid {
namespace {

bool ReadOnly(const Access& access) { return access.space == Space::kReadOnly; }

}  // namespace

void KnownMemory::Learn(const Access& access, int n, mir::ValueId v) {
  if (places_.size() == kMaxPlaces) places_.erase(places_.begin());
  places_.push_back({ElementOf(access, n), v, next_serial_++});
}

mir::ValueId KnownMemory::Find(const mir::Module& m, const Access& access, int n,
                               mir::Type type) const {
  const Access wanted = ElementOf(access, n);
  for (auto p = places_.rbegin(); p != places_.rend(); ++p) {
    if (SamePlace(p->access, wanted) && m.value(p->value).type == type) return p->value;
  }
  return mir::ValueId();
}

void KnownMemory::Overwrite(const Access& access) {
  std::erase_if(
      places_, [&](const Place& p) { return !ReadOnly(p.access) && MayOverlap(p.access, access); });
}

void KnownMemory::Forget(MemorySet memories) {
  std::erase_if(places_, [&](const Place& p) { return (MemorySetOf(p.access) & memories) != 0; });
}

void KnownMemory::ForgetCoherent() {
  std::erase_if(places_, [](const Place& p) { return p.access.is_coherent; });
}

void KnownMemory::Meet(const KnownMemory& other) {
  auto at = other.places_.begin();
  std::erase_if(places_, [&](const Place& p) {
    while (at != other.places_.end() && at->serial < p.serial) ++at;
    return at == other.places_.end() || at->serial != p.serial;
  });
}

void KnownMemory::Restrict(const KnownMemory& state) {
  const uint64_t newest = state.Newest();
  std::erase_if(places_, [&](const Place& p) { return p.serial > newest; });
}

}  // namespace kiln::mid
