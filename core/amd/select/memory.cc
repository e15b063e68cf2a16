#include "core/amd/select/memory.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "core/amd/select/one_values.h"

namespace kiln::amd {
namespace {

// The instructions that move a number of dwords, or one byte or word, in each space.
struct Instructions {
  Opcode load[5];   // by dwords
  Opcode store[5];  // by dwords
  Opcode load_byte, load_word, store_byte, store_word;
};

constexpr Opcode kNone = Opcode::kSNop;
constexpr Instructions kBuffers = {{kNone, Opcode::kBufferLoadDword, Opcode::kBufferLoadDwordx2,
                                    Opcode::kBufferLoadDwordx3, Opcode::kBufferLoadDwordx4},
                                   {kNone, Opcode::kBufferStoreDword, Opcode::kBufferStoreDwordx2,
                                    Opcode::kBufferStoreDwordx3, Opcode::kBufferStoreDwordx4},
                                   Opcode::kBufferLoadUbyte,
                                   Opcode::kBufferLoadUshort,
                                   Opcode::kBufferStoreByte,
                                   Opcode::kBufferStoreShort};
constexpr Instructions kGlobals = {{kNone, Opcode::kGlobalLoadDword, Opcode::kGlobalLoadDwordx2,
                                    Opcode::kGlobalLoadDwordx3, Opcode::kGlobalLoadDwordx4},
                                   {kNone, Opcode::kGlobalStoreDword, Opcode::kGlobalStoreDwordx2,
                                    Opcode::kGlobalStoreDwordx3, Opcode::kGlobalStoreDwordx4},
                                   Opcode::kGlobalLoadUbyte,
                                   Opcode::kGlobalLoadUshort,
                                   Opcode::kGlobalStoreByte,
                                   Opcode::kGlobalStoreShort};
constexpr Instructions kScratches = {
    {kNone, Opcode::kScratchLoadDword, Opcode::kScratchLoadDwordx2, Opcode::kScratchLoadDwordx3,
     Opcode::kScratchLoadDwordx4},
    {kNone, Opcode::kScratchStoreDword, Opcode::kScratchStoreDwordx2, Opcode::kScratchStoreDwordx3,
     Opcode::kScratchStoreDwordx4},
    Opcode::kScratchLoadUbyte,
    Opcode::kScratchLoadUshort,
    Opcode::kScratchStoreByte,
    Opcode::kScratchStoreShort};
constexpr Instructions kShared = {
    {kNone, Opcode::kDsReadB32, Opcode::kDsReadB64, Opcode::kDsReadB96, Opcode::kDsReadB128},
    {kNone, Opcode::kDsWriteB32, Opcode::kDsWriteB64, Opcode::kDsWriteB96, Opcode::kDsWriteB128},
    Opcode::kDsReadU8,
    Opcode::kDsReadU16,
    Opcode::kDsWriteB8,
    Opcode::kDsWriteB16};

const Instructions& Of(Space space) {
  switch (space) {
    case Space::kShared: return kShared;
    case Space::kGlobal: return kGlobals;
    case Space::kScratch: return kScratches;
    default: return kBuffers;
  }
}

// Immediate offsets: 12 bits of buffers, 11 (and a sign) of global and scratch, 16 of LDS.
uint32_t MaxImmediate(Space space) {
  switch (space) {
    case Space::kShared: return 0xffff;
    case Space::kBuffer: return 0xfff;
    default: return 0x7ff;
  }
}

// The most dwords of one instruction for elements aligned to so many bytes. LDS instructions of 64
// bits and more need their alignment.
int MaxDwords(Space space, uint32_t alignment) {
  if (space != Space::kShared || alignment >= 16) return 4;
  return alignment >= 8 ? 2 : 1;
}

}  // namespace

// ---- Addresses.

void Memory::SplitOffset(const Operand& offset, Location* location) {
  if (IsImm(offset)) {
    location->constant = offset.id;
  } else if (e_.IsIn(offset, kFileS) && location->space == Space::kBuffer) {
    location->scalar = offset;
  } else {
    location->vector = e_.ToV(offset);
  }
}

// Takes a constant out of a sum of 64 bits: low words added, the carry added to the high word. Not
// of atomics, and if all of the access is within reach of immediates.
Memory::GlobalAddress Memory::GlobalAddressOf(mir::InstId id) const {
  constexpr uint32_t kMaxBytes = 64;  // of one access
  const GlobalAddress whole = {m_.source(id, 0), m_.source(id, 1)};
  const mir::Op op = m_.inst(id).op;
  if (op != mir::Op::kLoadGlobal && op != mir::Op::kStoreGlobal) return whole;
  const auto low = e_.DefinedBy(whole.low, mir::Op::kIadd);
  const auto high = e_.DefinedBy(whole.high, mir::Op::kIadd);
  if (!low || !high || !m_.IsConstant(m_.source(*low, 1))) return whole;
  const mir::ValueId base = m_.source(*low, 0), constant = m_.source(*low, 1);
  const uint64_t bytes = m_.value(constant).bits;
  if (bytes + kMaxBytes > MaxImmediate(Space::kGlobal)) return whole;
  for (int i = 0; i < 2; ++i) {
    const auto carry = e_.DefinedBy(m_.source(*high, i), mir::Op::kUaddCarry);
    if (!carry) continue;
    const mir::ValueId a = m_.source(*carry, 0), b = m_.source(*carry, 1);
    if (!(a == base && b == constant) && !(b == base && a == constant)) continue;
    const mir::ValueId rest = m_.source(*high, 1 - i);
    if (!e_.HasOperand(base) || !e_.HasOperand(rest)) return whole;
    return {base, rest, static_cast<uint32_t>(bytes)};
  }
  return whole;
}

// Coherent and volatile accesses reach the level of the device: loads GLC and DLC, stores GLC.
Location Memory::LocationOf(mir::InstId id, int* next) {
  const mir::Inst& inst = m_.inst(id);
  Location location;
  *next = 0;
  location.flags = e_.OrderOf(id);
  switch (inst.op) {
    case mir::Op::kLoadShared:
    case mir::Op::kStoreShared:
    case mir::Op::kSharedAtomic:
    case mir::Op::kSharedAtomic64: location.space = Space::kShared; break;
    case mir::Op::kLoadGlobal:
    case mir::Op::kStoreGlobal:
    case mir::Op::kGlobalAtomic:
    case mir::Op::kGlobalAtomic64: location.space = Space::kGlobal; break;
    default: location.descriptor = descriptors_.Buffer(id, next); break;
  }
  const mir::OpInfo& info = mir::Info(inst.op);
  if ((inst.flags & (mir::kCoherent | mir::kVolatile)) != 0 && location.space != Space::kShared) {
    location.cache = info.Has('W') ? kGlc : kGlc | kDlc;
    if (info.Has('R') && info.Has('W')) location.cache = 0;  // atomics are at the device's level
  }
  if (location.space == Space::kGlobal) {
    const GlobalAddress address = GlobalAddressOf(id);
    const Operand low = e_.Src(address.low), high = e_.Src(address.high);
    location.constant = address.constant;
    *next = 2;
    if (e_.IsScalar(low) && e_.IsScalar(high)) {
      location.scalar = e_.Vector({low, high}, kFileS);
    } else {
      location.vector = e_.Vector({low, high}, kFileV);
    }
    return location;
  }
  SplitOffset(e_.Src(m_.source(id, *next)), &location);
  ++*next;
  return location;
}

Memory::Address Memory::AddressOf(const Location& location, uint32_t at, uint32_t max_immediate) {
  Address a;
  a.vaddr = location.vector;
  a.extra.cache = location.cache;
  const uint32_t constant = location.constant + at;
  // An immediate that must not carry is added by an instruction where another offset is present:
  // the sum of 32 bits wraps.
  const uint32_t immediate = constant <= max_immediate ? constant : constant & max_immediate;
  a.extra.offset = static_cast<int32_t>(immediate);
  const uint32_t rest = constant - immediate;
  switch (location.space) {
    case Space::kBuffer:
      a.resource = location.descriptor;
      a.soffset = Exists(location.scalar) ? location.scalar : Imm(0);
      if (rest != 0) {
        a.soffset =
            Exists(location.scalar) ? e_.Add(location.scalar, Imm(rest)) : e_.ToS(Imm(rest));
      }
      if (Exists(a.vaddr)) a.extra.flags |= kOffen;
      break;
    case Space::kShared:
      if (!Exists(a.vaddr)) {
        a.vaddr = e_.ToV(Imm(rest));
      } else if (rest != 0) {
        a.vaddr = e_.Valu(Opcode::kVAddNcU32, {Imm(rest), a.vaddr});
      }
      break;
    case Space::kGlobal:
      a.soffset = location.scalar;
      if (Exists(location.scalar) && !Exists(a.vaddr)) a.vaddr = e_.ToV(Imm(rest));
      break;
    case Space::kScratch:
      if (!Exists(a.vaddr)) {
        a.vaddr = e_.ToV(Imm(rest));
      } else if (rest != 0) {
        a.vaddr = e_.Valu(Opcode::kVAddNcU32, {Imm(rest), a.vaddr});
      }
      break;
  }
  return a;
}

// ---- Data.

Operand Memory::LoadDwords(const Location& location, uint32_t at, int dwords) {
  const Address a = AddressOf(location, at, MaxImmediate(location.space));
  const Operand def = Use(e_.New(kFileV, dwords), 0, dwords);
  const Opcode op = Of(location.space).load[dwords];
  if (location.space == Space::kShared) {
    e_.EmitRaw(Op(op), {def}, {a.vaddr}, a.extra, location.flags);
  } else {
    e_.EmitRaw(Op(op), {def}, {a.vaddr, a.resource, a.soffset}, a.extra, location.flags);
  }
  return def;
}

void Memory::StoreDwords(const Location& location, uint32_t at, absl::Span<const Operand> dwords) {
  const Address a = AddressOf(location, at, MaxImmediate(location.space));
  const Operand data = e_.Vector(dwords, kFileV);
  const Opcode op = Of(location.space).store[dwords.size()];
  switch (location.space) {
    case Space::kBuffer:
      e_.EmitRaw(Op(op), {}, {a.vaddr, a.resource, a.soffset, data}, a.extra);
      break;
    case Space::kShared: e_.EmitRaw(Op(op), {}, {a.vaddr, data}, a.extra); break;
    default: e_.EmitRaw(Op(op), {}, {a.vaddr, data, a.soffset}, a.extra); break;
  }
}

Operand Memory::LoadSmall(const Location& location, uint32_t at, uint32_t bytes) {
  const Address a = AddressOf(location, at, MaxImmediate(location.space));
  const Operand def = Use(e_.New(kFileV));
  const Instructions& of = Of(location.space);
  e_.EmitRaw(Op(bytes == 1 ? of.load_byte : of.load_word), {def}, {a.vaddr, a.resource, a.soffset},
             a.extra, location.flags);
  return def;
}

void Memory::StoreSmall(const Location& location, uint32_t at, uint32_t bytes,
                        const Operand& value) {
  const Address a = AddressOf(location, at, MaxImmediate(location.space));
  const Instructions& of = Of(location.space);
  const Opcode op = bytes == 1 ? of.store_byte : of.store_word;
  const Operand data = e_.ToV(value);
  switch (location.space) {
    case Space::kBuffer:
      e_.EmitRaw(Op(op), {}, {a.vaddr, a.resource, a.soffset, data}, a.extra);
      break;
    case Space::kShared: e_.EmitRaw(Op(op), {}, {a.vaddr, data}, a.extra); break;
    default: e_.EmitRaw(Op(op), {}, {a.vaddr, data, a.soffset}, a.extra); break;
  }
}

// Returns the number from this bit of a dword on; bits above it are undefined.
Operand Memory::Extract(const Operand& dword, uint32_t bit) {
  if (bit == 0) return dword;
  if (e_.IsScalar(dword)) return e_.Salu(Opcode::kSLshrB32, {dword, Imm(bit)});
  return e_.Valu(Opcode::kVLshrrevB32, {Imm(bit), dword});
}

// Sets the results of a load from the dwords that hold them.
void Memory::SetDwords(mir::InstId id, absl::Span<const Operand> dwords, uint32_t first_bit) {
  const uint32_t bits = e_.BitsOf(m_.result(id));
  for (int i = 0; i < m_.inst(id).num_results; ++i) {
    const uint32_t bit = first_bit + static_cast<uint32_t>(i) * bits;
    const mir::ValueId v = m_.result(id, i);
    if (bits == 64) {
      const Operand low = dwords[2 * static_cast<size_t>(i)],
                    high = dwords[2 * static_cast<size_t>(i) + 1];
      e_.SetLoaded(v, e_.Vector({low, high}, e_.IsIn(low, kFileS) ? kFileS : kFileV));
    } else {
      e_.SetLoaded(v, Extract(dwords[bit / 32], bit % 32));
    }
  }
}

void Memory::LoadVector(mir::InstId id, const Location& location) {
  const mir::Inst& inst = m_.inst(id);
  const uint32_t bytes = e_.BitsOf(m_.result(id)) / 8;
  const uint32_t alignment = std::max(inst.imm1, bytes);
  const auto total = static_cast<uint32_t>(inst.num_results) * bytes;
  if (bytes < 4 && (alignment < 4 || total < 4)) {
    for (uint32_t i = 0; i < inst.num_results; ++i) {
      const mir::ValueId v = m_.result(id, static_cast<int>(i));
      e_.SetLoaded(v, LoadSmall(location, i * bytes, bytes));
      e_.SetZeroAbove(v);
    }
    return;
  }
  absl::InlinedVector<Operand, 16> dwords;
  const uint32_t count = (total + 3) / 4;
  for (uint32_t at = 0; at < count;) {
    const auto most =
        static_cast<uint32_t>(MaxDwords(location.space, std::min(alignment, at % 4 == 0   ? 16u
                                                                            : at % 2 == 0 ? 8u
                                                                                          : 4u)));
    uint32_t chunk = std::min(most, count - at);
    if (location.space == Space::kShared && chunk == 3) chunk = 2;
    const Operand part = LoadDwords(location, 4 * at, static_cast<int>(chunk));
    for (uint32_t i = 0; i < chunk; ++i) dwords.push_back(e_.Component(part, static_cast<int>(i)));
    at += chunk;
  }
  SetDwords(id, dwords);
}

void Memory::StoreVector(mir::InstId id, const Location& location, int first) {
  const mir::Inst& inst = m_.inst(id);
  const uint32_t bytes = e_.BitsOf(m_.source(id, first)) / 8;
  const uint32_t alignment = std::max(inst.imm1, bytes);
  const int count = inst.num_sources - first;
  if (bytes < 4) {
    for (int i = 0; i < count; ++i) {
      StoreSmall(location, static_cast<uint32_t>(i) * bytes, bytes,
                 e_.Src(m_.source(id, first + i)));
    }
    return;
  }
  absl::InlinedVector<Operand, 16> dwords;
  for (int i = 0; i < count; ++i) {
    const mir::ValueId v = m_.source(id, first + i);
    if (bytes == 4) {
      dwords.push_back(e_.Src(v));
    } else {
      dwords.push_back(e_.Half(v, 0));
      dwords.push_back(e_.Half(v, 1));
    }
  }
  for (size_t at = 0; at < dwords.size();) {
    const auto most =
        static_cast<size_t>(MaxDwords(location.space, std::min(alignment, at % 4 == 0   ? 16u
                                                                          : at % 2 == 0 ? 8u
                                                                                        : 4u)));
    size_t chunk = std::min(most, dwords.size() - at);
    if (location.space == Space::kShared && chunk == 3) chunk = 2;
    StoreDwords(location, static_cast<uint32_t>(4 * at),
                absl::MakeConstSpan(dwords).subspan(at, chunk));
    at += chunk;
  }
}

// ---- Scalar loads.

void Memory::LoadScalar(mir::InstId id, const Operand& base, bool buffer, const Operand& offset) {
  constexpr Opcode kOfBuffer[] = {Opcode::kSBufferLoadDword, Opcode::kSBufferLoadDwordx2,
                                  Opcode::kSBufferLoadDwordx4, Opcode::kSBufferLoadDwordx8,
                                  Opcode::kSBufferLoadDwordx16};
  constexpr Opcode kOfAddress[] = {Opcode::kSLoadDword, Opcode::kSLoadDwordx2,
                                   Opcode::kSLoadDwordx4, Opcode::kSLoadDwordx8,
                                   Opcode::kSLoadDwordx16};
  constexpr uint32_t kMaxOffset = 0xfffff;
  const uint32_t bits = e_.BitsOf(m_.result(id));
  const uint32_t count = (static_cast<uint32_t>(m_.inst(id).num_results) * bits + 31) / 32;
  Operand soffset = lir::NoOperand();
  uint32_t constant = 0;
  if (IsImm(offset) && offset.id <= kMaxOffset) {
    constant = offset.id;
  } else {
    soffset = e_.ToS(offset);
  }
  absl::InlinedVector<Operand, 16> dwords;
  for (uint32_t at = 0; at < count;) {
    // Loads of buffers may read more than is asked for; others may not leave the page.
    int log = 0;
    while (log < 4 && (1u << log) < count - at) ++log;
    if (!buffer && (1u << log) > count - at) --log;
    const uint32_t size = 1u << log;
    Extra extra;
    extra.offset = static_cast<int32_t>(constant + 4 * at);
    const Operand def = Use(e_.New(kFileS, static_cast<int>(size)), 0, static_cast<int>(size));
    e_.EmitRaw(Op(buffer ? kOfBuffer[log] : kOfAddress[log]), {def}, {base, soffset}, extra);
    for (uint32_t i = 0; i < std::min(size, count - at); ++i) {
      dwords.push_back(e_.Component(def, static_cast<int>(i)));
    }
    at += size;
  }
  SetDwords(id, dwords);
}

// ---- Instructions of MIR.

// Loads from memory of that many bytes; outside are zeros. Where the offset is known to be inside,
// scalar loads need no descriptor.
absl::Status Memory::LoadBounded(mir::InstId id, const Operand& address, uint32_t bytes) {
  const mir::Inst& inst = m_.inst(id);
  const mir::ValueId offset = m_.source(id, 0);
  const uint32_t size = e_.BitsOf(m_.result(id)) / 8 * inst.num_results;
  const bool scalar =
      e_.IsUniform(offset) && std::max(inst.imm1, e_.BitsOf(m_.result(id)) / 8) >= 4;
  if (scalar && m_.IsConstant(offset) && m_.value(offset).bits + size <= bytes) {
    LoadScalar(id, address, false, e_.Src(offset));
    return absl::OkStatus();
  }
  const Operand descriptor = launch_.RawBuffer(address, Imm(bytes));
  if (scalar) {
    LoadScalar(id, descriptor, true, e_.ToScalar(e_.Src(offset)));
    return absl::OkStatus();
  }
  Location location;
  location.descriptor = descriptor;
  location.flags = lir::kUnordered;
  SplitOffset(e_.Src(offset), &location);
  LoadVector(id, location);
  return absl::OkStatus();
}

absl::Status Memory::VisitLoad(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  if (inst.op == mir::Op::kLoadPush) {
    const mir::ValueId offset = m_.source(id, 0);
    const uint32_t bytes = e_.BitsOf(m_.result(id)) / 8 * inst.num_results;
    const uint32_t at = m_.IsConstant(offset) ? static_cast<uint32_t>(m_.value(offset).bits) : 0;
    // Beyond the block are no defined values.
    if (m_.IsConstant(offset) && (!abi_.push_pointer || at + bytes <= 4 * abi_.push_dwords)) {
      absl::InlinedVector<Operand, 16> dwords;
      for (uint32_t d = at / 4; 4 * d < at + bytes; ++d) {
        dwords.push_back(d < abi_.push_dwords ? launch_.PushDword(d) : Imm(0));
      }
      SetDwords(id, dwords, 8 * (at % 4));
      return absl::OkStatus();
    }
    if (!abi_.push_pointer) return e_.Unexpected("push constants that are in no register");
    return LoadBounded(id, launch_.Address(*abi_.push_pointer), m_.push_constant_bytes);
  }
  if (inst.op == mir::Op::kLoadConstant) {
    return LoadBounded(id, e_.Pseudo(kConstantAddress, kFileS, 2, {Imm(0)}),
                       static_cast<uint32_t>(m_.constant_data.size()));
  }
  if (IsScalarLoad(m_, e_.divergence(), id)) {
    int next = 0;
    const Operand base = descriptors_.Buffer(id, &next);
    LoadScalar(id, base, true, e_.ToScalar(e_.Src(m_.source(id, next))));
    return absl::OkStatus();
  }
  int next = 0;
  const Location location = LocationOf(id, &next);
  LoadVector(id, location);
  return absl::OkStatus();
}

absl::Status Memory::VisitStore(mir::InstId id) {
  int next = 0;
  const Location location = LocationOf(id, &next);
  StoreVector(id, location, next);
  return absl::OkStatus();
}

// Arrays lie one after the other, aligned to 16 bytes.
uint32_t Memory::ArrayOffset(uint32_t array) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < array; ++i) at += (m_.private_arrays[i].bytes + 15) / 16 * 16;
  return at;
}

