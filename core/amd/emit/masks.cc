// Pseudo operations on masks of lanes and SCC.
#include "core/amd/emit/operands.h"
#include "core/amd/emit/pseudo.h"

namespace kiln::amd {
namespace {

using isa::Opcode;

isa::Operand Def(Context& c, lir::InstId i, size_t k = 0) {
  return RegisterOf(c.f(), c.f().defs(i)[k]);
}
isa::Operand Use(Context& c, lir::InstId i, size_t k = 0) {
  const lir::Operand& use = c.f().uses(i)[k];
  if (use.kind == lir::Operand::Kind::kImm) return Constant(use.id != 0 ? -1 : 0);
  return RegisterOf(c.f(), use);
}

void EmitSwap(Context& c, isa::Operand a, isa::Operand b) {
  c.Add(c.masks().xor_, Temporary(), a, b);
  c.Add(c.masks().and_, Temporary(), Temporary(), Exec());
  c.Add(c.masks().xor_, a, a, Temporary());
  c.Add(c.masks().xor_, b, b, Temporary());
}

// Only SCC counts.
void EmitAll(Context& c, isa::Operand mask) {
  c.Add(c.masks().and_, Temporary(), mask, Exec());
  c.Add(c.masks().cmp_eq, {}, Temporary(), Exec());
}

void EmitConstantAddress(Context& c, lir::InstId i) {
  const isa::Operand low = Def(c, i), high = isa::Sgpr(low.code + 1);
  c.Add(Opcode::kSGetpcB64, low);
  isa::Instruction add;
  add.op = Opcode::kSAddU32;
  add.dst = low;
  add.src[0] = low;
  add.src[1] = isa::Source(isa::kLiteralCode);
  add.literal = c.f().uses(i)[0].id;
  c.Add(add);
  c.program().rows.back().constant_address = true;
  c.Add(Opcode::kSAddcU32, high, high, Constant(0));
}

void EmitDivFmas(Context& c, lir::InstId i) {
  const MaskOps& ops = c.masks();
  const isa::Operand vcc = isa::Sgpr(isa::kVccLo), mask = Use(c, i, 3);
  const bool elsewhere = !(mask == vcc);
  if (elsewhere) {
    c.Add(ops.mov, Temporary(), vcc);
    c.Add(ops.mov, vcc, mask);
  }
  c.Add(Opcode::kVDivFmasF64, Def(c, i), Use(c, i), Use(c, i, 1), Use(c, i, 2));
  if (elsewhere) c.Add(ops.mov, vcc, Temporary());
}

}  // namespace

void AddMerge(Context& c, isa::Operand def, isa::Operand use) {
  c.Add(c.masks().xor_, def, def, use);
  c.Add(c.masks().andn2, def, def, Exec());
  c.Add(c.masks().xor_, def, def, use);
}

bool EmitMask(Context& c, lir::InstId i) {
  const MaskOps& ops = c.masks();
  switch (c.f().inst(i).op) {
    case kMaskConst: {
      const bool on = c.f().uses(i)[0].id != 0;
      c.Add(ops.mov, Def(c, i), on ? Exec() : Constant(0));
      break;
    }
    case kMaskAnd: c.Add(ops.and_, Def(c, i), Use(c, i), Use(c, i, 1)); break;
    case kMaskAndNot: c.Add(ops.andn2, Def(c, i), Use(c, i), Use(c, i, 1)); break;
    case kMaskOr: c.Add(ops.or_, Def(c, i), Use(c, i), Use(c, i, 1)); break;
    case kMaskXor: c.Add(ops.xor_, Def(c, i), Use(c, i), Use(c, i, 1)); break;
    case kMaskNot: c.Add(ops.andn2, Def(c, i), Exec(), Use(c, i)); break;
    case kHelperMask: c.Add(ops.andn2, Def(c, i), Exec(), LiveLanes()); break;
    case kMaskOfScc: c.Add(ops.cselect, Def(c, i), Constant(-1), Constant(0)); break;
    case kMaskAny: c.Add(ops.and_, Temporary(), Use(c, i), Exec()); break;
    case kMaskAll: EmitAll(c, Use(c, i)); break;
    case kMaskBits: c.Add(ops.and_, Def(c, i), Use(c, i), Exec()); break;
    case kMaskOfBits: c.Add(ops.mov, Def(c, i), Use(c, i)); break;
    case kExecBits: c.Add(ops.mov, Def(c, i), Exec()); break;
    case kMaskMerge: AddMerge(c, Def(c, i), Use(c, i)); break;
    case kMaskSwap: EmitSwap(c, Def(c, i), Def(c, i, 1)); break;
    case kSaveScc: c.Add(Opcode::kSCselectB32, Def(c, i), Constant(1), Constant(0)); break;
    case kRestoreScc: c.Add(Opcode::kSCmpLgU32, {}, Use(c, i), Constant(0)); break;
    case kDivFmas: EmitDivFmas(c, i); break;
    case kConstantAddress: EmitConstantAddress(c, i); break;
    default: return false;
  }
  return true;
}

}  // namespace kiln::amd
