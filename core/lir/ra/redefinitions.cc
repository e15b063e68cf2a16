#include "core/lir/ra/redefinitions.h"

#include <optional>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/lir/ra/next_use.h"

namespace kiln::lir::ra {

namespace {

// Finds which uniform values are the same in every iteration of the loop whose head is given.
class Iterations {
 public:
  Iterations(const Machine& t, const Function& f, const Liveness& l)
      : t_(t), f_(f), l_(l), loops_(f), def_(f.values.size()) {
    for (const Block& b : f.blocks) {
      for (InstId i : b.insts) {
        for (const Operand& o : f.defs(i)) {
          if (IsValue(o)) def_[o.id] = i;
        }
      }
    }
  }

  // Returns the head of the outermost loop around b that lanes parked for `away` have left.
  uint32_t Left(uint32_t b, uint32_t away) const {
    uint32_t h = loops_.innermost(b);
    while (h != LoopSpans::kNone && loops_.parent(h) != LoopSpans::kNone &&
           !loops_.contains(loops_.parent(h), away)) {
      h = loops_.parent(h);
    }
    return h;
  }

  bool Same(ValueId v, uint32_t head) {
    if (head != head_) {
      head_ = head;
      known_.assign(f_.values.size(), kUnknown);
    }
    if (known_[v.index] == kUnknown) known_[v.index] = Find(v) ? kSame : kDiffers;
    return known_[v.index] == kSame;
  }

 private:
  enum Known : uint8_t { kUnknown, kSame, kDiffers };

  bool Outside(ValueId v) const {
    const BlockId b = l_.def_block(v);
    return !b.valid() || head_ == LoopSpans::kNone || b.index < head_;
  }
  bool Find(ValueId v) {
    if (Outside(v)) return true;
    const InstId i = def_[v.index];
    if (!i.valid()) return false;
    const Inst& in = f_.inst(i);
    if (in.flags & kInsertedCopy) return true;
    constexpr uint32_t kImpure =
        kOpReadsMemory | kOpWritesMemory | kOpSideEffect | kOpBarrier | kOpAcrossLanes;
    if (t_.ops[in.op].flags & kImpure) return false;
    for (const Operand& o : f_.uses(i)) {
      if (!IsValue(o)) continue;
      const bool uniform = IsWhole(t_, f_.value(o.value()));
      const bool same =
          uniform ? Same(o.value(), head_) : Outside(o.value()) && (in.flags & kNoMask) != 0;
      if (!same) return false;
    }
    return true;
  }

  const Machine& t_;
  const Function& f_;
  const Liveness& l_;
  const LoopSpans loops_;
  std::vector<InstId> def_;  // per value
  uint32_t head_ = LoopSpans::kNone;
  std::vector<Known> known_;  // per value, of that loop
};

class Redefinitions {
 public:
  Redefinitions(const Machine& t, const Function& f, const Liveness& l) : t_(t), f_(f), l_(l) {}

  absl::Status Check() {
    for (uint32_t b = 0; b < f_.blocks.size(); ++b) {
      if (l_.waits(BlockId(b)).empty()) continue;
      for (InstId i : f_.blocks[b].insts) {
        for (const Operand& o : f_.defs(i)) {
          if (IsValue(o) && Replaces(b, i, o)) return Refusal(o.value(), b);
        }
      }
      for (const Edge& e : f_.blocks[b].succs) {
        for (ValueId p : f_.block(e.to).params) {
          if (IsWhole(t_, f_.value(p)) && Held(b, p)) return Refusal(p, b);
        }
      }
    }
    return absl::OkStatus();
  }

 private:
  bool Held(uint32_t b, ValueId v) const { return HeldIn(l_.parked(BlockId(b)), v); }
  bool HeldIn(BitMatrix::Row set, ValueId v) const {
    for (uint32_t c = 0; c < f_.value(v).comps; ++c) {
      const uint32_t g = l_.global(l_.first_slot(v) + c);
      if (g != Liveness::kLocal && set.test(g)) return true;
    }
    return false;
  }

  bool Replaces(uint32_t b, InstId i, const Operand& def) {
    const bool uniform = IsWhole(t_, f_.value(def.value()));
    if (!WritesOffLanes(t_, f_, i, def)) return false;
    if (!Held(b, def.value())) return false;
    if (!uniform) return true;
    if (!iterations_.has_value()) iterations_.emplace(t_, f_, l_);
    for (BlockId j : l_.waits(BlockId(b))) {
      if (HeldIn(l_.live_in(j), def.value()) &&
          !iterations_->Same(def.value(), iterations_->Left(b, j.index))) {
        return true;
      }
    }
    return false;
  }

  absl::Status Refusal(ValueId v, uint32_t b) const {
    const uint32_t id = f_.value(v).spirv_id;
    return WithSpirvId(absl::InternalError(absl::StrCat("LIR %", v.index, " (SPIR-V id ", id,
                                                        ") is written for all lanes in b", b,
                                                        " while parked lanes hold it there")),
                       id);
  }

  const Machine& t_;
  const Function& f_;
  const Liveness& l_;
  std::optional<Iterations> iterations_;  // hardly ever needed
};

}  // namespace

absl::Status CheckRedefinitions(const Machine& t, const Function& f, const Liveness& l) {
  return Redefinitions(t, f, l).Check();
}

}  // namespace kiln::lir::ra
