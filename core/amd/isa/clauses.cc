#include "core/amd/isa/clauses.h"

namespace kiln::amd::isa {

ClauseKind ClauseKindOf(const Instruction& inst) {
  const OpcodeInfo& info = Info(inst.op);
  // Invalidations of caches and reads of clocks.
  if (info.src[0] == Type::kN && info.src[2] == Type::kN) return ClauseKind::kNone;
  switch (info.encoding) {
    case Encoding::kSmem: return ClauseKind::kScalar;
    case Encoding::kDs: return ClauseKind::kLds;
    case Encoding::kFlat: return ClauseKind::kFlat;
    default: break;
  }
  if (info.unit != Unit::kVectorMemory) return ClauseKind::kNone;
  return GivesNothing(inst) ? ClauseKind::kVectorStore : ClauseKind::kVectorLoad;
}

bool GivesNothing(const Instruction& inst) {
  const OpcodeInfo& info = Info(inst.op);
  if (info.Has(opcode_flag::kAtomic)) return !inst.glc;
  return info.Has(opcode_flag::kStore) || info.dst == Type::kN;
}

bool AccessNearby(const Instruction& a, const Instruction& b) {
  const OpcodeInfo& of_a = Info(a.op);
  const OpcodeInfo& of_b = Info(b.op);
  if (of_a.encoding != of_b.encoding || GivesNothing(a) != GivesNothing(b)) return false;
  if (IsFlatFormat(of_a.encoding)) return true;
  if (of_a.encoding != Encoding::kSmem) return a.src[1] == b.src[1];
  const bool pointers = Dwords(of_a.src[0]) == 2 && Dwords(of_b.src[0]) == 2;
  return pointers || (a.src[0] == b.src[0] && of_a.src[0] == of_b.src[0]);
}

}  // namespace kiln::amd::isa
