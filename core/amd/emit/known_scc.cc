#include "core/amd/emit/known_scc.h"

#include <algorithm>
#include <vector>

#include "core/amd/isa/operands.h"

namespace kiln::amd {
namespace {

using isa::Opcode;

// Returns true if SCC becomes 1 if and only if the result is not 0 (ISA guide, 12.1 and 12.3).
bool TellsNonzero(Opcode op) {
  switch (op) {
    case Opcode::kSAndB32:
    case Opcode::kSAndB64:
    case Opcode::kSOrB32:
    case Opcode::kSOrB64:
    case Opcode::kSXorB32:
    case Opcode::kSXorB64:
    case Opcode::kSAndn2B32:
    case Opcode::kSAndn2B64:
    case Opcode::kSOrn2B32:
    case Opcode::kSOrn2B64:
    case Opcode::kSNandB32:
    case Opcode::kSNandB64:
    case Opcode::kSNorB32:
    case Opcode::kSNorB64:
    case Opcode::kSXnorB32:
    case Opcode::kSXnorB64:
    case Opcode::kSNotB32:
    case Opcode::kSNotB64:
    case Opcode::kSLshlB32:
    case Opcode::kSLshlB64:
    case Opcode::kSLshrB32:
    case Opcode::kSLshrB64:
    case Opcode::kSAshrI32:
    case Opcode::kSAshrI64:
    case Opcode::kSBfeU32:
    case Opcode::kSBfeI32:
    case Opcode::kSBfeU64:
    case Opcode::kSBfeI64: return true;
    default: return false;
  }
}

bool IsNumber(const isa::Operand& o, uint16_t number) { return o.code == isa::kInt0 + number; }

bool IsTest(const isa::Instruction& inst) {
  const bool unequal = inst.op == Opcode::kSCmpLgU32 || inst.op == Opcode::kSCmpLgI32 ||
                       inst.op == Opcode::kSCmpLgU64;
  return unequal && inst.src[0].is_scalar_register() && IsNumber(inst.src[1], 0);
}

// Registers that are not 0 if and only if SCC is 1.
class Known {
 public:
  struct Registers {
    int first;
    int count;
  };

  void Clear() { registers_.clear(); }
  void Add(Registers r) { registers_.push_back(r); }
  bool empty() const { return registers_.empty(); }
  bool Has(Registers r) const {
    return std::any_of(registers_.begin(), registers_.end(), [&](const Registers& k) {
      return k.first == r.first && k.count == r.count;
    });
  }
  void Overwrite(Registers r) {
    std::erase_if(registers_, [&](const Registers& k) {
      return k.first < r.first + r.count && r.first < k.first + k.count;
    });
  }

 private:
  std::vector<Registers> registers_;
};

// Returns true if the instruction certainly writes VGPRs and memory at most: most do.
bool WritesNoScalar(const isa::Instruction& inst) {
  using namespace isa::opcode_flag;  // NOLINT: flags
  const isa::OpcodeInfo& info = isa::Info(inst.op);
  if (!isa::IsVectorAlu(info.encoding)) return info.encoding >= isa::Encoding::kDs;
  return inst.dst.is_vgpr() && !inst.sdst.exists() && info.dst != isa::Type::kMask &&
         !info.Has(kSDst) && !info.Has(kCarryOut) && !info.Has(kExecW) && !info.Has(kSccW);
}

// Removes what is not known any more after an instruction.
void Forget(const isa::Instruction& inst, isa::Wave wave, Known& known) {
  bool sets_scc = false;
  for (const isa::OperandUse& use : isa::OperandsOf(inst, wave)) {
    if (!use.written || use.operand.is_vgpr()) continue;
    sets_scc |= use.operand.code == isa::kScc;
    known.Overwrite({use.operand.code, use.dwords});
  }
  if (sets_scc) known.Clear();
}

// Notes what an instruction that stays does to SCC and registers.
void Note(const isa::Instruction& inst, isa::Wave wave, Known& known) {
  if (WritesNoScalar(inst)) return;
  if (!known.empty()) Forget(inst, wave, known);
  const Known::Registers result = {inst.dst.code, isa::Dwords(isa::Info(inst.op).dst)};
  if (TellsNonzero(inst.op)) {
    known.Add(result);
  } else if (inst.op == Opcode::kSCselectB32 && IsNumber(inst.src[0], 1) &&
             IsNumber(inst.src[1], 0)) {
    known.Add(result);
  }
}

}  // namespace

void RemoveKnownTests(Program& program) {
  const auto tests = [](const Row& row) { return IsTest(row.inst); };
  if (std::none_of(program.rows.begin(), program.rows.end(), tests)) return;
  const size_t count = program.rows.size();
  std::vector<bool> is_target(count + 1), erased(count);
  for (const Row& row : program.rows) {
    if (row.target != Row::kNoTarget) is_target[static_cast<size_t>(row.target)] = true;
  }
  Known known;
  for (size_t i = 0; i < count; ++i) {
    const isa::Instruction& inst = program.rows[i].inst;
    if (is_target[i]) known.Clear();
    if (IsTest(inst)) {
      const Known::Registers tested = {inst.src[0].code, inst.op == Opcode::kSCmpLgU64 ? 2 : 1};
      erased[i] = known.Has(tested);
      if (erased[i]) continue;
      known.Clear();
      known.Add(tested);
      continue;
    }
    Note(inst, program.wave, known);
    if (!FallsThrough(inst)) known.Clear();
  }
  EraseRows(program, erased);
}

}  // namespace kiln::amd
