#include "core/mid/analysis/alias.h"

namespace kiln::mid {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::ValueId;

bool ReadsUnchanging(const Module& m, const Inst& inst) {
  return inst.op == Op::kLoadSsbo && m.resources[inst.imm0].unchanging &&
         (inst.flags & (mir::kVolatile | mir::kCoherent)) == 0;
}

std::optional<Space> SpaceOf(const Module& m, const Inst& inst) {
  const Op op = inst.op;
  switch (op) {
    case Op::kLoadUbo:
    case Op::kLoadPush:
    case Op::kLoadConstant: return Space::kReadOnly;
    case Op::kLoadPrivate:
    case Op::kStorePrivate: return Space::kPrivate;
    case Op::kLoadShared:
    case Op::kStoreShared:
    case Op::kSharedAtomic:
    case Op::kSharedAtomic64: return Space::kShared;
    case Op::kLoadSsbo:
      if (ReadsUnchanging(m, inst)) return Space::kReadOnly;
      return Space::kBuffer;
    case Op::kStoreSsbo:
    case Op::kSsboAtomic: return Space::kBuffer;
    case Op::kHelperInvocation: return Space::kHelper;
    default: break;
  }
  const mir::OpInfo& info = mir::Info(op);
  if (!info.Has('R') && !info.Has('W')) return std::nullopt;
  if (op == Op::kLoadGlobal || op == Op::kStoreGlobal || op == Op::kGlobalAtomic) {
    return Space::kGlobal;
  }
  const bool image =
      mir::IsTexelOp(op) && m.resources[inst.imm0].kind == mir::ResourceKind::kStorageImage;
  return image ? Space::kImage : Space::kUnknown;
}

}  // namespace

namespace {

// Splits `v` into a constant and the other source of a sum; returns false if `v` is no such sum.
bool SumWithConstant(const Module& m, ValueId v, ValueId* other, uint64_t* constant) {
  const mir::Value& value = m.value(v);
  if (value.kind != mir::Value::Kind::kResult) return false;
  const InstId def(value.owner);
  if (m.inst(def).op != Op::kIadd || !m.IsConstant(m.source(def, 1))) return false;
  *other = m.source(def, 0);
  *constant = m.value(m.source(def, 1)).bits;
  return true;
}

// Returns the instruction that defines `v` if it has this op.
InstId MadeBy(const Module& m, ValueId v, Op op) {
  const mir::Value& value = m.value(v);
  const bool made = value.kind == mir::Value::Kind::kResult && m.inst(InstId(value.owner)).op == op;
  return made ? InstId(value.owner) : InstId();
}

// Returns the 64-bit value whose halves these are, or an invalid id.
ValueId WholeOf(const Module& m, ValueId low, ValueId high) {
  const InstId low_trunc = MadeBy(m, low, Op::kTrunc), high_trunc = MadeBy(m, high, Op::kTrunc);
  if (!low_trunc.valid() || !high_trunc.valid()) return ValueId();
  const ValueId whole = m.source(low_trunc, 0);
  const InstId shift = MadeBy(m, m.source(high_trunc, 0), Op::kUshr);
  if (!shift.valid() || m.value(whole).type != mir::Type::kI64 || m.source(shift, 0) != whole) {
    return ValueId();
  }
  const ValueId count = m.source(shift, 1);
  return m.IsConstant(count) && m.value(count).bits == 32 ? whole : ValueId();
}

// Returns true if `high` is `base` plus the carry of low + constant.
bool AddsCarry(const Module& m, ValueId high, ValueId low, uint64_t constant, ValueId* base) {
  const InstId sum = MadeBy(m, high, Op::kIadd);
  if (!sum.valid()) return false;
  for (int i = 0; i < 2; ++i) {
    const InstId carry = MadeBy(m, m.source(sum, i), Op::kUaddCarry);
    if (!carry.valid() || m.source(carry, 0) != low || !m.IsConstant(m.source(carry, 1)) ||
        m.value(m.source(carry, 1)).bits != constant) {
      continue;
    }
    *base = m.source(sum, 1 - i);
    return true;
  }
  return false;
}

// Sets base and offset of an address given by its halves.
void SplitAddress(const Module& m, ValueId low, ValueId high, Access* a) {
  a->base = low;
  a->index = high;
  ValueId base;
  uint64_t constant = 0;
  if (const ValueId whole = WholeOf(m, low, high); whole.valid()) {
    a->base = whole;
    a->index = ValueId();
    if (!SumWithConstant(m, whole, &base, &constant) || constant >> 32 != 0) return;
    a->base = base;
    a->offset = static_cast<uint32_t>(constant);
  } else if (ValueId high_base; SumWithConstant(m, low, &base, &constant) &&
                                AddsCarry(m, high, base, constant, &high_base)) {
    a->base = base;
    a->index = high_base;
    a->offset = static_cast<uint32_t>(constant);
  }
}

}  // namespace

