#include "core/amd/select/vector_memory.h"

#include <algorithm>

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

// Opcodes of two places, by unit (4 and 8 bytes) and stride.
constexpr Opcode kReadTwo[2][2] = {{Opcode::kDsRead2B32, Opcode::kDsRead2st64B32},
                                   {Opcode::kDsRead2B64, Opcode::kDsRead2st64B64}};
constexpr Opcode kWriteTwo[2][2] = {{Opcode::kDsWrite2B32, Opcode::kDsWrite2st64B32},
                                    {Opcode::kDsWrite2B64, Opcode::kDsWrite2st64B64}};

// One instruction's share of dwords in a row. LDS instructions of 64 bits need an alignment of 8
// bytes, those of 96 and 128 bits 16, unless SH_MEM_CONFIG says otherwise, of which programs assume
// nothing (Mesa 25.0.7, aco_instruction_selection.cpp, lds_load_callback); else the two halves are
// two places.
struct Share {
  uint32_t dwords;
  bool two;
};
Share ShareOf(Space space, uint32_t alignment, uint32_t at, uint32_t left) {
  if (space != Space::kShared) return {std::min(4u, left), false};
  const uint32_t known = std::min(alignment, at % 4 == 0 ? 16u : at % 2 == 0 ? 8u : 4u);
  if (known >= 16 && left >= 3) return {std::min(4u, left), false};
  if (known >= 8 && left >= 2) return left >= 4 ? Share{4, true} : Share{2, false};
  return left >= 2 ? Share{2, true} : Share{1, false};
}

// Returns two places in a row, `at` bytes behind a location.
TwoOffsets InARow(const Location& location, uint32_t at, uint32_t unit) {
  return *TwoOffsetsOf(location.constant + at, location.constant + at + unit, unit);
}

}  // namespace

Operand VectorMemory::LoadTwo(const Location& location, const TwoOffsets& two, uint32_t unit) {
  const Addresses::Address a = addresses_.AtTwo(location, two);
  const auto dwords = static_cast<int>(unit / 2);
  const Operand def = Use(e_.New(kFileV, dwords), 0, dwords);
  const Opcode op = kReadTwo[unit == 8 ? 1 : 0][two.stride64 ? 1 : 0];
  e_.EmitRaw(Op(op), {def}, {a.vaddr}, a.extra, location.flags);
  return def;
}

void VectorMemory::StoreTwo(const Location& location, const TwoOffsets& two,
                            absl::Span<const Operand> first, absl::Span<const Operand> second) {
  const Operand data = e_.Vector(first, kFileV), other = e_.Vector(second, kFileV);
  const Addresses::Address a = addresses_.AtTwo(location, two);
  const Opcode op = kWriteTwo[first.size() == 2 ? 1 : 0][two.stride64 ? 1 : 0];
  e_.EmitRaw(Op(op), {}, {a.vaddr, data, other}, a.extra);
}

Operand VectorMemory::LoadDwords(const Location& location, uint32_t at, int dwords, bool two) {
  if (two) {
    const auto unit = static_cast<uint32_t>(dwords) * 2;
    return LoadTwo(location, InARow(location, at, unit), unit);
  }
  const Addresses::Address a = addresses_.At(location, at);
  const Operand def = Use(e_.New(kFileV, dwords), 0, dwords);
  const Opcode op = Of(location.space).load[dwords];
  e_.EmitRaw(Op(op), {def}, {a.vaddr, a.resource, a.soffset}, a.extra, location.flags);
  return def;
}

void VectorMemory::StoreDwords(const Location& location, uint32_t at,
                               absl::Span<const Operand> dwords, bool two) {
  if (two) {
    const size_t half = dwords.size() / 2;
    const TwoOffsets offsets = InARow(location, at, static_cast<uint32_t>(4 * half));
    return StoreTwo(location, offsets, dwords.first(half), dwords.subspan(half));
  }
  const Addresses::Address a = addresses_.At(location, at);
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

VectorMemory::Dwords VectorMemory::Load(const Location& location, uint32_t alignment,
                                        const NeededDwords& needed) {
  Dwords dwords(needed.count);
  for (uint32_t at = 0; at < needed.count;) {
    if (!needed.At(at)) {
      ++at;
      continue;
    }
    uint32_t left = std::min(needed.count - at, 4u);
    while (!needed.At(at + left - 1)) --left;
    const Share share = ShareOf(location.space, alignment, at, left);
    const Operand part = LoadDwords(location, 4 * at, static_cast<int>(share.dwords), share.two);
    for (uint32_t i = 0; i < share.dwords; ++i) {
      dwords[at + i] = e_.Component(part, static_cast<int>(i));
    }
    at += share.dwords;
  }
  return dwords;
}

void VectorMemory::Store(const Location& location, uint32_t alignment, uint32_t at,
                         absl::Span<const Operand> dwords) {
  while (!dwords.empty()) {
    const Share share =
        ShareOf(location.space, alignment, at / 4, static_cast<uint32_t>(dwords.size()));
    StoreDwords(location, at, dwords.first(share.dwords), share.two);
    dwords.remove_prefix(share.dwords);
    at += 4 * share.dwords;
  }
}

Operand VectorMemory::LoadSmall(const Location& location, uint32_t at, uint32_t bytes) {
  const Addresses::Address a = addresses_.At(location, at);
  const Operand def = Use(e_.New(kFileV));
  const Instructions& of = Of(location.space);
  e_.EmitRaw(Op(bytes == 1 ? of.load_byte : of.load_word), {def}, {a.vaddr, a.resource, a.soffset},
             a.extra, location.flags);
  return def;
}

void VectorMemory::StoreSmall(const Location& location, uint32_t at, uint32_t bytes,
                              const Operand& value) {
  const Addresses::Address a = addresses_.At(location, at);
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

}  // namespace kiln::amd
