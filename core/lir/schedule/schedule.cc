#include "core/lir/schedule/schedule.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "absl/types/span.h"
#include "core/lir/liveness.h"
#include "core/lir/schedule/dag.h"
#include "core/lir/schedule/hoist_scheduler.h"
#include "core/lir/schedule/judge.h"
#include "core/lir/schedule/list_scheduler.h"
#include "core/lir/schedule/order_pressure.h"

namespace kiln::lir::schedule {

namespace {

// The instructions without the terminator.
absl::Span<const InstId> Body(const Machine& t, const Function& f, const Block& b) {
  size_t n = b.insts.size();
  if (n != 0 && (t.ops[f.inst(b.insts.back()).op].flags & kOpTerminator)) --n;
  return absl::MakeConstSpan(b.insts).first(n);
}

// Returns the block's terminator if it directly follows the window that starts at `at`.
InstId TerminatorAfter(const Block& b, absl::Span<const InstId> body, size_t at) {
  const bool last = body.size() - at <= kMaxWindow && body.size() != b.insts.size();
  return last ? b.insts.back() : InstId();
}

NodeOrder Identity(size_t n) {
  NodeOrder order(n);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

void Append(const Dag& dag, const NodeOrder& order, std::vector<InstId>* out) {
  for (uint32_t n : order) out->push_back(dag.nodes[n].inst);
}

// A balanced order is good enough with this percentage of the latency order's cycles.
constexpr int kGoodEnough = 115;
// If the base order exceeds the limit by more 1024ths of a pool than this, running ahead causes
// more spills than it gains.
constexpr int64_t kHopeless = 512;

// An order of one block, window by window, and its rating.
struct Candidate {
  Policy policy = Policy::kSource;
  std::vector<InstId> insts;
  // For bases of balanced orders: the same order as node numbers, and the units live in it.
  std::vector<NodeOrder> windows;
  PressureProfile profile;
  int64_t cycles = 0;
  Merit merit;
};

class Scheduler {
 public:
  Scheduler(const Machine& t, Function& f, const ScheduleOptions& options)
      : t_(t),
        f_(f),
        builder_(t, f, false),
        pressure_(t, f),
        hoist_(t, f),
        live_after_(f.values.size(), 0),
        fewest_live_(options.fewest_live),
        live_(options.live != nullptr ? options.live : &own_live_) {
    for (size_t p = 0; p < t.pools.size(); ++p) {
      const auto of = [&](const std::vector<uint32_t>& v) {
        return p < v.size() ? int64_t{v[p]} : 0;
      };
      const int64_t size = FreeUnits(t, f, p), limit = size - of(options.reserve);
      limits_.push_back({.units = limit, .size = size, .excess = of(options.excess)});
      ahead_.push_back(limit - of(options.balanced));
    }
    any_order_fits_ = AllFit();
  }

  ScheduleStats Run() {
    for (uint32_t b = 0; b < f_.blocks.size(); ++b) {
      if (Body(t_, f_, f_.blocks[b]).size() > 1) Block(BlockId(b));
    }
    return stats_;
  }

 private:
  // Liveness and the units that orders need: small blocks are often scheduled without.
  struct Pressure {
    Pressure(const Machine& t, const Function& f, const Liveness& known)
        : live(known), of(t, f, known) {}
    const Liveness& live;
    OrderPressure of;
  };
  Pressure& pressure() {
    if (!counted_) {
      if (!*live_) live_->emplace(t_, f_, Liveness::Detail::kBlockEnds);
      counted_.emplace(t_, f_, **live_);
    }
    return *counted_;
  }

  // Returns true if the function's values would be within the limits were they all live at once.
  bool AllFit() const {
    std::vector<int64_t> units(limits_.size());
    for (const Value& v : f_.values) {
      units[t_.files[v.file].pool] += int64_t{v.comps} * t_.units_per_comp(f_, v);
    }
    for (size_t p = 0; p < units.size(); ++p) {
      if (units[p] > limits_[p].units) return false;
    }
    return true;
  }

  // Marks the values needed after the instruction at `end` of the body; the same walk removes the
  // marks.
  void MarkLiveAfter(BlockId b, size_t end, char mark) {
    const Liveness& live = pressure().live;
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

  // Builds the graphs of the block's windows in dags_; returns their number.
  size_t BuildDags(const lir::Block& block) {
    const absl::Span<const InstId> body = Body(t_, f_, block);
    size_t windows = 0;
    for (size_t at = 0; at < body.size(); at += kMaxWindow) {
      if (dags_.size() == windows) dags_.emplace_back();
      builder_.Build(body.subspan(at, kMaxWindow), TerminatorAfter(block, body, at),
                     &dags_[windows++]);
    }
    return windows;
  }

  Candidate Source(BlockId b, size_t windows) {
    Candidate c;
    c.insts = f_.block(b).insts;
    for (size_t w = 0; w < windows; ++w) {
      c.windows.push_back(Identity(dags_[w].nodes.size()));
      c.cycles += EstimateCycles(dags_[w], c.windows.back());
    }
    return c;
  }

  Candidate ForLatency(BlockId b, size_t windows, Exits exits) {
    Candidate c;
    c.policy = Policy::kLatency;
    c.insts.reserve(f_.block(b).insts.size());
    for (size_t w = 0; w < windows; ++w) {
      c.cycles += latency_.Order(dags_[w], exits, &order_);
      Append(dags_[w], order_, &c.insts);
    }
    AppendTerminator(b, &c);
    return c;
  }

  Candidate ForPressure(BlockId b, size_t windows) {
    Candidate c;
    c.policy = Policy::kPressure;
    c.insts.reserve(f_.block(b).insts.size());
    for (size_t w = 0; w < windows; ++w) {
      const size_t end = c.insts.size() + dags_[w].nodes.size();
      MarkLiveAfter(b, end, 1);
      pressure_.Order(dags_[w], live_after_, &order_);
      MarkLiveAfter(b, end, 0);
      c.cycles += EstimateCycles(dags_[w], order_);
      Append(dags_[w], order_, &c.insts);
      c.windows.push_back(order_);
    }
    AppendTerminator(b, &c);
    return c;
  }

  Candidate Balanced(BlockId b, const Candidate& base, Exits exits) {
    Candidate c;
    c.policy = Policy::kBalanced;
    c.insts.reserve(f_.block(b).insts.size());
    for (size_t w = 0; w < base.windows.size(); ++w) {
      const size_t first = c.insts.size(), end = first + dags_[w].nodes.size();
      PressureProfile profile;
      for (const std::vector<int64_t>& units : base.profile) {
        profile.emplace_back(units.begin() + static_cast<ptrdiff_t>(first),
                             units.begin() + static_cast<ptrdiff_t>(end) + 1);
      }
      MarkLiveAfter(b, end, 1);
      c.cycles += hoist_.Order(dags_[w], exits, base.windows[w], std::move(profile), ahead_,
                               live_after_, &order_);
      MarkLiveAfter(b, end, 0);
      Append(dags_[w], order_, &c.insts);
    }
    AppendTerminator(b, &c);
    return c;
  }

  // Returns the latency order. With preferred exits: the best of all orders that the preference may
  // mean and of the one without it, so that the preference yields where its order does not fit or
  // takes longer than an early exit is worth. `*fewest`: the cycles of the fastest of them, fitting
  // or not.
  Candidate Fastest(BlockId b, size_t windows, int64_t* fewest) {
    Candidate best;
    *fewest = std::numeric_limits<int64_t>::max();
    for (Exits exits : exits_) {
      Candidate c = ForLatency(b, windows, exits);
      *fewest = std::min(*fewest, c.cycles);
      if (exits_.size() == 1) return c;
      Judge(b, &c);
      if (best.insts.empty() || Better(c.merit, best.merit)) best = std::move(c);
    }
    return best;
  }

  void AppendTerminator(BlockId b, Candidate* c) const {
    const std::vector<InstId>& insts = f_.block(b).insts;
    c->insts.insert(c->insts.end(), insts.begin() + static_cast<ptrdiff_t>(c->insts.size()),
                    insts.end());
  }

  void Judge(BlockId b, Candidate* c) {
    c->merit = MeritOf(pressure().of.Peak(b, c->insts), limits_, c->cycles);
  }

  void JudgeBase(BlockId b, Candidate* c) {
    c->profile = pressure().of.Profile(b, c->insts);
    std::vector<uint32_t> peak;
    for (const std::vector<int64_t>& units : c->profile) {
      peak.push_back(static_cast<uint32_t>(*std::max_element(units.begin(), units.end())));
    }
    c->merit = MeritOf(peak, limits_, c->cycles);
  }

  // Schedules a block. The other candidates are not made if the latency order is taken, the usual
  // case.
  void Block(BlockId b) {
    const size_t windows = BuildDags(f_.block(b));
    Candidate best = Source(b, windows);
    const int64_t original_cycles = best.cycles;
    exits_ = WorthTrying(std::any_of(dags_.begin(), dags_.begin() + static_cast<ptrdiff_t>(windows),
                                     [](const Dag& dag) { return dag.has_exits; }));
    int64_t fewest = 0;
    Candidate fast = Fastest(b, windows, &fewest);
    stats_.cycles_latency += std::min(fast.cycles, original_cycles);
    const bool latency_helps = fewest < original_cycles;
    if (latency_helps && exits_.size() == 1 && !any_order_fits_) Judge(b, &fast);
    if (fast.cycles < original_cycles && fast.merit.fits) {
      best = std::move(fast);
    } else if (latency_helps || !any_order_fits_ || fewest_live_) {
      Choose(b, windows, latency_helps, std::move(fast), &best);
      stats_.blocks_over += best.merit.over != 0;
    }
    f_.block(b).insts = std::move(best.insts);
    ++stats_.blocks[static_cast<size_t>(best.policy)];
    stats_.cycles_before += original_cycles;
    stats_.cycles_after += best.cycles;
  }

  // Chooses where the latency order, `fast`, does not help or does not fit. `best` comes in as the
  // original order. The pressure order is not made if a balanced order on top of the original one
  // is good enough.
  void Choose(BlockId b, size_t windows, bool latency_helps, Candidate&& fast, Candidate* best) {
    JudgeBase(b, best);
    const int64_t good_enough = latency_helps ? fast.cycles * kGoodEnough / 100 : 0;
    std::vector<Candidate> others;
    if (latency_helps && best->merit.over == 0) AddBalanced(b, *best, &others);
    const auto is_good = [&](const Candidate& c) {
      return c.merit.over == 0 && c.merit.cycles <= good_enough;
    };
    if (std::none_of(others.begin(), others.end(), is_good)) {
      Candidate small = ForPressure(b, windows);
      JudgeBase(b, &small);
      if (latency_helps && best->merit.over != 0 && best->merit.over <= small.merit.over) {
        AddBalanced(b, *best, &others);
      }
      if (latency_helps && small.merit.over <= best->merit.over) AddBalanced(b, small, &others);
      others.push_back(std::move(small));
    }
    if (latency_helps) others.push_back(std::move(fast));
    for (Candidate& c : others) {
      if (Better(c.merit, best->merit)) *best = std::move(c);
    }
  }

  void AddBalanced(BlockId b, const Candidate& base, std::vector<Candidate>* candidates) {
    if (base.merit.over > kHopeless) return;
    for (Exits exits : exits_) {
      candidates->push_back(Balanced(b, base, exits));
      Judge(b, &candidates->back());
    }
  }

  const Machine& t_;
  Function& f_;
  std::optional<Liveness> own_live_;
  std::optional<Pressure> counted_;
  DagBuilder builder_;
  LatencyScheduler latency_;
  PressureScheduler pressure_;
  HoistScheduler hoist_;
  std::vector<PoolLimit> limits_;  // of the pools
  std::vector<int64_t> ahead_;     // per pool: up to here the balanced policy runs ahead
  bool any_order_fits_ = false;
  std::vector<Dag> dags_;          // of the current block
  absl::Span<const Exits> exits_;  // alternatives to try in it
  NodeOrder order_;
  std::vector<char> live_after_;
  const bool fewest_live_;
  std::optional<Liveness>* const live_;
  ScheduleStats stats_;
};

}  // namespace

ScheduleStats ScheduleBeforeAllocation(const Machine& machine, Function* f,
                                       const ScheduleOptions& options) {
  return Scheduler(machine, *f, options).Run();
}

ScheduleStats ScheduleAfterAllocation(const Machine& t, Function* f) {
  ScheduleStats stats;
  DagBuilder builder(t, *f, true);
  LatencyScheduler latency;
  Dag dag;
  NodeOrder order, fast;
  for (Block& block : f->blocks) {
    const size_t size = Body(t, *f, block).size();
    if (size < 2) continue;
    for (size_t at = 0; at < size; at += kMaxWindow) {
      const absl::Span<const InstId> body = Body(t, *f, block);  // in the order so far
      builder.Build(body.subspan(at, kMaxWindow), TerminatorAfter(block, body, at), &dag);
      const int before = EstimateCycles(dag, Identity(dag.nodes.size()));
      int after = before;
      for (Exits exits : WorthTrying(dag.has_exits)) {
        const int cycles = latency.Order(dag, exits, &order);
        if (cycles >= after) continue;
        after = cycles;
        fast.swap(order);
      }
      stats.cycles_before += before;
      stats.cycles_after += after;
      if (after == before) continue;
      ++stats.blocks[static_cast<size_t>(Policy::kLatency)];
      for (size_t k = 0; k < fast.size(); ++k) block.insts[at + k] = dag.nodes[fast[k]].inst;
    }
  }
  return stats;
}

}  // namespace kiln::lir::schedule
