#include "core/intel/messages/halving_plan.h"

#include <algorithm>
#include <numeric>

#include "core/intel/isa/opcodes.h"
#include "core/intel/lir/message.h"
#include "core/intel/lir/ops.h"
#include "core/intel/lir/target.h"
#include "core/lir/liveness.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using isa::Type;
using lir::InstId;
using lir::Operand;

bool IsValue(const Operand& o) { return o.kind == Operand::Kind::kValue; }
bool OfDwords(const lir::Function& f, const Operand& o) {
  return f.value(o.value()).elem_bytes == 4;
}

// One component, a dword a lane.
bool IsDwordPerLane(const lir::Function& f, const Operand& o) {
  return IsValue(o) && f.value(o.value()).file == kFileG && o.comps == 1 && OfDwords(f, o);
}

bool IsPredicate(const lir::Function& f, InstId id, const Operand& o) {
  return f.inst(id).predicate_mode != 0 && &o == &f.uses(id).back();
}

// Each lane from the same lane of the sources, by the instruction that it is: a result, a
// condition, or both.
bool IsPlain(const lir::Function& f, InstId id) {
  const lir::Inst& in = f.inst(id);
  if (!IsEuOp(in.op) || in.num_defs == 0) return false;
  if (in.predicate_mode != 0 && in.op != Op(Opcode::kSel)) return false;
  int results = 0;
  for (const Operand& d : f.defs(id)) results += !IsFlag(f, d);
  const int conditions = in.num_defs - results;
  if (results > 1 || conditions > (in.cmod != 0)) return false;
  const isa::OpcodeInfo& row = isa::Info(static_cast<Opcode>(in.op));
  if (row.reads_accumulator || row.writes_accumulator) return false;
  return row.format == isa::Format::kBasic || row.format == isa::Format::kTernary ||
         row.format == isa::Format::kMath;
}

uint64_t KeyOf(uint32_t value, uint16_t component) { return uint64_t{value} << 16 | component; }
uint32_t ValueOf(uint64_t key) { return static_cast<uint32_t>(key >> 16); }

}  // namespace

bool JoinsHalves(const lir::Function& f, InstId id) {
  if (f.inst(id).op != kJoin || f.inst(id).width != 2 * kHalfLanes) return false;
  const auto responses = f.uses(id);
  const Operand& def = f.defs(id)[0];
  if (responses.size() != 2 || !OfDwords(f, def)) return false;
  return std::all_of(responses.begin(), responses.end(), [&](const Operand& o) {
    return o.comps == kHalfLanes * def.comps && o.mods == 0 && o.sub == 0;
  });
}

// What ends the thread is sent whole from where it must lie.
bool TakesHalf(const lir::Function& f, InstId id, const Operand& o) {
  const lir::Inst& in = f.inst(id);
  if (in.width != kHalfLanes || !(IsPlain(f, id) || IsMessage(in.op))) return false;
  if (IsFlag(f, o)) return IsPredicate(f, id, o);
  return IsDwordPerLane(f, o) && !f.value(o.value()).in_tail;
}

HalvingPlan::HalvingPlan(const lir::Function& f, const Device& device, PassContext& context)
    : f_(f),
      target_(TargetOf(device)),
      context_(context),
      flag_room_(f, lir::FreeUnits(target_, f, kPoolFlag)),
      reads_(f.values.size()),
      defined_(f.values.size()),
      halved_(f.insts.size(), 0),
      from_(f.values.size(), kNowhere) {
  CountReads();
  for (size_t b = 0; b < f.blocks.size() && !stopped_; ++b) {
    const lir::BlockId block(b);
    flag_room_.Enter(block);
    HalveUpwards(block);
    if (HalveDownwards(block)) HalveUpwards(block);
  }
}

void HalvingPlan::CountReads() {
  for (size_t b = 0; b < f_.blocks.size(); ++b) {
    const lir::Block& block = f_.blocks[b];
    for (InstId id : block.insts) {
      for (const Operand& o : f_.defs(id)) {
        if (IsValue(o)) defined_[o.id] = lir::BlockId(b);
      }
      for (const Operand& o : f_.uses(id)) {
        if (!IsValue(o)) continue;
        Reads& reads = reads_[o.id];
        const bool here = DefinedIn(lir::BlockId(b), o);
        reads.elsewhere += !here;
        ++(here && TakesHalf(f_, id, o) ? reads.halves : reads.whole);
      }
    }
    for (const lir::Edge& e : block.succs) {
      for (const Operand& o : f_.args(e)) {
        if (!IsValue(o)) continue;
        ++reads_[o.id].whole;
        ++reads_[o.id].elsewhere;
      }
    }
  }
}

