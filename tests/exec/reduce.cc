#include "tests/exec/reduce.h"

#include <vector>

#include "core/base/bitset.h"
#include "core/mir/build.h"
#include "core/mir/uses.h"
#include "core/mir/verify.h"

namespace kiln::exec {
namespace {

using mir::InstId;
using mir::Module;
using mir::Op;

bool SaysWhichLane(Op op) {
  switch (op) {
    case Op::kSubgroupInvocation:
    case Op::kSubgroupSize:
    case Op::kHelperInvocation:
    case Op::kBallot:
    case Op::kLoadInput: return true;
    default: return false;
  }
}

// Returns true if a value is computed from such ops; values that it merely selects are not.
bool DependsOnLane(const Module& m, mir::ValueId v, int depth) {
  if (m.value(v).kind != mir::Value::Kind::kResult || depth == 0) return false;
  const InstId id(m.value(v).owner);
  const Op op = m.inst(id).op;
  if (SaysWhichLane(op)) return true;
  if (!mir::Info(op).Has('P') || op == Op::kSelect) return false;
  for (mir::ValueId source : m.sources(id)) {
    if (DependsOnLane(m, source, depth - 1)) return true;
  }
  return false;
}

bool MayGo(const Module& m, const mir::Uses& uses, InstId id) {
  constexpr int kDepth = 6;
  const mir::Inst& inst = m.inst(id);
  if (mir::Info(inst.op).Has('T')) return false;
  for (int i = 0; i < inst.num_results; ++i) {
    if (!uses.Unused(m.result(id, i)) && DependsOnLane(m, m.result(id, i), kDepth)) return false;
  }
  return true;
}

Module Without(const Module& module, InstId id) {
  Module m = module;
  mir::Builder b(m);
  mir::Replacements replacements(m);
  for (int i = 0; i < m.inst(id).num_results; ++i) {
    const mir::ValueId v = m.result(id, i);
    replacements.Replace(v, b.Constant(m.value(v).type, 0));
  }
  replacements.Apply(m);
  BitSet dead(m.insts.size());
  dead.set(id.index);
  mir::RemoveInsts(m, dead);
  mir::Compact(m);
  return m;
}

}  // namespace

Module Reduced(const Module& module, const std::function<bool(const Module&)>& fails) {
  Module m = module;
  for (bool smaller = true; smaller;) {
    smaller = false;
    // Goes from the end, so that values without uses left are removed in the same round.
    for (size_t back = 0;; ++back) {
      std::vector<InstId> order;
      mir::ForEachInst(m, m.body, [&](InstId id) { order.push_back(id); });
      if (back >= order.size()) break;
      const InstId id = order[order.size() - 1 - back];
      if (!MayGo(m, mir::Uses(m), id)) continue;
      Module candidate = Without(m, id);
      if (!mir::Verify(candidate).ok() || !fails(candidate)) continue;
      m = std::move(candidate);
      smaller = true;
      --back;
    }
  }
  return m;
}

}  // namespace kiln::exec
