// Buffers, shared memory, push constants: messages of the data port.
//
// Message layouts: reference/intel-eu.md 3.3, as confirmed by Mesa's binaries (iga64 -Xdsd reads
// ours the same way). Untyped messages carry one byte address a lane and up to 4 dwords; a
// payload of address and data goes out as two register ranges, so data that lies together already
// needs no copies.
#include "core/intel/select/selector.h"

#include <algorithm>

namespace kiln::intel {
namespace {

constexpr uint32_t kUntypedRead = 1, kUntypedAtomic = 2, kUntypedWrite = 9;  // data cache 1
constexpr uint32_t kBlockReadDwordAligned = 1;                              // constant cache
constexpr uint32_t kMemoryFence = 7;                                        // data cache 0

constexpr uint32_t Control(uint32_t type, uint32_t control, uint32_t surface) {
  return type << 14 | control << 8 | surface;
}

// Bits 5:4 SIMD mode; bits 3:0 channels that are NOT transferred.
uint32_t UntypedControl(int width, int dwords) {
  return (width == 16 ? 1u : 2u) << 4 | (0xfu << dwords & 0xfu);
}

bool IsShared(mir::Op op) {
  return op == mir::Op::kLoadShared || op == mir::Op::kStoreShared ||
         op == mir::Op::kSharedAtomic;
}

}  // namespace

uint32_t AtomicCode(mir::AtomicOp op) {
  switch (op) {
    case mir::AtomicOp::kAnd: return 1;
    case mir::AtomicOp::kOr: return 2;
    case mir::AtomicOp::kXor: return 3;
    case mir::AtomicOp::kExchange: return 4;
    case mir::AtomicOp::kIncrement: return 5;
    case mir::AtomicOp::kDecrement: return 6;
    case mir::AtomicOp::kAdd: return 7;
    case mir::AtomicOp::kSub: return 8;
    case mir::AtomicOp::kSmax: return 10;
    case mir::AtomicOp::kSmin: return 11;
    case mir::AtomicOp::kUmax: return 12;
    case mir::AtomicOp::kUmin: return 13;
    case mir::AtomicOp::kCompareExchange: return 14;
    default: return 0;
  }
}

Operand Selector::LaneValue(mir::ValueId v) {
  return ToLanes(m_.value(v).type == mir::Type::kBool ? StoredBool(v) : Src(v, Type::kUD));
}

// One operand for consecutive components: themselves if they are such already.
Operand Selector::Payload(absl::Span<const Operand> parts) {
  const auto comps = static_cast<uint16_t>(parts.size());
  if (comps == 1) return parts[0];
  bool together = true;
  for (size_t i = 1; i < parts.size(); ++i) {
    together = together && parts[i].id == parts[0].id && parts[i].comp == parts[0].comp + i;
  }
  if (together) {
    Operand all = parts[0];
    all.comps = comps;
    return all;
  }
  const lir::ValueId v = NewG(comps);
  const Operand def = Def(v, Type::kUD);
  lir::InstFields fields = Fields(Where::kLanes);
  b_.Emit(kCollect, fields, absl::Span<const Operand>(&def, 1), parts);
  return def;
}

Operand Selector::Offset(Operand base, uint32_t bytes, Where where) {
  if (bytes == 0) return base;
  if (IsImm(base)) return Imm(base.id + bytes, Type::kUD);
  return Alu(Opcode::kAdd, Type::kD, where, {Retype(base, Type::kD), Imm(bytes, Type::kD)});
}

absl::Status Selector::VisitLoad(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const bool uniform = inst.num_results == 0 || IsUniform(m_.result(id));
  uint32_t surface = 0;
  switch (inst.op) {
    case mir::Op::kLoadPrivate: LoadPrivate(id); return absl::OkStatus();
    case mir::Op::kLoadPush:
      if (m_.IsConstant(m_.source(id, 0))) {
        LoadPush(id);
        return absl::OkStatus();
      }
      surface = *abi_.push_surface;
      break;
    case mir::Op::kLoadConstant: surface = *abi_.constant_surface; break;
    case mir::Op::kLoadShared:
      LoadUntyped(id, kSharedMemorySurface);
      return absl::OkStatus();
    case mir::Op::kLoadSsbo:
      LoadUntyped(id, abi_.resource_surface[inst.imm0]);
      return absl::OkStatus();
    default: surface = abi_.resource_surface[inst.imm0]; break;
  }
  if (uniform && inst.num_results <= 32) {
    LoadBlock(id, surface);
  } else {
    LoadUntyped(id, surface);
  }
  return absl::OkStatus();
}

void Selector::LoadPush(mir::InstId id) {
  const uint32_t offset = m_.value(m_.source(id, 0)).bits;
  for (int i = 0; i < m_.inst(id).num_results; ++i) {
    const uint32_t byte = offset + 4u * static_cast<uint32_t>(i);
    // Past the declared block: robust access reads 0.
    Set(m_.result(id, i),
        byte + 4 <= abi_.client_bytes ? PushDword(byte) : Imm(0, Type::kUD));
  }
}

// Read-only memory at a uniform offset, into U. Reads of 32 aligned bytes at a known offset are
// kept for the dwords beside it; the buffer cannot change while the program runs.
void Selector::LoadBlock(mir::InstId id, uint32_t surface) {
  const Operand offset = Src(m_.source(id, 0), Type::kUD);
  const int count = m_.inst(id).num_results;
  if (IsImm(offset)) {
    for (int i = 0; i < count; ++i) {
      const uint32_t byte = offset.id + 4u * static_cast<uint32_t>(i);
      Operand chunk = ConstantChunk(surface, byte / 32);
      chunk.comp = static_cast<uint16_t>(byte % 32 / 4);
      Set(m_.result(id, i), chunk);
    }
    return;
  }
  const lir::ValueId all = BlockRead(surface, offset, (count + 3) / 4);
  for (int i = 0; i < count; ++i) Set(m_.result(id, i), Use(all, Type::kUD, i));
}

Operand Selector::ConstantChunk(uint32_t surface, uint32_t chunk) {
  for (const CachedChunk& c : chunks_) {
    if (c.surface == surface && c.chunk == chunk) return Use(c.value, Type::kUD);
  }
  const lir::ValueId v = BlockRead(surface, Imm(chunk * 32, Type::kUD), 2);
  chunks_.push_back({surface, chunk, v});
  return Use(v, Type::kUD);
}

lir::ValueId Selector::BlockRead(uint32_t surface, Operand offset, int owords) {
  const uint32_t size = owords <= 2 ? 2 : owords <= 4 ? 3 : 4;  // 2, 4, 8 owords
  const lir::ValueId header = NewRegisters(1);
  lir::InstFields fields = Fields(Where::kUniform);
  fields.width = 8;
  EmitRaw(kHeader, fields, {Def(header, Type::kUD)}, {offset});
  const lir::ValueId data = NewRegisters(1 << (size - 2));
  SendAux aux;
  aux.control = Control(kBlockReadDwordAligned, size, surface);
  aux.header = true;
  aux.sfid = isa::Sfid::kConstantCache;
  fields.aux = aux.Pack();
  EmitRaw(kSend, fields, {Def(data, Type::kUD)}, {Use(header, Type::kUD, 0, 8)});
  return data;
}

// One read for up to 4 dwords. At a uniform offset eight equal lanes are read and lane 0 is used,
// so that the result needs one GRF a dword whatever the width.
void Selector::LoadUntyped(mir::InstId id, uint32_t surface) {
  const int count = m_.inst(id).num_results;
  const bool uniform = count != 0 && IsUniform(m_.result(id));
  const Operand offset = Src(m_.source(id, 0), Type::kUD);
  const bool pure = mir::Info(m_.inst(id).op).Has('P');
  for (int first = 0; first < count; first += 4) {
    const int n = std::min(4, count - first);
    const Operand base = Offset(offset, 4u * static_cast<uint32_t>(first),
                                uniform ? Where::kUniform : Where::kLanes);
    lir::InstFields fields = Fields(uniform ? Where::kUniform : Where::kLanes);
    if (uniform) fields.width = 8;
    Operand address;
    if (uniform) {
      const lir::ValueId all = NewRegisters(1);
      EmitRaw(Op(Opcode::kMov), fields, {Def(all, Type::kUD)}, {base});
      address = Use(all, Type::kUD, 0, 8);
    } else {
      address = ToLanes(base);
    }
    SendAux aux;
    aux.control = Control(kUntypedRead, UntypedControl(fields.width, n), surface);
    aux.sfid = isa::Sfid::kDataCache1;
    fields.aux = aux.Pack();
    const lir::ValueId data = uniform ? NewRegisters(n) : NewG(n);
    EmitRaw(pure ? kSend : kMsgRead, fields, {Def(data, Type::kUD)}, {address});
    for (int i = 0; i < n; ++i) {
      Set(m_.result(id, first + i), Use(data, Type::kUD, uniform ? 8 * i : i));
    }
  }
}

absl::Status Selector::VisitStore(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  if (inst.op == mir::Op::kStorePrivate) {
    StorePrivate(id);
    return absl::OkStatus();
  }
  const absl::Span<const mir::ValueId> sources = m_.sources(id);
  StoreUntyped(IsShared(inst.op) ? kSharedMemorySurface : abi_.resource_surface[inst.imm0],
               sources[0], sources.subspan(1));
  return absl::OkStatus();
}

void Selector::StoreUntyped(uint32_t surface, mir::ValueId offset,
                            absl::Span<const mir::ValueId> values) {
  const Operand base = Src(offset, Type::kUD);
  for (size_t first = 0; first < values.size(); first += 4) {
    const size_t n = std::min<size_t>(4, values.size() - first);
    std::vector<Operand> parts;
    for (size_t i = 0; i < n; ++i) parts.push_back(LaneValue(values[first + i]));
    const Operand address =
        ToLanes(Offset(base, static_cast<uint32_t>(4 * first), WhereOf(offset)));
    lir::InstFields fields = Fields(Where::kLanes);
    SendAux aux;
    aux.control = Control(kUntypedWrite, UntypedControl(width_, static_cast<int>(n)), surface);
    aux.sfid = isa::Sfid::kDataCache1;
    fields.aux = aux.Pack();
    EmitRaw(kMsgWrite, fields, {}, {address, Payload(parts)});
  }
}

absl::Status Selector::VisitAtomic(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const auto op = static_cast<mir::AtomicOp>(inst.imm1);
  const uint32_t surface =
      IsShared(inst.op) ? kSharedMemorySurface : abi_.resource_surface[inst.imm0];
  const absl::Span<const mir::ValueId> sources = m_.sources(id);
  if (op == mir::AtomicOp::kLoad) {
    LoadUntyped(id, surface);
    return absl::OkStatus();
  }
  if (op == mir::AtomicOp::kStore) {
    StoreUntyped(surface, sources[0], sources.subspan(1));
    return absl::OkStatus();
  }
  const uint32_t code = AtomicCode(op);
  if (code == 0) return Refuse(inst, "atomic operation not selected");
  lir::InstFields fields = Fields(Where::kLanes);
  SendAux aux;
  constexpr uint32_t kReturnData = 1u << 5;
  aux.control =
      Control(kUntypedAtomic, kReturnData | (width_ == 8 ? 1u << 4 : 0) | code, surface);
  aux.sfid = isa::Sfid::kDataCache1;
  fields.aux = aux.Pack();
  const Operand address = LaneValue(sources[0]);
  const lir::ValueId before = NewG();
  std::vector<Operand> parts;
  for (size_t i = 1; i < sources.size(); ++i) parts.push_back(LaneValue(sources[i]));
  if (parts.empty() || op == mir::AtomicOp::kIncrement || op == mir::AtomicOp::kDecrement) {
    EmitRaw(kMsgAtomic, fields, {Def(before, Type::kUD)}, {address});
  } else {
    EmitRaw(kMsgAtomic, fields, {Def(before, Type::kUD)}, {address, Payload(parts)});
  }
  Set(m_.result(id), Use(before, Type::kUD));
  return absl::OkStatus();
}

void Selector::Fence(uint32_t surface) {
  lir::InstFields fields = Fields(Where::kUniform);
  SendAux aux;
  constexpr uint32_t kCommit = 1u << 5;  // the fence answers when it is done
  aux.control = Control(kMemoryFence, kCommit, surface);
  aux.header = true;
  aux.sfid = isa::Sfid::kDataCache0;
  fields.aux = aux.Pack();
  EmitRaw(kFence, fields, {Def(NewRegisters(1), Type::kUD)}, {Use(r0_, Type::kUD, 0, 8)});
}

// Orders memory of these classes (mir::MemoryClass) for the scope. A thread sees its own messages
// in order, so that only others are fenced for.
void Selector::MemoryBarrier(uint32_t classes, mir::Scope scope) {
  const bool alone = ThreadsPerGroup(m_, width_) == 1;
  if (scope == mir::Scope::kSubgroup || (alone && scope == mir::Scope::kWorkgroup)) return;
  if ((classes & mir::kMemoryShared) && abi_.writes_shared && !alone) Fence(kSharedMemorySurface);
  // Typed surfaces are in the same data port.
  if ((classes & (mir::kMemoryBuffer | mir::kMemoryImage)) && abi_.writes_buffers) Fence(0);
}

// Memory first: what lanes wrote before the barrier must be seen behind it. The lanes of a thread
// have nobody to wait for.
void Selector::ControlBarrier(const mir::Inst& barrier) {
  const auto scope = static_cast<mir::Scope>(barrier.imm1);
  if (scope == mir::Scope::kSubgroup || ThreadsPerGroup(m_, width_) == 1) return;
  MemoryBarrier(barrier.imm0, scope);
  EmitRaw(kBarrier, Fields(Where::kUniform), {Def(NewRegisters(1), Type::kUD)},
          {Use(r0_, Type::kUD, 0, 8)});
}

// The sampler's resinfo of a raw buffer answers its size in bytes in component 0.
void Selector::BufferSize(mir::InstId id) {
  lir::InstFields fields = Fields(Where::kUniform);
  fields.width = 8;
  const lir::ValueId lod = NewRegisters(1);
  EmitRaw(Op(Opcode::kMov), fields, {Def(lod, Type::kUD)}, {Imm(0, Type::kUD)});
  SendAux aux;
  constexpr uint32_t kResinfo = 10u << 12, kSimd8 = 1u << 17;
  aux.control = kSimd8 | kResinfo | abi_.resource_surface[m_.inst(id).imm0];
  aux.sfid = isa::Sfid::kSampler;
  fields.aux = aux.Pack();
  const lir::ValueId info = NewRegisters(4);
  EmitRaw(kSend, fields, {Def(info, Type::kUD)}, {Use(lod, Type::kUD, 0, 8)});
  Set(m_.result(id), Use(info, Type::kUD));
}

}  // namespace kiln::intel
