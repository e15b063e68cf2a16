// Emits GLSL.std.450: dispatch, and the simple functions. glsl_math.cc has the transcendental
// functions that hardware lacks.
//
// Formulas are those of the GLSL.std.450 specification; precision is as Vulkan's "Precision and
// operation of SPIR-V instructions" requires (mostly: inherited from these formulas). This holds
// for halfs too: dot, length, distance and normalize are their formulas in half precision, and a
// sum of squares beyond 65504 is infinite there. Vulkan requires no more, and Mesa computes the
// same (its builders for them keep the operands' width); scaling would cost the time that the
// shader saves by using halfs.
#include <iterator>

#include "core/front/check/coverage.h"
#include "core/front/emit/emit.h"
#include "core/front/emit/inst_emitter.h"
#include "core/front/ops/glsl_math.h"
#include "core/front/ops/matrix_math.h"

namespace kiln::front {
namespace {

struct DirectRow {
  GLSLstd450 glsl;
  mir::Op mir;
  int operands;
};

constexpr DirectRow kDirect[] = {
    {GLSLstd450Round, mir::Op::kFroundEven, 1},  // may round ties either way
    {GLSLstd450RoundEven, mir::Op::kFroundEven, 1},
    {GLSLstd450Trunc, mir::Op::kFtrunc, 1},
    {GLSLstd450FAbs, mir::Op::kFabs, 1},
    {GLSLstd450SAbs, mir::Op::kIabs, 1},
    {GLSLstd450FSign, mir::Op::kFsign, 1},
    {GLSLstd450SSign, mir::Op::kIsign, 1},
    {GLSLstd450Floor, mir::Op::kFfloor, 1},
    {GLSLstd450Ceil, mir::Op::kFceil, 1},
    {GLSLstd450Fract, mir::Op::kFfract, 1},
    {GLSLstd450Sin, mir::Op::kFsin, 1},
    {GLSLstd450Cos, mir::Op::kFcos, 1},
    {GLSLstd450Exp2, mir::Op::kFexp2, 1},
    {GLSLstd450Log2, mir::Op::kFlog2, 1},
    {GLSLstd450Sqrt, mir::Op::kFsqrt, 1},
    {GLSLstd450FindILsb, mir::Op::kFindLsb, 1},
    {GLSLstd450FindSMsb, mir::Op::kFindSmsb, 1},
    {GLSLstd450FindUMsb, mir::Op::kFindUmsb, 1},
    {GLSLstd450Pow, mir::Op::kFpow, 2},
    {GLSLstd450FMin, mir::Op::kFmin, 2},
    {GLSLstd450UMin, mir::Op::kUmin, 2},
    {GLSLstd450SMin, mir::Op::kImin, 2},
    {GLSLstd450FMax, mir::Op::kFmax, 2},
    {GLSLstd450UMax, mir::Op::kUmax, 2},
    {GLSLstd450SMax, mir::Op::kImax, 2},
    {GLSLstd450NMin, mir::Op::kFmin, 2},
    {GLSLstd450NMax, mir::Op::kFmax, 2},
    {GLSLstd450Fma, mir::Op::kFfma, 3},
};

// Returns the operand counts of the component-wise functions that are expanded.
int ExpandedOperands(GLSLstd450 op) {
  switch (op) {
    case GLSLstd450InverseSqrt:
    case GLSLstd450Radians:
    case GLSLstd450Degrees:
    case GLSLstd450Tan:
    case GLSLstd450Asin:
    case GLSLstd450Acos:
    case GLSLstd450Atan:
    case GLSLstd450Sinh:
    case GLSLstd450Cosh:
    case GLSLstd450Tanh:
    case GLSLstd450Asinh:
    case GLSLstd450Acosh:
    case GLSLstd450Atanh:
    case GLSLstd450Exp:
    case GLSLstd450Log: return 1;
    case GLSLstd450Atan2:
    case GLSLstd450Step:
    case GLSLstd450Ldexp: return 2;
    case GLSLstd450FClamp:
    case GLSLstd450UClamp:
    case GLSLstd450SClamp:
    case GLSLstd450NClamp:
    case GLSLstd450FMix:
    case GLSLstd450SmoothStep: return 3;
    default: return 0;
  }
}

// Returns true for functions expanded with constants and formulas for single precision.
bool NeedsSingle(GLSLstd450 op) {
  if (op == GLSLstd450InverseSqrt) return false;
  return ExpandedOperands(op) == 1 || op == GLSLstd450Atan2 || op == GLSLstd450Ldexp;
}

bool FindsBit(mir::Op op) {
  return op == mir::Op::kFindLsb || op == mir::Op::kFindSmsb || op == mir::Op::kFindUmsb;
}

class GlslEmitter : public InstEmitter {
 public:
  using InstEmitter::InstEmitter;

