// What halves of a thread with 32 lanes send and get is made and read as halves.
//
// Problem: no message takes more than 16 lanes (halve_messages), so that payloads for
// lanes 0 to 15 and 16 to 31 are moved together from values of 32 lanes, and responses joined to
// such: two moves for each component, where an instruction over 32 lanes of dwords is executed as two
// of 16 anyway. Here an instruction whose result only halves are taken of, in its own block, becomes
// the two that it would be, each with registers of its own; what takes a half of a joined value, in the
// block that joins it, takes it from the response; moves of such halves into payloads are left out, and
// joins make the components that somebody wants whole, each by itself where others are not wanted.
// Conditions are halved with the instructions whose predicates they are: else what they compare would
// have to be there for all lanes before the first half of a result, and the first write to a target
// would wait for all that the second is computed from.
//
// In and out: SSA. A block has as many instructions as before or fewer. Halves belong to no lane, as
// responses do, and hold nothing for lanes that were off where they were made: so they stay in their
// block, where lanes leave but none return. The flag of a half is a value like any other: an instruction
// for lanes 16 to 31 finds its bits in the second of the two granules that a flag has, and the first
// is neither written nor read, whatever allocation moves there (it saves and restores flags whole). So
// two flags take twice the room of one, and a condition is halved where that room is free in the order at
// hand (flag_room.h). Linear.
#include <array>
#include <bit>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/intel/isa/opcodes.h"
#include "core/intel/lir/message.h"
#include "core/intel/lir/ops.h"
#include "core/intel/lir/target.h"
#include "core/intel/messages/flag_room.h"
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
constexpr uint8_t kLanes = 16;
constexpr uint16_t kDwords = kLanes;   // of a half

class Halving {
 public:
  Halving(lir::Function& f, uint32_t flag_granules, PassContext& context)
      : f_(f),
        context_(context),
        flag_room_(f, flag_granules),
        reads_(f.values.size()),
        defined_(f.values.size()) {}

  bool Run() {
    CountReads();
    bool changed = false;
    for (size_t b = 0; b < f_.blocks.size(); ++b) {
      const bool finds = MarkInstructions(lir::BlockId(b));
      changed |= Rewrite(f_.blocks[b]) || finds;
    }
    return TrimJoins() || changed;
  }

 private:
  struct Reads {
    uint32_t whole = 0;     // operands that want all lanes, or stand in other blocks
    uint32_t halves = 0;
    uint32_t elsewhere = 0;  // in other blocks, or on edges
  };

  bool IsLanes(const Operand& o) const {
    return o.kind == Operand::Kind::kValue && f_.value(o.value()).file == kFileG;
  }
  bool IsFlag(const Operand& o) const {
    return o.kind == Operand::Kind::kValue && f_.value(o.value()).file == kFileF;
  }
  bool OfDwords(const Operand& o) const { return f_.value(o.value()).elem_bytes == 4; }
  bool IsPredicate(InstId id, const Operand& o) const {
    return f_.inst(id).predicate_mode != 0 && &o == &f_.uses(id).back();
  }

  // Each lane from the same lane of the sources, by the instruction that it is: a result, a condition,
  // or both.
  bool IsPlain(InstId id) const {
    const lir::Inst& in = f_.inst(id);
    if (!IsEuOp(in.op) || in.num_defs == 0) return false;
    if (in.predicate_mode != 0 && in.op != Op(Opcode::kSel)) return false;
    int results = 0;
    for (const Operand& d : f_.defs(id)) results += !IsFlag(d);
    const int conditions = in.num_defs - results;
    if (results > 1 || conditions > (in.cmod != 0)) return false;
    const isa::OpcodeInfo& row = isa::Info(static_cast<Opcode>(in.op));
    if (row.reads_accumulator || row.writes_accumulator) return false;
    return row.format == isa::Format::kBasic || row.format == isa::Format::kTernary ||
           row.format == isa::Format::kMath;
  }

  // What ends the thread is sent whole from where it must lie.
  bool TakesHalf(InstId id, const Operand& o) const {
    const lir::Inst& in = f_.inst(id);
    if (in.width != kLanes || !(IsPlain(id) || IsMessage(in.op))) return false;
    if (IsFlag(o)) return IsPredicate(id, o);
    return IsLanes(o) && o.comps == 1 && OfDwords(o) && !f_.value(o.value()).in_tail;
  }

  bool DefinedIn(lir::BlockId block, const Operand& o) const {
    return defined_[o.id] == block;
  }

