// MIR: the target-independent IR. Scalar SSA with structured control flow kept as a tree.
//
// A Region is a list of instructions that ends with one terminator. `if` and `loop` are
// instructions that own regions; there are no other joins. Values that differ by path are carried
// by the jumps themselves: a yield gives the results of its `if`, a break those of its `loop`, a
// continue the loop's parameters for the next iteration. (This is the phi, written at its edge:
// adding or removing an edge never renumbers the operands of another.) A value may be used after
// its definition in the same region and in regions nested there; nowhere else.
//
// Loads and similar ops define several consecutive scalar values. Integers have no sign; operations
// do. Every IR entity is an index into a dense array of its Module. Instructions removed from all
// regions stay in the array and are dead.
//
// Printer output (print.h) is parser input (parse.h); verify.h says what a well-formed module is.
#ifndef KILN_CORE_MIR_MIR_H_
#define KILN_CORE_MIR_MIR_H_

#include <array>
#include <cassert>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "core/base/ids.h"
#include "core/mir/image.h"
#include "core/mir/stage.h"

namespace kiln::mir {

using ValueId = Id<struct ValueTag>;
using InstId = Id<struct InstTag>;
using RegionId = Id<struct RegionTag>;

enum class Op : uint16_t {
#define OP(name, ...) name,
#define V (-1)
#include "core/mir/ops.def"
#undef V
#undef OP
};

struct OpInfo {
  std::string_view name;
  int sources;  // -1: any number
  int results;  // -1: any number
  std::string_view signature;
  uint32_t flags;  // a bit for each letter
  static constexpr uint32_t FlagBit(char letter) { return 1u << (letter - 'A'); }
  constexpr bool Has(char flag) const { return (flags & FlagBit(flag)) != 0; }
};
inline constexpr int kNumOps = 0
#define OP(...) +1
#include "core/mir/ops.def"
#undef OP
    ;
constexpr int NumOps() { return kNumOps; }
extern const std::array<OpInfo, kNumOps> kOps;  // ops.def, a row for each Op
inline const OpInfo& Info(Op op) {
  assert(static_cast<int>(op) < kNumOps);
  return kOps[static_cast<size_t>(op)];
}
bool IsTexelOp(Op op);      // imm1 is an index into Module::texel_ops
bool IsSampling(Op op);     // texel ops with a sampler
bool IsKill(Op op);         // demote, discard, terminate
bool IsInterfaceOp(Op op);  // imm0 is one of Module::inputs or outputs

enum class Type : uint8_t { kBool, kI8, kI16, kI32, kI64, kF16, kF32, kF64 };
inline constexpr int kNumTypes = 8;

constexpr bool IsInt(Type t) { return t >= Type::kI8 && t <= Type::kI64; }
constexpr bool IsFloat(Type t) { return t >= Type::kF16; }
// The width of a value of the type; a bool has 1 bit.
constexpr uint32_t BitsOf(Type t) {
  constexpr uint8_t kBits[kNumTypes] = {1, 8, 16, 32, 64, 16, 32, 64};
  return kBits[static_cast<int>(t)];
}
// The size in memory. Bools are never in memory.
constexpr uint32_t BytesOf(Type t) { return BitsOf(t) / 8; }
// The bits that a constant of the type may have.
constexpr uint64_t MaskOf(Type t) { return ~uint64_t{0} >> (64 - BitsOf(t)); }
// The integer's value as a signed number.
constexpr int64_t SignExtend(Type t, uint64_t bits) {
  const uint32_t unused = 64 - BitsOf(t);
  return static_cast<int64_t>(bits << unused) >> unused;
}
constexpr Type IntOfBits(uint32_t bits) {
  return bits == 8 ? Type::kI8 : bits == 16 ? Type::kI16 : bits == 32 ? Type::kI32 : Type::kI64;
}
constexpr Type FloatOfBits(uint32_t bits) {
  return bits == 16 ? Type::kF16 : bits == 32 ? Type::kF32 : Type::kF64;
}

enum class AtomicOp : uint8_t {
  kAdd,
  kSub,
  kSmin,
  kUmin,
  kSmax,
  kUmax,
  kAnd,
  kOr,
  kXor,
  kExchange,
  kCompareExchange,
  kIncrement,
  kDecrement,
  kLoad,
  kStore,
  kFadd,
  kFmin,
  kFmax,
};

constexpr bool IsFloatAtomic(AtomicOp op) {
  return op == AtomicOp::kFadd || op == AtomicOp::kFmin || op == AtomicOp::kFmax;
}

// The number of values that an atomic takes after the offset.
constexpr int AtomicOperands(AtomicOp op) {
  switch (op) {
    case AtomicOp::kCompareExchange: return 2;
    case AtomicOp::kIncrement:
    case AtomicOp::kDecrement:
    case AtomicOp::kLoad: return 0;
    default: return 1;
  }
}

// Operators of reductions and scans over a subgroup.
enum class ReduceOp : uint8_t {
  kIadd,
  kImul,
  kImin,
  kImax,
  kUmin,
  kUmax,
  kAnd,
  kOr,
  kXor,
  kFadd,
  kFmul,
  kFmin,
  kFmax,
};

// Sets of lanes of a subgroup, relative to the current lane; only lanes below the subgroup's size.
enum class LaneMask : uint8_t { kEqual, kGreaterEqual, kGreater, kLessEqual, kLess, kAll };

enum class Scope : uint8_t { kSubgroup, kWorkgroup, kDevice };

enum MemoryClass : uint32_t { kMemoryBuffer = 1, kMemoryShared = 2, kMemoryImage = 4 };

// Flags of an instruction.
//
// The flags of float arithmetic forbid transformations that are allowed without them. A rewrite of
// several instructions must be allowed by each of them, and the instructions that it creates get
// the flags of all. ../mid/README.md lists the passes and which flags stop each.
// Source: SPV_KHR_float_controls2.
enum InstFlags : uint16_t {
  kVolatile = 2,  // memory access that must happen as written
  kCoherent = 4,
  kNonUniform = 8,  // the resource index may differ between lanes
  // the first source chooses the descriptor from an array of them, or the element of an input or
  // output
  kIndexed = 16,
  // A memory barrier that does one of its two things alone has one of these: earlier accesses take
  // effect before later writes; or, after earlier reads, later ones find what others have written.
  kReleases = 32,
  kAcquires = 64,
  // Marks a read_first whose source is the same in all active lanes by rule of the client's API:
  // its result does not depend on which lanes these are.
  kUniform = 128,
  kKeepNan = 0x100,           // operands and result may be NaN, and NaNs must be kept
  kKeepInf = 0x200,           // likewise infinities
  kKeepZeroSign = 0x400,      // the sign of operands and results that are zero must be kept
  kNoReciprocal = 0x800,      // a quotient may not become a product with a reciprocal
  kNoContraction = 0x1000,    // may not be fused with the instructions of its operands
  kNoReassociation = 0x2000,  // operations like it may not be reordered
  kNoTransform = 0x4000,      // may not be rewritten by identities of real numbers
  kExact = 0x7f00,            // all of these: computed as written
};
inline constexpr uint16_t kKeepSpecials = kKeepNan | kKeepInf | kKeepZeroSign;

struct Value {
  enum class Kind : uint8_t { kResult, kParam, kConstant, kUndef };
  Kind kind = Kind::kUndef;
  Type type = Type::kI32;
  uint16_t component = 0;  // which result of the instruction, or which parameter of the region
  uint32_t owner = 0;      // InstId of kResult, RegionId of kParam
  uint64_t bits = 0;       // of kConstant: the value, bits beyond the type are 0; a bool: 0 or 1
};

struct Inst {
  Op op = Op::kUnreachable;
  uint16_t flags = 0;       // InstFlags
  uint8_t num_regions = 0;  // 0, 1 (loop) or 2 (if)
  uint16_t num_results = 0;
  uint16_t num_sources = 0;
  uint32_t first_source = 0;  // in Module::operands
  ValueId first_result;       // consecutive
  RegionId regions[2];
  uint32_t imm0 = 0;
  uint32_t imm1 = 0;
  uint32_t spirv_id = 0;  // the SPIR-V result id (or target id) that it was imported from; 0: none
};

// The most invocations of a workgroup of kWorkgroupScan.
inline constexpr uint32_t kMaxScanned = 256;

// Returns true if all active lanes get the same result even where their sources differ.
bool IsSubgroupUniform(const Inst& inst);

struct Region {
  std::vector<InstId> insts;    // the last is a terminator
  std::vector<ValueId> params;  // loop bodies only
};

enum class ResourceKind : uint8_t {
  kUniformBuffer,
  kStorageBuffer,
  kSampledImage,
  kStorageImage,
  kSampler,
  kCombinedImageSampler,
  kUniformTexelBuffer,
  kStorageTexelBuffer,
};

constexpr bool HasImage(ResourceKind kind) {
  return kind >= ResourceKind::kSampledImage && kind != ResourceKind::kSampler;
}

// A statically used descriptor, (set, binding, element), or an array of them. An instruction with
// the flag kIndexed chooses one of an array by value: descriptor element + index. Only kIndexed
// instructions use arrays. A binding with an array has no Resources for single elements; buffers
// and other kinds of one binding are apart in that.
struct Resource {
  ResourceKind kind = ResourceKind::kStorageBuffer;
  uint32_t set = 0;
  uint32_t binding = 0;
  uint32_t element = 0;
  uint32_t spirv_id = 0;    // the OpVariable
  bool read_only = false;   // declared so, and nothing in the module writes through it
  bool aliased = false;     // declared to share memory with other resources
  bool unchanging = false;  // a storage buffer that is not written while the program runs
  bool array = false;
  uint32_t count = 1;    // descriptors of an array; 0: an array without known length
  ImageInfo image = {};  // of images, combined ones and texel buffers
};

struct PrivateArray {
  uint32_t bytes = 0;
  uint32_t spirv_id = 0;
};

// How float controls say that subnormal operands and results are treated; kAny: as the launch says.
enum class DenormMode : uint8_t { kAny, kPreserve, kFlush };
// How float controls say that results are rounded; kAny: they do not (see RoundsToZero).
enum class RoundingMode : uint8_t { kAny, kToEven, kToZero };

// Float controls of one width.
struct FloatMode {
  DenormMode denorms = DenormMode::kAny;
  RoundingMode rounding = RoundingMode::kAny;
};

enum class Need : uint8_t {
#define NEED(enumerator, name) enumerator,
#include "core/mir/needs.def"
#undef NEED
};
inline constexpr int kNumNeeds = 0
#define NEED(...) +1
#include "core/mir/needs.def"
#undef NEED
    ;

// Something that the module needs and that not every target has, and the first place in the SPIR-V
// module that needs it, for the refusal of a target without it (core/target/check_features.h).
// Passes may remove the code that needs it; the need stays.
struct Needed {
  Need need{};
  uint32_t spirv_id = 0;     // to blame; 0: none
  uint32_t instruction = 0;  // its offset in words; 0: none
  int32_t amount = 0;        // of those that have one: the farthest, which is at that place; of
                             // kFloat64 the DoubleUse there
};

// How the place that a need for 64-bit floats names uses them.
enum class DoubleUse : int32_t { kValue, kConstant, kVariable, kLocal, kElement, kPack, kUnpack };
inline constexpr int32_t kNumDoubleUses = 7;

// Texel offsets of samples that every target has (Vulkan's limits of minTexelOffset and
// maxTexelOffset): a module needs nothing for constants from -8 to 7.
inline constexpr int32_t kLeastTexelOffsetOfAll = -8, kGreatestTexelOffsetOfAll = 7;

struct Module {
  Stage stage = Stage::kCompute;
  std::string entry_point;
  FragmentModes fragment;         // of fragments
  std::vector<Interface> inputs;  // of graphics stages, ordered (stage.h)
  std::vector<Interface> outputs;
  FloatMode f16_mode;
  FloatMode f32_mode;
  FloatMode f64_mode;
  std::vector<Needed> needs;                       // each once, in the order of the first places,
                                                   // those that only SPIR-V shows before others
  std::array<uint32_t, 3> local_size = {1, 1, 1};  // of compute; see HasWorkgroups
  uint32_t shared_bytes = 0;
  uint32_t push_constant_bytes = 0;
  // SPIR-V ids of these three, for refusals: a constant or the entry point; variables.
  uint32_t local_size_id = 0;
  uint32_t shared_id = 0;
  uint32_t push_constant_id = 0;
  std::vector<uint8_t> constant_data;  // constant tables, read by load_constant
  std::vector<Resource> resources;     // ordered by (set, binding, element);
                                       // several with the same key differ in their image
  std::vector<PrivateArray> private_arrays;
  std::vector<TexelOp> texel_ops;  // imm1 of texel ops (image.h)
  // Compact (build.cc) must copy every member above.