// Of an operand of an instruction that is halved: from halves, if its value has them?
bool HalvingPlan::ReadsHalf(lir::BlockId block, const Operand& o) const {
  return (IsFlag(f_, o) || IsDwordPerLane(f_, o)) && DefinedIn(block, o);
}

bool HalvingPlan::CanHalve(InstId id) const {
  const lir::Inst& in = f_.inst(id);
  if (in.width != 2 * kHalfLanes || !IsPlain(f_, id)) return false;
  for (const Operand& d : f_.defs(id)) {
    if (IsFlag(f_, d)) continue;
    if (!IsDwordPerLane(f_, d) || isa::ByteSize(static_cast<Type>(d.type)) != 4) return false;
  }
  for (const Operand& o : f_.uses(id)) {
    if (o.kind == Operand::Kind::kFixed) return false;
    if (!IsValue(o)) continue;
    const lir::Value& v = f_.value(o.value());
    if (v.file == kFileF && !IsPredicate(f_, id, o)) return false;
    if (v.file == kFileG ? v.elem_bytes > 4 : v.file == kFileU && o.comps != 1) return false;
  }
  return true;
}

bool HalvingPlan::IsReadByHalvesAlone(InstId id) const {
  bool wanted = false;
  for (const Operand& d : f_.defs(id)) {
    if (!IsValue(d) || reads_[d.id].whole != 0) return false;
    wanted |= reads_[d.id].halves != 0;
  }
  return wanted;
}

// The two flags that a condition becomes live at once at the worst.
bool HalvingPlan::HasFlagRoom(InstId id) {
  const auto defs = f_.defs(id);
  return std::all_of(defs.begin(), defs.end(), [&](const Operand& d) {
    return !IsFlag(f_, d) || flag_room_.Double(d.value());
  });
}

void HalvingPlan::Halve(lir::BlockId block, InstId id) {
  halved_[id.index] = 1;
  empty_ = false;
  for (const Operand& o : f_.uses(id)) {
    if (!ReadsHalf(block, o)) continue;
    --reads_[o.id].whole;
    ++reads_[o.id].halves;
  }
}

void HalvingPlan::HalveUpwards(lir::BlockId block) {
  const std::vector<InstId>& insts = f_.block(block).insts;
  for (size_t i = insts.size(); i-- > 0 && !stopped_;) {
    const InstId id = insts[i];
    if (IsHalved(id) || !IsReadByHalvesAlone(id) || !CanHalve(id) || !HasFlagRoom(id)) continue;
    if (context_.Rewrite()) {
      Halve(block, id);
    } else {
      stopped_ = true;
    }
  }
}

bool HalvingPlan::HalveDownwards(lir::BlockId block) {
  if (stopped_) return false;
  whole_.clear();
  if (!FindBelow(block) || (KeepWholeFlags(block) && !FindBelow(block))) return false;
  FindSources(block);
  CountJoins(block);
  return HalveGroups(block);
}

// What reads joined values, and on from there. False if there is nothing.
bool HalvingPlan::FindBelow(lir::BlockId block) {
  const std::vector<InstId>& insts = f_.block(block).insts;
  below_.assign(insts.size(), 0);
  for (uint32_t value : halves_) from_[value] = kNowhere;
  halves_.clear();
  const auto note = [&](const Operand& d, uint32_t from) {
    from_[d.id] = from;
    halves_.push_back(d.id);
  };
  bool any = false;
  for (uint32_t i = 0; i < insts.size(); ++i) {
    const InstId id = insts[i];
    if (JoinsHalves(f_, id)) {
      note(f_.defs(id)[0], kJoined);
      continue;
    }
    if (halves_.empty()) continue;
    const auto uses = f_.uses(id);
    const auto defs = f_.defs(id);
    const bool reads = std::any_of(uses.begin(), uses.end(), [&](const Operand& o) {
      return HasHalves(o) && ReadsHalf(block, o);
    });
    if (!reads || IsHalved(id) || !CanHalve(id)) continue;
    if (std::any_of(defs.begin(), defs.end(),
                    [&](const Operand& d) { return whole_.contains(d.id); })) {
      continue;
    }
    below_[i] = 1;
    any = true;
    for (const Operand& d : defs) note(d, i);
  }
  return any;
}

bool HalvingPlan::HasHalves(const Operand& o) const {
  return IsValue(o) && from_[o.id] != kNowhere;
}

