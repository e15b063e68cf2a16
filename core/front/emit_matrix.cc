// Dot products and matrix algebra. A matrix is its columns one after the other.
//
// Sums are formed as multiply and add; fusing them is a later pass's decision, which honours
// NoContraction. SPIR-V leaves their order open. Dot products go left to right; matrix products begin
// with the last, as Mesa's: of a point's or a plane's coordinates the last is often 1 or 0, whose
// product is then nothing but where fused multiply-adds begin.
#include "core/front/importer.h"
#include "core/front/refusal.h"

namespace kiln::front {

bool Importer::GetFloats(uint32_t id, Leaves* leaves) {
  if (!Get(id, leaves)) return false;
  for (ValueId v : *leaves) {
    if (!mir::IsFloat(TypeOf(v))) return Malformed("operand is no float", id);
  }
  if (leaves->empty()) return Malformed("operand is no float", id);
  return true;
}

bool Importer::GetMatrix(uint32_t id, Matrix* matrix) {
  uint32_t type_id = 0;
  if (!Get(id, &matrix->m, &type_id)) return false;
  const SpirvType& type = *spirv().Type(type_id);
  if (type.kind == SpirvType::kMatrix) {
    matrix->columns = type.count;
    matrix->rows = spirv().Type(type.element)->count;
  } else if (type.kind == SpirvType::kVector &&
             spirv().Type(type.element)->kind == SpirvType::kFloat) {
    matrix->columns = 1;
    matrix->rows = type.count;
  } else {
    return Malformed("operand is no matrix or vector of floats", id);
  }
  return true;
}

ValueId Importer::Dot(absl::Span<const ValueId> a, absl::Span<const ValueId> b) {
  ValueId sum = Emit(mir::Op::kFmul, {a[0], b[0]});
  for (size_t i = 1; i < a.size(); ++i) {
    sum = Emit(mir::Op::kFadd, {sum, Emit(mir::Op::kFmul, {a[i], b[i]})});
  }
  return sum;
}

void Importer::Product(const Matrix& a, const Matrix& b, Leaves* out) {
  for (uint32_t c = 0; c < b.columns; ++c) {
    for (uint32_t r = 0; r < a.rows; ++r) {
      Leaves row;
      Leaves column;
      for (uint32_t k = a.columns; k-- > 0;) {
        row.push_back(a.at(k, r));
        column.push_back(b.at(c, k));
      }
      out->push_back(Dot(row, column));
    }
  }
}

bool Importer::EmitMatrix(const SpirvInst& inst, bool* handled) {
  *handled = true;
  Leaves out;
  switch (inst.op) {
    case spv::Op::OpDot: {
      Leaves a;
      Leaves b;
      if (!GetFloats(inst.operand(3), &a) || !GetFloats(inst.operand(4), &b)) return false;
      if (a.size() != b.size()) return Malformed("dot of different sizes", inst.result);
      out.push_back(Dot(a, b));
      break;
    }
    case spv::Op::OpVectorTimesScalar:
    case spv::Op::OpMatrixTimesScalar: {
      Leaves a;
      ValueId scalar;
      if (!GetFloats(inst.operand(3), &a)) return false;
      if (!GetScalar(inst.operand(4), TypeOf(a[0]), &scalar)) return false;
      for (ValueId v : a) out.push_back(Emit(mir::Op::kFmul, {v, scalar}));
      break;
    }
    case spv::Op::OpMatrixTimesVector:
    case spv::Op::OpMatrixTimesMatrix:
    case spv::Op::OpVectorTimesMatrix: {
      Matrix a;
      Matrix b;
      if (!GetMatrix(inst.operand(3), &a) || !GetMatrix(inst.operand(4), &b)) return false;
      if (inst.op == spv::Op::OpVectorTimesMatrix) std::swap(a.rows, a.columns);  // a row
      if (a.columns != b.rows) return Malformed("product of unfit matrices", inst.result);
      Product(a, b, &out);
      break;
    }
    case spv::Op::OpOuterProduct: {
      Leaves a;
      Leaves b;
      if (!GetFloats(inst.operand(3), &a) || !GetFloats(inst.operand(4), &b)) return false;
      for (ValueId column : b) {
        for (ValueId row : a) out.push_back(Emit(mir::Op::kFmul, {row, column}));
      }
      break;
    }
    case spv::Op::OpTranspose: {
      Matrix a;
      if (!GetMatrix(inst.operand(3), &a)) return false;
      for (uint32_t r = 0; r < a.rows; ++r) {
        for (uint32_t c = 0; c < a.columns; ++c) out.push_back(a.at(c, r));
      }
      break;
    }
    default:
      *handled = false;
      return true;
  }
  return ok() && Define(inst, out);
}

}  // namespace kiln::front
