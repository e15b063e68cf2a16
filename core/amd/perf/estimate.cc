#include "core/amd/perf/estimate.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/amd/isa/operands.h"
#include "core/amd/perf/program.h"

namespace kiln::amd {
namespace {

using isa::Encoding;
using isa::PlacedInstruction;

constexpr size_t kRegisters = 512;  // numbers of operands

// A result under way: the cycle in which it is there, counted from the start of the block.
struct Pending {
  int64_t ready = 0;
  Stall why = Stall::kScalarResults;
  int32_t producer = -1;  // instruction
};

Pending Later(const Pending& a, const Pending& b) { return b.ready > a.ready ? b : a; }

Pending Shifted(Pending pending, int64_t cycles) {
  pending.ready -= cycles;
  return pending;
}

// The last of the results that an instruction waits for.
struct LastResult {
  Pending result;  // at first the instruction's turn
  IssueWait::For what = IssueWait::For::kRegister;
  int number = 0;  // of the register or counter
  std::optional<int64_t> ready =
      {};  // of the last result, in time or not, that an instruction gives

  void Add(const Pending& other, IssueWait::For of, size_t its_number) {
    if (other.producer >= 0) ready = std::max(ready.value_or(other.ready), other.ready);
    if (other.ready <= result.ready) return;
    result = other;
    what = of;
    number = static_cast<int>(its_number);
  }
};

bool IsArithmetic(Encoding e) { return isa::IsVectorAlu(e) || e == Encoding::kVintrp; }

bool IsVector(const isa::OpcodeInfo& info) {
  return IsArithmetic(info.encoding) || info.encoding >= Encoding::kDs;
}

// Returns the stall that a wait for memory is counted as. Loads that FLAT makes of either memory
// are counted as vector memory.
Stall MemoryStall(const isa::OpcodeInfo& info, Counter counter) {
  if (counter == Counter::kVm) return Stall::kVectorMemory;
  if (counter == Counter::kVs) return Stall::kStores;
  if (counter == Counter::kExp) return Stall::kExports;
  return info.unit == isa::Unit::kScalarMemory ? Stall::kScalarMemory : Stall::kLds;
}

// The memory operations under way of one counter, oldest first. An empty one, as most are,
// allocates nothing.
class Queue {
 public:
  size_t size() const { return list_.size() - first_; }
  Pending& operator[](size_t i) { return list_[first_ + i]; }
  const Pending& operator[](size_t i) const { return list_[first_ + i]; }
  const Pending& front() const { return list_[first_]; }
  void pop_front() { ++first_; }
  void push_back(const Pending& p) { list_.push_back(p); }
  void push_front(const Pending& p) {
    if (first_ == 0) {
      list_.insert(list_.begin(), p);
    } else {
      list_[--first_] = p;
    }
  }

 private:
  std::vector<Pending> list_;
  size_t first_ = 0;
};

// Notes the registers that these operands name.
void CountRegisters(const isa::OperandUses& uses, Estimate* e) {
  for (const isa::OperandUse& use : uses) {
    const int64_t end = int64_t{use.operand.code} + use.dwords;
    if (use.dwords == 0) continue;
    if (use.operand.is_vgpr()) {
      e->vgprs = std::max(e->vgprs, end - 256);
    } else if (use.operand.code < isa::kSgprCount) {
      e->sgprs = std::max(e->sgprs, std::min<int64_t>(end, isa::kSgprCount));
    }
  }
}

// Walks one block.
class Walk {
 public:
  explicit Walk(isa::Wave wave) : wave_(wave) {}

  // Takes over what is under way at the end of a block before this one.
  void Join(const Walk& before);
  // Issues the instruction of that index. `issue`, if not null, is told all but its weight, in
  // cycles of the block.
  void Add(const isa::Instruction& inst, int32_t index, Issue* issue);

  int64_t cycle() const { return cycle_; }
  const Estimate& spent() const { return spent_; }

 private:
  static std::array<int32_t, kUnits> NoUsers() {
    std::array<int32_t, kUnits> none;
    none.fill(-1);
    return none;
  }

