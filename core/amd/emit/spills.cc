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

bool FindLane(Context& c, const lir::Inst& in, uint32_t place, Lane* lane) {
  const uint32_t lanes = c.f().dispatch_width;
  for (const lir::Reserved& r : c.f().reserved) {
    if (r.pool != kPoolVgpr || r.spilled_pool != kPoolSgpr) continue;
    if (place / lanes >= r.units) break;
    *lane = {isa::Vgpr(static_cast<int>(r.first + place / lanes)), static_cast<int>(place % lanes)};
    return true;
  }
  c.Fail(in, absl::StrCat("no lane is reserved for slot ", place));
  return false;
}

// Constants end at 64, which no lane reaches.
void WriteLanes(Context& c, const lir::Inst& in, isa::Operand first, uint32_t units,
                uint32_t place) {
  for (uint32_t u = 0; u < units; ++u) {
    Lane to;
    if (!FindLane(c, in, place + u, &to)) return;
    c.Add(Opcode::kVWritelaneB32, to.vgpr, isa::Sgpr(first.code + static_cast<int>(u)),
          Constant(to.lane));
  }
}

void ReadLanes(Context& c, const lir::Inst& in, isa::Operand first, uint32_t units,
               uint32_t place) {
  for (uint32_t u = 0; u < units; ++u) {
    Lane from;
    if (!FindLane(c, in, place + u, &from)) return;
    c.Add(Opcode::kVReadlaneB32, isa::Sgpr(first.code + static_cast<int>(u)), from.vgpr,
          Constant(from.lane));
  }
}

// The mask's bits of lanes that are on replace those in the slot.
void MergeLanes(Context& c, lir::InstId i) {
  const lir::Inst& in = c.f().inst(i);
  const isa::Operand old = RegisterOf(c.f(), c.f().defs(i)[0]);
  const isa::Operand mask = RegisterOf(c.f(), c.f().uses(i)[0]);
  const uint32_t units = MaskUnits(c.f()), place = Place(c, i);
  ReadLanes(c, in, old, units, place);
  AddMerge(c, old, mask);
  WriteLanes(c, in, old, units, place);
}

// ---- Scratch memory.

constexpr int kLastOffset = 2047;  // 12 bits, signed
constexpr Opcode kStores[] = {Opcode::kScratchStoreDword, Opcode::kScratchStoreDwordx2,
                              Opcode::kScratchStoreDwordx3, Opcode::kScratchStoreDwordx4};
constexpr Opcode kLoads[] = {Opcode::kScratchLoadDword, Opcode::kScratchLoadDwordx2,
                             Opcode::kScratchLoadDwordx3, Opcode::kScratchLoadDwordx4};

// Appends one access of 1 to 4 dwords at a byte offset; far ones through the temporary register.
void AddAccess(Context& c, bool store, isa::Operand data, uint32_t dwords, uint32_t offset,
               bool far) {
  isa::Instruction inst;
  inst.op = (store ? kStores : kLoads)[dwords - 1];
  (store ? inst.src[1] : inst.dst) = data;
  if (far) {
    c.AddScalarConstant(Temporary(), offset);
    inst.src[2] = Temporary();
  } else {
    inst.offset = static_cast<int32_t>(offset);
  }
  c.Add(inst);
}

void EmitScratch(Context& c, lir::InstId i, const lir::Operand& data, bool store) {
  const lir::Inst& in = c.f().inst(i);
  const uint32_t units = data.comps, first = c.spill_offset() + 4 * Place(c, i);
  const bool far = first + 4 * (units - 1) > kLastOffset;
  const bool all = (in.flags & lir::kNoMask) != 0;
  if (far && all) {
    // The temporary register holds exec meanwhile.
    return c.Fail(in, "a whole-wave value is spilled beyond the reach of an offset");
  }
  if (all) c.BeginAllLanes();
  for (uint32_t u = 0; u < units; u += 4) {
    AddAccess(c, store, RegisterOf(c.f(), data, u), std::min(units - u, 4u), first + 4 * u, far);
  }
  if (all) c.EndAllLanes();
}

}  // namespace

bool EmitSpill(Context& c, lir::InstId i) {
  const lir::Inst& in = c.f().inst(i);
  const auto def = [&] { return c.f().defs(i)[0]; };
  const auto use = [&] { return c.f().uses(i)[0]; };
  switch (in.op) {
    case kWriteLanes:
      WriteLanes(c, in, RegisterOf(c.f(), use()), UnitsOf(c.f(), use()), Place(c, i));
      break;
    case kReadLanes:
      ReadLanes(c, in, RegisterOf(c.f(), def()), UnitsOf(c.f(), def()), Place(c, i));
      break;
    case kMergeLanes: MergeLanes(c, i); break;
    case kScratchStore: EmitScratch(c, i, use(), true); break;
    case kScratchLoad: EmitScratch(c, i, def(), false); break;
    default: return false;
  }
  return true;
}

}  // namespace kiln::amd
