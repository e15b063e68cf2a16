// Opcodes of gfx1030 (RDNA2) and the facts about each: encoding, number, operand types, modifiers,
// implicit registers, unit.
//
// The rows are in opcodes.def; this header turns them into an enum and gives lookups, all O(1).
// Encoder, decoder, text, verifier, cost model and simulator read these facts from here and keep no
// opcode lists of their own.
#ifndef KILN_CORE_AMD_ISA_OPCODES_H_
#define KILN_CORE_AMD_ISA_OPCODES_H_

#include <array>
#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace kiln::amd::isa {

enum class Opcode : uint16_t {
#define KILN_RDNA2_OPCODE(name, mnemonic, encoding, code, dst, s0, s1, s2, unit, flags) k##name,
#include "core/amd/isa/opcodes.def"
#undef KILN_RDNA2_OPCODE
};

// Number of opcodes: Opcode values are 0 .. kOpcodeCount-1.
inline constexpr int kOpcodeCount = 0
#define KILN_RDNA2_OPCODE(name, mnemonic, encoding, code, dst, s0, s1, s2, unit, flags) +1
#include "core/amd/isa/opcodes.def"
#undef KILN_RDNA2_OPCODE
    ;

// The format that an opcode's number belongs to. kVop3 has the opcodes that exist in that format
// alone; kFlat, kGlobal and kScratch are the three segments of one format.
enum class Encoding : uint8_t {
  kSop1,
  kSop2,
  kSopk,
  kSopc,
  kSopp,
  kSmem,
  kVop1,
  kVop2,
  kVopc,
  kVop3,
  kVop3p,
  kVintrp,
  kDs,
  kMubuf,
  kMtbuf,
  kMimg,
  kFlat,
  kGlobal,
  kScratch,
  kExp,
};
inline constexpr int kEncodingCount = 20;

// Types of operands: how numbers are interpreted; kB.. are bits. kP.. are two 16-bit halves of
// one register, element 0 in the lower.
enum class Type : uint8_t {
  kN,  // there is no such operand
  kB16,
  kF16,
  kI16,
  kU16,
  kPF16,
  kPI16,
  kPU16,
  kB32,
  kF32,
  kI32,
  kU32,
  kB64,
  kF64,
  kI64,
  kU64,
  kB96,
  kB128,
  kB256,
  kB512,
  kMask,  // a bit per lane: one scalar register in wave32, two in wave64
  kData,  // the texel of an image instruction: operands.h computes its size
  kAddr,  // the address of an image instruction: likewise
};

// Returns the dwords of a type; 0 for those whose size an instruction or the wave decides.
constexpr int Dwords(Type type) {
  constexpr uint8_t kDwords[] = {0, 1, 1, 1, 1, 1, 1, 1,  1, 1, 1, 1,
                                 2, 2, 2, 2, 3, 4, 8, 16, 0, 0, 0};
  return kDwords[static_cast<size_t>(type)];
}
constexpr bool IsFloat(Type type) {
  return type == Type::kF16 || type == Type::kF32 || type == Type::kF64;
}
constexpr bool Is16Bit(Type type) { return type >= Type::kB16 && type <= Type::kU16; }
constexpr bool IsPacked(Type type) { return type >= Type::kPF16 && type <= Type::kPU16; }

// The part of the machine that executes an opcode, as far as its time differs.
enum class Unit : uint8_t {
  kSalu,
  kBranch,
  kMessage,      // s_sendmsg
  kWait,         // waits for counters
  kBarrier,      // s_barrier
  kScalarOther,  // s_nop and the like
  kScalarMemory,
  kValu,
  kValu64,  // 64-bit integers
  kQuarter,
  kTranscendental,
  kDouble,
  kDoubleTranscendental,
  kInterpolate,
  kLds,
  kVectorMemory,
  kExport,
};

