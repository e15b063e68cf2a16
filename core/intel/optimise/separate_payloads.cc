// Gives the two payloads of a message different registers.
//
// Problem: the payloads of a send must not overlap (PRM volume 2a, sends), but in SSA form the same
// value may be both address and data: `buffer[i] = i`. Invariants: SSA in and out. Needed for
// correctness, so neither optional nor bisected; runs after the passes that could undo the copy,
// and before scheduling. The copy is a move, not the kCopy that the allocator may drop. Cost:
// linear.
#include <utility>
#include <vector>

#include "core/intel/isa/opcodes.h"
#include "core/intel/lir/message.h"
#include "core/intel/lir/ops.h"
#include "core/intel/optimise/passes.h"
#include "core/lir/build.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using isa::Type;
using lir::Operand;

constexpr auto kRaw = static_cast<uint8_t>(Type::kUD);
constexpr uint8_t kDwordsOfRegister = 8;

bool Overlap(const Operand& a, const Operand& b) {
  return IsValue(a) && IsValue(b) && a.id == b.id && a.comp < b.comp + b.comps &&
         b.comp < a.comp + a.comps;
}

bool HasTwoPayloads(const lir::Function& f, const lir::Inst& in) {
  return IsMessage(in.op) && PayloadCount(f, in) == 2;
}

// Returns a copy of `o`, made by instructions appended to `out`.
Operand Copy(lir::Function& f, const lir::Inst& message, const Operand& o,
             std::vector<lir::InstId>& out) {
  lir::InstFields fields;
  fields.width = message.width;
  fields.group = message.group;
  fields.flags = message.flags & lir::kNoMask;
  fields.spirv_id = message.spirv_id;
  const lir::Value from = f.value(o.value());
  const auto new_value = [&](uint16_t comps) {
    lir::Value v = from;
    v.comps = comps;
    f.values.push_back(v);
    return lir::ValueId(f.values.size() - 1);
  };
  // A component of lanes, or a register.
  const uint16_t step = from.file == kFileG ? 1 : kDwordsOfRegister;
  if (from.file != kFileG) {
    fields.width = kDwordsOfRegister;
    fields.group = 0;
    fields.flags = lir::kNoMask;
  }
  std::vector<Operand> parts;
  for (uint16_t i = 0; i < o.comps; i = static_cast<uint16_t>(i + step)) {
    const Operand source =
        lir::ValueOperand(o.value(), kRaw, static_cast<uint16_t>(o.comp + i), step);
    const Operand part = lir::ValueOperand(new_value(step), kRaw, 0, step);
    const uint16_t op = from.elem_bytes == 8 ? uint16_t{kCopy} : Op(Opcode::kMov);
    out.push_back(lir::MakeInst(f, op, fields, {&part, 1}, {&source, 1}));
    parts.push_back(part);
  }
  if (parts.size() == 1) return parts[0];
  const Operand all = lir::ValueOperand(new_value(o.comps), kRaw, 0, o.comps);
  out.push_back(lir::MakeInst(f, kCollect, fields, {&all, 1}, parts));
  return all;
}

}  // namespace

absl::StatusOr<bool> SeparatePayloads(lir::Function& f, PassContext&) {
  bool changed = false;
  for (lir::Block& block : f.blocks) {
    std::vector<lir::InstId> list;
    list.reserve(block.insts.size());
    for (lir::InstId id : block.insts) {
      const lir::Inst message = f.inst(id);
      if (HasTwoPayloads(f, message) && Overlap(f.uses(id)[0], f.uses(id)[1])) {
        // The shorter payload is copied: as a rule, the address.
        const int which = f.uses(id)[0].comps <= f.uses(id)[1].comps ? 0 : 1;
        // MakeInst may move the operands in memory, so no reference is held across it.
        const Operand original = f.uses(id)[which];
        const Operand copy = Copy(f, message, original, list);
        f.uses(id)[which] = copy;
        changed = true;
      }
      list.push_back(id);
    }
    block.insts = std::move(list);
  }
  return changed;
}

}  // namespace kiln::intel
