// Integer dot products (SPV_KHR_integer_dot_product), also with saturating accumulation.
//
// Four bytes packed in a dword are one MIR op; vectors of wider integers become products and sums,
// of which the low bits are those of the exact sum. Only the last addition saturates.
#include "core/front/coverage.h"
#include "core/front/emit.h"
#include "core/front/inst_emitter.h"

namespace kiln::front {
namespace {

using mir::Op;

struct DotRow {
  spv::Op spirv;
  Op packed;
  bool saturates;
  bool is_signed;   // the result and its saturation
};

constexpr DotRow kRows[] = {
    {spv::Op::OpSDot, Op::kSdot4x8, false, true},
    {spv::Op::OpUDot, Op::kUdot4x8, false, false},
    {spv::Op::OpSUDot, Op::kSudot4x8, false, true},
    {spv::Op::OpSDotAccSat, Op::kSdot4x8Sat, true, true},
    {spv::Op::OpUDotAccSat, Op::kUdot4x8Sat, true, false},
    {spv::Op::OpSUDotAccSat, Op::kSudot4x8Sat, true, true},
};

const DotRow* Row(spv::Op op) {
  for (const DotRow& row : kRows) {
    if (row.spirv == op) return &row;
  }
  return nullptr;
}

class DotEmitter : public InstEmitter {
 public:
  using InstEmitter::InstEmitter;

  bool EmitIntegerDot(const SpirvInst& inst, bool* handled);

 private:
  ValueId SaturatingAdd(bool is_signed, ValueId a, ValueId b);
};

}  // namespace

// The sum wraps the wrong way where both have one sign and the sum another.
ValueId DotEmitter::SaturatingAdd(bool is_signed, ValueId a, ValueId b) {
  const ValueId sum = Emit(Op::kIadd, {a, b});
  if (!is_signed) return Emit(Op::kSelect, {Emit(Op::kUlt, {sum, a}), Int(~0u), sum});
  const ValueId changed = Emit(Op::kAnd, {Emit(Op::kXor, {sum, a}), Emit(Op::kXor, {sum, b})});
  const ValueId overflow = Emit(Op::kSlt, {changed, Int(0)});
  const ValueId negative = Emit(Op::kSlt, {a, Int(0)});
  const ValueId limit = Emit(Op::kSelect, {negative, Int(0x80000000u), Int(0x7fffffffu)});
  return Emit(Op::kSelect, {overflow, limit, sum});
}

bool DotEmitter::EmitIntegerDot(const SpirvInst& inst, bool* handled) {
  const DotRow* row = Row(inst.op);
  *handled = row != nullptr;
  if (row == nullptr) return true;
  const SpirvType* type = Supported(inst.type);
  if (type == nullptr) return false;
  Leaves a;
  Leaves b;
  if (!Get(inst.operand(3), &a) || !Get(inst.operand(4), &b)) return false;
  if (a.size() != b.size() || type->kind != SpirvType::kInt || a.empty()) {
    return Malformed("dot product of unequal vectors", inst.result);
  }
  ValueId accumulator = Int(0);
  if (row->saturates && !GetScalar(inst.operand(5), mir::Type::kI32, &accumulator)) return false;
  if (a.size() == 1) {
    const uint32_t format = inst.operand(row->saturates ? 6 : 5);
    if (format != static_cast<uint32_t>(spv::PackedVectorFormat::PackedVectorFormat4x8Bit)) {
      return Malformed("format of a packed vector", inst.result);
    }
    return Define(inst, {Emit(row->packed, {a[0], b[0], accumulator})});
  }
  ValueId sum = Int(0);
  for (size_t i = 0; i < a.size(); ++i) {
    sum = Emit(Op::kIadd, {sum, Emit(Op::kImul, {a[i], b[i]})});
  }
  if (row->saturates) sum = SaturatingAdd(row->is_signed, sum, accumulator);
  return ok() && Define(inst, {sum});
}

bool EmitIntegerDot(ImportContext& c, const SpirvInst& inst, bool* handled) {
  return DotEmitter(c).EmitIntegerDot(inst, handled);
}

}  // namespace kiln::front
