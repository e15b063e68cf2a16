#include "core/mid/values/rematerialise_compares.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/bitset.h"
#include "core/mid/analysis/divergence.h"
#include "core/mid/analysis/value_lives.h"
#include "core/mir/build.h"
#include "core/mir/rewrite.h"
#include "core/mir/straight_lines.h"
#include "core/mir/uses.h"

namespace kiln::mid {
namespace {

using mir::InstId;
using mir::Module;
using mir::Op;
using mir::ValueId;

// Registers of a value per lane, relative to those of a uniform one: a dword of sixteen lanes
// against one.
constexpr int64_t kLanesOfOne = 16;
// Factor of the saving if the condition is not needed as a number: forming that costs an
// instruction too. With 1, 106 programs of 1,514 have more instructions and no more than 2 fewer
// registers.
constexpr int64_t kUnstored = 2;

bool IsNumberCompare(const Module& m, ValueId v) {
  if (m.value(v).kind != mir::Value::Kind::kResult) return false;
  const InstId id{m.value(v).owner};
  switch (m.inst(id).op) {
    case Op::kIeq:
    case Op::kIne:
    case Op::kSlt:
    case Op::kSge:
    case Op::kUlt:
    case Op::kUge:
    case Op::kFeq:
    case Op::kFne:
    case Op::kFlt:
    case Op::kFge: return m.value(m.source(id, 0)).type != mir::Type::kBool;
    default: return false;
  }
}

bool IsNot(const Module& m, ValueId v) {
  return m.value(v).kind == mir::Value::Kind::kResult &&
         m.inst(InstId(m.value(v).owner)).op == Op::kNot;
}

bool IsZero(const Module& m, ValueId v) { return m.IsConstant(v) && m.value(v).bits == 0; }

bool AsksForFlag(const Module& m, const mir::Use& use) {
  const Op op = m.inst(use.inst).op;
  return (op == Op::kIf || op == Op::kSelect) && use.source == 0;
}

// A select between a constant and zero: it can mask a condition kept as a number.
bool IsMask(const Module& m, InstId user) {
  return m.inst(user).op == Op::kSelect && m.IsConstant(m.source(user, 1)) &&
         IsZero(m, m.source(user, 2));
}

class Rematerialiser {
 public:
  Rematerialiser(Module& module, PassContext& context)
      : m_(module), context_(context), uses_(module), lines_(module), lives_(module) {}

  bool Run() {
    std::vector<ValueId> compares;
    mir::ForEachInst(m_, m_.body, [&](InstId id) {
      if (m_.inst(id).num_results == 1 && IsNumberCompare(m_, m_.result(id))) {
        compares.push_back(m_.result(id));
      }
    });
    for (ValueId v : compares) Consider(v);
    if (made_.empty()) return false;
    Insert();
    RemoveUnused();
    return true;
  }

 private:
  // A user in another line of the compare's flag, or of its negation's.
  struct Distant {
    InstId user;
    bool negated = false;
  };
  // The uses of a compare.
  struct Wanted {
    std::vector<Distant> distant;
    int64_t needed = 0;   // the last position of uses as a number
    bool stored = false;  // there are uses as a number
  };
  struct Made {
    InstId before;
    InstId inst;
  };

  // Collects the uses of `v`, which is the compare or a negation of it, both in `line`.
  void Collect(ValueId v, uint32_t line, bool negated, Wanted& wanted) const {
    const InstId definition{m_.value(v).owner};
    for (const mir::Use& use : uses_.Of(v)) {
      if (AsksForFlag(m_, use)) {
        if (lines_.Of(use.inst) != line) wanted.distant.push_back({use.inst, negated});
      } else if (m_.inst(use.inst).op == Op::kNot && lines_.Of(use.inst) == line) {
        Collect(m_.result(use.inst), line, !negated, wanted);
      } else {
        wanted.needed = std::max(wanted.needed, lives_.Needed(definition, use.inst));
        wanted.stored = true;
      }
    }
  }

  // If the condition is kept as a number anyway, treats masks as uses of the number, which need no
  // flag.
  void KeepMasks(InstId compare, Wanted& wanted) const {
    std::vector<Distant>& list = wanted.distant;
    const auto masks = std::stable_partition(list.begin(), list.end(), [&](const Distant& d) {
      return d.negated || !IsMask(m_, d.user);
    });
    for (auto it = masks; it != list.end(); ++it) {
      wanted.needed = std::max(wanted.needed, lives_.Needed(compare, it->user));
    }
    list.erase(masks, list.end());
  }

