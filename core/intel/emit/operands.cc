#include "core/intel/emit/operands.h"

#include <algorithm>
#include <cassert>

#include "core/intel/lir/ops.h"

namespace kiln::intel {
namespace {

using isa::Type;

struct Layout {
  bool flag = false;
  bool uniform = false;
  int elem_bytes = 4;
};

Layout LayoutOf(const lir::Function& f, const lir::Operand& o) {
  const lir::Value& v = f.value(o.value());
  return {v.file == kFileF, v.file == kFileU, v.file == kFileF ? 2 : v.elem_bytes};
}

isa::Operand FlagOperand(const lir::Operand& o) {
  isa::Operand r;
  r.file = isa::File::kArf;
  r.arf = isa::Arf::kFlag;
  r.type = static_cast<Type>(o.type) == Type::kUD ? Type::kUD : Type::kUW;  // 32 lanes or 16
  r.nr = static_cast<uint8_t>(o.reg / 2);
  r.subnr = static_cast<uint8_t>(o.reg % 2 * 2);
  return r;
}

// Returns the register operand without its region. Lanes advance by the element's size. A per-lane
// value holds all lanes of the thread, so an instruction for a later group of them begins inside
// it.
isa::Operand Register(const lir::Operand& o, const Layout& layout, int first_lane, int group) {
  assert(o.reg != lir::Operand::kNoReg);
  isa::Operand r;
  r.file = isa::File::kGrf;
  r.type = static_cast<Type>(o.type);
  uint32_t byte = o.reg * 4 + o.sub;
  const bool scalar = layout.uniform && o.comps == 1;
  const int lane = first_lane + (layout.uniform ? 0 : group);
  if (!scalar) byte += static_cast<uint32_t>(lane * layout.elem_bytes);
  r.nr = static_cast<uint8_t>(byte / kGrfBytes);
  r.subnr = static_cast<uint8_t>(byte % kGrfBytes);
  return r;
}

}  // namespace

isa::Operand NullOperand(Type type) {
  isa::Operand r;
  r.file = isa::File::kArf;
  r.arf = isa::Arf::kNull;
  r.type = type;
  r.region.hstride = 1;
  return r;
}

isa::Operand ImmediateOperand(uint32_t bits, Type type) {
  isa::Operand r;
  r.file = isa::File::kImm;
  r.type = type;
  r.imm = isa::ByteSize(type) == 2 ? bits & 0xffff : bits;
  return r;
}

isa::Operand AccumulatorOperand(Type type) {
  isa::Operand r;
  r.file = isa::File::kArf;
  r.arf = isa::Arf::kAccumulator;
  r.type = type;
  r.region.hstride = 1;
  return r;
}

isa::Operand Destination(const lir::Function& f, const lir::Operand& o, int first_lane, int group) {
  if (!IsValue(o)) return NullOperand(static_cast<Type>(o.type));
  const Layout layout = LayoutOf(f, o);
  if (layout.flag) {
    isa::Operand r = FlagOperand(o);
    r.region.hstride = 1;
    return r;
  }
  isa::Operand r = Register(o, layout, first_lane, group);
  r.region.hstride = static_cast<uint8_t>(layout.elem_bytes / isa::ByteSize(r.type));
  assert(r.region.hstride != 0);
  return r;
}

isa::Operand Source(const lir::Function& f, const lir::Operand& o, int lanes, int first_lane,
                    int group) {
  if (o.kind == lir::Operand::Kind::kImm) return ImmediateOperand(o.id, static_cast<Type>(o.type));
  assert(IsValue(o));
  const Layout layout = LayoutOf(f, o);
  isa::Operand r = layout.flag ? FlagOperand(o) : Register(o, layout, first_lane, group);
  r.negate = (o.mods & lir::Operand::kNegate) != 0;
  r.absolute = (o.mods & lir::Operand::kAbsolute) != 0;
  const bool scalar = layout.flag || lanes == 1 || (layout.uniform && o.comps == 1);
  if (scalar) {
    r.region = {0, 1, 0};
    return r;
  }
  const int stride = layout.elem_bytes / isa::ByteSize(r.type);
  assert(stride >= 1);
  // Bytes of qwords: elements further apart than the horizontal stride allows are rows of one
  // element.
  constexpr int kMaxHorizontalStride = 4;
  if (stride > kMaxHorizontalStride) {
    r.region = {static_cast<uint8_t>(stride), 1, 0};
    return r;
  }
  // A row does not cross a register.
  const int row = std::min({lanes, 8, 32 / (stride * isa::ByteSize(r.type))});
  r.region = {static_cast<uint8_t>(row * stride), static_cast<uint8_t>(row),
              static_cast<uint8_t>(stride)};
  return r;
}

isa::Operand BytePlace(int byte, Type type) {
  isa::Operand r;
  r.file = isa::File::kGrf;
  r.type = type;
  r.nr = static_cast<uint8_t>(byte / kGrfBytes);
  r.subnr = static_cast<uint8_t>(byte % kGrfBytes);
  return r;
}

isa::Operand Payload(const lir::Operand& o) {
  isa::Operand r;
  r.file = isa::File::kGrf;
  r.type = Type::kUD;
  assert(o.reg % 8 == 0);
  r.nr = static_cast<uint8_t>(o.reg / 8);
  r.region.hstride = 1;
  return r;
}

void SetFlag(isa::Instruction& inst, const lir::Operand& flag) {
  inst.flag_nr = static_cast<uint8_t>(flag.reg / 2);
  inst.flag_subnr = static_cast<uint8_t>(flag.reg % 2);
}

}  // namespace kiln::intel
