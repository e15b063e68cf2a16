#include "core/mid/control/remove_dead_control_flow.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "core/mid/control/nest_exits.h"
#include "core/mir/build.h"

namespace kiln::mid {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::RegionId;
using mir::Type;
using mir::ValueId;

using List = std::vector<InstId>;

// The largest nesting up to which early exits of a loop are turned into nested ifs.
constexpr int kMaxDepth = 256;

class Remover {
 public:
  Remover(Module& module, PassContext& context)
      : m_(module),
        b_(module),
        context_(context),
        replace_(module),
        height_(module.regions.size()) {}

  bool Run() {
    Region(m_.body, 0);
    replace_.Apply(m_);
    return changed_;
  }

 private:
  bool Rewrite() {
    if (!context_.Rewrite()) return false;
    changed_ = true;
    return true;
  }

  Op TerminatorOf(RegionId r) const { return m_.inst(m_.region(r).insts.back()).op; }
  bool Yields(RegionId r) const { return TerminatorOf(r) == Op::kYield; }
  bool Empty(RegionId r) const { return m_.region(r).insts.size() == 1; }
  ValueId Source(InstId id, int i) { return replace_.Find(m_.source(id, i)); }

  // The depth of nesting in the regions of these instructions.
  int Height(const List& list) const {
    int height = 0;
    for (InstId id : list) {
      const Inst& inst = m_.inst(id);
      for (int r = 0; r < inst.num_regions; ++r) {
        height = std::max(height, height_[inst.regions[r].index] + 1);
      }
    }
    return height;
  }
  void SetInsts(RegionId region, List list) {
    height_[region.index] = Height(list);
    m_.region(region).insts = std::move(list);
  }

  // ---- Lists ----

  void Region(RegionId region, int depth) {
    List old;
    old.swap(m_.region(region).insts);
    for (InstId id : old) {
      for (int r = 0; r < m_.inst(id).num_regions; ++r) Region(m_.inst(id).regions[r], depth + 1);
    }
    List out;
    out.reserve(old.size());
    for (size_t i = 0; i < old.size(); ++i) {
      bool ends = mir::Info(m_.inst(old[i]).op).Has('T');
      if (m_.inst(old[i]).op == Op::kIf) {
        ends = If(old[i], &out);
      } else if (m_.inst(old[i]).op == Op::kLoop) {
        ends = Loop(old[i], depth, &out);
      } else if (mir::IsKill(m_.inst(old[i]).op)) {
        ends = Kill(old[i], old[i + 1], &out);
      } else {
        out.push_back(old[i]);
      }
      if (!ends) continue;
      Cut(old, i + 1, &out);
      break;
    }
    DropUnreachable(&out);
    SetInsts(region, std::move(out));
  }

  // Before `unreachable`, removes instructions without effect, and replaces an if that leaves on
  // one side by that side.
  void DropUnreachable(List* out) {
    while (out->size() > 1 && m_.inst(out->back()).op == Op::kUnreachable) {
      const InstId before = (*out)[out->size() - 2];
      const Inst inst = m_.inst(before);
      const mir::OpInfo& info = mir::Info(inst.op);
      const bool effect = info.Has('W') || info.Has('E') || info.Has('X') || info.Has('N') ||
                          info.Has('T') || (inst.flags & mir::kVolatile) != 0;
      if (!effect) {
        if (!Rewrite()) return;
        out->erase(out->end() - 2);
        continue;
      }
      if (inst.op != Op::kIf || Yields(inst.regions[0]) == Yields(inst.regions[1])) return;
      if (!Rewrite()) return;
      out->resize(out->size() - 2);
      Splice(inst.regions[Yields(inst.regions[0]) ? 1 : 0], before, out);
    }
  }

  // Cuts code that is never reached: `out` gets the terminator unreachable unless it has a
  // terminator already, and `rest` from `at` on is dropped.
  void Cut(const List& rest, size_t at, List* out) {
    if (!mir::Info(m_.inst(out->back()).op).Has('T')) {
      // Already in this form, or the bisection limit forbids the rewrite.
      const bool is_cut = at + 1 == rest.size() && m_.inst(rest[at]).op == Op::kUnreachable;
      if (is_cut || !Rewrite()) {
        out->insert(out->end(), rest.begin() + static_cast<ptrdiff_t>(at), rest.end());
        return;
      }
      b_.SetList(out);
      b_.Unreachable();
    }
  }

  // Appends a region's instructions to the list around it. Returns true if the region does not
  // yield: then the list ends there. Otherwise the owner's results are replaced by the values it
  // yields.
  bool Splice(RegionId region, InstId owner, List* out) {
    const List insts = m_.region(region).insts;
    if (!Yields(region)) {
      out->insert(out->end(), insts.begin(), insts.end());
      return true;
    }
    out->insert(out->end(), insts.begin(), insts.end() - 1);
    ReplaceResults(owner, insts.back());
    return false;
  }

