// Lowers sampler messages from parameter lists to sends.
//
// Problem: a message takes its parameters in consecutive registers, 11 with the header (PRM, "3D
// Sampler", "Message Length"), for 8 or 16 lanes, and some only for 8. Invariants: SSA in and out;
// afterwards no parameter list is left and every message has one payload, made by a collect if it
// has several parts. Constants become moves into the payload.
//
// Width: the largest that the message has and that fits. A wider thread sends one message for each
// part of its lanes, whose parameters are moved to registers of their own and whose responses are
// joined. A message that is too long for 8 lanes as well is an internal error: mid/lower_gradients
// prevents it. Cost: linear. Not done: 16-bit parameters and results.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/intel/isa/opcodes.h"
#include "core/intel/lir/ops.h"
#include "core/intel/messages/passes.h"
#include "core/intel/messages/payload.h"
#include "core/intel/messages/sampler_op.h"
#include "core/lir/build.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using isa::Type;
using lir::Operand;

constexpr auto kRaw = static_cast<uint8_t>(Type::kUD);

int RegistersOf(const lir::Inst& in, const LirMessage& message, int lanes) {
  return (message.fields.header ? 1 : 0) + ParameterCount(in, message) * (lanes / 8);
}

int LanesOf(const lir::Inst& in, const LirMessage& message) {
  int lanes = std::min<int>(in.width, isa::Info(message.fields.message).most_lanes);
  while (lanes > 8 && RegistersOf(in, message, lanes) > isa::kMaxSamplerPayload) lanes /= 2;
  return lanes;
}

class Lowering {
 public:
  Lowering(lir::Function& f, PassContext& context) : f_(f), context_(context) {}

  absl::StatusOr<bool> Run() {
    bool changed = false;
    for (lir::Block& block : f_.blocks) {
      out_.clear();
      bool here = false;
      for (lir::InstId id : block.insts) {
        if (!IsSamplerList(f_.inst(id).op)) {
          out_.push_back(id);
          continue;
        }
        const lir::Inst& in = f_.inst(id);
        if (RegistersOf(in, MessageOf(f_, in), 8) > isa::kMaxSamplerPayload) {
          return absl::InternalError("a sampler message has more parameters than fit with 8 lanes");
        }
        Lower(id);
        here = true;
      }
      if (here) block.insts = out_;
      changed |= here;
    }
    return changed;
  }

 private:
  void Lower(lir::InstId id) {
    const lir::Inst in = f_.inst(id);
    const std::vector<Operand> uses(f_.uses(id).begin(), f_.uses(id).end());
    const Operand def = f_.defs(id)[0];
    LirMessage message = MessageOf(f_, in);
    const int lanes = LanesOf(in, message);
    message.fields.lanes = static_cast<uint8_t>(lanes);
    if (lanes == in.width) {
      Send(in, message, uses, def, 0);
      return;
    }
    context_.Remark("narrower_message", in.spirv_id,
                    absl::StrCat(isa::Info(message.fields.message).name, ": ", in.width / lanes,
                                 " messages of ", lanes, " lanes"));
    std::vector<Operand> responses;
    for (int group = 0; group < in.width; group += lanes) {
      responses.push_back(NewRegisters(def.comps * lanes / 8));
      Send(in, message, uses, responses.back(), group);
    }
    Emit(kJoin, Fields(in, in.width, 0), {&def, 1}, responses);
  }

  void Send(const lir::Inst& in, const LirMessage& message, const std::vector<Operand>& uses,
            const Operand& def, int group) {
    const int lanes = message.fields.lanes;
    const size_t params = uses.size() - static_cast<size_t>(UsesAfterPayload(in, message));
    std::vector<Operand> parts;
    for (size_t i = 0; i < params; ++i) {
      const bool header = message.fields.header && i == 0;
      parts.push_back(header ? uses[i] : Part(in, uses[i], lanes, group));
    }
    std::vector<Operand> operands = {Together(in, parts, lanes)};
    operands.insert(operands.end(), uses.begin() + params, uses.end());
    lir::InstFields fields = Fields(in, lanes, group);
    fields.flags = in.flags;
    fields.predicate_mode = in.predicate_mode;
    fields.aux = AddMessage(f_, message);
    Emit(in.op == kQuadSampler ? kMsgQuad : kSend, fields, {&def, 1}, operands);
  }

  // Returns a parameter in registers of its own; a value for just these lanes is one already.
  Operand Part(const lir::Inst& in, const Operand& o, int lanes, int group) {
    if (IsValue(o) && lanes == in.width) return o;
    const bool whole = lanes == in.width && (in.flags & lir::kNoMask) == 0;
    const Operand part = whole ? NewLanes() : NewRegisters(lanes / 8);
    lir::InstFields fields = Fields(in, lanes, group);
    // Lanes that are off may be moved as well: the message ignores the contents of their registers.
    if (!whole) fields.flags |= lir::kNoMask;
    Emit(Op(Opcode::kMov), fields, {&part, 1}, {&o, 1});
    return part;
  }

  Operand Together(const lir::Inst& in, const std::vector<Operand>& parts, int lanes) {
    if (parts.size() == 1) return parts[0];
    const Operand all = MakePayload(f_, parts);
    lir::InstFields fields = Fields(in, lanes, 0);
    if (f_.value(parts.back().value()).file == kFileU) fields.flags |= lir::kNoMask;
    Emit(kCollect, fields, {&all, 1}, parts);
    return all;
  }

  static lir::InstFields Fields(const lir::Inst& in, int lanes, int group) {
    lir::InstFields fields;
    fields.width = static_cast<uint8_t>(lanes);
    fields.group = static_cast<uint8_t>(group);
    fields.spirv_id = in.spirv_id;
    return fields;
  }

  Operand New(const lir::Value& v) {
    f_.values.push_back(v);
    return lir::ValueOperand(lir::ValueId(f_.values.size() - 1), kRaw, 0, v.comps);
  }

  Operand NewLanes() {
    lir::Value v;
    v.file = kFileG;
    return New(v);
  }

  Operand NewRegisters(int registers) { return MakeRegisters(f_, registers); }

  void Emit(uint16_t op, const lir::InstFields& fields, absl::Span<const Operand> defs,
            absl::Span<const Operand> uses) {
    out_.push_back(lir::MakeInst(f_, op, fields, defs, uses));
  }

  lir::Function& f_;
  PassContext& context_;
  std::vector<lir::InstId> out_;
};

}  // namespace

absl::StatusOr<bool> LowerSamplers(lir::Function& f, PassContext& context) {
  return Lowering(f, context).Run();
}

}  // namespace kiln::intel
