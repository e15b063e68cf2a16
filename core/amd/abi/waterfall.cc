#include "core/amd/abi/waterfall.h"

#include <algorithm>
#include <vector>

#include "core/mir/build.h"
#include "core/mir/uses.h"

namespace kiln::amd {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Op;
using mir::RegionId;
using mir::ValueId;

class Finder {
 public:
  Finder(const mir::Module& m, BitSet& found) : m_(m), uses_(m), found_(found) {}

  void Visit(InstId loop) {
    const mir::Region& body = m_.region(m_.inst(loop).regions[0]);
    const std::vector<InstId>& insts = body.insts;
    if (!body.params.empty() || insts.size() < 2) return;
    const InstId end = insts[insts.size() - 1], turn = insts[insts.size() - 2];
    if (m_.inst(end).op != Op::kContinue || !LeavesOrGoesOn(turn)) return;
    std::vector<InstId> firsts;
    for (size_t i = 0; i + 2 < insts.size(); ++i) {
      if (!MayBeRepeated(insts[i])) return;
      if (m_.inst(insts[i]).op == Op::kReadFirst) firsts.push_back(insts[i]);
    }
    equalities_.clear();
    if (!CollectEqualities(m_.source(turn, 0), firsts)) return;
    BitSet inside(m_.insts.size());
    mir::ForEachInst(m_, m_.inst(turn).regions[0], [&](InstId id) { inside.set(id.index); });
    for (const InstId first : firsts) {
      if (IsReadUnderEquality(first, inside)) found_.set(first.index);
    }
  }

 private:
  // Returns true for an if that leaves the loop on its first side and does nothing on the other.
  bool LeavesOrGoesOn(InstId turn) const {
    const Inst& inst = m_.inst(turn);
    if (inst.op != Op::kIf || inst.num_results != 0) return false;
    if (m_.inst(m_.region(inst.regions[0]).insts.back()).op != Op::kBreak) return false;
    bool leaves = true;
    mir::ForEachJumpOfLoop(m_, inst.regions[0],
                           [&](InstId jump) { leaves &= m_.inst(jump).op == Op::kBreak; });
    return leaves && m_.region(inst.regions[1]).insts.size() == 1 &&
           m_.inst(m_.region(inst.regions[1]).insts[0]).op == Op::kYield;
  }

  // Lanes execute what is before the if as often as lanes with other indices leave before them.
  bool MayBeRepeated(InstId id) const {
    const Inst& inst = m_.inst(id);
    const mir::OpInfo& info = mir::Info(inst.op);
    return inst.num_regions == 0 && (inst.flags & mir::kVolatile) == 0 && !info.Has('W') &&
           !info.Has('E') && !info.Has('T');
  }

  // Returns true if a condition is a conjunction of equalities of firsts and their sources, which
  // nothing else reads.
  bool CollectEqualities(ValueId condition, const std::vector<InstId>& firsts) {
    if (m_.value(condition).kind != mir::Value::Kind::kResult) return false;
    if (uses_.Of(condition).size() != 1) return false;
    const InstId id(m_.value(condition).owner);
    if (m_.inst(id).op == Op::kAnd) {
      return CollectEqualities(m_.source(id, 0), firsts) &&
             CollectEqualities(m_.source(id, 1), firsts);
    }
    if (m_.inst(id).op != Op::kIeq) return false;
    for (const InstId first : firsts) {
      for (const int side : {0, 1}) {
        if (m_.source(id, side) == m_.result(first) &&
            m_.source(id, 1 - side) == m_.source(first, 0)) {
          equalities_.push_back(id);
          return true;
        }
      }
    }
    return false;
  }

  bool IsReadUnderEquality(InstId first, const BitSet& inside) const {
    bool compared = false, only = true;
    for (const mir::Use& use : uses_.Of(m_.result(first))) {
      if (std::ranges::find(equalities_, use.inst) != equalities_.end()) {
        compared = true;
      } else {
        only &= inside.test(use.inst.index);
      }
    }
    return compared && only;
  }

  const mir::Module& m_;
  const mir::Uses uses_;
  BitSet& found_;
  std::vector<InstId> equalities_;  // of the loop that is visited
};

}  // namespace

BitSet WaterfallReads(const mir::Module& m) {
  BitSet found(m.insts.size());
  bool any = false;
  mir::ForEachInst(m, m.body, [&](InstId id) { any |= m.inst(id).op == Op::kReadFirst; });
  if (!any) return found;
  Finder finder(m, found);
  mir::ForEachInst(m, m.body, [&](InstId id) {
    if (m.inst(id).op == Op::kLoop) finder.Visit(id);
  });
  return found;
}

}  // namespace kiln::amd
