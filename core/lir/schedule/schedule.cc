#include "core/lir/schedule/schedule.h"

#include <algorithm>
#include <numeric>

#include "absl/types/span.h"
#include "core/lir/liveness.h"
#include "core/lir/schedule/dag.h"
#include "core/lir/schedule/list_scheduler.h"

namespace kiln::lir::schedule {

namespace {

bool IsValue(const Operand& o) { return o.kind == Operand::Kind::kValue; }

// Units live at the worst place of a block, per pool, for any order of its instructions.
class PeakPressure {
 public:
  PeakPressure(const Target& t, const Function& f, const Liveness& l)
      : t_(t), f_(f), l_(l), units_(t, f, l), epoch_(l.num_slots(), 0) {}

  std::vector<uint32_t> Of(BlockId b, const std::vector<InstId>& order) {
    ++now_;
    units_.Clear();
    // What only parked lanes hold, and no other value may share.
    l_.parked(b).for_each([&](size_t g) {
      const uint32_t slot = l_.global_slot(static_cast<uint32_t>(g));
      if (IsWhole(t_, f_.value(l_.slot_value(slot))) && !l_.live_in(b).test(g)) units_.Add(slot);
    });
    const std::vector<int64_t> held = units_.units();
    units_.Clear();
    l_.live_out(b).for_each([&](size_t g) { Need(l_.global_slot(static_cast<uint32_t>(g))); });
    for (const Edge& e : f_.block(b).succs) {
      for (const Operand& o : f_.args(e)) NeedAll(o);
    }
    std::vector<int64_t> peak = units_.units();
    const auto record = [&] {
      for (size_t p = 0; p < peak.size(); ++p) peak[p] = std::max(peak[p], units_.units()[p]);
    };
    for (size_t k = order.size(); k-- > 0;) {
      for (const Operand& o : f_.defs(order[k])) NeedAll(o);  // written even if nobody reads it
      record();
      for (const Operand& o : f_.defs(order[k])) End(o);
      for (const Operand& o : f_.uses(order[k])) NeedAll(o);
    }
    record();
    std::vector<uint32_t> result;
    for (size_t p = 0; p < peak.size(); ++p) {
      result.push_back(static_cast<uint32_t>(peak[p] + held[p]));
    }
    return result;
  }

 private:
  void Need(uint32_t slot) {
    if (epoch_[slot] == now_) return;
    epoch_[slot] = now_;
    units_.Add(slot);
  }
  void NeedAll(const Operand& o) {
    if (!IsValue(o)) return;
    for (uint32_t c = 0; c < o.comps; ++c) Need(l_.first_slot(o.value()) + o.comp + c);
  }
  void End(const Operand& o) {
    if (!IsValue(o)) return;
    for (uint32_t c = 0; c < o.comps; ++c) {
      const uint32_t slot = l_.first_slot(o.value()) + o.comp + c;
      if (epoch_[slot] != now_) continue;
      epoch_[slot] = 0;
      units_.Remove(slot);
    }
  }

