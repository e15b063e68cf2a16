#include "core/amd/select/memory.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "absl/container/inlined_vector.h"
#include "core/amd/select/one_values.h"
#include "core/mid/analysis/alias.h"

namespace kiln::amd {

// ---- Data.

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
      if (!Exists(low)) continue;  // without uses
      e_.SetLoaded(v, e_.Vector({low, high}, e_.IsIn(low, kFileS) ? kFileS : kFileV));
    } else if (Exists(dwords[bit / 32])) {
      e_.SetLoaded(v, Extract(dwords[bit / 32], bit % 32));
    }
  }
}

// Returns which dwords of a load have uses. Volatile loads have effects.
NeededDwords Memory::NeededOf(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const uint32_t bytes = e_.BitsOf(m_.result(id)) / 8;
  NeededDwords needed;
  needed.count = (inst.num_results * bytes + 3) / 4;
  assert(needed.count <= 32);
  for (int i = 0; i < inst.num_results; ++i) {
    if ((inst.flags & mir::kVolatile) == 0 && !e_.Used(m_.result(id, i))) continue;
    const uint32_t first = static_cast<uint32_t>(i) * bytes / 4;
    needed.mask |= (bytes == 8 ? 3u : 1u) << first;
  }
  return needed;
}

// Loads elements that are smaller than dwords: two bytes as a word where they are aligned to it.
void Memory::LoadSmallElements(mir::InstId id, const Location& location, uint32_t bytes,
                               bool by_words) {
  const int count = m_.inst(id).num_results;
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<uint32_t>(i) * bytes;
    const mir::ValueId v = m_.result(id, i);
    if (by_words && i + 1 < count) {
      const Operand word = memory_.LoadSmall(location, at, 2);
      e_.SetLoaded(v, word);
      e_.SetLoaded(m_.result(id, ++i), Extract(word, 8));
      e_.SetZeroAbove(m_.result(id, i));
      continue;
    }
    e_.SetLoaded(v, memory_.LoadSmall(location, at, bytes));
    e_.SetZeroAbove(v);
  }
}

// A dword at a multiple of 4 is inside of a buffer with its first byte, since sizes of buffers are
// rounded up to dwords (ABI.md) and bounds are checked for each dword (Mesa 25.0.7, ac_nir.c,
// align_load_store_size), and inside of a page. So it may be loaded for three bytes or more.
void Memory::LoadVector(mir::InstId id, const Location& location) {
  const mir::Inst& inst = m_.inst(id);
  const uint32_t bytes = e_.BitsOf(m_.result(id)) / 8;
  const uint32_t alignment = AlignmentOf(m_, id);
  const auto total = static_cast<uint32_t>(inst.num_results) * bytes;
  if (bytes < 4 && (alignment < 4 || total < 3)) {
    return LoadSmallElements(id, location, bytes, bytes == 1 && alignment >= 2);
  }
  SetDwords(id, memory_.Load(location, alignment, NeededOf(id)));
}

// Returns the number whose low `bits` are `low`, 8 or 16, with `high` above them.
Operand Memory::Joined(const Operand& low, const Operand& high, uint32_t bits) {
  const uint32_t ones = (1u << bits) - 1;
  if (IsImm(low) && IsImm(high)) return Imm((low.id & ones) | high.id << bits);
  if (e_.IsScalar(low) && e_.IsScalar(high)) {
    if (bits == 16) return e_.Salu(Opcode::kSPackLlB32B16, {low, high});
    const Operand cleared = e_.Salu(Opcode::kSAndB32, {low, Imm(ones)});
    return e_.Salu(Opcode::kSOrB32, {e_.Salu(Opcode::kSLshlB32, {high, Imm(bits)}), cleared});
  }
  // Bytes 0 to 3 of the selector name those of the second source, 4 to 7 of the first, 12 is 0.
  return e_.Valu(Opcode::kVPermB32, {high, low, Imm(bits == 16 ? 0x05040100 : 0x0c0c0400)});
}

