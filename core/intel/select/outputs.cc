// Selects writes to render targets (core/intel/ABI.md, "Fragments").
//
// One message is sent for each render target that is written, ascending; the last of them ends the
// thread, and is marked as the last. Each has, in this order, the sample mask, four components
// (those that are not written are undefined), the second source of blending, depth and stencil. A
// message has those of these parts that the launch record says the program stores, since a message
// of another length hangs; this holds also if a stored value is undefined. The mask is a payload of
// its own, packed words, in front of the rest. Without a render target, the one message goes to no
// target, unless its mask may still have an effect. Programs with kills send the messages for live
// lanes alone; others need no predicate, since hardware drops the writes of helper lanes. Values
// are brought into lanes where they are stored, before any lane comes from an exit.
//
// Source: Mesa 25.0.7, brw_fs_visitor.cpp (emit_fb_writes), brw_lower_logical_sends.cpp.
#include "core/intel/select/outputs.h"

#include <bit>

#include "core/intel/lir/message.h"
#include "core/mid/analysis/stored_output.h"

namespace kiln::intel {

namespace {
constexpr uint32_t kNoLocation = 0xffffffffu;
}  // namespace

absl::Status Outputs::VisitStore(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const absl::StatusOr<mid::StoredOutput> stored = mid::StoredOutputOf(m_, id);
  if (!stored.ok()) return stored.status();
  const mir::Interface& v = *stored->output;
  for (int i = stored->first; i < inst.num_sources; ++i) {
    const mir::ValueId source = m_.source(id, i);
    if (m_.value(source).kind == mir::Value::Kind::kUndef) continue;
    const Operand o = bools_.LaneValue(source);
    switch (v.builtin) {
      case mir::BuiltIn::kFragDepth: depth_ = o; break;
      case mir::BuiltIn::kFragStencilRef: stencil_ = o; break;
      case mir::BuiltIn::kSampleMask:
        if (stored->element == 0) sample_mask_ = o;
        break;
      default: colours_[{stored->location(), v.index}][stored->ComponentOf(inst, i)] = o;
    }
  }
  return absl::OkStatus();
}

// Lanes come to the exit block from the end of the program and from exits.
void Outputs::EnterExitBlock() {
  if (!fragment_.Exits()) return;
  const lir::BlockId end = b_.block();
  const lir::BlockId exit = b_.NewBlock();
  b_.AddEdge(end, exit);
  control_.Enter(exit);
  f_.exit_block = exit;
}

// Alpha to coverage: the first alpha * n of the n samples of a pixel, truncated. None at 0, all at
// 1, and more with larger alpha; Vulkan leaves open which ones ("Multisample Coverage").
void Outputs::MaskByAlpha() {
  constexpr size_t kAlpha = 3;
  const auto colour = colours_.find({0, 0});
  if (colour == colours_.end() || !colour->second[kAlpha]) return;  // not defined
  Extra within;                                                     // 0 to 1; NaN becomes 0
  within.saturate = true;
  const Operand alpha = e_.Alu(Opcode::kMov, Type::kF, Where::kLanes,
                               {Retype(*colour->second[kAlpha], Type::kF)}, within);
  const auto samples = static_cast<float>(abi_.fragment->samples);
  const Operand count = e_.Mov(Type::kUD, Where::kLanes,
                               e_.Alu(Opcode::kMul, Type::kF, Where::kLanes,
                                      {alpha, Imm(std::bit_cast<uint32_t>(samples), Type::kF)}));
  const Operand others =
      e_.Alu(Opcode::kShl, Type::kUD, Where::kLanes, {e_.ToRegister(Imm(~0u, Type::kUD)), count});
  const Operand covered = e_.Alu(Opcode::kNot, Type::kUD, Where::kLanes, {others});
  sample_mask_ = sample_mask_ ? e_.Alu(Opcode::kAnd, Type::kUD, Where::kLanes,
                                       {Retype(*sample_mask_, Type::kUD), covered})
                              : covered;
}

// Fills in depth, stencil and mask that are stored, but undefined.
void Outputs::FillUndefined() {
  const FragmentAbi& f = *abi_.fragment;
  const auto fill = [&](bool asked, std::optional<Operand>& value) {
    if (asked && !value) value = e_.ToLanes(Imm(0, Type::kUD));
  };
  fill(f.depth != out::DepthOutput::kOff, depth_);
  fill(f.writes_stencil, stencil_);
  fill(f.writes_sample_mask, sample_mask_);
}

absl::Status Outputs::EndThread() {
  if (abi_.fragment->masks_by_alpha) MaskByAlpha();
  FillUndefined();
  std::vector<ColourTarget> written;
  for (const ColourTarget& target : abi_.fragment->targets) {
    if (colours_.contains({target.location, 0})) written.push_back(target);
  }
  isa::MessageFields message;
  message.message = isa::Message::kTargetWrite;
  message.lanes = static_cast<uint8_t>(width_ == 8 ? 8 : 16);
  message.form = abi_.fragment->dual_source ? isa::TargetForm::kDualLow
                 : width_ == 8              ? isa::TargetForm::kEight
                                            : isa::TargetForm::kSixteen;
  std::vector<Payloads> payloads;
  for (const ColourTarget& target : written) {
    payloads.push_back(PayloadsOf(target.location, payloads.size() + 1 == written.size()));
  }
  if (written.empty()) {
    payloads.push_back(PayloadsOf(kNoLocation, /*last=*/true));
    message.null_target = !sample_mask_.has_value();
  }
  EnterExitBlock();
  for (size_t i = 0; i < payloads.size(); ++i) {
    if (!written.empty()) {
      message.bti = static_cast<uint8_t>(written[i].surface);
      message.target = static_cast<uint8_t>(written[i].location);
    }
    message.last_target = i + 1 == payloads.size();
    WriteTarget(payloads[i], message);
  }
  return absl::OkStatus();
}

// In front of the exit block, so that values are computed where the message needs them.
Outputs::Payloads Outputs::PayloadsOf(uint32_t location, bool last) {
  Payloads payloads;
  if (sample_mask_) payloads.push_back(Packed(*sample_mask_, 2, last));
  std::vector<Operand> parts;
  for (int index = 0; index < (abi_.fragment->dual_source ? 2 : 1); ++index) {
    const auto colour = colours_.find({location, index});
    for (size_t c = 0; c < 4; ++c) {
      const bool given = colour != colours_.end() && colour->second[c];
      parts.push_back(given ? *colour->second[c] : lir::NoOperand());
    }
  }
  if (depth_) parts.push_back(*depth_);
  if (stencil_) parts.push_back(Packed(*stencil_, 1, /*last=*/false));
  payloads.push_back(Collected(parts, last));
  return payloads;
}

Operand Outputs::Collected(const std::vector<Operand>& parts, bool last) {
  const lir::ValueId payload = e_.NewG(static_cast<int>(parts.size()));
  f_.value(payload).in_tail = last;
  const Operand all = e_.Def(payload, Type::kUD);
  b_.Emit(kCollect, e_.Fields(Where::kLanes), absl::Span<const Operand>(&all, 1), parts);
  return all;
}

// Returns the low bytes of the lanes in one register, for all lanes: those that are off are
// ignored. Words of 16 lanes fill the register; a shorter payload is the first part of a lane's
// dword.
Operand Outputs::Packed(const Operand& lanes, int bytes, bool last) {
  const lir::ValueId packed = e_.NewG(1, width_ * bytes >= 32 ? bytes : 4);
  f_.value(packed).in_tail = last;
  lir::InstFields fields = e_.Fields(Where::kLanes);
  fields.flags |= lir::kNoMask;
  fields.aux = static_cast<uint32_t>(bytes);
  const Operand def = Use(packed, Type::kUD);
  e_.EmitRaw(kPackLanes, fields, {def}, {lanes});
  return def;
}

void Outputs::WriteTarget(const Payloads& payloads, const isa::MessageFields& message) {
  lir::InstFields fields = e_.Fields(Where::kLanes);
  std::vector<Operand> uses = payloads;
  if (abi_.fragment->kills) {
    fields.predicate_mode = static_cast<uint8_t>(isa::PredCtrl::kNormal);
    uses.push_back(*fragment_.LiveLanes());
  }
  fields.aux = AddMessage(f_, {message, false, false});
  b_.Emit(message.last_target ? kMsgTargetEnd : kMsgTarget, fields, {}, uses);
}

}  // namespace kiln::intel
