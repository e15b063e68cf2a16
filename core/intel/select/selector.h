// State and helpers of instruction selection; internal to this folder.
//
// Where values live: integers and floats in G (a lane each) or U (core/mid/analysis/divergence.h),
// constants as immediates until an instruction cannot take one. A value of 16 bits is packed (G
// with 2-byte elements), or a word of each dword of a 32-bit value (operand with `sub`):
// instructions read either, so taking words out of dwords, and narrowing, cost nothing. A value of
// 8 bits is a byte of a wider one. In U both are the low part of a dword. Booleans: as 0 / -1
// dwords where they are stored, carried by control flow or combined; as flags (file F) where a
// select or an if consumes them. A flag is made right before its use and at most kMaxFlags are
// kept, in one block, so that flags never need spilling: a compare that only feeds flags of its
// line is emitted in front of the first, and again where its flag had to go.
#ifndef KILN_CORE_INTEL_SELECT_SELECTOR_H_
#define KILN_CORE_INTEL_SELECT_SELECTOR_H_

#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/base/cause.h"
#include "core/intel/abi/abi.h"
#include "core/intel/abi/width_abi.h"
#include "core/intel/isa/instruction.h"
#include "core/intel/lir/message.h"
#include "core/intel/lir/ops.h"
#include "core/intel/select/surface_ref.h"
#include "core/lir/build.h"
#include "core/mid/analysis/divergence.h"
#include "core/mir/build.h"
#include "core/mir/mir.h"
#include "core/mir/uses.h"

namespace kiln::intel {

using isa::CondMod;
using isa::MathFunction;
using isa::Opcode;
using isa::Type;
using lir::Operand;

// How a flag is read: the operand and whether the predicate is inverted.
struct Flag {
  Operand operand;
  bool inverse = false;
};

// Where an instruction executes.
enum class Where : uint8_t {
  kLanes,    // per lane, under the execution mask
  kUniform,  // once, NoMask, into file U
};

struct Extra {
  CondMod cmod = CondMod::kNone;
  bool saturate = false;
  bool strided = false;   // a 16- or 8-bit result in the low part of each dword, not packed
  std::optional<Flag> predicate;
};

// Of an instruction of the EU: three and a predicate at most.
using Sources = absl::InlinedVector<Operand, 4>;

struct SamplerCall;
struct TypedCall;

// Integer operation of data port atomics; nothing: there is none.
std::optional<isa::AtomicOp> AtomicOpOf(mir::AtomicOp op);

class Selector {
 public:
  Selector(const mir::Module& m, const Abi& abi, const WidthAbi& at_width);
  absl::StatusOr<lir::Function> Run();

 private:
  // ---- values (select.cc) ----
  lir::ValueId NewG(int comps = 1, int elem_bytes = 4);
  lir::ValueId NewU();
  lir::ValueId NewRegisters(int registers);  // U, whole registers
  lir::ValueId NewF();
  // For a result of this type.
  lir::ValueId New(Where where, Type t = Type::kUD) {
    if (where == Where::kUniform) return NewU();
    return NewG(1, isa::ByteSize(t) == 2 ? 2 : 4);
  }
  static Operand Use(lir::ValueId v, Type t, int comp = 0, int comps = 1) {
    return lir::ValueOperand(v, static_cast<uint8_t>(t), static_cast<uint16_t>(comp),
                             static_cast<uint16_t>(comps));
  }
  Operand Def(lir::ValueId v, Type t) const {
    return Use(v, t, 0, f_.value(v).comps);
  }
  static Operand Imm(uint32_t bits, Type t) {
    return lir::ImmOperand(bits, static_cast<uint8_t>(t));
  }
  static Operand Retype(Operand o, Type t) {
    o.type = static_cast<uint8_t>(t);
    return o;
  }
  static bool IsImm(const Operand& o) { return o.kind == Operand::Kind::kImm; }
  bool IsUniform(mir::ValueId v) const { return divergence_.Uniform(v); }
  Where WhereOf(mir::ValueId v) const { return IsUniform(v) ? Where::kUniform : Where::kLanes; }
  uint8_t FileOf(const Operand& o) const { return f_.value(o.value()).file; }

