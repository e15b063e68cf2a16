#include "core/amd/waits/insert_waits.h"

#include <set>
#include <utility>
#include <vector>

#include "core/amd/waits/counts.h"
#include "core/amd/waits/flow.h"
#include "core/amd/waits/outstanding.h"

namespace kiln::amd {
namespace {

using isa::Opcode;

// Goes through a block, and calls `at(row, counts)` where waits belong: before that row. Rows for
// which `at` is called with `keep` false are replaced by the waits alone.
class BlockWalk {
 public:
  BlockWalk(const Program& program, const FlowBlock& block, Outstanding& state)
      : program_(program), block_(block), state_(state) {}

  template <class At>
  void Run(At&& at) {
    for (size_t i = block_.first; i < block_.end; ++i) {
      const isa::Instruction& inst = program_.rows[i].inst;
      if (const auto explicitly = CountsOf(inst)) {
        carried_.Require(*explicitly);
        const bool last = i + 1 == block_.end;
        at(i, last ? Take(carried_) : Counts(), /*keep=*/false);
        continue;
      }
      Counts needed = carried_;
      bool keep = true;
      if (inst.op == Opcode::kSClause) {
        keep = RequireMembers(i, &needed);
      } else {
        needed.Require(state_.NeededBy(inst, program_.wave));
      }
      at(i, Take(needed), keep);
      state_.Issue(inst, program_.wave);
    }
  }

 private:
  // Waits: returns what of it is not met anyway.
  Counts Take(const Counts& counts) {
    const Counts unmet = state_.Unmet(counts);
    state_.Wait(unmet);
    carried_ = Counts();
    return unmet;
  }

  // Adds what the members of a clause need. Returns false if some need what others do.
  bool RequireMembers(size_t clause, Counts* needed) const {
    const size_t last = clause + 1 + (program_.rows[clause].inst.simm & 63);
    if (last >= block_.end) return true;
    Outstanding before = state_;
    for (size_t i = clause + 1; i <= last; ++i) {
      needed->Require(before.NeededBy(program_.rows[i].inst, program_.wave));
    }
    before.Wait(*needed);
    for (size_t i = clause + 1; i <= last; ++i) {
      if (before.NeededBy(program_.rows[i].inst, program_.wave).Any()) return false;
      before.Issue(program_.rows[i].inst, program_.wave);
    }
    return true;
  }

  const Program& program_;
  const FlowBlock& block_;
  Outstanding& state_;
  Counts carried_;  // of explicit waits whose place is before the next row
};

// Returns what may be outstanding at the start of each block.
std::vector<Outstanding> Solve(const Program& program, const std::vector<FlowBlock>& blocks) {
  std::vector<Outstanding> starts(blocks.size());
  std::set<size_t> work;
  for (size_t b = 0; b < blocks.size(); ++b) work.insert(b);
  while (!work.empty()) {
    const size_t b = *work.begin();
    work.erase(work.begin());
    Outstanding state = starts[b];
    BlockWalk(program, blocks[b], state).Run([](size_t, const Counts&, bool) {});
    for (size_t s : blocks[b].succs) {
      if (starts[s].Join(state)) work.insert(s);
    }
  }
  return starts;
}

class Rewriter {
 public:
  explicit Rewriter(const Program& program) : program_(program), moved_(program.rows.size() + 1) {}

  void At(size_t i, const Counts& counts, bool keep) {
    moved_[i] = static_cast<int>(rows_.size());
    for (const isa::Instruction& wait : WaitsFor(counts)) {
      Row row;
      row.inst = wait;
      row.spirv_id = program_.rows[i].spirv_id;
      rows_.push_back(row);
    }
    if (!keep) return;
    rows_.push_back(program_.rows[i]);
    if (rows_.back().inst.op == Opcode::kSBarrier) rows_.back().inst.simm = 0;
  }

  std::vector<Row> Finish() {
    moved_.back() = static_cast<int>(rows_.size());
    for (Row& row : rows_) {
      if (row.target != Row::kNoTarget) row.target = moved_[static_cast<size_t>(row.target)];
    }
    return std::move(rows_);
  }

 private:
  const Program& program_;
  std::vector<int> moved_;
  std::vector<Row> rows_;
};

}  // namespace

void InsertWaits(Program& program) {
  const std::vector<FlowBlock> blocks = BlocksOf(program);
  const std::vector<Outstanding> starts = Solve(program, blocks);
  Rewriter rewriter(program);
  for (size_t b = 0; b < blocks.size(); ++b) {
    Outstanding state = starts[b];
    BlockWalk(program, blocks[b], state).Run([&](size_t i, const Counts& counts, bool keep) {
      rewriter.At(i, counts, keep);
    });
  }
  program.rows = rewriter.Finish();
}

}  // namespace kiln::amd
