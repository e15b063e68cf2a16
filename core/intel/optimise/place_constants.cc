// Chooses where registers that hold constants are written.
//
// Problem: selection makes constants that instructions cannot take as an immediate at the start of
// the program, once. There each costs an instruction and no wait. A long program has hundreds of
// them, each keeps its dword from there to its last use, and all code between has only the
// remaining registers. Invariants: SSA in and out; a constant's copies hold the same bits; nothing
// changes if there are no more than kMany. If there are more, the constants with the most uses,
// weighted by the iterations of their loops, stay at the start. Each outermost loop has the best of
// its other constants, up to a limit, made in front of it. The rest are made in front of the use,
// once for uses of a block that are not far apart. Runs before scheduling, which moves them ahead
// as far as registers allow. Algorithm: finds the locations of each constant in layout order, then
// selects the best twice. Cost: linear, except for sorting the constants.
//
// Limits: in a program that is short of registers with fewer constants, the spiller repeats
// constants first (core/lir/ra/spill.h). A constant made after a branch costs a sync where a
// message is in flight, so a small number of constants is left alone: with 64 instead of kMany,
// tests/shaders/special_functions.comp has 5 % more cycles. Kiln's authors chose the figures by
// that shader and by tests/exec:compile_time.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/intel/lir/machine.h"
#include "core/intel/lir/ops.h"
#include "core/intel/optimise/passes.h"
#include "core/lir/build.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using lir::Operand;

constexpr size_t kMany = 256;       // dwords: a quarter of the registers
constexpr size_t kKept = 128;       // of them, stay at the start
constexpr size_t kKeptInLoop = 64;  // and for each outermost loop
constexpr uint32_t kNear = 128;     // instructions between uses of one copy
constexpr uint32_t kNone = ~uint32_t{0};
constexpr int kIterations = 3;  // a loop counts as 2^3 iterations
constexpr int kMaxDepth = 6;

struct Location {
  uint32_t block = 0;
  uint32_t position = 0;
  friend bool operator==(const Location&, const Location&) = default;
};

struct Constant {
  lir::InstId made;
  std::vector<Location> locations;  // of the first among near uses, in layout order
  Location last;
  uint64_t weight = 0;  // executions of all locations
};

class Placer {
 public:
  Placer(lir::Function& f, PassContext& context)
      : f_(f), context_(context), of_(f.values.size(), kNone) {}

  bool Run() {
    FindConstants();
    if (constants_.size() <= kMany) return false;
    FindLoops();
    FindLocations();
    std::vector<uint32_t> rest = KeepBest(All());
    bool changed = false;
    for (uint32_t c : rest) {
      if (!context_.Rewrite()) break;
      leaves_.push_back(c);
      changed = true;
    }
    if (!changed) return false;
    KeepBeforeLoops();
    Rename();
    return true;
  }

 private:
  bool IsConstant(lir::InstId id) const {
    const lir::Inst& in = f_.inst(id);
    if (in.op != Op(Opcode::kMov) || in.num_uses != 1 || in.predicate_mode != 0 || in.cmod != 0) {
      return false;
    }
    if (f_.uses(id)[0].kind != Operand::Kind::kImm) return false;
    const lir::Value& v = f_.value(f_.defs(id)[0].value());
    return v.file == kFileU && v.comps == 1 && !v.whole_registers && !v.in_tail;
  }

  void FindConstants() {
    for (lir::InstId id : f_.blocks[0].insts) {
      if (!IsConstant(id)) continue;
      of_[f_.defs(id)[0].id] = static_cast<uint32_t>(constants_.size());
      constants_.emplace_back().made = id;
    }
  }