  void WaitForResults(const isa::Instruction& inst, const isa::OperandUses& uses,
                      const std::array<int, kCounters>& waits, Issue* issue);
  void WaitForUnits(const Timing& timing, Issue* issue);
  void Occupy(const Timing& timing, int32_t index);
  void Count(const isa::OpcodeInfo& info, const Timing& timing, int32_t index);
  void Publish(const isa::OpcodeInfo& info, const isa::OperandUses& uses, const Timing& timing,
               Pending result);
  void AddNeeded(const isa::OpcodeInfo& info, const isa::OperandUses& uses, LastResult* last) const;
  bool IsGiven(size_t r) const { return (given_[r / kBits] >> (r % kBits) & 1) != 0; }
  // Notes that the results of a register are there no earlier than `result`.
  void Give(size_t r, const Pending& result) {
    registers_[r] = Later(IsGiven(r) ? registers_[r] : Pending(), result);
    given_[r / kBits] |= uint64_t{1} << (r % kBits);
  }
  // Calls f(number) for each register that has been given a result, ascending.
  template <class F>
  void ForGiven(F&& f) const {
    for (size_t w = 0; w < given_.size(); ++w) {
      for (uint64_t rest = given_[w]; rest != 0; rest &= rest - 1) {
        f(w * kBits + static_cast<size_t>(__builtin_ctzll(rest)));
      }
    }
  }

  static constexpr size_t kBits = 64;