Address AddressOf(const Module& m, ValueId v) {
  Address a;
  a.base = v;
  while (true) {
    const mir::Value& value = m.value(a.base);
    if (value.kind == mir::Value::Kind::kConstant) {
      a.offset += static_cast<uint32_t>(value.bits);
      a.base = ValueId();
      return a;
    }
    if (value.kind != mir::Value::Kind::kResult) return a;
    const InstId def(value.owner);
    if (m.inst(def).op != Op::kIadd || !m.IsConstant(m.source(def, 1))) return a;
    a.offset += static_cast<uint32_t>(m.value(m.source(def, 1)).bits);
    a.base = m.source(def, 0);
  }
}

std::optional<Access> MemoryAccessOf(const Module& m, InstId id) {
  const Inst& inst = m.inst(id);
  const std::optional<Space> space = SpaceOf(m, inst);
  if (!space.has_value()) return std::nullopt;
  Access a;
  a.space = *space;
  a.op = inst.op;
  a.writes = mir::Info(inst.op).Has('W');
  a.reads = !a.writes || mir::Info(inst.op).Has('R');
  a.is_volatile = (inst.flags & mir::kVolatile) != 0;
  a.is_coherent = (inst.flags & mir::kCoherent) != 0;
  if (a.space == Space::kUnknown || a.space == Space::kImage) return a;
  if (a.space == Space::kHelper) {
    a.bytes = a.element_bytes;  // one location
    return a;
  }
  a.memory = inst.imm0;
  if (a.space == Space::kBuffer) {
    const mir::Resource& r = m.resources[inst.imm0];
    a.set = r.set;
    a.binding = r.binding;
    a.aliased = r.aliased;
  }
  const int offset = mir::OffsetSource(inst);
  if (a.space == Space::kGlobal) {
    a.memory = 0;
    SplitAddress(m, m.source(id, 0), m.source(id, 1), &a);
  } else {
    if (offset != 0) a.index = m.source(id, 0);
    const Address address = AddressOf(m, m.source(id, offset));
    a.base = address.base;
    a.offset = address.offset;
  }
  // Atomics read and write values of the type of their result.
  const int value = mir::FirstValueSource(inst);
  const ValueId first = a.reads ? m.result(id) : m.source(id, value);
  a.element_bytes = mir::BytesOf(m.value(first).type);
  a.bytes = a.element_bytes *
            static_cast<uint32_t>(a.reads ? inst.num_results : inst.num_sources - value);
  return a;
}

