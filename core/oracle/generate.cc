#include "core/oracle/generate.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/mir/build.h"

namespace kiln::oracle {
namespace {

using mir::AtomicOp;
using mir::Auxiliary;
using mir::Builder;
using mir::BuiltIn;
using mir::DepthMode;
using mir::DerivativeMode;
using mir::Info;
using mir::InstId;
using mir::Interface;
using mir::InterpolateAt;
using mir::Interpolation;
using mir::kMemoryShared;
using mir::kNoContraction;
using mir::kNumTypes;
using mir::Module;
using mir::NewRegion;
using mir::Op;
using mir::OpInfo;
using mir::ReduceOp;
using mir::RegionId;
using mir::ResourceKind;
using mir::Scope;
using mir::Stage;
using mir::TexelOp;
using mir::Type;
using mir::ValueId;

// splitmix64 (Steele, Lea, Flood 2014): same numbers on every platform.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint32_t Next() {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<uint32_t>((z ^ (z >> 31)) >> 32);
  }
  uint32_t Below(uint32_t n) { return Next() % n; }
  bool OneIn(uint32_t n) { return Below(n) == 0; }

 private:
  uint64_t state_;
};

constexpr Type kFourInts[] = {Type::kI32, Type::kI32, Type::kI32, Type::kI32};

constexpr uint32_t kTable = 2;   // of the private arrays

// Arithmetic is drawn from these: ops behind them are not arithmetic, and more of them change
// nothing.
constexpr uint32_t kDrawnOps = static_cast<uint32_t>(Op::kUnreachable) + 1;

// Of a fragment's inputs and outputs.
constexpr uint32_t kSmoothInput = 0, kNumberInput = 1, kArrayInput = 2;
constexpr uint32_t kColourOutput = 0, kIntOutput = 1;

// Of those that are drawn also these, and the sample mask at the end.
constexpr uint32_t kLinearInput = 3, kFlatInput = 4, kCoordInput = 5, kFacingInput = 6,
                   kPrimitiveInput = 7, kSampleInput = 8;
constexpr uint32_t kPairOutput = 2;
constexpr uint32_t kTexture = 3, kImage = 4;   // resources

// Of a vertex's inputs.
constexpr uint32_t kVertexNumber = 3;

// Behind the dwords that lanes exchange through, a part of shared memory for each lane alone.
constexpr uint32_t kOwnSharedBytes = 16;

class Generator {
 public:
  Generator(uint64_t seed, const GenerateOptions& options) : random_(seed), options_(options) {}

