// Random modules: their frame, and the values that they compute with.
//
// Values in scope are kept by type; recent values are picked more often, so that chains are long.
#include "core/oracle/generator.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace kiln::oracle::random_modules {

Module Generator::Run() {
  m_.entry_point = "random";
  m_.stage = options_.stage;
  if (options_.doubles) m_.needs.push_back({mir::Need::kFloat64});
  if (!IsGraphics()) m_.local_size = {options_.lanes, 1, 1};
  m_.resources = {{.kind = ResourceKind::kStorageBuffer},
                  {.kind = ResourceKind::kStorageBuffer, .binding = 1, .read_only = true},
                  {.kind = ResourceKind::kUniformBuffer, .binding = 2}};
  if (options_.memory) {
    if (!IsGraphics()) m_.shared_bytes = (4 + kOwnSharedBytes) * options_.lanes;
    m_.push_constant_bytes = 32;
    for (int i = 0; i < 64; ++i) m_.constant_data.push_back(static_cast<uint8_t>(random_.Next()));
    m_.private_arrays = {{.bytes = 40}, {.bytes = 12}, {.bytes = 32}};
  }
  m_.body = NewRegion(m_);
  b_.SetRegion(m_.body);
  if (DrawsFragments()) {
    DeclareDrawn();
    NumberTheFragment();
  } else if (IsFragment()) {
    DeclareInterface();
    lane_ = m_.result(b_.LoadInput(kNumberInput, 0, 1));
    Define(lane_);
  } else if (IsVertex()) {
    DeclareVertex();
    if (options_.drawn) DeclareDrawnVertex();
    lane_ = options_.drawn ? NumberOfRun() : m_.result(b_.LoadInput(kVertexNumber, 0, 1));
    Define(lane_);
  } else {
    lane_ = b_.LocalIndex();
    Define(lane_);
    Define(b_.WorkgroupId(0));
  }
  base_ = b_.Imul(lane_, b_.Int(4 * kOutputDwords));
  if (options_.defined_only) ClearPrivate();
  if (options_.memory) StoreTable();
  LoadKept();
  left_ = options_.instructions;
  KeptLoop();
  while (left_ > 0) Step(0);
  KeptLoop();
  StoreKept();
  // Stores the values in scope at the end, so that most of the module is not dead.
  for (uint32_t i = 0; i < 8; ++i) StoreOutput(8 + i, OfOneZero(LastValue()));
  if (DrawsFragments()) {
    WriteDrawnOutputs();
  } else if (IsFragment()) {
    WriteOutput();
  } else if (IsVertex()) {
    if (options_.drawn) WriteDrawnVertex();
    if (!options_.drawn) WriteVertexOutput();
  }
  b_.Return();
  return std::move(m_);
}

ValueId Generator::Pick(Type type) {
  const std::vector<ValueId>& values = scope_[static_cast<int>(type)];
  if (!values.empty() && !random_.OneIn(6)) {
    // Picks recent values more often, for long chains.
    const uint32_t n = static_cast<uint32_t>(values.size());
    return values[n - 1 - (random_.OneIn(2) ? random_.Below(n) : random_.Below(std::min(n, 4u)))];
  }
  switch (type) {
    case Type::kBool: return b_.Bool(random_.OneIn(2));
    case Type::kF16: return b_.Constant(type, InterestingHalf());
    case Type::kF32: return b_.Constant(type, InterestingFloat());
    case Type::kF64: return b_.Constant(type, InterestingDouble());
    case Type::kI64: return b_.Constant(type, uint64_t{InterestingInt()} << 32 | InterestingInt());
    default: return b_.Constant(type, InterestingInt() & MaskOf(type));
  }
}

uint32_t Generator::InterestingInt() {
  constexpr uint32_t kInts[] = {0,  1,  2,   3,           4,           7,      8,
                                31, 32, ~0u, 0x80000000u, 0x7fffffffu, 0xffffu};
  return random_.OneIn(4) ? random_.Next() : kInts[random_.Below(std::size(kInts))];
}

uint32_t Generator::InterestingFloat() {
  constexpr uint32_t kFloats[] = {0,           0x80000000u, 0x3f800000u, 0xbf800000u, 0x40000000u,
                                  0x3f000000u, 0x7f800000u, 0x7fc00000u, 0x4b800000u, 0x3eaaaaabu};
  if (random_.OneIn(3)) return kFloats[random_.Below(std::size(kFloats))];
  return (random_.Next() & 0x807fffffu) | ((117 + random_.Below(20)) << 23);
}

uint32_t Generator::InterestingHalf() {
  constexpr uint32_t kHalfs[] = {0, 0x8000, 0x3c00, 0xbc00, 0x4000, 0x3800, 0x7bff, 0x0400, 0x0001};
  return random_.OneIn(3) ? random_.Below(0x7c00) : kHalfs[random_.Below(std::size(kHalfs))];
}

