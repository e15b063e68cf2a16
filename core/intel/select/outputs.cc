// Writes to render targets (core/intel/ABI.md, "Fragments").
//
// One message for each target that is written, ascending; the last of them ends the thread, and says
// that it is the last. Each has four components, of which those that nobody wrote are not defined,
// and the depth, if the program gives one. Without a target the one message goes nowhere. Programs
// that kill send them for live lanes alone; others need not say, since hardware drops what helpers
// write. Values are brought into lanes where they are stored, before any lane comes from an exit.
//
// Source: Mesa 25.0.7, brw_fs_visitor.cpp (emit_fb_writes), brw_lower_logical_sends.cpp.
#include "core/intel/select/outputs.h"

namespace kiln::intel {

absl::Status Outputs::VisitStore(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::Interface& v = m_.outputs[inst.imm0];
  int first = 0;
  uint32_t element = 0;
  if ((inst.flags & mir::kIndexed) != 0) {
    if (!m_.IsConstant(m_.source(id, 0))) {
      return Refuse(inst, "fragment_outputs", "an output that is chosen by value");
    }
    element = static_cast<uint32_t>(m_.value(m_.source(id, 0)).bits);
    first = 1;
  }
  if (v.index != 0 || v.builtin == mir::BuiltIn::kSampleMask ||
      v.builtin == mir::BuiltIn::kFragStencilRef) {
    return Refuse(inst, "fragment_outputs",
                  "a second source of blending, a sample mask or a stencil value");
  }
  if (mir::BitsOf(v.type) != 32) {
    return Refuse(inst, "fragment_outputs", "an output of other than 32 bits");
  }
  for (int i = first; i < inst.num_sources; ++i) {
    const mir::ValueId source = m_.source(id, i);
    if (m_.value(source).kind == mir::Value::Kind::kUndef) continue;
    const Operand o = access_.LaneValue(source);
    if (v.builtin == mir::BuiltIn::kFragDepth) {
      depth_ = o;
    } else {
      const uint32_t c = v.component + inst.imm1 + static_cast<uint32_t>(i - first);
      colours_[v.location + element][c] = o;
    }
  }
  return absl::OkStatus();
}

// Lanes come there from the end of the program and from exits.
void Outputs::EnterExitBlock() {
  if (!fragment_.Exits()) return;
  const lir::BlockId end = b_.block();
  const lir::BlockId exit = control_.NewBlock();
  b_.AddEdge(end, exit);
  control_.Enter(exit);
  f_.exit_block = exit;
}

absl::Status Outputs::EndThread() {
  std::vector<ColourTarget> written;
  for (const ColourTarget& target : abi_.fragment->targets) {
    if (colours_.contains(target.location)) written.push_back(target);
  }
  std::vector<Operand> payloads;
  for (const ColourTarget& target : written) {
    payloads.push_back(PayloadOf(colours_[target.location], payloads.size() + 1 == written.size()));
  }
  isa::MessageFields message;
  message.message = isa::Message::kTargetWrite;
  message.lanes = static_cast<uint8_t>(width_ == 8 ? 8 : 16);
  message.form = width_ == 8 ? isa::TargetForm::kEight : isa::TargetForm::kSixteen;
  if (written.empty()) {
    payloads.push_back(PayloadOf({}, /*last=*/true));
    message.null_target = true;
  }
  EnterExitBlock();
  for (size_t i = 0; i < payloads.size(); ++i) {
    if (!written.empty()) message.bti = message.target = static_cast<uint8_t>(written[i].surface);
    message.last_target = i + 1 == payloads.size();
    WriteTarget(payloads[i], message);
  }
  return absl::OkStatus();
}

// In front of the exit block, so that values are computed where the message wants them.
Operand Outputs::PayloadOf(const Colour& colour, bool last) {
  std::vector<Operand> parts;
  for (const std::optional<Operand>& c : colour) parts.push_back(c ? *c : lir::NoOperand());
  if (depth_) parts.push_back(*depth_);
  const lir::ValueId payload = NewG(static_cast<int>(parts.size()));
  f_.value(payload).in_tail = last;
  const Operand all = Def(payload, Type::kUD);
  b_.Emit(kCollect, Fields(Where::kLanes), absl::Span<const Operand>(&all, 1), parts);
  return all;
}

void Outputs::WriteTarget(const Operand& payload, const isa::MessageFields& message) {
  lir::InstFields fields = Fields(Where::kLanes);
  std::vector<Operand> uses = {payload};
  if (abi_.fragment->kills) {
    fields.predicate_mode = static_cast<uint8_t>(isa::PredCtrl::kNormal);
    uses.push_back(*fragment_.LiveLanes());
  }
  fields.aux = AddMessage(f_, {message, false, false});
  b_.Emit(message.last_target ? kMsgTargetEnd : kMsgTarget, fields, {}, uses);
}

}  // namespace kiln::intel