// Stores elements that are smaller than dwords, as the largest units that their alignment allows:
// bounds are checked by dwords (LoadVector).
void Memory::StoreSmallElements(const Location& location, uint32_t bytes, uint32_t alignment,
                                absl::Span<const Operand> values) {
  const size_t in_word = 2 / bytes, in_dword = 4 / bytes;
  const auto word = [&](size_t i) {
    return bytes == 2 ? values[i] : Joined(values[i], values[i + 1], 8);
  };
  for (size_t i = 0; i < values.size();) {
    const auto at = static_cast<uint32_t>(i) * bytes;
    VectorMemory::Dwords dwords;
    for (size_t d = i; alignment >= 4 && at % 4 == 0 && d + in_dword <= values.size();
         d += in_dword) {
      dwords.push_back(Joined(word(d), word(d + in_word), 16));
    }
    if (!dwords.empty()) {
      memory_.Store(location, alignment, at, dwords);
      i += dwords.size() * in_dword;
    } else if (bytes == 1 && alignment >= 2 && at % 2 == 0 && i + 2 <= values.size()) {
      memory_.StoreSmall(location, at, 2, word(i));
      i += 2;
    } else {
      memory_.StoreSmall(location, at, bytes, values[i++]);
    }
  }
}

void Memory::StoreVector(mir::InstId id, const Location& location, int first) {
  const uint32_t bytes = e_.BitsOf(m_.source(id, first)) / 8;
  const uint32_t alignment = AlignmentOf(m_, id);
  const VectorMemory::Dwords values = StoredValues(id, first);
  if (bytes < 4) {
    StoreSmallElements(location, bytes, alignment, values);
  } else {
    memory_.Store(location, alignment, 0, values);
  }
}

// Returns the sources from `first` on: dwords, of 64-bit numbers two each.
VectorMemory::Dwords Memory::StoredValues(mir::InstId id, int first) const {
  VectorMemory::Dwords values;
  for (int i = first; i < m_.inst(id).num_sources; ++i) {
    const mir::ValueId v = m_.source(id, i);
    if (e_.BitsOf(v) < 64) {
      values.push_back(e_.Src(v));
    } else {
      values.push_back(e_.Half(v, 0));
      values.push_back(e_.Half(v, 1));
    }
  }
  return values;
}

// ---- Two places of shared memory.

// Makes both accesses of a pair: `other` is the one that selection is not at. Offsets count from
// the base that they have in common; where another operation computes it, from this access's
// address.
void Memory::AccessTwo(mir::InstId id, mir::InstId other) {
  const mid::Access a = *mid::AccessOf(m_, id), b = *mid::AccessOf(m_, other);
  Location location;
  location.space = Space::kShared;
  uint32_t at = a.offset;
  if (a.base.valid() && e_.HasOperand(a.base)) {
    location.vector = e_.ToV(e_.Src(a.base));
  } else if (a.base.valid()) {
    location.vector = e_.ToV(e_.Src(m_.source(id, 0)));
    at = 0;
  }
  const TwoOffsets two = *TwoOffsetsOf(at, at + (b.offset - a.offset), a.bytes);
  if (a.reads) {
    const Operand both = memory_.LoadTwo(location, two, a.bytes);
    VectorMemory::Dwords dwords;
    for (int i = 0; i < both.comps; ++i) dwords.push_back(e_.Component(both, i));
    const auto all = absl::MakeConstSpan(dwords);
    SetDwords(id, all.first(a.bytes / 4));
    SetDwords(other, all.subspan(a.bytes / 4));
  } else {
    memory_.StoreTwo(location, two, DwordsToStore(id), DwordsToStore(other));
  }
}

VectorMemory::Dwords Memory::DwordsToStore(mir::InstId id) {
  VectorMemory::Dwords values = StoredValues(id, 1);
  const uint32_t bits = e_.BitsOf(m_.source(id, 1));
  for (uint32_t have = bits; have < 32; have *= 2) {
    for (size_t i = 0; i < values.size() / 2; ++i) {
      values[i] = Joined(values[2 * i], values[2 * i + 1], have);
    }
    values.resize(values.size() / 2);
  }
  return values;
}