  isa::Wave wave_;
  int64_t cycle_ = 0;
  // Few registers are given results in a block: the others' places are not set.
  union {
    std::array<Pending, kRegisters> registers_;
  };
  std::array<uint64_t, kRegisters / kBits> given_{};  // a bit for each register
  std::array<int64_t, kUnits> free_{};                // when a unit takes the next instruction
  std::array<int32_t, kUnits> user_ = NoUsers();      // the last instruction that it took
  std::array<Queue, kCounters> pending_{};            // oldest first
  Estimate spent_;                                    // without weights
};

void Walk::Join(const Walk& before) {
  for (size_t u = 0; u < kUnits; ++u) {
    const int64_t free = before.free_[u] - before.cycle_;
    if (free <= free_[u]) continue;
    free_[u] = free;
    user_[u] = before.user_[u];
  }
  before.ForGiven([&](size_t r) {
    const Pending result = Shifted(before.registers_[r], before.cycle_);
    if (result.ready > 0) Give(r, result);  // others are there when the block begins
  });
  for (size_t c = 0; c < kCounters; ++c) {
    Queue& own = pending_[c];
    const Queue& theirs = before.pending_[c];
    const size_t common = std::min(own.size(), theirs.size());
    for (size_t i = 0; i < common; ++i) {
      Pending& mine = own[own.size() - 1 - i];
      mine = Later(mine, Shifted(theirs[theirs.size() - 1 - i], before.cycle_));
    }
    for (size_t i = theirs.size() - common; i-- > 0;) {
      own.push_front(Shifted(theirs[i], before.cycle_));
    }
  }
}

void Walk::AddNeeded(const isa::OpcodeInfo& info, const isa::OperandUses& uses,
                     LastResult* last) const {
  for (const isa::OperandUse& use : uses) {
    if (!use.read) continue;
    if (use.implicit && use.operand.code == isa::kExecLo && IsVector(info)) continue;
    const size_t first = use.operand.code;
    const size_t end = std::min<size_t>(first + std::max<size_t>(use.dwords, 1), kRegisters);
    for (size_t r = first; r < end; ++r) {
      if (IsGiven(r)) last->Add(registers_[r], IssueWait::For::kRegister, r);
    }
  }
}

void Walk::WaitForResults(const isa::Instruction& inst, const isa::OperandUses& uses,
                          const std::array<int, kCounters>& waits, Issue* issue) {
  LastResult last = {.result = {cycle_, Stall::kScalarResults}};
  for (size_t c = 0; c < kCounters; ++c) {
    Queue& queue = pending_[c];
    while (waits[c] >= 0 && queue.size() > static_cast<size_t>(waits[c])) {
      last.Add(queue.front(), IssueWait::For::kCounter, c);
      queue.pop_front();
    }
  }
  if (isa::Info(inst.op).Has(isa::opcode_flag::kEnd)) {
    ForGiven([&](size_t r) { last.Add(registers_[r], IssueWait::For::kRegister, r); });
  }
  AddNeeded(isa::Info(inst.op), uses, &last);
  const int64_t cycles = last.result.ready - cycle_;
  const auto why = static_cast<size_t>(last.result.why);
  spent_.stalls[why] += cycles;
  cycle_ = last.result.ready;
  if (issue == nullptr) return;
  issue->ready = last.ready;
  if (cycles == 0) return;
  issue->waits.push_back(
      {last.what, last.number, static_cast<int>(why), last.result.producer, cycles});
}

void Walk::WaitForUnits(const Timing& timing, Issue* issue) {
  size_t last = 0;
  int64_t free = cycle_;
  for (size_t u = 0; u < kUnits; ++u) {
    if (timing.busy[u] == 0 || free_[u] <= free) continue;
    free = free_[u];
    last = u;
  }
  const int64_t cycles = free - cycle_;
  spent_.queues[last] += cycles;
  cycle_ = free;
  if (issue == nullptr || cycles == 0) return;
  const int unit = static_cast<int>(last);
  issue->waits.push_back({IssueWait::For::kUnit, unit, unit, user_[last], cycles});
}

void Walk::Occupy(const Timing& timing, int32_t index) {
  for (size_t u = 0; u < kUnits; ++u) {
    if (timing.busy[u] == 0) continue;
    free_[u] = cycle_ + timing.busy[u];
    user_[u] = index;
    spent_.busy[u] += timing.busy[u];
  }
}

void Walk::Count(const isa::OpcodeInfo& info, const Timing& timing, int32_t index) {
  for (size_t c = 0; c < kCounters; ++c) {
    if (timing.counted[c] == 0) continue;
    pending_[c].push_back(
        {cycle_ + timing.counted[c], MemoryStall(info, static_cast<Counter>(c)), index});
  }
}

void Walk::Publish(const isa::OpcodeInfo& info, const isa::OperandUses& uses, const Timing& timing,
                   Pending result) {
  const int64_t start = result.ready;
  result.ready += timing.result;
  result.why = IsArithmetic(info.encoding) ? Stall::kVectorResults : Stall::kScalarResults;
  for (size_t c = 0; c < kCounters; ++c) {
    const Counter counter = static_cast<Counter>(c);
    if (counter == Counter::kVs) continue;  // writes no register
    if (start + timing.counted[c] <= result.ready) continue;
    result.ready = start + timing.counted[c];
    result.why = MemoryStall(info, counter);
  }
  for (const isa::OperandUse& use : uses) {
    if (!use.written) continue;
    Pending own = result;
    if (!use.operand.is_vgpr() && own.why == Stall::kVectorResults) own.why = Stall::kLaneReads;
    const size_t first = use.operand.code;
    const size_t end = std::min<size_t>(first + std::max<size_t>(use.dwords, 1), kRegisters);
    for (size_t r = first; r < end; ++r) Give(r, own);
  }
}

// Returns the unit that an instruction occupies longest, of equals the first; -1: none.
int MainUnit(const Timing& timing) {
  const auto longest = std::max_element(timing.busy.begin(), timing.busy.end());
  return *longest == 0 ? -1 : static_cast<int>(longest - timing.busy.begin());
}

void Walk::Add(const isa::Instruction& inst, int32_t index, Issue* issue) {
  const isa::OpcodeInfo& info = isa::Info(inst.op);
  const Timing timing = TimingOf(inst);
  const isa::OperandUses uses = isa::OperandsOf(inst, wave_);
  CountRegisters(uses, &spent_);
  if (issue != nullptr) *issue = {.instruction = index, .unit = MainUnit(timing), .turn = cycle_};
  WaitForResults(inst, uses, WaitsOf(inst, timing), issue);
  const int issues = wave_ == isa::Wave::k64 && IsVector(info) ? 2 : 1;
  int64_t start = 0;
  for (int i = 0; i < issues; ++i) {
    WaitForUnits(timing, issue);
    start = cycle_;
    Occupy(timing, index);
    ++cycle_;
  }
  Count(info, timing, index);
  Publish(info, uses, timing, {.ready = start, .producer = index});
  if (issue == nullptr) return;
  issue->next = cycle_;
  // Counters fall so long after the issue is over.
  const int counted = *std::max_element(timing.counted.begin(), timing.counted.end());
  issue->done = std::max(start + timing.result, cycle_ + counted);
}

constexpr int kDeepest = 8;    // loops that are counted: weights stay below 2^27
constexpr int kMaxSides = 40;  // a block inside of more counts nothing

int64_t WeightOf(const Block& block) {
  int64_t weight = kWeightOfOne;
  const int loops = std::min(block.loops, kDeepest);
  if (loops > 0) weight *= 8;
  if (loops > 1) weight *= 4;
  if (loops > 2) weight <<= loops - 2;
  weight >>= std::min(block.uniform_ifs, kMaxSides);
  for (int i = 0; i < std::min(block.divergent_ifs, kMaxSides); ++i) weight = weight * 3 / 4;
  return weight;
}

template <size_t kSize>
void AddWeighted(std::array<int64_t, kSize>& sum, const std::array<int64_t, kSize>& of_block,
                 int64_t weight) {
  for (size_t i = 0; i < kSize; ++i) sum[i] += of_block[i] * weight;
}

// Returns, by block, the last of those behind it that it comes before; the block itself if none is.
std::vector<size_t> LastReaders(absl::Span<const Block> blocks) {
  std::vector<size_t> last(blocks.size());
  for (size_t b = 0; b < blocks.size(); ++b) {
    last[b] = b;
    for (const int32_t predecessor : blocks[b].predecessors) {
      const auto before = static_cast<size_t>(predecessor);
      if (before < b) last[before] = b;
    }
  }
  return last;
}

int64_t Rounded(int64_t weighted) { return (weighted + kWeightOfOne / 2) >> kWeightBits; }

// Returns the issue in cycles of the program, from cycles of its block.
Issue Moved(Issue issue, int64_t origin, int64_t weight) {
  issue.weight = weight;
  issue.turn += origin;
  if (issue.ready) *issue.ready += origin;
  issue.next += origin;
  issue.done += origin;
  return issue;
}

template <size_t kSize>
void Round(std::array<int64_t, kSize>& sum) {
  for (int64_t& each : sum) each = Rounded(each);
}

}  // namespace

std::string_view Name(Stall stall) {
  constexpr std::string_view kNames[kStalls] = {
      "vector_memory", "stores",         "scalar_memory",  "lds",
      "exports",       "vector_results", "scalar_results", "lane_reads"};
  return kNames[static_cast<size_t>(stall)];
}

Estimate EstimateProgram(absl::Span<const PlacedInstruction> program, isa::Wave wave,
                         IssueListener* listener) {
  return EstimateProgram(program, BlocksOf(program), wave, listener);
}

Estimate EstimateProgram(absl::Span<const PlacedInstruction> program,
                         absl::Span<const Block> blocks, isa::Wave wave, IssueListener* listener) {
  const std::vector<size_t> last_reader = LastReaders(blocks);
  // A walk has kilobytes: few of them are kept at once.
  std::vector<std::unique_ptr<Walk>> walks(blocks.size());
  Estimate sum;
  int64_t origin = 0;  // of the block, every block before it once
  for (size_t b = 0; b < blocks.size(); ++b) {
    walks[b] = std::make_unique<Walk>(wave);
    Walk& walk = *walks[b];
    // Blocks that a backward branch comes from are not known yet.
    for (const int32_t predecessor : blocks[b].predecessors) {
      const auto before = static_cast<size_t>(predecessor);
      if (before >= b) continue;
      walk.Join(*walks[before]);
      if (last_reader[before] == b) walks[before].reset();
    }
    const int64_t weight = WeightOf(blocks[b]);
    for (int32_t i = blocks[b].first; i < blocks[b].end; ++i) {
      Issue issue;
      walk.Add(program[static_cast<size_t>(i)].inst, i, listener != nullptr ? &issue : nullptr);
      if (listener != nullptr) listener->OnIssue(Moved(std::move(issue), origin, weight));
    }
    origin += walk.cycle();
    sum.cycles += walk.cycle() * weight;
    AddWeighted(sum.busy, walk.spent().busy, weight);
    AddWeighted(sum.queues, walk.spent().queues, weight);
    AddWeighted(sum.stalls, walk.spent().stalls, weight);
    sum.vgprs = std::max(sum.vgprs, walk.spent().vgprs);
    sum.sgprs = std::max(sum.sgprs, walk.spent().sgprs);
    if (last_reader[b] == b) walks[b].reset();
  }
  sum.cycles = Rounded(sum.cycles);
  Round(sum.busy);
  Round(sum.queues);
  Round(sum.stalls);
  const auto busiest = std::max_element(sum.busy.begin(), sum.busy.end());
  sum.bottleneck = static_cast<Unit>(busiest - sum.busy.begin());
  return sum;
}

int64_t InverseThroughput(const Estimate& estimate, isa::Wave wave, int waves) {
  const int64_t busiest = estimate.busy[static_cast<size_t>(estimate.bottleneck)];
  const int64_t shared = (estimate.cycles + waves - 1) / waves;
  return std::max(busiest, shared) * (wave == isa::Wave::k32 ? 2 : 1);
}

}  // namespace kiln::amd