  bool EmitExtInst(const SpirvInst& inst);

 private:
  ValueId GlslUnary(GLSLstd450 op, ValueId x);
  ValueId GlslBinary(GLSLstd450 op, ValueId x, ValueId y);
  ValueId GlslTernary(GLSLstd450 op, ValueId x, ValueId y, ValueId z);
  bool EmitGlslElementwise(const SpirvInst& inst, GLSLstd450 op, bool* handled);
  bool EmitGlslVector(const SpirvInst& inst, GLSLstd450 op, bool* handled);
  bool EmitRefract(const SpirvInst& inst);
  ValueId PackNorm(ValueId x, uint32_t bits, bool is_signed);
  ValueId UnpackNorm(ValueId word, uint32_t shift, uint32_t bits, bool is_signed);
  bool EmitGlslPack(const SpirvInst& inst, GLSLstd450 op, bool* handled);
  bool EmitPackDouble(const SpirvInst& inst);
  bool EmitGlslParts(const SpirvInst& inst, GLSLstd450 op, bool* handled);
  bool EmitInverse(const SpirvInst& inst);

  const GlslMath math_{e_};
  const MatrixMath matrices_{e_};
};

}  // namespace

bool GlslEmitter::EmitExtInst(const SpirvInst& inst) {
  const ExtInstSet set = spirv().InstSet(inst.operand(3));
  if (set == ExtInstSet::kTrinary) return EmitTrinary(c_, inst);
  if (set == ExtInstSet::kVendorBallot) return EmitVendorBallot(c_, inst);
  if (set == ExtInstSet::kGcn) return EmitGcn(c_, inst);
  if (set != ExtInstSet::kGlsl450) {
    if (spirv().Def(inst.operand(3)).kind != SpirvDef::kExtInstSet) {
      return Malformed("extended instruction of an unknown set", inst.result);
    }
    return Refuse("extended_instructions", "instruction of another set", inst.result);
  }
  const uint32_t number = inst.operand(4);
  // The enum's type holds only values in the range of its enumerators.
  const auto op = number < GLSLstd450Count ? static_cast<GLSLstd450>(number) : GLSLstd450Bad;
  const std::string_view cause = CauseOf(op);
  if (!cause.empty()) {
    return Refuse(cause, NamedRow("GLSL.std.450", "glsl_std_450", number), inst.result);
  }
  switch (op) {
    case GLSLstd450InterpolateAtCentroid:
      return EmitInterpolate(c_, inst, mir::InterpolateAt::kCentroid);
    case GLSLstd450InterpolateAtSample:
      return EmitInterpolate(c_, inst, mir::InterpolateAt::kSample);
    case GLSLstd450InterpolateAtOffset:
      return EmitInterpolate(c_, inst, mir::InterpolateAt::kOffset);
    default: break;
  }
  bool handled = false;
  if (!EmitGlslElementwise(inst, op, &handled) || handled) return ok();
  if (!EmitGlslVector(inst, op, &handled) || handled) return ok();
  if (!EmitGlslPack(inst, op, &handled) || handled) return ok();
  if (!EmitGlslParts(inst, op, &handled) || handled) return ok();
  return Refuse("extended_instructions", NamedRow("GLSL.std.450", "glsl_std_450", number),
                inst.result);
}

ValueId GlslEmitter::GlslUnary(GLSLstd450 op, ValueId x) {
  using mir::Op;
  switch (op) {
    case GLSLstd450InverseSqrt: return InverseSqrt(x);
    case GLSLstd450Radians: return Emit(Op::kFmul, {x, Float(0.017453292519943295f)});
    case GLSLstd450Degrees: return Emit(Op::kFmul, {x, Float(57.29577951308232f)});
    case GLSLstd450Tan: return Emit(Op::kFdiv, {Emit(Op::kFsin, {x}), Emit(Op::kFcos, {x})});
    case GLSLstd450Asin: return math_.Asin(x);
    case GLSLstd450Acos: return math_.Acos(x);
    case GLSLstd450Atan: return math_.Atan(x);
    case GLSLstd450Sinh: return math_.Sinh(x);
    case GLSLstd450Cosh:
      return Emit(Op::kFmul,
                  {Emit(Op::kFadd, {math_.Exp(x), math_.Exp(Emit(Op::kFneg, {x}))}), Float(0.5f)});
    case GLSLstd450Tanh: return math_.Tanh(x);
    case GLSLstd450Asinh: return math_.Asinh(x);
    case GLSLstd450Acosh: {
      const ValueId root =
          Emit(Op::kFsqrt, {Emit(Op::kFsub, {Emit(Op::kFmul, {x, x}), Float(1.0f)})});
      return math_.Log(Emit(Op::kFadd, {x, root}));
    }
    case GLSLstd450Atanh: {
      const ValueId ratio =
          Emit(Op::kFdiv, {Emit(Op::kFadd, {Float(1.0f), x}), Emit(Op::kFsub, {Float(1.0f), x})});
      return Emit(Op::kFmul, {math_.Log(ratio), Float(0.5f)});
    }
    case GLSLstd450Exp: return math_.Exp(x);
    default: return math_.Log(x);
  }
}

ValueId GlslEmitter::GlslBinary(GLSLstd450 op, ValueId x, ValueId y) {
  using mir::Op;
  switch (op) {
    case GLSLstd450Atan2: return math_.Atan2(x, y);
    case GLSLstd450Step:
      return Emit(Op::kSelect, {Emit(Op::kFlt, {y, x}), FloatLike(x, 0.0f), FloatLike(x, 1.0f)});
    default: return math_.Ldexp(x, y);
  }
}

ValueId GlslEmitter::GlslTernary(GLSLstd450 op, ValueId x, ValueId y, ValueId z) {
  using mir::Op;
  switch (op) {
    case GLSLstd450FClamp:
    case GLSLstd450NClamp: return Emit(Op::kFmin, {Emit(Op::kFmax, {x, y}), z});
    case GLSLstd450UClamp: return Emit(Op::kUmin, {Emit(Op::kUmax, {x, y}), z});
    case GLSLstd450SClamp: return Emit(Op::kImin, {Emit(Op::kImax, {x, y}), z});
    case GLSLstd450FMix: {
      // x (1 - z) + y z. Evaluated as written, infinities stay infinite and -0 stays -0; otherwise
      // in an order in which both products can be parts of multiply-adds.
      if (Keeps(TypeOf(x),
                mir::kKeepInf | mir::kKeepZeroSign | mir::kNoReassociation | mir::kNoTransform)) {
        const ValueId rest = Emit(Op::kFsub, {FloatLike(z, 1.0f), z});
        return Emit(Op::kFadd, {Emit(Op::kFmul, {x, rest}), Emit(Op::kFmul, {y, z})});
      }
      const ValueId rest = Emit(Op::kFsub, {x, Emit(Op::kFmul, {x, z})});
      return Emit(Op::kFadd, {rest, Emit(Op::kFmul, {y, z})});
    }
    default: {  // SmoothStep: edge0 x, edge1 y, x z
      const ValueId ratio = Emit(Op::kFdiv, {Emit(Op::kFsub, {z, x}), Emit(Op::kFsub, {y, x})});
      const ValueId t = Emit(Op::kFsaturate, {ratio});
      const ValueId slope =
          Emit(Op::kFsub, {FloatLike(t, 3.0f), Emit(Op::kFmul, {FloatLike(t, 2.0f), t})});
      return Emit(Op::kFmul, {Emit(Op::kFmul, {t, t}), slope});
    }
  }
}

bool GlslEmitter::EmitGlslElementwise(const SpirvInst& inst, GLSLstd450 op, bool* handled) {
  const DirectRow* direct = nullptr;
  for (const DirectRow& row : kDirect) {
    if (row.glsl == op) direct = &row;
  }
  const int count = direct != nullptr ? direct->operands : ExpandedOperands(op);
  *handled = count != 0;
  if (count == 0) return true;
  Leaves operands;
  if (!Operands(inst, 5, static_cast<size_t>(count), &operands)) return false;
  const size_t n = operands.size() / count;
  Leaves leaves;
  for (size_t i = 0; i < n && ok(); ++i) {
    ValueId x[3];
    for (int k = 0; k < count; ++k) x[k] = operands[k * n + i];
    // Functions that are expanded into series are computed in single precision.
    const bool widen = TypeOf(x[0]) == mir::Type::kF16 && NeedsSingle(op);
    if (widen) {
      for (int k = 0; k < count; ++k) {
        if (TypeOf(x[k]) == mir::Type::kF16) x[k] = ConvertFloat(x[k], mir::Type::kF32);
      }
    }
    ValueId value;
    if (direct != nullptr) {
      value = Emit(direct->mir, absl::MakeConstSpan(x, count));
      // Bit positions have the operand's width; -1 stays -1.
      if (FindsBit(direct->mir) && ok()) value = ConvertInt(value, TypeOf(x[0]), true);
    } else if (count == 1) {
      value = GlslUnary(op, x[0]);
    } else if (count == 2) {
      if (op == GLSLstd450Ldexp && !mir::IsInt(TypeOf(x[1]))) {
        return Malformed("exponent is not an integer", inst.result);
      }
      value = GlslBinary(op, x[0], x[1]);
    } else {
      value = GlslTernary(op, x[0], x[1], x[2]);
    }
    leaves.push_back(widen && ok() ? ConvertFloat(value, mir::Type::kF16) : value);
  }
  return ok() && Define(inst, leaves);
}

bool GlslEmitter::EmitGlslVector(const SpirvInst& inst, GLSLstd450 op, bool* handled) {
  using mir::Op;
  *handled = true;
  Leaves a;
  Leaves b;
  Leaves c;
  Leaves out;
  const bool two = op == GLSLstd450Distance || op == GLSLstd450Cross ||
                   op == GLSLstd450FaceForward || op == GLSLstd450Reflect;
  switch (op) {
    case GLSLstd450Length:
    case GLSLstd450Distance:
    case GLSLstd450Cross:
    case GLSLstd450Normalize:
    case GLSLstd450FaceForward:
    case GLSLstd450Reflect: break;
    case GLSLstd450Refract: return EmitRefract(inst);
    default: *handled = false; return true;
  }
  if (!GetFloats(inst.operand(5), &a)) return false;
  if (two && !GetFloats(inst.operand(6), &b)) return false;
  if (op == GLSLstd450FaceForward && !GetFloats(inst.operand(7), &c)) return false;
  if ((two && a.size() != b.size()) || (!c.empty() && a.size() != c.size()) ||
      (op == GLSLstd450Cross && a.size() != 3)) {
    return Malformed("operands differ in number of components", inst.result);
  }
  if (op == GLSLstd450Distance) {
    for (size_t i = 0; i < a.size(); ++i) a[i] = Emit(Op::kFsub, {a[i], b[i]});
  }
  if (op == GLSLstd450Length || op == GLSLstd450Distance) {
    out.push_back(a.size() == 1 ? Emit(Op::kFabs, {a[0]})
                                : Emit(Op::kFsqrt, {matrices_.Dot(a, a)}));
  } else if (op == GLSLstd450Normalize) {
    // A normalised scalar is its sign, except for a NaN or infinity.
    if (a.size() == 1 && !Keeps(TypeOf(a[0]), mir::kKeepNan | mir::kKeepInf)) {
      out.push_back(math_.WithSign(FloatLike(a[0], 1.0f), a[0]));
    } else {
      const ValueId scale = InverseSqrt(matrices_.Dot(a, a));
      for (ValueId v : a) out.push_back(Emit(Op::kFmul, {v, scale}));
    }
  } else if (op == GLSLstd450Cross) {
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3;
      const int k = (i + 2) % 3;
      out.push_back(
          Emit(Op::kFsub, {Emit(Op::kFmul, {a[j], b[k]}), Emit(Op::kFmul, {b[j], a[k]})}));
    }
  } else if (op == GLSLstd450FaceForward) {  // N, I, Nref
    const ValueId keep = Emit(Op::kFlt, {matrices_.Dot(c, b), FloatLike(a[0], 0.0f)});
    for (ValueId v : a) out.push_back(Emit(Op::kSelect, {keep, v, Emit(Op::kFneg, {v})}));
  } else {  // I - 2 dot(N, I) N
    const ValueId twice = Emit(Op::kFmul, {FloatLike(a[0], 2.0f), matrices_.Dot(b, a)});
    for (size_t i = 0; i < a.size(); ++i) {
      out.push_back(Emit(Op::kFsub, {a[i], Emit(Op::kFmul, {twice, b[i]})}));
    }
  }
  return ok() && Define(inst, out);
}

