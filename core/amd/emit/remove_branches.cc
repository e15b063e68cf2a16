#include "core/amd/emit/remove_branches.h"

#include <algorithm>
#include <vector>

namespace kiln::amd {
namespace {

using isa::Opcode;
using isa::OpcodeInfo;

constexpr int kDear = 16, kScalarCost = 2, kVectorCost = 1;

// Returns what an instruction costs if no lane is on; above kDear if it must not be executed then.
int CostOf(const isa::Instruction& inst) {
  const OpcodeInfo& info = isa::Info(inst.op);
  switch (info.unit) {
    case isa::Unit::kSalu: return kScalarCost;
    case isa::Unit::kBranch:
    case isa::Unit::kMessage:
    case isa::Unit::kWait:
    case isa::Unit::kBarrier:
    case isa::Unit::kScalarOther: return kDear + 1;
    default: break;
  }
  if (!isa::IsVectorAlu(info.encoding)) return kDear + 1;
  // Instructions that write scalar registers or ignore exec act all the same.
  if (info.Has(isa::opcode_flag::kAnyLane) || info.Has(isa::opcode_flag::kSDst)) return kDear + 1;
  return kVectorCost;
}

bool IsCheap(const Program& program, const std::vector<bool>& erased, size_t from, size_t to) {
  int cost = 0;
  for (size_t i = from; i < to && cost <= kDear; ++i) {
    if (!erased[i]) cost += CostOf(program.rows[i].inst);
  }
  return cost <= kDear;
}

bool IsRelativeBranch(const Row& row) { return row.target != Row::kNoTarget; }

// Most small programs have none, and are left at the first look.
bool HasBranches(const Program& program) {
  return std::any_of(program.rows.begin(), program.rows.end(), IsRelativeBranch);
}

// Returns true if every row is followed by the next one.
bool IsOneLine(const Program& program) {
  return !program.rows.empty() &&
         std::all_of(program.rows.begin(), program.rows.end() - 1,
                     [](const Row& row) { return FallsThrough(row.inst); });
}

}  // namespace

void RemoveExeczBranches(Program& program) {
  if (!HasBranches(program)) return;
  std::vector<bool> erased(program.rows.size());
  // From the end: branches inside what another one skips go first.
  for (size_t i = program.rows.size(); i-- > 0;) {
    const Row& row = program.rows[i];
    if (row.inst.op != Opcode::kSCbranchExecz || row.target <= static_cast<int>(i)) continue;
    erased[i] = IsCheap(program, erased, i + 1, static_cast<size_t>(row.target));
  }
  EraseRows(program, erased);
}

void RemoveUnreachable(Program& program) {
  if (IsOneLine(program)) return;
  const size_t count = program.rows.size();
  std::vector<bool> erased(count, true);
  std::vector<size_t> work;
  const auto reach = [&](size_t row) {
    if (row >= count || !erased[row]) return;
    erased[row] = false;
    work.push_back(row);
  };
  reach(0);
  while (!work.empty()) {
    const size_t i = work.back();
    work.pop_back();
    const Row& row = program.rows[i];
    if (IsRelativeBranch(row)) reach(static_cast<size_t>(row.target));
    if (FallsThrough(row.inst)) reach(i + 1);
  }
  EraseRows(program, erased);
}

namespace {

Opcode InverseOf(Opcode branch) {
  switch (branch) {
    case Opcode::kSCbranchScc0: return Opcode::kSCbranchScc1;
    case Opcode::kSCbranchScc1: return Opcode::kSCbranchScc0;
    case Opcode::kSCbranchVccz: return Opcode::kSCbranchVccnz;
    case Opcode::kSCbranchVccnz: return Opcode::kSCbranchVccz;
    case Opcode::kSCbranchExecz: return Opcode::kSCbranchExecnz;
    case Opcode::kSCbranchExecnz: return Opcode::kSCbranchExecz;
    default: return branch;
  }
}

}  // namespace

void InvertBranchesOverBranches(Program& program) {
  if (!HasBranches(program)) return;
  const size_t count = program.rows.size();
  std::vector<bool> is_target(count + 1), erased(count);
  for (const Row& row : program.rows) {
    if (IsRelativeBranch(row)) is_target[static_cast<size_t>(row.target)] = true;
  }
  for (size_t i = 0; i + 2 < count; ++i) {
    Row& row = program.rows[i];
    const Row& next = program.rows[i + 1];
    const Opcode inverse = InverseOf(row.inst.op);
    if (inverse == row.inst.op || row.target != static_cast<int>(i) + 2) continue;
    if (next.inst.op != Opcode::kSBranch || !IsRelativeBranch(next) || is_target[i + 1]) continue;
    row.inst.op = inverse;
    row.target = next.target;
    erased[i + 1] = true;
  }
  EraseRows(program, erased);
}

void RemoveExecWritesBeforeEnd(Program& program) {
  std::vector<bool> erased(program.rows.size());
  bool at_end = false;  // only rows that go are between this one and an end
  for (size_t i = program.rows.size(); i-- > 0;) {
    const isa::Instruction& inst = program.rows[i].inst;
    const bool moves = inst.op == Opcode::kSMovB32 || inst.op == Opcode::kSMovB64;
    erased[i] = at_end && moves && inst.dst.code == isa::kExecLo;
    at_end = inst.op == Opcode::kSEndpgm || erased[i];
  }
  EraseRows(program, erased);
}

void RemoveBranchesToNext(Program& program) {
  if (!HasBranches(program)) return;
  std::vector<bool> erased(program.rows.size());
  // From the end, so that a branch over branches that go is seen as one to the next row.
  for (size_t i = program.rows.size(); i-- > 0;) {
    const Row& row = program.rows[i];
    if (!IsRelativeBranch(row) || row.target <= static_cast<int>(i)) continue;
    size_t next = i + 1;
    while (next < static_cast<size_t>(row.target) && erased[next]) ++next;
    erased[i] = next == static_cast<size_t>(row.target);
  }
  EraseRows(program, erased);
}

}  // namespace kiln::amd
