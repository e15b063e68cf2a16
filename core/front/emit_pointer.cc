// Pointers compared, and their difference.
#include "core/front/emit.h"
#include "core/front/pointers.h"

namespace kiln::front {
namespace {

class PointerCompare : public Pointers {
 public:
  using Pointers::Pointers;

  bool EmitPointerCompare(const SpirvInst& inst);
};

}  // namespace

// OpPtrEqual, OpPtrNotEqual, OpPtrDiff.
bool PointerCompare::EmitPointerCompare(const SpirvInst& inst) {
  using mir::Op;
  Leaves a;
  Leaves b;
  uint32_t type_id = 0;
  uint32_t other = 0;
  if (!Get(inst.operand(3), &a, &type_id) || !Get(inst.operand(4), &b, &other)) return false;
  const SpirvType& type = *spirv().Type(type_id);
  if (type.kind != SpirvType::kPointer || type_id != other) {
    return Malformed("comparison of what are no pointers of one type", inst.result);
  }
  if (inst.op != spv::Op::OpPtrDiff) {
    ValueId equal = Emit(Op::kIeq, {a[0], b[0]});
    if (a.size() > 1) equal = Emit(Op::kAnd, {equal, Emit(Op::kIeq, {a[1], b[1]})});
    return ok() && Define(inst, {inst.op == spv::Op::OpPtrEqual ? equal : builder().Not(equal)});
  }
  const std::vector<mir::Type>& types = LeafTypes(inst.type);
  if (types.size() != 1 || !mir::IsInt(types[0])) {
    return Malformed("difference that is no integer", inst.result);
  }
  const uint64_t stride = PointerStride(type_id);
  if (stride == 0 || stride >= 0x80000000u) {
    return Malformed("difference of pointers without a usable stride", inst.result);
  }
  const ValueId bytes = Emit(Op::kIsub, {a[0], b[0]});
  if (!ok()) return false;
  const ValueId count =
      Emit(Op::kSdiv, {bytes, builder().IntOf(TypeOf(bytes), static_cast<int64_t>(stride))});
  return ok() && Define(inst, {ConvertInt(count, types[0], true)});
}

bool EmitPointerCompare(ImportContext& c, const SpirvInst& inst) {
  return PointerCompare(c).EmitPointerCompare(inst);
}

}  // namespace kiln::front
