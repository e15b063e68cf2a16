#include "core/mid/lower/lower_nonuniform.h"

#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "core/mid/analysis/divergence.h"
#include "core/mir/build.h"
#include "core/mir/rewrite.h"
#include "core/mir/uses.h"

namespace kiln::mid {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::RegionId;
using mir::Type;
using mir::ValueId;

// The sources of an instruction that choose descriptors.
absl::InlinedVector<int, 2> IndexSources(const Module& m, InstId id) {
  const Inst& inst = m.inst(id);
  absl::InlinedVector<int, 2> indices;
  if ((inst.flags & mir::kIndexed) != 0 && !mir::IsInterfaceOp(inst.op)) indices.push_back(0);
  if (mir::IsTexelOp(inst.op)) {
    const int sampler = mir::TexelSourcesOf(m, id).sampler_index;
    if (sampler >= 0) indices.push_back(sampler);
  }
  return indices;
}

// The sources that are texel offsets, unless each lane may have its own (gathers).
absl::InlinedVector<int, 3> OffsetSources(const Module& m, InstId id, const Features& features) {
  const Inst& inst = m.inst(id);
  absl::InlinedVector<int, 3> offsets;
  if (features.sample_offsets.by_lane) return offsets;
  if (!mir::IsTexelOp(inst.op) || inst.op == Op::kGather) return offsets;
  const mir::TexelSources s = mir::TexelSourcesOf(m, id);
  for (int i = 0; i < s.num_offsets; ++i) offsets.push_back(s.offsets + i);
  return offsets;
}

// Returns true for ops that take derivatives of their coordinates within quads: these need all
// lanes of a quad active.
bool TakesDerivatives(Op op) { return op == Op::kSampleImplicit || op == Op::kImageLod; }

// Returns true if a descriptor or offset is chosen by value. Most modules have none and need no
// divergence analysis.
bool AnyChosen(const Module& m, const Features& features) {
  bool any = false;
  mir::ForEachInst(m, m.body, [&](InstId id) {
    any = any || (m.inst(id).flags & mir::kNonUniform) != 0 || !IndexSources(m, id).empty() ||
          !OffsetSources(m, id, features).empty();
  });
  return any;
}

class Lowering {
 public:
  Lowering(Module& module, const Features& features)
      : m_(module),
        features_(features),
        b_(module),
        divergence_(module),
        uses_(module),
        replace_(module) {}

  bool Run() {
    Visit(m_.body);
    replace_.Apply(m_);
    return changed_;
  }

 private:
  void Visit(RegionId region) {
    const size_t known = firsts_.size();
    mir::RewriteRegion(b_, region, [&](InstId id) {
      for (int r = 0; r < m_.inst(id).num_regions; ++r) Visit(m_.inst(id).regions[r]);
      return VisitInst(id);
    });
    firsts_.resize(known);
  }

  // Returns true if the instruction stays.
  bool VisitInst(InstId id) {
    std::vector<int> divergent;
    for (int s : IndexSources(m_, id)) {
      if (!divergence_.Uniform(m_.source(id, s))) divergent.push_back(s);
    }
    const bool marked = (m_.inst(id).flags & mir::kNonUniform) != 0;
    m_.inst(id).flags &= static_cast<uint16_t>(~mir::kNonUniform);
    if (!marked) {
      for (int s : divergent) {
        const ValueId first = FirstOf(m_.source(id, s));
        m_.sources(id)[s] = first;
      }
      changed_ |= !divergent.empty();
      divergent.clear();
    }
    for (int s : OffsetSources(m_, id, features_)) {
      if (!divergence_.Uniform(m_.source(id, s))) divergent.push_back(s);
    }
    changed_ |= marked || !divergent.empty();
    if (divergent.empty()) return true;
    if (TakesDerivatives(m_.inst(id).op)) {
      AllEachTime(id, divergent);
    } else {
      OneByOne(id, divergent);
    }
    return false;
  }

  // Returns the first lane's index, which all active lanes share. Later in the region and inside it
  // fewer lanes are active, so that the value is reused there.
  ValueId FirstOf(ValueId index) {
    for (const First& f : firsts_) {
      if (f.index == index) return f.first;
    }
    const InstId read = b_.EmitInst(Op::kReadFirst, {index}, {m_.value(index).type});
    m_.inst(read).flags |= mir::kUniform;
    firsts_.push_back({index, m_.result(read)});
    return firsts_.back().first;
  }

  // Replaces the indices by those of the first active lane; returns the old ones.
  std::vector<ValueId> TakeFirst(InstId id, const std::vector<int>& indices) {
    std::vector<ValueId> before;
    for (int s : indices) {
      before.push_back(m_.source(id, s));
      const ValueId first = b_.Emit(Op::kReadFirst, {before.back()});
      m_.sources(id)[s] = first;
    }
    return before;
  }

  std::vector<Type> TypesOf(InstId id) const {
    std::vector<Type> types;
    for (int i = 0; i < m_.inst(id).num_results; ++i) {
      types.push_back(m_.value(m_.result(id, i)).type);
    }
    return types;
  }

  // Returns a copy of the instruction, which is in no region yet.
  InstId CopyOf(InstId id) {
    const std::vector<ValueId> sources(m_.sources(id).begin(), m_.sources(id).end());
    const Inst inst = m_.inst(id);
    const InstId copy = mir::NewInst(m_, inst.op, sources, inst.imm0, inst.imm1);
    m_.inst(copy).flags = inst.flags;
    m_.inst(copy).spirv_id = inst.spirv_id;
    mir::SetResults(m_, copy, TypesOf(id));
    return copy;
  }

