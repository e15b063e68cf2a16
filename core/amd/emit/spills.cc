// Spills and fills: scalars in lanes of reserved vector registers, those in scratch memory.
//
// A slot is a dword: a lane of a reserved register, or four bytes of each lane's scratch memory.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/amd/emit/operands.h"
#include "core/amd/emit/pseudo.h"

namespace kiln::amd {
namespace {

using isa::Opcode;

uint32_t Place(Context& c, lir::InstId i) {
  const auto uses = c.f().uses(i);
  return uses[uses.size() - 1].id;
}

// A lane of a reserved vector register.
struct Lane {
  isa::Operand vgpr;
  int lane = 0;
};

bool FindLane(Context& c, LaneSlot place, Lane* lane) {
  const uint32_t lanes = c.f().dispatch_width;
  for (const lir::Reserved& r : c.f().reserved) {
    if (r.pool != kPoolVgpr || r.spilled_pool != place.kind) continue;
    if (place.dword / lanes >= r.units) break;
    *lane = {isa::Vgpr(static_cast<int>(r.first + place.dword / lanes)),
             static_cast<int>(place.dword % lanes)};
    return true;
  }
  c.Fail(c.origin(), absl::StrCat("no lane is reserved for slot ", place.dword));
  return false;
}

LaneSlot Spilled(Context& c, lir::InstId i) { return {kSpilledScalars, Place(c, i)}; }

// The mask's bits of lanes that are on replace those in the slot.
void MergeLanes(Context& c, lir::InstId i) {
  const isa::Operand old = RegisterOf(c.f(), c.f().defs(i)[0]);
  const isa::Operand mask = RegisterOf(c.f(), c.f().uses(i)[0]);
  const uint32_t units = MaskUnits(c.f());
  const LaneSlot place = Spilled(c, i);
  ReadLanes(c, old, units, place);
  AddMerge(c, old, mask);
  WriteLanes(c, old, units, place);
}

// ---- Scratch memory.

constexpr int kLastOffset = 2047;  // 12 bits, signed
constexpr Opcode kStores[] = {Opcode::kScratchStoreDword, Opcode::kScratchStoreDwordx2,
                              Opcode::kScratchStoreDwordx3, Opcode::kScratchStoreDwordx4};
constexpr Opcode kLoads[] = {Opcode::kScratchLoadDword, Opcode::kScratchLoadDwordx2,
                             Opcode::kScratchLoadDwordx3, Opcode::kScratchLoadDwordx4};

// Does an access for the lanes that are on, or, with all lanes on, for each half of the wave: then
// the first register of the temporary pair has the half of exec, and the second the address.
class Scratch {
 public:
  Scratch(Context& c, lir::InstId i, const lir::Operand& data, bool store)
      : c_(c), data_(data), store_(store), first_(c.spill_offset() + 4 * Place(c, i)) {
    far_ = first_ + 4 * (uint32_t{data.comps} - 1) > kLastOffset;
  }

  void Emit(bool all_lanes) {
    if (!all_lanes) return Access(Temporary());
    if (!far_) {
      c_.BeginAllLanes();
      Access({});
      return c_.EndAllLanes();
    }
    for (int half = 0; half < static_cast<int>(MaskUnits(c_.f())); ++half) {
      const isa::Operand lanes = isa::Sgpr(isa::kExecLo + half);
      c_.Add(Opcode::kSMovB32, Temporary(), lanes);
      c_.Add(Opcode::kSMovB32, lanes, Constant(-1));
      Access(isa::Sgpr(kTemporarySgpr + 1));
      c_.Add(Opcode::kSMovB32, lanes, Temporary());
    }
  }

 private:
  // Appends accesses of 1 to 4 dwords; far ones with their offset in the scalar register.
  void Access(isa::Operand address) {
    for (uint32_t u = 0; u < data_.comps; u += 4) {
      const uint32_t dwords = std::min(data_.comps - u, 4u), offset = first_ + 4 * u;
      isa::Instruction inst;
      inst.op = (store_ ? kStores : kLoads)[dwords - 1];
      (store_ ? inst.src[1] : inst.dst) = RegisterOf(c_.f(), data_, u);
      if (far_) {
        c_.AddScalarConstant(address, offset);
        inst.src[2] = address;
      } else {
        inst.offset = static_cast<int32_t>(offset);
      }
      c_.Add(inst);
    }
  }

  Context& c_;
  const lir::Operand& data_;
  const bool store_;
  const uint32_t first_;
  bool far_;
};

void EmitScratch(Context& c, lir::InstId i, const lir::Operand& data, bool store) {
  Scratch(c, i, data, store).Emit((c.f().inst(i).flags & lir::kNoMask) != 0);
}

}  // namespace

// Constants end at 64, which no lane reaches.
void WriteLanes(Context& c, isa::Operand first, uint32_t units, LaneSlot place) {
  for (uint32_t u = 0; u < units; ++u, ++place.dword) {
    Lane to;
    if (!FindLane(c, place, &to)) return;
    c.Add(Opcode::kVWritelaneB32, to.vgpr, isa::Sgpr(first.code + static_cast<int>(u)),
          Constant(to.lane));
  }
}

void ReadLanes(Context& c, isa::Operand first, uint32_t units, LaneSlot place) {
  for (uint32_t u = 0; u < units; ++u, ++place.dword) {
    Lane from;
    if (!FindLane(c, place, &from)) return;
    c.Add(Opcode::kVReadlaneB32, isa::Sgpr(first.code + static_cast<int>(u)), from.vgpr,
          Constant(from.lane));
  }
}

bool EmitSpill(Context& c, lir::InstId i) {
  const lir::Inst& in = c.f().inst(i);
  const auto def = [&] { return c.f().defs(i)[0]; };
  const auto use = [&] { return c.f().uses(i)[0]; };
  switch (in.op) {
    case kWriteLanes:
      WriteLanes(c, RegisterOf(c.f(), use()), UnitsOf(c.f(), use()), Spilled(c, i));
      break;
    case kReadLanes:
      ReadLanes(c, RegisterOf(c.f(), def()), UnitsOf(c.f(), def()), Spilled(c, i));
      break;
    case kMergeLanes: MergeLanes(c, i); break;
    case kScratchStore: EmitScratch(c, i, use(), true); break;
    case kScratchLoad: EmitScratch(c, i, def(), false); break;
    default: return false;
  }
  return true;
}

}  // namespace kiln::amd
