// Tables and hooks of gfx1030 as a machine for the shared LIR code.
#include "core/amd/lir/machine.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "core/amd/lir/extra.h"
#include "core/amd/lir/ops.h"
#include "core/amd/perf/timing.h"
#include "core/lir/build.h"

namespace kiln::amd {
namespace {

using isa::Encoding;
using isa::Opcode;
using isa::OpcodeInfo;
using lir::Function;
using lir::InstId;
using lir::Operand;
using lir::Value;

constexpr uint8_t kClobbersScc = 1 << kPoolScc;

// ---- Tables.

constexpr uint8_t kNoFile = lir::FileInfo::kNoFile;
constexpr lir::FileInfo kFiles[] = {{"V", kPoolVgpr, true, kNoFile, true},
                                    {"S", kPoolSgpr},
                                    {"M", kPoolSgpr, true, kNoFile, false, kClobbersScc},
                                    {"SCC", kPoolScc, false, kFileS},
                                    {"W", kPoolVgpr}};
constexpr lir::PoolInfo kPools[] = {{"v", kVgprUnits}, {"s", kSgprUnits, 0, 1, 2}, {"scc", 1}};
constexpr std::string_view kTypes[] = {"b32"};

// Fixed operands are codes of isa::Operand: those of scalar registers have names.
constexpr auto kFixedNames = [] {
  std::array<std::string_view, 128> names;
  names.fill("reserved");
  names[isa::kVccLo] = "vcc";
  names[isa::kM0] = "m0";
  names[isa::kNull] = "null";
  names[isa::kExecLo] = "exec";
  names[kTemporarySgpr] = "temporary";
  return names;
}();

// Rules of timing of the pseudo operations.
struct PseudoTime {
  int latency = 1;
  bool vector = false;
};
constexpr PseudoTime kVectorTime = {5, true}, kScalarTime = {2, false}, kLoadTime = {320, false};

struct PseudoRow {
  lir::OpInfo info;
  PseudoTime time;
};
namespace op_rows {
using enum lir::OpFlags;
constexpr int8_t kNotTied = lir::OpInfo::kNotTied;
constexpr PseudoRow kRows[] = {
#define KILN_AMD_OP(op, text, flags, clobbers, tied, memory_class, timing) \
  {{text, flags, clobbers, tied, memory_class}, timing},
#include "core/amd/lir/ops.def"
#undef KILN_AMD_OP
};
}  // namespace op_rows

// Comparisons whose only result is SCC.
bool OnlyMakesScc(const OpcodeInfo& info) {
  return info.Has(isa::opcode_flag::kSccW) && info.dst == isa::Type::kN;
}

bool IsVectorMemory(Encoding e) {
  return isa::IsBuffer(e) || e == Encoding::kMimg || isa::IsFlatFormat(e);
}

uint32_t FlagsOf(const OpcodeInfo& info) {
  using namespace isa::opcode_flag;  // NOLINT: flags
  switch (info.op) {
    case Opcode::kSBarrier:
    case Opcode::kBufferGl0Inv:
    case Opcode::kBufferGl1Inv:
    case Opcode::kSDcacheInv:
    case Opcode::kSWaitcnt:
    case Opcode::kSWaitcntVscnt: return lir::kOpBarrier | lir::kOpSideEffect;
    case Opcode::kSMemtime:
    case Opcode::kSMemrealtime: return lir::kOpBarrier | lir::kOpSendLike;
    case Opcode::kSSendmsg:
    case Opcode::kSSetregB32:
    case Opcode::kSSetregImm32B32:
    case Opcode::kSNop: return lir::kOpSideEffect;
    case Opcode::kDsBpermuteB32:
    case Opcode::kDsPermuteB32:
    case Opcode::kDsSwizzleB32:
    case Opcode::kVReadfirstlaneB32:
    case Opcode::kVReadlaneB32:
    case Opcode::kVPermlane16B32:
    case Opcode::kVPermlanex16B32: return lir::kOpAcrossLanes;
    case Opcode::kVAddNcU32:
    case Opcode::kVAddF32:
    case Opcode::kVMulF32:
    case Opcode::kVMinF32:
    case Opcode::kVMaxF32:
    case Opcode::kVAndB32:
    case Opcode::kVOrB32:
    case Opcode::kVXorB32: return lir::kOpCommutative;
    default: break;
  }
  if (info.encoding == Encoding::kExp) return lir::kOpSideEffect;
  const bool memory = IsVectorMemory(info.encoding) || info.encoding == Encoding::kDs;
  if (memory) {
    if (info.Has(kAtomic)) {
      return lir::kOpReadsMemory | lir::kOpWritesMemory | lir::kOpSideEffect;
    }
    if (info.Has(kStore)) return lir::kOpWritesMemory | lir::kOpSideEffect;
    if (info.Has(kLoad)) return lir::kOpReadsMemory | lir::kOpSendLike;
  }
  // (Scalar memory is not in the order of accesses: it is read only where nothing writes.)
  if (info.unit == isa::Unit::kScalarMemory && info.dst != isa::Type::kN) return lir::kOpSendLike;
  if (isa::IsVectorAlu(info.encoding) && (info.dst == isa::Type::kMask || info.Has(kCarryOut))) {
    return lir::kOpAcrossLanes | lir::kOpWritesOffLanes;
  }
  return 0;
}

uint8_t MemoryClassOf(const OpcodeInfo& info) {
  if (info.encoding == Encoding::kDs) return kLdsClass;
  if (info.encoding == Encoding::kScratch) return kScratchClass;
  return kBufferClass;
}

lir::OpInfo InfoOf(Opcode op) {
  using namespace isa::opcode_flag;  // NOLINT: flags
  const OpcodeInfo& info = isa::Info(op);
  lir::OpInfo row;
  row.name = {info.mnemonic.data(), info.mnemonic.size()};
  row.flags = FlagsOf(info) | lir::kOpSide;
  if (info.Has(kSccW) && !OnlyMakesScc(info)) row.clobbers = kClobbersScc;
  const bool tied_data =
      info.Has(kAtomic) && (isa::IsBuffer(info.encoding) || info.encoding == Encoding::kMimg);
  if (info.Has(kDstR) || tied_data) row.tied = kDataUse;
  row.memory_class = MemoryClassOf(info);
  return row;
}

const std::array<lir::OpInfo, kNumLirOps>& Ops() {
  static const std::array<lir::OpInfo, kNumLirOps> ops = [] {
    std::array<lir::OpInfo, kNumLirOps> table;
    for (int i = 0; i < isa::kOpcodeCount; ++i) {
      table[static_cast<size_t>(i)] = InfoOf(static_cast<Opcode>(i));
    }
    for (size_t i = 0; i < std::size(op_rows::kRows); ++i) {
      table[kFirstPseudo + i] = op_rows::kRows[i].info;
    }
    return table;
  }();
  return ops;
}

// ---- Shapes.

uint32_t UnitsPerComp(const Function& f, const Value& v) {
  return v.file == kFileM ? MaskUnits(f) : 1;
}

// Tuples of scalars: pairs at even registers, longer ones at multiples of four (ISA guide, 3.3).
uint32_t Alignment(const Function& f, const Value& v) {
  switch (v.file) {
    case kFileS: return v.comps >= 3 ? 4 : v.comps;
    case kFileM: return MaskUnits(f);
    default: return 1;
  }
}

bool InVectors(const Value& v) { return v.file == kFileV || v.file == kFileW; }

// A vector instruction of 64 lanes may run as two passes, so that a scalar result of the first
// would overwrite a scalar source of the second, a carry-in excepted (ISA guide, 6.2.4; Mesa
// 25.0.7, aco_live_var_analysis.cpp). Sources of other shapes than the result's may be read late by
// memory instructions.
bool MayReuseSource(const Function& f, InstId i, int def, int use) {
  const lir::Inst& in = f.inst(i);
  const Operand& d = f.defs(i)[static_cast<size_t>(def)];
  const Operand& u = f.uses(i)[static_cast<size_t>(use)];
  if (!IsValue(d) || !IsValue(u)) return false;
  if (in.op == kMergeLanes || in.op == kLaneShuffle) return false;
  const Value& dv = f.value(d.value());
  const Value& uv = f.value(u.value());
  if (!IsIsaOp(in.op)) return dv.file == uv.file && d.comps == u.comps;
  if (use == kDataUse) return true;  // tied, or read before it is written
  const bool vector = isa::IsVectorAlu(isa::Info(OpcodeOf(in.op)).encoding);
  if (vector && !InVectors(dv)) return f.dispatch_width == 32 || use == 2;
  return InVectors(dv) == InVectors(uv) && d.comps == u.comps;
}

// ---- Instructions of the allocator.

Operand Place(uint32_t reg) {
  Operand o = lir::ValueOperand(lir::ValueId(), 0);
  o.reg = reg;
  return o;
}

lir::InstFields PlaceFields(const Function& f, const Value& v, bool no_mask) {
  lir::InstFields fields;
  fields.width = f.dispatch_width;
  fields.flags = lir::kInsertedCopy;
  if (no_mask || !kFiles[v.file].masked_writes) fields.flags |= lir::kNoMask;
  return fields;
}

// The number of units is kept in Inst::aux.
InstId MakeCopy(Function& f, const Value& v, uint32_t to, uint32_t from, uint32_t units,
                bool no_mask) {
  const Operand d = Place(to), u = Place(from);
  lir::InstFields fields = PlaceFields(f, v, no_mask);
  fields.aux = units;
  const bool merges = v.file == kFileM && !no_mask;
  const LirOp op = InVectors(v) ? kVMove : merges ? kMaskMerge : kSMove;
  return lir::MakeInst(f, op, fields, {&d, 1}, {&u, 1});
}

int MakeSwap(Function& f, const Value& v, uint32_t a, uint32_t b, uint32_t units, bool no_mask,
             absl::Span<InstId> out) {
  lir::InstFields fields = PlaceFields(f, v, no_mask);
  fields.aux = units;
  const bool merges = v.file == kFileM && !no_mask;
  const LirOp op = InVectors(v) ? kVSwap : merges ? kMaskSwap : kSSwap;
  const Operand defs[] = {Place(a), Place(b)}, uses[] = {Place(b), Place(a)};
  out[0] = lir::MakeInst(f, op, fields, defs, uses);
  return 1;
}

InstId WholeCopy(Function& f, LirOp op, lir::ValueId to, lir::ValueId from) {
  lir::InstFields fields;
  fields.flags = lir::kNoMask | lir::kInsertedCopy;
  const Operand d = lir::ValueOperand(to, 0), u = lir::ValueOperand(from, 0);
  return lir::MakeInst(f, op, fields, {&d, 1}, {&u, 1});
}
InstId MakeSave(Function& f, lir::ValueId saved, lir::ValueId flag) {
  return WholeCopy(f, kSaveScc, saved, flag);
}
InstId MakeRestore(Function& f, lir::ValueId flag, lir::ValueId saved) {
  return WholeCopy(f, kRestoreScc, flag, saved);
}

// ---- Spilling: scalars to lanes of vector registers, those to scratch memory.

InstId MakeSpill(Function& f, const Operand&, const Operand& payload, uint32_t place,
                 bool no_mask) {
  lir::InstFields fields;
  fields.width = f.dispatch_width;
  fields.flags = no_mask ? lir::kNoMask : 0;
  const Value v = f.value(payload.value());
  const Operand uses[] = {payload, lir::ImmOperand(place, 0)};
  if (v.file != kFileM || no_mask) {
    return lir::MakeInst(f, InVectors(v) ? kScratchStore : kWriteLanes, fields, {}, uses);
  }
  f.values.push_back(v);
  f.values.back().comps = 1;
  const Operand scratch = lir::ValueOperand(lir::ValueId(f.values.size() - 1), 0);
  return lir::MakeInst(f, kMergeLanes, fields, {&scratch, 1}, uses);
}

InstId MakeFill(Function& f, lir::ValueId def, const Operand&, uint32_t place) {
  lir::InstFields fields;
  fields.width = f.dispatch_width;
  const Value& v = f.value(def);
  if (!kFiles[v.file].masked_writes) fields.flags = lir::kNoMask;
  const Operand d = lir::ValueOperand(def, 0, 0, v.comps), use = lir::ImmOperand(place, 0);
  return lir::MakeInst(f, InVectors(v) ? kScratchLoad : kReadLanes, fields, {&d, 1}, {&use, 1});
}

bool CanMask(const Function&, const Value& v) { return v.file == kFileV || v.file == kFileM; }

// Constants, and copies of them.
bool CanRepeat(const Function& f, InstId i) {
  const lir::Inst& in = f.inst(i);
  if (in.op != kVCopy && in.op != kSCopy) return false;
  return f.uses(i)[0].kind == Operand::Kind::kImm;
}

constexpr lir::SpillHooks SpillTable(LirPool pool) {
  lir::SpillHooks h;
  h.pool = pool;
  h.register_units = 1;
  h.direct_units = 1u << 20;
  h.make_spill = MakeSpill;
  h.make_fill = MakeFill;
  h.can_mask = CanMask;
  h.can_repeat = CanRepeat;
  h.messages = [](uint32_t registers) { return registers; };
  return h;
}
constexpr lir::SpillHooks ToLanes() {
  lir::SpillHooks h = SpillTable(kPoolSgpr);
  h.to_pool = kPoolVgpr;
  h.places_per_unit = [](const Function& f) { return uint32_t{f.dispatch_width}; };
  return h;
}
constexpr lir::SpillHooks kSpills[] = {ToLanes(), SpillTable(kPoolVgpr)};

// ---- Time.

// Unit 0 stands for those that are never busy longer than an issue.
constexpr uint8_t UnitNumber(Unit unit) {
  return unit == Unit::kScalar || unit == Unit::kBranch ? 0 : static_cast<uint8_t>(unit);
}
static_assert(kUnits <= lir::kTimingUnits);

lir::Timing TimeOf(const Timing& timing, bool twice) {
  lir::Timing t;
  t.latency = std::max(1, timing.result);
  for (int counted : timing.counted) t.latency = std::max(t.latency, counted);
  for (int u = 0; u < kUnits; ++u) {
    if (timing.busy[static_cast<size_t>(u)] <= t.busy) continue;
    t.busy = timing.busy[static_cast<size_t>(u)];
    t.unit = UnitNumber(static_cast<Unit>(u));
  }
  if (twice) {
    t.issue = 2;
    t.busy *= 2;
  }
  return t;
}

lir::Timing TimingOfInst(const lir::Machine&, const Function& f, InstId i) {
  const lir::Inst& in = f.inst(i);
  const bool wide = f.dispatch_width == 64;
  if (IsIsaOp(in.op)) {
    isa::Instruction inst;
    inst.op = OpcodeOf(in.op);
    inst.glc = in.num_defs != 0;
    const bool vector = isa::IsVectorAlu(isa::Info(inst.op).encoding);
    return TimeOf(amd::TimingOf(inst), wide && vector);
  }
  const PseudoTime& time = op_rows::kRows[in.op - kFirstPseudo].time;
  lir::Timing t;
  t.latency = time.latency;
  if (time.vector && wide) t.issue = 2;
  return t;
}

lir::Machine MakeMachine() {
  lir::Machine m;
  m.name = "gfx1030";
  m.ops = Ops();
  m.clobbered = lir::ClobberedBy(m.ops);
  m.files = kFiles;
  m.pools = kPools;
  m.types = kTypes;
  m.fixed = kFixedNames;
  m.print_side = PrintExtra;
  m.parse_side = ParseExtra;
  m.units_per_comp = UnitsPerComp;
  m.alignment = Alignment;
  m.may_reuse_source = MayReuseSource;
  m.make_copy = MakeCopy;
  m.make_swap = MakeSwap;
  m.timing = TimingOfInst;
  m.make_save = MakeSave;
  m.make_restore = MakeRestore;
  m.collect_op = kCollect;
  m.spills = kSpills;
  return m;
}

}  // namespace

const lir::Machine& Gfx1030Machine() {
  static const lir::Machine machine = MakeMachine();
  return machine;
}

void Reserve(Function& f, uint32_t slots) {
  f.reserved.push_back(kNoSgprs);
  const SlotPlaces places(slots, MaskUnits(f));
  const uint32_t units = places.sgprs();
  f.reserved.push_back({kPoolSgpr, UnitOfSgpr(kTemporarySgpr - units), units + 2});
  if (places.in_lanes() == 0) return;
  uint32_t first = 0;
  for (const lir::LiveIn& in : f.live_ins) {
    const Value& v = f.value(in.value);
    if (InVectors(v)) first = std::max(first, in.reg + v.comps);
  }
  const uint32_t dwords = places.in_lanes() * MaskUnits(f);
  f.reserved.push_back({kPoolVgpr, first, (dwords + f.dispatch_width - 1) / f.dispatch_width});
}

}  // namespace kiln::amd
