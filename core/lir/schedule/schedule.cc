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

NodeOrder Identity(size_t n) {
  NodeOrder order(n);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

void Append(const Dag& dag, const NodeOrder& order, std::vector<InstId>* out) {
  for (uint32_t n : order) out->push_back(dag.nodes[n].inst);
}

// An order of one block, window by window, and what it costs.
struct Candidate {
  std::vector<InstId> insts;
  int64_t cycles = 0;
};

class Scheduler {
 public:
  Scheduler(const Target& t, Function& f, const ScheduleOptions& options)
      : t_(t),
        f_(f),
        options_(options),
        live_(t, f, Liveness::Detail::kBlockEnds),
        peak_(t, f, live_),
        builder_(t, f, false),
        pressure_(t, f),
        live_after_(f.values.size(), 0) {}

  ScheduleStats Run() {
    for (uint32_t b = 0; b < f_.blocks.size(); ++b) {
      if (Body(t_, f_, f_.blocks[b]).size() > 1) Block(BlockId(b));
    }
    return stats_;
  }

 private:
  // Marks what is needed after the instruction at `end` of the body; undone by the same walk.
  void MarkLiveAfter(BlockId b, size_t end, char mark) {
    live_.live_out(b).for_each([&](size_t g) {
      live_after_[live_.slot_value(live_.global_slot(static_cast<uint32_t>(g))).index] = mark;
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

  // The graphs of the block's windows, in dags_.
  size_t BuildDags(absl::Span<const InstId> body) {
    size_t windows = 0;
    for (size_t at = 0; at < body.size(); at += kMaxWindow) {
      if (dags_.size() == windows) dags_.emplace_back();
      builder_.Build(body.subspan(at, kMaxWindow), &dags_[windows++]);
    }
    return windows;
  }

  int64_t OriginalCycles(size_t windows) const {
    int64_t cycles = 0;
    for (size_t w = 0; w < windows; ++w) {
      cycles += EstimateCycles(dags_[w], Identity(dags_[w].nodes.size()));
    }
    return cycles;
  }

  Candidate ForLatency(BlockId b, size_t windows) {
    Candidate c;
    for (size_t w = 0; w < windows; ++w) {
      c.cycles += latency_.Order(dags_[w], &order_);
      Append(dags_[w], order_, &c.insts);
    }
    AppendTerminator(b, &c);
    return c;
  }

  Candidate ForPressure(BlockId b, size_t windows) {
    Candidate c;
    for (size_t w = 0; w < windows; ++w) {
      const size_t end = c.insts.size() + dags_[w].nodes.size();
      MarkLiveAfter(b, end, 1);
      pressure_.Order(dags_[w], live_after_, &order_);
      MarkLiveAfter(b, end, 0);
      c.cycles += EstimateCycles(dags_[w], order_);
      Append(dags_[w], order_, &c.insts);
    }
    AppendTerminator(b, &c);
    return c;
  }

  void AppendTerminator(BlockId b, Candidate* c) const {
    const std::vector<InstId>& insts = f_.block(b).insts;
    c->insts.insert(c->insts.end(), insts.begin() + static_cast<ptrdiff_t>(c->insts.size()),
                    insts.end());
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

  // The pressure order is not made where the latency order is taken, which is most often.
  void Block(BlockId b) {
    std::vector<InstId>& insts = f_.block(b).insts;
    const size_t windows = BuildDags(Body(t_, f_, f_.block(b)));
    const int64_t original_cycles = OriginalCycles(windows);
    int64_t cycles = original_cycles;
    Candidate fast = ForLatency(b, windows);
    if (fast.cycles < original_cycles && Fits(peak_.Of(b, fast.insts))) {
      insts = std::move(fast.insts);
      cycles = fast.cycles;
      ++stats_.blocks_latency;
    } else {
      const std::vector<uint32_t> original = peak_.Of(b, insts);
      Candidate small = ForPressure(b, windows);
      if ((!Fits(original) || small.cycles <= original_cycles) &&
          Lower(peak_.Of(b, small.insts), original)) {
        insts = std::move(small.insts);
        cycles = small.cycles;
        ++stats_.blocks_pressure;
      }
    }
    stats_.cycles_before += original_cycles;
    stats_.cycles_after += cycles;
  }

  const Target& t_;
  Function& f_;
  const ScheduleOptions& options_;
  const Liveness live_;
  PeakPressure peak_;
  DagBuilder builder_;
  LatencyScheduler latency_;
  PressureScheduler pressure_;
  std::vector<Dag> dags_;
  NodeOrder order_;
  std::vector<char> live_after_;
  ScheduleStats stats_;
};

}  // namespace

ScheduleStats ScheduleBeforeAllocation(const Target& target, Function* f,
                                       const ScheduleOptions& options) {
  return Scheduler(target, *f, options).Run();
}

ScheduleStats ScheduleAfterAllocation(const Target& t, Function* f) {
  ScheduleStats stats;
  DagBuilder builder(t, *f, true);
  LatencyScheduler latency;
  Dag dag;
  NodeOrder fast;
  for (Block& block : f->blocks) {
    const size_t size = Body(t, *f, block).size();
    for (size_t at = 0; at < size; at += kMaxWindow) {
      builder.Build(Body(t, *f, block).subspan(at, kMaxWindow), &dag);
      const int before = EstimateCycles(dag, Identity(dag.nodes.size()));
      const int after = latency.Order(dag, &fast);
      stats.cycles_before += before;
      stats.cycles_after += std::min(before, after);
      if (after >= before) continue;
      ++stats.blocks_latency;
      for (size_t k = 0; k < fast.size(); ++k) block.insts[at + k] = dag.nodes[fast[k]].inst;
    }
  }
  return stats;
}

}  // namespace kiln::lir::schedule
