// Hardware codes, see codes.h.
#include "core/intel/isa/codes.h"

namespace kiln::intel::isa {
namespace {

struct TypeRow {
  Type type;
  int code;
  bool reg;
  bool imm;
};

constexpr TypeRow kGen12Types[] = {
    {Type::kUB, 0, true, false}, {Type::kUW, 1, true, true},  {Type::kUD, 2, true, true},
    {Type::kUQ, 3, true, true},  {Type::kB, 4, true, false},  {Type::kW, 5, true, true},
    {Type::kD, 6, true, true},   {Type::kQ, 7, true, true},   {Type::kHF, 9, true, true},
    {Type::kF, 10, true, true},  {Type::kDF, 11, true, true}, {Type::kUV, 0, false, true},
    {Type::kV, 4, false, true},  {Type::kVF, 8, false, true},
};

constexpr struct {
  Arf arf;
  int code;
} kArfs[] = {
    {Arf::kNull, 0}, {Arf::kAddress, 1}, {Arf::kAccumulator, 2}, {Arf::kFlag, 3},
    {Arf::kMask, 4}, {Arf::kState, 7},   {Arf::kControl, 8},     {Arf::kNotification, 9},
    {Arf::kIp, 10},  {Arf::kTdr, 11},    {Arf::kTimestamp, 12},
};

}  // namespace

std::optional<int> Gen12TypeCode(Type type, bool immediate) {
  for (const TypeRow& row : kGen12Types) {
    if (row.type == type && (immediate ? row.imm : row.reg)) return row.code;
  }
  return std::nullopt;
}

std::optional<Type> Gen12TypeFromCode(int code, bool immediate) {
  for (const TypeRow& row : kGen12Types) {
    if (row.code == code && (immediate ? row.imm : row.reg)) return row.type;
  }
  return std::nullopt;
}

std::optional<int> Gen12TernaryTypeCode(Type type) {
  switch (type) {
    case Type::kUB:
      return 0;
    case Type::kUW:
    case Type::kHF:
      return 1;
    case Type::kUD:
    case Type::kF:
      return 2;
    case Type::kB:
      return 4;
    case Type::kW:
      return 5;
    case Type::kD:
      return 6;
    default:
      return std::nullopt;
  }
}

std::optional<Type> Gen12TernaryTypeFromCode(int code, bool is_float) {
  for (Type type :
       {Type::kUB, Type::kUW, Type::kHF, Type::kUD, Type::kF, Type::kB, Type::kW, Type::kD}) {
    if (IsFloat(type) == is_float && Gen12TernaryTypeCode(type) == code) return type;
  }
  return std::nullopt;
}

std::optional<int> ArfCode(Arf arf) {
  for (const auto& row : kArfs) {
    if (row.arf == arf) return row.code;
  }
  return std::nullopt;
}

std::optional<Arf> ArfFromCode(int code) {
  for (const auto& row : kArfs) {
    if (row.code == code) return row.arf;
  }
  return std::nullopt;
}

std::optional<int> Log2Code(int value, int max_code) {
  for (int code = 0; code <= max_code; ++code) {
    if (value == 1 << code) return code;
  }
  return std::nullopt;
}

std::optional<int> HstrideCode(int hstride) {
  if (hstride == 0) return 0;
  const std::optional<int> log2 = Log2Code(hstride, 2);
  return log2 ? std::optional<int>(*log2 + 1) : std::nullopt;
}

std::optional<int> VstrideCode(int vstride) {
  if (vstride == Region::kVxH) return 15;
  if (vstride == 0) return 0;
  const std::optional<int> log2 = Log2Code(vstride, 5);
  return log2 ? std::optional<int>(*log2 + 1) : std::nullopt;
}

std::optional<int> Gen12TernaryVstrideCode(int vstride) {
  switch (vstride) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 4:
      return 2;
    case 8:
      return 3;
    default:
      return std::nullopt;
  }
}

int Gen12TernaryVstrideFromCode(int code) {
  constexpr int kStrides[] = {0, 1, 4, 8};
  return kStrides[code & 3];
}

bool MathIsBinary(MathFunction function) {
  switch (function) {
    case MathFunction::kFdiv:
    case MathFunction::kPow:
    case MathFunction::kIntDivBoth:
    case MathFunction::kIntDivQuotient:
    case MathFunction::kIntDivRemainder:
    case MathFunction::kInvm:
      return true;
    default:
      return false;
  }
}

bool HasMathFunction(Generation gen, MathFunction function) {
  switch (function) {
    case MathFunction::kFdiv:
    case MathFunction::kPow:
      return gen != Generation::kGen12;
    case MathFunction::kInvm:
    case MathFunction::kRsqrtm:
      return gen != Generation::kGen7p5;
    default:
      return true;
  }
}

}  // namespace kiln::intel::isa