uint32_t Memory::private_bytes() {
  return ArrayOffset(static_cast<uint32_t>(m_.private_arrays.size()));
}

absl::Status Memory::VisitPrivateLoad(mir::InstId id) {
  Location location;
  location.space = Space::kScratch;
  SplitOffset(e_.Src(m_.source(id, 0)), &location);
  location.constant += ArrayOffset(m_.inst(id).imm0);
  LoadVector(id, location);
  return absl::OkStatus();
}

absl::Status Memory::VisitPrivateStore(mir::InstId id) {
  Location location;
  location.space = Space::kScratch;
  SplitOffset(e_.Src(m_.source(id, 0)), &location);
  location.constant += ArrayOffset(m_.inst(id).imm0);
  StoreVector(id, location, 1);
  return absl::OkStatus();
}

// The V# of a raw buffer has its size in bytes in word 2, and its address in words 0 and 1.
void Memory::BufferSize(mir::InstId id) {
  int next = 0;
  const Operand descriptor = descriptors_.Buffer(id, &next);
  e_.Set(m_.result(id), e_.Component(descriptor, 2));
}

void Memory::BufferAddress(mir::InstId id) {
  int next = 0;
  const Operand descriptor = descriptors_.Buffer(id, &next);
  e_.Set(m_.result(id, 0), e_.Component(descriptor, 0));
  const Operand high = e_.Salu(Opcode::kSSextI32I16, {e_.Component(descriptor, 1)});
  e_.Set(m_.result(id, 1), high);
}

}  // namespace kiln::amd
