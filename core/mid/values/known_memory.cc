#include "core/mid/values/known_memory.h"

#include <algorithm>
#include <utility>

namespace kiln::mid {
namespace {

bool ReadOnly(const Access& access) { return access.space == Space::kReadOnly; }

}  // namespace

void KnownMemory::Learn(const Access& access, int n, mir::ValueId v) {
  if (entries_.size() == kMaxEntries) entries_.erase(entries_.begin());
  entries_.push_back({ElementOf(access, n), v, next_serial_++});
}

mir::ValueId KnownMemory::Find(const mir::Module& m, const Access& access, int n,
                               mir::Type type) const {
  const Access wanted = ElementOf(access, n);
  for (auto p = entries_.rbegin(); p != entries_.rend(); ++p) {
    if (SamePlace(p->access, wanted) && m.value(p->value).type == type) return p->value;
  }
  return mir::ValueId();
}

void KnownMemory::Overwrite(const Access& access) {
  std::erase_if(entries_, [&](const Entry& p) {
    return !ReadOnly(p.access) && MayOverlap(p.access, access);
  });
}

void KnownMemory::Forget(MemorySet memories) {
  std::erase_if(entries_, [&](const Entry& p) { return (MemorySetOf(p.access) & memories) != 0; });
}

void KnownMemory::ForgetCoherent() {
  std::erase_if(entries_, [](const Entry& p) { return p.access.is_coherent; });
}

void KnownMemory::Meet(const KnownMemory& other) {
  auto at = other.entries_.begin();
  std::erase_if(entries_, [&](const Entry& p) {
    while (at != other.entries_.end() && at->serial < p.serial) ++at;
    return at == other.entries_.end() || at->serial != p.serial;
  });
}

void KnownMemory::Restrict(const KnownMemory& state) {
  const uint64_t newest = state.Newest();
  std::erase_if(entries_, [&](const Entry& p) { return p.serial > newest; });
}

}  // namespace kiln::mid