  std::vector<Value> values;
  std::vector<Inst> insts;
  std::vector<Region> regions;
  std::vector<ValueId> operands;  // pool of source lists
  RegionId body;

  const Value& value(ValueId v) const { return values[v.index]; }
  Value& value(ValueId v) { return values[v.index]; }
  const Inst& inst(InstId i) const { return insts[i.index]; }
  Inst& inst(InstId i) { return insts[i.index]; }
  const Region& region(RegionId r) const { return regions[r.index]; }
  Region& region(RegionId r) { return regions[r.index]; }

  absl::Span<const ValueId> sources(InstId i) const {
    const Inst& in = inst(i);
    return absl::MakeConstSpan(operands.data() + in.first_source, in.num_sources);
  }
  absl::Span<ValueId> sources(InstId i) {
    const Inst& in = inst(i);
    return absl::MakeSpan(operands.data() + in.first_source, in.num_sources);
  }
  ValueId source(InstId i, int n) const { return operands[inst(i).first_source + n]; }
  ValueId result(InstId i, int n = 0) const {
    assert(n < inst(i).num_results);
    return ValueId(inst(i).first_result.index + n);
  }
  bool IsConstant(ValueId v) const { return value(v).kind == Value::Kind::kConstant; }
  FloatMode& float_mode(Type t) {
    return t == Type::kF16 ? f16_mode : t == Type::kF32 ? f32_mode : f64_mode;
  }
  const FloatMode& float_mode(Type t) const { return const_cast<Module*>(this)->float_mode(t); }
  bool Needs(Need need) const;
  // Returns true if invocations are in workgroups: in compute, and in vertex programs to which a
  // target's lowering has given a local size.
  bool HasWorkgroups() const {
    return stage == Stage::kCompute || local_size != std::array<uint32_t, 3>{1, 1, 1};
  }
  // Returns true if each workgroup of compute is a single invocation.
  bool RunsAlone() const {
    return stage == Stage::kCompute && local_size == std::array<uint32_t, 3>{1, 1, 1};
  }
};

// Returns true if the op rounds its result, which is of type `result`, towards zero instead of to
// nearest even. Where float controls give a width no mode, SPIR-V leaves the choice, and targets
// with one mode for several widths have no other than theirs: halfs and singles then have the
// other's mode, doubles that of halfs, with which hardware may share it, or else that of singles. A
// mode of doubles applies to nothing else.
bool RoundsToZero(const Module& module, Op op, Type result);

// Returns the positions of a texel op's sources by their meaning.
TexelSources TexelSourcesOf(Op op, uint16_t flags, const TexelOp& texel, const ImageInfo& info);
inline TexelSources TexelSourcesOf(const Module& module, InstId id) {
  const Inst& inst = module.inst(id);
  return TexelSourcesOf(inst.op, inst.flags, module.texel_ops[inst.imm1],
                        module.resources[inst.imm0].image);
}

// The index of the source that is the byte offset of a load, store or atomic.
constexpr int OffsetSource(const Inst& inst) { return (inst.flags & kIndexed) != 0 ? 1 : 0; }

// The index of the source after the offset, or after both halves of an address: the first value
// stored, or the first operand of an atomic.
constexpr int FirstValueSource(const Inst& inst) {
  if (inst.op == Op::kStoreOutput) return OffsetSource(inst);  // has no offset
  const bool global = inst.op == Op::kLoadGlobal || inst.op == Op::kStoreGlobal ||
                      inst.op == Op::kGlobalAtomic || inst.op == Op::kGlobalAtomic64;
  return global ? 2 : 1 + OffsetSource(inst);
}

}  // namespace kiln::mir

#endif  // KILN_CORE_MIR_MIR_H_
