#include "core/mid/loops/narrow_carried_values.h"

#include <cstdint>
#include <vector>

#include "core/base/bitset.h"
#include "core/mir/build.h"

namespace kiln::mid {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::RegionId;
using mir::Type;
using mir::Value;
using mir::ValueId;

constexpr uint64_t kNarrowMask = mir::MaskOf(Type::kI16);

bool MakesNarrow(const Module& m, InstId id) {
  return m.inst(id).op == Op::kTrunc && m.value(m.result(id)).type == Type::kI16 &&
         m.value(m.source(id, 0)).type == Type::kI32;
}

// A source of a loop, a jump or a select, and the parameter or result that it becomes.
struct Edge {
  InstId from;
  int source = 0;
  ValueId to;
};

class Narrower {
 public:
  Narrower(Module& module, PassContext& context)
      : m_(module),
        b_(module),
        replace_(module),
        context_(context),
        parent_(module.values.size()),
        choice_(module.values.size(), Choice::kOpen) {
    for (uint32_t i = 0; i < parent_.size(); ++i) parent_[i] = i;
  }

  bool Run() {
    Visit(m_.body, InstId());
    for (const Edge& e : edges_) JudgeEntry(m_.source(e.from, e.source), e.to);
    for (const Edge& e : edges_) NarrowEdge(e);
    if (!changed_) return false;
    BitSet dead(m_.insts.size());
    for (InstId id : truncations_) {
      const ValueId v = m_.source(id, 0);
      if (m_.value(v).type != Type::kI16) continue;
      replace_.Replace(m_.result(id), v);
      dead.set(id.index);
    }
    replace_.Apply(m_);
    mir::RemoveInsts(m_, dead);
    return true;
  }

 private:
  // The decision about a group, at its root.
  enum class Choice : uint8_t { kOpen, kNarrow, kWide };

  // Finds the edges, truncations and other uses. Jumps belong to the loop around them.
  void Visit(RegionId region, InstId loop) {
    for (InstId id : m_.region(region).insts) {
      const Inst& inst = m_.inst(id);
      if (inst.op == Op::kIf) {
        for (RegionId side : inst.regions) {
          Visit(side, loop);
          const InstId end = m_.region(side).insts.back();
          if (m_.inst(end).op == Op::kYield) AddResultEdges(end, id);
        }
      } else if (inst.op == Op::kLoop) {
        AddParamEdges(id, id);
        Visit(inst.regions[0], id);
      } else if (inst.op == Op::kBreak) {
        AddResultEdges(id, loop);
      } else if (inst.op == Op::kContinue) {
        AddParamEdges(id, loop);
      } else if (inst.op == Op::kSelect) {
        AddEdge(id, 1, m_.result(id));
        AddEdge(id, 2, m_.result(id));
      } else if (MakesNarrow(m_, id)) {
        truncations_.push_back(id);
      } else if (inst.op != Op::kYield) {
        for (ValueId v : m_.sources(id)) KeepWide(v);
      }
    }
  }

  void AddResultEdges(InstId jump, InstId to) {
    for (int i = 0; i < m_.inst(to).num_results; ++i) AddEdge(jump, i, m_.result(to, i));
  }
  void AddParamEdges(InstId from, InstId loop) {
    const std::vector<ValueId>& params = m_.region(m_.inst(loop).regions[0]).params;
    for (size_t i = 0; i < params.size(); ++i) AddEdge(from, static_cast<int>(i), params[i]);
  }
  void AddEdge(InstId from, int source, ValueId to) {
    if (m_.value(to).type != Type::kI32) return;
    edges_.push_back({from, source, to});
    carried_.resize(m_.values.size());
    carried_[to.index] = true;
  }

  bool IsCarried(ValueId v) const { return v.index < carried_.size() && carried_[v.index]; }

  uint32_t Root(ValueId v) {
    uint32_t i = v.index;
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void KeepWide(ValueId v) { choice_[Root(v)] = Choice::kWide; }

  void JudgeEntry(ValueId from, ValueId to) {
    if (IsCarried(from)) {
      const uint32_t a = Root(from), b = Root(to);
      if (choice_[a] == Choice::kWide) choice_[b] = Choice::kWide;
      parent_[a] = b;
    } else if (!Narrow(from).valid()) {
      KeepWide(to);
    }
  }

  // Returns the 16-bit value that this one extends, or an invalid id.
  ValueId Narrow(ValueId v) {
    const Value value = m_.value(v);
    switch (value.kind) {
      case Value::Kind::kConstant:
        return value.bits <= kNarrowMask ? b_.Constant(Type::kI16, value.bits) : ValueId();
      case Value::Kind::kUndef: return b_.Undef(Type::kI16);
      case Value::Kind::kParam: return ValueId();
      case Value::Kind::kResult: break;
    }
    const InstId id(value.owner);
    if (m_.inst(id).op != Op::kZext) return ValueId();
    const ValueId source = m_.source(id, 0);
    return m_.value(source).type == Type::kI16 ? source : ValueId();
  }

  void NarrowEdge(const Edge& e) {
    Choice& choice = choice_[Root(e.to)];
    if (choice == Choice::kOpen) choice = context_.Rewrite() ? Choice::kNarrow : Choice::kWide;
    if (choice == Choice::kWide) return;
    m_.value(e.to).type = Type::kI16;
    const ValueId from = m_.source(e.from, e.source);
    if (!IsCarried(from)) m_.sources(e.from)[e.source] = Narrow(from);
    changed_ = true;
  }

  Module& m_;
  mir::Builder b_;
  mir::Replacements replace_;
  PassContext& context_;
  std::vector<Edge> edges_;
  std::vector<InstId> truncations_;
  std::vector<bool> carried_;     // by value: the target of an edge
  std::vector<uint32_t> parent_;  // by value
  std::vector<Choice> choice_;
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> NarrowCarriedValues(Module& module, PassContext& context) {
  bool any = false;
  mir::ForEachInst(module, module.body, [&](InstId id) { any = any || MakesNarrow(module, id); });
  if (!any) return false;
  return Narrower(module, context).Run();
}

}  // namespace kiln::mid
