// Cuts the payload of a send in two.
//
// Problem: a payload of n registers needs n consecutive ones, and a copy of every part that does
// not happen to lie there. A send of the devices that this pass runs for takes two payloads, so the
// parts need to lie together only within each half, and a half that is one value already needs no
// copy at all (a coordinate to which a level of detail is added, say; intel/SOURCES.md).
//
// In and out: SSA; messages with one payload that a collect makes for them alone. Payloads that
// must lie in the tail of the file stay whole. The cut is after the message header if there is one.
// Otherwise it is where the fewest parts must be copied; among these cuts, one where the source
// changes from one value to another is preferred, then one with the most equal halves. A half of
// one component that was moved to registers of its own for some of the lanes is read where it was.
// Equal halves of messages in one block (the row and layer of several texels, say) are made once.
// Cost: linear in the instructions, quadratic in the parts of a payload (at most 11).
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/intel/isa/opcodes.h"
#include "core/intel/lir/machine.h"
#include "core/intel/lir/message.h"
#include "core/intel/lir/ops.h"
#include "core/intel/messages/passes.h"
#include "core/intel/messages/payload.h"
#include "core/lir/build.h"

namespace kiln::intel {
namespace {

using lir::Operand;
using Parts = absl::Span<const Operand>;

// Returns true if the second's components follow the first's in one value.
bool Follows(const Operand& a, const Operand& b) {
  return IsValue(a) && IsValue(b) && a.id == b.id && b.comp == a.comp + a.comps;
}

bool IsOneValue(Parts parts) {
  for (size_t i = 1; i < parts.size(); ++i) {
    if (!Follows(parts[i - 1], parts[i])) return false;
  }
  return true;
}

// Returns the number of parts that must be copied to lie together.
int Copies(Parts parts) { return IsOneValue(parts) ? 0 : static_cast<int>(parts.size()); }

size_t CutOf(Parts parts, bool header) {
  if (header) return 1;
  size_t best = 1;
  std::pair<int, size_t> best_cost = {1 << 20, 0};
  for (size_t cut = 1; cut < parts.size(); ++cut) {
    const int copies = 2 * (Copies(parts.first(cut)) + Copies(parts.subspan(cut))) +
                       (Follows(parts[cut - 1], parts[cut]) ? 1 : 0);
    const std::pair<int, size_t> cost = {copies, std::max(cut, parts.size() - cut)};
    if (cost < best_cost) {
      best = cut;
      best_cost = cost;
    }
  }
  return best;
}

// The number of a block's latest halves that are searched for one to reuse.
constexpr size_t kMaxShared = 8;

class Splitter {
 public:
  Splitter(lir::Function& f, PassContext& context)
      : f_(f),
        context_(context),
        collect_(f.values.size()),
        move_(f.values.size()),
        uses_(f.values.size()) {}

  bool Run() {
    CountUses();
    bool changed = false;
    for (lir::Block& block : f_.blocks) {
      out_.clear();
      made_.clear();
      bool here = false;
      for (lir::InstId id : block.insts) {
        here |= IsMessage(f_.inst(id).op) && Split(id);
        out_.push_back(id);
      }
      if (here) block.insts = out_;
      changed |= here;
    }
    if (!changed) return false;
    // Payloads may have been made in earlier blocks.
    for (lir::Block& block : f_.blocks) {
      std::erase_if(block.insts, [&](lir::InstId id) { return gone_[id.index]; });
    }
    return true;
  }

 private:
  // A collect that makes a half.
  struct Made {
    lir::InstId collect;
    Operand all;
  };

  void CountUses() {
    gone_.assign(f_.insts.size(), false);
    for (const lir::Block& block : f_.blocks) {
      for (lir::InstId id : block.insts) {
        for (const Operand& o : f_.uses(id)) Count(o);
        if (f_.inst(id).op == kCollect) collect_[f_.defs(id)[0].id] = id;
        if (f_.inst(id).op == Op(isa::Opcode::kMov)) move_[f_.defs(id)[0].id] = id;
      }
      for (const lir::Edge& e : block.succs) {
        for (const Operand& o : f_.args(e)) Count(o);
      }
    }
  }

  void Count(const Operand& o) {
    if (IsValue(o)) ++uses_[o.id];
  }

  // Returns the collect that makes the message's only payload and has no other reader.
  lir::InstId CollectOf(lir::InstId message) const {
    if (PayloadCount(f_, f_.inst(message)) != 1) return lir::InstId();
    const Operand payload = f_.uses(message)[0];
    const bool own = payload.id < uses_.size() && uses_[payload.id] == 1 &&
                     payload.comps == f_.value(payload.value()).comps &&
                     !f_.value(payload.value()).in_tail;
    return own ? collect_[payload.id] : lir::InstId();
  }

