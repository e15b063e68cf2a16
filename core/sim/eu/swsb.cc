// See swsb.h.
#include "core/sim/eu/swsb.h"

#include "core/intel/isa/opcodes.h"

namespace kiln::sim::eu {

bool IsUnordered(const Op& op) {
  return isa::IsSend(op.inst.op) || op.inst.op == isa::Opcode::kMath;
}

Swsb SwsbOf(const Op& op) {
  Swsb s;
  const uint8_t v = op.inst.swsb;
  if (v & 0x80) {
    s.distance = (v >> 4) & 7;
    (IsUnordered(op) ? s.set : s.dst) = v & 15;
    return s;
  }
  switch (v >> 4) {
    case 0:
      s.distance = v & 15;
      s.valid = s.distance <= 7;
      break;
    case 2: s.dst = v & 15; break;
    case 3: s.src = v & 15; break;
    case 4: s.set = v & 15; break;
    default: s.valid = false;
  }
  return s;
}

TokenWaits TokenWaitsOf(const Op& op) {
  const auto bit = [](int token) { return static_cast<uint16_t>(token < 0 ? 0 : 1u << token); };
  const Swsb s = SwsbOf(op);
  TokenWaits waits{static_cast<uint16_t>(bit(s.dst) | bit(s.set)), bit(s.src)};
  if (op.inst.op != isa::Opcode::kSync) return waits;
  const auto mask = static_cast<uint16_t>(
      op.inst.src[0].file == isa::File::kImm ? op.inst.src[0].imm : uint64_t{0xffff});
  if (op.inst.sync == isa::SyncFunction::kAllWr) waits.dst |= mask;
  if (op.inst.sync == isa::SyncFunction::kAllRd) waits.src |= mask;
  return waits;
}

}  // namespace kiln::sim::eu
