// See relative.h.
#include "core/sim/rdna2/relative.h"

namespace kiln::sim::rdna2 {
namespace {

using isa::Opcode;

// Which operands are displaced, and by what: all of M0, or a field each.
enum class Kind : uint8_t { kNone, kSource, kDestination, kBoth, kFieldsOf8, kFieldsOf10 };

Kind KindOf(Opcode op) {
  switch (op) {
    case Opcode::kVMovrelsB32:
    case Opcode::kSMovrelsB32:
    case Opcode::kSMovrelsB64: return Kind::kSource;
    case Opcode::kVMovreldB32:
    case Opcode::kSMovreldB32:
    case Opcode::kSMovreldB64: return Kind::kDestination;
    case Opcode::kVMovrelsdB32: return Kind::kBoth;
    case Opcode::kVMovrelsd2B32:
    case Opcode::kVSwaprelB32: return Kind::kFieldsOf8;
    case Opcode::kSMovrelsd2B32: return Kind::kFieldsOf10;
    default: return Kind::kNone;
  }
}

}  // namespace

bool IsRelativeMove(Opcode op) { return KindOf(op) != Kind::kNone; }

RelativeOperands RelativeOperandsOf(const Op& op, const WaveState& wave) {
  const uint32_t m0 = wave.scalar[isa::kM0];
  uint32_t from = m0, to = m0;
  switch (KindOf(op.inst.op)) {
    case Kind::kSource: to = 0; break;
    case Kind::kDestination: from = 0; break;
    case Kind::kFieldsOf8: from = m0 & 0xff, to = m0 >> 16 & 0xff; break;
    case Kind::kFieldsOf10: from = m0 & 0x3ff, to = m0 >> 16 & 0x3ff; break;
    case Kind::kBoth: break;
    case Kind::kNone: from = to = 0;
  }
  const isa::Operand source = op.inst.src[0];
  if (!source.is_vgpr() && !(source.is_scalar_register() && !op.inst.dst.is_vgpr())) from = 0;
  return {uint64_t{source.code} + from, uint64_t{op.inst.dst.code} + to};
}

}  // namespace kiln::sim::rdna2