// Returns true if no code is to be made for an access to shared memory: the other one of its pair
// has made it or will. Loads are made with the first, stores with the second.
bool Memory::IsOfPair(mir::InstId id) {
  const mir::InstId other = pairs_[id.index];
  if (!other.valid()) return false;
  const bool is_second = seen_[other.index];
  seen_[id.index] = true;
  if (is_second == (m_.inst(id).op == mir::Op::kStoreShared)) AccessTwo(id, other);
  return true;
}

// ---- Scalar loads.

namespace {

// Returns log2 of the dwords of the next scalar load, from dword `at` on, which is needed: at most
// a quarter of it may be unneeded (Mesa 25.0.7, ac_nir.c, ac_nir_mem_vectorize_callback, allows a
// dword for each access that is merged), since it takes registers while it is under way.
// `beyond`: it may read more than is asked for.
int ScalarSize(const NeededDwords& needed, uint32_t at, bool beyond) {
  for (int log = 4; log > 0; --log) {
    const uint32_t size = 1u << log;
    if (!beyond && at + size > needed.count) continue;
    const int used = std::popcount(needed.mask >> at & ((1u << size) - 1));
    if (4 * (size - static_cast<uint32_t>(used)) <= size) return log;
  }
  return 0;
}

}  // namespace

// Dwords need no alignment beyond their own. Loads of buffers may read more than is asked for,
// since bounds are checked by dwords; others may not leave the page.
void Memory::LoadScalar(mir::InstId id, const Operand& base, bool buffer, mir::ValueId offset) {
  constexpr Opcode kOfBuffer[] = {Opcode::kSBufferLoadDword, Opcode::kSBufferLoadDwordx2,
                                  Opcode::kSBufferLoadDwordx4, Opcode::kSBufferLoadDwordx8,
                                  Opcode::kSBufferLoadDwordx16};
  constexpr Opcode kOfAddress[] = {Opcode::kSLoadDword, Opcode::kSLoadDwordx2,
                                   Opcode::kSLoadDwordx4, Opcode::kSLoadDwordx8,
                                   Opcode::kSLoadDwordx16};
  const Addresses::ScalarOffset place = addresses_.ScalarOffsetOf(offset);
  const NeededDwords needed = NeededOf(id);
  VectorMemory::Dwords dwords(needed.count);
  for (uint32_t at = 0; at < needed.count;) {
    if (!needed.At(at)) {
      ++at;
      continue;
    }
    const int log = ScalarSize(needed, at, buffer);
    const int size = 1 << log;
    Extra extra;
    extra.offset = static_cast<int32_t>(place.constant + 4 * at);
    const Operand def = Use(e_.New(kFileS, size), 0, size);
    e_.EmitRaw(Op(buffer ? kOfBuffer[log] : kOfAddress[log]), {def}, {base, place.soffset}, extra);
    for (int i = 0; i < size && at < needed.count; ++i) dwords[at++] = e_.Component(def, i);
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
    LoadScalar(id, address, false, offset);
    return absl::OkStatus();
  }
  const Operand descriptor = launch_.RawBuffer(address, Imm(bytes));
  if (scalar) {
    LoadScalar(id, descriptor, true, offset);
    return absl::OkStatus();
  }
  Location location;
  location.descriptor = descriptor;
  location.flags = lir::kUnordered;
  addresses_.AddOffset(offset, &location);
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
    LoadScalar(id, base, true, m_.source(id, next));
    return absl::OkStatus();
  }
  if (IsOfPair(id)) return absl::OkStatus();
  int next = 0;
  const Location location = addresses_.Of(id, &next);
  LoadVector(id, location);
  return absl::OkStatus();
}

absl::Status Memory::VisitStore(mir::InstId id) {
  if (IsOfPair(id)) return absl::OkStatus();
  int next = 0;
  const Location location = addresses_.Of(id, &next);
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
  addresses_.AddOffset(m_.source(id, 0), &location);
  location.constant += ArrayOffset(m_.inst(id).imm0);
  LoadVector(id, location);
  return absl::OkStatus();
}

absl::Status Memory::VisitPrivateStore(mir::InstId id) {
  Location location;
  location.space = Space::kScratch;
  addresses_.AddOffset(m_.source(id, 0), &location);
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
