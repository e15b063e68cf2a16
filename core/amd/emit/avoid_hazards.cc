#include "core/amd/emit/avoid_hazards.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"

namespace kiln::amd {
namespace {

using isa::Opcode;
using isa::OpcodeInfo;

constexpr int kDenormStates = 3;

bool IsFloatAtomic(const OpcodeInfo& info) {
  return info.unit == isa::Unit::kVectorMemory && info.Has(isa::opcode_flag::kAtomic) &&
         (absl::StrContains(info.mnemonic, "fmin") || absl::StrContains(info.mnemonic, "fmax") ||
          absl::StrContains(info.mnemonic, "fcmpswap"));
}

// The kinds that the instructions right before a point may have been.
struct Before {
  bool cmpx = false;
  int since_atomic = kDenormStates;  // instructions, at most kDenormStates
};

bool NeedsNop(const Before& before, const isa::Instruction& inst) {
  switch (inst.op) {
    case Opcode::kVPermlane16B32:
    case Opcode::kVPermlanex16B32: return before.cmpx;
    case Opcode::kSDenormMode: return before.since_atomic < kDenormStates;
    default: return false;
  }
}

Before After(const Before& before, const isa::Instruction& inst) {
  const OpcodeInfo& info = isa::Info(inst.op);
  const bool vector = isa::IsVectorAlu(info.encoding);
  Before after;
  after.cmpx = isa::IsCmpx(info);
  if (IsFloatAtomic(info)) {
    after.since_atomic = 0;
  } else if (!vector && info.unit != isa::Unit::kWait) {
    after.since_atomic = std::min(before.since_atomic + 1, kDenormStates);
  }
  return after;
}

bool Join(Before& into, const Before& from) {
  const Before old = into;
  into.cmpx |= from.cmpx;
  into.since_atomic = std::min(into.since_atomic, from.since_atomic);
  return into.cmpx != old.cmpx || into.since_atomic != old.since_atomic;
}

Row Nop() {
  Row row;
  row.inst.op = Opcode::kVNop;
  return row;
}

bool MayHaveHazards(const Program& program) {
  return std::any_of(program.rows.begin(), program.rows.end(), [](const Row& row) {
    return row.inst.op == Opcode::kSDenormMode || row.inst.op == Opcode::kVPermlane16B32 ||
           row.inst.op == Opcode::kVPermlanex16B32;
  });
}

// Returns for each row what may have come before it.
std::vector<Before> Solve(const Program& program) {
  std::vector<Before> before(program.rows.size());
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t i = 0; i < program.rows.size(); ++i) {
      const Row& row = program.rows[i];
      Before start = before[i];
      if (NeedsNop(start, row.inst)) start = After(start, Nop().inst);
      const Before after = After(start, row.inst);
      if (row.target != Row::kNoTarget) {
        changed |= Join(before[static_cast<size_t>(row.target)], after);
      }
      if (i + 1 < before.size() && FallsThrough(row.inst)) Join(before[i + 1], after);
    }
  }
  return before;
}

}  // namespace

void AvoidHazards(Program& program) {
  if (!MayHaveHazards(program)) return;
  const std::vector<Before> before = Solve(program);
  std::vector<Insertion> nops;
  for (size_t i = 0; i < program.rows.size(); ++i) {
    if (NeedsNop(before[i], program.rows[i].inst)) nops.push_back({i, Nop()});
  }
  InsertRows(program, nops);
}

}  // namespace kiln::amd