  void Consider(ValueId v) {
    const InstId compare{m_.value(v).owner};
    Wanted wanted;
    wanted.needed = lives_.PositionOf(compare);
    Collect(v, lines_.Of(compare), false, wanted);
    if (wanted.stored) KeepMasks(compare, wanted);
    if (wanted.distant.empty()) return;
    if (!divergence_.has_value()) divergence_.emplace(m_);  // before anything changes
    int64_t last = 0;
    for (const Distant& d : wanted.distant) {
      last = std::max(last, lives_.Needed(compare, d.user));
    }
    if (!Pays(v, compare, wanted, last)) return;
    std::sort(wanted.distant.begin(), wanted.distant.end(),
              [&](const Distant& a, const Distant& b) {
                return lives_.PositionOf(a.user) < lives_.PositionOf(b.user);
              });
    Repeat(compare, wanted);
  }

  bool Pays(ValueId v, InstId compare, const Wanted& wanted, int64_t last) {
    int64_t cost = 0;
    for (ValueId operand : Operands(compare)) {
      cost += Registers(operand) * lives_.Added(operand, last);
    }
    if (cost == 0) return true;
    const int64_t saved = Registers(v) * std::max<int64_t>(0, last - wanted.needed);
    if (cost <= (wanted.stored ? saved : kUnstored * saved)) return true;
    context_.Remark("compare_kept", m_.inst(compare).spirv_id,
                    absl::StrCat("repeating it for ", wanted.distant.size(), " flags adds ", cost,
                                 " to its operands' live ranges and saves ", saved));
    return false;
  }

  // The operands, without repetition.
  std::vector<ValueId> Operands(InstId compare) const {
    std::vector<ValueId> list = {m_.source(compare, 0)};
    if (m_.source(compare, 1) != list[0]) list.push_back(m_.source(compare, 1));
    return list;
  }

  int64_t Registers(ValueId v) const { return divergence_->Uniform(v) ? 1 : kLanesOfOne; }

  void Repeat(InstId compare, const Wanted& wanted) {
    uint32_t line = 0;
    ValueId copies[2];  // of the compare and of its negation, in the line
    for (const Distant& d : wanted.distant) {
      if (lines_.Of(d.user) != line) {
        line = lines_.Of(d.user);
        copies[0] = copies[1] = ValueId();
      }
      if (!copies[0].valid()) {
        if (!context_.Rewrite()) return;
        copies[0] = CopyBefore(d.user, compare, m_.source(compare, 0), m_.source(compare, 1));
        for (ValueId operand : Operands(compare)) lives_.AddUse(operand, d.user);
      }
      if (d.negated && !copies[1].valid()) copies[1] = NegationBefore(d.user, copies[0]);
      m_.sources(d.user)[0] = copies[d.negated ? 1 : 0];
    }
  }

  ValueId CopyBefore(InstId user, InstId compare, ValueId a, ValueId b) {
    const InstId copy = mir::NewInst(m_, m_.inst(compare).op, {a, b});
    m_.inst(copy).flags = m_.inst(compare).flags;
    return Place(user, copy, m_.inst(compare).spirv_id);
  }

  ValueId NegationBefore(InstId user, ValueId v) {
    return Place(user, mir::NewInst(m_, Op::kNot, {v}), m_.inst(user).spirv_id);
  }

  ValueId Place(InstId user, InstId inst, uint32_t spirv_id) {
    m_.inst(inst).spirv_id = spirv_id;
    mir::SetResults(m_, inst, {mir::Type::kBool});
    made_.push_back({user, inst});
    return m_.result(inst);
  }

  // Inserts each new instruction before its user.
  void Insert() {
    std::stable_sort(made_.begin(), made_.end(), [&](const Made& a, const Made& b) {
      return lives_.PositionOf(a.before) < lives_.PositionOf(b.before);
    });
    size_t next = 0;
    mir::Builder b(m_);
    mir::RewriteInsts(b, m_.body, [&](InstId id) {
      for (; next < made_.size() && made_[next].before == id; ++next) b.Append(made_[next].inst);
      return true;
    });
  }

  // Removes compares, and negations of them, without uses.
  void RemoveUnused() {
    const mir::Uses uses(m_);
    BitSet dead(m_.insts.size());
    std::vector<InstId> order;
    mir::ForEachInst(m_, m_.body, [&](InstId id) { order.push_back(id); });
    for (size_t i = order.size(); i-- > 0;) {
      const InstId id = order[i];
      if (m_.inst(id).num_results != 1) continue;
      const ValueId v = m_.result(id);
      if (!IsNumberCompare(m_, v) && !IsNot(m_, v)) continue;
      const absl::Span<const mir::Use> users = uses.Of(v);
      if (std::all_of(users.begin(), users.end(),
                      [&](const mir::Use& use) { return dead.test(use.inst.index); })) {
        dead.set(id.index);
      }
    }
    mir::RemoveInsts(m_, dead);
  }

  Module& m_;
  PassContext& context_;
  const mir::Uses uses_;  // of the module before the pass
  const mir::StraightLines lines_;
  ValueLives lives_;
  std::optional<Divergence> divergence_;
  std::vector<Made> made_;
};

}  // namespace

absl::StatusOr<bool> RematerialiseCompares(Module& module, PassContext& context) {
  return Rematerialiser(module, context).Run();
}

}  // namespace kiln::mid