  Module Run() {
    m_.entry_point = "random";
    m_.stage = options_.stage;
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
    left_ = options_.instructions;
    while (left_ > 0) Step(0);
    // What lives at the end is visible, so that most of the module is not dead.
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

 private:
  bool IsFragment() const { return options_.stage == Stage::kFragment; }
  bool DrawsFragments() const { return options_.drawn && IsFragment(); }
  bool IsVertex() const { return options_.stage == Stage::kVertex; }
  bool IsGraphics() const { return IsFragment() || IsVertex(); }

  // ---- Values in scope ----

  void Define(ValueId v) { scope_[static_cast<int>(m_.value(v).type)].push_back(v); }

  ValueId Pick(Type type) {
    const std::vector<ValueId>& values = scope_[static_cast<int>(type)];
    if (!values.empty() && !random_.OneIn(6)) {
      // Recent values more often: long chains.
      const uint32_t n = static_cast<uint32_t>(values.size());
      return values[n - 1 - (random_.OneIn(2) ? random_.Below(n) : random_.Below(std::min(n, 4u)))];
    }
    switch (type) {
      case Type::kBool: return b_.Bool(random_.OneIn(2));
      case Type::kF16: return b_.Constant(type, InterestingHalf());
      case Type::kF32: return b_.Constant(type, InterestingFloat());
      case Type::kI64: return b_.Constant(type, uint64_t{InterestingInt()} << 32 | InterestingInt());
      default: return b_.Constant(type, InterestingInt() & MaskOf(type));
    }
  }

  uint32_t InterestingInt() {
    constexpr uint32_t kInts[] = {0, 1, 2, 3, 4, 7, 8, 31, 32, ~0u, 0x80000000u, 0x7fffffffu, 0xffffu};
    return random_.OneIn(4) ? random_.Next() : kInts[random_.Below(std::size(kInts))];
  }
  uint32_t InterestingFloat() {
    constexpr uint32_t kFloats[] = {0,          0x80000000u, 0x3f800000u, 0xbf800000u, 0x40000000u,
                                    0x3f000000u, 0x7f800000u, 0x7fc00000u, 0x4b800000u, 0x3eaaaaabu};
    if (random_.OneIn(3)) return kFloats[random_.Below(std::size(kFloats))];
    return (random_.Next() & 0x807fffffu) | ((117 + random_.Below(20)) << 23);
  }

  uint32_t InterestingHalf() {
    constexpr uint32_t kHalfs[] = {0, 0x8000, 0x3c00, 0xbc00, 0x4000, 0x3800, 0x7bff, 0x0400, 0x0001};
    return random_.OneIn(3) ? random_.Below(0x7c00) : kHalfs[random_.Below(std::size(kHalfs))];
  }

  Type AnyInteger() {
    constexpr Type kIntegers[] = {Type::kI32, Type::kI32, Type::kI16, Type::kI8, Type::kI64};
    return kIntegers[options_.types ? random_.Below(std::size(kIntegers)) : 0];
  }
  Type AnyFloat() { return options_.types && random_.OneIn(2) ? Type::kF16 : Type::kF32; }
  Type AnyArithmetic() {
    const uint32_t kind = random_.Below(options_.floats ? 3 : 2);
    return kind == 0 ? Type::kBool : kind == 1 ? AnyInteger() : AnyFloat();
  }

  struct Mark {
    size_t size[kNumTypes];
  };
  Mark Enter() const {
    Mark mark;
    for (int i = 0; i < kNumTypes; ++i) mark.size[i] = scope_[i].size();
    return mark;
  }
  void Leave(const Mark& mark) {
    for (int i = 0; i < kNumTypes; ++i) scope_[i].resize(mark.size[i]);
  }

  std::vector<Type> SomeTypes() {
    std::vector<Type> types(random_.Below(4));
    for (Type& t : types) t = AnyArithmetic();
    return types;
  }
  std::vector<ValueId> PickAll(const std::vector<Type>& types) {
    std::vector<ValueId> values;
    for (Type t : types) values.push_back(Pick(t));
    return values;
  }

  // ---- Statements ----

  void Step(int depth) {
    --left_;
    if (DrawsFragments()) {
      if (random_.OneIn(3)) return DrawnOperation(depth);
    } else {
      if (IsFragment() && random_.OneIn(4)) return FragmentOperation(depth);
      if (IsVertex() && random_.OneIn(5)) return VertexOperation();
      if (options_.subgroups && random_.OneIn(5)) return LaneOperation();
    }
    const uint32_t kind = random_.Below(100);
    if (kind < 70 || depth >= options_.max_depth) return Arithmetic();
    if (kind < 80) return MemoryAccess(depth);
    if (kind < 91) return IfStatement(depth);
    LoopStatement(depth);
  }

  void Block(int depth, uint32_t size) {
    for (uint32_t i = random_.Below(size + 1); i > 0 && left_ > 0; --i) Step(depth);
  }

  bool Allowed(Op op) const {
    const OpInfo& info = Info(op);
    if (!info.Has('P') || info.sources <= 0 || info.results != 1 || op == Op::kBitcast) {
      return op == Op::kBitcast && options_.floats && !options_.defined_only;
    }
    if (!options_.floats && info.signature.find_first_of("fs") != std::string_view::npos) return false;
    if (info.signature.find_first_of("jg") != std::string_view::npos) return false;
    switch (op) {
      case Op::kFrsq:
      case Op::kFexp2:
      case Op::kFlog2:
      case Op::kFsin:
      case Op::kFcos:
      case Op::kFpow: return false;
      case Op::kFdiv:
      case Op::kFrcp:
      case Op::kFsqrt:
      case Op::kFrem:
      case Op::kFmod:
      case Op::kFsign: return !options_.defined_only;
      default: return true;
    }
  }

  void Arithmetic() {
    if (options_.types && random_.OneIn(5)) return Conversion();
    Op op;
    do {
      op = static_cast<Op>(random_.Below(kDrawnOps));
    } while (!Allowed(op));
    const std::string_view signature = Info(op).signature;
    const Type any = AnyArithmetic();
    const Type number = CountsBits(op) ? Type::kI32 : AnyInteger();
    const Type integer_or_bool = random_.OneIn(4) ? Type::kBool : number;
    const Type real = AnyFloat();
    std::vector<ValueId> sources;
    for (char c : signature.substr(signature.find('=') + 1)) {
      sources.push_back(Pick(c == 'u' ? Type::kI32
                             : c == 'i' ? number
                             : c == 's' ? Type::kF32
                             : c == 'f' ? real
                             : c == 'b' ? Type::kBool
                             : c == 'n' ? integer_or_bool
                             : c == 't' ? any
                             : random_.OneIn(2) ? Type::kI32
                                                : Type::kF32));
    }
    if (options_.defined_only) Confine(op, sources);
    const ValueId result = b_.Emit(op, sources);
    Define(result);
    if (options_.defined_only && signature[0] == 'f') {
      m_.inst(InstId(m_.value(result).owner)).flags |= kNoContraction;
    }
  }

  // SPIR-V has these for 32 bits.
  static bool CountsBits(Op op) {
    switch (op) {
      case Op::kBitReverse:
      case Op::kBitCount:
      case Op::kFindLsb:
      case Op::kFindUmsb:
      case Op::kFindSmsb: return true;
      default: return false;
    }
  }

  void Conversion() {
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

  void ClearPrivate() {
    for (uint32_t array = 0; array < m_.private_arrays.size(); ++array) {
      if (array == kTable) continue;
      for (uint32_t byte = 0; byte < m_.private_arrays[array].bytes; byte += 4) {
        b_.Store(Op::kStorePrivate, array, b_.Int(byte), {b_.Int(0)});
      }
    }
  }

  // Small positive divisors, offsets and counts of bit fields below half the bits, no half of a NaN, and the half of one zero.
  void Confine(Op op, std::vector<ValueId>& sources) {
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
      case Op::kF2f16:   // of which NaN the bits are is open, and of which zero a maximum is
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
      default:
        break;
    }
  }

  void StoreOutput(uint32_t dword, ValueId v) {
    b_.Store(Op::kStoreSsbo, 0, b_.Iadd(base_, b_.Int(4 * dword)), {v});
  }

  ValueId LastValue() {
    if (options_.types && random_.OneIn(2)) {
      const ValueId v = PickTyped(AnyInteger());
      DefineTyped(v);
      return scope_[static_cast<int>(Type::kI32)].back();
    }
    return Pick(random_.OneIn(2) ? Type::kI32 : Type::kF32);
  }

  void DefineResults(InstId load) {
    for (int i = 0; i < m_.inst(load).num_results; ++i) Define(m_.result(load, i));
  }

  void MemoryAccess(int depth) {
    const Type dwords[] = {Type::kI32, options_.floats ? Type::kF32 : Type::kI32, Type::kI32};
    const absl::Span<const Type> types(dwords, 1 + random_.Below(3));
    if (random_.OneIn(4)) return OwnMemory();
    if (random_.OneIn(8)) return SharedReads();
    // Any offset: what lies outside reads as 0.
    const ValueId offset = b_.And(Pick(Type::kI32), b_.Int(random_.OneIn(8) ? 0x3fc : 0xfc));
    switch (random_.Below(options_.memory ? 9 : 4)) {
      case 0: return StoreOutput(random_.Below(8), Pick(Type::kI32));
      case 1: return DefineResults(b_.Load(Op::kLoadSsbo, 0, base_, types));
      case 2: return DefineResults(b_.Load(Op::kLoadSsbo, 1, offset, types));
      case 3: return DefineResults(b_.Load(Op::kLoadUbo, 2, offset, types));
      case 4: return DefineResults(b_.Load(Op::kLoadPush, 0, offset, types));
      case 5: return DefineResults(b_.Load(Op::kLoadConstant, 0, b_.And(offset, b_.Int(28)), types));
      case 6: {
        const uint32_t array = random_.Below(2);
        b_.Store(Op::kStorePrivate, array, PrivateOffset(array, offset), PickStored());
        return;
      }
      case 7: {
        if (random_.OneIn(2)) {
          return DefineResults(b_.Load(Op::kLoadPrivate, kTable, b_.And(offset, b_.Int(28)),
                                       types.subspan(0, 1)));
        }
        const uint32_t array = random_.Below(2);
        return DefineResults(
            b_.Load(Op::kLoadPrivate, array, PrivateOffset(array, offset), types));
      }
      default:
        if (depth == 0 && !IsGraphics()) Exchange();
        return;
    }
  }

  // Accesses of several kinds and sizes close together, in the lane's own part of a buffer, by the
  // buffer's address, or of shared memory: what combines, forwards or removes accesses must see
  // which of them overlap.
  void OwnMemory() {
    constexpr Type kElements[] = {Type::kI32, Type::kI32, Type::kI32,
                                  Type::kI16, Type::kI8,  Type::kI64};
    const OwnPart part = PickOwnPart();
    for (uint32_t i = 2 + random_.Below(4); i > 0; --i) {
      const Type type = kElements[random_.Below(options_.types ? 6 : 5)];
      const uint32_t bytes = BytesOf(type);
      const uint32_t count = 1 + random_.Below(type == Type::kI64 ? 2 : 3);
      const uint32_t place = random_.Below(part.bytes / bytes - count + 1) * bytes;
      const Builder::Address at = Place(part, place);
      switch (random_.Below(type == Type::kI32 || type == Type::kI64 ? 3 : 2)) {
        case 0: {
          std::vector<ValueId> values;
          for (uint32_t c = 0; c < count; ++c) values.push_back(PickTyped(type));
          if (part.memory == Op::kLoadGlobal) {
            b_.StoreGlobal(at, values, bytes);
          } else {
            b_.Store(part.memory == Op::kLoadShared ? Op::kStoreShared : Op::kStoreSsbo, 0, at[0],
                     values, bytes);
          }
          break;
        }
        case 1: {
          const std::vector<Type> types(count, type);
          const InstId load = part.memory == Op::kLoadGlobal
                                  ? b_.LoadGlobal(at, types, bytes)
                                  : b_.Load(part.memory, 0, at[0], types, bytes);
          for (uint32_t c = 0; c < count; ++c) DefineTyped(m_.result(load, static_cast<int>(c)));
          break;
        }
        default:
          OwnAtomic(part, at, type);
          break;
      }
    }
  }

  // Reads around a place that all lanes share: what makes blocks of them must see where they end.
  void SharedReads() {
    constexpr Type kElements[] = {Type::kI32, Type::kI32, Type::kI16, Type::kI8, Type::kI64};
    const Op op = random_.OneIn(2) ? Op::kLoadSsbo : Op::kLoadUbo;
    const InstId known = b_.Load(op, op == Op::kLoadSsbo ? 1 : 2, b_.Int(4 * random_.Below(16)),
                                 {Type::kI32});
    // Never in front of the buffer: neighbours of what is not inside may be read as that is.
    const ValueId place = b_.Imax(b_.And(m_.result(known, 0), b_.Int(0x78)), b_.Int(32));
    for (uint32_t i = 2 + random_.Below(4); i > 0; --i) {
      const Type type = kElements[random_.Below(options_.types ? 5 : 2)];
      const uint32_t bytes = BytesOf(type);
      const uint32_t at = (random_.Below(96 / bytes) * bytes) - 32;
      const std::vector<Type> types(1 + random_.Below(3), type);
      const InstId load = b_.Load(op, op == Op::kLoadSsbo ? 1 : 2, b_.Iadd(place, b_.Int(at)),
                                  types, bytes);
      for (int r = 0; r < m_.inst(load).num_results; ++r) DefineTyped(m_.result(load, r));
    }
  }

  struct OwnPart {
    Op memory;       // the op that loads
    ValueId base;    // byte offset
    uint32_t bytes;
  };

  OwnPart PickOwnPart() {
    constexpr uint32_t kOwnDwords = kOutputDwords / 2;
    const uint32_t kind = random_.Below(options_.types ? 3 : 2);
    if (kind == 0 && options_.memory && !IsGraphics()) {
      const ValueId base = b_.Iadd(b_.Imul(lane_, b_.Int(kOwnSharedBytes)), b_.Int(4 * options_.lanes));
      return {Op::kLoadShared, base, kOwnSharedBytes};
    }
    return {kind == 2 ? Op::kLoadGlobal : Op::kLoadSsbo, base_, 4 * kOwnDwords};
  }

  Builder::Address Place(const OwnPart& part, uint32_t byte) {
    const ValueId offset = b_.Iadd(part.base, b_.Int(byte));
    if (part.memory != Op::kLoadGlobal) return {offset, ValueId()};
    const InstId buffer = b_.EmitInst(Op::kSsboAddress, {}, {Type::kI32, Type::kI32}, 0);
    const ValueId low = m_.result(buffer, 0);
    return {b_.Iadd(low, offset), b_.Iadd(m_.result(buffer, 1), b_.UaddCarry(low, offset))};
  }

  void OwnAtomic(const OwnPart& part, const Builder::Address& at, Type type) {
    if (part.memory == Op::kLoadShared && type == Type::kI64) return;  // the hardware has none
    const ValueId v = PickTyped(type);
    if (part.memory == Op::kLoadGlobal) {
      return DefineTyped(OfTargets(b_.GlobalAtomic(AtomicOp::kXor, at, {v}, type)));
    }
    const Op op = part.memory == Op::kLoadShared ? Op::kSharedAtomic : Op::kSsboAtomic;
    DefineTyped(OfTargets(b_.Atomic(op, AtomicOp::kXor, 0, at[0], {v}, type)));
  }

  // What helpers get from atomics is undefined: of those that are drawn, 0 instead.
  ValueId OfTargets(ValueId v) {
    if (!DrawsFragments()) return v;
    const ValueId helps = b_.HelperInvocation();
    return b_.Select(helps, b_.Constant(m_.value(v).type, 0), v);
  }

  void Barrier() {
    b_.EmitInst(Op::kControlBarrier, {}, {}, kMemoryShared,
                static_cast<uint32_t>(Scope::kWorkgroup));
  }

  // The last private array holds constants only.
  void StoreTable() {
    std::vector<ValueId> values;
    for (int i = 0; i < 8; ++i) values.push_back(b_.Int(InterestingInt()));
    b_.Store(Op::kStorePrivate, kTable, b_.Int(0), values);
  }

  // Inside the array for accesses of up to three dwords; often constant, and in the second array
  // always.
  ValueId PrivateOffset(uint32_t array, ValueId any) {
    if (array == 1) return b_.Int(0);
    if (random_.OneIn(2)) return b_.Int(4 * random_.Below(8));
    return random_.OneIn(2) ? b_.And(any, b_.Int(28))
                            : b_.Iadd(b_.Imul(b_.And(any, b_.Int(1)), b_.Int(12)), b_.Int(12));
  }

  std::vector<ValueId> PickStored() {
    std::vector<ValueId> values;
    for (uint32_t i = random_.Below(3) + 1; i > 0; --i) values.push_back(Pick(Type::kI32));
    return values;
  }

  // Every lane publishes a value and reads another lane's.
  void Exchange() {
    const ValueId four = b_.Int(4);
    Barrier();
    b_.Store(Op::kStoreShared, 0, b_.Imul(lane_, four), {Pick(Type::kI32)});
    Barrier();
    const ValueId other = b_.Urem(Pick(Type::kI32), b_.Int(options_.lanes));
    const Type type = Type::kI32;
    DefineResults(b_.Load(Op::kLoadShared, 0, b_.Imul(other, four), {type}));
  }

  // ---- Fragments ----

  void DeclareInterface() {
    Interface smooth = {.components = 4, .type = Type::kF32};
    Interface number = {.location = 1, .type = Type::kI32, .interpolation = Interpolation::kFlat};
    Interface array = {.location = 2, .components = 2, .array = true, .elements = 3,
                       .type = Type::kF32, .interpolation = Interpolation::kNoPerspective,
                       .auxiliary = Auxiliary::kCentroid};
    m_.inputs = {smooth, number, array};
    Interface integer = {.location = 1, .type = Type::kI32};
    m_.outputs = {smooth, integer};
  }

  void WriteOutput() {
    if (random_.OneIn(2)) {
      b_.StoreOutput(kIntOutput, 0, {Pick(Type::kI32)});
    } else {
      const uint32_t first = random_.Below(4);
      std::vector<ValueId> values;
      for (uint32_t c = first; c < 4; ++c) values.push_back(Pick(Type::kF32));
      b_.StoreOutput(kColourOutput, first, values);
    }
  }

  // ---- Vertices ----

  void DeclareVertex() {
    m_.inputs = {{.components = 4, .type = Type::kF32},
                 {.location = 1, .components = 2, .type = Type::kI32},
                 {.location = 2, .components = 2, .array = true, .elements = 3, .type = Type::kF32},
                 {.builtin = BuiltIn::kVertexIndex, .type = Type::kI32},
                 {.builtin = BuiltIn::kInstanceIndex, .type = Type::kI32}};
    m_.outputs = {{.components = 4, .type = Type::kF32},
                  {.location = 1, .components = 2, .array = true, .elements = 3, .type = Type::kI32},
                  {.builtin = BuiltIn::kPosition, .components = 4, .type = Type::kF32,
                   .invariant = true},
                  {.builtin = BuiltIn::kClipDistance, .array = true, .elements = 4,
                   .type = Type::kF32}};
  }

  // What a draw gives and takes besides. Variables share locations 2 to 4 and 0; distances end in the
  // second of their slots; some outputs are left out, so that headers are written in part.
  void DeclareDrawnVertex() {
    m_.denorms_f16 = mir::DenormMode::kPreserve;   // at the start nothing says which mode holds
    m_.inputs.insert(m_.inputs.end(),
                     {{.builtin = BuiltIn::kBaseVertex, .type = Type::kI32},
                      {.builtin = BuiltIn::kBaseInstance, .type = Type::kI32},
                      {.builtin = BuiltIn::kDrawIndex, .type = Type::kI32},
                      {.location = 2, .component = 3, .type = Type::kF32},
                      {.location = 6, .component = 1, .components = 2, .type = Type::kF32},
                      {.location = 9, .components = 4, .array = true, .elements = 2,
                       .type = Type::kI32}});
    m_.outputs.back().elements = 1 + random_.Below(6);   // clip distances
    const Interface others[] = {
        {.location = 1, .component = 2, .type = Type::kF32},
        {.location = 8, .component = 1, .components = 3, .type = Type::kI32, .invariant = true},
        {.builtin = BuiltIn::kCullDistance, .array = true, .elements = 2, .type = Type::kF32},
        {.builtin = BuiltIn::kPointSize, .type = Type::kF32},
        {.builtin = BuiltIn::kLayer, .type = Type::kI32},
        {.builtin = BuiltIn::kViewportIndex, .type = Type::kI32}};
    for (const Interface& v : others) {
      if (!random_.OneIn(3)) m_.outputs.push_back(v);
    }
    if (options_.types) DeclareNarrowVertex();
    for (std::vector<Interface>* list : {&m_.inputs, &m_.outputs}) {
      std::sort(list->begin(), list->end(), [](const Interface& a, const Interface& b) {
        return std::tuple(a.builtin != BuiltIn::kNone, a.location, a.component, a.builtin) <
               std::tuple(b.builtin != BuiltIn::kNone, b.location, b.component, b.builtin);
      });
    }
  }

  void DeclareNarrowVertex() {
    m_.inputs.push_back({.location = 7, .components = 3, .type = Type::kF16});
    m_.inputs.push_back({.location = 8, .components = 2, .type = Type::kI16});
    m_.outputs.push_back({.location = 9, .components = 2, .type = Type::kF16});
    m_.outputs.push_back({.location = 10, .component = 2, .components = 2, .type = Type::kI16});
  }

  // Every run of a draw its own, whichever its numbers begin with.
  ValueId NumberOfRun() {
    const auto input = [&](BuiltIn builtin) {
      uint32_t i = 0;
      while (m_.inputs[i].builtin != builtin) ++i;
      return m_.result(b_.LoadInput(i, 0, 1));
    };
    const ValueId vertex = b_.Isub(input(BuiltIn::kVertexIndex), input(BuiltIn::kBaseVertex));
    const ValueId instance = b_.Isub(input(BuiltIn::kInstanceIndex), input(BuiltIn::kBaseInstance));
    return b_.Iadd(b_.Imul(instance, b_.Int(kDrawnVertices)), vertex);
  }

  // Some components, of an element that is known or not.
  void WriteVertexOutput() {
    const auto output = random_.Below(static_cast<uint32_t>(m_.outputs.size()));
    const Interface v = m_.outputs[output];
    const uint32_t first = random_.Below(v.components);
    std::vector<ValueId> values;
    for (uint32_t c = first; c < v.components; ++c) values.push_back(Pick(v.type));
    b_.StoreOutput(output, first, values, v.array ? Element(v) : ValueId());
  }

  // At the end, as the importer has it: some elements, of these some components.
  void WriteDrawnVertex() {
    for (uint32_t i = 0; i < m_.outputs.size(); ++i) {
      const Interface v = m_.outputs[i];
      for (uint32_t element = 0; element < v.elements; ++element) {
        if (random_.OneIn(5)) continue;
        const uint32_t first = random_.Below(v.components);
        std::vector<ValueId> values;
        for (uint32_t c = first; c < v.components; ++c) values.push_back(OfOneZero(Pick(v.type)));
        b_.StoreOutput(i, first, values, v.array ? b_.Int(element) : ValueId());
      }
    }
  }

  ValueId Element(const Interface& v) {
    if (random_.OneIn(2)) return b_.Int(random_.Below(v.elements));
    return b_.Urem(Pick(Type::kI32), b_.Int(v.elements));
  }

  void VertexOperation() {
    if (!options_.drawn && random_.OneIn(2)) return WriteVertexOutput();
    const auto input = random_.Below(static_cast<uint32_t>(m_.inputs.size()));
    const Interface v = m_.inputs[input];
    const uint32_t first = random_.Below(v.components);
    DefineResults(b_.LoadInput(input, first, 1 + random_.Below(v.components - first),
                               v.array ? Element(v) : ValueId()));
  }

  void FragmentOperation(int depth) {
    switch (random_.Below(8)) {
      case 0: return Define(b_.HelperInvocation());
      case 1: return WriteOutput();
      case 2: return Kill(depth);
      case 3: return Define(Interpolated());
      case 4: {
        const ValueId element = b_.Urem(Pick(Type::kI32), b_.Int(3));
        return DefineResults(random_.OneIn(2) ? b_.LoadInput(kSmoothInput, 1, 1 + random_.Below(3))
                                              : b_.LoadInput(kArrayInput, 0, 2, element));
      }
      default: {
        const auto mode = static_cast<DerivativeMode>(random_.Below(3));
        const Op op = random_.OneIn(2) ? Op::kDdx : Op::kDdy;
        // No NaN: of which kind it is depends on the order of operands.
        const ValueId v = b_.Emit(Op::kFsaturate, {Pick(Type::kF32)});
        return Define(b_.Derivative(op, v, mode));
      }
    }
  }

  // Of few lanes, so that some are left; demotes more often than ends.
  void Kill(int depth) {
    constexpr Op kKills[] = {Op::kDemote, Op::kDemote, Op::kDiscard, Op::kTerminate};
    const ValueId bits = b_.And(b_.Iadd(Pick(Type::kI32), lane_), b_.Int(7));
    const ValueId few = b_.Ieq(bits, b_.Int(random_.Below(8)));
    const ValueId condition = random_.OneIn(3) ? b_.And(few, Pick(Type::kBool)) : few;
    const Op op = kKills[random_.Below(depth == 0 ? 2 : 4)];
    if (random_.OneIn(2)) return b_.Kill(op, condition);
    KillInIf(op, condition);
  }

  // As SPIR-V has it: a side that only kills, perhaps on a condition of its own, and ends there or
  // not.
  void KillInIf(Op op, ValueId condition) {
    const size_t side = random_.Below(2);
    const InstId branch = b_.If(side == 0 ? condition : b_.Not(condition));
    const Builder::Place place = b_.place();
    b_.SetRegion(m_.inst(branch).regions[1 - side]);
    b_.Yield();
    b_.SetRegion(m_.inst(branch).regions[side]);
    const bool ends = op != Op::kDemote && random_.OneIn(2);
    b_.Kill(op,
            ends || random_.OneIn(2) ? b_.Bool(true) : b_.Ult(lane_, b_.Int(random_.Below(16))));
    ends ? b_.Unreachable() : b_.Yield();
    b_.SetPlace(place);
  }

  ValueId Interpolated() {
    const auto at = static_cast<InterpolateAt>(random_.Below(3));
    std::vector<ValueId> sources;
    if (at == InterpolateAt::kSample) sources.push_back(b_.And(Pick(Type::kI32), b_.Int(3)));
    if (at == InterpolateAt::kOffset) {
      for (int i = 0; i < 2; ++i) {
        sources.push_back(b_.Fsub(b_.Emit(Op::kFsaturate, {Pick(Type::kF32)}), b_.Float(0.5f)));
      }
    }
    return m_.result(b_.EmitInst(Op::kInterpolate, sources, {Type::kF32}, kSmoothInput,
                                 PackInterpolateAt(at, random_.Below(4))));
  }

  // ---- Fragments of a draw ----
  //
  // What differs between targets is not used: derivatives and reads in quads of which a lane is
  // missing, what helpers get from atomics, operations of subgroups with helpers among them. A lane
  // that is discarded may go on as a helper or not; where one may have been, only quads without
  // helpers count as whole. Outputs are written at the end, as the importer has it.

  bool PerSample() const { return m_.fragment.sample_rate && options_.samples > 1; }

  void DeclareDrawn() {
    discards_ = random_.OneIn(2);
    m_.fragment.sample_rate = options_.samples > 1 && random_.OneIn(3);
    m_.denorms_f16 = mir::DenormMode::kPreserve;   // at the start nothing says which mode holds
    Interface smooth = {.components = 4, .type = Type::kF32};
    Interface number = {.location = 1, .components = 2, .type = Type::kI32,
                        .interpolation = Interpolation::kFlat};
    Interface array = {.location = 2, .components = 2, .array = true, .elements = 3,
                       .type = Type::kF32, .interpolation = Interpolation::kNoPerspective,
                       .auxiliary = Auxiliary::kCentroid};
    Interface linear = {.location = 5, .component = 1, .components = 3, .type = Type::kF32,
                        .interpolation = Interpolation::kNoPerspective};
    Interface flat = {.location = 6, .type = Type::kF32, .interpolation = Interpolation::kFlat};
    Interface coord = {.builtin = BuiltIn::kFragCoord, .components = 4, .type = Type::kF32};
    Interface facing = {.builtin = BuiltIn::kFrontFacing, .type = Type::kBool};
    Interface primitive = {.builtin = BuiltIn::kPrimitiveId, .type = Type::kI32};
    Interface sample = {.builtin = BuiltIn::kSampleId, .type = Type::kI32};
    Interface mask = {.builtin = BuiltIn::kSampleMask, .array = true, .type = Type::kI32};
    m_.inputs = {smooth, number, array, linear, flat, coord, facing, primitive};
    if (PerSample()) m_.inputs.push_back(sample);
    m_.inputs.push_back(mask);
    Interface integer = {.location = 1, .type = Type::kI32};
    Interface pair = {.location = 2 + random_.Below(4), .component = 1, .components = 2,
                      .type = Type::kI32};
    Interface depth = {.builtin = BuiltIn::kFragDepth, .type = Type::kF32};
    m_.outputs = {smooth, integer, pair};
    const bool early = random_.OneIn(8);
    m_.fragment.early_tests = early;
    if (!early && random_.OneIn(3)) {
      m_.fragment.depth = static_cast<DepthMode>(1 + random_.Below(3));
    }
    if (!early && random_.OneIn(4)) m_.outputs.push_back(mask);
    if (m_.fragment.depth != DepthMode::kNone) m_.outputs.push_back(depth);
    m_.resources.push_back({.kind = ResourceKind::kCombinedImageSampler, .binding = kTexture});
    m_.resources.push_back({.kind = ResourceKind::kStorageImage,
                            .binding = kImage,
                            .image = {.component = mir::ComponentType::kUint,
                                      .format = mir::ImageFormat::kR32ui}});
  }

  // By place in the target, and by sample if each has an invocation.
  void NumberTheFragment() {
    const InstId at = b_.LoadInput(kCoordInput, 0, 2);
    x_ = b_.Convert(Op::kF2u, m_.result(at, 0), Type::kI32);
    y_ = b_.Convert(Op::kF2u, m_.result(at, 1), Type::kI32);
    lane_ = b_.Iadd(b_.Imul(y_, b_.Int(kDrawnEdge)), x_);
    if (PerSample()) {
      const ValueId sample = m_.result(b_.LoadInput(kSampleInput, 0, 1));
      lane_ = b_.Iadd(b_.Imul(lane_, b_.Int(options_.samples)), sample);
    }
    Define(lane_);
    Define(x_);
    Define(y_);
  }

  // Which zero a minimum of both, or a saturated zero, is nobody says.
  ValueId OfOneZero(ValueId v) {
    const Type type = m_.value(v).type;
    if (!options_.drawn || !IsFloat(type)) return v;
    const ValueId zero = b_.Constant(type, 0);
    return b_.Select(b_.Feq(v, zero), zero, v);
  }

  void WriteDrawnOutputs() {
    for (uint32_t i = 0; i < m_.outputs.size(); ++i) {
      const Interface& v = m_.outputs[i];
      const bool builtin = v.builtin != BuiltIn::kNone;
      if (!builtin && random_.OneIn(5)) continue;
      const uint32_t first = random_.Below(v.components);
      std::vector<ValueId> values;
      for (uint32_t c = first; c < v.components; ++c) values.push_back(OfOneZero(Pick(v.type)));
      if (v.builtin == BuiltIn::kFragDepth) values[0] = b_.Emit(Op::kFsaturate, {values[0]});
      b_.StoreOutput(i, first, values, v.array ? b_.Int(0) : ValueId());
    }
  }

  void DrawnOperation(int depth) {
    switch (random_.Below(12)) {
      case 0: return Define(b_.HelperInvocation());
      case 1:
      case 2: return DrawnKill(depth);
      case 3: return PerSample() ? DrawnInput() : Define(DrawnInterpolation());
      case 4:
      case 5: return DrawnInput();
      case 6: return DrawnSample();
      case 7: return PerSample() ? DrawnSample() : ImageAccess();
      case 8: return CommonAtomic();
      case 9: return LanesOfTargets();
      case 10: return QuadRead();
      default: return DrawnDerivative();
    }
  }

  void DrawnInput() {
    switch (random_.Below(7)) {
      case 0:
      case 1: {
        const uint32_t first = random_.Below(4);
        return DefineResults(b_.LoadInput(kSmoothInput, first, 1 + random_.Below(4 - first)));
      }
      case 2: {
        const ValueId element = b_.Urem(Pick(Type::kI32), b_.Int(3));
        return DefineResults(
            b_.LoadInput(kArrayInput, 0, 2, random_.OneIn(2) ? element : b_.Int(1)));
      }
      case 3: {
        const uint32_t first = random_.Below(3);
        return DefineResults(b_.LoadInput(kLinearInput, first, 1 + random_.Below(3 - first)));
      }
      case 4: return DefineResults(b_.LoadInput(random_.OneIn(2) ? kFlatInput : kNumberInput, 0, 1));
      case 5: return DefineResults(b_.LoadInput(kCoordInput, 2, 1));
      default: {
        const uint32_t kind = random_.Below(3);
        const auto mask = static_cast<uint32_t>(m_.inputs.size()) - 1;
        if (kind == 2) return DefineResults(b_.LoadInput(mask, 0, 1, b_.Int(0)));
        return DefineResults(b_.LoadInput(kind == 0 ? kFacingInput : kPrimitiveInput, 0, 1));
      }
    }
  }

  // Of offsets 16ths, as targets cut them.
  ValueId DrawnInterpolation() {
    auto at = static_cast<InterpolateAt>(random_.Below(3));
    // One of several samples is not compiled (core/intel/LOWERINGS.md).
    if (at == InterpolateAt::kSample && options_.samples > 1) at = InterpolateAt::kCentroid;
    std::vector<ValueId> sources;
    if (at == InterpolateAt::kSample) sources.push_back(b_.Int(0));
    const bool constant = random_.OneIn(2);
    for (int i = 0; i < 2 && at == InterpolateAt::kOffset; ++i) {
      const ValueId chosen =
          b_.Fsub(b_.Fmul(b_.Ffloor(b_.Fmul(Fraction(), b_.Float(15))), b_.Float(0.0625f)),
                  b_.Float(0.5f));
      sources.push_back(
          constant ? b_.Float((static_cast<float>(random_.Below(16)) - 8) / 16) : chosen);
    }
    return m_.result(b_.EmitInst(Op::kInterpolate, sources, {Type::kF32}, kLinearInput,
                                 PackInterpolateAt(at, random_.Below(3))));
  }

  ValueId Fraction() { return b_.Emit(Op::kFsaturate, {Pick(Type::kF32)}); }

  // Few lanes each time, at any depth.
  void DrawnKill(int depth) {
    if (kills_++ >= 4) return Define(b_.HelperInvocation());
    constexpr Op kKills[] = {Op::kDemote, Op::kTerminate, Op::kDiscard, Op::kDiscard};
    const Op op = kKills[random_.Below(discards_ ? 4 : 2)];
    discarded_ |= op == Op::kDiscard;
    const ValueId bits = b_.And(b_.Iadd(Pick(Type::kI32), lane_), b_.Int(7));
    const ValueId few = b_.Ieq(bits, b_.Int(random_.Below(8)));
    const ValueId condition = random_.OneIn(3) ? b_.And(few, Pick(Type::kBool)) : few;
    if (random_.OneIn(2) || depth >= options_.max_depth) return b_.Kill(op, condition);
    KillInIf(op, condition);
  }

  // Lanes of the quad that count, a bit each.
  ValueId QuadMask() {
    const bool strict = discarded_ || (discards_ && !fuel_.empty());
    const ValueId counts = strict ? b_.Not(b_.HelperInvocation()) : b_.Bool(true);
    const InstId ballot = b_.EmitInst(Op::kBallot, {counts}, kFourInts);
    const ValueId first = b_.And(b_.SubgroupInvocation(), b_.Int(~3u));
    return b_.And(b_.Ushr(m_.result(ballot, 0), first), b_.Int(15));
  }
  ValueId QuadIsWhole() { return b_.Ieq(QuadMask(), b_.Int(15)); }

  // Those that are not fine only where they are the same as fine ones: in the first row or column.
  void DrawnDerivative() {
    const auto mode = static_cast<DerivativeMode>(random_.Below(3));
    const Op op = random_.OneIn(2) ? Op::kDdx : Op::kDdy;
    const ValueId v = Fraction();
    ValueId defined = QuadIsWhole();
    if (mode != DerivativeMode::kFine) {
      const ValueId bit = b_.And(b_.SubgroupInvocation(), b_.Int(op == Op::kDdx ? 2 : 1));
      defined = b_.And(defined, b_.Ieq(bit, b_.Int(0)));
    }
    Define(b_.Select(defined, b_.Derivative(op, v, mode), b_.Float(0)));
  }

  void QuadRead() {
    const ValueId v = PickTyped(AnyType());
    const uint32_t n = 1 + random_.Below(3);
    const ValueId mask = QuadMask();
    const bool swap = random_.OneIn(2);
    const ValueId mine = b_.And(b_.SubgroupInvocation(), b_.Int(3));
    const ValueId lane = swap ? b_.Xor(mine, b_.Int(n)) : b_.Int(n);
    const ValueId read = b_.Emit(swap ? Op::kQuadSwap : Op::kQuadBroadcast, {v}, n);
    const ValueId on = b_.Ine(b_.And(b_.Ushr(mask, lane), b_.Int(1)), b_.Int(0));
    DefineTyped(b_.Select(on, read, b_.Constant(m_.value(v).type, 0)));
  }

  // Whether helpers take part in subgroups is open: none of them comes here.
  void LanesOfTargets() {
    const InstId branch = b_.If(b_.Not(b_.HelperInvocation()));
    const Builder::Place place = b_.place();
    const std::vector<Type> types = {Type::kI32, Type::kBool,
                                     options_.floats ? Type::kF32 : Type::kI32};
    const Mark mark = Enter();
    b_.SetRegion(m_.inst(branch).regions[0]);
    for (uint32_t i = 1 + random_.Below(3); i > 0; --i) LaneOperation();
    b_.Yield(PickAll(types));
    Leave(mark);
    b_.SetRegion(m_.inst(branch).regions[1]);
    b_.Yield(PickAll(types));
    b_.SetPlace(place);
    SetResults(m_, branch, types);
    DefineResults(branch);
  }

  // In a place of all fragments, behind their own: operations whose order is nothing to the result.
  void CommonAtomic() {
    constexpr AtomicOp kAtomics[] = {AtomicOp::kAdd, AtomicOp::kUmax, AtomicOp::kSmin,
                                     AtomicOp::kXor, AtomicOp::kOr};
    const uint32_t which = random_.Below(std::size(kAtomics));
    const uint32_t at = 4 * (DrawnFragments(options_.samples) * kOutputDwords + which);
    b_.Atomic(Op::kSsboAtomic, kAtomics[which], 0, b_.Int(at), {Pick(Type::kI32)});
  }

  // The fragment's own texel; there are none beyond the image.
  void ImageAccess() {
    const uint32_t plain = AddTexelOp(m_, {});
    switch (random_.Below(3)) {
      case 0: {
        std::vector<ValueId> sources = {x_, y_};
        for (int c = 0; c < 4; ++c) sources.push_back(Pick(Type::kI32));
        b_.EmitInst(Op::kImageStore, sources, {}, kImage, plain);
        return;
      }
      case 1: {
        const InstId load = b_.EmitInst(Op::kImageLoad, {x_, y_}, kFourInts, kImage, plain);
        return Define(m_.result(load, 0));
      }
      default: {
        TexelOp texel;
        texel.atomic = random_.OneIn(2) ? AtomicOp::kAdd : AtomicOp::kExchange;
        const InstId atomic = b_.EmitInst(Op::kImageAtomic, {x_, y_, Pick(Type::kI32)},
                                          {Type::kI32}, kImage, AddTexelOp(m_, texel));
        return Define(OfTargets(m_.result(atomic)));
      }
    }
  }

  // Between texels nowhere near a border between two, in few bits: filters are exact.
  ValueId TextureCoordinate() {
    const ValueId cut = b_.Ffloor(b_.Fmul(Fraction(), b_.Float(64)));
    return b_.Fadd(b_.Fmul(cut, b_.Float(1.0f / 64)), b_.Float(1.0f / 128));
  }

  void DrawnSample() {
    constexpr Type kFourFloats[] = {Type::kF32, Type::kF32, Type::kF32, Type::kF32};
    TexelOp texel;
    std::vector<ValueId> sources;
    Op op = Op::kSample;
    const uint32_t kind = random_.Below(5);
    switch (kind) {
      case 0:
        op = Op::kFetch;
        texel.params = mir::kTexelLod;
        sources = {b_.And(Pick(Type::kI32), b_.Int(7)), b_.And(Pick(Type::kI32), b_.Int(3)),
                   b_.And(Pick(Type::kI32), b_.Int(1))};
        break;
      case 1:
        texel.params = mir::kTexelLod;
        sources = {TextureCoordinate(), TextureCoordinate(),
                   b_.Float(static_cast<float>(random_.Below(2)))};
        break;
      case 2:
        op = Op::kGather;
        texel.component = static_cast<uint8_t>(random_.Below(4));
        sources = {TextureCoordinate(), TextureCoordinate()};
        break;
      default: {
        // Whole levels: a pixel is half a texel, one or two.
        op = Op::kSampleImplicit;
        const float scale = 1.0f / static_cast<float>(4u << random_.Below(3));
        const ValueId x = m_.result(b_.LoadInput(kCoordInput, 0, 1));
        sources = {b_.Fmul(x, b_.Float(scale)),
                   b_.Float(static_cast<float>(random_.Below(64)) / 64 + 1.0f / 128)};
        if (kind == 4) {
          texel.params = mir::kTexelBias;
          sources.push_back(b_.Float(static_cast<float>(random_.Below(2))));
        }
        break;
      }
    }
    const InstId load = b_.EmitInst(op, sources, kFourFloats, kTexture, AddTexelOp(m_, texel));
    if (op != Op::kSampleImplicit) return DefineResults(load);
    const ValueId whole = QuadIsWhole();
    for (int c = 0; c < 4; ++c) Define(b_.Select(whole, m_.result(load, c), b_.Float(0)));
  }

  // ---- Operations between lanes ----

  void LaneOperation() {
    switch (random_.Below(5)) {
      case 0: return Vote();
      case 1: return LaneRead();
      default: return ScanOrReduce();
    }
  }

  void Vote() {
    const ValueId vote = Pick(Type::kBool);
    switch (random_.Below(4)) {
      case 0: return Define(b_.Emit(Op::kSubgroupElect, {}));
      case 1: return Define(b_.Emit(Op::kSubgroupAny, {vote}));
      case 2: return Define(b_.Emit(Op::kSubgroupAll, {vote}));
      default: return DefineResults(b_.EmitInst(Op::kBallot, {vote}, kFourInts));
    }
  }

  // Some value of the type, which may be one that the rest of the program does not compute with.
  ValueId PickTyped(Type type) {
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
  void DefineTyped(ValueId v) {
    switch (m_.value(v).type) {
      case Type::kI8:
      case Type::kI16: return Define(b_.Convert(Op::kZext, v, Type::kI32));
      case Type::kI64:
        Define(b_.Convert(Op::kTrunc, v, Type::kI32));
        return Define(b_.Convert(Op::kTrunc, b_.Ushr(v, b_.Int(32)), Type::kI32));
      case Type::kF16:   // no NaN: its sign need not survive the conversion
        return Define(b_.Emit(Op::kFmax, {b_.Convert(Op::kF2f, v, Type::kF32), b_.Float(-65504)}));
      default: return Define(v);
    }
  }
  Type AnyType() {
    constexpr Type kAll[] = {Type::kBool, Type::kI8,  Type::kI16, Type::kI32,
                             Type::kI64,  Type::kF16, Type::kF32};
    Type type;
    do {
      type = kAll[random_.Below(std::size(kAll))];
    } while (IsFloat(type) && !options_.floats);
    return type;
  }

  // 0 where the lane that is read is off.
  void LaneRead() {
    const ValueId v = PickTyped(AnyType());
    const Type type = m_.value(v).type;
    const ValueId me = b_.SubgroupInvocation();
    const auto other = [&](Op op, ValueId lane) { return b_.Emit(op, {me, lane}); };
    ValueId lane, read;
    const uint32_t quad = random_.Below(4);
    switch (random_.Below(6)) {
      case 0: return DefineTyped(b_.Emit(Op::kReadFirst, {v}));
      case 1:
        return DefineTyped(b_.Emit(Op::kReadLane, {v, b_.Emit(Op::kReadFirst, {me})}));
      case 2:
        lane = b_.Or(b_.And(me, b_.Int(~3u)), b_.Int(quad));
        read = b_.Emit(Op::kQuadBroadcast, {v}, quad);
        break;
      case 3:
        lane = other(Op::kXor, b_.Int(quad | 1));
        read = b_.Emit(Op::kQuadSwap, {v}, quad | 1);
        break;
      case 4:
        lane = InSubgroup(other(Op::kXor, b_.Int(1u << random_.Below(5))));
        read = b_.Emit(Op::kShuffle, {v, lane});
        break;
      default:
        lane = InSubgroup(other(random_.OneIn(2) ? Op::kIadd : Op::kIsub, Pick(Type::kI32)));
        read = b_.Emit(Op::kShuffle, {v, lane});
        break;
    }
    const InstId ballot = b_.EmitInst(Op::kBallot, {b_.Bool(true)}, kFourInts);
    const ValueId on = b_.And(b_.Ushr(m_.result(ballot, 0), lane), b_.Int(1));
    const ValueId zero = b_.Constant(type, 0);
    DefineTyped(b_.Select(b_.Ine(on, b_.Int(0)), read, zero));
  }

  ValueId InSubgroup(ValueId lane) {
    return b_.And(lane, b_.Isub(b_.Emit(Op::kSubgroupSize, {}), b_.Int(1)));
  }

  // Exclusive minima and maxima of floats are left out: where all lower lanes have NaN, it is open
  // whether the identity is the result.
  void ScanOrReduce() {
    constexpr Op kScans[] = {Op::kReduce, Op::kReduce, Op::kInclusiveScan, Op::kExclusiveScan};
    const ValueId v = PickTyped(AnyType());
    const Type type = m_.value(v).type;
    const Op scan = kScans[random_.Below(std::size(kScans))];
    ReduceOp op;
    do {
      op = static_cast<ReduceOp>(random_.Below(static_cast<uint32_t>(ReduceOp::kFmax) + 1));
    } while (!Combines(op, type) || (scan == Op::kExclusiveScan && IsFloat(type) &&
                                     (op == ReduceOp::kFmin || op == ReduceOp::kFmax)));
    uint32_t cluster = 0;
    if (scan == Op::kReduce && random_.OneIn(2)) cluster = 2u << random_.Below(5);
    DefineTyped(m_.result(b_.EmitInst(scan, {v}, {type}, static_cast<uint32_t>(op), cluster)));
  }

  static bool Combines(ReduceOp op, Type type) {
    const bool is_float = op >= ReduceOp::kFadd;
    const bool bits = op == ReduceOp::kAnd || op == ReduceOp::kOr || op == ReduceOp::kXor;
    return is_float == IsFloat(type) && (type != Type::kBool || bits);
  }

  // How a region inside loops may end early.
  void Jump() {
    if (random_.OneIn(2)) {
      b_.Break(PickAll(loop_results_.back()));
    } else {
      std::vector<ValueId> values = {b_.Isub(fuel_.back(), b_.Int(1))};
      for (ValueId v : PickAll(loop_params_.back())) values.push_back(v);
      b_.Continue(values);
    }
  }

  void IfStatement(int depth) {
    const InstId inst = b_.If(Pick(Type::kBool));
    const RegionId outer = b_.region();
    const std::vector<Type> types = SomeTypes();
    const bool may_jump = !fuel_.empty();
    const uint32_t jumping = may_jump && random_.OneIn(2) ? random_.Below(2) : 2;
    for (uint32_t r = 0; r < 2; ++r) {
      const Mark mark = Enter();
      b_.SetRegion(m_.inst(inst).regions[r]);
      Block(depth + 1, random_.OneIn(3) ? 0 : 5);
      if (r == jumping) {
        Jump();
      } else {
        b_.Yield(PickAll(types));
      }
      Leave(mark);
    }
    b_.SetRegion(outer);
    SetResults(m_, inst, types);
    DefineResults(inst);
  }

  // The first parameter is fuel; without fuel the loop breaks.
  void LoopStatement(int depth) {
    const std::vector<Type> params = SomeTypes();
    loop_results_.push_back(SomeTypes());
    loop_params_.push_back(params);
    const bool divergent = random_.OneIn(2);
    ValueId iterations = b_.Int(1 + random_.Below(5));
    if (divergent) iterations = b_.And(Pick(Type::kI32), b_.Int(3));
    std::vector<ValueId> initial = {iterations};
    for (ValueId v : PickAll(params)) initial.push_back(v);
    const InstId loop = b_.Loop(initial);
    const RegionId outer = b_.region();
    const RegionId body = m_.inst(loop).regions[0];
    const Mark mark = Enter();
    b_.SetRegion(body);
    fuel_.push_back(m_.region(body).params[0]);
    for (size_t i = 1; i <= params.size(); ++i) Define(m_.region(body).params[i]);

    const InstId test = b_.If(b_.Ieq(fuel_.back(), b_.Int(0)));
    b_.SetRegion(m_.inst(test).regions[0]);
    b_.Break(PickAll(loop_results_.back()));
    b_.SetRegion(m_.inst(test).regions[1]);
    b_.Yield();
    b_.SetRegion(body);
    Block(depth + 1, 8);
    if (random_.OneIn(6)) {
      b_.Break(PickAll(loop_results_.back()));
    } else {
      std::vector<ValueId> next = {b_.Isub(fuel_.back(), b_.Int(1))};
      for (ValueId v : PickAll(params)) next.push_back(v);
      b_.Continue(next);
    }
    Leave(mark);
    b_.SetRegion(outer);
    SetResults(m_, loop, loop_results_.back());
    fuel_.pop_back();
    loop_results_.pop_back();
    loop_params_.pop_back();
    DefineResults(loop);
  }

  Module m_;
  Builder b_{m_};
  Random random_;
  const GenerateOptions options_;
  int left_ = 0;
  ValueId lane_;
  ValueId x_, y_;                                // of a fragment that is drawn, in pixels
  ValueId base_;                                 // byte offset of the lane's output
  bool discards_ = false;                        // some discard may come, of one that is drawn
  bool discarded_ = false;                       // one has come
  int kills_ = 0;
  std::vector<ValueId> scope_[kNumTypes];                // by type
  std::vector<ValueId> fuel_;                    // of the loops around, innermost last
  std::vector<std::vector<Type>> loop_results_;
  std::vector<std::vector<Type>> loop_params_;
};

// Numbers of usual size, some helpers; every fragment its own number.
StageData FragmentInputs(Random& random, const Module& module) {
  const auto number = [&] { return (random.Next() & 0x807fffffu) | 0x3f000000u; };
  const auto offset = [&] { return static_cast<float>(random.Below(17)) / 16 - 0.5f; };
  StageData data;
  data.invocations = kFragmentLanes;
  for (const Interface& v : module.inputs) {
    std::vector<uint64_t> values(size_t{v.elements} * v.components * kFragmentLanes);
    std::vector<std::array<float, 2>> slopes(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = v.type == Type::kI32 ? i % kFragmentLanes : number();
      slopes[i] = {offset(), offset()};
    }
    data.inputs.push_back(std::move(values));
    data.slopes.push_back(std::move(slopes));
  }
  for (uint32_t lane = 0; lane < kFragmentLanes; ++lane) {
    data.helpers.push_back(random.OneIn(6));
    data.centroids.push_back({offset(), offset()});
    data.sample_ids.push_back(random.Below(4));
  }
  for (int i = 0; i < 4; ++i) data.samples.push_back({offset(), offset()});
  return data;
}

// Numbers of usual size; every vertex its own number.
StageData VertexInputs(Random& random, const Module& module) {
  StageData data;
  data.invocations = kVertexLanes;
  for (const Interface& v : module.inputs) {
    std::vector<uint64_t> values(size_t{v.elements} * v.components * kVertexLanes);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = v.builtin != BuiltIn::kNone ? i
                  : v.type == Type::kI32      ? random.Below(64)
                                              : (random.Next() & 0x807fffffu) | 0x3f000000u;
    }
    data.inputs.push_back(std::move(values));
  }
  return data;
}

}  // namespace

