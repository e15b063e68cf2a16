#include "core/amd/emit/emit.h"

#include "core/amd/emit/context.h"
#include "core/amd/emit/instructions.h"
#include "core/amd/emit/jumps.h"
#include "core/amd/emit/pseudo.h"
#include "core/amd/emit/remove_branches.h"
#include "core/amd/emit/scans.h"
#include "core/amd/emit/structure.h"
#include "core/amd/emit/vertex_start.h"
#include "core/amd/lir/ops.h"

namespace kiln::amd {
namespace {

void EmitOne(Context& c, lir::InstId i) {
  const lir::Inst& in = c.f().inst(i);
  if (IsIsaOp(in.op)) return EmitInstruction(c, i);
  if (!EmitMask(c, i) && !EmitCopy(c, i) && !EmitSpill(c, i) && !EmitScan(c, i) &&
      !EmitWorkgroupScan(c, i) && !EmitRoomRequest(c, i)) {
    c.Fail(in, "it should not be here after allocation");
  }
}

// Prepares m0 and exec of a fragment or vertex program.
void EmitStart(Context& c, const EmitOptions& options, int end) {
  if (options.prim_mask) {
    c.Add(isa::Opcode::kSMovB32, isa::Sgpr(isa::kM0),
          isa::Sgpr(static_cast<int>(*options.prim_mask)));
  }
  if (options.notes_helpers) c.Add(c.masks().mov, LiveLanes(), Exec());
  if (options.whole_quads) c.Add(c.masks().wqm, Exec(), Exec());
  if (options.all_lanes) c.Add(c.masks().mov, Exec(), Constant(-1));
  if (options.vertex) EmitVertexStart(c, *options.vertex, end);
}

}  // namespace

absl::StatusOr<Program> Emit(const lir::Function& f, const EmitOptions& options) {
  Context c(f, options.spill_offset);
  const Structure structure = StructureOf(f);
  Jumps jumps(c, structure);
  const int end = c.NewLabel();
  EmitStart(c, options, end);
  for (size_t b = 0; b < f.blocks.size() && c.status().ok(); ++b) {
    jumps.BeginBlock(b);
    const lir::InstId terminator = TerminatorOf(f, b);
    size_t emitted = 0;
    for (lir::InstId i : f.blocks[b].insts) {
      c.SetOrigin(f.inst(i));
      if (jumps.EmitKill(i)) continue;
      if (i == terminator) {
        if (b + 1 == f.blocks.size() && f.inst(i).op == kEnd) c.Bind(end);
        emitted = jumps.EmitTerminator(b, i);
      } else {
        EmitOne(c, i);
      }
      if (!c.status().ok()) return c.status();
    }
    b += emitted;
  }
  if (c.IsUsed(end) && !c.IsBound(end)) {  // the last block does not end the program
    c.Bind(end);
    c.Add(isa::Opcode::kSEndpgm, {});
  }
  jumps.Finish();
  if (!c.status().ok()) return c.status();
  c.ResolveLabels();
  Program program = std::move(c.program());
  if (options.remove_execz_branches) RemoveExeczBranches(program);
  RemoveUnreachable(program);
  if (!options.keep_exec_at_end) RemoveExecWritesBeforeEnd(program);
  RemoveBranchesToNext(program);
  InvertBranchesOverBranches(program);
  return program;
}

}  // namespace kiln::amd