  // True in lanes whose indices are those of the access.
  ValueId Agreeing(InstId access, const std::vector<int>& indices,
                   const std::vector<ValueId>& wanted) {
    ValueId same;
    for (size_t i = 0; i < indices.size(); ++i) {
      const ValueId equal = b_.Ieq(wanted[i], m_.source(access, indices[i]));
      same = same.valid() ? b_.And(same, equal) : equal;
    }
    return same;
  }

  // Returns a bit for each lane in which the condition is true, in as many words as subgroups have.
  std::vector<ValueId> Ballot(ValueId condition) {
    constexpr Type kWords[] = {Type::kI32, Type::kI32, Type::kI32, Type::kI32};
    const InstId ballot = b_.EmitInst(Op::kBallot, {condition}, kWords);
    std::vector<ValueId> words = {m_.result(ballot, 0)};
    if (features_.most_lanes > 32) words.push_back(m_.result(ballot, 1));
    return words;
  }

  // Returns the first of the lanes whose bits are set, of which there is one.
  ValueId FirstLane(const std::vector<ValueId>& bits) {
    const ValueId low = b_.FindLsb(bits[0]);
    if (bits.size() == 1) return low;
    const ValueId high = b_.Iadd(b_.FindLsb(bits[1]), b_.Int(32));
    return b_.Select(b_.Ieq(bits[0], b_.Int(0)), high, low);
  }

  // Executes a copy of the instruction in a loop, whose results replace the instruction's. Each
  // iteration serves the lanes that agree with the first one, which then leave.
  void OneByOne(InstId id, const std::vector<int>& indices) {
    const InstId access = CopyOf(id);
    const mir::Builder::InsertionPoint outer = b_.insertion_point();
    const InstId loop = b_.Loop();
    mir::SetResults(m_, loop, TypesOf(id));
    std::vector<ValueId> results;
    for (int i = 0; i < m_.inst(id).num_results; ++i) {
      results.push_back(m_.result(access, i));
      replace_.Replace(m_.result(id, i), m_.result(loop, i));
    }
    b_.SetRegion(m_.inst(loop).regions[0]);
    const std::vector<ValueId> wanted = TakeFirst(access, indices);
    const InstId turn = b_.If(Agreeing(access, indices, wanted));
    b_.Continue();
    b_.SetRegion(m_.inst(turn).regions[0]);
    b_.Append(access);
    b_.Break(results);
    b_.SetRegion(m_.inst(turn).regions[1]);
    b_.Yield();
    b_.SetInsertionPoint(outer);
  }

  // The same with all lanes active in each iteration; those that agree keep its results. The loop
  // carries the lanes not served yet, as bits.
  void AllEachTime(InstId id, const std::vector<int>& indices) {
    const InstId access = CopyOf(id);
    std::vector<int> kept;  // results
    std::vector<Type> types;
    const mir::Builder::InsertionPoint outer = b_.insertion_point();
    std::vector<ValueId> initial = Ballot(b_.Bool(true));
    const size_t words = initial.size();
    for (int i = 0; i < m_.inst(id).num_results; ++i) {
      if (uses_.Unused(m_.result(id, i))) continue;
      kept.push_back(i);
      types.push_back(m_.value(m_.result(id, i)).type);
      initial.push_back(b_.Undef(types.back()));
    }
    const InstId loop = b_.Loop(initial);
    mir::SetResults(m_, loop, types);
    const RegionId body = m_.inst(loop).regions[0];
    b_.SetRegion(body);
    const std::vector<ValueId> before = m_.region(body).params;
    const std::vector<ValueId> waiting(before.begin(), before.begin() + static_cast<int>(words));
    const ValueId lane = FirstLane(waiting);
    std::vector<ValueId> wanted;
    for (int s : indices) {
      wanted.push_back(m_.source(access, s));
      const ValueId index = b_.Emit(Op::kReadLane, {wanted.back(), lane});
      m_.sources(access)[s] = index;
    }
    b_.Append(access);
    const ValueId same = Agreeing(access, indices, wanted);
    const std::vector<ValueId> served = Ballot(same);
    std::vector<ValueId> next;
    for (size_t i = 0; i < words; ++i) next.push_back(b_.And(waiting[i], b_.Not(served[i])));
    const ValueId left = words == 1 ? next[0] : b_.Or(next[0], next[1]);
    for (size_t i = 0; i < kept.size(); ++i) {
      next.push_back(b_.Select(same, m_.result(access, kept[i]), before[i + words]));
      replace_.Replace(m_.result(id, kept[i]), m_.result(loop, static_cast<int>(i)));
    }
    const InstId end = b_.If(b_.Ieq(left, b_.Int(0)));
    b_.Continue(next);
    b_.SetRegion(m_.inst(end).regions[0]);
    b_.Break(absl::MakeConstSpan(next).subspan(words));
    b_.SetRegion(m_.inst(end).regions[1]);
    b_.Yield();
    b_.SetInsertionPoint(outer);
  }

  struct First {
    ValueId index, first;
  };

  Module& m_;
  const Features& features_;
  mir::Builder b_;
  const Divergence divergence_;
  const mir::Uses uses_;
  mir::Replacements replace_;
  std::vector<First> firsts_;  // of this region and the enclosing ones
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> LowerNonuniform(Module& module, const Features& features,
                                     PassContext& context) {
  (void)context;
  if (!AnyChosen(module, features)) return false;
  return Lowering(module, features).Run();
}

}  // namespace kiln::mid
