// See alu.h. One function per family; each fetches, computes into an array and passes it to one of
// two writers, which saturate, convert, set flags and store.
#include "core/sim/eu/alu.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/intel/isa/opcodes.h"
#include "core/sim/eu/math.h"
#include "core/sim/eu/operand.h"

namespace kiln::sim::eu {
namespace {

using isa::CondMod;
using isa::Opcode;
using isa::Type;

using Ints = int64_t[kMaxChannels];
using Floats = float[kMaxChannels];
using Doubles = double[kMaxChannels];

// The state of one instruction besides its operands.
struct Context {
  const Op& op;
  Thread& thread;
  int count;         // channels of the instruction
  uint32_t enabled;  // bit i: channel i of the instruction
};

absl::Status AddressError(const Op& op) {
  return OpError(absl::StatusCode::kOutOfRange, op, "register-indirect access out of range");
}

void WriteFlags(Context& c, uint32_t bits) {
  const isa::Instruction& inst = c.op.inst;
  const int shift = 32 * inst.flag_nr + 16 * inst.flag_subnr + inst.channel_offset;
  if (shift >= 64) return;  // channels beyond f1.1 have no flag
  uint64_t flags = c.thread.Read64(kFlagOffset);
  flags &= ~(uint64_t{c.enabled} << shift);
  flags |= uint64_t{bits & c.enabled} << shift;
  std::memcpy(c.thread.regs.data() + kFlagOffset, &flags, 8);
}

template <typename T>
bool Compare(CondMod cmod, T a, T b) {
  switch (cmod) {
    case CondMod::kZ: return a == b;
    case CondMod::kNz: return !(a == b);
    case CondMod::kG: return a > b;
    case CondMod::kGe: return a >= b;
    case CondMod::kL: return a < b;
    case CondMod::kLe: return a <= b;
    case CondMod::kU: return std::isnan(a) || std::isnan(b);
    default: return false;
  }
}

template <typename T>
void StoreElements(Context& c, const Offsets& at, const int64_t* bits) {
  for (int i = 0; i < c.count; ++i) {
    if (!(c.enabled >> i & 1)) continue;
    const T v = static_cast<T>(bits[i]);
    std::memcpy(c.thread.regs.data() + at.at[i], &v, sizeof(T));
  }
}

void WriteAccumulator(Context& c, int element, int64_t bits) {
  c.thread.acc[element] = bits;
  c.thread.acc_bytes[element] = static_cast<uint8_t>(isa::ByteSize(c.op.dst.type));
}

// Stores the bit patterns of the enabled channels.
absl::Status Store(Context& c, const int64_t* bits) {
  const OperandPlan& dst = c.op.dst;
  if (dst.access == Access::kNone) return absl::OkStatus();
  if (dst.access == Access::kAccumulator) {
    for (int i = 0; i < c.count; ++i) {
      if (c.enabled >> i & 1) WriteAccumulator(c, dst.base + dst.lane[i], bits[i]);
    }
    return absl::OkStatus();
  }
  const int bytes = isa::ByteSize(dst.type);
  Offsets at;
  if (!Resolve(c.thread, dst, c.count, bytes, at)) return AddressError(c.op);
  switch (bytes) {
    case 1: StoreElements<uint8_t>(c, at, bits); break;
    case 2: StoreElements<uint16_t>(c, at, bits); break;
    default: StoreElements<uint32_t>(c, at, bits); break;
  }
  return absl::OkStatus();
}

// Implicit accumulator update: channel i of the instruction goes to channel i of acc0.
void UpdateAccumulator(Context& c, const int64_t* bits) {
  for (int i = 0; i < c.count; ++i) {
    if (c.enabled >> i & 1) WriteAccumulator(c, i, bits[i]);
  }
}

// Returns true if the elements of an accumulator that enabled channels read have the size with
// which they were written. No source says where elements of another size are, and what the extra
// bits hold.
bool ReadsAccumulatorsAsWritten(const Context& c) {
  const auto written = [&c](int element, Type type) {
    const int bytes = c.thread.acc_bytes[element];
    return bytes == 0 || bytes == isa::ByteSize(type);
  };
  for (int i = 0; i < c.count; ++i) {
    if (!(c.enabled >> i & 1)) continue;
    for (const OperandPlan& s : c.op.src) {
      if (s.access == Access::kAccumulator && !written(s.base + s.lane[i], s.type)) return false;
    }
    if (isa::Info(c.op.inst.op).reads_accumulator && !written(i, c.op.dst.type)) return false;
  }
  return true;
}

bool NeedsAccumulator(const Context& c) {
  return c.op.inst.acc_write && c.op.dst.access != Access::kAccumulator;
}

// Converts float results to bits of the destination type. `flush`: results may be subnormal and are
// not mere copies.
void FloatBits(Context& c, double* r, bool flush, int64_t* bits) {
  const Type type = c.op.dst.type;
  if (c.op.inst.saturate) {
    for (int i = 0; i < c.count; ++i) r[i] = std::isnan(r[i]) ? 0.0 : std::clamp(r[i], 0.0, 1.0);
  }
  if (type == Type::kF || type == Type::kVF) {
    const bool keep = !flush || c.thread.KeepF32();
    for (int i = 0; i < c.count; ++i) {
      float f = static_cast<float>(r[i]);
      if (!keep && std::fpclassify(f) == FP_SUBNORMAL) f = std::copysign(0.0f, f);
      r[i] = f;
      bits[i] = std::bit_cast<uint32_t>(f);
    }
    return;
  }
  const bool keep = !flush || c.thread.KeepF16();
  const scene::Rounding mode = c.thread.RoundingMode();
  for (int i = 0; i < c.count; ++i) {
    uint16_t h = scene::DoubleToHalf(r[i], mode);
    if (!keep && (h & 0x7c00) == 0) h &= 0x8000;
    r[i] = scene::HalfToFloat(h);
    bits[i] = h;
  }
}

// Float to integer: truncation, clamped; NaN gives 0.
int64_t TruncateTo(Type type, double v) {
  if (std::isnan(v)) return 0;
  constexpr double kBeyond = 0x1p40;  // all integer types
  return ClampTo(type, static_cast<int64_t>(std::clamp(v, -kBeyond, kBeyond)));
}

// Writes results computed as floats. May change r.
absl::Status WriteFloats(Context& c, double* r, bool flush = true) {
  Ints bits;
  const Type type = c.op.dst.type;
  if (isa::IsFloat(type)) {
    FloatBits(c, r, flush, bits);
  } else {
    for (int i = 0; i < c.count; ++i) {
      bits[i] = TruncateTo(type, r[i]);
      r[i] = static_cast<double>(bits[i]);
    }
  }
  if (c.op.inst.cmod != CondMod::kNone) {
    uint32_t flags = 0;
    for (int i = 0; i < c.count; ++i) {
      flags |= uint32_t{Compare(c.op.inst.cmod, r[i], 0.0)} << i;
    }
    WriteFlags(c, flags);
  }
  if (NeedsAccumulator(c)) UpdateAccumulator(c, bits);
  return Store(c, bits);
}

// Writes results computed as exact integers.
absl::Status WriteInts(Context& c, int64_t* r) {
  const Type type = c.op.dst.type;
  if (isa::IsFloat(type)) {
    Doubles d;
    std::copy(r, r + c.count, d);  // at most 33 bits
    return WriteFloats(c, d);
  }
  if (NeedsAccumulator(c)) UpdateAccumulator(c, r);
  Ints wrapped;
  if (c.op.inst.saturate) {
    for (int i = 0; i < c.count; ++i) r[i] = ClampTo(type, r[i]);
  }
  for (int i = 0; i < c.count; ++i) wrapped[i] = WrapTo(type, r[i]);
  if (c.op.inst.cmod != CondMod::kNone) {
    uint32_t flags = 0;
    for (int i = 0; i < c.count; ++i) {
      const bool set = c.op.inst.cmod == CondMod::kO
                           ? wrapped[i] != r[i]
                           : Compare<int64_t>(c.op.inst.cmod, wrapped[i], 0);
      flags |= uint32_t{set} << i;
    }
    WriteFlags(c, flags);
  }
  // An accumulator keeps the full product.
  return Store(c, c.op.dst.access == Access::kAccumulator ? r : wrapped);
}

bool FetchAllInts(Context& c, int sources, Ints* out) {
  const bool bitwise = isa::Info(c.op.inst.op).bitwise;
  for (int s = 0; s < sources; ++s) {
    if (!FetchInts(c.thread, c.op.src[s], c.count, bitwise, out[s])) return false;
  }
  return true;
}

bool FetchAllFloats(Context& c, int sources, Floats* out) {
  for (int s = 0; s < sources; ++s) {
    if (!FetchFloats(c.thread, c.op.src[s], c.count, true, out[s])) return false;
  }
  return true;
}

// ---- moves, comparisons, selections -------------------------------------------------------

absl::Status RawMove(Context& c) {
  const int bytes = isa::ByteSize(c.op.dst.type);
  const uint8_t* regs = c.thread.regs.data();
  Ints bits;
  for (int i = 0; i < c.count; ++i) {
    bits[i] = 0;
    std::memcpy(&bits[i], regs + c.op.src[0].base + c.op.src[0].lane[i], bytes);
  }
  return Store(c, bits);
}

absl::Status Move(Context& c) {
  if (c.op.exec == ExecType::kInt) {
    Ints v;
    if (!FetchInts(c.thread, c.op.src[0], c.count, false, v)) return AddressError(c.op);
    return WriteInts(c, v);
  }
  Floats f;
  // A copy between equal types keeps subnormals; conversions flush.
  const bool copy = c.op.dst.type == c.op.src[0].type;
  if (!FetchFloats(c.thread, c.op.src[0], c.count, !copy, f)) return AddressError(c.op);
  Doubles d;
  std::copy(f, f + c.count, d);
  return WriteFloats(c, d, !copy);
}

// Truth of `src0 cmod src1` per channel.
bool CompareSources(Context& c, uint32_t* out) {
  const CondMod cmod = c.op.inst.cmod;
  uint32_t bits = 0;
  if (c.op.exec == ExecType::kInt) {
    Ints v[2];
    if (!FetchAllInts(c, 2, v)) return false;
    for (int i = 0; i < c.count; ++i) {
      bits |= uint32_t{Compare<int64_t>(cmod, v[0][i], v[1][i])} << i;
    }
  } else {
    Floats v[2];
    if (!FetchAllFloats(c, 2, v)) return false;
    const bool nan_true = c.op.inst.op == Opcode::kCmpn;
    for (int i = 0; i < c.count; ++i) {
      const bool set = Compare(cmod, v[0][i], v[1][i]) || (nan_true && std::isnan(v[1][i]));
      bits |= uint32_t{set} << i;
    }
  }
  *out = bits;
  return true;
}

absl::Status Cmp(Context& c) {
  uint32_t flags;
  if (!CompareSources(c, &flags)) return AddressError(c.op);
  Ints bits;
  for (int i = 0; i < c.count; ++i) bits[i] = -int64_t{flags >> i & 1};
  WriteFlags(c, flags);
  return Store(c, bits);
}

// sel: by predicate, or with a conditional modifier minimum and maximum.
absl::Status Sel(Context& c, uint32_t choose) {
  const CondMod cmod = c.op.inst.cmod;
  if (cmod != CondMod::kNone && !CompareSources(c, &choose)) return AddressError(c.op);
  // sel uses the conditional modifier itself, so it sets no flags.
  if (c.op.exec == ExecType::kInt) {
    Ints v[2], r, bits;
    if (!FetchAllInts(c, 2, v)) return AddressError(c.op);
    const Type type = c.op.dst.type;
    for (int i = 0; i < c.count; ++i) {
      r[i] = choose >> i & 1 ? v[0][i] : v[1][i];
      if (c.op.inst.saturate) r[i] = ClampTo(type, r[i]);
      bits[i] = WrapTo(type, r[i]);
    }
    if (NeedsAccumulator(c)) UpdateAccumulator(c, bits);
    return Store(c, bits);
  }
  Floats v[2];
  for (int s = 0; s < 2; ++s) {
    if (!FetchFloats(c.thread, c.op.src[s], c.count, false, v[s])) return AddressError(c.op);
  }
  Doubles r;
  for (int i = 0; i < c.count; ++i) {
    bool first = choose >> i & 1;
    if (cmod == CondMod::kL || cmod == CondMod::kGe) {
      if (std::isnan(v[0][i])) {
        first = false;
      } else if (std::isnan(v[1][i])) {
        first = true;
      }
    }
    r[i] = first ? v[0][i] : v[1][i];
  }
  Ints bits;
  FloatBits(c, r, false, bits);
  if (NeedsAccumulator(c)) UpdateAccumulator(c, bits);
  return Store(c, bits);
}

// csel: src2 compared with zero chooses; sets no flags.
absl::Status Csel(Context& c) {
  const Type type = c.op.dst.type;
  Ints bits;
  if (c.op.exec == ExecType::kInt) {
    Ints v[3];
    if (!FetchAllInts(c, 3, v)) return AddressError(c.op);
    for (int i = 0; i < c.count; ++i) {
      const bool first = Compare<int64_t>(c.op.inst.cmod, v[2][i], 0);
      const int64_t chosen = first ? v[0][i] : v[1][i];
      bits[i] = WrapTo(type, c.op.inst.saturate ? ClampTo(type, chosen) : chosen);
    }
    return Store(c, bits);
  }
  Floats v[3];
  for (int s = 0; s < 3; ++s) {
    if (!FetchFloats(c.thread, c.op.src[s], c.count, s == 2, v[s])) return AddressError(c.op);
  }
  Doubles r;
  for (int i = 0; i < c.count; ++i) {
    r[i] = Compare(c.op.inst.cmod, v[2][i], 0.0f) ? v[0][i] : v[1][i];
  }
  FloatBits(c, r, false, bits);
  return Store(c, bits);
}

// ---- integer arithmetic ---------------------------------------------------------------------

int CountLeadingSigns(int32_t v) {
  const uint32_t u = static_cast<uint32_t>(v < 0 ? ~v : v);
  return u == 0 ? -1 : std::countl_zero(u);
}

uint32_t Reverse(uint32_t v) {
  uint32_t r = 0;
  for (int i = 0; i < 32; ++i) r |= (v >> i & 1) << (31 - i);
  return r;
}

// Only the low five bits of a shift count are used; wider shifts would be 64-bit operations.
constexpr int kShiftMask = 31;

// Narrows a product or shifted value to 64 bits: wraps, or clamps if the instruction saturates.
int64_t Narrow(const Op& op, __int128 exact) {
  if (!op.inst.saturate) return static_cast<int64_t>(exact);
  return static_cast<int64_t>(std::clamp<__int128>(exact, std::numeric_limits<int64_t>::min(),
                                                   std::numeric_limits<int64_t>::max()));
}

int64_t Rotate(const Op& op, int64_t v, int64_t count, bool left) {
  const int bits = 8 * isa::ByteSize(op.src[0].type);
  if (bits == 16) {
    const uint16_t u = static_cast<uint16_t>(v);
    return left ? std::rotl(u, static_cast<int>(count & 15))
                : std::rotr(u, static_cast<int>(count & 15));
  }
  const uint32_t u = static_cast<uint32_t>(v);
  return left ? std::rotl(u, static_cast<int>(count & 31))
              : std::rotr(u, static_cast<int>(count & 31));
}

int64_t Unary(const Op& op, int64_t a) {
  switch (op.inst.op) {
    case Opcode::kNot: return ~a;
    case Opcode::kBfrev: return Reverse(static_cast<uint32_t>(a));
    case Opcode::kLzd: return std::countl_zero(static_cast<uint32_t>(a));
    case Opcode::kFbl: return a == 0 ? 0xffffffff : std::countr_zero(static_cast<uint32_t>(a));
    case Opcode::kFbh:
      if (op.src[0].type == Type::kD)
        return static_cast<uint32_t>(CountLeadingSigns(static_cast<int32_t>(a)));
      return a == 0 ? 0xffffffff : std::countl_zero(static_cast<uint32_t>(a));
    case Opcode::kCbit: return std::popcount(static_cast<uint32_t>(a));
    default: return 0;
  }
}

int64_t Binary(const Op& op, int64_t a, int64_t b) {
  switch (op.inst.op) {
    case Opcode::kAdd: return a + b;
    case Opcode::kMul: return Narrow(op, static_cast<__int128>(a) * b);
    case Opcode::kAnd: return a & b;
    case Opcode::kOr: return a | b;
    case Opcode::kXor: return a ^ b;
    case Opcode::kShl: return Narrow(op, static_cast<__int128>(a) << (b & kShiftMask));
    case Opcode::kShr: return static_cast<uint32_t>(a) >> (b & kShiftMask);
    case Opcode::kAsr: return a >> (b & kShiftMask);
    case Opcode::kRol: return Rotate(op, a, b, true);
    case Opcode::kRor: return Rotate(op, a, b, false);
    case Opcode::kAvg: return (a + b + 1) >> 1;
    case Opcode::kBfi1: {
      const int width = static_cast<int>(a & 31), offset = static_cast<int>(b & 31);
      return static_cast<uint32_t>(((uint64_t{1} << width) - 1) << offset);
    }
    default: return 0;
  }
}

int64_t DotProduct4(const Op& op, int64_t a, int64_t b, int64_t acc) {
  for (int k = 0; k < 4; ++k) {
    const int64_t x = isa::IsSigned(op.src[1].type) ? static_cast<int8_t>(a >> (8 * k))
                                                    : static_cast<uint8_t>(a >> (8 * k));
    const int64_t y = isa::IsSigned(op.src[2].type) ? static_cast<int8_t>(b >> (8 * k))
                                                    : static_cast<uint8_t>(b >> (8 * k));
    acc += x * y;
  }
  return acc;
}

int64_t Extract(const Op& op, int64_t width, int64_t offset, int64_t value) {
  width &= 31;
  offset &= 31;
  if (width == 0) return 0;
  const uint32_t v = static_cast<uint32_t>(value);
  // The value has the signedness of the result (type_rules.h), also if it is a word.
  if (!isa::IsSigned(op.dst.type)) {
    return (v >> offset) & static_cast<uint32_t>((uint64_t{1} << width) - 1);
  }
  // Bits above bit 31 repeat the sign.
  const int64_t wide = static_cast<int32_t>(v);
  return (wide >> offset) << (64 - width) >> (64 - width);
}

int64_t Ternary(const Op& op, int64_t a, int64_t b, int64_t d) {
  switch (op.inst.op) {
    case Opcode::kMad: return Narrow(op, a + static_cast<__int128>(b) * d);
    case Opcode::kBfe: return Extract(op, a, b, d);
    case Opcode::kBfi2: {
      // The field is shifted to where the mask begins (as by NIR's bfi, which Mesa maps to this
      // instruction and which passes the field unshifted).
      const auto mask = static_cast<uint32_t>(a);
      if (mask == 0) return d;
      return (mask & (static_cast<uint32_t>(b) << std::countr_zero(mask))) | (~a & d);
    }
    case Opcode::kDp4a: return DotProduct4(op, b, d, a);
    default: return 0;
  }
}

absl::Status IntArithmetic(Context& c) {
  Ints v[3], r;
  const int sources = isa::Info(c.op.inst.op).nsrc;
  if (!FetchAllInts(c, sources, v)) return AddressError(c.op);
  switch (sources) {
    case 1:
      for (int i = 0; i < c.count; ++i) r[i] = Unary(c.op, v[0][i]);
      break;
    case 2:
      for (int i = 0; i < c.count; ++i) r[i] = Binary(c.op, v[0][i], v[1][i]);
      break;
    default:
      for (int i = 0; i < c.count; ++i) r[i] = Ternary(c.op, v[0][i], v[1][i], v[2][i]);
      break;
  }
  return WriteInts(c, r);
}

// addc and subb: 32-bit result, carry or borrow into the accumulator.
absl::Status CarryArithmetic(Context& c) {
  Ints v[2], r, carry;
  if (!FetchAllInts(c, 2, v)) return AddressError(c.op);
  for (int i = 0; i < c.count; ++i) {
    const uint32_t a = static_cast<uint32_t>(v[0][i]), b = static_cast<uint32_t>(v[1][i]);
    const bool add = c.op.inst.op == Opcode::kAddc;
    r[i] = add ? a + b : a - b;
    carry[i] = add ? static_cast<uint32_t>(a + b) < a : a < b;
  }
  absl::Status status = WriteInts(c, r);
  UpdateAccumulator(c, carry);
  return status;
}

// mach: the accumulator holds src0 times the low half of src1; adds the high half's product,
// returns the upper 32 bits and leaves the lower ones in the accumulator.
absl::Status MultiplyHigh(Context& c) {
  Ints v[2], high, low;
  if (!FetchAllInts(c, 2, v)) return AddressError(c.op);
  const bool is_signed = isa::IsSigned(c.op.src[1].type);
  for (int i = 0; i < c.count; ++i) {
    const int64_t upper = is_signed ? static_cast<int32_t>(v[1][i]) >> 16
                                    : static_cast<int64_t>(static_cast<uint32_t>(v[1][i]) >> 16);
    const uint64_t product = static_cast<uint64_t>(c.thread.acc[i]) +
                             (static_cast<uint64_t>(v[0][i]) * static_cast<uint64_t>(upper) << 16);
    high[i] = static_cast<uint32_t>(product >> 32);
    low[i] = static_cast<uint32_t>(product);
  }
  for (int i = 0; i < c.count; ++i) high[i] = WrapTo(c.op.dst.type, high[i]);
  absl::Status status = Store(c, high);
  if (c.op.inst.acc_write) UpdateAccumulator(c, low);
  return status;
}

absl::Status MultiplyAccumulateInt(Context& c) {
  Ints v[2], r;
  if (!FetchAllInts(c, 2, v)) return AddressError(c.op);
  for (int i = 0; i < c.count; ++i) {
    r[i] = static_cast<int64_t>(static_cast<uint64_t>(c.thread.acc[i]) +
                                static_cast<uint64_t>(v[0][i]) * static_cast<uint64_t>(v[1][i]));
  }
  return WriteInts(c, r);
}

// ---- float arithmetic -----------------------------------------------------------------------

float Fraction(float x) {
  const float f = x - std::floor(x);
  return f;
}

// Kept out of line so that a changed host rounding mode applies to it.
[[gnu::noinline]] void FloatBinary(Opcode op, bool half, int count, const Floats* v, double* r) {
  if (half) {
    // Exact in binary64 for both operations; one rounding follows.
    for (int i = 0; i < count; ++i) {
      const double a = v[0][i], b = v[1][i];
      r[i] = op == Opcode::kAdd ? a + b : a * b;
    }
    return;
  }
  if (op == Opcode::kAdd) {
    for (int i = 0; i < count; ++i) r[i] = v[0][i] + v[1][i];
  } else {
    for (int i = 0; i < count; ++i) r[i] = v[0][i] * v[1][i];
  }
}

[[gnu::noinline]] void FloatMad(bool half, int count, const Floats* v, double* r) {
  for (int i = 0; i < count; ++i) {
    if (half) {
      r[i] = std::fma(static_cast<double>(v[1][i]), static_cast<double>(v[2][i]),
                      static_cast<double>(v[0][i]));
    } else {
      r[i] = std::fma(v[1][i], v[2][i], v[0][i]);
    }
  }
}

absl::Status FloatRound(Context& c) {
  Floats v[1];
  Doubles r;
  if (!FetchAllFloats(c, 1, v)) return AddressError(c.op);
  for (int i = 0; i < c.count; ++i) {
    const float x = v[0][i];
    switch (c.op.inst.op) {
      case Opcode::kRndu: r[i] = std::ceil(x); break;
      case Opcode::kRndd: r[i] = std::floor(x); break;
      case Opcode::kRnde: r[i] = RoundToEven(x); break;
      case Opcode::kRndz: r[i] = std::trunc(x); break;
      default: r[i] = Fraction(x); break;
    }
  }
  return WriteFloats(c, r);
}

absl::Status FloatArithmetic(Context& c) {
  Floats v[3];
  Doubles r;
  const bool half = c.op.exec == ExecType::kHalf;
  switch (c.op.inst.op) {
    case Opcode::kAdd:
    case Opcode::kMul:
      if (!FetchAllFloats(c, 2, v)) return AddressError(c.op);
      FloatBinary(c.op.inst.op, half, c.count, v, r);
      break;
    case Opcode::kMad:
      if (!FetchAllFloats(c, 3, v)) return AddressError(c.op);
      FloatMad(half, c.count, v, r);
      break;
    case Opcode::kMac:
      if (!FetchAllFloats(c, 2, v + 1)) return AddressError(c.op);
      for (int i = 0; i < c.count; ++i) {
        const uint32_t bits = static_cast<uint32_t>(c.thread.acc[i]);
        v[0][i] =
            half ? scene::HalfToFloat(static_cast<uint16_t>(bits)) : std::bit_cast<float>(bits);
      }
      FloatMad(half, c.count, v, r);
      break;
    default: return OpError(absl::StatusCode::kUnimplemented, c.op, "unsupported float operation");
  }
  return WriteFloats(c, r);
}

absl::Status Math(Context& c) {
  if (c.op.exec == ExecType::kInt) {
    Ints v[2], r;
    if (!FetchAllInts(c, 2, v)) return AddressError(c.op);
    if (c.op.inst.math == isa::MathFunction::kIntDivBoth) {
      return OpError(absl::StatusCode::kUnimplemented, c.op, "integer division with both results");
    }
    const bool quotient = c.op.inst.math == isa::MathFunction::kIntDivQuotient;
    for (int i = 0; i < c.count; ++i) {
      r[i] = IntDivide(v[0][i], v[1][i], isa::IsSigned(c.op.src[0].type), quotient);
    }
    return WriteInts(c, r);
  }
  Floats v[2] = {};
  if (!FetchAllFloats(c, c.op.src[1].access == Access::kNone ? 1 : 2, v)) return AddressError(c.op);
  Doubles r;
  for (int i = 0; i < c.count; ++i) r[i] = MathValue(c.op.inst.math, v[0][i], v[1][i]);
  return WriteFloats(c, r);
}

absl::Status Dispatch(Context& c, uint32_t choose) {
  const bool is_int = c.op.exec == ExecType::kInt;
  switch (c.op.inst.op) {
    case Opcode::kMov: return Move(c);
    case Opcode::kSel: return Sel(c, choose);
    case Opcode::kCmp:
    case Opcode::kCmpn: return Cmp(c);
    case Opcode::kCsel: return Csel(c);
    case Opcode::kAdd:
    case Opcode::kMul:
    case Opcode::kMad: return is_int ? IntArithmetic(c) : FloatArithmetic(c);
    case Opcode::kMac: return is_int ? MultiplyAccumulateInt(c) : FloatArithmetic(c);
    case Opcode::kMach: return MultiplyHigh(c);
    case Opcode::kAddc:
    case Opcode::kSubb: return CarryArithmetic(c);
    case Opcode::kNot:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kShl:
    case Opcode::kShr:
    case Opcode::kAsr:
    case Opcode::kRol:
    case Opcode::kRor:
    case Opcode::kAvg:
    case Opcode::kBfrev:
    case Opcode::kBfe:
    case Opcode::kBfi1:
    case Opcode::kBfi2:
    case Opcode::kLzd:
    case Opcode::kFbh:
    case Opcode::kFbl:
    case Opcode::kCbit:
    case Opcode::kDp4a: return IntArithmetic(c);
    case Opcode::kFrc:
    case Opcode::kRndu:
    case Opcode::kRndd:
    case Opcode::kRnde:
    case Opcode::kRndz: return FloatRound(c);
    case Opcode::kMath: return Math(c);
    default: return OpError(absl::StatusCode::kUnimplemented, c.op, "unsupported instruction");
  }
}

int HostRounding(scene::Rounding mode) {
  switch (mode) {
    case scene::Rounding::kUp: return FE_UPWARD;
    case scene::Rounding::kDown: return FE_DOWNWARD;
    case scene::Rounding::kZero: return FE_TOWARDZERO;
    case scene::Rounding::kNearestEven: break;
  }
  return FE_TONEAREST;
}

}  // namespace

absl::Status ExecuteAlu(const Op& op, Thread& thread) {
  const uint32_t channels = (op.inst.no_mask ? ~0u : thread.active) & op.lanes;
  const uint32_t predicate = PredicateMask(op, thread);
  const bool selects = op.inst.op == Opcode::kSel && op.inst.cmod == CondMod::kNone;
  const int shift = op.inst.channel_offset;
  Context c{op, thread, op.inst.exec_size, (selects ? channels : channels & predicate) >> shift};
  if (c.enabled == 0) return absl::OkStatus();
  if (op.raw_move) return RawMove(c);
  if (!ReadsAccumulatorsAsWritten(c)) {
    return OpError(
        absl::StatusCode::kUnimplemented, op,
        "unsupported: an accumulator read with elements of another size than it was written");
  }
  const scene::Rounding mode = thread.RoundingMode();
  if (mode == scene::Rounding::kNearestEven) return Dispatch(c, predicate >> shift);
  std::fesetround(HostRounding(mode));
  absl::Status status = Dispatch(c, predicate >> shift);
  std::fesetround(FE_TONEAREST);
  return status;
}

}  // namespace kiln::sim::eu
