// VOPC: comparisons of floats and integers, and v_cmp_class. Writing vcc, an SGPR or exec is the
// caller's. A condition is the set of orders that satisfy it, read from the opcode's name.
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "core/sim/rdna2/alu/rows.h"

namespace kiln::sim::rdna2::alu {
namespace {

using amd::isa::Encoding;
using amd::isa::Info;
using amd::isa::kOpcodeCount;
using amd::isa::OpcodeInfo;
using amd::isa::Type;

constexpr uint8_t kL = 1, kE = 2, kG = 4, kU = 8;  // bit 1 << Order

// The conditions of chapter 12.9 of the ISA guide; n... are true for unordered operands.
constexpr std::pair<std::string_view, uint8_t> kConditions[] = {
    {"f", 0},
    {"lt", kL},
    {"eq", kE},
    {"le", kL | kE},
    {"gt", kG},
    {"lg", kL | kG},
    {"ge", kG | kE},
    {"o", kL | kE | kG},
    {"u", kU},
    {"nge", kU | kL},
    {"nlg", kU | kE},
    {"ngt", kU | kL | kE},
    {"nle", kU | kG},
    {"neq", kU | kL | kG},
    {"nlt", kU | kE | kG},
    {"tru", kL | kE | kG | kU},
    {"ne", kL | kG},
    {"t", kL | kE | kG},
};

// The word between v_cmp_ or v_cmpx_ and the type.
std::string_view ConditionName(const OpcodeInfo& info) {
  const std::string_view name(info.mnemonic.data(), info.mnemonic.size());
  const size_t begin = name.find('_', 2) + 1;
  return name.substr(begin, name.find('_', begin) - begin);
}

constexpr uint8_t kNoCondition = 0xff;

uint8_t ParseCondition(const OpcodeInfo& info) {
  for (const auto& [name, orders] : kConditions) {
    if (name == ConditionName(info)) return orders;
  }
  return kNoCondition;
}

const std::array<uint8_t, kOpcodeCount>& Conditions() {
  static const std::array<uint8_t, kOpcodeCount> conditions = [] {
    std::array<uint8_t, kOpcodeCount> c;
    c.fill(kNoCondition);
    for (int i = 0; i < kOpcodeCount; ++i) {
      if (Info(i).encoding == Encoding::kVopc) c[static_cast<size_t>(i)] = ParseCondition(Info(i));
    }
    return c;
  }();
  return conditions;
}

LaneResult Test(const Lane& l, Order order) {
  const uint8_t orders = Conditions()[static_cast<size_t>(l.op())];
  return Lane::MaskResult((orders >> static_cast<int>(order) & 1) != 0);
}

template <typename T>
Order OrderOf(T a, T b) {
  return a < b ? Order::kLess : a > b ? Order::kGreater : Order::kEqual;
}

LaneResult CompareFloats(const Lane& l) { return Test(l, Compare(l.Float(0), l.Float(1))); }
LaneResult CompareSigned(const Lane& l) { return Test(l, OrderOf(l.Signed(0), l.Signed(1))); }
LaneResult CompareUnsigned(const Lane& l) { return Test(l, OrderOf(l.Bits(0), l.Bits(1))); }

// The bit of src1 for src0's class. Subnormal numbers are told apart in every mode.
LaneResult TestClass(const Lane& l) {
  constexpr int kSignallingNan = 0, kQuietNan = 1, kNegativeInfinity = 2, kNegativeNormal = 3,
                kNegativeSubnormal = 4, kNegativeZero = 5;
  const Format format = FormatOf(l.info().src[0]);
  const Number x = Decode(l.FloatBits(0), format, true);
  int bit = kNegativeZero;
  if (x.is_nan()) {
    return Lane::MaskResult((l.Bits(1) >> (x.signalling ? kSignallingNan : kQuietNan) & 1) != 0);
  }
  if (x.is_infinite()) bit = kNegativeInfinity;
  if (x.kind == Number::Kind::kFinite) {
    bit = LeadingExponent(x) < 1 - format.bias() ? kNegativeSubnormal : kNegativeNormal;
  }
  // The classes of positive numbers stand in reverse.
  constexpr int kMirror = 11;
  return Lane::MaskResult((l.Bits(1) >> (x.negative ? bit : kMirror - bit) & 1) != 0);
}

Row RowOf(const OpcodeInfo& info) {
  if (ConditionName(info) == "class") return {info.op, Accuracy::kExact, TestClass};
  if (amd::isa::IsFloat(info.src[0])) return {info.op, Accuracy::kExact, CompareFloats};
  const bool is_signed =
      info.src[0] == Type::kI16 || info.src[0] == Type::kI32 || info.src[0] == Type::kI64;
  return {info.op, Accuracy::kExact, is_signed ? CompareSigned : CompareUnsigned};
}

}  // namespace

absl::Span<const Row> ComparisonRows() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> r;
    for (int i = 0; i < kOpcodeCount; ++i) {
      const OpcodeInfo& info = Info(i);
      if (info.encoding != Encoding::kVopc) continue;
      if (Conditions()[static_cast<size_t>(i)] == kNoCondition && ConditionName(info) != "class") {
        continue;
      }
      r.push_back(RowOf(info));
    }
    return r;
  }();
  return rows;
}

}  // namespace kiln::sim::rdna2::alu
