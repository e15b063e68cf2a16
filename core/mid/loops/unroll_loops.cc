#include "core/mid/loops/unroll_loops.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "core/mid/analysis/loop_analysis.h"
#include "core/mid/budgets.h"
#include "core/mid/control/nest_exits.h"
#include "core/mid/loops/hoist_invariants.h"
#include "core/mid/values/fold.h"
#include "core/mir/build.h"
#include "core/mir/clone.h"

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

constexpr int kMaxSources = 4;

class Unroller {
 public:
  Unroller(Module& module, PassContext& context)
      : m_(module),
        b_(module),
        context_(context),
        replace_(module),
        nester_(m_, b_, replace_, Op::kContinue),
        analysis_(module),
        cloner_(module) {}

  // Unrolls the loops for which it pays.
  bool Run() {
    Visit(m_.body);
    return unrolled_ > 0;
  }

  // Unrolls these loops, none of them inside another.
  bool Run(absl::Span<const UnrollableLoop> loops) {
    chosen_ = loops;
    only_chosen_ = true;
    return Run();
  }

 private:
  // Returns true if a loop in the region was unrolled.
  bool Visit(RegionId region) {
    bool changed = false;
    for (size_t i = 0; i < m_.region(region).insts.size(); ++i) {
      const InstId id = m_.region(region).insts[i];
      bool inside = false;
      for (int r = 0; r < m_.inst(id).num_regions; ++r) inside |= Visit(m_.inst(id).regions[r]);
      if (m_.inst(id).op == Op::kLoop && !inside) {
        inside = TryUnroll(id);
        List& list = m_.region(region).insts;
        list.insert(list.begin() + static_cast<ptrdiff_t>(i), front_.begin(), front_.end());
        i += front_.size();
        front_.clear();
      }
      changed |= inside;
    }
    return changed;
  }

  bool TryUnroll(InstId loop) {
    const RegionId body = m_.inst(loop).regions[0];
    if (!Continues(body)) return false;
    const LoopIterations count = only_chosen_ ? Chosen(loop) : Count(loop);
    if (count.iterations == 0) return false;
    const bool nest = count.iterations > 1 && ContinuesEarly(body);
    if (nest && !nester_.OnlyNests(m_.region(body).insts)) return false;
    if (!context_.Rewrite()) return false;
    if (count.iterations > 1) front_ = TakeInvariants(m_, loop);
    if (nest) NestContinues(body);
    Unroll(loop, count.iterations);
    ++unrolled_;
    return true;
  }

  // The iterations of a chosen loop; 0 iterations for others.
  LoopIterations Chosen(InstId loop) const {
    for (const UnrollableLoop& l : chosen_) {
      if (l.loop == loop) return l.count;
    }
    return LoopIterations();
  }

  LoopIterations Count(InstId loop) {
    const Limits limits = LimitsOf(m_.inst(loop).regions[0]);
    const int64_t most = std::max(limits.residue, limits.array_residue);
    const LoopIterations count = analysis_.CountIterations(
        loop, {.max_iterations = budgets::kIterations,
               .max_steps = budgets::kLoopSteps,
               .max_residue = most,
               .max_residue_of_iterations = limits.has_arrays ? most : limits.residue,
               .max_unknown_exits = kMaxNestedExits});
    return Pays(count, limits) ? count : LoopIterations();
  }

  bool Continues(RegionId body) const {
    bool found = false;
    mir::ForEachJumpOfLoop(m_, body, [&](InstId id) { found |= m_.inst(id).op == Op::kContinue; });
    return found;
  }

  // Limits of the instructions left of a loop. If array accesses get known offsets, array_residue
  // applies.
  struct Limits {
    int64_t residue = 0;
    int64_t array_residue = 0;
    bool has_arrays = false;
  };

  Limits LimitsOf(RegionId body) const {
    int64_t size = 0;
    bool innermost = true, has_arrays = false;
    mir::ForEachInst(m_, body, [&](InstId id) {
      const Op op = m_.inst(id).op;
      ++size;
      innermost &= op != Op::kLoop;
      has_arrays |= AccessesPrivateArray(op);
    });
    return {std::max({budgets::kSmallResidue,
                      std::min(budgets::kResidueIterations * size, budgets::kLargestResidue),
                      std::min(budgets::kFewIterations * size, budgets::kFewLargest)}),
            innermost ? budgets::kInnermostArrayResidue : budgets::kArrayResidue, has_arrays};
  }