bool MayOverlap(const Access& a, const Access& b) {
  if (a.space != b.space) {
    const auto outside = [](Space s) {
      return s == Space::kBuffer || s == Space::kGlobal || s == Space::kUnknown;
    };
    return outside(a.space) && outside(b.space);
  }
  switch (a.space) {
    case Space::kUnknown:
    case Space::kHelper:
    case Space::kImage: return true;
    case Space::kShared:
    case Space::kGlobal: break;
    case Space::kBuffer:
      if (a.set != b.set || a.binding != b.binding) return a.aliased || b.aliased;
      if (a.memory != b.memory) return true;
      break;
    case Space::kReadOnly:
      if (a.op != b.op) return false;
      [[fallthrough]];
    case Space::kPrivate:
      if (a.memory != b.memory) return false;
      break;
  }
  if (a.base != b.base || a.index != b.index || a.bytes == 0 || b.bytes == 0) return true;
  const uint32_t ahead = b.offset - a.offset;  // modulo 2^32
  return ahead < a.bytes || 0 - ahead < b.bytes;
}

bool IsPure(const Module& m, InstId id) {
  const Inst& inst = m.inst(id);
  return mir::Info(inst.op).Has('P') || ReadsUnchanging(m, inst);
}

bool IsPureRead(const Module& m, InstId id) {
  if (IsKnownPush(m, id)) return false;
  return mir::Info(m.inst(id).op).Has('M') || ReadsUnchanging(m, m.inst(id));
}

namespace {

// Returns true if a load from an array of inputs has a constant index in range.
bool ReadsKnownElement(const Module& m, InstId id) {
  const ValueId element = m.source(id, 0);
  return m.IsConstant(element) && m.value(element).bits < m.inputs[m.inst(id).imm0].elements;
}

}  // namespace

bool IsSpeculatable(const Module& m, InstId id) {
  const Inst& inst = m.inst(id);
  if (!IsPure(m, id) || (inst.flags & mir::kVolatile) != 0) return false;
  if ((inst.flags & mir::kIndexed) == 0) return true;
  if (mir::IsInterfaceOp(inst.op)) return ReadsKnownElement(m, id);
  // A buffer's index is the first source. An image's sampler may have another index, which is not
  // checked, so that images are never speculatable.
  return !mir::HasImage(m.resources[inst.imm0].kind) && m.IsConstant(m.source(id, 0));
}

bool IsKnownPush(const Module& m, InstId id) {
  return m.inst(id).op == Op::kLoadPush && m.IsConstant(m.source(id, 0));
}

Access ElementOf(const Access& access, int n) {
  Access element = access;
  element.offset += access.element_bytes * static_cast<uint32_t>(n);
  element.bytes = access.element_bytes;
  return element;
}

bool SamePlace(const Access& a, const Access& b) {
  const bool known = a.space != Space::kUnknown && a.space != Space::kImage;
  return a.space == b.space && known && a.memory == b.memory && a.index == b.index &&
         a.base == b.base && a.offset == b.offset && a.bytes == b.bytes &&
         (a.space != Space::kReadOnly || a.op == b.op);
}

MemorySet MemorySetOf(const Access& access) {
  switch (access.space) {
    case Space::kReadOnly: return 0;
    case Space::kPrivate: {
      constexpr uint32_t kFirst = 2 + kBufferBits;
      return MemorySet{1} << (kFirst + access.memory % (64 - kFirst));
    }
    case Space::kShared: return kSharedMemory;
    case Space::kHelper: return kHelperMemory;
    case Space::kImage: return kImageMemory;
    case Space::kBuffer:
      if (access.aliased) return kBufferMemory;
      return MemorySet{4} << (access.set * 7 + access.binding) % kBufferBits;
    case Space::kGlobal:
    case Space::kUnknown: break;
  }
  return kOutsideMemory;
}

MemorySet OrderedBy(const Inst& inst) {
  if (mir::IsKill(inst.op)) return kHelperMemory | kOutsideMemory;
  if (inst.op == Op::kStoreOutput || inst.op == Op::kReadClock) return 0;
  // A target's own, whose number says what it orders to that target alone.
  if (inst.op == Op::kStageEffect) return kSharedMemory | kOutsideMemory;
  const bool outside = (inst.imm0 & (mir::kMemoryBuffer | mir::kMemoryImage)) != 0;
  return kSharedMemory | (outside ? kOutsideMemory : 0);
}

}  // namespace kiln::mid
