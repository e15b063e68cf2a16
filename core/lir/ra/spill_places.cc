#include "core/lir/ra/spill_places.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/lir/build.h"
#include "core/lir/ra/scratch_places.h"

namespace kiln::lir::ra {

namespace {

// Positions of instructions and blocks in layout order, block ends included.
struct Layout {
  explicit Layout(const Function& f) : position(f.insts.size()), block(f.insts.size()) {
    uint32_t at = 0;
    for (uint32_t b = 0; b < f.blocks.size(); ++b) {
      first.push_back(at++);
      for (InstId i : f.blocks[b].insts) {
        position[i.index] = at++;
        block[i.index] = b;
      }
      last.push_back(at++);
    }
  }
  std::vector<uint32_t> position, block;  // per instruction
  std::vector<uint32_t> first, last;      // per block
};

class PlaceAssigner {
 public:
  PlaceAssigner(const SpillInput& in, absl::Span<const Eviction> params, SpillCode& code,
                SpillStats& stats)
      : in_(in),
        params_(params),
        code_(code),
        f_(code.function()),
        stats_(stats),
        layout_(f_),
        range_of_(in.values, kNothing) {}

  absl::Status Run() {
    FindRanges();
    uint32_t masked_end = 0;
    stats_.scratch_units = AssignScratchPlaces(&ranges_, &masked_end);
    if (masked_end > in_.h.direct_units) return TooLarge(masked_end);
    std::vector<uint32_t> place(f_.insts.size(), kNothing);
    for (const SpillAccess& a : code_.accesses()) {
      place[a.inst.index] =
          ranges_[range_of_[a.value.index]].place + MemoryOffset(a.value, a.piece);
      Count(a.inst);
    }
    SetPlaces(place);
    return absl::OkStatus();
  }
  bool HasPlace(ValueId v) const { return range_of_[v.index] != kNothing; }

 private:
  bool IsFill(InstId i) const { return in_.t.ops[f_.inst(i).op].flags & kOpFill; }

  // Registers that the access moves.
  uint32_t Registers(InstId i) const {
    const absl::Span<const Operand> uses = std::as_const(f_).uses(i);
    const Operand& o = IsFill(i) ? std::as_const(f_).defs(i)[0] : uses[uses.size() - 2];
    const uint32_t units = o.comps * in_.t.units_per_comp(f_, f_.value(o.value()));
    return RoundUp(units, in_.h.register_units) / in_.h.register_units;
  }

  // Units of memory that pieces of its value before `piece` take.
  uint32_t MemoryOffset(ValueId v, uint32_t piece) const {
    uint32_t at = 0;
    for (uint32_t p = in_.pieces.first(v); p < piece; ++p) {
      at += RoundUp(in_.pieces.units(p), in_.h.register_units);
    }
    return at;
  }

  void FindRanges() {
    param_of_.assign(in_.values, kNothing);
    for (const Eviction& e : params_) param_of_[e.value.index] = e.block.index;
    std::vector<std::vector<InstId>> of(in_.values);
    for (const SpillAccess& a : code_.accesses()) of[a.value.index].push_back(a.inst);
    for (uint32_t v = 0; v < in_.values; ++v) {
      if (of[v].empty()) continue;
      range_of_[v] = static_cast<uint32_t>(ranges_.size());
      ranges_.push_back(RangeOf(of[v], param_of_[v]));
      ranges_.back().units = MemoryOffset(ValueId(v), in_.pieces.end(ValueId(v)));
    }
  }

  // Returns the range of positions in which a value needs its slot. A parameter in memory needs it
  // from its block's start on. The first store in layout order may belong to the previous
  // iteration, if the loop is entered with the parameter undefined: then it is carried around the
  // whole loop.
  ScratchRange RangeOf(const std::vector<InstId>& accesses, uint32_t param_of) const {
    ScratchRange r;
    r.first = kNothing;
    uint32_t low = kNothing, high = 0;
    if (param_of != kNothing) {
      low = high = param_of;
      r.first = r.last = layout_.first[param_of];
      if (in_.loops.innermost(param_of) == param_of) {
        r.last = layout_.last[in_.loops.last(param_of)];
      }
    }
    for (InstId i : accesses) {
      low = std::min(low, layout_.block[i.index]);
      high = std::max(high, layout_.block[i.index]);
      r.first = std::min(r.first, layout_.position[i.index]);
      r.last = std::max(r.last, layout_.position[i.index]);
      r.masked |= !IsFill(i) && !(f_.inst(i).flags & kNoMask);
    }
    for (InstId i : accesses) {
      for (uint32_t h = in_.loops.innermost(layout_.block[i.index]);
           h != kNothing && !(in_.loops.contains(h, low) && in_.loops.contains(h, high));
           h = in_.loops.parent(h)) {
        r.first = std::min(r.first, layout_.first[h]);
        r.last = std::max(r.last, layout_.last[in_.loops.last(h)]);
      }
    }
    return r;
  }