  // The EU's type for a value of MIR; a stored boolean is a dword.
  Type FloatType(mir::ValueId v) const {
    return m_.value(v).type == mir::Type::kF16 ? Type::kHF : Type::kF;
  }
  Type IntType(mir::ValueId v, bool is_signed) const;
  // Bits of the value where they matter to selection: 8, 16, 32; a stored boolean has 32.
  uint32_t BitsOf(mir::ValueId v) const;

  // The operand that stands for a number; immediates for constants.
  Operand Src(mir::ValueId v, Type t) const;
  void Set(mir::ValueId v, Operand o) { map_[v.index] = o; }
  // A register operand: an immediate is put into U (once, at the start of the program).
  Operand ToRegister(const Operand& o);
  // The same value as a plain component in file G, ready to be (part of) a payload.
  Operand ToLanes(const Operand& o);

  // ---- emission (select.cc) ----
  lir::InstFields Fields(Where where) const;
  // Any instruction as it is.
  void EmitRaw(uint16_t op, const lir::InstFields& fields, std::initializer_list<Operand> defs,
               std::initializer_list<Operand> uses);
  // An EU instruction into a new value; sources are made legal first.
  Operand Alu(Opcode op, Type t, Where where, std::initializer_list<Operand> sources,
              const Extra& extra = {});
  Operand Math(MathFunction fn, Type t, Where where, Operand a, Operand b = {});
  Operand Mov(Type t, Where where, Operand source) { return Alu(Opcode::kMov, t, where, {source}); }
  void LegaliseSources(Opcode op, Sources& sources, Extra& extra);
  lir::BlockId NewBlock();
  void Enter(lir::BlockId block);
  // What the generation cannot do, by its cause (ABI.md, "Limits").
  absl::Status Refuse(const mir::Inst& inst, KnownCause cause, std::string_view why) const;
  // What passes before selection should not have left: INTERNAL.
  absl::Status Unexpected(const mir::Inst& inst, std::string_view why) const;

  // ---- instructions ----
  absl::Status VisitRegion(mir::RegionId region);          // up to the terminator
  absl::Status Visit(mir::InstId id);
  absl::Status CheckTypes(mir::InstId id) const;
  absl::Status VisitAlu(mir::InstId id);                   // alu.cc
  // Each returns no operand (kNone) for an op that is not its own.
  Operand Float(mir::InstId id, Where where);
  Operand FloatMath(mir::InstId id, Where where);
  Operand Integer(mir::InstId id, Where where);
  bool OnlyAdded(mir::ValueId v);
  Operand IntegerBits(mir::InstId id, Where where);
  Operand Conversion(mir::InstId id, Where where);         // convert.cc
  Operand Widened(mir::ValueId v, Where where, bool is_signed);
  Operand IntToFloat(mir::InstId id, Where where, bool is_signed);
  Operand ToHalf(Where where, Operand source);
  Operand FloatToInt(mir::InstId id, Where where, bool is_signed);
  Operand IntToInt(mir::InstId id, Where where, bool is_signed);
  std::optional<mir::InstId> DefinedBy(mir::ValueId v, mir::Op op) const;
  std::optional<Operand> PartOf(mir::ValueId x, uint64_t first_bit, uint64_t bits,
                                bool is_signed) const;
  std::optional<Operand> NarrowPart(mir::ValueId v) const;
  Operand Truncated(mir::InstId id) const;
  Operand WordPart(mir::ValueId v) const;
  Operand LowWord(mir::ValueId v, bool rest_is_zero) const;
  Operand PackedWords(mir::InstId id, Where where);
  Operand Packed(Where where, std::vector<Operand> parts);
  void EmitPack(Where where, const Operand& def, absl::Span<const Operand> parts);
  Operand HalfByFloat(mir::InstId id, Where where);
  Operand DotProduct(mir::InstId id, Where where);
  Operand Multiply(Where where, mir::ValueId a, mir::ValueId b);
  Operand MultiplyHigh(Where where, Type t, Operand a, Operand b);
  Operand HighWordOfProduct(Where where, Type t, Operand a, Operand b);
  Operand ShiftCount(mir::InstId id, Where where);
  Operand SignedModulo(Where where, Operand a, Operand b);
  Operand FloatRemainder(Where where, Operand a, Operand b, Opcode rounding);
  Operand FloatSign(Where where, Type t, Operand a);
  Operand Rotation(mir::InstId id, Where where);
  Operand BitfieldInsert(mir::InstId id, Where where);
  Operand BitfieldExtract(mir::InstId id, Where where, Type t);
  Operand MinMax(Where where, Type t, bool max, Operand a, Operand b);
  // `if_true` where the flag is set, else `if_false`.
  Operand SelectByFlag(Where where, Type t, const Flag& flag, Operand if_true, Operand if_false);
  // A compare that makes only a flag, and one that makes 0 / -1.
  Flag CompareFlag(Where where, CondMod cmod, Operand a, Operand b);
  Operand CompareStored(Where where, CondMod cmod, Type t, Operand a, Operand b);

