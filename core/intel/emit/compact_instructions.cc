#include <cstdint>
#include <optional>

#include "core/intel/emit/passes.h"

namespace kiln::intel {
namespace {

using isa::File;
using isa::Instruction;
using isa::Opcode;
using isa::Operand;
using isa::Program;
using isa::Type;

bool IsDword(Type type) { return type == Type::kUD || type == Type::kD; }

// Returns true if arithmetic keeps the bits: it would quieten a NaN and flush a subnormal.
bool IsOrdinarySingle(uint64_t bits) {
  const uint64_t exponent = bits >> 23 & 0xff, fraction = bits & 0x7fffff;
  return fraction == 0 || (exponent != 0 && exponent != 0xff);
}

// Returns a copy of dwords as a copy of singles, since the compaction tables have few rows of
// integers with one source. A move between equal types without modifiers keeps all bits, and IGC
// makes its copies this way, those of immediates of any value too (isa/ERRATA.md, 27). Immediates
// that arithmetic would change are left alone here.
std::optional<Instruction> AsCopyOfSingles(const Instruction& inst) {
  const Operand& src = inst.src[0];
  if (inst.op != Opcode::kMov || inst.saturate || inst.acc_write ||
      inst.cmod != isa::CondMod::kNone || !IsDword(inst.dst.type) || !IsDword(src.type) ||
      inst.dst.file != File::kGrf || inst.dst.indirect) {
    return std::nullopt;
  }
  const bool same = src.file == File::kImm
                        ? IsOrdinarySingle(src.imm)
                        : src.file == File::kGrf && !src.indirect && !src.negate && !src.absolute;
  if (!same) return std::nullopt;
  Instruction copy = inst;
  copy.dst.type = copy.src[0].type = Type::kF;
  return copy;
}

bool IsShift(Opcode op) { return op == Opcode::kAsr || op == Opcode::kShl; }

// Returns the instruction with a small second source of dwords as a word of the same value: the
// tables have rows of words with signed dwords, and for comparisons have no others. IGC makes every
// immediate that fits a word (visa/BuildIRImpl.cpp, getNewType), and says there that shifts take
// the low five bits of the count, whatever its type.
std::optional<Instruction> WithWordImmediate(const Instruction& inst) {
  const Operand& src = inst.src[1];
  if ((inst.op != Opcode::kCmp && !IsShift(inst.op)) || src.file != File::kImm ||
      inst.src[0].type != Type::kD) {
    return std::nullopt;
  }
  const auto value = static_cast<int32_t>(src.imm);
  if (value != static_cast<int16_t>(value)) return std::nullopt;
  if (src.type != Type::kD && !(src.type == Type::kUD && IsShift(inst.op) && value >= 0)) {
    return std::nullopt;
  }
  Instruction changed = inst;
  changed.src[1].type = Type::kW;
  changed.src[1].imm = static_cast<uint16_t>(value);
  return changed;
}

bool IsCompactable(const Program& p, const Instruction& inst) {
  const auto bytes = isa::EncodeCompacted(p.generation, inst);
  return bytes.ok() && bytes->has_value();
}

// Returns the instruction, or an equivalent one, in a form that can be compacted; absent if there
// is none.
std::optional<Instruction> CompactableForm(const Program& p, const Instruction& inst) {
  if (isa::IsSend(inst.op) || isa::IsBranch(inst.op)) return std::nullopt;
  if (const std::optional<Instruction> copy = AsCopyOfSingles(inst)) {
    return IsCompactable(p, *copy) ? copy : std::nullopt;
  }
  if (IsCompactable(p, inst)) return inst;
  const std::optional<Instruction> with_word = WithWordImmediate(inst);
  return with_word && IsCompactable(p, *with_word) ? with_word : std::nullopt;
}

}  // namespace

int CompactInstructions(Program& p, MayRewrite may_rewrite, void* context) {
  int rewrites = 0;
  for (Instruction& inst : p.insts) {
    std::optional<Instruction> form = CompactableForm(p, inst);
    if (!form) continue;
    if (!may_rewrite(context)) break;
    inst = *form;
    inst.compacted = true;
    ++rewrites;
  }
  return rewrites;
}

}  // namespace kiln::intel
