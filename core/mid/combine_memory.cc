#include "core/mid/combine_memory.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/mir/build.h"

namespace kiln::mid {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::Type;
using mir::ValueId;

constexpr int kMaxDwords = 4;  // that one untyped message moves
constexpr size_t kMaxOpen = 16;
constexpr size_t kMaxSpan = 96;

bool IsLoad(Op op) {
  return op == Op::kLoadSsbo || op == Op::kLoadUbo || op == Op::kLoadShared ||
         op == Op::kLoadConstant;
}
bool IsStore(Op op) { return op == Op::kStoreSsbo || op == Op::kStoreShared; }
bool IsShared(Op op) {
  return op == Op::kLoadShared || op == Op::kStoreShared || op == Op::kSharedAtomic;
}

// An access and where it stands: base (invalid: none) + offset.
struct Access {
  InstId inst;
  size_t position = 0;
  ValueId base;
  uint32_t offset = 0;
  uint32_t dwords = 0;

  bool Overlaps(const Access& other) const {
    const uint32_t ahead = other.offset - offset;  // modulo 2^32, as addresses are
    return ahead < 4 * dwords || 0 - ahead < 4 * other.dwords;
  }
};

// Accesses that may be combined with each other: same op, memory, flags and base.
struct Group {
  Op op;
  uint32_t memory;
  uint8_t flags;
  ValueId base;
  std::vector<Access> members;
};

class Combiner {
 public:
  Combiner(Module& module, PassContext& context)
      : m_(module), b_(module), replace_(module), context_(context) {}

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
    for (size_t i = 0; i < list.size(); ++i) VisitInst(list[i], i);
    CloseAll();
    Rebuild(region, list);
    for (InstId id : list) {
      for (int r = 0; r < m_.inst(id).num_regions; ++r) Visit(m_.inst(id).regions[r]);
    }
  }

  void Rebuild(mir::RegionId region, const std::vector<InstId>& list) {
    std::vector<InstId> rebuilt;
    rebuilt.reserve(list.size());
    for (size_t i = 0; i < list.size(); ++i) {
      rebuilt.insert(rebuilt.end(), before_[i].begin(), before_[i].end());
      if (!dropped_[i]) rebuilt.push_back(list[i]);
    }
    m_.region(region).insts = std::move(rebuilt);
  }

  void VisitInst(InstId id, size_t position) {
    const Inst& inst = m_.inst(id);
    const mir::OpInfo& info = mir::Info(inst.op);
    if (inst.num_regions != 0 || info.Has('E') || info.Has('T') ||
        (inst.flags & mir::kVolatile) != 0) {
      CloseAll();
      return;
    }
    const bool reads = info.Has('R'), writes = info.Has('W');
    const bool combinable = IsLoad(inst.op) || IsStore(inst.op);
    if (!reads && !writes && !combinable) return;
    if (inst.op == Op::kLoadPrivate || inst.op == Op::kStorePrivate) return;
    const Access access = Locate(id, position);
    if (writes) Close(loads_, access, inst.op);
    if (reads || writes) Close(stores_, access, inst.op);
    if (IsLoad(inst.op)) Join(loads_, access);
    if (IsStore(inst.op)) Join(stores_, access);
  }

  Access Locate(InstId id, size_t position) const {
    Access a;
    a.inst = id;
    a.position = position;
    const Inst& inst = m_.inst(id);
    a.dwords = IsStore(inst.op) ? inst.num_sources - 1u : inst.num_results;
    a.base = m_.source(id, 0);
    while (a.base.valid()) {
      const mir::Value& v = m_.value(a.base);
      if (v.kind == mir::Value::Kind::kConstant) {
        a.offset += v.bits;
        a.base = ValueId();
        break;
      }
      if (v.kind != mir::Value::Kind::kResult) break;
      const InstId def(v.owner);
      if (m_.inst(def).op != Op::kIadd || !m_.IsConstant(m_.source(def, 1))) break;
      a.offset += m_.value(m_.source(def, 1)).bits;
      a.base = m_.source(def, 0);
    }
    return a;
  }

  // Closes the groups with a member that the access may touch.
  void Close(std::vector<Group>& groups, const Access& access, Op op) {
    size_t kept = 0;
    for (Group& g : groups) {
      if (MayTouch(g, access, op)) {
        Finish(g);
      } else {
        if (&groups[kept] != &g) groups[kept] = std::move(g);
        ++kept;
      }
    }
    groups.resize(kept);
  }