  // ---- booleans (bools.cc) ----
  void FindStoredBools();
  absl::Status VisitBool(mir::InstId id);
  Flag FlagOf(mir::ValueId v, Where where);
  Operand StoredBool(mir::ValueId v);
  Type CompareType(Type t, mir::ValueId v) const;
  void EmitCompare(mir::InstId id, Where where, bool store, bool flag);
  Operand SelectOp(mir::InstId id);
  void ForgetFlags() { flags_.clear(); }

  // ---- access by lanes (access.cc) ----
  // Where an access goes: a byte offset in a surface, or a 64-bit address.
  struct Place {
    SurfaceRef surface;
    Operand offset;               // dword; of an address the low half ...
    std::optional<Operand> high;  // ... and the high half, which makes it one
    uint32_t alignment = 4;       // of the offset or address, in bytes
    bool uniform = false;         // one lane reads for all
    bool constant_cache = true;   // blocks are read through it; false: it does not see what changes
  };
  struct Piece {
    uint32_t byte;    // from the access's first
    uint32_t bytes;   // 4, 8, 12, 16, or one element of 1 or 2
  };
  static std::vector<Piece> CutIntoPieces(uint32_t bytes, uint32_t element, uint32_t alignment);
  uint32_t ElementBytes(mir::ValueId v) const;   // in memory
  // The element at a byte of data whose dwords are `dword_stride` components apart.
  Operand ElementAt(lir::ValueId data, uint32_t byte, uint32_t element, int dword_stride) const;
  Place Moved(const Place& place, uint32_t bytes);
  Operand AddressPayload(const Place& place);
  uint8_t MessageLanes() const;
  isa::MessageFields AccessMessage(const Place& place, uint32_t bytes, bool write) const;
  lir::ValueId Read(const Place& place, const Piece& piece, uint16_t op);
  Operand LaneDword(absl::Span<const mir::ValueId> values);
  void LoadElements(mir::InstId id, const Place& place);
  void StoreElements(const Place& place, absl::Span<const mir::ValueId> values);

  // ---- memory (memory.cc, private.cc) ----
  absl::Status VisitLoad(mir::InstId id);
  absl::Status VisitStore(mir::InstId id);
  absl::Status VisitAtomic(mir::InstId id);
  absl::Status VisitWideAtomic(mir::InstId id);
  absl::Status BufferAddress(mir::InstId id);
  bool IsCopied(mir::InstId id);
  bool IsInPushRegisters(mir::InstId id) const;
  void LoadPush(mir::InstId id);
  uint32_t SkippedBytes(const Place& place) const;
  void LoadBlock(mir::InstId id, const Place& place);
  Operand ConstantChunk(const Place& place, uint32_t chunk);
  static uint32_t BlockAlignment(const Place& place);
  lir::ValueId BlockRead(const Place& place, uint16_t op, Operand offset, int owords);
  Place PlaceOf(mir::InstId id);
  // A message to this surface, whose number is in aux.
  void EmitMessage(uint16_t op, const lir::InstFields& fields, const isa::MessageFields& message,
                   absl::Span<const Operand> defs, std::vector<Operand> uses,
                   const SurfaceRef& surface);
  uint32_t AlignmentOf(mir::InstId id) const;
  Operand Payload(absl::Span<const Operand> parts);
  Operand LaneValue(mir::ValueId v);  // number or boolean as a dword in G
  Operand Offset(Operand base, uint32_t bytes, Where where);
  void LoadPrivate(mir::InstId id);
  void StorePrivate(mir::InstId id);
  Operand ScratchAddress(uint32_t array, mir::ValueId offset);
  Operand ScratchByteAddress(uint32_t array, mir::ValueId offset, uint32_t bytes);
  isa::MessageFields ScratchMessage(uint32_t element, bool write) const;
  Operand ScratchHeader();
  void Fence(uint8_t surface);
  void MemoryBarrier(uint32_t classes, mir::Scope scope);
  void ControlBarrier(const mir::Inst& barrier);
  void BufferSize(mir::InstId id);

