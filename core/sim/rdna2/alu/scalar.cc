// See scalar.h. Semantics: RDNA2 ISA guide, chapter 12.1 to 12.4; SCC of s_bfe_*: Mesa 25.0.7,
// README-ISA (the guide says that they leave it).
#include "core/sim/rdna2/alu/scalar.h"

#include <array>
#include <bit>
#include <cassert>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

namespace kiln::sim::rdna2::alu {
namespace {

using amd::isa::Info;
using amd::isa::kOpcodeCount;
using amd::isa::Opcode;

// The operands of one instruction.
struct Scalar {
  const amd::isa::Instruction& inst;
  const ScalarInputs& in;

  uint64_t a() const { return in.src[0]; }
  uint64_t b() const { return in.src[1]; }
  uint32_t a32() const { return static_cast<uint32_t>(a()); }
  uint32_t b32() const { return static_cast<uint32_t>(b()); }
  int32_t sa() const { return static_cast<int32_t>(a()); }
  int32_t sb() const { return static_cast<int32_t>(b()); }
  uint32_t old32() const { return static_cast<uint32_t>(in.old); }
  int32_t constant() const { return static_cast<int16_t>(inst.simm); }

  // A result that leaves SCC, and one that sets it.
  ScalarResult Keep(uint64_t value) const { return {value, in.scc, in.exec}; }
  ScalarResult Set(uint64_t value, bool scc) const { return {value, scc, in.exec}; }
  // SCC says that the result is not 0.
  ScalarResult NotZero(uint64_t value) const { return Set(value, value != 0); }
  // SCC is the result of a comparison; nothing is written.
  ScalarResult Compare(bool scc) const { return Set(0, scc); }
};

struct Row {
  Opcode op;
  ScalarResult (*evaluate)(const Scalar&);
};

// ---- Sums ----

ScalarResult AddUnsigned(const Scalar& s, uint64_t a, uint64_t b) {
  const uint64_t sum = a + b;  // 33 bits, or 37 if shifted
  return s.Set(static_cast<uint32_t>(sum), sum > 0xffffffffu);
}
ScalarResult SubUnsigned(const Scalar& s, uint64_t borrow) {
  const uint64_t taken = uint64_t{s.b32()} + borrow;
  return s.Set(static_cast<uint32_t>(s.a32() - taken), taken > s.a32());
}
// SCC: the exact value does not fit.
ScalarResult Signed(const Scalar& s, int64_t exact) {
  return s.Set(static_cast<uint32_t>(exact), exact != static_cast<int32_t>(exact));
}
template <int kShift>
ScalarResult ShiftAdd(const Scalar& s) {
  return AddUnsigned(s, uint64_t{s.a32()} << kShift, s.b32());
}

// SCC: the first operand is the result.
template <typename T, bool kLess>
ScalarResult Extreme(const Scalar& s) {
  const T a = static_cast<T>(s.a32()), b = static_cast<T>(s.b32());
  const bool first = kLess ? a < b : a > b;
  return s.Set(static_cast<uint32_t>(first ? a : b), first);
}

// ---- Logic, by width ----

enum class Logic : uint8_t { kAnd, kOr, kXor, kAndn2, kOrn2, kNand, kNor, kXnor, kAndn1, kOrn1 };

template <typename T>
T Apply(Logic f, T a, T b) {
  switch (f) {
    case Logic::kAnd: return a & b;
    case Logic::kOr: return a | b;
    case Logic::kXor: return a ^ b;
    case Logic::kAndn2: return a & ~b;
    case Logic::kOrn2: return a | ~b;
    case Logic::kNand: return ~(a & b);
    case Logic::kNor: return ~(a | b);
    case Logic::kXnor: return ~(a ^ b);
    case Logic::kAndn1: return ~a & b;
    case Logic::kOrn1: return ~a | b;
  }
  return 0;
}

template <typename T, Logic kFunction>
ScalarResult Logical(const Scalar& s) {
  return s.NotZero(Apply<T>(kFunction, static_cast<T>(s.a()), static_cast<T>(s.b())));
}

// exec = f(src0, exec). s_*_saveexec gives the old exec, s_*_wrexec the new one.
template <typename T, Logic kFunction, bool kSave>
ScalarResult WithExec(const Scalar& s) {
  const T exec = static_cast<T>(s.in.exec);
  const T changed = Apply<T>(kFunction, static_cast<T>(s.a()), exec);
  ScalarResult r = s.Set(kSave ? exec : changed, changed != 0);
  constexpr uint64_t kWritten = std::numeric_limits<T>::max();
  r.exec = (s.in.exec & ~kWritten) | changed;
  return r;
}

// ---- Shifts and fields ----

template <typename T>
constexpr int kBits = std::numeric_limits<std::make_unsigned_t<T>>::digits;

template <typename T>
uint32_t Count(uint32_t count) {
  return count % static_cast<uint32_t>(kBits<T>);
}
template <typename T>
ScalarResult Left(const Scalar& s) {
  return s.NotZero(static_cast<T>(static_cast<T>(s.a()) << Count<T>(s.b32())));
}
template <typename T>  // signed types shift signs in
ScalarResult Right(const Scalar& s) {
  using U = std::make_unsigned_t<T>;
  return s.NotZero(static_cast<U>(static_cast<T>(s.a()) >> Count<T>(s.b32())));
}
template <typename T>
T LowOnes(uint32_t count) {
  return count >= static_cast<uint32_t>(kBits<T>) ? static_cast<T>(~T{0})
                                                  : static_cast<T>((T{1} << count) - 1);
}
template <typename T>
ScalarResult FieldMask(const Scalar& s) {
  const T ones = LowOnes<T>(Count<T>(s.a32()));
  return s.Keep(static_cast<T>(ones << Count<T>(s.b32())));
}
// src1: offset in its low bits, width from bit 16 on.
template <typename T>
ScalarResult Field(const Scalar& s) {
  using U = std::make_unsigned_t<T>;
  const uint32_t width = s.b32() >> 16 & 0x7f;
  if (width == 0) return s.NotZero(0);
  U field = static_cast<U>(static_cast<T>(s.a()) >> Count<T>(s.b32())) & LowOnes<U>(width);
  if (std::is_signed_v<T> && width < static_cast<uint32_t>(kBits<T>)) {
    const U sign = U{1} << (width - 1);
    field = (field ^ sign) - sign;
  }
  return s.NotZero(field);
}

// ---- Counts; all ones (of 32 bits) if no bit is found ----

template <typename T>
ScalarResult FromLow(const Scalar& s, T x) {
  return s.Keep(x == 0 ? ~0u : static_cast<uint32_t>(std::countr_zero(x)));
}
template <typename T>
ScalarResult FromHigh(const Scalar& s, T x) {
  return s.Keep(x == 0 ? ~0u : static_cast<uint32_t>(std::countl_zero(x)));
}
template <typename T>
ScalarResult FromSign(const Scalar& s) {
  const T x = static_cast<T>(s.a());
  return FromHigh<T>(s, (x >> (kBits<T> - 1)) != 0 ? static_cast<T>(~x) : x);
}
template <typename T, bool kOnes>
ScalarResult CountBits(const Scalar& s) {
  const T x = static_cast<T>(s.a());
  return s.NotZero(static_cast<uint32_t>(std::popcount(kOnes ? x : static_cast<T>(~x))));
}
template <typename T>
ScalarResult Reversed(const Scalar& s) {
  T r = 0;
  for (int i = 0; i < kBits<T>; ++i) r = static_cast<T>(r << 1 | (s.a() >> i & 1));
  return s.Keep(r);
}
template <typename T, bool kOne>
ScalarResult SetBit(const Scalar& s) {
  const T bit = static_cast<T>(T{1} << Count<T>(s.a32()));
  const T old = static_cast<T>(s.in.old);
  return s.Keep(kOne ? old | bit : old & static_cast<T>(~bit));
}
template <typename T, bool kOne>
ScalarResult TestBit(const Scalar& s) {
  return s.Compare(((s.a() >> Count<T>(s.b32()) & 1) != 0) == kOne);
}

// All four bits of a quad if one is set; or one bit for each quad.
template <typename T>
ScalarResult WholeQuads(const Scalar& s) {
  T r = 0;
  for (int i = 0; i < kBits<T>; i += 4) {
    if ((s.a() >> i & 15) != 0) r |= T{15} << i;
  }
  return s.NotZero(r);
}
template <typename T>
ScalarResult QuadMask(const Scalar& s) {
  T r = 0;
  for (int i = 0; i < kBits<T>; i += 4) {
    if ((s.a() >> i & 15) != 0) r |= T{1} << (i / 4);
  }
  return s.NotZero(r);
}
ScalarResult Replicated(const Scalar& s) {
  uint64_t r = 0;
  for (int i = 0; i < 32; ++i) r |= (uint64_t{3} * (s.a32() >> i & 1)) << (2 * i);
  return s.Keep(r);
}

// ---- Moves and comparisons ----

template <typename T>
ScalarResult Move(const Scalar& s) {
  return s.Keep(static_cast<T>(s.a()));
}
template <typename T>
ScalarResult MoveIf(const Scalar& s) {
  return s.Keep(static_cast<T>(s.in.scc ? s.a() : s.in.old));
}
template <typename T>
ScalarResult Select(const Scalar& s) {
  return s.Keep(static_cast<T>(s.in.scc ? s.a() : s.b()));
}

enum class Relation : uint8_t { kEq, kLg, kGt, kGe, kLt, kLe };

template <typename T>
bool Holds(Relation r, T a, T b) {
  switch (r) {
    case Relation::kEq: return a == b;
    case Relation::kLg: return a != b;
    case Relation::kGt: return a > b;
    case Relation::kGe: return a >= b;
    case Relation::kLt: return a < b;
    case Relation::kLe: return a <= b;
  }
  return false;
}
template <typename T, Relation kRelation>
ScalarResult CompareTwo(const Scalar& s) {
  return s.Compare(Holds<T>(kRelation, static_cast<T>(s.a()), static_cast<T>(s.b())));
}
template <Relation kRelation>
ScalarResult CompareSignedConstant(const Scalar& s) {
  return s.Compare(Holds<int32_t>(kRelation, s.sa(), s.constant()));
}
template <Relation kRelation>
ScalarResult CompareUnsignedConstant(const Scalar& s) {
  return s.Compare(Holds<uint32_t>(kRelation, s.a32(), s.inst.simm));
}

ScalarResult Pack(const Scalar& s, uint32_t low, uint32_t high) {
  return s.Keep((low & 0xffff) | high << 16);
}

constexpr Row kRows[] = {
    // SOP2
    {Opcode::kSAddU32, [](const Scalar& s) { return AddUnsigned(s, s.a32(), s.b32()); }},
    {Opcode::kSSubU32, [](const Scalar& s) { return SubUnsigned(s, 0); }},
    {Opcode::kSAddI32, [](const Scalar& s) { return Signed(s, int64_t{s.sa()} + s.sb()); }},
    {Opcode::kSSubI32, [](const Scalar& s) { return Signed(s, int64_t{s.sa()} - s.sb()); }},
    {Opcode::kSAddcU32,
     [](const Scalar& s) { return AddUnsigned(s, s.a32(), uint64_t{s.b32()} + s.in.scc); }},
    {Opcode::kSSubbU32, [](const Scalar& s) { return SubUnsigned(s, s.in.scc); }},
    {Opcode::kSMinI32, Extreme<int32_t, true>},
    {Opcode::kSMinU32, Extreme<uint32_t, true>},
    {Opcode::kSMaxI32, Extreme<int32_t, false>},
    {Opcode::kSMaxU32, Extreme<uint32_t, false>},
    {Opcode::kSCselectB32, Select<uint32_t>},
    {Opcode::kSCselectB64, Select<uint64_t>},
    {Opcode::kSAndB32, Logical<uint32_t, Logic::kAnd>},
    {Opcode::kSAndB64, Logical<uint64_t, Logic::kAnd>},
    {Opcode::kSOrB32, Logical<uint32_t, Logic::kOr>},
    {Opcode::kSOrB64, Logical<uint64_t, Logic::kOr>},
    {Opcode::kSXorB32, Logical<uint32_t, Logic::kXor>},
    {Opcode::kSXorB64, Logical<uint64_t, Logic::kXor>},
    {Opcode::kSAndn2B32, Logical<uint32_t, Logic::kAndn2>},
    {Opcode::kSAndn2B64, Logical<uint64_t, Logic::kAndn2>},
    {Opcode::kSOrn2B32, Logical<uint32_t, Logic::kOrn2>},
    {Opcode::kSOrn2B64, Logical<uint64_t, Logic::kOrn2>},
    {Opcode::kSNandB32, Logical<uint32_t, Logic::kNand>},
    {Opcode::kSNandB64, Logical<uint64_t, Logic::kNand>},
    {Opcode::kSNorB32, Logical<uint32_t, Logic::kNor>},
    {Opcode::kSNorB64, Logical<uint64_t, Logic::kNor>},
    {Opcode::kSXnorB32, Logical<uint32_t, Logic::kXnor>},
    {Opcode::kSXnorB64, Logical<uint64_t, Logic::kXnor>},
    {Opcode::kSLshlB32, Left<uint32_t>},
    {Opcode::kSLshlB64, Left<uint64_t>},
    {Opcode::kSLshrB32, Right<uint32_t>},
    {Opcode::kSLshrB64, Right<uint64_t>},
    {Opcode::kSAshrI32, Right<int32_t>},
    {Opcode::kSAshrI64, Right<int64_t>},
    {Opcode::kSBfmB32, FieldMask<uint32_t>},
    {Opcode::kSBfmB64, FieldMask<uint64_t>},
    {Opcode::kSMulI32, [](const Scalar& s) { return s.Keep(s.a32() * s.b32()); }},
    {Opcode::kSBfeU32, Field<uint32_t>},
    {Opcode::kSBfeI32, Field<int32_t>},
    {Opcode::kSBfeU64, Field<uint64_t>},
    {Opcode::kSBfeI64, Field<int64_t>},
    {Opcode::kSAbsdiffI32,
     [](const Scalar& s) {
       const uint32_t d = s.a32() - s.b32();  // wraps, then loses its sign
       return s.NotZero(static_cast<int32_t>(d) < 0 ? 0u - d : d);
     }},
    {Opcode::kSLshl1AddU32, ShiftAdd<1>},
    {Opcode::kSLshl2AddU32, ShiftAdd<2>},
    {Opcode::kSLshl3AddU32, ShiftAdd<3>},
    {Opcode::kSLshl4AddU32, ShiftAdd<4>},
    {Opcode::kSPackLlB32B16, [](const Scalar& s) { return Pack(s, s.a32(), s.b32()); }},
    {Opcode::kSPackLhB32B16, [](const Scalar& s) { return Pack(s, s.a32(), s.b32() >> 16); }},
    {Opcode::kSPackHhB32B16, [](const Scalar& s) { return Pack(s, s.a32() >> 16, s.b32() >> 16); }},
    {Opcode::kSMulHiU32, [](const Scalar& s) { return s.Keep(uint64_t{s.a32()} * s.b32() >> 32); }},
    {Opcode::kSMulHiI32,
     [](const Scalar& s) { return s.Keep(static_cast<uint32_t>(int64_t{s.sa()} * s.sb() >> 32)); }},
    // SOPK
    {Opcode::kSMovkI32,
     [](const Scalar& s) { return s.Keep(static_cast<uint32_t>(s.constant())); }},
    {Opcode::kSCmovkI32,
     [](const Scalar& s) {
       return s.Keep(s.in.scc ? static_cast<uint32_t>(s.constant()) : s.old32());
     }},
    {Opcode::kSCmpkEqI32, CompareSignedConstant<Relation::kEq>},
    {Opcode::kSCmpkLgI32, CompareSignedConstant<Relation::kLg>},
    {Opcode::kSCmpkGtI32, CompareSignedConstant<Relation::kGt>},
    {Opcode::kSCmpkGeI32, CompareSignedConstant<Relation::kGe>},
    {Opcode::kSCmpkLtI32, CompareSignedConstant<Relation::kLt>},
    {Opcode::kSCmpkLeI32, CompareSignedConstant<Relation::kLe>},
    {Opcode::kSCmpkEqU32, CompareUnsignedConstant<Relation::kEq>},
    {Opcode::kSCmpkLgU32, CompareUnsignedConstant<Relation::kLg>},
    {Opcode::kSCmpkGtU32, CompareUnsignedConstant<Relation::kGt>},
    {Opcode::kSCmpkGeU32, CompareUnsignedConstant<Relation::kGe>},
    {Opcode::kSCmpkLtU32, CompareUnsignedConstant<Relation::kLt>},
    {Opcode::kSCmpkLeU32, CompareUnsignedConstant<Relation::kLe>},
    {Opcode::kSAddkI32,
     [](const Scalar& s) {
       return Signed(s, int64_t{static_cast<int32_t>(s.old32())} + s.constant());
     }},
    {Opcode::kSMulkI32,
     [](const Scalar& s) { return s.Keep(s.old32() * static_cast<uint32_t>(s.constant())); }},
    // SOP1
    {Opcode::kSMovB32, Move<uint32_t>},
    {Opcode::kSMovB64, Move<uint64_t>},
    // The caller finds the registers that M0 selects.
    {Opcode::kSMovrelsB32, Move<uint32_t>},
    {Opcode::kSMovrelsB64, Move<uint64_t>},
    {Opcode::kSMovreldB32, Move<uint32_t>},
    {Opcode::kSMovreldB64, Move<uint64_t>},
    {Opcode::kSMovrelsd2B32, Move<uint32_t>},
    {Opcode::kSCmovB32, MoveIf<uint32_t>},
    {Opcode::kSCmovB64, MoveIf<uint64_t>},
    {Opcode::kSNotB32, [](const Scalar& s) { return s.NotZero(~s.a32()); }},
    {Opcode::kSNotB64, [](const Scalar& s) { return s.NotZero(~s.a()); }},
    {Opcode::kSWqmB32, WholeQuads<uint32_t>},
    {Opcode::kSWqmB64, WholeQuads<uint64_t>},
    {Opcode::kSQuadmaskB32, QuadMask<uint32_t>},
    {Opcode::kSQuadmaskB64, QuadMask<uint64_t>},
    {Opcode::kSBrevB32, Reversed<uint32_t>},
    {Opcode::kSBrevB64, Reversed<uint64_t>},
    {Opcode::kSBcnt0I32B32, CountBits<uint32_t, false>},
    {Opcode::kSBcnt0I32B64, CountBits<uint64_t, false>},
    {Opcode::kSBcnt1I32B32, CountBits<uint32_t, true>},
    {Opcode::kSBcnt1I32B64, CountBits<uint64_t, true>},
    {Opcode::kSFf0I32B32, [](const Scalar& s) { return FromLow<uint32_t>(s, ~s.a32()); }},
    {Opcode::kSFf0I32B64, [](const Scalar& s) { return FromLow<uint64_t>(s, ~s.a()); }},
    {Opcode::kSFf1I32B32, [](const Scalar& s) { return FromLow<uint32_t>(s, s.a32()); }},
    {Opcode::kSFf1I32B64, [](const Scalar& s) { return FromLow<uint64_t>(s, s.a()); }},
    {Opcode::kSFlbitI32B32, [](const Scalar& s) { return FromHigh<uint32_t>(s, s.a32()); }},
    {Opcode::kSFlbitI32B64, [](const Scalar& s) { return FromHigh<uint64_t>(s, s.a()); }},
    {Opcode::kSFlbitI32, FromSign<uint32_t>},
    {Opcode::kSFlbitI32I64, FromSign<uint64_t>},
    {Opcode::kSSextI32I8,
     [](const Scalar& s) { return s.Keep(static_cast<uint32_t>(static_cast<int8_t>(s.a32()))); }},
    {Opcode::kSSextI32I16,
     [](const Scalar& s) { return s.Keep(static_cast<uint32_t>(static_cast<int16_t>(s.a32()))); }},
    {Opcode::kSBitset0B32, SetBit<uint32_t, false>},
    {Opcode::kSBitset0B64, SetBit<uint64_t, false>},
    {Opcode::kSBitset1B32, SetBit<uint32_t, true>},
    {Opcode::kSBitset1B64, SetBit<uint64_t, true>},
    {Opcode::kSAbsI32,
     [](const Scalar& s) { return s.NotZero(s.sa() < 0 ? 0u - s.a32() : s.a32()); }},
    {Opcode::kSBitreplicateB64B32, Replicated},
    {Opcode::kSAndSaveexecB32, WithExec<uint32_t, Logic::kAnd, true>},
    {Opcode::kSAndSaveexecB64, WithExec<uint64_t, Logic::kAnd, true>},
    {Opcode::kSOrSaveexecB32, WithExec<uint32_t, Logic::kOr, true>},
    {Opcode::kSOrSaveexecB64, WithExec<uint64_t, Logic::kOr, true>},
    {Opcode::kSXorSaveexecB32, WithExec<uint32_t, Logic::kXor, true>},
    {Opcode::kSXorSaveexecB64, WithExec<uint64_t, Logic::kXor, true>},
    {Opcode::kSAndn2SaveexecB32, WithExec<uint32_t, Logic::kAndn2, true>},
    {Opcode::kSAndn2SaveexecB64, WithExec<uint64_t, Logic::kAndn2, true>},
    {Opcode::kSOrn2SaveexecB32, WithExec<uint32_t, Logic::kOrn2, true>},
    {Opcode::kSOrn2SaveexecB64, WithExec<uint64_t, Logic::kOrn2, true>},
    {Opcode::kSNandSaveexecB32, WithExec<uint32_t, Logic::kNand, true>},
    {Opcode::kSNandSaveexecB64, WithExec<uint64_t, Logic::kNand, true>},
    {Opcode::kSNorSaveexecB32, WithExec<uint32_t, Logic::kNor, true>},
    {Opcode::kSNorSaveexecB64, WithExec<uint64_t, Logic::kNor, true>},
    {Opcode::kSXnorSaveexecB32, WithExec<uint32_t, Logic::kXnor, true>},
    {Opcode::kSXnorSaveexecB64, WithExec<uint64_t, Logic::kXnor, true>},
    {Opcode::kSAndn1SaveexecB32, WithExec<uint32_t, Logic::kAndn1, true>},
    {Opcode::kSAndn1SaveexecB64, WithExec<uint64_t, Logic::kAndn1, true>},
    {Opcode::kSOrn1SaveexecB32, WithExec<uint32_t, Logic::kOrn1, true>},
    {Opcode::kSOrn1SaveexecB64, WithExec<uint64_t, Logic::kOrn1, true>},
    {Opcode::kSAndn1WrexecB32, WithExec<uint32_t, Logic::kAndn1, false>},
    {Opcode::kSAndn1WrexecB64, WithExec<uint64_t, Logic::kAndn1, false>},
    {Opcode::kSAndn2WrexecB32, WithExec<uint32_t, Logic::kAndn2, false>},
    {Opcode::kSAndn2WrexecB64, WithExec<uint64_t, Logic::kAndn2, false>},
    // SOPC
    {Opcode::kSCmpEqI32, CompareTwo<int32_t, Relation::kEq>},
    {Opcode::kSCmpLgI32, CompareTwo<int32_t, Relation::kLg>},
    {Opcode::kSCmpGtI32, CompareTwo<int32_t, Relation::kGt>},
    {Opcode::kSCmpGeI32, CompareTwo<int32_t, Relation::kGe>},
    {Opcode::kSCmpLtI32, CompareTwo<int32_t, Relation::kLt>},
    {Opcode::kSCmpLeI32, CompareTwo<int32_t, Relation::kLe>},
    {Opcode::kSCmpEqU32, CompareTwo<uint32_t, Relation::kEq>},
    {Opcode::kSCmpLgU32, CompareTwo<uint32_t, Relation::kLg>},
    {Opcode::kSCmpGtU32, CompareTwo<uint32_t, Relation::kGt>},
    {Opcode::kSCmpGeU32, CompareTwo<uint32_t, Relation::kGe>},
    {Opcode::kSCmpLtU32, CompareTwo<uint32_t, Relation::kLt>},
    {Opcode::kSCmpLeU32, CompareTwo<uint32_t, Relation::kLe>},
    {Opcode::kSCmpEqU64, CompareTwo<uint64_t, Relation::kEq>},
    {Opcode::kSCmpLgU64, CompareTwo<uint64_t, Relation::kLg>},
    {Opcode::kSBitcmp0B32, TestBit<uint32_t, false>},
    {Opcode::kSBitcmp1B32, TestBit<uint32_t, true>},
    {Opcode::kSBitcmp0B64, TestBit<uint64_t, false>},
    {Opcode::kSBitcmp1B64, TestBit<uint64_t, true>},
};

using Table = std::array<ScalarResult (*)(const Scalar&), kOpcodeCount>;

const Table& Functions() {
  static const Table table = [] {
    Table t = {};
    for (const Row& row : kRows) {
      assert(t[static_cast<size_t>(row.op)] == nullptr);
      t[static_cast<size_t>(row.op)] = row.evaluate;
    }
    return t;
  }();
  return table;
}

}  // namespace

absl::Status CheckScalarComputed(const amd::isa::Instruction& inst) {
  if (Functions()[static_cast<size_t>(inst.op)] != nullptr) return absl::OkStatus();
  const amd::isa::OpcodeInfo& info = Info(inst.op);
  if (!amd::isa::IsScalarAlu(info.encoding)) {
    return absl::InvalidArgumentError(
        absl::StrCat(info.mnemonic, " is no instruction of the scalar ALU"));
  }
  return absl::UnimplementedError(absl::StrCat(
      info.mnemonic, " needs state of the wave: program counter, hardware registers or counters"));
}

ScalarResult EvaluateScalar(const amd::isa::Instruction& inst, const ScalarInputs& in) {
  const auto evaluate = Functions()[static_cast<size_t>(inst.op)];
  assert(evaluate != nullptr);
  return evaluate({inst, in});
}

}  // namespace kiln::sim::rdna2::alu