  void CountReads() {
    for (size_t b = 0; b < f_.blocks.size(); ++b) {
      const lir::Block& block = f_.blocks[b];
      for (InstId id : block.insts) {
        for (const Operand& o : f_.defs(id)) {
          if (o.kind == Operand::Kind::kValue) defined_[o.id] = lir::BlockId(b);
        }
        for (const Operand& o : f_.uses(id)) {
          if (o.kind != Operand::Kind::kValue) continue;
          Reads& reads = reads_[o.id];
          const bool here = DefinedIn(lir::BlockId(b), o);
          reads.elsewhere += !here;
          ++(here && TakesHalf(id, o) ? reads.halves : reads.whole);
        }
      }
      for (const lir::Edge& e : block.succs) {
        for (const Operand& o : f_.args(e)) {
          if (o.kind != Operand::Kind::kValue) continue;
          ++reads_[o.id].whole;
          ++reads_[o.id].elsewhere;
        }
      }
    }
  }

  bool CanHalve(InstId id) const {
    const lir::Inst& in = f_.inst(id);
    if (in.width != 2 * kLanes || !IsPlain(id)) return false;
    bool wanted = false;
    for (const Operand& d : f_.defs(id)) {
      if (!IsFlag(d) && !IsResult(d)) return false;
      if (reads_[d.id].whole != 0) return false;
      wanted |= reads_[d.id].halves != 0;
    }
    if (!wanted) return false;
    for (const Operand& o : f_.uses(id)) {
      if (o.kind == Operand::Kind::kFixed) return false;
      if (o.kind != Operand::Kind::kValue) continue;
      const lir::Value& v = f_.value(o.value());
      if (v.file == kFileF && !IsPredicate(id, o)) return false;
      if (v.file == kFileG ? v.elem_bytes > 4 : v.file == kFileU && o.comps != 1) return false;
    }
    return true;
  }
  bool IsResult(const Operand& d) const {
    return IsLanes(d) && OfDwords(d) && d.comps == 1 &&
           isa::ByteSize(static_cast<Type>(d.type)) == 4;
  }

  // The two flags that a condition becomes live at once at the worst.
  bool HasFlagRoom(InstId id) {
    for (const Operand& d : f_.defs(id)) {
      if (IsFlag(d) && !flag_room_.Double(d.value())) return false;
    }
    return true;
  }

  // From the last one up: what a marked instruction reads, halves read.
  bool MarkInstructions(lir::BlockId block) {
    marked_.clear();
    flag_room_.Enter(block);
    bool any = false;
    const std::vector<InstId>& insts = f_.block(block).insts;
    for (size_t i = insts.size(); i-- > 0;) {
      if (!CanHalve(insts[i]) || !HasFlagRoom(insts[i])) continue;
      if (!context_.Rewrite()) return any;
      marked_.insert(insts[i].index);
      any = true;
      for (const Operand& o : f_.uses(insts[i])) {
        const bool halved = IsFlag(o) || (IsLanes(o) && o.comps == 1 && OfDwords(o));
        if (!halved || !DefinedIn(block, o)) continue;
        --reads_[o.id].whole;
        ++reads_[o.id].halves;
      }
    }
    return any;
  }

