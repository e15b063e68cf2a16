#include "core/amd/waits/testing/check_waits.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/sim/rdna2/contract_rules.h"

namespace kiln::amd {
namespace {

namespace sim = ::kiln::sim::rdna2;
using sim::Counter;
using sim::Hazard;
using sim::Producer;

// The counters of which a rule may demand one or two.
constexpr Counter kSingle[] = {Counter::kVm, Counter::kLgkm, Counter::kExp, Counter::kVs};

bool Includes(Counter all, Counter one) {
  if (all == one) return true;
  if (all == Counter::kVmAndLgkm) return one == Counter::kVm || one == Counter::kLgkm;
  return all == Counter::kVsAndLgkm && (one == Counter::kVs || one == Counter::kLgkm);
}

int CountOf(const sim::WaitCounts& waits, Counter counter) {
  switch (counter) {
    case Counter::kVm: return waits.vm;
    case Counter::kLgkm: return waits.lgkm;
    case Counter::kExp: return waits.exp;
    default: return waits.vs;
  }
}

class Checker {
 public:
  explicit Checker(const Program& program) : program_(program) {
    for (const Row& row : program.rows) {
      sim::Op op;
      op.inst = row.inst;
      op.info = &isa::Info(row.inst.op);
      op.uses = isa::OperandsOf(row.inst, program.wave);
      ops_.push_back(op);
      producers_.push_back(sim::ProducerOf(op));
    }
  }

  std::vector<MissingWait> Run() {
    for (size_t i = 0; i < ops_.size(); ++i) {
      if (producers_[i] == Producer::kNone) continue;
      for (Counter counter : kSingle) {
        if (Includes(sim::CounterOf(producers_[i]), counter)) Follow(i, counter);
      }
    }
    return std::move(missing_);
  }

 private:
  static constexpr int kUnseen = 1 << 20;

  // Follows the operation on every path while the counter may count it. `later` of a row: the
  // fewest operations that can have been issued behind it, in order with it, before that row.
  void Follow(size_t producer, Counter counter) {
    std::vector<int> later(ops_.size() + 1, kUnseen);
    std::vector<size_t> work;
    const auto go = [&](size_t to, int count) {
      if (to >= ops_.size() || later[to] <= count) return;
      later[to] = count;
      work.push_back(to);
    };
    const sim::Sequence sequence = sim::SequenceOf(ops_[producer], true);
    const auto in_order = [&](size_t op) {
      return counter != Counter::kLgkm || sim::LgkmcntKeepsOrder(ops_[op]);
    };
    const bool ordered = sequence != sim::Sequence::kNone && in_order(producer);
    go(producer + 1, 0);
    while (!work.empty()) {
      const size_t at = work.back();
      work.pop_back();
      const int waited = CountOf(sim::WaitsOf(ops_[at]), counter);
      int count = later[at];
      if (waited == 0 || (ordered && waited <= count)) continue;
      Judge(producer, at, counter);
      const bool behind = at != producer && Includes(sim::CounterOf(producers_[at]), counter) &&
                          sim::SequenceOf(ops_[at], true) == sequence && in_order(at);
      if (ordered && behind) ++count;
      if (count >= (counter == Counter::kExp ? 7 : 63)) continue;  // issue would have waited
      if (FallsThrough(ops_[at].inst)) go(at + 1, count);
      const int target = program_.rows[at].target;
      if (target != Row::kNoTarget) go(static_cast<size_t>(target), count);
    }
  }

  void Judge(size_t producer, size_t consumer, Counter counter) {
    const bool exports = producers_[producer] == Producer::kExport;
    const sim::Op& op = ops_[consumer];
    bool hazards[3] = {};
    for (const isa::OperandUse& use : op.uses) {
      if (!Touches(producer, use, exports)) continue;
      // A load into a half leaves the other one, in order.
      const bool keeps =
          op.Has(isa::opcode_flag::kLoad) && !use.implicit && use.member == isa::Member::kDst;
      if (exports) {
        hazards[2] |= use.written;
      } else {
        hazards[0] |= use.read && !keeps;
        hazards[1] |= use.written;
      }
    }
    for (size_t h = 0; h < 3; ++h) {
      const auto hazard = static_cast<Hazard>(h);
      const bool same = producers_[producer] == producers_[consumer];
      if (!hazards[h]) continue;
      if (!Includes(sim::RequiredWait(producers_[producer], same, hazard), counter)) continue;
      missing_.push_back({producer, consumer,
                          absl::StrCat("row ", consumer, " ", sim::NameOf(hazard),
                                       " a register without a wait for ", sim::NameOf(counter),
                                       " of row ", producer)});
    }
  }

  bool Touches(size_t producer, const isa::OperandUse& use, bool exports) const {
    for (const isa::OperandUse& held : ops_[producer].uses) {
      if (!(exports ? held.read : held.written)) continue;
      const int first = held.operand.code, other = use.operand.code;
      if (first < other + use.dwords && other < first + held.dwords) return true;
    }
    return false;
  }

  const Program& program_;
  std::vector<sim::Op> ops_;
  std::vector<Producer> producers_;
  std::vector<MissingWait> missing_;
};

}  // namespace

std::vector<MissingWait> CheckWaits(const Program& program) { return Checker(program).Run(); }

}  // namespace kiln::amd
