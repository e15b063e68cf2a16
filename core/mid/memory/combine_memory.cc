#include "core/mid/memory/combine_memory.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/mid/analysis/alias.h"
#include "core/mid/analysis/divergence.h"
#include "core/mir/build.h"
#include "core/mir/rewrite.h"

namespace kiln::mid {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::Type;
using mir::ValueId;

constexpr size_t kMaxOpen = 16;
constexpr size_t kMaxSpan = 96;

bool IsLoad(Op op) {
  return op == Op::kLoadSsbo || op == Op::kLoadUbo || op == Op::kLoadShared ||
         op == Op::kLoadConstant || op == Op::kLoadGlobal;
}
bool IsStore(Op op) {
  return op == Op::kStoreSsbo || op == Op::kStoreShared || op == Op::kStoreGlobal;
}
// An access and its position in the list.
struct Member {
  InstId inst;
  size_t position = 0;
  Access access;
};

// Accesses that may be combined with each other: same op, memory, flags, base and size of elements.
struct Group {
  uint16_t flags;
  std::vector<Member> members;
  // For a group of loads: the writes since its first member, across which a new member moves up.
  std::vector<Access> crossed;

  const Access& access() const { return members.front().access; }
};

class Combiner {
 public:
  Combiner(Module& module, const Features::Access& most, PassContext& context)
      : m_(module), most_(most), b_(module), replace_(module), context_(context) {}

  bool Run() {
    Visit(m_.body);
    replace_.Apply(m_);
    return changed_;
  }

 private:
  void Visit(mir::RegionId region) {
    const std::vector<InstId> list = m_.region(region).insts;
    loads_.clear();
    stores_.clear();
    before_.assign(list.size(), {});
    dropped_.assign(list.size(), false);
    combined_ = false;
    for (size_t i = 0; i < list.size(); ++i) VisitInst(list[i], i);
    CloseAll();
    if (combined_) Rebuild(region);
    for (InstId id : list) {
      for (int r = 0; r < m_.inst(id).num_regions; ++r) Visit(m_.inst(id).regions[r]);
    }
  }

  void Rebuild(mir::RegionId region) {
    size_t i = 0;
    mir::RewriteRegion(b_, region, [&](InstId) {
      for (InstId made : before_[i]) b_.Append(made);
      return !dropped_[i++];
    });
  }

  void VisitInst(InstId id, size_t position) {
    const Inst inst = m_.inst(id);  // a copy: instructions move when groups are finished
    const mir::OpInfo& info = mir::Info(inst.op);
    if (inst.num_regions != 0 || info.Has('E') || info.Has('T') ||
        (inst.flags & mir::kVolatile) != 0) {
      CloseAll();
      return;
    }
    const std::optional<Access> access = AccessOf(m_, id);
    if (!access.has_value() || access->space == Space::kPrivate) return;
    if (access->writes) {
      Close(loads_, *access);
      // A group that began further back takes no more members.
      for (Group& g : loads_) {
        if (position - g.members.front().position <= kMaxSpan) g.crossed.push_back(*access);
      }
    }
    if (access->space != Space::kReadOnly) Close(stores_, *access);
    const bool joins = access->bytes != 0 && access->bytes < std::max(most_.lane, most_.block) &&
                       (inst.flags & mir::kIndexed) == 0;
    if (joins && IsLoad(inst.op)) Join(loads_, {id, position, *access});
    if (joins && IsStore(inst.op)) Join(stores_, {id, position, *access});
  }

  // Finishes the groups with a member that the access may overlap.
  void Close(std::vector<Group>& groups, const Access& access) {
    size_t kept = 0;
    for (Group& g : groups) {
      if (MayTouch(g, access)) {
        Finish(g);
      } else {
        if (&groups[kept] != &g) groups[kept] = std::move(g);
        ++kept;
      }
    }
    groups.resize(kept);
  }

  static bool MayTouch(const Group& g, const Access& access) {
    if (g.access().space == Space::kReadOnly) return false;  // never written
    return std::any_of(g.members.begin(), g.members.end(),
                       [&](const Member& m) { return MayOverlap(m.access, access); });
  }

  static bool MayBeCrossed(const Group& g, const Member& member) {
    if (member.access.space == Space::kReadOnly) return false;
    return std::any_of(g.crossed.begin(), g.crossed.end(),
                       [&](const Access& write) { return MayOverlap(write, member.access); });
  }

  void Join(std::vector<Group>& groups, const Member& member) {
    const Inst inst = m_.inst(member.inst);
    for (Group& g : groups) {
      if (g.access().op != inst.op || g.access().memory != member.access.memory ||
          g.flags != inst.flags || g.access().base != member.access.base ||
          g.access().index != member.access.index ||
          g.access().element_bytes != member.access.element_bytes) {
        continue;
      }
      if (member.position - g.members.front().position > kMaxSpan || MayBeCrossed(g, member)) {
        Finish(g);
        g.members.clear();
        g.crossed.clear();
      }
      g.members.push_back(member);
      return;
    }
    if (groups.size() == kMaxOpen) {
      Finish(groups.front());
      groups.erase(groups.begin());
    }
    groups.push_back({inst.flags, {member}, {}});
  }

  void CloseAll() {
    for (Group& g : loads_) Finish(g);
    for (Group& g : stores_) Finish(g);
    loads_.clear();
    stores_.clear();
  }