bool GlslEmitter::EmitRefract(const SpirvInst& inst) {
  using mir::Op;
  Leaves i;
  Leaves n;
  ValueId eta;
  if (!GetFloats(inst.operand(5), &i) || !GetFloats(inst.operand(6), &n)) return false;
  if (!GetScalar(inst.operand(7), TypeOf(i[0]), &eta)) return false;
  if (i.size() != n.size())
    return Malformed("operands differ in number of components", inst.result);
  const ValueId d = matrices_.Dot(n, i);
  const ValueId one = FloatLike(d, 1.0f);
  const ValueId rest = Emit(Op::kFsub, {one, Emit(Op::kFmul, {d, d})});
  const ValueId k = Emit(Op::kFsub, {one, Emit(Op::kFmul, {Emit(Op::kFmul, {eta, eta}), rest})});
  const ValueId total = Emit(Op::kFlt, {k, FloatLike(k, 0.0f)});
  const ValueId scale = Emit(Op::kFadd, {Emit(Op::kFmul, {eta, d}), Emit(Op::kFsqrt, {k})});
  Leaves out;
  for (size_t c = 0; c < i.size(); ++c) {
    const ValueId ray =
        Emit(Op::kFsub, {Emit(Op::kFmul, {eta, i[c]}), Emit(Op::kFmul, {scale, n[c]})});
    out.push_back(Emit(Op::kSelect, {total, FloatLike(ray, 0.0f), ray}));
  }
  return ok() && Define(inst, out);
}

