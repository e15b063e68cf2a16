// Marks in MIR what SPIR-V and GLSL.std.450 leave undefined, for reference executions
// (ImportOptions::mark_undefined).
//
// Compiled code may return any value there, and returns whatever its operations yield. A test that
// compares executions must know which results these are: a result becomes
//
//     select(operands are ones for which it is undefined, undef, the result otherwise)
//
// which the interpreter counts and, if requested, makes random; nothing else uses it.
//
// Sources: SPIR-V 1.6 (unified), "Instructions"; "SPIR-V Extended Instructions for GLSL" 1.00, each
// instruction's "undefined". The interpreter itself handles cases in which MIR's operations mean
// the same: division of integers by 0 and of the smallest by -1, lanes that do not exist,
// descriptors, memory before it is written, accesses beyond shared memory and private arrays,
// OpUndef. Limits: an index beyond an array, matrix or vector in a buffer reads the memory there;
// singular matrices are marked only if the determinant is 0, and overflow of Ldexp only for
// exponents that are undefined by themselves.
#include <cmath>
#include <limits>

#include "core/front/emit/emit.h"
#include "core/front/emit/inst_emitter.h"
#include "core/front/ops/matrix_math.h"

namespace kiln::front {
namespace {

class UndefinedMarker : public InstEmitter {
 public:
  using InstEmitter::InstEmitter;

  bool MarkUndefined(const SpirvInst& inst, Leaves* leaves);