  static bool Pays(const LoopIterations& count, const Limits& limits) {
    if (!count.bounded || count.unknown_exits > kMaxNestedExits) return false;
    if (count.iterations == 1) return true;
    return count.residue <= limits.residue ||
           (count.array_accesses > 0 && count.residue <= limits.array_residue);
  }

  bool ContinuesEarly(RegionId body) const {
    bool found = false;
    mir::ForEachJumpOfLoop(m_, body, [&](InstId id) {
      found |= m_.inst(id).op == Op::kContinue && id != m_.region(body).insts.back();
    });
    return found;
  }

  // Makes the end of the body its only continue.
  void NestContinues(RegionId body) {
    std::vector<Type> types;
    for (ValueId p : m_.region(body).params) types.push_back(m_.value(p).type);
    List list = nester_.Nest(m_.region(body).insts, types);
    const InstId end = list.back();
    if (m_.inst(end).op == Op::kYield) m_.inst(end).op = Op::kContinue;
    m_.region(body).insts = std::move(list);
    mir::ForEachInst(m_, body, [&](InstId id) {
      for (ValueId& v : m_.sources(id)) v = replace_.Find(v);
    });
  }

  void Unroll(InstId loop, int iterations) {
    const RegionId body = m_.inst(loop).regions[0];
    const List original = m_.region(body).insts;
    std::vector<ValueId> carried(m_.sources(loop).begin(), m_.sources(loop).end());
    List made;
    for (int iteration = 0; iteration < iterations; ++iteration) {
      cloner_.Clear();
      for (size_t i = 0; i < carried.size(); ++i)
        cloner_.Map(m_.region(body).params[i], carried[i]);
      const InstId end = Emit(original, &made);
      if (m_.inst(end).op != Op::kContinue) {
        made.push_back(cloner_.Copy(end));
        break;
      }
      if (iteration + 1 == iterations) break;
      for (size_t i = 0; i < carried.size(); ++i) {
        carried[i] = cloner_.Find(m_.source(end, static_cast<int>(i)));
      }
    }
    if (!mir::Info(m_.inst(made.back()).op).Has('T')) {
      b_.SetList(&made);
      b_.Unreachable();
    }
    cloner_.Clear();
    m_.region(body).insts = std::move(made);
    m_.region(body).params.clear();
    m_.inst(loop).num_sources = 0;
    DropContinues(body);
  }

  // Replaces the continues that are left: their paths are not taken in the last iteration.
  void DropContinues(RegionId body) {
    List found;
    mir::ForEachJumpOfLoop(m_, body, [&](InstId id) {
      if (m_.inst(id).op == Op::kContinue) found.push_back(id);
    });
    for (InstId id : found) {
      m_.inst(id).op = Op::kUnreachable;
      m_.inst(id).num_sources = 0;
    }
  }

  // Appends copies of the instructions, folded, up to the terminator that control reaches, which is
  // returned and not copied. The lists do not move in memory while regions are added.
  InstId Emit(absl::Span<const InstId> insts, List* out) {
    for (InstId id : insts) {
      const Op op = m_.inst(id).op;
      if (mir::Info(op).Has('T')) return id;
      if (op == Op::kIf) {
        const InstId end = EmitIf(id, out);
        if (end.valid()) return end;
      } else if (NeverReached(id)) {
        return mir::NewInst(m_, Op::kUnreachable, {});
      } else if (!Folds(id)) {
        out->push_back(cloner_.Copy(id));
      }
    }
    return InstId();
  }

  // Returns true if the instruction would store outside of a private array in this iteration
  // (loop_analysis.h).
  bool NeverReached(InstId id) const {
    if (m_.inst(id).op != Op::kStorePrivate) return false;
    const ValueId offset = cloner_.Find(m_.source(id, 0));
    return m_.IsConstant(offset) && StoresOutside(m_, id, m_.value(offset).bits);
  }