Module GenerateModule(uint64_t seed, const GenerateOptions& options) {
  return Generator(seed, options).Run();
}

LaunchInputs GenerateInputs(uint64_t seed, const Module& module) {
  Random random(seed ^ 0x5bd1e995u);
  const auto bytes = [&](uint32_t dwords) {
    std::vector<uint8_t> data(4 * dwords);
    for (uint32_t i = 0; i < dwords; ++i) {
      // Small integers, floats of usual size, and anything.
      const uint32_t x = random.OneIn(3)   ? random.Below(64)
                         : random.OneIn(2) ? (random.Next() & 0x807fffffu) | 0x3f800000u
                                           : random.Next();
      std::memcpy(&data[4 * i], &x, 4);
    }
    return data;
  };
  LaunchInputs inputs;
  if (module.stage == Stage::kFragment) inputs.stage = FragmentInputs(random, module);
  if (module.stage == Stage::kVertex) inputs.stage = VertexInputs(random, module);
  const uint32_t lanes = module.stage == Stage::kFragment ? kFragmentLanes
                         : module.stage == Stage::kVertex ? kVertexLanes
                                                          : module.local_size[0];
  inputs.groups = {2, 1, 1};
  inputs.push_constants = bytes(8);
  inputs.buffers.push_back({0, 0, 0, bytes(kOutputDwords * lanes)});
  inputs.buffers.push_back({0, 1, 0, bytes(64)});
  inputs.buffers.push_back({0, 2, 0, bytes(64)});
  return inputs;
}

}  // namespace kiln::oracle
