#include "core/amd/select/addresses.h"

#include <algorithm>
#include <bit>

#include "core/mid/analysis/alias.h"
#include "core/mid/analysis/known_bits.h"

namespace kiln::amd {

// 12 bits of buffers, 11 (and a sign) of global and scratch, 16 of LDS.
uint32_t MaxImmediate(Space space) {
  switch (space) {
    case Space::kShared: return 0xffff;
    case Space::kBuffer: return 0xfff;
    default: return 0x7ff;
  }
}

uint32_t AlignmentOf(const mir::Module& m, mir::InstId id) {
  const mir::Inst& inst = m.inst(id);
  const int value = mir::FirstValueSource(inst);
  const bool stores = mir::Info(inst.op).Has('W');
  const uint32_t bytes = mir::BytesOf(m.value(stores ? m.source(id, value) : m.result(id)).type);
  const uint32_t said = std::max(inst.imm1, bytes);
  if (inst.op == mir::Op::kLoadGlobal || inst.op == mir::Op::kStoreGlobal) return said;
  const bool shared = inst.op == mir::Op::kLoadShared || inst.op == mir::Op::kStoreShared;
  const int zeros = std::countr_one(mid::KnownZeros(m, m.source(id, mir::OffsetSource(inst))));
  return std::max(said, 1u << std::min(zeros, shared ? 4 : 2));
}

// Returns true if the sum of base and constant can be the instruction's. Where a buffer's offset is
// in S the constant must be an immediate; elsewhere its upper part becomes the offset in S.
bool Addresses::IsInReach(const Location& location, mir::ValueId base, uint32_t constant) const {
  constexpr uint32_t kMaxBytes = 64;  // of one access
  if (location.space == Space::kShared) return constant <= MaxImmediate(Space::kShared);
  if (uint64_t{mid::UpperBound(m_, base)} + constant > 0xffffffff - kMaxBytes) return false;
  const bool scalar = location.space != Space::kBuffer || e_.IsIn(e_.Src(base), kFileS);
  return !scalar || constant + kMaxBytes <= MaxImmediate(location.space);
}

void Addresses::AddOffset(mir::ValueId offset, Location* location) {
  const mid::Address sum = mid::AddressOf(m_, offset);
  if (!sum.base.valid()) {
    location->constant += sum.offset;
    return;
  }
  Operand rest = e_.Src(offset);
  if (sum.offset != 0 && e_.HasOperand(sum.base) && IsInReach(*location, sum.base, sum.offset)) {
    location->constant += sum.offset;
    rest = e_.Src(sum.base);
  }
  if (e_.IsIn(rest, kFileS) && location->space == Space::kBuffer) {
    location->scalar = rest;
  } else {
    location->vector = e_.ToV(rest);
  }
}

// Register and constant are added without wrapping, as those of buffers.
Addresses::ScalarOffset Addresses::ScalarOffsetOf(mir::ValueId offset) {
  constexpr uint32_t kMaxBytes = 64, kMaxConstant = 0xfffff - kMaxBytes;
  const mid::Address sum = mid::AddressOf(m_, offset);
  if (!sum.base.valid()) {
    if (sum.offset <= kMaxConstant) return {lir::NoOperand(), sum.offset};
    return {e_.ToS(Imm(sum.offset)), 0};
  }
  const bool in_reach = e_.HasOperand(sum.base) && sum.offset <= kMaxConstant &&
                        uint64_t{mid::UpperBound(m_, sum.base)} + sum.offset <= 0xffffffff;
  if (in_reach) return {e_.ToS(e_.Src(sum.base)), sum.offset};
  return {e_.ToS(e_.Src(offset)), 0};
}

// Takes a constant out of a sum of 64 bits: low words added, the carry added to the high word. Not
// of atomics, and if all of the access is within reach of immediates.
Addresses::GlobalAddress Addresses::GlobalAddressOf(mir::InstId id) const {
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
Location Addresses::Of(mir::InstId id, int* next) {
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
  AddOffset(m_.source(id, *next), &location);
  ++*next;
  return location;
}

Addresses::Address Addresses::At(const Location& location, uint32_t at) {
  const uint32_t max_immediate = MaxImmediate(location.space);
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
    case Space::kGlobal:
      a.soffset = location.scalar;
      if (Exists(location.scalar) && !Exists(a.vaddr)) a.vaddr = e_.ToV(Imm(rest));
      break;
    case Space::kShared:
    case Space::kScratch: a.vaddr = VectorPlus(a.vaddr, rest); break;
  }
  return a;
}

// `vector` may be absent.
Operand Addresses::VectorPlus(const Operand& vector, uint32_t added) {
  return Exists(vector) ? e_.ToV(e_.Add(vector, Imm(added))) : e_.ToV(Imm(added));
}

Addresses::Address Addresses::AtTwo(const Location& location, const TwoOffsets& two) {
  Address a;
  a.vaddr = VectorPlus(location.vector, two.added);
  a.extra.offset = two.first;
  a.extra.offset1 = two.second;
  return a;
}

}  // namespace kiln::amd
