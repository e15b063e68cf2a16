// Walks the blocks of a function, from the block tree of cfg.h to nested `if` and `loop`.
//
// EmitSequence emits a region and returns the labels that control may be going to when the region's
// code ends (a Flow). A block's label children follow its code in the same region. If the whole
// flow goes to the next label, its code simply follows; if only a part does, the code is guarded by
// an `if` on the condition of that part, and the rest bypasses it. regions.h joins the arms of an
// `if`, loops.h handles exits from loops.
#include <vector>

#include "core/front/check/coverage.h"
#include "core/front/emit/emit.h"
#include "core/front/emit/flow/loops.h"
#include "core/front/grammar/spirv_grammar.h"

namespace kiln::front {
namespace {

class ControlFlow : public Loops {
 public:
  using Loops::Loops;

  Flow EmitSequence(uint32_t x, bool loop_body) const;

 private:
  Flow EmitBlock(uint32_t block, uint32_t* next) const;
  Flow EmitTerminator(uint32_t block, const SpirvInst& inst, uint32_t* next) const;
  Flow EmitEdge(uint32_t from, uint32_t to, uint32_t* next) const;
  Flow EmitReturn(const SpirvInst& inst) const;
  void EmitEnd(spv::Op op) const;
};

// Emits from block x to the end of the region. `loop_body`: x is a header, and its body is emitted.
Flow ControlFlow::EmitSequence(uint32_t x, bool loop_body) const {
  std::vector<uint32_t> pending;  // labels whose code is still to be emitted, the next one last
  for (;;) {
    if (!ok()) return {};
    const CfgBlock& block = c_.place.plan->cfg.blocks[x];
    const bool whole_loop = block.loop_header && !loop_body;
    const std::vector<uint32_t>& labels = whole_loop ? block.outside_labels : block.labels;
    pending.insert(pending.end(), labels.rbegin(), labels.rend());
    uint32_t next = kNoBlock;
    Flow flow =
        whole_loop ? EmitLoop(x, [&] { return EmitSequence(x, true); }) : EmitBlock(x, &next);
    loop_body = false;
    while (next == kNoBlock) {
      if (!ok() || flow.empty() || pending.empty()) return flow;
      const uint32_t y = pending.back();
      pending.pop_back();
      const size_t k = FindLabel(flow, y);
      if (k == flow.size()) continue;
      if (flow.size() == 1) {
        next = y;
        break;
      }
      const ValueId condition = flow[k].second;
      Flow rest = flow;
      rest.erase(rest.begin() + k);
      if (rest.size() == 1) rest[0].second = ValueId();
      flow = EmitIf(
          condition, [&] { return EmitSequence(y, false); }, [&] { return rest; });
    }
    x = next;
  }
}

// Emits one block. `next`: set to the block whose code must follow, with an empty flow; or
// kNoBlock.
Flow ControlFlow::EmitBlock(uint32_t block, uint32_t* next) const {
  *next = kNoBlock;
  const SpirvBlock& b = spirv().blocks[c_.place.function->first_block + block];
  bool phis = true;
  for (uint32_t i = b.first; i + 1 < b.end; ++i) {
    const SpirvInst inst = spirv().Inst(spirv().body_offsets[i]);
    e_.errors.set_instruction(spirv().body_offsets[i]);
    if (inst.op == spv::Op::OpSelectionMerge || inst.op == spv::Op::OpLoopMerge) continue;
    if (inst.op == spv::Op::OpPhi) {
      if (!BindPhi(c_, inst, phis)) return {};
      continue;
    }
    phis = false;
    bool returns = true;
    builder().set_spirv_id(inst.result != 0 ? inst.result : inst.operand(1));
    if (!Charge(1) || !EmitInst(c_, inst, &returns)) return {};
    if (!returns) return {};
  }
  e_.errors.set_instruction(spirv().body_offsets[b.end - 1]);
  return EmitTerminator(block, spirv().Inst(spirv().body_offsets[b.end - 1]), next);
}

Flow ControlFlow::EmitTerminator(uint32_t block, const SpirvInst& inst, uint32_t* next) const {
  const auto edge = [&](uint32_t to, bool follows) {
    return EmitEdge(block, to, follows ? next : nullptr);
  };
  switch (inst.op) {
    case spv::Op::OpBranch:
      return edge(spirv().Def(inst.operand(1)).index - c_.place.function->first_block, true);
    case spv::Op::OpBranchConditional: return EmitBranch(c_, inst, edge);
    case spv::Op::OpSwitch: return EmitSwitch(c_, inst, edge);
    case spv::Op::OpReturn:
    case spv::Op::OpReturnValue: return EmitReturn(inst);
    case spv::Op::OpUnreachable: builder().Unreachable(); return {};
    case spv::Op::OpKill:
    case spv::Op::OpTerminateInvocation: EmitEnd(inst.op); return {};
    default: Refuse(CauseOf(inst.op), OpText(inst.op), c_.place.function->id); return {};
  }
}

// Emits an edge. The code of a block that is no label is emitted at the edge to it; if `next` is
// given, the caller emits it.
Flow ControlFlow::EmitEdge(uint32_t from, uint32_t to, uint32_t* next) const {
  if (!ok() || !AssignPhis(c_, from, to)) return {};
  if (IsJump(to)) return Jump(to);
  if (c_.place.plan->cfg.blocks[to].label) return Flow{{to, ValueId()}};
  if (next != nullptr) {
    *next = to;
    return {};
  }
  return EmitSequence(to, false);
}

// Ends the invocation.
void ControlFlow::EmitEnd(spv::Op op) const {
  if (module().stage != mir::Stage::kFragment) {
    Malformed("OpKill or OpTerminateInvocation outside a fragment shader", c_.place.function->id);
    return;
  }
  builder().set_spirv_id(0);
  builder().Kill(op == spv::Op::OpKill ? mir::Op::kDiscard : mir::Op::kTerminate,
                 builder().Bool(true));
  builder().Unreachable();
}

Flow ControlFlow::EmitReturn(const SpirvInst& inst) const {
  if (inst.op == spv::Op::OpReturnValue) {
    Leaves leaves;
    uint32_t type = 0;
    if (Supported(c_.place.function->return_type) == nullptr) return {};
    if (!Get(inst.operand(1), &leaves, &type)) return {};
    if (type != c_.place.function->return_type || c_.place.plan->return_slot == kNoSlot) {
      Malformed("returned value is not of the function's result type", c_.place.function->id);
      return {};
    }
    for (size_t i = 0; i < leaves.size(); ++i) {
      c_.slots.Set(c_.place.plan->return_slot + static_cast<uint32_t>(i), leaves[i]);
    }
  } else if (spirv().Type(c_.place.function->return_type)->kind != SpirvType::kVoid) {
    Malformed("return has no value in a function with a result", c_.place.function->id);
    return {};
  }
  if (IsJump(kReturnLabel)) return Jump(kReturnLabel);
  return Flow{{kReturnLabel, ValueId()}};
}

}  // namespace

bool EmitBody(ImportContext& c, bool* end) {
  Errors& errors = c.emission.errors;
  const Flow flow = ControlFlow(c).EmitSequence(0, false);
  *end = !flow.empty();
  if (errors.ok() && *end && (flow.size() != 1 || flow[0].first != kReturnLabel)) {
    errors.Malformed("control flow is not structured", c.place.function->id);
  }
  return errors.ok();
}

}  // namespace kiln::front