// Flags of an opcode, in the order of opcodes.def's legend.
namespace opcode_flag {
inline constexpr uint64_t kClamp = 1ull << 0;
inline constexpr uint64_t kOmod = 1ull << 1;
inline constexpr uint64_t kOpSel = 1ull << 2;
inline constexpr uint64_t kVop3 = 1ull << 3;
inline constexpr uint64_t kDpp = 1ull << 4;
inline constexpr uint64_t kSdwa = 1ull << 5;
inline constexpr uint64_t kLiteral = 1ull << 6;
inline constexpr uint64_t kMods = 1ull << 7;
inline constexpr uint64_t kMix = 1ull << 8;
inline constexpr uint64_t kMaskIn = 1ull << 9;
inline constexpr uint64_t kCarryOut = 1ull << 10;
inline constexpr uint64_t kSDst = 1ull << 11;
inline constexpr uint64_t kVsrc0 = 1ull << 12;
inline constexpr uint64_t kSsrc0 = 1ull << 13;
inline constexpr uint64_t kSsrc1 = 1ull << 14;
inline constexpr uint64_t kSsrc2 = 1ull << 15;
inline constexpr uint64_t kDstR = 1ull << 16;
inline constexpr uint64_t kSrc0W = 1ull << 17;
inline constexpr uint64_t kSccR = 1ull << 18;
inline constexpr uint64_t kSccW = 1ull << 19;
inline constexpr uint64_t kVccR = 1ull << 20;
inline constexpr uint64_t kExecR = 1ull << 21;
inline constexpr uint64_t kExecW = 1ull << 22;
inline constexpr uint64_t kOpSelByMesa = 1ull << 34;
inline constexpr uint64_t kReg0 = 1ull << 33;
inline constexpr uint64_t kAnyLane = 1ull << 32;
inline constexpr uint64_t kM0R = 1ull << 23;
inline constexpr uint64_t kLoad = 1ull << 24;
inline constexpr uint64_t kStore = 1ull << 25;
inline constexpr uint64_t kAtomic = 1ull << 26;
inline constexpr uint64_t kTwo = 1ull << 27;
inline constexpr uint64_t kGds = 1ull << 28;
inline constexpr uint64_t kLds = 1ull << 29;
inline constexpr uint64_t kGather = 1ull << 30;
inline constexpr uint64_t kEnd = 1ull << 31;
}  // namespace opcode_flag

struct OpcodeInfo {
  Opcode op;
  absl::string_view mnemonic;  // LLVM's, without _e32 and _e64
  Encoding encoding;
  uint16_t code;  // its number in that encoding
  Type dst;
  std::array<Type, 3> src;
  Unit unit;
  uint64_t flags;

  bool Has(uint64_t flag) const { return (flags & flag) != 0; }
};

namespace internal {
extern const OpcodeInfo kOpcodes[kOpcodeCount];
}

inline const OpcodeInfo& Info(Opcode op) { return internal::kOpcodes[static_cast<size_t>(op)]; }
inline const OpcodeInfo& Info(int op) { return internal::kOpcodes[op]; }

// Returns the opcode with this number, or nothing. VOP3 numbers that belong to other encodings
// (OpcodeOfVop3) are none of Encoding::kVop3.
std::optional<Opcode> FindOpcode(Encoding encoding, uint32_t code);

// The format VOP3 repeats VOPC, VOP2 and VOP1 from these numbers on (ISA guide; its
// 0x140 for VOP1 is wrong: ERRATA.md).
inline constexpr uint32_t kVop3OfVopc = 0x000;
inline constexpr uint32_t kVop3OfVop2 = 0x100;
inline constexpr uint32_t kVop3OfVop1 = 0x180;

// Returns the number of the opcode in the format VOP3, which it must have.
uint32_t Vop3Code(const OpcodeInfo& info);

// Returns the opcode with this number in the format VOP3, or nothing.
std::optional<Opcode> OpcodeOfVop3(uint32_t code);

constexpr bool IsScalarAlu(Encoding e) { return e <= Encoding::kSopp; }
constexpr bool IsVectorAlu(Encoding e) { return e >= Encoding::kVop1 && e <= Encoding::kVop3p; }
constexpr bool IsBuffer(Encoding e) { return e == Encoding::kMubuf || e == Encoding::kMtbuf; }
constexpr bool IsFlatFormat(Encoding e) {
  return e == Encoding::kFlat || e == Encoding::kGlobal || e == Encoding::kScratch;
}

// Returns true for v_cmpx_*: they write exec and have no destination.
inline bool IsCmpx(const OpcodeInfo& info) {
  return info.encoding == Encoding::kVopc && info.dst == Type::kN;
}

// Returns true if source `i` takes negation and absolute value.
inline bool TakesMods(const OpcodeInfo& info, int i) {
  return IsFloat(info.src[i]) || (info.Has(opcode_flag::kMods) && i < 2);
}

}  // namespace kiln::amd::isa

#endif  // KILN_CORE_AMD_ISA_OPCODES_H_