uint64_t Generator::InterestingDouble() {
  constexpr double kDoubles[] = {0.0,        -0.0,      1.0,     -1.0,     2.0,    0.5,
                                 0x1p-1022,  0x1p-1074, 0x1p31,  0x1.8p63, 0x1p64, -0x1p-1030,
                                 0x1p53 + 2, 1.0 / 3,   0x1p300, 0x1p-1000};
  const uint32_t kind = random_.Below(8);
  if (kind == 0) return 0x7ff0000000000000;
  if (kind < 5) return std::bit_cast<uint64_t>(kDoubles[random_.Below(std::size(kDoubles))]);
  const uint64_t fraction = (uint64_t{random_.Next()} << 32 | random_.Next()) & 0x800fffffffffffff;
  return fraction | uint64_t{983 + random_.Below(80)} << 52;
}

Type Generator::AnyInteger() {
  constexpr Type kIntegers[] = {Type::kI32, Type::kI32, Type::kI16, Type::kI8, Type::kI64};
  return kIntegers[options_.types ? random_.Below(std::size(kIntegers)) : 0];
}

Type Generator::AnyArithmetic() {
  const uint32_t kind = random_.Below(options_.floats ? 3 : 2);
  return kind == 0 ? Type::kBool : kind == 1 ? AnyInteger() : AnyFloat();
}

Generator::Mark Generator::Enter() const {
  Mark mark;
  for (int i = 0; i < kNumTypes; ++i) mark.size[i] = scope_[i].size();
  return mark;
}

void Generator::Leave(const Mark& mark) {
  for (int i = 0; i < kNumTypes; ++i) scope_[i].resize(mark.size[i]);
}

std::vector<Type> Generator::SomeTypes() {
  std::vector<Type> types(random_.Below(4));
  for (Type& t : types) t = AnyArithmetic();
  return types;
}

std::vector<ValueId> Generator::PickAll(const std::vector<Type>& types) {
  std::vector<ValueId> values;
  for (Type t : types) values.push_back(Pick(t));
  return values;
}

// A value of the type, which may be one that the rest of the program does not compute with.
ValueId Generator::PickTyped(Type type) {
  if (options_.types) return Pick(type);
  switch (type) {
    case Type::kI8:
    case Type::kI16: return b_.Convert(Op::kTrunc, Pick(Type::kI32), type);
    case Type::kI64: {
      const ValueId high = b_.Convert(Op::kZext, Pick(Type::kI32), type);
      return b_.Or(b_.Shl(high, b_.Int(32)), b_.Convert(Op::kZext, Pick(Type::kI32), type));
    }
    case Type::kF16: return b_.Convert(Op::kF2f, Pick(Type::kF32), type);
    default: return Pick(type);
  }
}

void Generator::DefineTyped(ValueId v) {
  switch (m_.value(v).type) {
    case Type::kI8:
    case Type::kI16: return Define(b_.Convert(Op::kZext, v, Type::kI32));
    case Type::kI64:
      Define(b_.Convert(Op::kTrunc, v, Type::kI32));
      return Define(b_.Convert(Op::kTrunc, b_.Ushr(v, b_.Int(32)), Type::kI32));
    case Type::kF16:  // no NaN: its sign need not survive the conversion
      return Define(b_.Emit(Op::kFmax, {b_.Convert(Op::kF2f, v, Type::kF32), b_.Float(-65504)}));
    case Type::kF64: {
      const ValueId number = NumberOrZero(v);
      Define(v);
      Define(b_.F64Low(number));
      return Define(b_.F64High(number));
    }
    default: return Define(v);
  }
}

Type Generator::AnyType() {
  constexpr Type kAll[] = {Type::kBool, Type::kI8,  Type::kI16, Type::kI32,
                           Type::kI64,  Type::kF16, Type::kF32};
  Type type;
  do {
    type = kAll[random_.Below(std::size(kAll))];
  } while (IsFloat(type) && !options_.floats);
  return type;
}

ValueId Generator::LastValue() {
  if (options_.doubles && random_.OneIn(3)) {
    DefineTyped(Pick(Type::kF64));
    return scope_[static_cast<int>(Type::kI32)].back();
  }
  if (options_.types && random_.OneIn(2)) {
    const ValueId v = PickTyped(AnyInteger());
    DefineTyped(v);
    return scope_[static_cast<int>(Type::kI32)].back();
  }
  return Pick(random_.OneIn(2) ? Type::kI32 : Type::kF32);
}

void Generator::StoreOutput(uint32_t dword, ValueId v) {
  b_.Store(Op::kStoreSsbo, 0, b_.Iadd(base_, b_.Int(4 * dword)), {v});
}

// Makes the sign of a zero positive: the sign of a minimum of both zeros, or of a saturated zero,
// is not specified.
ValueId Generator::OfOneZero(ValueId v) {
  const Type type = m_.value(v).type;
  if (!options_.drawn || !IsFloat(type)) return v;
  const ValueId zero = b_.Constant(type, 0);
  return b_.Select(b_.Feq(v, zero), zero, v);
}

void Generator::DefineResults(InstId load) {
  for (int i = 0; i < m_.inst(load).num_results; ++i) Define(m_.result(load, i));
}

}  // namespace kiln::oracle::random_modules