  // ---- descriptors (descriptors.cc) ----
  Operand UniformIndex(mir::ValueId index);
  void ApplyIndex(mir::ValueId index, uint32_t resource, uint32_t shift, uint32_t& base,
                  SurfaceRef& ref);
  Operand Handle(uint32_t memory, uint32_t resource, std::optional<mir::ValueId> index,
                 uint32_t byte, SurfaceRef& ref);
  SurfaceRef SurfaceOf(uint32_t resource, std::optional<mir::ValueId> index);
  SurfaceRef BufferOf(mir::InstId id);
  SurfaceRef ImageOf(mir::InstId id, const mir::TexelSources& s);
  void Descriptors(mir::InstId id, const mir::TexelSources& s, SamplerCall& call);

  // ---- images (image.cc) ----
  absl::Status VisitImage(mir::InstId id);
  absl::Status VisitStorageImage(mir::InstId id);
  void LoadTexel(mir::InstId id, TypedCall& call);
  void StoreTexel(mir::InstId id, TypedCall& call, std::vector<Operand>& values);
  absl::Status TexelAtomic(mir::InstId id, TypedCall& call, std::vector<Operand>& values);
  Operand UnpackChannel(Where where, mir::ImageFormat format, Operand texel, int channel);
  Operand PackChannel(mir::ImageFormat format, const Operand& value, int channel);
  Operand PackTexel(mir::ImageFormat format, absl::Span<const Operand> values);
  Operand Typed(const TypedCall& call, Where where);
  void SendTyped(const TypedCall& call, const Operand& def, Where where, int group);
  Operand LanePart(const Operand& o, int lanes, int group);
  Operand TypedPayload(absl::Span<const Operand> list, Where where, int group);
  Operand RegisterPayload(absl::Span<const Operand> parts);
  Operand Component(const Operand& response, int i) const;
  bool Used(mir::ValueId v);
  uint32_t UsedMask(mir::InstId id);   // of results
  absl::Status VisitImageQuery(mir::InstId id);
  void SetAnswer(mir::ValueId result, const Operand& o);
  Operand LayersOf(mir::InstId id, Operand layers, Operand width);
  Operand SixthOf(const Operand& faces);
  Operand SizeOfLevel(const Operand& size, mir::ValueId lod, Where where);

  // ---- sampler (sampler.cc) ----
  static constexpr uint32_t kSamplerShift = 8;   // of the sampler index in a descriptor
  Operand SendSampler(const SamplerCall& call, Where where, int components);
  Operand SamplerHeader(uint32_t dword, const std::optional<Operand>& sampler);
  void SampleInto(mir::InstId id, SamplerCall& call);
  absl::Status VisitSample(mir::InstId id);
  void SampleMessage(mir::InstId id, const mir::TexelSources& s, SamplerCall& call);
  absl::Status GatherMessage(mir::InstId id, const mir::TexelOp& t, const mir::TexelSources& s,
                             SamplerCall& call);
  absl::Status VisitFetch(mir::InstId id);
  void AddSampleParams(mir::InstId id, const mir::TexelSources& s, SamplerCall& call);
  // ---- other lanes (subgroups.cc) ----
  absl::Status VisitSubgroup(mir::InstId id);
  void ReadLanes(mir::InstId id);
  void Scan(mir::InstId id);
  Operand Ballot(Operand stored_bool, CondMod test);
  Operand ActiveLanes();
  Operand FirstLane();
  std::optional<Operand> Guard(const lir::InstFields& fields, bool chosen);
  Operand Element(const Operand& o);
  Operand PartOfElement(const Operand& element, const Operand& like) const;
  Operand LaneOffset(Where where, Operand index, int bytes);
  Operand Broadcast(const Operand& value, const Operand& lane);
  Operand ReadPattern(uint16_t op, const Operand& value, uint32_t aux);
  Operand Shuffle(const Operand& value, const Operand& index);
  std::optional<uint32_t> XorOfLanes(mir::ValueId index) const;
  Operand AnyValue(mir::ValueId v);
  bool IsOnePerThread(const Operand& o) const;