  bool Split(lir::InstId message) {
    const lir::InstId collect = CollectOf(message);
    if (!collect.valid() || f_.uses(collect).size() < 2) return false;
    for (const Operand& o : f_.uses(collect)) {
      if (!IsValue(o)) return false;
    }
    if (!context_.Rewrite()) return false;
    const std::vector<Operand> parts(f_.uses(collect).begin(), f_.uses(collect).end());
    const lir::Inst in = f_.inst(message);
    const size_t cut = CutOf(parts, MessageOf(f_, in).fields.header);
    const Operand first = Half(collect, Parts(parts).first(cut));
    const Operand second = Half(collect, Parts(parts).subspan(cut));
    context_.Remark("payload_split", in.spirv_id,
                    absl::StrCat(PayloadRegisters(f_, first), " and ", PayloadRegisters(f_, second),
                                 " registers"));
    gone_[collect.index] = true;
    SetPayloads(message, Unmoved(message, first), Unmoved(message, second));
    return true;
  }

  // Returns the half without the move. A message for some of the thread's lanes reads a part that
  // was moved to registers of its own for these lanes where it was: the lanes of one component lie
  // together.
  Operand Unmoved(lir::InstId message, const Operand& half) {
    const lir::InstId move = half.id < move_.size() ? move_[half.id] : lir::InstId();
    if (!move.valid() || uses_[half.id] != 1) return half;
    const lir::Inst& in = f_.inst(message);
    const lir::Inst& m = f_.inst(move);
    const Operand from = f_.uses(move)[0];
    const bool same_lanes = m.width == in.width && m.group == in.group &&
                            in.width < f_.dispatch_width && m.predicate_mode == 0;
    const bool plain = IsValue(from) && from.comps == 1 && from.mods == 0 && from.sub == 0 &&
                       from.type == f_.defs(move)[0].type &&
                       f_.value(from.value()).file == kFileG &&
                       f_.value(from.value()).elem_bytes == 4;
    if (!same_lanes || !plain) return half;
    gone_[move.index] = true;
    return from;
  }

  // Returns one operand for some of the parts.
  Operand Half(lir::InstId collect, Parts parts) {
    if (IsOneValue(parts)) {
      Operand all = parts[0];
      for (const Operand& p : parts.subspan(1)) {
        all.comps = static_cast<uint16_t>(all.comps + p.comps);
      }
      return all;
    }
    const lir::Inst in = f_.inst(collect);
    for (const Made& made : made_) {
      if (SameFields(f_.inst(made.collect), in) && SameParts(f_.uses(made.collect), parts)) {
        return made.all;
      }
    }
    lir::InstFields fields;
    fields.width = in.width;
    fields.group = in.group;
    fields.flags = in.flags;
    fields.spirv_id = in.spirv_id;
    const Operand all = MakePayload(f_, parts);
    out_.push_back(lir::MakeInst(f_, kCollect, fields, {&all, 1}, parts));
    gone_.push_back(false);
    if (made_.size() == kMaxShared) made_.erase(made_.begin());
    made_.push_back({out_.back(), all});
    return all;
  }

  static bool SameFields(const lir::Inst& a, const lir::Inst& b) {
    return a.width == b.width && a.group == b.group && a.flags == b.flags;
  }

  static bool SameParts(Parts a, Parts b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Operand& x, const Operand& y) {
                        return x.id == y.id && x.comp == y.comp && x.comps == y.comps &&
                               x.type == y.type && x.mods == y.mods && x.sub == y.sub;
                      });
  }

  // Gives the message two payloads; the other operands keep their order.
  void SetPayloads(lir::InstId message, const Operand& first, const Operand& second) {
    std::vector<Operand> operands(f_.defs(message).begin(), f_.defs(message).end());
    operands.push_back(first);
    operands.push_back(second);
    const auto uses = f_.uses(message);
    operands.insert(operands.end(), uses.begin() + 1, uses.end());
    lir::Inst& in = f_.inst(message);
    in.first_operand = static_cast<uint32_t>(f_.operands.size());
    ++in.num_uses;
    f_.operands.insert(f_.operands.end(), operands.begin(), operands.end());
  }

  lir::Function& f_;
  PassContext& context_;
  std::vector<lir::InstId> collect_;  // by value
  std::vector<lir::InstId> move_;     // by value: the move that makes it
  std::vector<uint32_t> uses_;        // by value, before any split
  std::vector<bool> gone_;            // by instruction
  std::vector<lir::InstId> out_;
  std::vector<Made> made_;  // in the current block, the latest ones
};

}  // namespace

absl::StatusOr<bool> SplitSends(lir::Function& f, PassContext& context) {
  return Splitter(f, context).Run();
}

}  // namespace kiln::intel