  absl::Status TooLarge(uint32_t masked_end) const {
    return BeyondLimit("scratch_too_large",
                       {"units of scratch memory for values that are stored under a mask",
                        masked_end, in_.h.direct_units},
                       OutOfReach());
  }
  // Returns the SPIR-V id of a value whose slot is out of the reach of masked stores, but needs
  // one.
  uint32_t OutOfReach() const {
    for (uint32_t v = 0; v < in_.values; ++v) {
      if (range_of_[v] == kNothing) continue;
      const ScratchRange& r = ranges_[range_of_[v]];
      if (r.masked && r.place + r.units > in_.h.direct_units) {
        return f_.value(ValueId(v)).spirv_id;
      }
    }
    return 0;
  }

  void Count(InstId i) {
    const uint32_t registers = Registers(i);
    const bool fill = IsFill(i);
    const bool both = !fill && f_.inst(i).num_defs != 0;  // reads, merges, writes
    if (!fill) {
      stats_.spills += in_.h.messages(registers);
      stats_.spill_units += registers * in_.h.register_units;
    }
    if (fill || both) {
      stats_.fills += in_.h.messages(registers);
      stats_.fill_units += registers * in_.h.register_units;
    }
  }

  InstId FarHeader(ValueId to, uint32_t place) {
    const Operand def = ValueOperand(to, in_.h.raw_type, 0, f_.value(to).comps);
    const Operand uses[] = {code_.Header(), ImmOperand(place, in_.h.raw_type)};
    InstFields fields;
    fields.width = 8;
    fields.flags = kInsertedCopy | kNoMask;
    return MakeInst(f_, in_.h.far_header_op, fields, {&def, 1}, uses);
  }

  void SetPlaces(const std::vector<uint32_t>& place) {
    const bool has_header = code_.Header().kind != Operand::Kind::kNone;
    for (uint32_t b = 0; b < f_.blocks.size(); ++b) {
      std::vector<InstId> out;
      for (size_t k = 0; k < f_.blocks[b].insts.size(); ++k) {
        const InstId i = f_.blocks[b].insts[k];
        if (i.index < place.size() && place[i.index] != kNothing) {
          const uint32_t end = place[i.index] + Registers(i) * in_.h.register_units;
          if (has_header && end > in_.h.direct_units) {
            const ValueId header = code_.NewValue(in_.h.register_value());
            out.push_back(FarHeader(header, place[i.index]));
            f_.uses(i)[0] = ValueOperand(header, in_.h.raw_type, 0, f_.value(header).comps);
          }
          f_.uses(i).back().id = place[i.index];
        }
        out.push_back(i);
      }
      f_.blocks[b].insts = std::move(out);
    }
  }

  const SpillInput& in_;
  const absl::Span<const Eviction> params_;  // parameters that are in memory
  SpillCode& code_;
  Function& f_;
  SpillStats& stats_;
  const Layout layout_;
  std::vector<uint32_t> range_of_;  // per value: index in ranges_
  std::vector<uint32_t> param_of_;  // per value: the block of which it is a parameter
  std::vector<ScratchRange> ranges_;
};

}  // namespace

absl::Status AssignPlaces(const SpillInput& in, absl::Span<const Eviction> params,
                          absl::Span<const Eviction> others, SpillCode* code, SpillStats* stats) {
  PlaceAssigner places(in, params, *code, *stats);
  if (absl::Status s = places.Run(); !s.ok()) return s;
  for (const absl::Span<const Eviction>& list : {params, others}) {
    for (const Eviction& e : list) {
      if (places.HasPlace(e.value)) stats->evictions.push_back(e);
    }
  }
  return absl::OkStatus();
}

}  // namespace kiln::lir::ra