// ---- Packing ----

// round(x * (2^n - 1)) in the low `bits` bits; signed: n = bits - 1, and x from [-1, 1].
ValueId GlslEmitter::PackNorm(ValueId x, uint32_t bits, bool is_signed) {
  using mir::Op;
  const auto scale = static_cast<float>((1u << (is_signed ? bits - 1 : bits)) - 1);
  const ValueId clamped = is_signed
                              ? Emit(Op::kFmin, {Emit(Op::kFmax, {x, Float(-1.0f)}), Float(1.0f)})
                              : Emit(Op::kFsaturate, {x});
  const ValueId rounded = Emit(Op::kFroundEven, {Emit(Op::kFmul, {clamped, Float(scale)})});
  if (!is_signed) return Emit(Op::kF2u, {rounded});
  return Emit(Op::kAnd, {Emit(Op::kF2i, {rounded}), Int((1u << bits) - 1)});
}

// Multiplying by the rounded reciprocal is exact at 0 and 1 and within 1.5 ulp elsewhere.
ValueId GlslEmitter::UnpackNorm(ValueId word, uint32_t shift, uint32_t bits, bool is_signed) {
  using mir::Op;
  const float scale = 1.0f / static_cast<float>((1u << (is_signed ? bits - 1 : bits)) - 1);
  if (!is_signed) {
    const ValueId field = Emit(Op::kUbitfieldExtract, {word, Int(shift), Int(bits)});
    return Emit(Op::kFmul, {Emit(Op::kU2f, {field}), Float(scale)});
  }
  const ValueId field = Emit(Op::kSbitfieldExtract, {word, Int(shift), Int(bits)});
  const ValueId scaled = Emit(Op::kFmul, {Emit(Op::kI2f, {field}), Float(scale)});
  return Emit(Op::kFmax, {scaled, Float(-1.0f)});
}

