// Arithmetic of random modules: the ops that are drawn, and the limits on their operands that keep
// results defined.
#include "core/oracle/generator.h"

#include <string_view>
#include <vector>

namespace kiln::oracle::random_modules {

bool Generator::Allowed(Op op) const {
  const OpInfo& info = Info(op);
  if (!info.Has('P') || info.sources <= 0 || info.results != 1 || op == Op::kBitcast) {
    return op == Op::kBitcast && options_.floats && !options_.defined_only;
  }
  if (!options_.floats && info.signature.find_first_of("fs") != std::string_view::npos)
    return false;
  if (info.signature.find_first_of("jg") != std::string_view::npos) return false;
  switch (op) {
    case Op::kFrsq:
    case Op::kFexp2:
    case Op::kFlog2:
    case Op::kFsin:
    case Op::kFcos:
    case Op::kFpow: return false;
    case Op::kFdiv:
    case Op::kFsqrt: return !options_.defined_only || options_.doubles;
    case Op::kFrcp:
    case Op::kFrem:
    case Op::kFmod:
    case Op::kFsign: return !options_.defined_only;
    default: return true;
  }
}

// Returns a type of floats that the op takes.
Type Generator::FloatOf(Op op) {
  const bool exact_of_doubles = op == Op::kFdiv || op == Op::kFsqrt;
  if (options_.defined_only && exact_of_doubles) return Type::kF64;
  const Type type = AnyFloat();
  return type == Type::kF64 && Info(op).Has('L') ? Type::kF32 : type;
}

void Generator::Arithmetic() {
  if (options_.types && random_.OneIn(5)) return Conversion();
  Op op;
  do {
    op = static_cast<Op>(random_.Below(kDrawnOps));
  } while (!Allowed(op));
  const std::string_view signature = Info(op).signature;
  const Type any = AnyArithmetic();
  const Type number = AnyInteger();
  const Type integer_or_bool = random_.OneIn(4) ? Type::kBool : number;
  const Type real = FloatOf(op);
  std::vector<ValueId> sources;
  for (char c : signature.substr(signature.find('=') + 1)) {
    sources.push_back(Pick(c == 'u'           ? Type::kI32
                           : c == 'i'         ? number
                           : c == 's'         ? Type::kF32
                           : c == 'f'         ? real
                           : c == 'b'         ? Type::kBool
                           : c == 'n'         ? integer_or_bool
                           : c == 't'         ? any
                           : random_.OneIn(2) ? Type::kI32
                                              : Type::kF32));
  }
  if (options_.defined_only) Confine(op, sources);
  const ValueId result = b_.Emit(op, sources);
  Define(result);
  if (signature.find('f') != std::string_view::npos) TakeLicences(InstId(m_.value(result).owner));
}

// Sets flags that forbid float transformations: all of them if results must be exact, else random
// ones on a quarter of the instructions. These follow from the instruction's index rather than from
// random_, so that the rest of the program does not depend on them.
void Generator::TakeLicences(InstId id) {
  mir::Inst& inst = m_.inst(id);
  Random random(id.index);
  if (!options_.defined_only) {
    if (random.OneIn(4)) inst.flags |= random.Next() & kExact;
  } else if (mir::IsFloat(m_.value(m_.result(id)).type)) {
    inst.flags |= kExact;
  }
}

// Returns the double, or 0 for a NaN, whose bits targets choose.
ValueId Generator::NumberOrZero(ValueId v) { return b_.Select(b_.Feq(v, v), v, b_.Double(0)); }

void Generator::DoubleConversion() {
  const Type integer = AnyInteger();
  const bool is_signed = random_.OneIn(2);
  switch (random_.Below(7)) {
    case 0:
    case 1: return Define(b_.Convert(is_signed ? Op::kI2f : Op::kU2f, Pick(integer), Type::kF64));
    case 2: return Define(b_.Convert(is_signed ? Op::kF2i : Op::kF2u, Pick(Type::kF64), integer));
    case 3: return Define(b_.Convert(Op::kF2f, Pick(Type::kF32), Type::kF64));
    case 4: return Define(b_.Convert(Op::kF2f, Pick(Type::kF64), Type::kF32));
    case 5: return Define(b_.PackF64(Pick(Type::kI32), Pick(Type::kI32)));
    default:
      return Define(is_signed ? b_.Bitcast(Pick(Type::kI64))
                              : b_.Bitcast(NumberOrZero(Pick(Type::kF64))));
  }
}

void Generator::Conversion() {
  if (options_.doubles && random_.OneIn(2)) return DoubleConversion();
  const Type from = AnyInteger(), to = AnyInteger();
  const ValueId v = Pick(from);
  if (BitsOf(from) < BitsOf(to)) {
    Define(b_.Convert(random_.OneIn(2) ? Op::kZext : Op::kSext, v, to));
  } else if (BitsOf(from) > BitsOf(to)) {
    Define(b_.Convert(Op::kTrunc, v, to));
  } else if (options_.floats) {
    Define(b_.Convert(random_.OneIn(2) ? Op::kI2f : Op::kU2f, v, Type::kF32));
  }
}

// Confines operands: small positive divisors, offsets and counts of bit fields below half of the
// width, no half of a NaN, and positive zeros for conversions to half.
void Generator::Confine(Op op, std::vector<ValueId>& sources) {
  const Type type = sources.empty() ? Type::kI32 : m_.value(sources[0]).type;
  switch (op) {
    case Op::kUdiv:
    case Op::kSdiv:
    case Op::kUrem:
    case Op::kSrem:
    case Op::kSmod:
      sources[1] = b_.Or(b_.And(sources[1], b_.Constant(type, BitsOf(type) == 8 ? 127 : 255)),
                         b_.Constant(type, 1));
      break;
    case Op::kF2f16:  // the bits of a NaN and the sign of a maximum of zeros are open
      sources[0] = b_.Emit(Op::kFmax, {sources[0], b_.Float(-65504)});
      sources[0] = b_.Select(b_.Feq(sources[0], b_.Float(0)), b_.Float(0), sources[0]);
      break;
    case Op::kBitfieldInsert:
    case Op::kUbitfieldExtract:
    case Op::kSbitfieldExtract:
      for (size_t i = sources.size() - 2; i < sources.size(); ++i) {
        sources[i] = b_.And(sources[i], b_.Int(BitsOf(type) / 2 - 1));
      }
      break;
    default: break;
  }
}

}  // namespace kiln::oracle::random_modules
