// Emits integer dot products (SPV_KHR_integer_dot_product), also with saturating accumulation.
//
// Four bytes packed in a dword are one MIR op; vectors become products and sums, whose low bits are
// those of the exact sum. Only the last addition saturates. Sums and accumulators may have any
// width that is at least the components'.
#include "core/front/check/coverage.h"
#include "core/front/emit/emit.h"
#include "core/front/emit/inst_emitter.h"

namespace kiln::front {
namespace {

using mir::Op;

struct DotRow {
  spv::Op spirv;
  Op packed;
  Op exact;  // the same without an accumulator
  bool saturates;
  bool is_signed;  // the result and its saturation
};

constexpr DotRow kRows[] = {
    {spv::Op::OpSDot, Op::kSdot4x8, Op::kSdot4x8, false, true},
    {spv::Op::OpUDot, Op::kUdot4x8, Op::kUdot4x8, false, false},
    {spv::Op::OpSUDot, Op::kSudot4x8, Op::kSudot4x8, false, true},
    {spv::Op::OpSDotAccSat, Op::kSdot4x8Sat, Op::kSdot4x8, true, true},
    {spv::Op::OpUDotAccSat, Op::kUdot4x8Sat, Op::kUdot4x8, true, false},
    {spv::Op::OpSUDotAccSat, Op::kSudot4x8Sat, Op::kSudot4x8, true, true},
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
  ValueId OfVectors(const DotRow& row, mir::Type type, absl::Span<const ValueId> a,
                    absl::Span<const ValueId> b, ValueId accumulator);
  ValueId SaturatingAdd(bool is_signed, mir::Type type, ValueId a, ValueId b);
};

}  // namespace

// The sum overflows if both operands have one sign and the sum the other.
ValueId DotEmitter::SaturatingAdd(bool is_signed, mir::Type type, ValueId a, ValueId b) {
  const auto number = [&](int64_t n) { return builder().IntOf(type, n); };
  const ValueId sum = Emit(Op::kIadd, {a, b});
  if (!is_signed) return Emit(Op::kSelect, {Emit(Op::kUlt, {sum, a}), number(-1), sum});
  const int64_t least = -1 - static_cast<int64_t>(mir::MaskOf(type) >> 1);
  const ValueId changed = Emit(Op::kAnd, {Emit(Op::kXor, {sum, a}), Emit(Op::kXor, {sum, b})});
  const ValueId overflow = Emit(Op::kSlt, {changed, number(0)});
  const ValueId negative = Emit(Op::kSlt, {a, number(0)});
  const ValueId limit = Emit(Op::kSelect, {negative, number(least), number(-1 - least)});
  return Emit(Op::kSelect, {overflow, limit, sum});
}

// Extends components to the result's width, in which products and sums wrap.
ValueId DotEmitter::OfVectors(const DotRow& row, mir::Type type, absl::Span<const ValueId> a,
                              absl::Span<const ValueId> b, ValueId accumulator) {
  const bool unsigned_second = row.exact == Op::kSudot4x8;
  ValueId sum = builder().IntOf(type, 0);
  for (size_t i = 0; i < a.size(); ++i) {
    const ValueId x = ConvertInt(a[i], type, row.is_signed);
    const ValueId y = ConvertInt(b[i], type, row.is_signed && !unsigned_second);
    sum = Emit(Op::kIadd, {sum, Emit(Op::kImul, {x, y})});
  }
  return row.saturates ? SaturatingAdd(row.is_signed, type, sum, accumulator) : sum;
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
  if (a.size() != b.size() || type->kind != SpirvType::kInt || a.empty() ||
      !mir::IsInt(TypeOf(a[0])) || !mir::IsInt(TypeOf(b[0]))) {
    return Malformed("dot product of vectors of different sizes", inst.result);
  }
  const mir::Type result = LeafTypes(inst.type)[0];
  ValueId accumulator;
  if (row->saturates && !GetScalar(inst.operand(5), result, &accumulator)) return false;
  if (a.size() > 1) return Define(inst, {OfVectors(*row, result, a, b, accumulator)});
  const uint32_t format = inst.operand(row->saturates ? 6 : 5);
  if (format != static_cast<uint32_t>(spv::PackedVectorFormat::PackedVectorFormat4x8Bit)) {
    return Malformed("unknown packed-vector format", inst.result);
  }
  if (result == mir::Type::kI32) {
    return Define(inst, {Emit(row->packed, {a[0], b[0], row->saturates ? accumulator : Int(0)})});
  }
  const ValueId exact = Emit(row->exact, {a[0], b[0], Int(0)});
  if (!ok()) return false;
  ValueId sum = ConvertInt(exact, result, row->is_signed);
  if (row->saturates) sum = SaturatingAdd(row->is_signed, result, sum, accumulator);
  return ok() && Define(inst, {sum});
}

bool EmitIntegerDot(ImportContext& c, const SpirvInst& inst, bool* handled) {
  return DotEmitter(c).EmitIntegerDot(inst, handled);
}

}  // namespace kiln::front