 private:
  ValueId Either(ValueId a, ValueId b);
  ValueId BeyondInteger(ValueId x, mir::Type to, bool is_signed);
  bool MarkBitField(const SpirvInst& inst, size_t first, Leaves* leaves);
  bool MarkUndefinedGlsl(const SpirvInst& inst, Leaves* leaves);
  static int UndefinedOperands(GLSLstd450 op);
  ValueId NotFinite(ValueId x);
  ValueId MarkGlsl(GLSLstd450 op, const ValueId* x, ValueId value);
};

}  // namespace

using mir::Op;

ValueId UndefinedMarker::Either(ValueId a, ValueId b) {
  return a.valid() && b.valid() ? Emit(Op::kOr, {a, b}) : a.valid() ? a : b;
}

// Marks the leaves of a result before it is bound to its id.
bool UndefinedMarker::MarkUndefined(const SpirvInst& inst, Leaves* leaves) {
  if (inst.op == spv::Op::OpExtInst) return MarkUndefinedGlsl(inst, leaves);
  switch (inst.op) {
    case spv::Op::OpShiftLeftLogical:
    case spv::Op::OpShiftRightLogical:
    case spv::Op::OpShiftRightArithmetic:
    case spv::Op::OpFRem:
    case spv::Op::OpFMod:
    case spv::Op::OpConvertFToS:
    case spv::Op::OpConvertFToU: {
      const bool converts = inst.op == spv::Op::OpConvertFToS || inst.op == spv::Op::OpConvertFToU;
      Leaves operand;
      if (!Get(inst.operand(converts ? 3 : 4), &operand)) return false;
      for (size_t i = 0; i < leaves->size() && ok(); ++i) {
        ValueId& value = (*leaves)[i];
        const ValueId x = operand[i];
        if (converts) {
          value = UndefinedWhere(BeyondInteger(x, TypeOf(value), inst.op == spv::Op::OpConvertFToS),
                                 value);
        } else if (mir::IsFloat(TypeOf(x))) {
          value = UndefinedWhere(Emit(Op::kFeq, {x, FloatLike(x, 0.0f)}), value);
        } else {
          value = UndefinedBeyond(x, mir::BitsOf(TypeOf(value)), value);
        }
      }
      return ok();
    }
    case spv::Op::OpBitFieldInsert: return MarkBitField(inst, 5, leaves);
    case spv::Op::OpBitFieldSExtract:
    case spv::Op::OpBitFieldUExtract: return MarkBitField(inst, 4, leaves);
    case spv::Op::OpGroupNonUniformBallotBitExtract: {
      ValueId index;
      if (!GetIndex(inst.operand(5), &index)) return false;
      const ValueId beyond = Emit(Op::kUge, {index, builder().Emit(Op::kSubgroupSize, {})});
      (*leaves)[0] = UndefinedWhere(beyond, (*leaves)[0]);
      return ok();
    }
    case spv::Op::OpGroupNonUniformShuffleUp:
    case spv::Op::OpGroupNonUniformShuffleDown: {
      // The sum or difference may wrap to an existing lane.
      const bool up = inst.op == spv::Op::OpGroupNonUniformShuffleUp;
      ValueId delta;
      if (!GetIndex(inst.operand(5), &delta)) return false;
      const ValueId beyond = up ? Emit(Op::kUlt, {builder().SubgroupInvocation(), delta})
                                : Emit(Op::kUge, {delta, builder().Emit(Op::kSubgroupSize, {})});
      for (ValueId& value : *leaves) value = UndefinedWhere(beyond, value);
      return ok();
    }
    case spv::Op::OpGroupNonUniformBallotFindLSB:
    case spv::Op::OpGroupNonUniformBallotFindMSB: {
      const mir::Type type = TypeOf((*leaves)[0]);
      const ValueId none =
          Emit(Op::kIeq, {(*leaves)[0], builder().IntOf(type, -1)});  // EmitBallotSearch
      (*leaves)[0] = UndefinedWhere(none, (*leaves)[0]);
      return ok();
    }
    default: return true;
  }
}

// Emits a bool that is true if a float, truncated, does not fit the integer type; true for NaN.
ValueId UndefinedMarker::BeyondInteger(ValueId x, mir::Type to, bool is_signed) {
  const int bits = static_cast<int>(mir::BitsOf(to)) - (is_signed ? 1 : 0);
  const bool twice = TypeOf(x) == mir::Type::kF64;
  const ValueId f = twice ? x : ConvertFloat(x, mir::Type::kF32);
  const double end = std::ldexp(1.0, bits);
  // The largest float that is too small: the bound minus 1, or the previous float if there is none
  // between.
  const auto end_single = static_cast<float>(end);
  const double previous =
      twice ? std::nextafter(-end, -2 * end) : std::nextafter(-end_single, -2 * end_single);
  const double below = !is_signed ? -1.0 : bits < (twice ? 53 : 24) ? -end - 1.0 : previous;
  const ValueId fits = Emit(
      Op::kAnd, {Emit(Op::kFlt, {FloatLike(f, below), f}), Emit(Op::kFlt, {f, FloatLike(f, end)})});
  return Emit(Op::kNot, {fits});
}

// Marks results unless offset and count, at word `first`, and their sum lie within the operand.
bool UndefinedMarker::MarkBitField(const SpirvInst& inst, size_t first, Leaves* leaves) {
  ValueId offset, count;
  if (!GetIndex(inst.operand(first), &offset) || !GetIndex(inst.operand(first + 1), &count)) {
    return false;
  }
  for (ValueId& value : *leaves) {
    const ValueId bits = Int(mir::BitsOf(TypeOf(value)));
    ValueId beyond = Emit(Op::kUlt, {bits, Emit(Op::kIadd, {offset, count})});
    for (ValueId x : {offset, count}) beyond = Either(beyond, Emit(Op::kUlt, {bits, x}));
    value = UndefinedWhere(beyond, value);
  }
  return ok();
}

bool UndefinedMarker::MarkUndefinedGlsl(const SpirvInst& inst, Leaves* leaves) {
  const auto op = static_cast<GLSLstd450>(inst.operand(4));
  if (op == GLSLstd450MatrixInverse) {
    Matrix m;
    if (!GetMatrix(inst.operand(5), &m)) return false;
    const ValueId determinant = MatrixMath(e_).Determinant(m);
    const ValueId singular = Emit(Op::kFeq, {determinant, FloatLike(determinant, 0.0f)});
    for (ValueId& value : *leaves) value = UndefinedWhere(singular, value);
    return ok();
  }
  if (op == GLSLstd450Frexp || op == GLSLstd450FrexpStruct) {
    Leaves x;
    if (!Get(inst.operand(5), &x)) return false;
    for (size_t i = 0; i < leaves->size() && ok(); ++i) {
      (*leaves)[i] = UndefinedWhere(NotFinite(x[i % x.size()]), (*leaves)[i]);
    }
    return ok();
  }
  const int count = UndefinedOperands(op);
  Leaves operands;
  if (count == 0) return true;
  if (!Operands(inst, 5, static_cast<size_t>(count), &operands)) return false;
  const size_t n = leaves->size();
  for (size_t i = 0; i < n && ok(); ++i) {
    ValueId x[3];
    for (int k = 0; k < count; ++k) x[k] = operands[k * n + i];
    (*leaves)[i] = MarkGlsl(op, x, (*leaves)[i]);
  }
  return ok();
}

// Returns how many operands decide if a component-wise function is defined; 0: it always is.
int UndefinedMarker::UndefinedOperands(GLSLstd450 op) {
  switch (op) {
    case GLSLstd450Asin:
    case GLSLstd450Acos:
    case GLSLstd450Acosh:
    case GLSLstd450Atanh:
    case GLSLstd450Log:
    case GLSLstd450Log2:
    case GLSLstd450Sqrt:
    case GLSLstd450InverseSqrt:
    case GLSLstd450Round: return 1;
    case GLSLstd450Atan2:
    case GLSLstd450Pow:
    case GLSLstd450FMin:
    case GLSLstd450FMax:
    case GLSLstd450Ldexp: return 2;
    case GLSLstd450FClamp:
    case GLSLstd450UClamp:
    case GLSLstd450SClamp:
    case GLSLstd450NClamp:
    case GLSLstd450SmoothStep: return 3;
    default: return 0;
  }
}

ValueId UndefinedMarker::NotFinite(ValueId x) {
  const ValueId infinity = FloatLike(x, std::numeric_limits<double>::infinity());
  const ValueId magnitude = Emit(Op::kFabs, {x});
  return Emit(Op::kNot, {Emit(Op::kFlt, {magnitude, infinity})});
}

ValueId UndefinedMarker::MarkGlsl(GLSLstd450 op, const ValueId* x, ValueId value) {
  const auto is_nan = [&](ValueId v) { return Emit(Op::kFne, {v, v}); };
  const auto less = [&](ValueId a, float b) { return Emit(Op::kFlt, {a, FloatLike(a, b)}); };
  const auto equal = [&](ValueId a, float b) { return Emit(Op::kFeq, {a, FloatLike(a, b)}); };
  const auto magnitude = [&](ValueId v) { return Emit(Op::kFabs, {v}); };
  // An unspecified one of two values.
  const auto one_of = [&](ValueId where, ValueId a, ValueId b) {
    const ValueId any = Emit(Op::kSelect, {builder().Undef(mir::Type::kBool), a, b});
    return Emit(Op::kSelect, {where, any, value});
  };
  switch (op) {
    case GLSLstd450Asin:
    case GLSLstd450Acos:
      return UndefinedWhere(Emit(Op::kFlt, {FloatLike(x[0], 1.0f), magnitude(x[0])}), value);
    case GLSLstd450Acosh: return UndefinedWhere(less(x[0], 1.0f), value);
    case GLSLstd450Atanh:
      return UndefinedWhere(Emit(Op::kFge, {magnitude(x[0]), FloatLike(x[0], 1.0f)}), value);
    case GLSLstd450Sqrt: return UndefinedWhere(less(x[0], 0.0f), value);
    case GLSLstd450Log:
    case GLSLstd450Log2:
    case GLSLstd450InverseSqrt:
      return UndefinedWhere(Emit(Op::kFge, {FloatLike(x[0], 0.0f), x[0]}), value);
    case GLSLstd450Round: {  // a fraction of 0.5 may be rounded either way
      const ValueId half = equal(Emit(Op::kFfract, {x[0]}), 0.5f);
      return one_of(half, Emit(Op::kFfloor, {x[0]}), Emit(Op::kFceil, {x[0]}));
    }
    case GLSLstd450Atan2:
      return UndefinedWhere(Emit(Op::kAnd, {equal(x[0], 0.0f), equal(x[1], 0.0f)}), value);
    case GLSLstd450Pow: {
      const ValueId not_above = Emit(Op::kFge, {FloatLike(x[1], 0.0f), x[1]});
      const ValueId of_zero = Emit(Op::kAnd, {equal(x[0], 0.0f), not_above});
      return UndefinedWhere(Either(less(x[0], 0.0f), of_zero), value);
    }
    case GLSLstd450FMin:
    case GLSLstd450FMax: return one_of(Either(is_nan(x[0]), is_nan(x[1])), x[0], x[1]);
    case GLSLstd450Ldexp: {  // the range of single precision; that of halfs is smaller
      const bool wide = TypeOf(x[1]) == mir::Type::kI64;
      const ValueId exponent = wide ? x[1] : ConvertInt(x[1], mir::Type::kI32, true);
      const ValueId most =
          builder().IntOf(TypeOf(exponent), TypeOf(x[0]) == mir::Type::kF16   ? 16
                                            : TypeOf(x[0]) == mir::Type::kF32 ? 128
                                                                              : 1024);
      return UndefinedWhere(Emit(Op::kSlt, {most, exponent}), value);
    }
    case GLSLstd450FClamp: {
      const ValueId nan = Either(is_nan(x[0]), Either(is_nan(x[1]), is_nan(x[2])));
      return UndefinedWhere(Emit(Op::kFlt, {x[2], x[1]}), one_of(nan, x[0], x[2]));
    }
    case GLSLstd450NClamp: return UndefinedWhere(Emit(Op::kFlt, {x[2], x[1]}), value);
    case GLSLstd450UClamp: return UndefinedWhere(Emit(Op::kUlt, {x[2], x[1]}), value);
    case GLSLstd450SClamp: return UndefinedWhere(Emit(Op::kSlt, {x[2], x[1]}), value);
    case GLSLstd450SmoothStep: return UndefinedWhere(Emit(Op::kFge, {x[0], x[1]}), value);
    default: return value;
  }
}

bool MarkUndefined(ImportContext& c, const SpirvInst& inst, Leaves* leaves) {
  return UndefinedMarker(c).MarkUndefined(inst, leaves);
}

}  // namespace kiln::front
