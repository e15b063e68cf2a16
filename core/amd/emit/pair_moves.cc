#include "core/amd/emit/pair_moves.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace kiln::amd {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Operand;

constexpr size_t kWindow = 8;

bool IsMove(const Row& row) {
  const Instruction& inst = row.inst;
  if (inst.op != Opcode::kVMovB32 || inst.dpp != isa::Dpp() || inst.sdwa != isa::Sdwa()) {
    return false;
  }
  return (inst.form == isa::Form::kPlain || inst.form == isa::Form::kVop3) && inst.neg == 0 &&
         inst.abs == 0 && !inst.clamp && inst.omod == 0;
}

bool IsInteger(const Operand& o) { return o.code >= isa::kInt0 && o.code <= isa::kIntLast; }
bool IsNegative(const Operand& o) { return o.code >= isa::kIntMinus1; }

// Returns the source of 64 bits whose halves these are. Integers are extended by their sign.
std::optional<Operand> Joined(const Operand& low, const Operand& high) {
  if (low.is_vgpr() && high.code == low.code + 1) return low;
  if (low.code <= isa::kVccLo && low.code % 2 == 0 && high.code == low.code + 1) return low;
  if (!IsInteger(low) || !IsInteger(high)) return std::nullopt;
  const uint16_t extension = IsNegative(low) ? isa::kIntMinus1 : isa::kInt0;
  return high.code == extension ? std::optional(low) : std::nullopt;
}

// Returns the instruction that does both moves.
std::optional<Instruction> Both(const Instruction& a, const Instruction& b) {
  const Instruction &low = a.dst.code < b.dst.code ? a : b, &high = &low == &a ? b : a;
  if (high.dst.code != low.dst.code + 1) return std::nullopt;
  const std::optional<Operand> source = Joined(low.src[0], high.src[0]);
  if (!source) return std::nullopt;
  // Neither may write what the other one reads.
  if (low.dst == high.src[0] || high.dst == low.src[0]) return std::nullopt;
  Instruction both;
  both.op = Opcode::kVLshrrevB64;
  both.dst = low.dst;
  both.src[0] = isa::Source(isa::kInt0);
  both.src[1] = *source;
  return both;
}

// Returns true if one move can change places with another.
bool Commute(const Instruction& a, const Instruction& b) {
  return a.dst != b.dst && a.src[0] != b.dst && a.dst != b.src[0];
}

}  // namespace

void PairMoves(Program& program) {
  std::vector<Row>& rows = program.rows;
  std::vector<bool> is_target(rows.size() + 1), erased(rows.size());
  for (const Row& row : rows) {
    if (row.target != Row::kNoTarget) is_target[static_cast<size_t>(row.target)] = true;
  }
  // Pairs the move with a later one, which comes up to it, or to which it goes down.
  const auto pair = [&](size_t i) {
    bool goes_down = true;
    for (size_t j = i + 1; j < std::min(rows.size(), i + kWindow) && !is_target[j]; ++j) {
      if (erased[j]) continue;
      if (!IsMove(rows[j])) return;
      const std::optional<Instruction> both = Both(rows[i].inst, rows[j].inst);
      const auto comes_up = [&] {
        for (size_t k = i + 1; k < j; ++k) {
          if (!erased[k] && !Commute(rows[j].inst, rows[k].inst)) return false;
        }
        return true;
      };
      if (both && (goes_down || comes_up())) {
        const size_t stays = goes_down ? j : i;
        rows[stays].inst = *both;
        erased[i + j - stays] = true;
        return;
      }
      goes_down = goes_down && Commute(rows[i].inst, rows[j].inst);
    }
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!erased[i] && IsMove(rows[i])) pair(i);
  }
  EraseRows(program, erased);
}

}  // namespace kiln::amd
