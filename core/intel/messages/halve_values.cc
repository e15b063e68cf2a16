// Computes by halves the values that messages for halves of a thread with 32 lanes send and return.
//
// Problem: no message takes more than 16 lanes (halve_messages), so payloads for lanes 0 to 15 and
// 16 to 31 are moved together from values of 32 lanes, and responses are joined to such values.
// This costs two moves for each component, while an instruction over 32 lanes of dwords is executed
// as two of 16 anyway. This pass turns instructions into those two, each with registers of its own,
// where the plan says so (halving_plan.h): if only halves of their results are read, or if fewer
// values are joined then. An instruction that takes a half of a joined value, in the block that
// joins it, takes it from the response. Moves of such halves into payloads are removed, and joins
// make only the components that are read whole, each by itself if others are not read. Another gain
// besides moves: a half is ready, and its write to a render target under way, while the other is
// computed. Conditions are halved for the same reason; otherwise the compared values would have to
// be ready for all lanes first.
//
// In and out: SSA. Halves are not per-lane values, as responses are not, and hold nothing for lanes
// that were off where they were made. So they stay in their block, in which lanes leave but none
// return. The flag of a half is a value like any other: an instruction for lanes 16 to 31 finds its
// bits in the second of the two granules that a flag has. The first is neither written nor read,
// whatever allocation moves there (it saves and restores flags whole). Cost: linear.
#include <array>
#include <bit>
#include <cassert>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/intel/isa/opcodes.h"
#include "core/intel/lir/message.h"
#include "core/intel/lir/ops.h"
#include "core/intel/messages/halving_plan.h"
#include "core/intel/messages/passes.h"
#include "core/intel/messages/payload.h"
#include "core/lir/build.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using isa::Type;
using lir::InstId;
using lir::Operand;

constexpr auto kRaw = static_cast<uint8_t>(Type::kUD);
constexpr uint16_t kDwords = kHalfLanes;  // of a half

class Halving {
 public:
  Halving(lir::Function& f, const HalvingPlan& plan, PassContext& context)
      : f_(f), plan_(plan), context_(context) {}

  bool Run() {
    bool changed = !plan_.IsEmpty();
    for (lir::Block& block : f_.blocks) changed |= Rewrite(block);
    return TrimJoins() || changed;
  }

 private:
  bool Rewrite(lir::Block& block) {
    halves_.clear();
    moved_.clear();
    out_.clear();
    bool changed = false;
    for (const InstId id : std::vector<InstId>(block.insts)) {
      if (JoinsHalves(f_, id) && plan_.reads(f_.defs(id)[0]).halves != 0 && context_.Rewrite()) {
        halves_[f_.defs(id)[0].id] = HalvesOf(id);
      }
      if (plan_.IsHalved(id)) {
        for (uint8_t half = 0; half < 2; ++half) MakeHalf(id, half);
        JoinResults(id);
        continue;
      }
      const bool reads = ReadHalves(id);
      changed |= reads;
      if (reads && IsMoveOfHalf(id)) {
        moved_[f_.defs(id)[0].id] = f_.uses(id)[0];
        continue;
      }
      out_.push_back(id);
    }
    block.insts = out_;
    return changed;
  }

  std::array<Operand, 2> HalvesOf(InstId join) { return {f_.uses(join)[0], f_.uses(join)[1]}; }

  // Makes one of the two instructions that replace a marked one.
  void MakeHalf(InstId id, uint8_t half) {
    const lir::Inst in = f_.inst(id);
    std::vector<Operand> defs(f_.defs(id).begin(), f_.defs(id).end());
    for (Operand& d : defs) {
      const Operand whole = d;
      d = IsFlag(f_, d) ? MakeFlag(d) : MakeRegisters(f_, kDwords / 8);
      d.type = whole.type;
      halves_[whole.id][half] = d;
    }
    const std::vector<Operand> uses(f_.uses(id).begin(), f_.uses(id).end());
    lir::InstFields fields;
    fields.width = kHalfLanes;
    fields.group = static_cast<uint8_t>(half * kHalfLanes);
    fields.flags = in.flags;
    fields.cmod = in.cmod;
    fields.predicate_mode = in.predicate_mode;
    fields.aux = in.aux;
    fields.spirv_id = in.spirv_id;
    const InstId made = lir::MakeInst(f_, in.op, fields, defs, uses);
    ReadHalves(made);
    out_.push_back(made);
  }

  // Joins the halves for readers of the whole value.
  void JoinResults(InstId id) {
    const std::vector<Operand> defs(f_.defs(id).begin(), f_.defs(id).end());
    for (Operand d : defs) {
      if (plan_.reads(d).whole == 0) continue;
      assert(!IsFlag(f_, d));
      lir::InstFields fields;
      fields.width = 2 * kHalfLanes;
      fields.flags = f_.inst(id).flags & lir::kNoMask;
      fields.spirv_id = f_.inst(id).spirv_id;
      std::array<Operand, 2> halves = halves_[d.id];
      for (Operand& h : halves) h.type = kRaw;
      d.type = kRaw;
      out_.push_back(lir::MakeInst(f_, kJoin, fields, {&d, 1}, halves));
    }
  }

  // Returns a flag value with bits for all lanes; a half leaves those of the other lanes as they
  // are.
  Operand MakeFlag(const Operand& whole) {
    f_.values.push_back(lir::Value(f_.value(whole.value())));
    return lir::ValueOperand(lir::ValueId(f_.values.size() - 1), whole.type);
  }

