#include "core/mid/control/convert_if_to_select.h"

#include <vector>

#include "core/mid/analysis/alias.h"
#include "core/mid/budgets.h"
#include "core/mir/build.h"
#include "core/mir/rewrite.h"

namespace kiln::mid {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::RegionId;
using mir::ValueId;

// The cost of an instruction in that bound; approximated functions run on the slow unit.
int Cost(Op op) {
  switch (op) {
    case Op::kUdiv:
    case Op::kSdiv:
    case Op::kUrem:
    case Op::kSrem:
    case Op::kSmod:
    case Op::kFdiv:
    case Op::kFrem:
    case Op::kFmod:
    case Op::kFpow: return 8;
    case Op::kFsqrt:
    case Op::kFrsq:
    case Op::kFrcp:
    case Op::kFexp2:
    case Op::kFlog2:
    case Op::kFsin:
    case Op::kFcos:
    case Op::kImul:
    case Op::kUmulHigh:
    case Op::kSmulHigh: return 3;
    default: return 1;
  }
}

bool MayHoist(const Module& m, InstId id) {
  const Inst& inst = m.inst(id);
  const mir::OpInfo& info = mir::Info(inst.op);
  if (IsKnownPush(m, id)) return true;
  // Loads are pure but not cheap; an offset or descriptor may be valid on one side only.
  return info.Has('P') && !info.Has('N') && !info.Has('M') && (inst.flags & mir::kIndexed) == 0;
}

class Flattener {
 public:
  Flattener(Module& module, PassContext& context)
      : m_(module), b_(module), replace_(module), context_(context) {}

  bool Run() {
    Visit(m_.body);
    replace_.Apply(m_);
    return turned_ > 0;
  }

 private:
  void Visit(RegionId region) {
    mir::RewriteRegion(b_, region, [&](InstId id) {
      replace_.Resolve(m_, id);
      for (int r = 0; r < m_.inst(id).num_regions; ++r) Visit(m_.inst(id).regions[r]);
      if (m_.inst(id).op != Op::kIf || CostOf(id) > budgets::kSelectCost || !context_.Rewrite())
        return true;
      Flatten(id);
      ++turned_;
      return false;
    });
  }

  int CostOf(InstId id) const {
    const Inst& inst = m_.inst(id);
    if (inst.num_results == 0)
      return budgets::kSelectCost + 1;  // empty ifs are left to remove_dead_control_flow
    int cost = inst.num_results;
    for (RegionId r : inst.regions) {
      const std::vector<InstId>& insts = m_.region(r).insts;
      if (m_.inst(insts.back()).op != Op::kYield) return budgets::kSelectCost + 1;
      for (size_t i = 0; i + 1 < insts.size(); ++i) {
        if (!MayHoist(m_, insts[i])) return budgets::kSelectCost + 1;
        cost += Cost(m_.inst(insts[i]).op);
        if (cost > budgets::kSelectCost) return cost;
      }
    }
    return cost;
  }

  void Flatten(InstId id) {
    const Inst inst = m_.inst(id);
    for (RegionId r : inst.regions) {
      const std::vector<InstId>& insts = m_.region(r).insts;
      for (size_t i = 0; i + 1 < insts.size(); ++i) b_.Append(insts[i]);
    }
    const InstId yields[2] = {m_.region(inst.regions[0]).insts.back(),
                              m_.region(inst.regions[1]).insts.back()};
    for (int i = 0; i < inst.num_results; ++i) {
      const ValueId then_value = replace_.Find(m_.source(yields[0], i));
      const ValueId else_value = replace_.Find(m_.source(yields[1], i));
      const ValueId merged = then_value == else_value
                                 ? then_value
                                 : b_.Select(m_.source(id, 0), then_value, else_value);
      replace_.Replace(m_.result(id, i), merged);
    }
  }

  Module& m_;
  mir::Builder b_;
  mir::Replacements replace_;
  PassContext& context_;
  int64_t turned_ = 0;
};

}  // namespace

absl::StatusOr<bool> ConvertIfToSelect(Module& module, PassContext& context) {
  return Flattener(module, context).Run();
}

}  // namespace kiln::mid