  void ReplaceResults(InstId owner, InstId jump) {
    for (int i = 0; i < m_.inst(owner).num_results; ++i) {
      replace_.Replace(m_.result(owner, i), Source(jump, i));
    }
  }

  // ---- Ifs ----

  // Appends the if or its replacement. Returns true if nothing can follow.
  bool If(InstId id, List* out) {
    const RegionId then_side = m_.inst(id).regions[0];
    const RegionId else_side = m_.inst(id).regions[1];
    const ValueId condition = Source(id, 0);
    if (m_.IsConstant(condition) && Rewrite()) {
      return Splice(m_.value(condition).bits != 0 ? then_side : else_side, id, out);
    }
    for (RegionId dead : {then_side, else_side}) {
      if (Empty(dead) && TerminatorOf(dead) == Op::kUnreachable && Rewrite()) {
        return Splice(dead == then_side ? else_side : then_side, id, out);
      }
    }
    if (!Yields(then_side) && !Yields(else_side)) {
      out->push_back(id);
      return true;
    }
    if (!Yields(then_side)) return Hoist(id, else_side, out);
    if (!Yields(else_side)) return Hoist(id, then_side, out);
    return PlainIf(id, out);
  }

  // For an if that leaves on one side: moves the other side's instructions after the if.
  bool Hoist(InstId id, RegionId stays, List* out) {
    out->push_back(id);
    if (Empty(stays) && m_.inst(id).num_results == 0) return false;
    if (!Rewrite()) return false;
    Splice(stays, id, out);
    const InstId yield = m_.region(stays).insts.back();
    SetInsts(stays, {yield});
    m_.inst(yield).num_sources = 0;
    m_.inst(id).num_results = 0;
    return false;
  }

  // For an if whose sides both yield.
  bool PlainIf(InstId id, List* out) {
    const InstId yields[2] = {m_.region(m_.inst(id).regions[0]).insts.back(),
                              m_.region(m_.inst(id).regions[1]).insts.back()};
    bool same = true;
    for (int i = 0; i < m_.inst(id).num_results; ++i) {
      same = same && Source(yields[0], i) == Source(yields[1], i);
    }
    const bool empty = Empty(m_.inst(id).regions[0]) && Empty(m_.inst(id).regions[1]);
    if (same && empty && Rewrite()) {
      ReplaceResults(id, yields[0]);
    } else {
      out->push_back(id);
    }
    return false;
  }

  // Appends the kill, unless its condition is false. Returns true if it leaves no lane for the code
  // after it: the results of discarded lanes are not observable, while demoted ones continue. Ifs
  // that only kill are left to kill_in_line.
  bool Kill(InstId id, InstId next, List* out) {
    const ValueId condition = Source(id, 0);
    const bool known = m_.IsConstant(condition);
    if (known && m_.value(condition).bits == 0 && Rewrite()) return false;
    out->push_back(id);
    if (!known || m_.value(condition).bits == 0 || m_.inst(id).op == Op::kDemote) return false;
    return m_.inst(next).op != Op::kYield || m_.inst(next).num_sources != 0;
  }

  // ---- Loops ----

  bool Loop(InstId id, int depth, List* out) {
    const RegionId body = m_.inst(id).regions[0];
    bool continues = false;
    bool breaks = false;
    mir::ForEachJumpOfLoop(m_, body, [&](InstId jump) {
      (m_.inst(jump).op == Op::kBreak ? breaks : continues) = true;
    });
    if (!continues && depth + height_[body.index] + kMaxNestedExits < kMaxDepth) {
      if (nester_.OnlyNests(m_.region(body).insts) && Rewrite()) return Unwrap(id, out);
    }
    out->push_back(id);
    return !breaks;
  }

  // Replaces the loop by nested ifs.
  bool Unwrap(InstId loop, List* out) {
    const RegionId body = m_.inst(loop).regions[0];
    for (size_t i = 0; i < m_.region(body).params.size(); ++i) {
      replace_.Replace(m_.region(body).params[i], Source(loop, static_cast<int>(i)));
    }
    std::vector<Type> types;
    types.reserve(m_.inst(loop).num_results);
    for (int i = 0; i < m_.inst(loop).num_results; ++i) {
      types.push_back(m_.value(m_.result(loop, i)).type);
    }
    List list = nester_.Nest(m_.region(body).insts, types);
    for (RegionId r : nester_.TakeChanged()) height_[r.index] = Height(m_.region(r).insts);
    const InstId end = list.back();
    if (m_.inst(end).op != Op::kYield) {
      out->insert(out->end(), list.begin(), list.end());
      return true;
    }
    out->insert(out->end(), list.begin(), list.end() - 1);
    ReplaceResults(loop, end);
    return false;
  }

  Module& m_;
  mir::Builder b_;
  PassContext& context_;
  mir::Replacements replace_;
  ExitNester nester_{m_, b_, replace_, Op::kBreak};
  std::vector<int> height_;  // by region, of those already walked
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> RemoveDeadControlFlow(Module& module, PassContext& context) {
  return Remover(module, context).Run();
}

}  // namespace kiln::mid