  // Replaces operands by the halves that exist.
  bool ReadHalves(InstId id) {
    bool changed = false;
    const uint8_t group = f_.inst(id).group;
    for (Operand& o : f_.uses(id)) {
      if (!IsValue(o)) continue;
      if (const auto moved = moved_.find(o.id); moved != moved_.end()) {
        o.id = moved->second.id;
        o.comp = static_cast<uint16_t>(o.comp + moved->second.comp);
        continue;
      }
      if (!TakesHalf(f_, id, o)) continue;
      const auto found = halves_.find(o.id);
      if (found == halves_.end()) continue;
      const Operand& half = found->second[group / kHalfLanes];
      o.id = half.id;
      changed = true;
      if (IsFlag(f_, half)) continue;
      o.comp = static_cast<uint16_t>(half.comp + o.comp * kDwords);
      o.comps = kDwords;
    }
    return changed;
  }

  // Returns true for an unchanged move of a half that was made or found here, whose result only
  // this block reads.
  bool IsMoveOfHalf(InstId id) const {
    const lir::Inst& in = f_.inst(id);
    if (in.op != Op(Opcode::kMov) || in.width != kHalfLanes || in.predicate_mode != 0 ||
        (in.flags & lir::kSaturate) != 0) {
      return false;
    }
    const Operand& to = f_.defs(id)[0];
    const Operand& from = f_.uses(id)[0];
    if (!IsValue(to) || !IsValue(from)) return false;
    const auto is_half = [&](const Operand& o) {
      return o.type == kRaw && o.comps == kDwords && o.mods == 0 && o.sub == 0 &&
             f_.value(o.value()).file == kFileU;
    };
    return is_half(to) && is_half(from) && !f_.value(to.value()).in_tail &&
           plan_.reads(to).elsewhere == 0;
  }

  // Reduces joins to the components that are read whole.
  bool TrimJoins() {
    bool changed = false;
    // a bit per component; all if an operand reads several
    std::vector<uint32_t> wanted(f_.values.size(), 0);
    const auto want = [&](const Operand& o) {
      if (!IsValue(o)) return;
      const bool one = o.comps == 1 && o.comp < 32;
      wanted[o.id] |= one ? 1u << o.comp : ~0u;
    };
    ForEachUse(want);
    absl::flat_hash_map<uint32_t, std::vector<Operand>> split;  // by value, then component
    for (lir::Block& block : f_.blocks) {
      out_.clear();
      for (const InstId id : std::vector<InstId>(block.insts)) {
        const bool joins = JoinsHalves(f_, id);
        const Operand def = joins ? f_.defs(id)[0] : Operand();
        const int count = joins ? std::popcount(wanted[def.id]) : 0;
        if (!joins || count >= def.comps || !context_.Rewrite()) {
          out_.push_back(id);
          continue;
        }
        if (count != 0) split[def.id] = JoinsOf(id, wanted[def.id]);
        changed = true;
      }
      block.insts = out_;
    }
    ForEachUse([&](Operand& o) {
      if (!IsValue(o)) return;
      const auto found = split.find(o.id);
      if (found == split.end()) return;
      o.id = found->second[o.comp].id;
      o.comp = 0;
    });
    return changed;
  }

  // Makes a join for each wanted component.
  std::vector<Operand> JoinsOf(InstId id, uint32_t wanted) {
    const lir::Inst in = f_.inst(id);
    const Operand def = f_.defs(id)[0];
    const std::array<Operand, 2> responses = HalvesOf(id);
    lir::InstFields fields;
    fields.width = in.width;
    fields.flags = in.flags;
    fields.spirv_id = in.spirv_id;
    std::vector<Operand> made(def.comps);
    for (uint16_t c = 0; c < def.comps; ++c) {
      if (!(wanted >> c & 1)) continue;
      lir::Value v = f_.value(def.value());
      v.comps = 1;
      f_.values.push_back(v);
      made[c] = lir::ValueOperand(lir::ValueId(f_.values.size() - 1), def.type);
      std::array<Operand, 2> parts = responses;
      for (Operand& p : parts) {
        p.comp = static_cast<uint16_t>(p.comp + c * kDwords);
        p.comps = kDwords;
      }
      out_.push_back(lir::MakeInst(f_, kJoin, fields, {&made[c], 1}, parts));
    }
    return made;
  }

  template <class Visit>
  void ForEachUse(Visit&& visit) {
    for (lir::Block& block : f_.blocks) {
      for (InstId id : block.insts) {
        for (Operand& o : f_.uses(id)) visit(o);
      }
      for (const lir::Edge& e : block.succs) {
        for (Operand& o : f_.args(e)) visit(o);
      }
    }
  }

  lir::Function& f_;
  const HalvingPlan& plan_;
  PassContext& context_;
  std::vector<InstId> out_;
  absl::flat_hash_map<uint32_t, std::array<Operand, 2>> halves_;  // by value, in the current block
  absl::flat_hash_map<uint32_t, Operand> moved_;                  // likewise
};

}  // namespace

absl::StatusOr<bool> HalveValues(lir::Function& f, const Device& device, PassContext& context) {
  if (f.dispatch_width != 2 * kHalfLanes) return false;
  const HalvingPlan plan(f, device, context);
  return Halving(f, plan, context).Run();
}

}  // namespace kiln::intel
