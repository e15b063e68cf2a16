#include "core/intel/emit/headers.h"

#include <algorithm>
#include <cassert>

#include "core/intel/abi/width_abi.h"
#include "core/intel/emit/operands.h"
#include "core/intel/lir/machine.h"
#include "core/intel/lir/message.h"
#include "core/intel/lir/ops.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using isa::Type;
using lir::Operand;

constexpr uint32_t kDwordsPerOword = 4;

// Returns one dword of a header register.
isa::Operand HeaderDword(const Operand& header, int dword, bool source) {
  isa::Operand o = Payload(header);
  o.subnr = static_cast<uint8_t>(4 * dword);
  if (source) o.region = {0, 1, 0};
  return o;
}

}  // namespace

void ClearHeader(EmitContext& em, const lir::Inst& in, const Operand& header) {
  isa::Instruction clear = em.Head(in, Opcode::kMov, 8, 0);
  clear.dst = Payload(header);
  clear.src[0] = ImmediateOperand(0, Type::kUD);
  em.p.Append(clear);
}

void MaskInto(EmitContext& em, const lir::Inst& in, const Operand& header, int dword,
              const Operand& from, uint32_t mask) {
  isa::Instruction e = em.Head(in, Opcode::kAnd, 1, 0);
  e.dst = HeaderDword(header, dword, false);
  e.src[0] = HeaderDword(from, dword, true);
  e.src[1] = ImmediateOperand(mask, Type::kUD);
  em.p.Append(e);
}

absl::Status EmitHeader(EmitContext& em, lir::InstId id) {
  const lir::Inst& in = em.f.inst(id);
  isa::Instruction set = em.Head(in, Opcode::kMov, 8, 0);
  set.dst = Payload(em.f.defs(id)[0]);
  set.src[0] = Source(em.f, em.f.uses(id)[0], 8, 0);
  em.p.Append(set);
  return absl::OkStatus();
}

absl::Status EmitScratchHeader(EmitContext& em, lir::InstId id) {
  const lir::Inst& in = em.f.inst(id);
  ClearHeader(em, in, em.f.defs(id)[0]);
  MaskInto(em, in, em.f.defs(id)[0], 3, em.f.uses(id)[0], 0xf);
  MaskInto(em, in, em.f.defs(id)[0], 5, em.f.uses(id)[0], 0xfffffc00u);
  // Without an offset, the header is for private arrays, which follow the spilled values.
  const uint32_t arrays = in.num_uses == 1 ? ArraysAt(4 * em.f.spill_units) : 0;
  if (arrays != 0) AddToHeader(em, in, em.f.defs(id)[0], 5, arrays);
  if (in.num_uses == 2) {
    isa::Instruction e = em.Head(in, Opcode::kMov, 1, 0);
    e.dst = HeaderDword(em.f.defs(id)[0], 2, false);
    e.src[0] = ImmediateOperand(em.f.uses(id)[1].id / kDwordsPerOword, Type::kUD);
    em.p.Append(e);
  }
  return absl::OkStatus();
}

void AddToHeader(EmitContext& em, const lir::Inst& in, const Operand& header, int dword,
                 uint32_t bytes) {
  isa::Instruction e = em.Head(in, Opcode::kAdd, 1, 0);
  e.no_mask = true;
  e.dst = HeaderDword(header, dword, false);
  e.src[0] = HeaderDword(header, dword, true);
  e.src[1] = ImmediateOperand(bytes, Type::kUD);
  em.p.Append(e);
}

absl::Status EmitSamplerHeader(EmitContext& em, lir::InstId id) {
  const lir::Inst& in = em.f.inst(id);
  const Operand& header = em.f.defs(id)[0];
  ClearHeader(em, in, header);
  isa::Instruction set = em.Head(in, Opcode::kMov, 1, 0);
  set.dst = HeaderDword(header, 2, false);
  const bool chosen = in.op == kChosenSamplerHeader;
  set.src[0] = chosen ? Source(em.f, em.f.uses(id)[1], 1, 0) : ImmediateOperand(in.aux, Type::kUD);
  if (chosen || in.aux != 0) em.p.Append(set);
  const uint32_t at = chosen ? 2 : 1;
  if (in.num_uses > at) {
    isa::Instruction handle = em.Head(in, Opcode::kMov, 1, 0);
    handle.dst = HeaderDword(header, 3, false);
    handle.src[0] = Source(em.f, em.f.uses(id)[at], 1, 0);
    em.p.Append(handle);
  } else {
    MaskInto(em, in, header, 3, em.f.uses(id)[0], 0xffffffe0u);
  }
  return absl::OkStatus();
}

}  // namespace kiln::intel