  // ---- launch (launch.cc) ----
  void DeclareLiveIns();
  void EndThread();
  Operand PushDword(uint32_t byte) const;
  Operand LaneIds();
  Operand LocalIndex();
  absl::Status VisitLaunch(mir::InstId id);

  // ---- control flow (control.cc) ----
  struct LoopTargets {
    lir::BlockId header;
    lir::BlockId exit;
  };
  // How a side of an if ended.
  enum class End : uint8_t { kYield, kJumped, kUnreachable };
  absl::Status VisitIf(mir::InstId id);
  absl::Status VisitLoop(mir::InstId id);
  absl::StatusOr<End> VisitSide(mir::RegionId region);
  absl::Status VisitIfSide(mir::RegionId region, Opcode op, lir::BlockId join, lir::BlockId next);
  void EnterTail();
  void AddParams(lir::BlockId block, mir::ValueId first, int count);
  void Terminate(Opcode op, const std::optional<Flag>& predicate = std::nullopt);
  void AddEdgeTo(lir::BlockId to, absl::Span<const mir::ValueId> values);
  std::vector<Operand> EdgeArguments(lir::BlockId to, absl::Span<const mir::ValueId> values);
  void JumpOut(mir::InstId jump);
  void SortBlocks();

  const mir::Module& m_;
  const Abi& abi_;
  const WidthAbi& at_width_;
  const int width_;
  lir::Function f_;
  lir::Builder b_{f_};
  const mid::Divergence divergence_;
  std::optional<mir::Uses> uses_;      // made when first asked for
  std::vector<bool> stored_;           // booleans that are needed as dwords
  std::vector<Operand> map_;           // by MIR value
  lir::ValueId r0_;
  std::vector<lir::ValueId> push_;     // by push register
  std::vector<lir::InstId> prologue_;  // goes to the start of block 0
  bool in_prologue_ = false;
  absl::btree_map<uint32_t, lir::ValueId> constants_;
  std::optional<Operand> active_lanes_, first_lane_;  // of the block
  std::optional<Operand> lane_ids_, scratch_header_, local_index_;
  struct CachedFlag {
    mir::ValueId value;
    Where where;
    Flag flag;
  };
  static constexpr size_t kMaxFlags = 2;
  std::vector<CachedFlag> flags_;      // oldest first
  struct CachedChunk {
    SurfaceRef surface;
    uint32_t chunk;
    lir::ValueId value;
  };
  // Descriptors read at a number known only at run time.
  struct CachedHandles {
    uint32_t memory;
    uint32_t element;
    Operand number;
    lir::ValueId value;
  };
  std::vector<CachedHandles> handles_;  // those of enclosing scopes, innermost last
  // Indices of descriptors that live in lanes, and what the first active lane has.
  struct CachedIndex {
    mir::ValueId index;
    Operand first;
  };
  std::vector<CachedIndex> indices_;    // those of enclosing scopes, innermost last
  struct CachedPayload {
    std::vector<Operand> parts;
    int group;
    Operand payload;
  };
  std::vector<CachedPayload> payloads_;  // of typed messages, in this block
  std::vector<CachedChunk> chunks_;    // those of enclosing scopes, innermost last
  std::vector<LoopTargets> loops_;
  int regions_ = 0;                    // being visited, one in another
  std::vector<lir::BlockId> layout_;   // blocks in the order they were entered
  mir::InstId at_;                     // being selected
  uint32_t spirv_id_ = 0;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_SELECTOR_H_
