#include "core/intel/isa/computed_descriptors.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/intel/isa/opcodes.h"

namespace kiln::intel::isa {
namespace {

constexpr int32_t kReach = 32;

// Returns, for each instruction, whether a branch may go to it.
std::vector<bool> Joins(const Program& p) {
  std::vector<bool> joins(p.insts.size() + 1);
  for (const BranchTargets& t : p.targets) {
    if (t.jip != kNoTarget) joins[static_cast<size_t>(t.jip)] = true;
    if (t.uip != kNoTarget) joins[static_cast<size_t>(t.uip)] = true;
  }
  return joins;
}

bool WritesAddress(const Instruction& inst) {
  return !IsSend(inst.op) && inst.dst.file == File::kArf && inst.dst.arf == Arf::kAddress;
}

// Returns the immediate from which a dword of a0 was made for the instruction `at`.
std::optional<uint32_t> KnownPart(const Program& p, const std::vector<bool>& joins, int32_t at,
                                  int dword) {
  for (int32_t i = at - 1; i >= 0 && i >= at - kReach; --i) {
    if (joins[static_cast<size_t>(i) + 1]) return std::nullopt;
    const Instruction& inst = p.insts[static_cast<size_t>(i)];
    if (IsBranch(inst.op)) return std::nullopt;
    if (!WritesAddress(inst)) continue;
    const bool scalar_dword = inst.exec_size == 1 && ByteSize(inst.dst.type) == 4;
    if (scalar_dword && inst.dst.subnr != 4 * dword) continue;
    const bool known = scalar_dword && (inst.op == Opcode::kOr || inst.op == Opcode::kAdd) &&
                       inst.src[1].file == File::kImm && inst.pred == PredCtrl::kNone;
    if (!known) return std::nullopt;
    return static_cast<uint32_t>(inst.src[1].imm);
  }
  return std::nullopt;
}

}  // namespace

void NoteComputedDescriptors(Program& p) {
  const std::vector<bool> joins = Joins(p);
  for (size_t i = 0; i < p.insts.size(); ++i) {
    SendFields& send = p.insts[i].send;
    if (!IsSend(p.insts[i].op)) continue;
    const auto at = static_cast<int32_t>(i);
    if (send.desc_is_register) send.desc = KnownPart(p, joins, at, 0).value_or(0);
    if (send.ex_desc_is_register) {
      send.ex_desc = KnownPart(p, joins, at, send.ex_desc_address).value_or(0);
    }
  }
}

}  // namespace kiln::intel::isa