bool GlslEmitter::EmitGlslPack(const SpirvInst& inst, GLSLstd450 op, bool* handled) {
  using mir::Op;
  *handled = true;
  bool pack = true;
  bool half = false;
  bool is_signed = false;
  uint32_t bits = 16;
  switch (op) {
    case GLSLstd450PackSnorm4x8:
      is_signed = true;
      bits = 8;
      break;
    case GLSLstd450PackUnorm4x8: bits = 8; break;
    case GLSLstd450PackSnorm2x16: is_signed = true; break;
    case GLSLstd450PackUnorm2x16: break;
    case GLSLstd450PackHalf2x16: half = true; break;
    case GLSLstd450UnpackSnorm4x8:
      pack = false;
      is_signed = true;
      bits = 8;
      break;
    case GLSLstd450UnpackUnorm4x8:
      pack = false;
      bits = 8;
      break;
    case GLSLstd450UnpackSnorm2x16:
      pack = false;
      is_signed = true;
      break;
    case GLSLstd450UnpackUnorm2x16: pack = false; break;
    case GLSLstd450UnpackHalf2x16:
      pack = false;
      half = true;
      break;
    case GLSLstd450PackDouble2x32:
      NeedDoubles(mir::DoubleUse::kPack, inst.result);
      return EmitPackDouble(inst);
    case GLSLstd450UnpackDouble2x32:
      NeedDoubles(mir::DoubleUse::kUnpack, inst.result);
      return EmitPackDouble(inst);
    default: *handled = false; return true;
  }
  const uint32_t parts = 32 / bits;
  Leaves in;
  Leaves out;
  if (!Get(inst.operand(5), &in)) return false;
  if (in.size() != (pack ? parts : 1))
    return Malformed("operand has the wrong number of components", inst.result);
  for (uint32_t i = 0; i < parts; ++i) {
    if (pack) {
      const ValueId field = half ? Emit(Op::kF2f16, {in[i]}) : PackNorm(in[i], bits, is_signed);
      const ValueId placed = i == 0 ? field : Emit(Op::kShl, {field, Int(i * bits)});
      if (i == 0) {
        out.push_back(placed);
      } else {
        out[0] = Emit(Op::kOr, {out[0], placed});
      }
    } else if (half) {
      const ValueId field =
          i == 0 ? Emit(Op::kAnd, {in[0], Int(0xffff)}) : Emit(Op::kUshr, {in[0], Int(16)});
      out.push_back(Emit(Op::kF16f, {field}));
    } else {
      out.push_back(UnpackNorm(in[0], i * bits, bits, is_signed));
    }
  }
  return ok() && Define(inst, out);
}