  bool MayTouch(const Group& g, const Access& access, Op op) const {
    if (g.op == Op::kLoadUbo || g.op == Op::kLoadConstant) return false;  // never written
    if (IsShared(g.op) != IsShared(op)) return false;
    const bool same_memory = IsShared(op) || m_.inst(access.inst).imm0 == g.memory;
    const bool atomic = !IsLoad(op) && !IsStore(op);
    if (!same_memory || atomic || access.base != g.base) return true;
    for (const Access& member : g.members) {
      if (member.Overlaps(access)) return true;
    }
    return false;
  }

  void Join(std::vector<Group>& groups, const Access& access) {
    const Inst& inst = m_.inst(access.inst);
    if (access.dwords == 0 || access.dwords >= kMaxDwords) return;
    for (Group& g : groups) {
      if (g.op != inst.op || g.memory != inst.imm0 || g.flags != inst.flags ||
          g.base != access.base) {
        continue;
      }
      if (access.position - g.members.front().position > kMaxSpan) {
        Finish(g);
        g.members.clear();
      }
      g.members.push_back(access);
      return;
    }
    if (groups.size() == kMaxOpen) {
      Finish(groups.front());
      groups.erase(groups.begin());
    }
    groups.push_back({inst.op, inst.imm0, inst.flags, access.base, {access}});
  }

  void CloseAll() {
    for (Group& g : loads_) Finish(g);
    for (Group& g : stores_) Finish(g);
    loads_.clear();
    stores_.clear();
  }

  // Cuts a group into runs of consecutive dwords and combines each.
  void Finish(Group& g) {
    std::vector<Access>& members = g.members;
    if (members.size() < 2) return;
    std::stable_sort(members.begin(), members.end(),
                     [](const Access& a, const Access& b) { return a.offset < b.offset; });
    size_t begin = 0;
    while (begin < members.size()) {
      uint32_t dwords = members[begin].dwords;
      size_t end = begin + 1;
      while (end < members.size() && members[end].offset == members[begin].offset + 4 * dwords &&
             dwords + members[end].dwords <= kMaxDwords) {
        dwords += members[end++].dwords;
      }
      if (end - begin >= 2) {
        Combine(absl::MakeConstSpan(members).subspan(begin, end - begin), IsStore(g.op));
      }
      begin = end;
    }
  }

  void Combine(absl::Span<const Access> run, bool store) {
    if (!context_.Rewrite()) return;
    changed_ = true;
    const auto by_position = [](const Access& a, const Access& b) {
      return a.position < b.position;
    };
    const Access& place = store ? *std::max_element(run.begin(), run.end(), by_position)
                                : *std::min_element(run.begin(), run.end(), by_position);
    // Copies: creating instructions moves the arrays.
    const Inst first = m_.inst(run[0].inst);
    b_.SetList(&before_[place.position]);
    b_.set_spirv_id(m_.inst(place.inst).spirv_id);
    b_.set_flags(first.flags);
    const ValueId offset = OffsetAt(run[0], place);
    if (store) {
      std::vector<ValueId> values;
      for (const Access& a : run) {
        const absl::Span<const ValueId> sources = m_.sources(a.inst);
        values.insert(values.end(), sources.begin() + 1, sources.end());
      }
      b_.Store(first.op, first.imm0, offset, values, first.imm1);
    } else {
      std::vector<Type> types;
      for (const Access& a : run) {
        for (uint32_t i = 0; i < a.dwords; ++i) {
          types.push_back(m_.value(m_.result(a.inst, static_cast<int>(i))).type);
        }
      }
      const InstId wide = b_.Load(first.op, first.imm0, offset, types, first.imm1);
      int component = 0;
      for (const Access& a : run) {
        for (uint32_t i = 0; i < a.dwords; ++i) {
          replace_.Replace(m_.result(a.inst, static_cast<int>(i)), m_.result(wide, component++));
        }
      }
    }
    for (const Access& a : run) dropped_[a.position] = true;
  }

  // The offset of the lowest access, as a value that is defined where the combined one stands. Its
  // own serves unless it stands later.
  ValueId OffsetAt(const Access& lowest, const Access& place) {
    if (lowest.position <= place.position) return m_.source(lowest.inst, 0);
    if (!lowest.base.valid()) return b_.Int(lowest.offset);
    if (lowest.offset == 0) return lowest.base;
    b_.set_flags(0);
    const ValueId offset = b_.Iadd(lowest.base, b_.Int(lowest.offset));
    b_.set_flags(m_.inst(lowest.inst).flags);
    return offset;
  }

  Module& m_;
  mir::Builder b_;
  mir::Replacements replace_;
  PassContext& context_;
  std::vector<Group> loads_, stores_;        // open at the current position
  std::vector<std::vector<InstId>> before_;  // new instructions, by position in the old list
  std::vector<bool> dropped_;                // by position in the old list
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> CombineMemory(Module& module, PassContext& context) {
  return Combiner(module, context).Run();
}

}  // namespace kiln::mid
