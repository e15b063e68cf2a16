#include "core/amd/waits/insert_waits.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "core/amd/waits/counts.h"
#include "core/amd/waits/flow.h"
#include "core/amd/waits/outstanding.h"

namespace kiln::amd {
namespace {

using isa::Opcode;

using Waits = std::vector<Counts>;  // by row: before it

// The waits that a row needs in addition to what it says itself.
struct Need {
  Counts counts;
  bool keep = true;  // false: the row is replaced by its waits
};

// Goes through a block. The waits that happen are those given, and those that are needed.
class BlockWalk {
 public:
  BlockWalk(const Program& program, const Waits* given, Outstanding& state)
      : program_(program), given_(given), state_(state) {}

  // Calls `at(row, need)` for each row.
  template <class At>
  void Run(const FlowBlock& block, At&& at) {
    for (size_t i = block.first; i < block.end; ++i) {
      const isa::Instruction& inst = program_.rows[i].inst;
      Need need;
      if (const auto explicitly = CountsOf(inst)) {
        // Its place is before the next row of the block.
        carried_.Require(*explicitly);
        need.keep = false;
        if (i + 1 != block.end) {
          at(i, need);
          continue;
        }
      } else if (inst.op == Opcode::kSClause) {
        need.keep = RequireMembers(block, i, &need.counts);
      } else {
        need.counts = state_.NeededBy(inst, program_.wave);
      }
      need.counts.Require(std::exchange(carried_, Counts()));
      at(i, need);
      Counts waits = need.counts;
      if (given_ != nullptr) waits.Require((*given_)[i]);
      state_.Wait(waits);
      state_.Issue(inst, program_.wave);
    }
  }

 private:
  // Adds what the members of a clause need. Returns false if some need what others do.
  bool RequireMembers(const FlowBlock& block, size_t clause, Counts* needed) const {
    const size_t last = clause + 1 + (program_.rows[clause].inst.simm & 63);
    if (last >= block.end) return true;
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
  const Waits* given_;
  Outstanding& state_;
  Counts carried_;
};

class Solver {
 public:
  explicit Solver(const Program& program) : program_(program), blocks_(BlocksOf(program)) {}

  // Returns what each row needs. Where there are loops, the first solution may wait for what only
  // came there before the waits on its way were known. So the waits are solved again, given the
  // first ones, and then completed until they suffice by themselves.
  std::vector<Need> Run() {
    std::vector<Need> needs = NeedsWith(nullptr);
    if (!HasLoops()) return needs;
    const Waits first = WaitsOf(needs);
    Waits waits = WaitsOf(NeedsWith(&first));
    while (true) {
      needs = NeedsWith(&waits);
      bool enough = true;
      for (size_t i = 0; i < needs.size(); ++i) {
        const Counts before = waits[i];
        waits[i].Require(needs[i].counts);
        enough &= waits[i].of == before.of;
      }
      if (enough) break;
    }
    for (size_t i = 0; i < needs.size(); ++i) needs[i].counts = waits[i];
    return needs;
  }

 private:
  static Waits WaitsOf(const std::vector<Need>& needs) {
    Waits waits;
    for (const Need& need : needs) waits.push_back(need.counts);
    return waits;
  }

  bool HasLoops() const {
    for (size_t b = 0; b < blocks_.size(); ++b) {
      for (size_t s : blocks_[b].succs) {
        if (s <= b) return true;
      }
    }
    return false;
  }

  // Returns what each row needs, given waits that happen: those that are not met in any case.
  std::vector<Need> NeedsWith(const Waits* given) const {
    std::vector<Need> needs = AllNeedsWith(given);
    DropMet(given, &needs);
    return needs;
  }

  // Drops the waits for counts that cannot be exceeded. They change nothing about what else is
  // outstanding, so that those two are solved one after the other.
  void DropMet(const Waits* given, std::vector<Need>* needs) const {
    const auto waits_for = [](const Need& need) { return need.counts.Any(); };
    if (std::none_of(needs->begin(), needs->end(), waits_for)) return;
    const auto walk = [&](const FlowBlock& block, auto&& at) {
      Pending pending;
      for (size_t i = block.first; i < block.end; ++i) {
        at(i, pending);
        Counts waits = (*needs)[i].counts;
        if (given != nullptr) waits.Require((*given)[i]);
        pending.Wait(waits);
        pending.Issue(EventOf(program_.rows[i].inst));
      }
      return pending;
    };
    std::vector<Pending> through;
    const bool flows = blocks_.size() > 1 || !blocks_[0].succs.empty();
    for (size_t b = 0; flows && b < blocks_.size(); ++b) {
      through.push_back(walk(blocks_[b], [](size_t, Pending&) {}));
    }
    std::vector<std::array<int, kCounters>> starts(blocks_.size());
    for (bool changed = flows; changed;) {
      changed = false;
      for (size_t b = 0; b < blocks_.size(); ++b) {
        std::array<int, kCounters> end = starts[b];
        through[b].Apply(&end);
        for (size_t s : blocks_[b].succs) {
          for (size_t c = 0; c < kCounters; ++c) {
            changed |= end[c] > starts[s][c];
            starts[s][c] = std::max(starts[s][c], end[c]);
          }
        }
      }
    }
    for (size_t b = 0; b < blocks_.size(); ++b) {
      walk(blocks_[b], [&](size_t i, const Pending& pending) {
        (*needs)[i].counts = pending.Unmet(starts[b], (*needs)[i].counts);
      });
    }
  }

  // Propagates what may be outstanding to a fixpoint; returns what each row needs by it.
  std::vector<Need> AllNeedsWith(const Waits* given) const {
    std::vector<Outstanding> starts(blocks_.size());
    std::vector<Need> needs(program_.rows.size());
    std::set<size_t> work;
    for (size_t b = 0; b < blocks_.size(); ++b) work.insert(b);
    while (!work.empty()) {
      const size_t b = *work.begin();
      work.erase(work.begin());
      Outstanding state = starts[b];
      BlockWalk(program_, given, state).Run(blocks_[b], [&needs](size_t i, const Need& need) {
        needs[i] = need;
      });
      for (size_t s : blocks_[b].succs) {
        if (starts[s].Join(state)) work.insert(s);
      }
    }
    return needs;
  }

  const Program& program_;
  const std::vector<FlowBlock> blocks_;
};

class Rewriter {
 public:
  explicit Rewriter(const Program& program) : program_(program), moved_(program.rows.size() + 1) {
    constexpr size_t kMore = 4;  // a wait for every four rows, and two in small programs
    rows_.reserve(program.rows.size() + program.rows.size() / kMore + 2);
  }

  void Add(size_t i, const Need& need) {
    moved_[i] = static_cast<int>(rows_.size());
    for (const isa::Instruction& wait : WaitsFor(need.counts)) {
      Row row;
      row.inst = wait;
      row.spirv_id = program_.rows[i].spirv_id;
      rows_.push_back(row);
    }
    if (!need.keep) return;
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
  const std::vector<Need> needs = Solver(program).Run();
  Rewriter rewriter(program);
  for (size_t i = 0; i < needs.size(); ++i) rewriter.Add(i, needs[i]);
  program.rows = rewriter.Finish();
}

}  // namespace kiln::amd