// Flags with readers that want them whole, or without room. True if there are any.
bool HalvingPlan::KeepWholeFlags(lir::BlockId block) {
  const std::vector<InstId>& insts = f_.block(block).insts;
  absl::flat_hash_map<uint32_t, uint32_t> reads;  // of flags, by what may be halved
  for (size_t i = insts.size(); i-- > 0;) {
    if (!below_[i]) continue;
    const auto defs = f_.defs(insts[i]);
    const bool halves = std::all_of(defs.begin(), defs.end(), [&](const Operand& d) {
      return !IsFlag(f_, d) || reads[d.id] == reads_[d.id].whole;
    });
    if (!halves || !HasFlagRoom(insts[i])) {
      for (const Operand& d : defs) whole_.insert(d.id);
      continue;
    }
    for (const Operand& o : f_.uses(insts[i])) {
      if (IsFlag(f_, o)) ++reads[o.id];
    }
  }
  return !whole_.empty();
}

// Groups are what is connected by values that are read of halves, or would be.
void HalvingPlan::FindSources(lir::BlockId block) {
  const std::vector<InstId>& insts = f_.block(block).insts;
  sources_.clear();
  group_.resize(insts.size());
  std::iota(group_.begin(), group_.end(), 0);
  for (uint32_t i = 0; i < insts.size(); ++i) {
    for (const Operand& o : f_.uses(insts[i])) {
      if (!HasHalves(o)) continue;
      if (ReadsHalf(block, o) && (IsHalved(insts[i]) || TakesHalf(f_, insts[i], o))) continue;
      if (!below_[i] || !ReadsHalf(block, o)) {
        for (uint16_t c = 0; c < o.comps; ++c) {
          ++sources_[KeyOf(o.id, static_cast<uint16_t>(o.comp + c))].outside;
        }
        continue;
      }
      Source& source = sources_[KeyOf(o.id, o.comp)];
      if (source.inside++ != 0) Unite(i, source.group);
      source.group = i;
      if (from_[o.id] != kJoined) Unite(i, from_[o.id]);
    }
  }
}

uint32_t HalvingPlan::Group(uint32_t place) {
  while (group_[place] != place) place = group_[place] = group_[group_[place]];
  return place;
}

// Of joined components none is wanted any more that only the group reads; its own results are
// joined where others read them. In loops that counts twice: most of these are for the next
// iteration, and made whole they are made where that wants them; joined they are kept beside what
// is joined, and copied.
void HalvingPlan::CountJoins(lir::BlockId block) {
  const std::vector<InstId>& insts = f_.block(block).insts;
  const int cost = f_.block(block).loop_depth != 0 ? 2 : 1;
  joins_.assign(insts.size(), 0);
  for (const auto& [key, source] : sources_) {
    const uint32_t value = ValueOf(key);
    if (from_[value] != kJoined || source.inside == 0) continue;
    if (source.outside == 0 && reads_[value].elsewhere == 0) --joins_[Group(source.group)];
  }
  for (uint32_t i = 0; i < insts.size(); ++i) {
    if (!below_[i]) continue;
    for (const Operand& d : f_.defs(insts[i])) {
      if (IsFlag(f_, d)) continue;
      const auto source = sources_.find(KeyOf(d.id, 0));
      const uint32_t inside = source == sources_.end() ? 0 : source->second.inside;
      if (reads_[d.id].whole > inside) joins_[Group(i)] += cost;
    }
  }
}

bool HalvingPlan::HalveGroups(lir::BlockId block) {
  const std::vector<InstId>& insts = f_.block(block).insts;
  bool any = false;
  for (uint32_t g = 0; g < insts.size(); ++g) {
    if (Group(g) != g || joins_[g] >= 0) continue;
    if (!any && !Fits(block)) return false;
    stopped_ = stopped_ || !context_.Rewrite();
    if (stopped_) joins_[g] = 0;
    any |= !stopped_;
  }
  for (uint32_t i = 0; i < insts.size() && any; ++i) {
    if (below_[i] && joins_[Group(i)] < 0) Halve(block, insts[i]);
  }
  return any;
}

// Of the whole pool: what the payload has is freed later (free_payload).
bool HalvingPlan::Fits(lir::BlockId block) {
  if (!pressure_.has_value()) {
    const lir::Liveness live(target_, f_);
    lir::UnitCounter counter(target_, f_, live);
    pressure_.emplace();
    for (size_t b = 0; b < f_.blocks.size(); ++b) {
      const auto here = lir::BlockPressure(target_, f_, live, lir::BlockId(b), &counter);
      pressure_->push_back(here[kPoolGrf].logical);
    }
  }
  return (*pressure_)[block.index] <= lir::PoolUnits(target_, f_, kPoolGrf);
}

}  // namespace kiln::intel
