#include "core/mid/memory/remove_dead_stores.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/bitset.h"
#include "core/mid/analysis/alias.h"
#include "core/mir/build.h"

namespace kiln::mid {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::RegionId;

constexpr size_t kMaxElements = 64;

// The memory that is not read from a point of the program on.
struct Overwritten {
  std::vector<Access> elements;
  MemorySet ended = 0;  // memories that are not read again

  bool Has(const Access& element) const {
    return (MemorySetOf(element) & ended) != 0 ||
           std::any_of(elements.begin(), elements.end(),
                       [&](const Access& a) { return SamePlace(a, element); });
  }
};

Overwritten Meet(Overwritten a, const Overwritten& b) {
  a.ended &= b.ended;
  std::erase_if(a.elements, [&](const Access& e) { return !b.Has(e); });
  return a;
}

class Remover {
 public:
  Remover(Module& module, PassContext& context)
      : m_(module), context_(context), dead_(module.insts.size()) {}

  bool Run() {
    Overwritten end;
    end.ended = ~kOutsideMemory;
    Visit(m_.body, end);
    return mir::RemoveInsts(m_, dead_) > 0;
  }

 private:
  // Returns the state before the region, given the state after it.
  Overwritten Visit(RegionId region, const Overwritten& after) {
    const std::vector<InstId>& insts = m_.region(region).insts;
    Overwritten state = AtEnd(insts.back(), after);
    for (auto it = insts.rbegin(); it != insts.rend(); ++it) {
      const Inst& inst = m_.inst(*it);
      if (inst.op == Op::kIf) {
        state = Meet(Visit(inst.regions[0], state), Visit(inst.regions[1], state));
      } else if (inst.op == Op::kLoop) {
        exits_.push_back(std::move(state));
        Visit(inst.regions[0], Overwritten());
        exits_.pop_back();
        state = Overwritten();
      } else if (mir::Info(inst.op).Has('E')) {
        const MemorySet seen = OrderedBy(inst);
        std::erase_if(state.elements,
                      [&](const Access& e) { return (MemorySetOf(e) & seen) != 0; });
        state.ended &= ~seen;
      } else if (const std::optional<Access> access = AccessOf(m_, *it)) {
        VisitAccess(*it, *access, state);
      }
    }
    return state;
  }

  Overwritten AtEnd(InstId last, const Overwritten& after) const {
    switch (m_.inst(last).op) {
      case Op::kBreak: return exits_.back();
      case Op::kContinue: return Overwritten();
      default: return after;
    }
  }

  void VisitAccess(InstId id, const Access& access, Overwritten& state) {
    if (access.reads) {
      std::erase_if(state.elements, [&](const Access& e) { return MayOverlap(e, access); });
      state.ended &= ~MemorySetOf(access);
      return;
    }
    if (access.is_volatile || !access.plain()) return;
    const int n = access.elements();
    bool dead = true;
    for (int i = 0; i < n; ++i) dead = dead && state.Has(ElementOf(access, i));
    if (dead && context_.Rewrite()) {
      dead_.set(id.index);
      return;
    }
    for (int i = 0; i < n && state.elements.size() < kMaxElements; ++i) {
      state.elements.push_back(ElementOf(access, i));
    }
  }

  Module& m_;
  PassContext& context_;
  BitSet dead_;
  std::vector<Overwritten> exits_;  // states after the enclosing loops
};

}  // namespace

absl::StatusOr<bool> RemoveDeadStores(Module& module, PassContext& context) {
  return Remover(module, context).Run();
}

}  // namespace kiln::mid
