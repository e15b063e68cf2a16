// Every opcode of arithmetic with every type of each operand, from registers, scalars and
// immediates: which are supported, and their results. The reference is independent and calls no
// code of the simulator: types in a notation of its own, exact integers of 128 bits, conversions by
// the host's types.
#include "core/sim/eu/type_rules.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/intel/isa/codes.h"
#include "core/intel/isa/opcodes.h"
#include "core/sim/eu/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::sim::eu::testing {
namespace {

using isa::CondMod;
using isa::MathFunction;
using isa::Opcode;
using isa::Operand;
using isa::Type;
using ::testing::HasSubstr;

using Exact = __int128;

constexpr Type kTypes[] = {Type::kUB, Type::kB, Type::kUW, Type::kW, Type::kUD, Type::kD,
                           Type::kUQ, Type::kQ, Type::kHF, Type::kF, Type::kDF};
constexpr absl::string_view kNames[] = {"ub", "b",  "uw", "w",  "ud", "d",  "uq",
                                        "q",  "hf", "f",  "df", "v",  "uv", "vf"};

absl::string_view Name(Type type) { return kNames[static_cast<int>(type)]; }
bool Signed(Type t) { return Name(t)[0] != 'u'; }
bool Floating(Type t) { return t == Type::kF || t == Type::kHF; }
int Bits(Type t) {
  switch (Name(t).back()) {
    case 'b': return 8;
    case 'w': return 16;
    case 'q': return 64;
    default: return t == Type::kHF ? 16 : t == Type::kDF ? 64 : 32;
  }
}

// ---- Which types are supported ----

// "destination:source:source ..." with types by name; "b*" is b and ub, "w*" and "d*" likewise, "i"
// all of these, "i2" all but bytes. Read from the sources that type_rules.h names.
const std::map<Opcode, std::vector<std::string>>& Allowed() {
  static const auto& table = *new std::map<Opcode, std::vector<std::string>>{
      {Opcode::kMov, {"i,f,hf:i,f,hf"}},
      {Opcode::kNot, {"i:i"}},
      {Opcode::kSel, {"i:i:i2", "f:f:f", "hf:hf:hf"}},
      {Opcode::kAnd, {"i:i:i2"}},
      {Opcode::kOr, {"i:i:i2"}},
      {Opcode::kXor, {"i:i:i2"}},
      {Opcode::kShl, {"i:i:i2"}},
      {Opcode::kAsr, {"i:i:i2"}},
      {Opcode::kAvg, {"i:i:i2"}},
      {Opcode::kShr, {"ub,uw,ud:ub,uw,ud:uw,ud"}},
      {Opcode::kRol, {"uw:uw:uw,ud", "ud:ud:uw,ud"}},
      {Opcode::kRor, {"uw:uw:uw,ud", "ud:ud:uw,ud"}},
      {Opcode::kCmp, {"i:i:i2", "f,hf:f,hf:f,hf"}},
      {Opcode::kCmpn, {"i:i:i2", "f:f:f", "hf:hf:hf"}},
      {Opcode::kCsel, {"f:f:f:f", "hf:hf:hf:hf", "d*:d*:d*:d*", "w*:w*:w*:w*"}},
      {Opcode::kBfrev, {"ud:ud"}},
      {Opcode::kBfe, {"ud:d*:d*:ud", "d:d*:d*:d"}},
      {Opcode::kBfi1, {"ud:d*:d*", "d:d:d"}},
      {Opcode::kBfi2, {"ud:ud:ud:ud", "d:d:d:d"}},
      {Opcode::kLzd, {"ud:d*"}},
      {Opcode::kFbh, {"d*:d*"}},
      {Opcode::kFbl, {"ud:ud"}},
      {Opcode::kCbit, {"ud:ub,uw,ud"}},
      {Opcode::kAddc, {"ud:ud:ud"}},
      {Opcode::kSubb, {"ud:ud:ud"}},
      {Opcode::kMach, {"ud:ud:ud", "d:d:d"}},
      {Opcode::kDp4a, {"d*:d*:d*:d*"}},
      {Opcode::kAdd, {"i,f,hf:i:i2", "f,hf:f,hf:f,hf"}},
      {Opcode::kMul, {"i:i:i2", "f,hf:f,hf:f,hf"}},
      {Opcode::kMac, {"i:b*,w*:w*", "f:f:f", "hf:hf:hf"}},
      {Opcode::kMad, {"i2:i2:i2:i2", "f,hf:f,hf:f,hf:f,hf"}},
      {Opcode::kFrc, {"f:f"}},
      {Opcode::kRndu, {"f:f"}},
      {Opcode::kRndd, {"f:f"}},
      {Opcode::kRnde, {"f:f"}},
      {Opcode::kRndz, {"f:f"}},
  };
  return table;
}

bool InSet(absl::string_view set, Type type) {
  for (absl::string_view item : absl::StrSplit(set, ',')) {
    const bool integer = !Floating(type) && Bits(type) < 64;
    if (item == Name(type)) return true;
    if (item == "i" && integer) return true;
    if (item == "i2" && integer && Bits(type) > 8) return true;
    if (item.size() == 2 && item[1] == '*' && integer && Name(type).back() == item[0]) return true;
  }
  return false;
}

// Returns true for a dword times a narrower source in the wrong order.
bool WrongOrder(Opcode op, const std::vector<Type>& t) {
  return op == Opcode::kMul && !Floating(t[1]) && Bits(t[2]) == 32 && Bits(t[1]) < 32;
}

// `t`: destination, then sources.
bool Runs(Opcode op, const std::vector<Type>& t) {
  for (const std::string& row : Allowed().at(op)) {
    const std::vector<std::string> sets = absl::StrSplit(row, ':');
    bool all = sets.size() == t.size();
    for (size_t i = 0; all && i < t.size(); ++i) all = InSet(sets[i], t[i]);
    if (all) return !WrongOrder(op, t);
  }
  return false;
}

// ---- Their results ----

struct Value {
  Exact i = 0;
  double f = 0;
};

Value FromBits(Type type, uint32_t bits) {
  Value v;
  switch (type) {
    case Type::kUB: v.i = static_cast<uint8_t>(bits); break;
    case Type::kB: v.i = static_cast<int8_t>(bits); break;
    case Type::kUW: v.i = static_cast<uint16_t>(bits); break;
    case Type::kW: v.i = static_cast<int16_t>(bits); break;
    case Type::kUD: v.i = bits; break;
    case Type::kD: v.i = static_cast<int32_t>(bits); break;
    case Type::kHF:
      v.f = static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
      break;
    default: v.f = static_cast<double>(std::bit_cast<float>(bits)); break;
  }
  return v;
}

// Converts an exact integer to bits of the destination type.
uint32_t Narrowed(Type type, Exact v, bool saturate) {
  if (saturate && Floating(type)) v = v < 0 ? 0 : v > 1 ? 1 : v;
  if (type == Type::kF) return std::bit_cast<uint32_t>(static_cast<float>(static_cast<int64_t>(v)));
  if (type == Type::kHF) {
    return std::bit_cast<uint16_t>(static_cast<_Float16>(static_cast<double>(v)));
  }
  const Exact span = Exact{1} << Bits(type);
  const Exact low = Signed(type) ? -span / 2 : 0, high = low + span - 1;
  if (saturate) v = v < low ? low : v > high ? high : v;
  return static_cast<uint32_t>(static_cast<unsigned __int128>(v) &
                               static_cast<unsigned __int128>(span - 1));
}

// Converts a float: one rounding to halves, none for singles; integers by truncation within their
// range.
uint32_t Rounded(Type type, double v, bool saturate) {
  if (saturate && Floating(type)) v = v >= 0 ? std::min(v, 1.0) : 0;
  if (type == Type::kF) return std::bit_cast<uint32_t>(static_cast<float>(v));
  if (type == Type::kHF) return std::bit_cast<uint16_t>(static_cast<_Float16>(v));
  return Narrowed(type, static_cast<Exact>(std::trunc(v)), true);
}

uint32_t Low(Exact v) { return static_cast<uint32_t>(static_cast<uint64_t>(v)); }

bool Holds(CondMod cond, double a, double b) {
  switch (cond) {
    case CondMod::kZ: return a == b;
    case CondMod::kNz: return a != b;
    case CondMod::kG: return a > b;
    case CondMod::kGe: return a >= b;
    case CondMod::kL: return a < b;
    default: return a <= b;
  }
}

Exact Field(const isa::Instruction& in, Exact width, Exact offset, Exact value) {
  const int w = static_cast<int>(width & 31), o = static_cast<int>(offset & 31);
  const Exact shifted = (Signed(in.dst.type) ? value : Exact{Low(value)}) >> o;
  const Exact kept = w == 0 ? 0 : shifted & ((Exact{1} << w) - 1);
  const bool negative = w != 0 && Signed(in.dst.type) && (kept >> (w - 1) & 1) != 0;
  return negative ? kept - (Exact{1} << w) : kept;
}

Exact Dot(const isa::Instruction& in, Exact a, Exact b) {
  Exact sum = 0;
  for (int k = 0; k < 4; ++k) {
    const uint32_t x = Low(a) >> (8 * k) & 0xff, y = Low(b) >> (8 * k) & 0xff;
    sum += FromBits(Signed(in.src[1].type) ? Type::kB : Type::kUB, x).i *
           FromBits(Signed(in.src[2].type) ? Type::kB : Type::kUB, y).i;
  }
  return sum;
}

int LeadingZeros(uint32_t v) {
  int n = 0;
  while (n < 32 && (v >> (31 - n) & 1) == 0) ++n;
  return n;
}

Exact Rotated(Type type, Exact v, Exact by) {
  const int bits = Bits(type), n = static_cast<int>(by & (bits - 1));
  const uint64_t u = Low(v) & ((uint64_t{1} << bits) - 1);
  return n == 0 ? u : (u << n | u >> (bits - n)) & ((uint64_t{1} << bits) - 1);
}

Exact Integer(const isa::Instruction& in, const Value* v) {
  const Exact a = v[0].i, b = v[1].i, c = v[2].i;
  const int shift = static_cast<int>(b & 31);
  switch (in.op) {
    case Opcode::kMov: return a;
    case Opcode::kNot: return -a - 1;
    case Opcode::kAnd: return a & b;
    case Opcode::kOr: return a | b;
    case Opcode::kXor: return a ^ b;
    case Opcode::kShl: return a * (Exact{1} << shift);
    case Opcode::kShr:
    case Opcode::kAsr: return a >> shift;
    case Opcode::kRol: return Rotated(in.src[0].type, a, b);
    case Opcode::kRor: return Rotated(in.src[0].type, a, -b);
    case Opcode::kAvg: return (a + b + 1) >> 1;
    case Opcode::kAdd: return a + b;
    case Opcode::kMul: return a * b;
    case Opcode::kMad: return a + b * c;
    case Opcode::kSel: return in.cmod == CondMod::kGe ? std::max(a, b) : std::min(a, b);
    case Opcode::kCsel: return Holds(in.cmod, static_cast<double>(c), 0) ? a : b;
    case Opcode::kCmp:
    case Opcode::kCmpn:
      return Holds(in.cmod, static_cast<double>(a), static_cast<double>(b)) ? -1 : 0;
    case Opcode::kBfrev: {
      Exact r = 0;
      for (int i = 0; i < 32; ++i) r = r * 2 + (Low(a) >> i & 1);
      return r;
    }
    case Opcode::kBfe: return Field(in, a, b, c);
    case Opcode::kBfi1: return ((Exact{1} << (a & 31)) - 1) << shift;
    case Opcode::kBfi2: {
      const uint32_t mask = Low(a);
      if (mask == 0) return c;
      uint32_t field = Low(b);
      for (uint32_t m = mask; m % 2 == 0; m /= 2) field *= 2;
      return (mask & field) | (~mask & Low(c));
    }
    case Opcode::kLzd: return LeadingZeros(Low(a));
    case Opcode::kFbh: {
      const uint32_t u = Signed(in.src[0].type) && a < 0 ? ~Low(a) : Low(a);
      return u == 0 ? -1 : LeadingZeros(u);
    }
    case Opcode::kFbl: {
      int n = 0;
      while (n < 32 && (Low(a) >> n & 1) == 0) ++n;
      return n == 32 ? -1 : n;
    }
    case Opcode::kCbit: {
      int n = 0;
      for (int i = 0; i < 32; ++i) n += Low(a) >> i & 1;
      return n;
    }
    case Opcode::kAddc: return a + b;
    case Opcode::kSubb: return a - b;
    case Opcode::kDp4a: return a + Dot(in, b, c);
    default: ADD_FAILURE() << "no reference for " << isa::Info(in.op).mnemonic; return 0;
  }
}

double Float(const isa::Instruction& in, const Value* v) {
  const double a = v[0].f, b = v[1].f, c = v[2].f;
  switch (in.op) {
    case Opcode::kMov: return a;
    case Opcode::kAdd: return a + b;
    case Opcode::kMul: return a * b;
    case Opcode::kMad:
      return in.dst.type == Type::kF
                 ? std::fmaf(static_cast<float>(b), static_cast<float>(c), static_cast<float>(a))
                 : std::fma(b, c, a);
    case Opcode::kSel: return in.cmod == CondMod::kGe ? std::max(a, b) : std::min(a, b);
    case Opcode::kCsel: return Holds(in.cmod, c, 0) ? a : b;
    case Opcode::kFrc: return a - std::floor(a);
    case Opcode::kRndu: return std::ceil(a);
    case Opcode::kRndd: return std::floor(a);
    case Opcode::kRnde: return std::nearbyint(a);
    case Opcode::kRndz: return std::trunc(a);
    default: ADD_FAILURE() << "no reference for " << isa::Info(in.op).mnemonic; return 0;
  }
}

uint32_t Reference(const isa::Instruction& in, const Value* v) {
  const bool compares = in.op == Opcode::kCmp || in.op == Opcode::kCmpn;
  if (!Floating(in.src[0].type)) return Narrowed(in.dst.type, Integer(in, v), in.saturate);
  if (!compares) return Rounded(in.dst.type, Float(in, v), in.saturate);
  const uint32_t ones = Bits(in.dst.type) == 16 ? 0xffff : ~0u;
  return Holds(in.cmod, v[0].f, v[1].f) ? ones : 0;
}

// ---- The instructions ----

// Corners of each type, eight a register.
uint32_t Corner(Type type, int which) {
  static constexpr uint32_t kInts[] = {0,          1,          0xffffffff, 0x80808080,
                                       0x7f7f7f7f, 0x00008000, 0x80000000, 0x7fffffff,
                                       0x12345678, 0xdeadbeef, 5,          0xfffffff8,
                                       31,         0xff,       0xffff,     0x00000080};
  static constexpr float kFloats[] = {0.0f,    1.0f,   -1.0f, 0.5f,    2.5f,   -3.25f,
                                      100.0f,  -0.75f, 8.0f,  -127.5f, 0.125f, 255.0f,
                                      1000.0f, -1.5f,  0.25f, 2049.0f};
  if (type == Type::kF) return std::bit_cast<uint32_t>(kFloats[which % 16]);
  if (type == Type::kHF) return std::bit_cast<uint16_t>(static_cast<_Float16>(kFloats[which % 16]));
  return kInts[which % 16];
}

enum class Form { kPacked, kStrided, kScalar, kImmediate };

constexpr int kLanes = 8;

// Makes a source of registers from r(nr) on; `values` are those that its lanes read.
Operand Source(Thread& t, int nr, Type type, Form form, int seed, Value* values) {
  if (form == Form::kImmediate) {
    const uint32_t bits = Corner(type, seed);
    for (int i = 0; i < kLanes; ++i) values[i] = FromBits(type, bits);
    return Imm(type, Bits(type) == 16 ? bits & 0xffff : bits);
  }
  const int bytes = Bits(type) / 8;
  Operand o = form == Form::kScalar ? Scalar(nr, type) : Grf(nr, type);
  const int stride = form == Form::kStrided ? 4 / std::min(bytes, 4) : 1;
  if (form == Form::kStrided) {
    o.region = {static_cast<uint8_t>(8 * stride), 8, static_cast<uint8_t>(stride)};
  }
  for (int i = 0; i < 64; i += 4) t.Write32(32 * nr + i, 0xa5a5a5a5);
  for (int i = 0; i < kLanes; ++i) {
    const uint32_t bits = Corner(type, seed + 3 * i);
    std::memcpy(t.regs.data() + 32 * nr + i * stride * bytes, &bits, std::min(bytes, 4));
  }
  for (int i = 0; i < kLanes; ++i) {
    values[i] = FromBits(type, Corner(type, form == Form::kScalar ? seed : seed + 3 * i));
  }
  return o;
}

Thread MakeThread() {
  Thread t;
  t.dispatch = t.active = 0xff;
  t.Write32(kControlOffset, kControlKeepF16 | kControlKeepF32);
  return t;
}

isa::Instruction Shaped(Opcode op, Type dst) {
  isa::Instruction in = Make(op, kLanes, Dst(60, dst, 0, std::max(1, 32 / Bits(dst))));
  const bool chooses = op == Opcode::kSel || op == Opcode::kCsel;
  if (op == Opcode::kCmp || op == Opcode::kCmpn || chooses) in.cmod = CondMod::kL;
  return in;
}

// Dwords of both signs in a comparison are refused (type_rules.h).
bool MixesSigns(const isa::Instruction& in) {
  const Type a = in.src[0].type, b = in.src[1].type;
  const bool compares = in.op == Opcode::kCmp || in.op == Opcode::kCmpn || in.op == Opcode::kSel;
  return compares && !Floating(a) && Bits(a) == 32 && Bits(b) == 32 && a != b;
}

void CheckResult(const isa::Instruction& in, const Value (*v)[kLanes], Thread& t) {
  const absl::Status status = Execute(in, t);
  std::string what = absl::StrCat(isa::Info(in.op).mnemonic, " ", Name(in.dst.type));
  for (const Operand& s : in.src) absl::StrAppend(&what, " ", Name(s.type));
  if (MixesSigns(in)) {
    const bool positive = in.src[1].file == isa::File::kImm && in.src[1].imm >> 31 == 0;
    EXPECT_EQ(status.ok(), positive) << what << status;
    if (!positive) return;
  }
  ASSERT_TRUE(status.ok()) << what << " " << status;
  for (int i = 0; i < kLanes; ++i) {
    const Value lane[] = {v[0][i], v[1][i], v[2][i]};
    const uint32_t want = Reference(in, lane);
    uint32_t got = 0;
    std::memcpy(&got, t.regs.data() + 60 * 32 + 4 * i, Bits(in.dst.type) / 8);
    ASSERT_EQ(got, want) << what << " lane " << i << (in.saturate ? " saturated" : "") << " cmod "
                         << static_cast<int>(in.cmod);
  }
}

std::vector<CondMod> Conditions(Opcode op) {
  if (op == Opcode::kSel) return {CondMod::kL, CondMod::kGe};
  if (op != Opcode::kCmp && op != Opcode::kCmpn && op != Opcode::kCsel) return {CondMod::kNone};
  return {CondMod::kZ, CondMod::kNz, CondMod::kG, CondMod::kGe, CondMod::kL, CondMod::kLe};
}

bool MaySaturate(const isa::Instruction& in) {
  const bool dwords = in.op == Opcode::kMul && !Floating(in.src[0].type) &&
                      (Bits(in.src[0].type) == 32 || Bits(in.src[1].type) == 32);
  return isa::Info(in.op).saturate && !dwords && in.op != Opcode::kSubb;
}

// Checks all variants of the instruction with these types, from these forms of sources.
void CheckValues(Opcode op, const std::vector<Type>& types, const std::vector<Form>& forms) {
  for (int seed = 0; seed < 16; seed += 5) {
    isa::Instruction in = Shaped(op, types[0]);
    Thread t = MakeThread();
    Value v[3][kLanes] = {};
    for (size_t i = 1; i < types.size(); ++i) {
      in.src[i - 1] = Source(t, static_cast<int>(10 * i), types[i], forms[i - 1],
                             seed + static_cast<int>(i) * 7, v[i - 1]);
    }
    for (const CondMod cond : Conditions(op)) {
      in.cmod = cond;
      for (const bool saturate : {false, true}) {
        in.saturate = saturate;
        if (!saturate || MaySaturate(in)) CheckResult(in, v, t);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

// Calls f with every combination of types of an opcode's operands.
template <typename F>
void ForEachTypes(size_t operands, F f) {
  std::vector<size_t> at(operands, 0);
  for (;;) {
    std::vector<Type> types;
    for (size_t k : at) types.push_back(kTypes[k]);
    f(types);
    size_t i = 0;
    while (i < operands && ++at[i] == std::size(kTypes)) at[i++] = 0;
    if (i == operands) return;
  }
}

isa::Instruction OfRegisters(Opcode op, const std::vector<Type>& types) {
  isa::Instruction in = Shaped(op, types[0]);
  for (size_t i = 1; i < types.size(); ++i) in.src[i - 1] = Grf(static_cast<int>(10 * i), types[i]);
  return in;
}

size_t Operands(Opcode op) { return 1 + isa::Info(op).nsrc; }

TEST(TypeRules, RunWhatTheSourcesListAndNothingElse) {
  for (const auto& [op, rows] : Allowed()) {
    ForEachTypes(Operands(op), [op = op](const std::vector<Type>& types) {
      const isa::Instruction in = OfRegisters(op, types);
      const bool want = Runs(op, types) && !MixesSigns(in);
      std::string what(isa::Info(op).mnemonic);
      for (Type type : types) absl::StrAppend(&what, " ", Name(type));
      EXPECT_EQ(WhyUnsupported(in).empty(), want) << what << ": " << WhyUnsupported(in);
    });
  }
}

TEST(TypeRules, ResultsFromRegistersOfEveryType) {
  for (const auto& [op, rows] : Allowed()) {
    if (op == Opcode::kMach || op == Opcode::kMac) continue;  // see below
    ForEachTypes(Operands(op), [op = op](const std::vector<Type>& types) {
      if (!Runs(op, types) || ::testing::Test::HasFatalFailure()) return;
      for (const Form form : {Form::kPacked, Form::kStrided, Form::kScalar}) {
        CheckValues(op, types, std::vector<Form>(3, form));
      }
    });
  }
}

// The last source of one or two as an immediate of its type, which a byte cannot be.
TEST(TypeRules, ResultsFromImmediates) {
  for (const auto& [op, rows] : Allowed()) {
    if (op == Opcode::kMach || op == Opcode::kMac || Operands(op) == 4) continue;
    ForEachTypes(Operands(op), [op = op](const std::vector<Type>& types) {
      if (!Runs(op, types) || ::testing::Test::HasFatalFailure()) return;
      std::vector<Form> forms(2, Form::kPacked);
      forms[types.size() - 2] = Form::kImmediate;
      if (Bits(types.back()) > 8) return CheckValues(op, types, forms);
      isa::Instruction in = OfRegisters(op, types);
      in.src[types.size() - 2] = Imm(types.back(), 1);
      EXPECT_THAT(WhyUnsupported(in), HasSubstr("immediate of a byte"));
    });
  }
}

// 16-bit immediates that three-source instructions accept: source, opcode, type, and the type
// `wide` of the other sources.
struct Short {
  Opcode op;
  int place;
  Type type, wide;
};

std::vector<Short> ShortImmediates() {
  std::vector<Short> all;
  for (const Type w : {Type::kW, Type::kUW}) {
    for (const Type wide : {Type::kD, Type::kUD}) {
      for (const int place : {0, 2}) {
        all.push_back({Opcode::kMad, place, w, wide});
        all.push_back({Opcode::kCsel, place, w, wide});
        if (place == 0 || Signed(w) == Signed(wide)) all.push_back({Opcode::kBfe, place, w, wide});
      }
    }
  }
  all.push_back({Opcode::kMad, 0, Type::kHF, Type::kF});
  all.push_back({Opcode::kMad, 0, Type::kHF, Type::kHF});
  for (const int place : {0, 2}) all.push_back({Opcode::kCsel, place, Type::kHF, Type::kHF});
  return all;
}

TEST(TypeRules, ShortImmediatesOfThreeSources) {
  const std::vector<Short> known = ShortImmediates();
  for (const Opcode op :
       {Opcode::kMad, Opcode::kCsel, Opcode::kBfe, Opcode::kBfi2, Opcode::kDp4a}) {
    for (const Type type : {Type::kW, Type::kUW, Type::kHF}) {
      for (const Type wide : {Type::kD, Type::kUD, Type::kF, Type::kHF}) {
        for (const int place : {0, 1, 2}) {
          const bool want = std::any_of(known.begin(), known.end(), [&](const Short& s) {
            return s.op == op && s.place == place && s.type == type && s.wide == wide;
          });
          std::vector<Type> types(4, wide);
          isa::Instruction in = OfRegisters(op, types);
          in.src[place] = Imm(type, 3);
          EXPECT_EQ(WhyUnsupported(in).empty(), want)
              << isa::Info(op).mnemonic << " " << Name(type) << " beside " << Name(wide) << " at "
              << place << ": " << WhyUnsupported(in);
          if (!want) continue;
          types[place + 1] = type;
          std::vector<Form> forms(3, Form::kPacked);
          forms[place] = Form::kImmediate;
          CheckValues(op, types, forms);
        }
      }
    }
  }
}

// A word as the value of bfe: extended by its sign before bits are taken, as if it were a dword.
TEST(TypeRules, SignedFieldOfAWordImmediate) {
  Thread t = MakeThread();
  for (uint32_t i = 0; i < 8; ++i) {
    t.Write32(32 * 10 + 4 * i, 4);      // width
    t.Write32(32 * 20 + 4 * i, 4 * i);  // offset
  }
  isa::Instruction in = Make(Opcode::kBfe, kLanes, Dst(60, Type::kD), Grf(10, Type::kD),
                             Grf(20, Type::kD), Imm(Type::kW, 0x8f71));
  ASSERT_TRUE(Execute(in, t).ok());
  const int32_t want[] = {1, 7, -1, -8, -1, -1, -1, -1};
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(static_cast<int32_t>(t.Read32(60 * 32 + 4 * i)), want[i]) << i;
  }
}

TEST(TypeRules, MultiplyAccumulateAddsToTheAccumulator) {
  for (const Type type : {Type::kD, Type::kF}) {
    Thread t = MakeThread();
    const bool floats = type == Type::kF;
    for (int i = 0; i < 8; ++i) {
      t.Write32(32 * 10 + 4 * i, Corner(type, i));
      const uint32_t w = Corner(floats ? type : Type::kW, i + 5);
      std::memcpy(t.regs.data() + 32 * 20 + (floats ? 4 : 2) * i, &w, floats ? 4 : 2);
    }
    ASSERT_TRUE(
        Execute(Make(Opcode::kMov, 8, Register(isa::Arf::kAccumulator, type), Grf(10, type)), t)
            .ok());
    const Operand factor = Grf(20, floats ? Type::kF : Type::kW);
    ASSERT_TRUE(Execute(Make(Opcode::kMac, 8, Dst(60, type), factor, factor), t).ok());
    for (int i = 0; i < 8; ++i) {
      const Value a = FromBits(type, Corner(type, i));
      const Value b = FromBits(factor.type, Corner(factor.type, i + 5));
      const uint32_t want =
          floats ? Rounded(type, b.f * b.f + a.f, false) : Narrowed(type, a.i + b.i * b.i, false);
      EXPECT_EQ(t.Read32(60 * 32 + 4 * i), want) << i;
    }
  }
}

// Vectors as immediates: words of four bits, floats of eight.
TEST(TypeRules, VectorImmediates) {
  Thread t = MakeThread();
  const struct {
    Type type, dst;
    uint32_t bits;
    std::vector<double> want;
  } cases[] = {{Type::kUV, Type::kUW, 0xfedcba98, {8, 9, 10, 11, 12, 13, 14, 15}},
               {Type::kV, Type::kW, 0xfedcba98, {-8, -7, -6, -5, -4, -3, -2, -1}},
               {Type::kVF, Type::kF, 0xb0203000, {0, 1, 0.5, -1, 0, 1, 0.5, -1}}};
  for (const auto& c : cases) {
    ASSERT_TRUE(Execute(Make(Opcode::kMov, 8, Dst(60, c.dst), Imm(c.type, c.bits)), t).ok());
    for (int i = 0; i < 8; ++i) {
      uint32_t bits = 0;
      std::memcpy(&bits, t.regs.data() + 60 * 32 + i * Bits(c.dst) / 8, Bits(c.dst) / 8);
      const Value v = FromBits(c.dst, bits);
      EXPECT_EQ(Floating(c.dst) ? v.f : static_cast<double>(v.i), c.want[i]) << Name(c.type) << i;
    }
  }
}

TEST(TypeRules, ModifiersExtendFirst) {
  for (const Type type :
       {Type::kB, Type::kUB, Type::kW, Type::kUW, Type::kD, Type::kHF, Type::kF}) {
    for (const bool absolute : {false, true}) {
      Thread t = MakeThread();
      Value v[3][kLanes] = {};
      const Type to = Floating(type) ? Type::kF : Type::kD;
      isa::Instruction in =
          Make(Opcode::kMov, 8, Dst(60, to), Source(t, 10, type, Form::kStrided, 1, v[0]));
      in.src[0].negate = true;
      in.src[0].absolute = absolute;
      ASSERT_TRUE(Execute(in, t).ok());
      for (int i = 0; i < kLanes; ++i) {
        const Exact n = absolute && v[0][i].i < 0 ? v[0][i].i : -v[0][i].i;
        const double f = absolute ? -std::fabs(v[0][i].f) : -v[0][i].f;
        const uint32_t want = Floating(type) ? Rounded(to, f, false) : Narrowed(to, n, false);
        EXPECT_EQ(t.Read32(60 * 32 + 4 * i), want) << Name(type) << i;
      }
    }
  }
}

TEST(TypeRules, RefusalsAreNamed) {
  const auto why = [](Opcode op, Type type, auto change) {
    isa::Instruction in = OfRegisters(op, std::vector<Type>(Operands(op), type));
    change(in);
    return WhyUnsupported(in);
  };
  const auto negate = [](isa::Instruction& in) { in.src[0].negate = true; };
  const auto absolute = [](isa::Instruction& in) { in.src[0].absolute = true; };
  const auto saturate = [](isa::Instruction& in) { in.saturate = true; };
  const auto zero = [](isa::Instruction& in) { in.cmod = CondMod::kZ; };
  const auto overflow = [](isa::Instruction& in) { in.cmod = CondMod::kO; };
  EXPECT_THAT(why(Opcode::kBfe, Type::kD, negate), HasSubstr("source modifier"));
  EXPECT_THAT(why(Opcode::kAnd, Type::kD, absolute), HasSubstr("source modifier"));
  EXPECT_EQ(why(Opcode::kAnd, Type::kD, negate), "");
  EXPECT_THAT(why(Opcode::kSubb, Type::kUD, saturate), HasSubstr("saturation"));
  EXPECT_THAT(why(Opcode::kMul, Type::kD, saturate), HasSubstr("saturation"));
  EXPECT_EQ(why(Opcode::kMul, Type::kW, saturate), "");
  EXPECT_THAT(why(Opcode::kMul, Type::kD, zero), HasSubstr("condition"));
  EXPECT_THAT(why(Opcode::kBfe, Type::kD, zero), HasSubstr("condition"));
  EXPECT_THAT(why(Opcode::kAdd, Type::kF, overflow), HasSubstr("condition"));
  EXPECT_EQ(why(Opcode::kAdd, Type::kD, overflow), "");
  EXPECT_THAT(why(Opcode::kMul, Type::kD, [](isa::Instruction& in) { in.src[0].type = Type::kW; }),
              HasSubstr("first source"));
  EXPECT_THAT(why(Opcode::kMul, Type::kD,
                  [](isa::Instruction& in) {
                    in.src[1].type = Type::kUW;
                    in.src[1].negate = true;
                  }),
              HasSubstr("Wa_1604601757"));
  EXPECT_THAT(
      why(Opcode::kMul, Type::kD,
          [](isa::Instruction& in) { in.src[0] = Register(isa::Arf::kAccumulator, Type::kD); }),
      HasSubstr("accumulator as a factor"));
}

TEST(TypeRules, MathByItsFunction) {
  for (const auto& [function, integers, sources] :
       {std::tuple{MathFunction::kIntDivQuotient, true, 2},
        {MathFunction::kIntDivRemainder, true, 2},
        {MathFunction::kPow, false, 2},
        {MathFunction::kSqrt, false, 1}}) {
    ForEachTypes(1 + sources, [&, f = function, i = integers](const std::vector<Type>& types) {
      isa::Instruction in = OfRegisters(Opcode::kMath, types);
      in.math = f;
      bool want = true;
      for (const Type t : types) {
        want &= i ? Bits(t) == 32 && !Floating(t) && t == types[0] : Floating(t);
      }
      EXPECT_EQ(WhyUnsupported(in).empty(), want) << static_cast<int>(f) << WhyUnsupported(in);
    });
  }
}

// Combinations that the compiler's table allows and this one does not, each for the reason in its
// row.
bool NarrowerHere(Opcode op, Type dst, Type src) {
  switch (op) {
    case Opcode::kCsel:
    case Opcode::kRol:
    case Opcode::kRor:  // one width
    case Opcode::kBfi1:
    case Opcode::kBfi2:
    case Opcode::kMach:  // one sign
      return dst != src;
    case Opcode::kLzd:  // dwords
      return Bits(src) < 32;
    case Opcode::kMad:  // a byte could only be the first source
      return Bits(src) == 8;
    case Opcode::kCmpn:  // no mixed floats
      return dst != src;
    default: return false;
  }
}

TEST(TypeRules, DifferFromTheCompilersTableByReasons) {
  for (const auto& [op, rows] : Allowed()) {
    for (const Type dst : kTypes) {
      for (const Type src : kTypes) {
        // True if some instruction with this destination and this first source is supported.
        bool here = false;
        ForEachTypes(Operands(op) - 1, [&, op = op](std::vector<Type> types) {
          if (types[0] != src || here) return;
          types.insert(types.begin(), dst);
          here = Runs(op, types);
        });
        const bool there = isa::LegalTypes(isa::Generation::kGen12, op, dst, src);
        EXPECT_TRUE(!here || there)
            << isa::Info(op).mnemonic << " " << Name(dst) << " " << Name(src);
        EXPECT_TRUE(here || !there || NarrowerHere(op, dst, src))
            << isa::Info(op).mnemonic << " " << Name(dst) << " " << Name(src);
      }
    }
  }
}

}  // namespace
}  // namespace kiln::sim::eu::testing