  // Finds the outermost loops: for each block the head of its loop, kNone outside.
  void FindLoops() {
    const auto n = static_cast<uint32_t>(f_.blocks.size());
    std::vector<uint32_t> last(n, kNone);
    for (uint32_t b = 0; b < n; ++b) {
      const auto jump = [&](lir::BlockId to) {
        if (to.index <= b) last[to.index] = b;
      };
      for (const lir::Edge& e : f_.blocks[b].succs) jump(e.to);
      for (lir::BlockId s : f_.blocks[b].physical_succs) jump(s);
    }
    loop_.assign(n, kNone);
    before_.assign(n, kNone);
    for (uint32_t b = 0; b < n; ++b) {
      for (const lir::Edge& e : f_.blocks[b].succs) {
        if (e.to.index > b && before_[e.to.index] == kNone) before_[e.to.index] = b;
      }
      if (b != 0 && loop_[b - 1] != kNone && last[loop_[b - 1]] >= b) {
        loop_[b] = loop_[b - 1];
      } else if (last[b] != kNone && before_[b] != kNone) {
        loop_[b] = b;
      }
    }
  }

  template <class F>
  void ForEachUse(const F& use) {
    for (uint32_t b = 0; b < f_.blocks.size(); ++b) {
      const lir::Block& block = f_.blocks[b];
      for (uint32_t k = 0; k < block.insts.size(); ++k) {
        for (Operand& o : f_.uses(block.insts[k])) use(o, Location{b, k});
      }
      for (const lir::Edge& e : block.succs) {
        for (Operand& o : f_.args(e)) use(o, Location{b, End(block)});
      }
    }
  }

  // Returns the position for copies of edge arguments: before the terminator.
  uint32_t End(const lir::Block& block) const {
    const auto n = static_cast<uint32_t>(block.insts.size());
    const bool jumps =
        n != 0 && (IntelOps()[f_.inst(block.insts.back()).op].flags & lir::kOpTerminator);
    return n - (jumps ? 1 : 0);
  }

  uint32_t ConstantOf(const Operand& o) const {
    return IsValue(o) && o.id < of_.size() ? of_[o.id] : kNone;
  }

  static bool IsNear(const Location& a, const Location& b) {
    return a.block == b.block && b.position <= a.position + kNear;
  }

  void FindLocations() {
    ForEachUse([&](const Operand& o, Location at) {
      const uint32_t c = ConstantOf(o);
      if (c == kNone) return;
      Constant& constant = constants_[c];
      const bool near = !constant.locations.empty() && IsNear(constant.last, at);
      constant.last = at;
      if (near) return;
      constant.locations.push_back(at);
      constant.weight += Weight(at.block);
    });
  }
  uint64_t Weight(uint32_t block) const {
    return uint64_t{1} << kIterations * std::min<int>(f_.blocks[block].loop_depth, kMaxDepth);
  }

  std::vector<uint32_t> All() const {
    std::vector<uint32_t> all(constants_.size());
    for (uint32_t c = 0; c < all.size(); ++c) all[c] = c;
    return all;
  }

  // Removes the constants that stay at the start, and returns the others.
  std::vector<uint32_t> KeepBest(std::vector<uint32_t> all) const {
    std::stable_sort(all.begin(), all.end(), [&](uint32_t a, uint32_t b) {
      return constants_[a].weight > constants_[b].weight;
    });
    all.erase(all.begin(), all.begin() + static_cast<ptrdiff_t>(kKept));
    std::sort(all.begin(), all.end());
    return all;
  }