  bool Rewrite(lir::Block& block) {
    halves_.clear();
    moved_.clear();
    out_.clear();
    bool changed = false;
    for (const InstId id : std::vector<InstId>(block.insts)) {
      if (f_.inst(id).op == kJoin && JoinsHalves(id) && reads_[f_.defs(id)[0].id].halves != 0 &&
          context_.Rewrite()) {
        halves_[f_.defs(id)[0].id] = HalvesOf(id);
      }
      if (marked_.contains(id.index)) {
        for (uint8_t half = 0; half < 2; ++half) MakeHalf(id, half);
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

  bool JoinsHalves(InstId id) const {
    const auto responses = f_.uses(id);
    const Operand& def = f_.defs(id)[0];
    if (responses.size() != 2 || f_.inst(id).width != 2 * kLanes || !OfDwords(def)) return false;
    for (const Operand& o : responses) {
      if (o.comps != kDwords * def.comps || o.mods != 0 || o.sub != 0) return false;
    }
    return true;
  }
  std::array<Operand, 2> HalvesOf(InstId join) { return {f_.uses(join)[0], f_.uses(join)[1]}; }

  // One of the two instructions that a marked one becomes.
  void MakeHalf(InstId id, uint8_t half) {
    const lir::Inst in = f_.inst(id);
    std::vector<Operand> defs(f_.defs(id).begin(), f_.defs(id).end());
    for (Operand& d : defs) {
      const Operand whole = d;
      d = IsFlag(d) ? MakeFlag(d) : MakeRegisters(f_, kDwords / 8);
      d.type = whole.type;
      halves_[whole.id][half] = d;
    }
    const std::vector<Operand> uses(f_.uses(id).begin(), f_.uses(id).end());
    lir::InstFields fields;
    fields.width = kLanes;
    fields.group = static_cast<uint8_t>(half * kLanes);
    fields.flags = in.flags;
    fields.cmod = in.cmod;
    fields.predicate_mode = in.predicate_mode;
    fields.aux = in.aux;
    fields.spirv_id = in.spirv_id;
    const InstId made = lir::MakeInst(f_, in.op, fields, defs, uses);
    ReadHalves(made);
    out_.push_back(made);
  }

  // A flag value has places for all lanes, of which the half leaves those of the other as they are.
  Operand MakeFlag(const Operand& whole) {
    f_.values.push_back(lir::Value(f_.value(whole.value())));
    return lir::ValueOperand(lir::ValueId(f_.values.size() - 1), whole.type);
  }

  // Lets operands name the halves that there are.
  bool ReadHalves(InstId id) {
    bool changed = false;
    const uint8_t group = f_.inst(id).group;
    for (Operand& o : f_.uses(id)) {
      if (o.kind != Operand::Kind::kValue) continue;
      if (const auto moved = moved_.find(o.id); moved != moved_.end()) {
        o.id = moved->second.id;
        o.comp = static_cast<uint16_t>(o.comp + moved->second.comp);
        continue;
      }
      if (!TakesHalf(id, o)) continue;
      const auto found = halves_.find(o.id);
      if (found == halves_.end()) continue;
      const Operand& half = found->second[group / kLanes];
      o.id = half.id;
      changed = true;
      if (IsFlag(half)) continue;
      o.comp = static_cast<uint16_t>(half.comp + o.comp * kDwords);
      o.comps = kDwords;
    }
    return changed;
  }

  // A move of one of the halves made or found here, as it is, for this block alone.
  bool IsMoveOfHalf(InstId id) const {
    const lir::Inst& in = f_.inst(id);
    if (in.op != Op(Opcode::kMov) || in.width != kLanes || in.predicate_mode != 0 ||
        (in.flags & lir::kSaturate) != 0) {
      return false;
    }
    const Operand& to = f_.defs(id)[0];
    const Operand& from = f_.uses(id)[0];
    if (to.kind != Operand::Kind::kValue || from.kind != Operand::Kind::kValue) return false;
    const auto is_half = [&](const Operand& o) {
      return o.type == kRaw && o.comps == kDwords && o.mods == 0 && o.sub == 0 &&
             f_.value(o.value()).file == kFileU;
    };
    return is_half(to) && is_half(from) && !f_.value(to.value()).in_tail &&
           reads_[to.id].elsewhere == 0;
  }

  // Joins make what is read of them whole.
  bool TrimJoins() {
    bool changed = false;
    std::vector<uint32_t> wanted(f_.values.size(), 0);   // components; all where one is not enough
    const auto want = [&](const Operand& o) {
      if (o.kind != Operand::Kind::kValue) return;
      const bool one = o.comps == 1 && o.comp < 32;
      wanted[o.id] |= one ? 1u << o.comp : ~0u;
    };
    ForEachUse(want);
    absl::flat_hash_map<uint32_t, std::vector<Operand>> split;   // by value and component
    for (lir::Block& block : f_.blocks) {
      out_.clear();
      for (const InstId id : std::vector<InstId>(block.insts)) {
        const bool joins = f_.inst(id).op == kJoin && JoinsHalves(id);
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
      if (o.kind != Operand::Kind::kValue) return;
      const auto found = split.find(o.id);
      if (found == split.end()) return;
      o.id = found->second[o.comp].id;
      o.comp = 0;
    });
    return changed;
  }

  // A join for each wanted component.
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
  PassContext& context_;
  FlagRoom flag_room_;
  std::vector<Reads> reads_;           // by value
  std::vector<lir::BlockId> defined_;  // by value: invalid for parameters, live-ins
  absl::flat_hash_set<uint32_t> marked_;   // instructions of the block at hand
  std::vector<InstId> out_;
  absl::flat_hash_map<uint32_t, std::array<Operand, 2>> halves_;   // by value, in the block at hand
  absl::flat_hash_map<uint32_t, Operand> moved_;                   // likewise
};

}  // namespace

absl::StatusOr<bool> HalveValues(lir::Function& f, const Device& device, PassContext& context) {
  if (f.dispatch_width != 2 * kLanes) return false;
  return Halving(f, lir::FreeUnits(TargetOf(device), f, kPoolFlag), context).Run();
}

}  // namespace kiln::intel
