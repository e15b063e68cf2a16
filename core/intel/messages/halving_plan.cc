// Plans which instructions are halved: see halving_plan.h.
//
// For each block the constructor runs HalveUpwards (rule one), then HalveDownwards (rule two), and
// HalveUpwards again if that halved something, since halved instructions read halves themselves.
//
// A worked example, with 32 lanes, in a block outside of loops. %5 and %6 are the responses of two
// messages of 16 lanes, each with two components; %7 is a part of a payload for lanes 0 to 15:
//
//   0  %8x2:ud = join_groups %5x32:ud %6x32:ud {w32}
//   1  %1:f = add %8:f %8.1:f {w32}
//   2  kill %1:f #0x0:f {w32 cmod 5}
//   3  %0:ud = mov #0x1:ud {w32}
//   4  %2:d = add %0:d #0x2:d {w32}
//   5  %7x16:ud = mov %2:ud {w16 nomask}
//
// CountReads: the move takes a half of %2 (TakesHalf: it has 16 lanes), so %2 is read by halves
// once and as a whole never. %0, %1 and both components of %8 have whole readers only.
//
// HalveUpwards goes from 5 to 0:
//   4  is halved: all reads of %2 are by halves. Its two instructions will read halves of %0, so
//      one whole read of %0 becomes one by halves (Halve).
//   3  is halved: now all reads of %0 are by halves, too.
//   1  is not: the kill reads %1 as a whole.
//
// HalveDownwards looks at the values that are joined:
//   FindBelow      0 joins halves, so %8 has them. 1 reads %8 and can be halved: it is below, and
//                  %1 would have halves. The kill works on the mask of all lanes and cannot be.
//   KeepWholeFlags finds no flag.
//   FindSources    component 0 of %8 has one reader inside (that may be halved), instruction 1, and
//                  none outside; likewise component 1. %1 has one reader outside, the kill. All
//                  readers inside are one group: {1}.
//   CountJoins     -1 for each component of %8, which no instruction would read as a whole any
//                  more, and +1 for %1, which has to be joined for the kill: -1 for the group. (In
//                  a loop the result counts 2; that gives 0, and the group stays as it is.)
//   HalveGroups    -1 is below 0 and the block fits the registers (Fits): 1 is halved.
// HalveUpwards then finds nothing more.
//
// Result: 1, 3 and 4 are halved. halve_values makes two instructions of 16 lanes of each. Those of
// 1 read %5 and %6 directly and their results are joined into %1, so that one component is joined
// instead of two. The move, as it only copies a half of %2, is removed if %7 is read in this block
// alone.

#include "core/intel/messages/halving_plan.h"

#include <algorithm>
#include <numeric>

#include "core/intel/isa/opcodes.h"
#include "core/intel/lir/machine.h"
#include "core/intel/lir/message.h"
#include "core/intel/lir/ops.h"
#include "core/lir/liveness.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using isa::Type;
using lir::InstId;
using lir::Operand;

bool OfDwords(const lir::Function& f, const Operand& o) {
  return f.value(o.value()).elem_bytes == 4;
}

// Returns true for one component of a dword per lane.
bool IsDwordPerLane(const lir::Function& f, const Operand& o) {
  return IsValue(o) && f.value(o.value()).file == kFileG && o.comps == 1 && OfDwords(f, o);
}

bool IsPredicate(const lir::Function& f, InstId id, const Operand& o) {
  return f.inst(id).predicate_mode != 0 && &o == &f.uses(id).back();
}

// Returns true if each lane of the result, the condition or both depends on the same lane of the
// sources, and on nothing else.
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

// The message that ends the thread is sent whole from the tail of the file.
bool TakesHalf(const lir::Function& f, InstId id, const Operand& o) {
  const lir::Inst& in = f.inst(id);
  if (in.width != kHalfLanes || !(IsPlain(f, id) || IsMessage(in.op))) return false;
  if (IsFlag(f, o)) return IsPredicate(f, id, o);
  return IsDwordPerLane(f, o) && !f.value(o.value()).in_tail;
}

HalvingPlan::HalvingPlan(const lir::Function& f, const Device& device, PassContext& context)
    : f_(f),
      target_(MachineOf(device)),
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

// Returns true if an instruction that is halved reads this operand from halves, provided that its
// value has them.
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

// Reserves a second flag for each condition: in the worst case both halves' flags are live at once.
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

// Finds the instructions that read joined values, and those that read their results, and so on.
// Returns false if there are none.
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

// Finds flags that some instruction reads whole, or that have no room. Returns true if there are
// any.
bool HalvingPlan::KeepWholeFlags(lir::BlockId block) {
  const std::vector<InstId>& insts = f_.block(block).insts;
  absl::flat_hash_map<uint32_t, uint32_t> reads;  // of flags, by instructions that may be halved
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

// Counts the reads of values that have halves, or would have them. Instructions that such a value
// connects become one group.
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

// Counts, by group, the change in the number of joined components. A joined component that only the
// group reads is not needed any more; a result of the group is joined if other instructions read
// it. In loops such a result counts twice: most of them are for the next iteration. Computed whole,
// they are written straight to the registers where that iteration reads them; joined, they are live
// together with their halves, and copied.
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

// Returns true if the block's values fit the whole pool; registers of the thread's payload are
// freed later (free_payload), so they count as free.
bool HalvingPlan::Fits(lir::BlockId block) {
  if (!pressure_.has_value()) {
    const lir::Liveness live(target_, f_);
    pressure_.emplace();
    lir::ForEachPressure(target_, f_, live, [&](const std::vector<lir::Pressure>& here) {
      pressure_->push_back(here[kPoolGrf].logical);
    });
  }
  return (*pressure_)[block.index] <= lir::PoolUnits(target_, f_, kPoolGrf);
}

}  // namespace kiln::intel
