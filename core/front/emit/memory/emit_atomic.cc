// Emits atomics and barriers.
//
// Vulkan's scopes up to the device are all the same here: buffers are coherent at device scope for
// atomics. Acquire and release semantics of an atomic become memory barriers around it, which is
// stronger than required, never weaker.
#include <algorithm>

#include "core/front/check/coverage.h"
#include "core/front/emit/emit.h"
#include "core/front/emit/inst_emitter.h"
#include "core/front/emit/pointers.h"
#include "core/front/emit/resources.h"

namespace kiln::front {
namespace {

constexpr uint32_t Bit(spv::MemorySemanticsMask mask) { return static_cast<uint32_t>(mask); }

constexpr uint32_t kRelease = Bit(spv::MemorySemanticsMask::Release) |
                              Bit(spv::MemorySemanticsMask::AcquireRelease) |
                              Bit(spv::MemorySemanticsMask::SequentiallyConsistent);
constexpr uint32_t kAcquire = Bit(spv::MemorySemanticsMask::Acquire) |
                              Bit(spv::MemorySemanticsMask::AcquireRelease) |
                              Bit(spv::MemorySemanticsMask::SequentiallyConsistent);

struct AtomicForm {
  mir::AtomicOp op;
  size_t value = 0;  // word of the value operand; 0: none
};

bool FormOf(spv::Op op, AtomicForm* form) {
  using mir::AtomicOp;
  switch (op) {
    case spv::Op::OpAtomicLoad: *form = {AtomicOp::kLoad, 0}; return true;
    case spv::Op::OpAtomicExchange: *form = {AtomicOp::kExchange, 6}; return true;
    case spv::Op::OpAtomicCompareExchange: *form = {AtomicOp::kCompareExchange, 7}; return true;
    case spv::Op::OpAtomicIIncrement: *form = {AtomicOp::kAdd, 0}; return true;
    case spv::Op::OpAtomicIDecrement: *form = {AtomicOp::kSub, 0}; return true;
    case spv::Op::OpAtomicIAdd: *form = {AtomicOp::kAdd, 6}; return true;
    case spv::Op::OpAtomicISub: *form = {AtomicOp::kSub, 6}; return true;
    case spv::Op::OpAtomicSMin: *form = {AtomicOp::kSmin, 6}; return true;
    case spv::Op::OpAtomicUMin: *form = {AtomicOp::kUmin, 6}; return true;
    case spv::Op::OpAtomicSMax: *form = {AtomicOp::kSmax, 6}; return true;
    case spv::Op::OpAtomicUMax: *form = {AtomicOp::kUmax, 6}; return true;
    case spv::Op::OpAtomicAnd: *form = {AtomicOp::kAnd, 6}; return true;
    case spv::Op::OpAtomicOr: *form = {AtomicOp::kOr, 6}; return true;
    case spv::Op::OpAtomicXor: *form = {AtomicOp::kXor, 6}; return true;
    case spv::Op::OpAtomicFAddEXT: *form = {AtomicOp::kFadd, 6}; return true;
    case spv::Op::OpAtomicFMinEXT: *form = {AtomicOp::kFmin, 6}; return true;
    case spv::Op::OpAtomicFMaxEXT: *form = {AtomicOp::kFmax, 6}; return true;
    default: return false;
  }
}

class AtomicEmitter : public Pointers {
 public:
  using Pointers::Pointers;

  bool EmitAtomic(const SpirvInst& inst);
  bool EmitAtomicStore(const SpirvInst& inst);
  bool EmitControlBarrier(const SpirvInst& inst);
  // `before`: of an atomic that follows, which alone releases; `after`: of one before it.
  bool EmitMemoryBarrier(uint32_t scope, uint32_t semantics, bool before = true, bool after = true);

