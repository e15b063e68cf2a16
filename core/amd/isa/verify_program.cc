// Rules over programs: see verify_program.h.
#include "core/amd/isa/verify_program.h"

#include <set>

#include "absl/strings/match.h"
#include "core/amd/isa/disasm.h"

namespace kiln::amd::isa {
namespace {

using Report = std::function<void(size_t, absl::string_view)>;
using Program = absl::Span<const PlacedInstruction>;

const OpcodeInfo& InfoOf(const PlacedInstruction& p) { return Info(p.inst.op); }

void VerifyBranches(Program program, const Report& report) {
  std::set<int64_t> starts;
  for (const PlacedInstruction& p : program) starts.insert(p.offset);
  for (size_t i = 0; i < program.size(); ++i) {
    const bool relative =
        InfoOf(program[i]).unit == Unit::kBranch && InfoOf(program[i]).encoding != Encoding::kSop1;
    if (relative && starts.count(BranchTarget(program[i])) == 0) report(i, kBranchTargets);
  }
}

// Returns true if nothing falls through this instruction.
bool Leaves(const Instruction& inst) {
  return Info(inst.op).Has(opcode_flag::kEnd) || inst.op == Opcode::kSBranch ||
         inst.op == Opcode::kSSetpcB64 || inst.op == Opcode::kSRfeB64;
}

void VerifyEnd(Program program, const Report& report) {
  size_t last = program.size();
  // Padding behind the code.
  while (last > 0 && (program[last - 1].inst.op == Opcode::kSCodeEnd ||
                      program[last - 1].inst.op == Opcode::kSNop)) {
    --last;
  }
  if (last == 0 || !Leaves(program[last - 1].inst)) report(last == 0 ? 0 : last - 1, kEnd);
}

enum class Kind { kNone, kScalar, kVectorLoad, kVectorStore, kFlat, kLds };

// The kinds of instructions that a clause may have, one in each.
Kind KindOf(const Instruction& inst) {
  const OpcodeInfo& info = Info(inst.op);
  if (info.encoding == Encoding::kSmem) return Kind::kScalar;
  if (info.encoding == Encoding::kDs) return Kind::kLds;
  if (info.encoding == Encoding::kFlat) return Kind::kFlat;
  if (info.unit != Unit::kVectorMemory) return Kind::kNone;
  return info.Has(opcode_flag::kStore) ? Kind::kVectorStore : Kind::kVectorLoad;
}

void VerifyClauses(Program program, const Report& report) {
  for (size_t i = 0; i < program.size(); ++i) {
    if (program[i].inst.op != Opcode::kSClause) continue;
    const size_t length = (program[i].inst.simm & 0x3fu) + 1;
    bool good = i + length < program.size();
    const Kind kind = i + 1 < program.size() ? KindOf(program[i + 1].inst) : Kind::kNone;
    good = good && kind != Kind::kNone;
    for (size_t k = 2; good && k <= length; ++k) good = KindOf(program[i + k].inst) == kind;
    if (!good) report(i, kClauses);
  }
}

bool IsFloatAtomic(const OpcodeInfo& info) {
  return info.unit == Unit::kVectorMemory && info.Has(opcode_flag::kAtomic) &&
         (absl::StrContains(info.mnemonic, "fmin") || absl::StrContains(info.mnemonic, "fmax") ||
          absl::StrContains(info.mnemonic, "fcmpswap"));
}

// Returns true if the instruction covers the hazard of a float atomic.
bool CoversAtomic(const OpcodeInfo& info) {
  return IsVectorAlu(info.encoding) || info.unit == Unit::kWait;
}

void VerifyHazards(Program program, const Report& report) {
  constexpr size_t kDenormDistance = 3;
  for (size_t i = 1; i < program.size(); ++i) {
    const Opcode op = program[i].inst.op;
    const bool permlane = op == Opcode::kVPermlane16B32 || op == Opcode::kVPermlanex16B32;
    if (permlane && IsCmpx(InfoOf(program[i - 1]))) report(i, kPermlaneHazard);
    if (op != Opcode::kSDenormMode) continue;
    for (size_t back = 1; back <= kDenormDistance && back <= i; ++back) {
      const OpcodeInfo& before = InfoOf(program[i - back]);
      if (CoversAtomic(before)) break;
      if (IsFloatAtomic(before)) report(i, kDenormHazard);
    }
  }
}

}  // namespace

void VerifyProgram(Program program, const Report& report) {
  if (program.empty()) return;
  VerifyBranches(program, report);
  VerifyEnd(program, report);
  VerifyClauses(program, report);
  VerifyHazards(program, report);
}

}  // namespace kiln::amd::isa
