#include "core/amd/waits/form_clauses.h"

#include <vector>

#include "core/amd/isa/clauses.h"
#include "core/amd/waits/flow.h"
#include "core/amd/waits/outstanding.h"

namespace kiln::amd {
namespace {

// Returns true for loads of memory to registers. Mesa forms no clauses of LDS loads either
// (aco_form_hard_clauses.cpp).
bool IsMember(const isa::Instruction& inst) {
  const isa::OpcodeInfo& info = isa::Info(inst.op);
  if (!info.Has(isa::opcode_flag::kLoad) || inst.lds) return false;
  return isa::ClauseKindOf(inst) != isa::ClauseKind::kNone && info.encoding != isa::Encoding::kDs;
}

// Returns the end of the run of loads that begins with row `first`, which is a load.
size_t EndOfRun(const Program& program, size_t first, size_t block_end) {
  Outstanding issued;
  size_t i = first;
  while (true) {
    issued.Issue(program.rows[i].inst, program.wave);
    ++i;
    if (i == block_end || i - first == isa::kMaxClauseLength) return i;
    const isa::Instruction& next = program.rows[i].inst;
    if (!IsMember(next) || !isa::AccessNearby(program.rows[first].inst, next)) return i;
    if (issued.NeededBy(next, program.wave).Any()) return i;
  }
}

Row ClauseOf(size_t length, uint32_t spirv_id) {
  Row row;
  row.inst.op = isa::Opcode::kSClause;
  row.inst.simm = static_cast<uint16_t>(length - 1);
  row.spirv_id = spirv_id;
  return row;
}

}  // namespace

bool FormClauses(Program& program, const std::function<bool()>& may_rewrite) {
  std::vector<Insertion> clauses;
  for (const FlowBlock& block : BlocksOf(program)) {
    for (size_t i = block.first; i + 1 < block.end;) {
      if (!IsMember(program.rows[i].inst)) {
        ++i;
        continue;
      }
      const size_t end = EndOfRun(program, i, block.end);
      if (end - i > 1 && may_rewrite()) {
        clauses.push_back({i, ClauseOf(end - i, program.rows[i].spirv_id)});
      }
      i = end;
    }
  }
  InsertRows(program, clauses);
  return !clauses.empty();
}

}  // namespace kiln::amd