 private:
  bool AtomicAccess(const SpirvInst& inst, uint32_t pointer_id, uint32_t scope_id,
                    uint32_t semantics_id, mir::AtomicOp op, mir::Type type,
                    absl::Span<const ValueId> values, ValueId* result);
  bool MemoryAtomic(const Pointer& pointer, mir::AtomicOp op, mir::Type type,
                    absl::Span<const ValueId> operands, Leaves* before);
};

}  // namespace

namespace {

// Returns the memory classes that these semantics order; none if they are relaxed.
uint32_t ClassesOf(uint32_t semantics) {
  if ((semantics & (kAcquire | kRelease)) == 0) return 0;
  uint32_t classes = 0;
  if (semantics & Bit(spv::MemorySemanticsMask::UniformMemory)) classes |= mir::kMemoryBuffer;
  if (semantics & Bit(spv::MemorySemanticsMask::WorkgroupMemory)) classes |= mir::kMemoryShared;
  if (semantics & Bit(spv::MemorySemanticsMask::ImageMemory)) classes |= mir::kMemoryImage;
  return classes;
}

// Returns MIR's scope. The validator refuses scopes beyond the device for Vulkan; an invocation
// needs no order.
mir::Scope MemoryScope(spv::Scope scope) {
  switch (scope) {
    case spv::Scope::Invocation:
    case spv::Scope::Subgroup: return mir::Scope::kSubgroup;
    case spv::Scope::Workgroup: return mir::Scope::kWorkgroup;
    default: return mir::Scope::kDevice;
  }
}

}  // namespace

bool AtomicEmitter::EmitMemoryBarrier(uint32_t scope, uint32_t semantics, bool before, bool after) {
  const uint32_t classes = ClassesOf(semantics);
  const bool releases = before && (semantics & kRelease) != 0;
  const bool acquires = after && (semantics & kAcquire) != 0;
  if (classes == 0 || (!releases && !acquires)) return true;
  if (releases != acquires) builder().set_flags(releases ? mir::kReleases : mir::kAcquires);
  builder().EmitInst(mir::Op::kMemoryBarrier, {}, {}, classes,
                     static_cast<uint32_t>(MemoryScope(static_cast<spv::Scope>(scope))));
  builder().set_flags(0);
  return true;
}

bool AtomicEmitter::EmitControlBarrier(const SpirvInst& inst) {
  uint32_t execution = 0;
  uint32_t memory = 0;
  uint32_t semantics = 0;
  if (!Semantics(inst.operand(1), &execution) || !Semantics(inst.operand(2), &memory) ||
      !Semantics(inst.operand(3), &semantics)) {
    return false;
  }
  const auto scope = static_cast<spv::Scope>(execution);
  if (scope == spv::Scope::Invocation) return EmitMemoryBarrier(memory, semantics);
  if (scope != spv::Scope::Workgroup && scope != spv::Scope::Subgroup) {
    return Refuse("barrier_scope", "barrier of another scope", inst.operand(1));
  }
  if (scope == spv::Scope::Workgroup && module().stage != mir::Stage::kCompute) {
    return Malformed("workgroup barrier in a stage other than compute", inst.operand(1));
  }
  // The control barrier orders memory for the invocations that wait at it; order for other
  // invocations too needs a memory barrier before it.
  const mir::Scope waits =
      scope == spv::Scope::Workgroup ? mir::Scope::kWorkgroup : mir::Scope::kSubgroup;
  const bool wider = MemoryScope(static_cast<spv::Scope>(memory)) > waits;
  if (wider && !EmitMemoryBarrier(memory, semantics)) return false;
  builder().EmitInst(mir::Op::kControlBarrier, {}, {}, wider ? 0 : ClassesOf(semantics),
                     static_cast<uint32_t>(waits));
  return true;
}

bool AtomicEmitter::AtomicAccess(const SpirvInst& inst, uint32_t pointer_id, uint32_t scope_id,
                                 uint32_t semantics_id, mir::AtomicOp op, mir::Type type,
                                 absl::Span<const ValueId> values, ValueId* result) {
  Pointer pointer;
  uint32_t scope = 0;
  uint32_t semantics = 0;
  if (!GetPointer(pointer_id, &pointer) || !Semantics(scope_id, &scope) ||
      !Semantics(semantics_id, &semantics)) {
    return false;
  }
  const SpirvType* pointee = Supported(pointer.type);
  if (pointee == nullptr) return false;
  const bool is_float = pointee->kind == SpirvType::kFloat;
  const bool texel = pointer.space == Pointer::kTexel;
  if (type == mir::Type::kF64 && mir::IsFloatAtomic(op)) {
    Need(mir::Need::kFloat64Atomics, pointer_id);
  } else if (mir::BitsOf(type) == 64 && pointer.space == Pointer::kShared) {
    Need(mir::Need::kSharedInt64Atomics, pointer_id);
  }
  const bool width = type == mir::Type::kF16 || mir::BitsOf(type) >= 32;
  if ((pointee->kind != SpirvType::kInt && !is_float) || mir::IsFloat(type) != is_float || !width ||
      pointee->width != mir::BitsOf(type)) {
    return Malformed("atomic on a pointer to another type", inst.operand(1));
  }
  if (pointer.space != Pointer::kStorage && pointer.space != Pointer::kPhysical &&
      pointer.space != Pointer::kShared && pointer.space != Pointer::kTexel) {
    return Malformed("atomic on private memory", pointer_id);
  }
  // Floats that are only moved are moved as their bits; texels are always bits.
  const bool bits = is_float && (!mir::IsFloatAtomic(op) || texel);
  Leaves operands;
  for (ValueId v : values) {
    if (TypeOf(v) != type)
      return Malformed("atomic operand is not of the result's type", pointer_id);
    operands.push_back(bits ? Emit(mir::Op::kBitcast, {v}) : v);
  }
  if (!EmitMemoryBarrier(scope, semantics, /*before=*/true, /*after=*/false)) return false;
  if (texel) {
    if (!TexelAtomic(c_, pointer, op, is_float, operands, result)) return false;
  } else {
    const mir::Type result_type = bits ? mir::IntOfBits(mir::BitsOf(type)) : type;
    Leaves before;
    if (!ByTarget(
            pointer, absl::MakeConstSpan(&result_type, 1),
            [&](const Pointer& at, Leaves* old) {
              return MemoryAtomic(at, op, result_type, operands, old);
            },
            &before)) {
      return false;
    }
    *result = before[0];
  }
  if (!EmitMemoryBarrier(scope, semantics, /*before=*/false, /*after=*/true)) return false;
  if (bits && op != mir::AtomicOp::kStore) *result = Emit(mir::Op::kBitcast, {*result});
  return ok();
}

bool AtomicEmitter::MemoryAtomic(const Pointer& pointer, mir::AtomicOp op, mir::Type type,
                                 absl::Span<const ValueId> operands, Leaves* before) {
  uint32_t resource = 0;
  mir::Op mir_op = mir::Op::kSharedAtomic;
  if (pointer.space == Pointer::kStorage) {
    mir_op = mir::Op::kSsboAtomic;
    if (!Resources(c_).Resource(pointer, &resource)) return false;
    module().resources[resource].read_only = false;
  } else if (pointer.space == Pointer::kPhysical) {
    mir_op = mir::Op::kGlobalAtomic;
  }
  Leaves sources = AddressSources(pointer, pointer.offset);
  sources.insert(sources.end(), operands.begin(), operands.end());
  if (!ok()) return false;
  builder().set_flags(pointer.flags & (mir::kNonUniform | mir::kIndexed));
  *before = {module().result(builder().EmitInst(mir_op, sources, absl::MakeConstSpan(&type, 1),
                                                resource, static_cast<uint32_t>(op)))};
  builder().set_flags(0);
  return true;
}

bool AtomicEmitter::EmitAtomicStore(const SpirvInst& inst) {
  Leaves value;
  if (!Get(inst.operand(4), &value)) return false;
  if (value.size() != 1) return Malformed("atomic store of a composite", inst.operand(1));
  ValueId result;
  return AtomicAccess(inst, inst.operand(1), inst.operand(2), inst.operand(3),
                      mir::AtomicOp::kStore, TypeOf(value[0]), value, &result);
}

bool AtomicEmitter::EmitAtomic(const SpirvInst& inst) {
  AtomicForm form;
  if (!FormOf(inst.op, &form)) return Malformed("unknown atomic instruction", inst.result);
  const SpirvType* type = Supported(inst.type);
  if (type == nullptr) return false;
  if (type->kind != SpirvType::kInt && type->kind != SpirvType::kFloat) {
    return Malformed("atomic on a type that is not a scalar", inst.result);
  }
  if (type->width < 32 && type->kind == SpirvType::kInt) {
    return Malformed("atomic on an integer of this width", inst.result);
  }
  const bool is_float = type->kind == SpirvType::kFloat;
  const bool moves = form.op == mir::AtomicOp::kLoad || form.op == mir::AtomicOp::kExchange;
  if (!moves && is_float != mir::IsFloatAtomic(form.op)) {
    return Malformed("atomic on a pointer to another type", inst.result);
  }
  const mir::Type mir_type = LeafTypes(inst.type)[0];
  Leaves values;
  if (form.op == mir::AtomicOp::kCompareExchange) {
    ValueId comparator;
    if (!GetScalar(inst.operand(8), mir_type, &comparator)) return false;
    values.push_back(comparator);
  }
  if (form.value != 0) {
    ValueId value;
    if (!GetScalar(inst.operand(form.value), mir_type, &value)) return false;
    values.push_back(value);
  } else if (form.op != mir::AtomicOp::kLoad) {
    values.push_back(builder().IntOf(mir_type, 1));
  }
  ValueId result;
  if (!AtomicAccess(inst, inst.operand(3), inst.operand(4), inst.operand(5), form.op, mir_type,
                    values, &result)) {
    return false;
  }
  return Define(inst, {result});
}

bool EmitAtomic(ImportContext& c, const SpirvInst& inst, bool* handled) {
  *handled = true;
  switch (inst.op) {
    case spv::Op::OpControlBarrier: return AtomicEmitter(c).EmitControlBarrier(inst);
    case spv::Op::OpMemoryBarrier: {
      AtomicEmitter emitter(c);
      uint32_t scope = 0;
      uint32_t semantics = 0;
      return emitter.Semantics(inst.operand(1), &scope) &&
             emitter.Semantics(inst.operand(2), &semantics) &&
             emitter.EmitMemoryBarrier(scope, semantics);
    }
    case spv::Op::OpAtomicStore: return AtomicEmitter(c).EmitAtomicStore(inst);
    case spv::Op::OpAtomicLoad:
    case spv::Op::OpAtomicExchange:
    case spv::Op::OpAtomicCompareExchange:
    case spv::Op::OpAtomicIIncrement:
    case spv::Op::OpAtomicIDecrement:
    case spv::Op::OpAtomicIAdd:
    case spv::Op::OpAtomicISub:
    case spv::Op::OpAtomicSMin:
    case spv::Op::OpAtomicUMin:
    case spv::Op::OpAtomicSMax:
    case spv::Op::OpAtomicUMax:
    case spv::Op::OpAtomicAnd:
    case spv::Op::OpAtomicOr:
    case spv::Op::OpAtomicXor:
    case spv::Op::OpAtomicFAddEXT:
    case spv::Op::OpAtomicFMinEXT:
    case spv::Op::OpAtomicFMaxEXT: return AtomicEmitter(c).EmitAtomic(inst);
    default: *handled = false; return true;
  }
}

}  // namespace kiln::front
