#include "core/amd/select/launch.h"

#include <algorithm>

namespace kiln::amd {

void Launch::DeclareLiveIns() {
  scalars_.resize(abi_.start_sgprs);
  const auto declare = [&](uint32_t sgpr) {
    lir::Value v;
    v.file = kFileS;
    scalars_[sgpr] = Use(b_.AddLiveIn(v, UnitOfSgpr(sgpr)));
  };
  if (abi_.kind == AbiKind::kKernarg) {
    lir::Value segment;  // one value, so that loads take the pair as it is
    segment.file = kFileS;
    segment.comps = 2;
    const lir::ValueId pair = b_.AddLiveIn(segment, UnitOfSgpr(kKernargSgpr));
    for (uint32_t i = 0; i < 2; ++i) scalars_[kKernargSgpr + i] = Use(pair, static_cast<int>(i));
    for (uint32_t sgpr = abi_.user_sgprs; sgpr < abi_.start_sgprs; ++sgpr) declare(sgpr);
  } else {
    const uint32_t first = abi_.vertex ? abi_.first_user_sgpr : kScratchSgpr + 2;
    for (uint32_t sgpr = first; sgpr < abi_.start_sgprs; ++sgpr) {
      if (BecomesAddress(sgpr)) {
        lir::Value pair;
        pair.file = kFileS;
        pair.comps = 2;
        scalars_[sgpr] = Use(b_.AddLiveIn(pair, UnitOfSgpr(sgpr)), 0, 2);
        ++sgpr;  // prim_mask, or behind the last one
        if (sgpr < abi_.start_sgprs) scalars_[sgpr] = e_.Component(scalars_[sgpr - 1], 1);
        continue;
      }
      declare(sgpr);
    }
  }
  if (abi_.vertex && abi_.vertex->culls) {
    declare(kGroupSgpr);
    declare(kWaveSgpr);
  }
  for (uint32_t i = 0; i < abi_.push_dwords; ++i) push_.push_back(scalars_[abi_.push_sgpr + i]);
  if (m_.stage != mir::Stage::kCompute) return;
  for (uint32_t i = 0; i < abi_.local_ids; ++i) {
    lir::Value v;
    v.file = kFileV;
    local_id_[i] = Use(b_.AddLiveIn(v, i));
  }
}

// Returns true for the low half of an address beside a register that the program hardly reads: the
// other half can be made there. prim_mask is in m0 by then.
bool Launch::BecomesAddress(uint32_t sgpr) const {
  const bool address =
      std::count(abi_.descriptor_sgprs.begin(), abi_.descriptor_sgprs.end(), sgpr) != 0;
  const bool free =
      sgpr + 1 == abi_.start_sgprs || (abi_.fragment && abi_.fragment->prim_mask == sgpr + 1);
  return address && sgpr % 2 == 0 && free;
}

Operand Launch::Address(uint32_t sgpr) {
  addresses_.resize(abi_.start_sgprs);
  Operand& address = addresses_[sgpr];
  if (!Exists(address)) {
    const lir::SelectionBuilder::Prologue prologue(b_);
    const bool kernel = abi_.kind == AbiKind::kKernarg;
    address =
        Scalar(sgpr).comps == 2
            ? e_.Pseudo(kWithHigh, kFileS, 2, {Scalar(sgpr), Imm(kAddressHigh)})
            : e_.Vector({Scalar(sgpr), kernel ? Scalar(sgpr + 1) : Imm(kAddressHigh)}, kFileS);
  }
  return address;
}

// Word 3: DST_SEL x y z w, a format of 32 bits, RESOURCE_LEVEL, OOB_SELECT 3 (raw), as Mesa 25.0.7
// has it for raw buffers (ac_descriptors.c).
Operand Launch::RawBuffer(const Operand& address, const Operand& bytes) {
  constexpr uint32_t kRaw = 0x31016fac;
  const Operand high = e_.Salu(Opcode::kSAndB32, {e_.Component(address, 1), Imm(0xffff)});
  return e_.Vector({e_.Component(address, 0), high, bytes, Imm(kRaw)}, kFileS);
}

Operand Launch::Argument(uint32_t offset) {
  Operand& loaded = arguments_[offset];
  if (Exists(loaded)) return loaded;
  const lir::SelectionBuilder::Prologue prologue(b_);
  Extra extra;
  extra.offset = static_cast<int32_t>(offset);
  loaded = Use(e_.New(kFileS));
  e_.EmitRaw(Op(Opcode::kSLoadDword), {loaded}, {Address(kKernargSgpr), lir::NoOperand()}, extra);
  return loaded;
}

Operand Launch::NumWorkgroups(uint32_t dimension) {
  if (abi_.kind == AbiKind::kKernarg) return Argument(*abi_.num_workgroups_offset + 4 * dimension);
  return Scalar(*abi_.num_workgroups + dimension);
}

Operand Launch::BaseWorkgroup(uint32_t dimension) {
  if (abi_.kind == AbiKind::kKernarg) return Argument(*abi_.base_workgroup_offset + 4 * dimension);
  return Scalar(*abi_.base_workgroup + dimension);
}

// The x dimension runs fastest.
Operand Launch::LocalIndex() {
  Operand index = local_id_[0];
  uint32_t factor = m_.local_size[0];
  for (uint32_t i = 1; i < abi_.local_ids; ++i) {
    const bool power = (factor & (factor - 1)) == 0;
    if (power) {
      uint32_t shift = 0;
      while ((1u << shift) != factor) ++shift;
      index = e_.Valu(Opcode::kVLshlOrB32, {local_id_[i], Imm(shift), index});
    } else {
      index = e_.Valu(Opcode::kVMadU32U24, {local_id_[i], Imm(factor), index});
    }
    factor *= m_.local_size[i];
  }
  return index;
}

// Bits 24:20 of the word that the hardware gives.
Operand Launch::SubgroupId() {
  return e_.Salu(Opcode::kSBfeU32, {Scalar(*abi_.wave_word), Imm(5u << 16 | 20)});
}

// The hardware counts from the dispatch's base (COMPUTE_START_X to Z; Mesa 25.0.7,
// radv_cmd_buffer.c), the module from 0. A program that does not read the base is launched without
// one (out::LaunchRecord, requires_zero_base).
Operand Launch::WorkgroupId(uint32_t component) {
  const Operand id = Scalar(*abi_.workgroup_id[component]);
  if (!abi_.base_workgroup) return id;
  return e_.Salu(Opcode::kSSubU32, {id, Scalar(*abi_.base_workgroup + component)});
}

// s_memtime counts cycles of the shader's clock, s_memrealtime those of one that all of the device
// has and that never changes its speed (ISA guide, 8.2; Mesa 25.0.7, nir_intrinsic_shader_clock).
void Launch::VisitClock(mir::InstId id) {
  const bool device = m_.inst(id).imm1 == static_cast<uint32_t>(mir::Scope::kDevice);
  const Operand time = Use(e_.New(kFileS, 2), 0, 2);
  e_.EmitRaw(Op(device ? Opcode::kSMemrealtime : Opcode::kSMemtime), {time}, {});
  for (int i = 0; i < 2; ++i) e_.Set(m_.result(id, i), e_.Component(time, i));
}

absl::Status Launch::VisitLaunch(mir::InstId id) {
  using mir::Op;
  const mir::Inst& inst = m_.inst(id);
  const mir::ValueId result = m_.result(id);
  switch (inst.op) {
    case Op::kWorkgroupId: e_.Set(result, WorkgroupId(inst.imm0)); break;
    case Op::kNumWorkgroups: e_.Set(result, NumWorkgroups(inst.imm0)); break;
    case Op::kBaseWorkgroup: e_.Set(result, BaseWorkgroup(inst.imm0)); break;
    case Op::kLocalIndex: e_.Set(result, LocalIndex()); break;
    case Op::kSubgroupId: e_.Set(result, SubgroupId()); break;
    default: return e_.Unexpected("no value of the launch");
  }
  return absl::OkStatus();
}

}  // namespace kiln::amd