  const Target& t_;
  const Function& f_;
  const Liveness& l_;
  UnitCounter units_;
  std::vector<uint32_t> epoch_;
  uint32_t now_ = 0;
};

// The instructions without the terminator.
absl::Span<const InstId> Body(const Target& t, const Function& f, const Block& b) {
  size_t n = b.insts.size();
  if (n != 0 && (t.ops[f.inst(b.insts.back()).op].flags & kOpTerminator)) --n;
  return absl::MakeConstSpan(b.insts).first(n);
}

std::vector<uint32_t> Identity(size_t n) {
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

void Append(const std::vector<DagNode>& dag, const std::vector<uint32_t>& order,
            std::vector<InstId>* out) {
  for (uint32_t n : order) out->push_back(dag[n].inst);
}

// Candidate orders of one block, window by window, and what they cost.
struct Candidates {
  std::vector<InstId> latency, pressure;
  int64_t original_cycles = 0, latency_cycles = 0, pressure_cycles = 0;
};

class Scheduler {
 public:
  Scheduler(const Target& t, Function& f, const ScheduleOptions& options)
      : t_(t), f_(f), options_(options) {}

  ScheduleStats Run() {
    const Liveness live(t_, f_);
    PeakPressure peak(t_, f_, live);
    live_after_.assign(f_.values.size(), 0);
    for (uint32_t b = 0; b < f_.blocks.size(); ++b) {
      if (Body(t_, f_, f_.blocks[b]).size() > 1) Block(BlockId(b), live, &peak);
    }
    return stats_;
  }

 private:
  // Marks what is needed after the instruction at `end` of the body; undone by the same walk.
  void MarkLiveAfter(BlockId b, size_t end, const Liveness& live, char mark) {
    live.live_out(b).for_each([&](size_t g) {
      live_after_[live.slot_value(live.global_slot(static_cast<uint32_t>(g))).index] = mark;
    });
    const lir::Block& block = f_.block(b);
    const auto need = [&](const Operand& o) {
      if (IsValue(o)) live_after_[o.id] = mark;
    };
    for (const Edge& e : block.succs) {
      for (const Operand& o : f_.args(e)) need(o);
    }
    for (size_t k = end; k < block.insts.size(); ++k) {
      for (const Operand& o : f_.uses(block.insts[k])) need(o);
    }
  }

  Candidates Propose(BlockId b, const Liveness& live) {
    Candidates c;
    const absl::Span<const InstId> body = Body(t_, f_, f_.block(b));
    for (size_t at = 0; at < body.size(); at += kMaxWindow) {
      const absl::Span<const InstId> window = body.subspan(at, kMaxWindow);
      const std::vector<DagNode> dag = BuildDag(t_, f_, window, false);
      const std::vector<uint32_t> fast = OrderForLatency(dag);
      MarkLiveAfter(b, at + window.size(), live, 1);
      const std::vector<uint32_t> small = OrderForPressure(t_, f_, dag, live_after_);
      MarkLiveAfter(b, at + window.size(), live, 0);
      c.original_cycles += EstimateCycles(dag, Identity(dag.size()));
      c.latency_cycles += EstimateCycles(dag, fast);
      c.pressure_cycles += EstimateCycles(dag, small);
      Append(dag, fast, &c.latency);
      Append(dag, small, &c.pressure);
    }
    for (size_t k = body.size(); k < f_.block(b).insts.size(); ++k) {
      c.latency.push_back(f_.block(b).insts[k]);
      c.pressure.push_back(f_.block(b).insts[k]);
    }
    return c;
  }

  bool Fits(const std::vector<uint32_t>& peak) const {
    for (size_t p = 0; p < peak.size(); ++p) {
      const uint32_t reserve = p < options_.reserve.size() ? options_.reserve[p] : 0;
      if (peak[p] + reserve > t_.pools[p].units) return false;
    }
    return true;
  }

  // Does an order with peak `a` ask for less than one with peak `b`? Where it does not fit counts.
  bool Lower(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) const {
    int64_t over_a = 0, over_b = 0, sum_a = 0, sum_b = 0;
    for (size_t p = 0; p < a.size(); ++p) {
      const int64_t units = t_.pools[p].units;
      over_a += std::max<int64_t>(0, a[p] - units) * 1024 / units;
      over_b += std::max<int64_t>(0, b[p] - units) * 1024 / units;
      sum_a += int64_t{a[p]} * 1024 / units;
      sum_b += int64_t{b[p]} * 1024 / units;
    }
    return over_a != over_b ? over_a < over_b : sum_a < sum_b;
  }

  void Block(BlockId b, const Liveness& live, PeakPressure* peak) {
    Candidates c = Propose(b, live);
    const std::vector<uint32_t> original = peak->Of(b, f_.block(b).insts);
    stats_.cycles_before += c.original_cycles;
    int64_t cycles = c.original_cycles;
    if (c.latency_cycles < c.original_cycles && Fits(peak->Of(b, c.latency))) {
      f_.block(b).insts = std::move(c.latency);
      cycles = c.latency_cycles;
      ++stats_.blocks_latency;
    } else if ((!Fits(original) || c.pressure_cycles <= c.original_cycles) &&
               Lower(peak->Of(b, c.pressure), original)) {
      f_.block(b).insts = std::move(c.pressure);
      cycles = c.pressure_cycles;
      ++stats_.blocks_pressure;
    }
    stats_.cycles_after += cycles;
  }

  const Target& t_;
  Function& f_;
  const ScheduleOptions& options_;
  ScheduleStats stats_;
  std::vector<char> live_after_;
};

}  // namespace

ScheduleStats ScheduleBeforeAllocation(const Target& target, Function* f,
                                       const ScheduleOptions& options) {
  return Scheduler(target, *f, options).Run();
}

ScheduleStats ScheduleAfterAllocation(const Target& t, Function* f) {
  ScheduleStats stats;
  for (Block& block : f->blocks) {
    const absl::Span<const InstId> body = Body(t, *f, block);
    std::vector<InstId> insts;
    for (size_t at = 0; at < body.size(); at += kMaxWindow) {
      const std::vector<DagNode> dag = BuildDag(t, *f, body.subspan(at, kMaxWindow), true);
      const std::vector<uint32_t> original = Identity(dag.size()), fast = OrderForLatency(dag);
      const int before = EstimateCycles(dag, original), after = EstimateCycles(dag, fast);
      stats.cycles_before += before;
      stats.cycles_after += std::min(before, after);
      if (after < before) ++stats.blocks_latency;
      Append(dag, after < before ? fast : original, &insts);
    }
    std::copy(insts.begin(), insts.end(), block.insts.begin());
  }
  return stats;
}

}  // namespace kiln::lir::schedule
