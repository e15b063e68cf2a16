// Rules over programs: see verify_program.h.
#include "core/amd/isa/verify_program.h"

#include <optional>
#include <set>

#include "absl/strings/match.h"
#include "core/amd/isa/clauses.h"
#include "core/amd/isa/disasm.h"

namespace kiln::amd::isa {
namespace {

using Report = std::function<void(size_t, absl::string_view)>;
using Program = absl::Span<const PlacedInstruction>;

const OpcodeInfo& InfoOf(const PlacedInstruction& p) { return Info(p.inst.op); }

bool IsRelativeBranch(const PlacedInstruction& p) {
  return InfoOf(p).unit == Unit::kBranch && InfoOf(p).encoding != Encoding::kSop1;
}

void VerifyBranches(Program program, const Report& report) {
  std::set<int64_t> starts;
  for (const PlacedInstruction& p : program) starts.insert(p.offset);
  for (size_t i = 0; i < program.size(); ++i) {
    if (!IsRelativeBranch(program[i])) continue;
    if (starts.count(BranchTarget(program[i])) == 0) report(i, kBranchTargets);
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

// Returns the offsets to which branches of the program go.
std::set<int64_t> BranchTargets(Program program) {
  std::set<int64_t> targets;
  for (const PlacedInstruction& p : program) {
    if (IsRelativeBranch(p)) targets.insert(BranchTarget(p));
  }
  return targets;
}

bool IsGoodClause(Program program, size_t clause, const std::set<int64_t>& targets) {
  const size_t length = static_cast<size_t>(ClauseLength(program[clause].inst));
  if (clause + length >= program.size()) return false;
  const ClauseKind kind = ClauseKindOf(program[clause + 1].inst);
  if (kind == ClauseKind::kNone) return false;
  for (size_t i = clause + 1; i <= clause + length; ++i) {
    if (ClauseKindOf(program[i].inst) != kind || targets.count(program[i].offset) != 0) {
      return false;
    }
  }
  return true;
}

void VerifyClauses(Program program, const Report& report) {
  std::optional<std::set<int64_t>> targets;
  for (size_t i = 0; i < program.size(); ++i) {
    if (program[i].inst.op != Opcode::kSClause) continue;
    if (!targets) targets = BranchTargets(program);
    if (!IsGoodClause(program, i, *targets)) report(i, kClauses);
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