  // Cuts a group into runs of consecutive elements and combines each.
  void Finish(Group& g) {
    std::vector<Member>& members = g.members;
    if (members.size() < 2) return;
    std::stable_sort(members.begin(), members.end(), [](const Member& a, const Member& b) {
      return a.access.offset < b.access.offset;
    });
    const bool may_be_block = most_.block != 0 && IsBlock(g);
    size_t begin = 0;
    while (begin < members.size()) {
      const bool block = may_be_block && BeginsBlock(members[begin]);
      uint32_t bytes = members[begin].access.bytes;
      size_t end = begin + 1;
      for (; end < members.size(); ++end) {
        const Access& next = members[end].access;
        const uint32_t at = next.offset - members[begin].access.offset;
        const bool follows = block ? at >= bytes && at % next.element_bytes == 0 : at == bytes;
        // Offsets below the base are the largest unsigned ones: a sum with them may wrap.
        const uint32_t most = block ? most_.block : most_.lane;
        if (!follows || at > most || at + next.bytes > most) break;
        bytes = at + next.bytes;
      }
      if (end - begin >= 2) {
        Combine(absl::MakeConstSpan(members).subspan(begin, end - begin),
                IsStore(members[0].access.op));
      }
      begin = end;
    }
  }

  // Returns true for loads at an offset that lanes share: one message reads a block for all of
  // them, with its gaps.
  bool IsBlock(const Group& g) {
    const Access& access = g.access();
    if (access.op != Op::kLoadSsbo && access.op != Op::kLoadUbo && access.op != Op::kLoadConstant &&
        access.op != Op::kLoadShared) {
      return false;
    }
    if (!access.base.valid()) {
      return access.space != Space::kReadOnly || most_.block_of_constants;
    }
    return divergence().Uniform(access.base);
  }

  // Blocks of shared memory must be aligned.
  bool BeginsBlock(const Member& member) const {
    return member.access.op != Op::kLoadShared || !member.access.base.valid() ||
           m_.inst(member.inst).imm1 >= most_.shared_block_alignment;
  }

  // The analysis is of the module before the pass. Few groups ask for it.
  const Divergence& divergence() {
    if (!divergence_) divergence_.emplace(m_, UniformFor::kOneRegister);
    return *divergence_;
  }

  void Combine(absl::Span<const Member> run, bool store) {
    if (!context_.Rewrite()) return;
    divergence();  // before the first change
    changed_ = combined_ = true;
    const auto by_position = [](const Member& a, const Member& b) {
      return a.position < b.position;
    };
    const Member& place = store ? *std::max_element(run.begin(), run.end(), by_position)
                                : *std::min_element(run.begin(), run.end(), by_position);
    // A copy: creating instructions moves the arrays.
    const Inst first = m_.inst(run[0].inst);
    b_.SetList(&before_[place.position]);
    b_.set_spirv_id(m_.inst(place.inst).spirv_id);
    b_.set_flags(first.flags);
    const bool global = run[0].access.space == Space::kGlobal;
    const mir::Builder::Address address = AddressAt(run[0], place);
    if (store) {
      std::vector<ValueId> values;
      for (const Member& a : run) {
        const absl::Span<const ValueId> sources = m_.sources(a.inst);
        values.insert(values.end(), sources.begin() + mir::FirstValueSource(m_.inst(a.inst)),
                      sources.end());
      }
      if (global) {
        b_.StoreGlobal(address, values, first.imm1);
      } else {
        b_.Store(first.op, first.imm0, address[0], values, first.imm1);
      }
    } else {
      const auto component = [&](const Member& a) {
        return (a.access.offset - run[0].access.offset) / a.access.element_bytes;
      };
      std::vector<Type> types;
      for (const Member& a : run) {
        types.resize(component(a), m_.value(m_.result(a.inst)).type);  // the gap before it
        for (int i = 0; i < a.access.elements(); ++i) {
          types.push_back(m_.value(m_.result(a.inst, i)).type);
        }
      }
      const InstId wide = global ? b_.LoadGlobal(address, types, first.imm1)
                                 : b_.Load(first.op, first.imm0, address[0], types, first.imm1);
      for (const Member& a : run) {
        for (int i = 0; i < a.access.elements(); ++i) {
          replace_.Replace(m_.result(a.inst, i),
                           m_.result(wide, static_cast<int>(component(a)) + i));
        }
      }
    }
    for (const Member& a : run) dropped_[a.position] = true;
  }

  // Returns the offset of the lowest access, or the halves of its address, as values defined before
  // the combined one. These are its own sources unless it comes later.
  mir::Builder::Address AddressAt(const Member& lowest, const Member& place) {
    const bool global = lowest.access.space == Space::kGlobal;
    if (lowest.position <= place.position) {
      return {m_.source(lowest.inst, 0), global ? m_.source(lowest.inst, 1) : ValueId()};
    }
    const Access& access = lowest.access;
    if (!access.base.valid()) return {b_.Int(access.offset), ValueId()};
    if (access.offset == 0) return {access.base, access.index};
    b_.set_flags(0);
    const ValueId offset = b_.Int(access.offset);
    mir::Builder::Address address = {b_.Iadd(access.base, offset), ValueId()};
    if (global) address[1] = b_.Iadd(access.index, b_.UaddCarry(access.base, offset));
    b_.set_flags(m_.inst(lowest.inst).flags);
    return address;
  }

  Module& m_;
  const Features::Access most_;
  mir::Builder b_;
  mir::Replacements replace_;
  PassContext& context_;
  std::optional<Divergence> divergence_;
  std::vector<Group> loads_, stores_;        // open at the current position
  std::vector<std::vector<InstId>> before_;  // new instructions, by position in the old list
  std::vector<bool> dropped_;                // by position in the old list
  bool combined_ = false;                    // something of the current region
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> CombineMemory(Module& module, const Features& features, PassContext& context) {
  return Combiner(module, features.access, context).Run();
}

}  // namespace kiln::mid
