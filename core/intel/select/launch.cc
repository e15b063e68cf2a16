// Selects the data of the launch: r0, push constants, ids (core/intel/ABI.md).
#include "core/intel/select/launch.h"

#include <bit>

namespace kiln::intel {

void Launch::DeclareLiveIns() {
  lir::Value reg;
  reg.file = kFileU;
  reg.comps = 8;
  reg.whole_registers = true;
  r0_ = b_.AddLiveIn(reg, 0);
  f_.scratch_header = r0_;  // it also ends the thread, so it stays live
  const uint32_t registers = abi_.cross_thread_registers + abi_.per_thread_registers;
  for (uint32_t i = 0; i < registers; ++i) {
    push_.push_back(b_.AddLiveIn(reg, (at_width_.first_push_register + i) * 8));
  }
}

Operand Launch::PushDword(uint32_t byte) const {
  return Use(push_[byte / 32], Type::kUD, static_cast<int>(byte % 32 / 4));
}

// 16-bit lane numbers, made once.
Operand Launch::LaneIds() {
  if (!lane_ids_) {
    const lir::ValueId v = e_.NewG(1, 2);
    const lir::SelectionBuilder::Prologue prologue(b_);
    lir::InstFields fields = e_.Fields(Where::kLanes);
    fields.flags |= lir::kNoMask;
    e_.EmitRaw(kLaneIds, fields, {Use(v, Type::kUW)}, {});
    lane_ids_ = Use(v, Type::kUW);
  }
  return *lane_ids_;
}

// subgroup id * width + lane.
Operand Launch::LocalIndex() {
  if (!local_index_) {
    const Operand lanes = LaneIds();
    const lir::SelectionBuilder::Prologue prologue(b_);
    const Operand base = e_.Alu(
        Opcode::kShl, Type::kUD, Where::kUniform,
        {PushDword(*abi_.subgroup_id),
         Imm(static_cast<uint32_t>(std::countr_zero(static_cast<unsigned>(width_))), Type::kUD)});
    local_index_ = e_.Alu(Opcode::kAdd, Type::kUD, Where::kLanes, {base, lanes});
  }
  return *local_index_;
}

absl::Status Launch::VisitLaunch(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::ValueId result = m_.result(id);
  switch (inst.op) {
    case mir::Op::kWorkgroupId: {
      static constexpr int kDword[] = {1, 6, 7};  // of r0
      e_.Set(result, Use(r0_, Type::kUD, kDword[inst.imm0]));
      break;
    }
    case mir::Op::kNumWorkgroups:
      e_.Set(result, PushDword(*abi_.num_workgroups + 4 * inst.imm0));
      break;
    case mir::Op::kBaseWorkgroup:
      e_.Set(result, PushDword(*abi_.base_workgroup + 4 * inst.imm0));
      break;
    case mir::Op::kSubgroupId: e_.Set(result, PushDword(*abi_.subgroup_id)); break;
    case mir::Op::kLocalIndex: e_.Set(result, LocalIndex()); break;
    case mir::Op::kSubgroupInvocation:
      e_.Set(result, e_.Mov(Type::kUD, Where::kLanes, LaneIds()));
      break;
    default: return e_.Unexpected(inst, "not a launch value");
  }
  return absl::OkStatus();
}

void Launch::EndThread() {
  const Operand payload = e_.LanePart(Use(r0_, Type::kUD, 0, 8), 8, 0);
  f_.value(payload.value()).in_tail = true;
  e_.EmitRaw(kEot, e_.UniformFields(8), {}, {payload});
}

}  // namespace kiln::intel
