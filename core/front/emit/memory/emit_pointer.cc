// Emits comparisons and differences of pointers.
//
// The operands are not accessed, so they may lead to memory that pointers held as values otherwise
// may not (pointers.cc): matrices and their rows.
//
// A difference counts elements of the array that both pointers lead into. Its stride is that of the
// pointers' type if they may be stepped (OpPtrAccessChain needs the decoration); otherwise that of
// the array from which an access chain chose one of them; otherwise the one stride that all arrays
// of such elements in the module have. Source: SPIR-V 1.6, OpPtrDiff, whose rules do not mention
// ArrayStride.
#include <algorithm>

#include "core/front/emit/emit.h"
#include "core/front/emit/pointers.h"

namespace kiln::front {
namespace {

class PointerCompare : public Pointers {
 public:
  using Pointers::Pointers;

  bool EmitPointerCompare(const SpirvInst& inst);

 private:
  struct Operand {
    Leaves leaves;
    uint32_t type = 0;
    uint32_t element_stride = 0;  // 0: unknown
  };
  bool GetOperand(uint32_t id, Operand* operand);
  uint32_t DescriptorsIn(uint32_t type) const;
  bool EmitDifference(const SpirvInst& inst, const Operand& a, const Operand& b);
};

}  // namespace

bool PointerCompare::GetOperand(uint32_t id, Operand* operand) {
  const SpirvVariable* variable = spirv().Variable(id);
  operand->type = variable != nullptr ? variable->type : spirv().Def(id).type;
  const SpirvType* type = spirv().Type(operand->type);
  const bool known = variable != nullptr || c_.bindings.Of(id).kind == Binding::kPointer;
  if (type == nullptr || !type->IsValuePointer() || !known) {
    return Get(id, &operand->leaves, &operand->type);
  }
  Pointer pointer;
  if (!GetPointer(id, &pointer)) return false;
  operand->element_stride = pointer.element_stride;
  return PointerLeaves(pointer, id, &operand->leaves, false);
}

// Emits OpPtrEqual, OpPtrNotEqual, OpPtrDiff.
bool PointerCompare::EmitPointerCompare(const SpirvInst& inst) {
  using mir::Op;
  Operand a;
  Operand b;
  if (!GetOperand(inst.operand(3), &a) || !GetOperand(inst.operand(4), &b)) return false;
  if (spirv().Type(a.type)->kind != SpirvType::kPointer || a.type != b.type) {
    return Malformed("comparison of operands that are not pointers of one type", inst.result);
  }
  if (inst.op == spv::Op::OpPtrDiff) return EmitDifference(inst, a, b);
  ValueId equal = Emit(Op::kIeq, {a.leaves[0], b.leaves[0]});
  if (a.leaves.size() > 1) {
    equal = Emit(Op::kAnd, {equal, Emit(Op::kIeq, {a.leaves[1], b.leaves[1]})});
  }
  return ok() && Define(inst, {inst.op == spv::Op::OpPtrEqual ? equal : builder().Not(equal)});
}

// Returns the number of descriptors in a type: a block or an array of blocks. 0: any other type.
uint32_t PointerCompare::DescriptorsIn(uint32_t type) const {
  uint64_t count = 1;
  const SpirvType* t = spirv().Type(type);
  for (; t->kind == SpirvType::kArray; type = t->element, t = spirv().Type(type)) {
    count = std::min<uint64_t>(count * t->count, 1u << 30);
  }
  return t->kind == SpirvType::kStruct && spirv().decorations[type].block
             ? static_cast<uint32_t>(count)
             : 0;
}

bool PointerCompare::EmitDifference(const SpirvInst& inst, const Operand& a, const Operand& b) {
  using mir::Op;
  const std::vector<mir::Type>& types = LeafTypes(inst.type);
  if (types.size() != 1 || !mir::IsInt(types[0])) {
    return Malformed("pointer difference is not an integer", inst.result);
  }
  const SpirvType& type = *spirv().Type(a.type);
  const uint32_t blocks =
      type.storage == spv::StorageClass::StorageBuffer ? DescriptorsIn(type.element) : 0;
  uint64_t stride = blocks != 0 ? blocks : PointerStride(a.type);
  for (const Operand* operand : {&a, &b}) {
    if (stride == 0) stride = operand->element_stride;
  }
  if (stride == 0) stride = layouts().StrideOfArraysOf(type.element);
  if (stride == Layouts::kSeveralStrides) {
    return Refuse("variable_pointers", "difference of pointers into arrays of different strides",
                  inst.result);
  }
  if (stride == 0 || stride >= 0x80000000u) {
    return Malformed("difference of pointers without an array stride", inst.result);
  }
  const size_t leaf = blocks != 0 ? 1 : 0;  // selectors tell blocks apart
  const ValueId steps = Emit(Op::kIsub, {a.leaves[leaf], b.leaves[leaf]});
  if (!ok()) return false;
  const ValueId count =
      Emit(Op::kSdiv, {steps, builder().IntOf(TypeOf(steps), static_cast<int64_t>(stride))});
  if (!ok()) return false;
  ValueId result = ConvertInt(count, types[0], true);
  if (blocks == 0 && a.leaves.size() > 1) {
    result = UndefinedWhere(Emit(Op::kIne, {a.leaves[1], b.leaves[1]}), result);
  }
  return Define(inst, {result});
}

bool EmitPointerCompare(ImportContext& c, const SpirvInst& inst) {
  return PointerCompare(c).EmitPointerCompare(inst);
}

}  // namespace kiln::front
