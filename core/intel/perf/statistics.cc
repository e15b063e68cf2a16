// Live GRFs: a backward dataflow over the machine program's blocks at the granularity of whole
// registers. A write ends a live range only if it surely replaces the whole register: it must be
// unpredicated and cover the register, as a NoMask write does. Which masks are full is not known
// from machine code, so masked full-width writes count as full too (as compilers that allocate see
// them). Blocks are walked from the last to the first, so that only values that loops carry need
// another iteration.
#include "core/intel/perf/statistics.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "core/intel/isa/decode.h"
#include "core/intel/isa/flow.h"
#include "core/intel/isa/footprint.h"
#include "core/intel/isa/program.h"
#include "core/intel/perf/estimate.h"

namespace kiln::intel {
namespace {

using isa::GrfSet;
using isa::Instruction;

int Count(const GrfSet& s) { return std::popcount(s.bits[0]) + std::popcount(s.bits[1]); }

void Remove(GrfSet& from, const GrfSet& what) {
  for (int i = 0; i < 2; ++i) from.bits[i] &= ~what.bits[i];
}

// Returns true if the instruction replaces all bytes of the registers it writes.
bool ReplacesRegisters(const Instruction& inst) {
  const bool select = inst.op == isa::Opcode::kSel;  // its predicate selects, it does not mask
  if (inst.pred != isa::PredCtrl::kNone && !select) return false;
  if (isa::IsSend(inst.op)) return true;
  const int bytes = inst.exec_size * isa::ByteSize(inst.dst.type);
  return inst.dst.region.hstride == 1 && inst.dst.subnr == 0 && bytes % isa::kGrfBytes == 0 &&
         bytes != 0;
}

void StepBack(const Instruction& inst, const isa::Footprint& fp, GrfSet& live) {
  if (ReplacesRegisters(inst)) Remove(live, fp.writes);
  live |= fp.reads;
}

// Finds the blocks that a later block, or the block itself, branches to.
std::vector<bool> LoopHeads(const std::vector<isa::MachineBlock>& blocks) {
  std::vector<bool> heads(blocks.size());
  for (size_t b = 0; b < blocks.size(); ++b) {
    for (const int32_t s : blocks[b].successors) {
      if (static_cast<size_t>(s) <= b) heads[s] = true;
    }
  }
  return heads;
}

absl::StatusOr<int64_t> MaxLiveRegisters(const isa::Program& program,
                                         absl::Span<const isa::Footprint> footprints) {
  const absl::StatusOr<std::vector<isa::MachineBlock>> blocks = isa::BuildBlocks(program);
  if (!blocks.ok()) return blocks.status();
  const std::vector<bool> loop_heads = LoopHeads(*blocks);
  std::vector<GrfSet> live_in(blocks->size());
  int64_t most = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = blocks->size(); b-- > 0;) {
      const isa::MachineBlock& block = (*blocks)[b];
      GrfSet live;
      for (int32_t s : block.successors) live |= live_in[s];
      for (int32_t i = block.end; i-- > block.begin;) {
        // The results of an instruction occupy registers while it executes, whether or not they are
        // used later.
        GrfSet during = live;
        during |= footprints[i].writes;
        most = std::max<int64_t>(most, Count(during));
        StepBack(program.insts[i], footprints[i], live);
      }
      // Before the other instructions, no more registers are live than while the preceding one
      // executes.
      most = std::max<int64_t>(most, Count(live));
      if (live.bits[0] != live_in[b].bits[0] || live.bits[1] != live_in[b].bits[1]) {
        live_in[b] = live;
        changed = changed || loop_heads[b];
      }
    }
  }
  return most;
}

}  // namespace

absl::StatusOr<ProgramStatistics> CountProgram(const Device& device,
                                               absl::Span<const uint8_t> bytes) {
  const absl::StatusOr<std::vector<isa::PlacedInstruction>> placed =
      isa::DecodeProgram(device.generation, bytes);
  if (!placed.ok()) return placed.status();
  const absl::StatusOr<isa::Program> program = isa::ToProgram(device.generation, *placed);
  if (!program.ok()) return program.status();
  return CountProgram(device, *program);
}

absl::StatusOr<ProgramStatistics> CountProgram(const Device& device, const isa::Program& program) {
  ProgramStatistics s;
  for (const Instruction& inst : program.insts) {
    if (inst.op == isa::Opcode::kNop || inst.op == isa::Opcode::kSync) {
      ++s.sync_instructions;
      continue;
    }
    ++s.instructions;
    if (isa::IsSend(inst.op)) ++s.sends;
    if (inst.op == isa::Opcode::kWhile) ++s.loops;
  }
  const std::vector<isa::Footprint> footprints = isa::FootprintsOf(program);
  const absl::StatusOr<int64_t> registers = MaxLiveRegisters(program, footprints);
  if (!registers.ok()) return registers.status();
  s.registers = *registers;
  const absl::StatusOr<Estimate> estimate = EstimateProgram(device, program, footprints);
  if (estimate.ok()) {
    s.cycles = estimate->cycles;
    s.exit_cycles = estimate->exit_cycles;
    s.busiest_cycles = estimate->throughput_cycles;
  }
  return s;
}

}  // namespace kiln::intel