  // Returns the terminator by which control leaves the enclosing list, or an invalid id.
  InstId EmitIf(InstId id, List* out) {
    const ValueId condition = cloner_.Find(m_.source(id, 0));
    if (m_.IsConstant(condition)) {
      const RegionId side = m_.inst(id).regions[m_.value(condition).bits != 0 ? 0 : 1];
      const InstId end = Emit(m_.region(side).insts, out);
      if (m_.inst(end).op != Op::kYield) return end;
      for (int r = 0; r < m_.inst(id).num_results; ++r) {
        cloner_.Map(m_.result(id, r), cloner_.Find(m_.source(end, r)));
      }
      return InstId();
    }
    const InstId copy = mir::NewInst(m_, Op::kIf, {condition});
    m_.inst(copy).spirv_id = m_.inst(id).spirv_id;
    InstId ends[2];
    for (int side = 0; side < 2; ++side) {
      List list;
      ends[side] = Emit(m_.region(m_.inst(id).regions[side]).insts, &list);
      ends[side] = cloner_.Copy(ends[side]);
      list.push_back(ends[side]);
      m_.region(m_.inst(copy).regions[side]).insts = std::move(list);
    }
    EmitResults(id, copy, ends);
    out->push_back(copy);
    return InstId();
  }

  // Gives the copy of an if its results. A result that is the same constant in every yield becomes
  // that constant.
  void EmitResults(InstId id, InstId copy, const InstId (&ends)[2]) {
    std::vector<Type> types;
    for (int r = 0; r < m_.inst(id).num_results; ++r) {
      types.push_back(m_.value(m_.result(id, r)).type);
    }
    if (!types.empty()) mir::SetResults(m_, copy, types);
    for (int r = 0; r < m_.inst(id).num_results; ++r) {
      ValueId value;
      bool same = true;
      for (InstId end : ends) {
        if (m_.inst(end).op != Op::kYield) continue;
        same = same && (!value.valid() || value == m_.source(end, r));
        value = m_.source(end, r);
      }
      const bool constant = same && value.valid() && m_.IsConstant(value);
      cloner_.Map(m_.result(id, r), constant ? value : m_.result(copy, r));
    }
  }

  // Maps the instruction's result to a constant if it folds in this iteration; returns false if
  // not.
  bool Folds(InstId id) {
    const Inst inst = m_.inst(id);
    const mir::OpInfo& info = mir::Info(inst.op);
    if (!info.Has('P') || info.Has('M') || inst.num_results != 1 || inst.num_sources == 0 ||
        inst.num_sources > kMaxSources || IsLeftToTarget(m_.stage, inst.op, inst.flags)) {
      return false;
    }
    std::array<uint64_t, kMaxSources> bits;
    for (int i = 0; i < inst.num_sources; ++i) {
      const ValueId source = cloner_.Find(m_.source(id, i));
      if (!m_.IsConstant(source)) return false;
      bits[i] = m_.value(source).bits;
    }
    const Type type = m_.value(m_.result(id)).type;
    const std::optional<uint64_t> folded = FoldOp(
        inst.op, type, m_.value(m_.source(id, 0)).type,
        absl::MakeConstSpan(bits.data(), inst.num_sources), mir::RoundsToZero(m_, inst.op, type));
    if (!folded.has_value()) return false;
    cloner_.Map(m_.result(id), b_.Constant(type, *folded));
    return true;
  }

  Module& m_;
  mir::Builder b_;
  PassContext& context_;
  mir::Replacements replace_;
  ExitNester nester_;
  LoopAnalysis analysis_;
  mir::Cloner cloner_;
  absl::Span<const UnrollableLoop> chosen_;
  bool only_chosen_ = false;
  List front_;  // to be inserted before the loop that was just unrolled
  int64_t unrolled_ = 0;
};

}  // namespace

absl::StatusOr<bool> UnrollLoops(Module& module, PassContext& context) {
  return Unroller(module, context).Run();
}

bool UnrollTheseLoops(Module& module, absl::Span<const UnrollableLoop> loops,
                      PassContext& context) {
  return Unroller(module, context).Run(loops);
}

}  // namespace kiln::mid