  // Makes the best of the constants that a loop uses in front of it.
  void KeepBeforeLoops() {
    struct Use {
      uint32_t loop = 0;
      uint64_t weight = 0;
      uint32_t constant = 0;
    };
    std::vector<Use> uses;
    for (uint32_t c : leaves_) {
      for (const Location& p : constants_[c].locations) {
        const uint32_t loop = loop_[p.block];
        if (loop == kNone) continue;
        if (uses.empty() || uses.back().loop != loop || uses.back().constant != c) {
          uses.push_back({loop, 0, c});
        }
        uses.back().weight += Weight(p.block);
      }
    }
    std::stable_sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) {
      return a.loop != b.loop ? a.loop < b.loop : a.weight > b.weight;
    });
    size_t first = 0;
    for (size_t k = 0; k < uses.size(); ++k) {
      if (uses[k].loop != uses[first].loop) first = k;
      if (k - first < kKeptInLoop) hoisted_.push_back({uses[k].loop, uses[k].constant});
    }
    std::sort(hoisted_.begin(), hoisted_.end());
  }

  struct Insertion {
    uint32_t position = 0;
    uint32_t constant = 0;
    lir::ValueId value;
  };

  // Returns a new value for a copy of the constant, to be made at this location.
  uint32_t Copy(uint32_t c, Location at) {
    f_.values.push_back(lir::Value(f_.value(f_.defs(constants_[c].made)[0].value())));
    const lir::ValueId v(f_.values.size() - 1);
    inserted_[at.block].push_back({at.position, c, v});
    return v.index;
  }

  // Walks all uses once more, in the same order.
  void Rename() {
    std::vector<char> leaves(constants_.size());
    for (uint32_t c : leaves_) leaves[c] = 1;
    std::vector<uint32_t> current(constants_.size(), kNone);  // the copy to read
    std::vector<uint32_t> of_loop(constants_.size(), kNone);  // the loop for which it was made
    std::vector<uint32_t> next(constants_.size(), 0);         // index of its next location
    inserted_.resize(f_.blocks.size());
    ForEachUse([&](Operand& o, Location at) {
      const uint32_t c = ConstantOf(o);
      if (c == kNone || !leaves[c]) return;
      const std::vector<Location>& locations = constants_[c].locations;
      const bool begins = next[c] < locations.size() && locations[next[c]] == at;
      next[c] += begins;
      const uint32_t loop = loop_[at.block];
      const bool before_loop = loop != kNone && std::binary_search(hoisted_.begin(), hoisted_.end(),
                                                                   std::make_pair(loop, c));
      if (before_loop && of_loop[c] != loop) {
        current[c] = Copy(c, {before_[loop], End(f_.blocks[before_[loop]])});
        of_loop[c] = loop;
      } else if (!before_loop && begins) {
        current[c] = Copy(c, at);
      }
      o.id = current[c];
    });
    for (uint32_t b = 0; b < f_.blocks.size(); ++b) {
      if (b == 0 || !inserted_[b].empty()) Insert(b, leaves);
    }
  }

  lir::InstId Make(const Insertion& copy) {
    const lir::InstId made = constants_[copy.constant].made;
    const Operand source = f_.uses(made)[0];
    Operand def = f_.defs(made)[0];
    def.id = copy.value.index;
    lir::InstFields fields;
    fields.width = 1;
    fields.flags = lir::kNoMask;
    fields.spirv_id = f_.inst(made).spirv_id;
    return lir::MakeInst(f_, Op(Opcode::kMov), fields, {&def, 1}, {&source, 1});
  }

  // Constants made at the start that have no reader left are removed.
  void Insert(uint32_t b, const std::vector<char>& leaves) {
    std::vector<Insertion>& copies = inserted_[b];
    std::stable_sort(copies.begin(), copies.end(), [](const Insertion& x, const Insertion& y) {
      return x.position < y.position;
    });
    std::vector<lir::InstId> out;
    size_t next = 0;
    const std::vector<lir::InstId>& insts = f_.blocks[b].insts;
    for (uint32_t k = 0; k <= insts.size(); ++k) {
      for (; next < copies.size() && copies[next].position == k; ++next) {
        out.push_back(Make(copies[next]));
      }
      if (k == insts.size()) break;
      const bool left = b == 0 && IsConstant(insts[k]) && leaves[of_[f_.defs(insts[k])[0].id]] != 0;
      if (!left) out.push_back(insts[k]);
    }
    f_.blocks[b].insts = std::move(out);
  }

  lir::Function& f_;
  PassContext& context_;
  std::vector<uint32_t> of_;  // by value: the constant
  std::vector<Constant> constants_;
  std::vector<uint32_t> loop_,
      before_;                    // by block: head of its outermost loop; a predecessor above
  std::vector<uint32_t> leaves_;  // constants that do not stay at the start, ascending
  std::vector<std::pair<uint32_t, uint32_t>> hoisted_;  // (loop, constant), ascending
  std::vector<std::vector<Insertion>> inserted_;        // by block
};

}  // namespace

absl::StatusOr<bool> PlaceConstants(lir::Function& f, PassContext& context) {
  return Placer(f, context).Run();
}

}  // namespace kiln::intel
