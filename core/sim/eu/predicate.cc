// Predicate evaluation: the flag bits of the channels, combined over groups, then inverted.
//
// PRM, "Predication": the any/all controls of N channels combine aligned groups of N flag bits,
// whether or not the channels are enabled; inversion comes last. anyv/allv combine f0 and f1.
#include "core/sim/eu/alu.h"

namespace kiln::sim::eu {
namespace {

using isa::PredCtrl;

uint32_t Groups(uint32_t flags, int size, bool all) {
  if (size == 32) return (all ? flags == ~0u : flags != 0) ? ~0u : 0;
  const uint32_t group = (1u << size) - 1;
  uint32_t out = 0;
  for (int i = 0; i < 32; i += size) {
    const uint32_t bits = (flags >> i) & group;
    if (all ? bits == group : bits != 0) out |= group << i;
  }
  return out;
}

uint32_t Controlled(PredCtrl control, uint32_t flags, uint32_t other) {
  switch (control) {
    case PredCtrl::kNone: return ~0u;
    case PredCtrl::kNormal: return flags;
    case PredCtrl::kAnyV: return flags | other;
    case PredCtrl::kAllV: return flags & other;
    case PredCtrl::kAny2h: return Groups(flags, 2, false);
    case PredCtrl::kAll2h: return Groups(flags, 2, true);
    case PredCtrl::kAny4h: return Groups(flags, 4, false);
    case PredCtrl::kAll4h: return Groups(flags, 4, true);
    case PredCtrl::kAny8h: return Groups(flags, 8, false);
    case PredCtrl::kAll8h: return Groups(flags, 8, true);
    case PredCtrl::kAny16h: return Groups(flags, 16, false);
    case PredCtrl::kAll16h: return Groups(flags, 16, true);
    case PredCtrl::kAny32h: return Groups(flags, 32, false);
    case PredCtrl::kAll32h: return Groups(flags, 32, true);
  }
  return ~0u;
}

}  // namespace

uint32_t PredicateMask(const Op& op, const Thread& thread) {
  const isa::Instruction& inst = op.inst;
  if (inst.pred == PredCtrl::kNone) return ~0u;
  const uint32_t flags = thread.FlagBits(inst.flag_nr, inst.flag_subnr);
  const uint32_t other = thread.FlagBits(1 - (inst.flag_nr & 1), inst.flag_subnr);
  const uint32_t mask = Controlled(inst.pred, flags, other);
  return inst.pred_inverse ? ~mask : mask;
}

}  // namespace kiln::sim::eu
