#include "core/amd/perf/statistics.h"

#include <algorithm>
#include <vector>

#include "core/amd/isa/clauses.h"
#include "core/amd/perf/program.h"

namespace kiln::amd {
namespace {

using isa::Encoding;
using isa::Opcode;
using isa::PlacedInstruction;

bool IsPadding(const isa::Instruction& inst) {
  return inst.op == Opcode::kSNop || inst.op == Opcode::kSInstPrefetch;
}

// Instructions that only act on caches and clocks move nothing for the program.
bool HasOperands(const isa::OpcodeInfo& info) { return info.src[0] != isa::Type::kN; }

bool IsVectorMemory(const isa::OpcodeInfo& info) {
  return info.encoding >= Encoding::kMubuf && info.encoding <= Encoding::kScratch &&
         info.encoding != Encoding::kFlat && HasOperands(info);
}

bool IsScalarMemory(const isa::OpcodeInfo& info) {
  return info.encoding == Encoding::kSmem && HasOperands(info);
}

// Counts the instructions that could not join one of the same kind right before them. The runs
// that s_clause makes of them may be shorter.
class ClauseCounter {
 public:
  void Add(const isa::Instruction& inst) {
    const bool joins = std::any_of(run_.begin(), run_.end(), [&](const isa::Instruction* other) {
      return isa::AccessNearby(inst, *other);
    });
    if (!joins) ++clauses_;
    run_.push_back(&inst);
  }
  void End() { run_.clear(); }
  int64_t clauses() const { return clauses_; }

 private:
  std::vector<const isa::Instruction*> run_;
  int64_t clauses_ = 0;
};

void CountKind(const isa::Instruction& inst, ProgramStatistics* s) {
  const isa::OpcodeInfo& info = isa::Info(inst.op);
  const Encoding e = info.encoding;
  if (IsPadding(inst)) {
    ++s->padding;
  } else if (info.unit == isa::Unit::kWait) {
    ++s->waits;
  } else if (inst.op == Opcode::kSClause) {
    ++s->clause_instructions;
  } else {
    ++s->instructions;
  }
  if (e == Encoding::kSopp && info.unit == isa::Unit::kBranch) ++s->branches;
  if (isa::IsVectorAlu(e) || e == Encoding::kVintrp) ++s->valu;
  if (isa::IsScalarAlu(e) && e != Encoding::kSopp && info.unit != isa::Unit::kWait) ++s->salu;
  if (IsVectorMemory(info)) ++s->vmem;
  if (IsScalarMemory(info)) ++s->smem;
  if (e == Encoding::kFlat) ++s->flat;
  if (e == Encoding::kDs) ++s->lds;
  if (e == Encoding::kExp) ++s->exports;
}

void CountClauses(absl::Span<const PlacedInstruction> program, absl::Span<const Block> blocks,
                  ProgramStatistics* s) {
  ClauseCounter vector, scalar;
  for (const Block& block : blocks) {
    vector.End();
    scalar.End();
    for (int32_t i = block.first; i < block.end; ++i) {
      const isa::Instruction& inst = program[static_cast<size_t>(i)].inst;
      if (IsPadding(inst)) continue;
      const isa::OpcodeInfo& info = isa::Info(inst.op);
      IsVectorMemory(info) ? vector.Add(inst) : vector.End();
      IsScalarMemory(info) ? scalar.Add(inst) : scalar.End();
    }
  }
  s->vmem_clauses = vector.clauses();
  s->smem_clauses = scalar.clauses();
}

int64_t CountLoops(absl::Span<const Block> blocks) {
  int64_t loops = 0;
  for (size_t b = 0; b < blocks.size(); ++b) {
    const std::vector<int32_t>& before = blocks[b].predecessors;
    loops += !before.empty() && static_cast<size_t>(before.back()) >= b ? 1 : 0;
  }
  return loops;
}

}  // namespace

ProgramStatistics CountProgram(absl::Span<const PlacedInstruction> program, isa::Wave wave) {
  ProgramStatistics s;
  s.wave = wave;
  s.bytes = BytesOf(program);
  for (const PlacedInstruction& placed : program) CountKind(placed.inst, &s);
  const std::vector<Block> blocks = BlocksOf(program);
  CountClauses(program, blocks, &s);
  s.loops = CountLoops(blocks);
  s.estimate = EstimateProgram(program, blocks, wave, nullptr);
  s.vgprs = s.estimate.vgprs;
  s.sgprs = s.estimate.sgprs;
  return s;
}

}  // namespace kiln::amd
