// See type_rules.h.
#include "core/sim/eu/type_rules.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "core/intel/isa/codes.h"
#include "core/intel/isa/opcodes.h"

namespace kiln::sim::eu {
namespace {

namespace isa = ::kiln::intel::isa;

using isa::CondMod;
using isa::File;
using isa::Format;
using isa::Instruction;
using isa::Opcode;
using isa::Operand;
using isa::Type;

using Types = uint16_t;

constexpr Types Of(Type type) { return static_cast<Types>(1u << static_cast<int>(type)); }
template <typename... Rest>
constexpr Types Of(Type type, Rest... rest) {
  return Of(type) | Of(rest...);
}

constexpr Types kNoOperand = 0;
constexpr Types kF = Of(Type::kF), kHF = Of(Type::kHF), kFloats = kF | kHF;
constexpr Types kUD = Of(Type::kUD), kD = Of(Type::kD), kDwords = kUD | kD;
constexpr Types kUW = Of(Type::kUW), kWords = kUW | Of(Type::kW);
constexpr Types kUB = Of(Type::kUB), kBytes = kUB | Of(Type::kB);
constexpr Types kWide = kWords | kDwords;  // sources after the first are never bytes (validate)
constexpr Types kInts = kBytes | kWide;

// Allows any of `dst` with any of each source's types. An opcode may have several rows.
struct Row {
  Opcode op;
  Types dst;
  std::array<Types, 3> src;
};

constexpr Row kRows[] = {
    {Opcode::kMov, kInts | kFloats, {kInts | kFloats}},  // iga
    {Opcode::kNot, kInts, {kInts}},                      // iga
    {Opcode::kSel, kInts, {kInts, kWide}},               // iga; validate: src1
    {Opcode::kSel, kF, {kF, kF}},
    {Opcode::kSel, kHF, {kHF, kHF}},
    {Opcode::kAnd, kInts, {kInts, kWide}},
    {Opcode::kOr, kInts, {kInts, kWide}},
    {Opcode::kXor, kInts, {kInts, kWide}},
    {Opcode::kShl, kInts, {kInts, kWide}},
    {Opcode::kAsr, kInts, {kInts, kWide}},
    {Opcode::kShr, kUB | kUW | kUD, {kUB | kUW | kUD, kUW | kUD}},
    {Opcode::kRol, kUW, {kUW, kUW | kUD}},  // iga; value and result have one width, which rotates
    {Opcode::kRol, kUD, {kUD, kUW | kUD}},
    {Opcode::kRor, kUW, {kUW, kUW | kUD}},
    {Opcode::kRor, kUD, {kUD, kUW | kUD}},
    {Opcode::kCmp, kInts, {kInts, kWide}},
    {Opcode::kCmp, kFloats, {kFloats, kFloats}},  // iga: HF,F <- HF,F
    {Opcode::kCmpn, kInts, {kInts, kWide}},
    {Opcode::kCmpn, kF, {kF, kF}},
    {Opcode::kCmpn, kHF, {kHF, kHF}},
    {Opcode::kCsel, kF, {kF, kF, kF}},  // validate: one width, no floats with integers
    {Opcode::kCsel, kHF, {kHF, kHF, kHF}},
    {Opcode::kCsel, kDwords, {kDwords, kDwords, kDwords}},
    {Opcode::kCsel, kWords, {kWords, kWords, kWords}},
    {Opcode::kBfrev, kUD, {kUD}},
    {Opcode::kBfe, kUD, {kDwords, kDwords, kUD}},  // iga: one sign; Mesa: width and offset have any
    {Opcode::kBfe, kD, {kDwords, kDwords, kD}},
    {Opcode::kBfi1, kUD, {kDwords, kDwords}},  // Mesa: ud of d (nir_op_bfm); no operand has a sign
    {Opcode::kBfi1, kD, {kD, kD}},
    {Opcode::kBfi2, kUD, {kUD, kUD, kUD}},
    {Opcode::kBfi2, kD, {kD, kD, kD}},
    {Opcode::kLzd, kUD, {kDwords}},      // iga; narrower: unclear from which bit zeros are counted
    {Opcode::kFbh, kDwords, {kDwords}},  // iga: UD; D has the same bits
    {Opcode::kFbl, kUD, {kUD}},
    {Opcode::kCbit, kUD, {kUB | kUW | kUD}},
    {Opcode::kAddc, kUD, {kUD, kUD}},
    {Opcode::kSubb, kUD, {kUD, kUD}},
    {Opcode::kMach, kUD, {kUD, kUD}},
    {Opcode::kMach, kD, {kD, kD}},
    {Opcode::kDp4a, kDwords, {kDwords, kDwords, kDwords}},
    {Opcode::kAvg, kInts, {kInts, kWide}},
    {Opcode::kAdd, kInts | kFloats, {kInts, kWide}},  // iga: F, HF <- integers too
    {Opcode::kAdd, kFloats, {kFloats, kFloats}},      // validate: mixed floats, halves too
    {Opcode::kMul, kInts, {kInts, kWide}},
    {Opcode::kMul, kFloats, {kFloats, kFloats}},  // validate: mixed floats, halves too
    {Opcode::kMac, kInts, {kBytes | kWords, kWords}},
    {Opcode::kMac, kF, {kF, kF}},
    {Opcode::kMac, kHF, {kHF, kHF}},
    {Opcode::kMad, kFloats, {kFloats, kFloats, kFloats}},
    {Opcode::kMad, kWide, {kWide, kWide, kWide}},
    {Opcode::kFrc, kF, {kF}},
    {Opcode::kRndu, kF, {kF}},
    {Opcode::kRndd, kF, {kF}},
    {Opcode::kRnde, kF, {kF}},
    {Opcode::kRndz, kF, {kF}},
};

// math, by its function.
constexpr Row kDivisions[] = {{Opcode::kMath, kUD, {kUD, kUD}}, {Opcode::kMath, kD, {kD, kD}}};
constexpr Row kUnaryMath[] = {{Opcode::kMath, kFloats, {kFloats}}};
constexpr Row kBinaryMath[] = {{Opcode::kMath, kFloats, {kFloats, kFloats}}};

bool IsTernary(const Instruction& inst) { return isa::Info(inst.op).format == Format::kTernary; }
bool IsImmediate(const Operand& o) { return o.file == File::kImm; }
bool IsAccumulator(const Operand& o) {
  return o.file == File::kArf && o.arf == isa::Arf::kAccumulator;
}
bool IsDword(Type type) { return type == Type::kUD || type == Type::kD; }
bool IsInteger(Type type) { return !isa::IsFloat(type); }

int Sources(const Instruction& inst) {
  if (inst.op != Opcode::kMath) return isa::Info(inst.op).nsrc;
  return isa::MathIsBinary(inst.math) ? 2 : 1;
}

// Returns the type of a source for the table.
Type TypeOf(const Instruction& inst, const Operand& o) {
  if (!IsImmediate(o)) return o.type;
  switch (o.type) {
    case Type::kV: return Type::kW;
    case Type::kUV: return Type::kUW;
    case Type::kVF: return Type::kF;
    default: break;
  }
  // A 16-bit immediate of a three-source instruction counts as one of the width of the others.
  if (!IsTernary(inst) || !IsDword(inst.dst.type)) return o.type;
  return o.type == Type::kW ? Type::kD : o.type == Type::kUW ? Type::kUD : o.type;
}

template <typename Rows>
bool Listed(const Rows& rows, const Instruction& inst) {
  return std::any_of(std::begin(rows), std::end(rows), [&](const Row& row) {
    if (row.op != inst.op || !(row.dst & Of(inst.dst.type))) return false;
    for (int i = 0; i < Sources(inst); ++i) {
      if (!(row.src[i] & Of(TypeOf(inst, inst.src[i])))) return false;
    }
    return true;
  });
}

bool HasTypes(const Instruction& inst) {
  if (inst.op != Opcode::kMath) return Listed(kRows, inst);
  if (isa::IsIntegerDivision(inst.math)) return Listed(kDivisions, inst);
  return isa::MathIsBinary(inst.math) ? Listed(kBinaryMath, inst) : Listed(kUnaryMath, inst);
}

template <typename F>
bool AnySource(const Instruction& inst, F f) {
  return std::any_of(inst.src.begin(), inst.src.begin() + Sources(inst), f);
}

bool HasQwords(const Instruction& inst) {
  const auto wide = [](const Operand& o) { return isa::ByteSize(o.type) == 8; };
  return wide(inst.dst) || AnySource(inst, wide);
}

bool HasByteImmediate(const Instruction& inst) {
  return AnySource(inst,
                   [](const Operand& o) { return IsImmediate(o) && isa::ByteSize(o.type) == 1; });
}

// Returns true for immediates of three-source instructions that experiments have not shown (imm).
bool HasStrangeImmediate(const Instruction& inst) {
  if (!IsTernary(inst)) return false;
  const auto strange = [&](int i) {
    const Operand& o = inst.src[i];
    if (!IsImmediate(o)) return false;
    switch (inst.op) {
      case Opcode::kMad: return i == 2 && isa::IsFloat(o.type);
      case Opcode::kCsel: return isa::IsFloat(o.type) && inst.dst.type != o.type;
      case Opcode::kBfe: return false;
      default: return true;
    }
  };
  return strange(0) || IsImmediate(inst.src[1]) || strange(2);
}

bool HasStrangeModifier(const Instruction& inst) {
  const isa::OpcodeInfo& info = isa::Info(inst.op);
  const bool division = inst.op == Opcode::kMath && isa::IsIntegerDivision(inst.math);
  return AnySource(inst, [&](const Operand& o) {
    if (!o.negate && !o.absolute) return false;
    return !info.src_modifiers || division || (info.bitwise && (o.absolute || IsAccumulator(o)));
  });
}

bool MultipliesDwords(const Instruction& inst) {
  return inst.op == Opcode::kMul &&
         AnySource(inst, [](const Operand& o) { return IsDword(o.type); });
}

bool HasStrangeCondition(const Instruction& inst) {
  if (inst.cmod == CondMod::kNone) return false;
  if (!isa::Info(inst.op).cmod || MultipliesDwords(inst)) return true;
  const bool floats = AnySource(inst, [](const Operand& o) { return isa::IsFloat(o.type); });
  if (inst.cmod == CondMod::kU) return !floats;
  return inst.cmod == CondMod::kO && (floats || isa::Info(inst.op).bitwise || inst.saturate);
}

bool HasStrangeSaturation(const Instruction& inst) {
  if (!inst.saturate) return false;
  const bool carries = inst.op == Opcode::kSubb;  // the carry flag is the accumulator's
  const bool whole = IsAccumulator(inst.dst) && IsInteger(inst.dst.type);
  return !isa::Info(inst.op).saturate || MultipliesDwords(inst) || carries || whole;
}

// Returns true for products of a narrower source and a dword, in that order.
bool MisplacedDword(const Instruction& inst) {
  if (inst.op != Opcode::kMul || !IsInteger(inst.src[0].type)) return false;
  return IsDword(inst.src[1].type) && !IsDword(inst.src[0].type);
}

bool ModifiesNarrowFactor(const Instruction& inst) {
  return MultipliesDwords(inst) && AnySource(inst, [](const Operand& o) {
           return !IsDword(o.type) && (o.negate || o.absolute);
         });
}

bool MultipliesAccumulator(const Instruction& inst) {
  return inst.op == Opcode::kMul &&
         AnySource(inst, [](const Operand& o) { return IsAccumulator(o) && IsInteger(o.type); });
}

// Returns true for dwords of different signedness where the signedness decides the comparison.
bool ComparesSigns(const Instruction& inst) {
  const bool compares = inst.op == Opcode::kCmp || inst.op == Opcode::kCmpn ||
                        (inst.op == Opcode::kSel && inst.cmod != CondMod::kNone);
  if (!compares) return false;
  const Type a = inst.src[0].type, b = inst.src[1].type;
  if (!IsDword(a) || !IsDword(b) || a == b) return false;
  return !IsImmediate(inst.src[1]) || inst.src[1].imm >> 31 != 0;
}

struct Rule {
  bool (*broken)(const Instruction& inst);
  absl::string_view why;
};

constexpr Rule kRules[] = {
    {HasQwords, "operands of 64 bits, which Gen12.0 lacks (validate)"},
    {[](const Instruction& i) { return !HasTypes(i); },
     "operand types that no source lists for this instruction (iga)"},
    {HasByteImmediate, "an immediate of a byte (iga)"},
    {HasStrangeImmediate, "an immediate that no experiment has shown for three sources (imm)"},
    {HasStrangeModifier, "a source modifier that this instruction does not take (iga; validate)"},
    {HasStrangeCondition, "a condition that this instruction does not set (iga; validate)"},
    {HasStrangeSaturation, "saturation that this instruction does not have (iga; validate)"},
    {MisplacedDword, "a dword times something narrower: the dword is the first source (validate)"},
    {ModifiesNarrowFactor,
     "a dword times something narrower that has a modifier (validate: Wa_1604601757)"},
    {MultipliesAccumulator, "an integer accumulator as a factor (validate)"},
    {ComparesSigns, "a comparison of dwords of which one is signed"},
};

}  // namespace

absl::string_view WhyUnsupported(const Instruction& inst) {
  switch (isa::Info(inst.op).format) {
    case Format::kBasic:
    case Format::kTernary:
    case Format::kMath: break;
    default: return "";
  }
  for (const Rule& rule : kRules) {
    if (rule.broken(inst)) return rule.why;
  }
  return "";
}

}  // namespace kiln::sim::eu
