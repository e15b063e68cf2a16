// What the launch gives: r0, push constants, ids (Intel ABI v2, core/intel/ABI.md).
#include "core/intel/select/selector.h"

#include <bit>
#include <utility>

namespace kiln::intel {

void Selector::DeclareLiveIns() {
  lir::Value reg;
  reg.file = kFileU;
  reg.comps = 8;
  reg.whole_registers = true;
  r0_ = b_.AddLiveIn(reg, 0);
  const uint32_t registers = abi_.cross_thread_registers + abi_.per_thread_registers;
  for (uint32_t i = 0; i < registers; ++i) {
    push_.push_back(b_.AddLiveIn(reg, (kFirstPushRegister + i) * 8));
  }
}

Operand Selector::PushDword(uint32_t byte) const {
  return Use(push_[byte / 32], Type::kUD, static_cast<int>(byte % 32 / 4));
}

// 16-bit lane numbers, made once.
Operand Selector::LaneIds() {
  if (!lane_ids_) {
    const lir::ValueId v = NewG(1, 2);
    const bool outer = std::exchange(in_prologue_, true);
    lir::InstFields fields = Fields(Where::kLanes);
    fields.flags |= lir::kNoMask;
    EmitRaw(kLaneIds, fields, {Use(v, Type::kUW)}, {});
    in_prologue_ = outer;
    lane_ids_ = Use(v, Type::kUW);
  }
  return *lane_ids_;
}

// subgroup id * width + lane.
Operand Selector::LocalIndex() {
  if (!local_index_) {
    const Operand lanes = LaneIds();
    const bool outer = std::exchange(in_prologue_, true);
    const Operand base = Alu(Opcode::kShl, Type::kUD, Where::kUniform,
                             {PushDword(*abi_.subgroup_id),
                              Imm(static_cast<uint32_t>(std::countr_zero(
                                      static_cast<unsigned>(width_))),
                                  Type::kUD)});
    local_index_ = Alu(Opcode::kAdd, Type::kUD, Where::kLanes, {base, lanes});
    in_prologue_ = outer;
  }
  return *local_index_;
}

absl::Status Selector::VisitLaunch(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::ValueId result = m_.result(id);
  switch (inst.op) {
    case mir::Op::kWorkgroupId: {
      static constexpr int kDword[] = {1, 6, 7};  // of r0
      Set(result, Use(r0_, Type::kUD, kDword[inst.imm0]));
      break;
    }
    case mir::Op::kNumWorkgroups:
      Set(result, PushDword(*abi_.num_workgroups + 4 * inst.imm0));
      break;
    case mir::Op::kBaseWorkgroup:
      Set(result, PushDword(*abi_.base_workgroup + 4 * inst.imm0));
      break;
    case mir::Op::kSubgroupId: Set(result, PushDword(*abi_.subgroup_id)); break;
    case mir::Op::kLocalIndex: Set(result, LocalIndex()); break;
    case mir::Op::kSubgroupInvocation:
      Set(result, Mov(Type::kUD, Where::kLanes, LaneIds()));
      break;
    default: return Unexpected(inst, "not a launch value");
  }
  return absl::OkStatus();
}

}  // namespace kiln::intel