// Emits a double from two dwords, or the dwords of one.
bool GlslEmitter::EmitPackDouble(const SpirvInst& inst) {
  using mir::Op;
  Leaves in;
  if (!Get(inst.operand(5), &in)) return false;
  const bool pack = in.size() == 2;
  if (in.size() > 2 || TypeOf(in[0]) != (pack ? mir::Type::kI32 : mir::Type::kF64)) {
    return Malformed("operand has another type", inst.result);
  }
  if (pack) return Define(inst, {Emit(Op::kPackF64, {in[0], in[1]})});
  return Define(inst, {Emit(Op::kF64Low, {in[0]}), Emit(Op::kF64High, {in[0]})});
}

// ---- Functions with two results, and matrices ----

bool GlslEmitter::EmitGlslParts(const SpirvInst& inst, GLSLstd450 op, bool* handled) {
  using mir::Op;
  *handled = true;
  const bool modf = op == GLSLstd450Modf || op == GLSLstd450ModfStruct;
  const bool frexp = op == GLSLstd450Frexp || op == GLSLstd450FrexpStruct;
  if (op == GLSLstd450Determinant) {
    Matrix m;
    if (!GetMatrix(inst.operand(5), &m)) return false;
    if (m.columns != m.rows)
      return Malformed("determinant of a matrix that is not square", inst.result);
    return Define(inst, {matrices_.Determinant(m)});
  }
  if (op == GLSLstd450MatrixInverse) return EmitInverse(inst);
  if (!modf && !frexp) {
    *handled = false;
    return true;
  }
  Leaves in;
  if (!GetFloats(inst.operand(5), &in)) return false;
  Leaves first;
  Leaves second;
  for (ValueId x : in) {
    ValueId a;
    ValueId b;
    if (modf) {
      b = Emit(Op::kFtrunc, {x});
      a = Emit(Op::kFsub, {x, b});
    } else {
      const bool half = TypeOf(x) == mir::Type::kF16;
      math_.Frexp(half ? ConvertFloat(x, mir::Type::kF32) : x, &a, &b);
      if (ok() && half) a = ConvertFloat(a, TypeOf(x));
    }
    first.push_back(a);
    second.push_back(b);
  }
  if (op == GLSLstd450ModfStruct || op == GLSLstd450FrexpStruct) {
    const std::vector<mir::Type>& types = LeafTypes(inst.type);
    if (frexp && types.size() == 2 * second.size() && mir::IsInt(types.back())) {
      for (ValueId& b : second) b = ConvertInt(b, types.back(), true);
    }
    first.insert(first.end(), second.begin(), second.end());
    return ok() && Define(inst, first);
  }
  Pointer pointer;
  if (!GetPointer(inst.operand(6), &pointer)) return false;
  const SpirvType* type = Supported(pointer.type);
  if (type == nullptr) return false;
  const std::vector<mir::Type>& types = LeafTypes(pointer.type);
  if (!ok() || types.size() != second.size() ||
      (modf ? types[0] != TypeOf(second[0]) : !mir::IsInt(types[0]))) {
    return Malformed("pointer does not point to the result's type", inst.result);
  }
  if (frexp) {
    for (ValueId& b : second) b = ConvertInt(b, types[0], true);
  }
  return ok() && StoreTo(c_, pointer, second) && Define(inst, first);
}

bool GlslEmitter::EmitInverse(const SpirvInst& inst) {
  Matrix m;
  if (!GetMatrix(inst.operand(5), &m)) return false;
  if (m.columns != m.rows) return Malformed("inverse of a matrix that is not square", inst.result);
  Leaves out;
  matrices_.Inverse(m, &out);
  return ok() && Define(inst, out);
}

bool EmitExtInst(ImportContext& c, const SpirvInst& inst) {
  return GlslEmitter(c).EmitExtInst(inst);
}

}  // namespace kiln::front
