// Dot products and matrix algebra (matrix_math.h).
#include "core/front/emit/emit.h"
#include "core/front/emit/inst_emitter.h"
#include "core/front/ops/matrix_math.h"

namespace kiln::front {
namespace {

class MatrixEmitter : public InstEmitter {
 public:
  using InstEmitter::InstEmitter;

  bool EmitMatrix(const SpirvInst& inst, bool* handled);
};

}  // namespace

bool MatrixEmitter::EmitMatrix(const SpirvInst& inst, bool* handled) {
  *handled = true;
  Leaves out;
  switch (inst.op) {
    case spv::Op::OpDot: {
      Leaves a;
      Leaves b;
      if (!GetFloats(inst.operand(3), &a) || !GetFloats(inst.operand(4), &b)) return false;
      if (a.size() != b.size())
        return Malformed("dot product of vectors of different sizes", inst.result);
      out.push_back(MatrixMath(e_).Dot(a, b));
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
      if (a.columns != b.rows)
        return Malformed("product of matrices whose sizes do not match", inst.result);
      MatrixMath(e_).Product(a, b, &out);
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
    default: *handled = false; return true;
  }
  return ok() && Define(inst, out);
}

bool EmitMatrix(ImportContext& c, const SpirvInst& inst, bool* handled) {
  return MatrixEmitter(c).EmitMatrix(inst, handled);
}

}  // namespace kiln::front
