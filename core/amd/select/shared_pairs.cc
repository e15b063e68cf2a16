#include "core/amd/select/shared_pairs.h"

#include <algorithm>
#include <optional>

#include "core/amd/select/addresses.h"
#include "core/mid/analysis/alias.h"

namespace kiln::amd {
namespace {

using mid::Access;
using mir::InstId;

constexpr size_t kMaxOpen = 16, kMaxSpan = 96;

// An access without a partner yet, and what it would cross on its way to one.
struct Open {
  InstId inst;
  size_t position;
  Access access;
  std::vector<Access> crossed;  // of loads: the writes behind it
};

class Finder {
 public:
  explicit Finder(const mir::Module& m) : m_(m), partners_(m.insts.size()) {}

  std::vector<InstId> Run() {
    if (m_.shared_bytes != 0) Visit(m_.body);
    return std::move(partners_);
  }

 private:
  void Visit(mir::RegionId region) {
    open_.clear();
    const std::vector<InstId>& list = m_.region(region).insts;
    for (size_t i = 0; i < list.size(); ++i) VisitInst(list[i], i);
    for (const InstId id : list) {
      for (int r = 0; r < m_.inst(id).num_regions; ++r) Visit(m_.inst(id).regions[r]);
    }
  }

  void VisitInst(InstId id, size_t position) {
    const mir::Inst& inst = m_.inst(id);
    const mir::OpInfo& info = mir::Info(inst.op);
    if (inst.num_regions != 0 || info.Has('E') || info.Has('T') ||
        (inst.flags & mir::kVolatile) != 0) {
      open_.clear();
      return;
    }
    const std::optional<Access> access = mid::AccessOf(m_, id);
    if (!access || access->space != mid::Space::kShared) return;
    std::erase_if(open_, [&](const Open& o) {
      return position - o.position > kMaxSpan ||
             (o.access.writes && mid::MayOverlap(o.access, *access));
    });
    if (access->writes) {
      for (Open& o : open_) {
        if (!o.access.writes) o.crossed.push_back(*access);
      }
    }
    if (Unit(id, *access) != 0) Pair(id, position, *access);
  }

  // Returns the bytes of an access that may be one of two, else 0.
  uint32_t Unit(InstId id, const Access& access) const {
    if (!access.plain() || (access.bytes != 4 && access.bytes != 8)) return 0;
    return AlignmentOf(m_, id) >= access.bytes ? access.bytes : 0;
  }

  void Pair(InstId id, size_t position, const Access& access) {
    for (size_t i = 0; i < open_.size(); ++i) {
      const Open& o = open_[i];
      if (o.access.writes != access.writes || o.access.bytes != access.bytes ||
          o.access.base != access.base ||
          !TwoOffsetsOf(o.access.offset, access.offset, access.bytes) ||
          std::any_of(o.crossed.begin(), o.crossed.end(),
                      [&](const Access& write) { return mid::MayOverlap(write, access); })) {
        continue;
      }
      partners_[id.index] = o.inst;
      partners_[o.inst.index] = id;
      open_.erase(open_.begin() + static_cast<long>(i));
      return;
    }
    if (open_.size() == kMaxOpen) open_.erase(open_.begin());
    open_.push_back({id, position, access, {}});
  }

  const mir::Module& m_;
  std::vector<InstId> partners_;
  std::vector<Open> open_;
};

}  // namespace

// Where the offsets themselves do not fit, the lower one is rounded down, so that several pairs
// have one sum in common.
std::optional<TwoOffsets> TwoOffsetsOf(uint32_t a, uint32_t b, uint32_t unit) {
  constexpr uint32_t kMaxOffset = 255, kRounded = 128;
  for (const uint32_t step : {unit, 64 * unit}) {
    if (a % step != 0 || b % step != 0 || std::max(a, b) / step > kMaxOffset) continue;
    return TwoOffsets{0, static_cast<uint8_t>(a / step), static_cast<uint8_t>(b / step),
                      step != unit};
  }
  const bool ascending = static_cast<int32_t>(b - a) >= 0;
  const uint32_t low = ascending ? a : b;
  const uint32_t distance = ascending ? b - a : a - b;
  const auto of = [&](uint32_t added, uint32_t step) {
    return TwoOffsets{added, static_cast<uint8_t>((a - added) / step),
                      static_cast<uint8_t>((b - added) / step), step != unit};
  };
  if (distance % unit != 0) return std::nullopt;
  if (distance < kRounded * unit) return of(low - low / unit % kRounded * unit, unit);
  if (distance / unit <= kMaxOffset) return of(low, unit);
  if (distance % (64 * unit) == 0 && distance / (64 * unit) <= kMaxOffset)
    return of(low, 64 * unit);
  return std::nullopt;
}

std::vector<mir::InstId> FindSharedPairs(const mir::Module& m) { return Finder(m).Run(); }

}  // namespace kiln::amd
