// One instruction of gfx1030 with every field decoded: the input of the encoder, the output of the
// decoder, the form that the simulator executes.
//
// Where an operand stands follows from the encoding:
//
//   SOP, VOP         dst, sdst (carry out of VOP3), src[0..2]; simm for SOPK and SOPP
//   SMEM             dst, src[0] base, src[1] offset register; offset
//   VINTRP           dst, src[0] (interp_mov: number of the parameter); attribute, channel
//   VOP3 interp      dst, src[1], src[2]; attribute, channel, high
//   DS               dst, src[0] address, src[1] and src[2] data; offset, or offset and offset1
//   MUBUF, MTBUF     dst (data, also of stores), src[0] address, src[1] descriptor, src[2] offset
//                    register; offset
//   MIMG             dst (data, also of stores), src[0] address or its first part, address (parts 1
//                    to 12) with NSA, src[1] descriptor, src[2] sampler
//   FLAT and kin     dst, src[0] address, src[1] data, src[2] scalar address; offset
//   EXP              src[0..3]
//
// An operand that the instruction does not have is Operand(); fields that its form does not have
// keep their defaults. Registers are physical. Branch distances are dwords from the end of the
// branch, as in the encoding.
#ifndef KILN_CORE_AMD_ISA_INSTRUCTION_H_
#define KILN_CORE_AMD_ISA_INSTRUCTION_H_

#include <array>
#include <cstdint>

#include "core/amd/isa/opcodes.h"

namespace kiln::amd::isa {

// Lanes of a wave. The encoding is the same for both; lane masks and thus names of operands are
// not.
enum class Wave : uint8_t { k32, k64 };

// A register, constant or literal, by the number that a nine-bit source field has for it. Tuples
// are named by their first register.
struct Operand {
  static constexpr uint16_t kNone = 0xffff;
  uint16_t code = kNone;

  constexpr bool exists() const { return code != kNone; }
  constexpr bool is_vgpr() const { return code >= 256 && code < 512; }
  constexpr bool is_literal() const { return code == 255; }
  // s0 .. s105, vcc, ttmp, m0, null, exec: what a scalar destination can name.
  constexpr bool is_scalar_register() const { return code < 128; }
  constexpr bool is_inline_constant() const {
    return (code >= 128 && code <= 208) || (code >= 240 && code <= 248);
  }
  constexpr int vgpr() const { return code - 256; }

  friend bool operator==(const Operand&, const Operand&) = default;
};

constexpr Operand Vgpr(int n) { return {static_cast<uint16_t>(256 + n)}; }
constexpr Operand Sgpr(int n) { return {static_cast<uint16_t>(n)}; }
constexpr Operand Source(int code) { return {static_cast<uint16_t>(code)}; }

// The sources with names (ISA guide, table 3; as llvm-mc 19 prints them).
inline constexpr int kVgprCount = 256;
inline constexpr int kSgprCount = 106;
inline constexpr uint16_t kVccLo = 106, kVccHi = 107;
inline constexpr uint16_t kTtmp0 = 108, kTtmpCount = 16;
inline constexpr uint16_t kM0 = 124, kNull = 125, kExecLo = 126, kExecHi = 127;
inline constexpr uint16_t kInt0 = 128, kIntMinus1 = 193, kIntLast = 208;
inline constexpr uint16_t kSharedBase = 235, kPopsExitingWaveId = 239;
inline constexpr uint16_t kHalf = 240, kInvTwoPi = 248;
inline constexpr uint16_t kVccz = 251, kExecz = 252, kScc = 253, kLdsDirect = 254;
inline constexpr uint16_t kLiteralCode = 255;

// The form of a vector ALU instruction; others have kPlain.
enum class Form : uint8_t { kPlain, kVop3, kDpp16, kDpp8, kSdwa };

struct Dpp {
  uint16_t control = 0;  // nine bits: quad_perm, row_shl ...
  uint8_t row_mask = 0;
  uint8_t bank_mask = 0;
  bool bound_control = false;   // lanes out of range read 0, instead of not being written
  bool fetch_inactive = false;  // also of DPP8
  uint32_t lanes = 0;           // DPP8: eight times three bits

  friend bool operator==(const Dpp&, const Dpp&) = default;
};

// Parts of a register: byte 0 to 3, word 0 and 1, all of it.
enum class Sel : uint8_t { kByte0, kByte1, kByte2, kByte3, kWord0, kWord1, kDword };

struct Sdwa {
  uint8_t dst_sel = 0;                  // Sel
  uint8_t dst_unused = 0;               // 0 zero, 1 sign, 2 keep
  std::array<uint8_t, 2> src_sel = {};  // Sel
  uint8_t sext = 0;                     // bit i: source i is sign-extended

  friend bool operator==(const Sdwa&, const Sdwa&) = default;
};

inline constexpr int kMaxNsaDwords = 3;

struct Instruction {
  Opcode op = Opcode::kSNop;
  Form form = Form::kPlain;
  Operand dst;
  Operand sdst;  // VOP3B's second destination; SDWA VOPC's own if it is not vcc
  std::array<Operand, 4> src;
  uint32_t literal = 0;  // behind the instruction, if an operand or the opcode asks for it
  uint16_t simm = 0;     // SOPK, SOPP

  // VOP: bit i belongs to source i. op_sel bit 3 is the destination's half.
  uint8_t neg = 0;        // VOP3P: of the lower half
  uint8_t abs = 0;        // of v_fma_mix too
  uint8_t neg_hi = 0;     // VOP3P but v_fma_mix
  uint8_t op_sel = 0;     // VOP3, VOP3P
  uint8_t op_sel_hi = 0;  // VOP3P
  bool clamp = false;
  uint8_t omod = 0;  // result times 1, 2, 4, 1/2
  Dpp dpp;
  Sdwa sdwa;

  // Interpolation
  uint8_t attribute = 0;
  uint8_t channel = 0;
  bool high = false;

  // Memory
  int32_t offset = 0;  // bytes, or elements; signed for SMEM and FLAT
  uint8_t offset1 = 0;
  bool glc = false, slc = false, dlc = false;
  bool tfe = false, lwe = false, lds = false, gds = false;
  bool idxen = false, offen = false;
  bool unnormalised = false, r128 = false, a16 = false, d16 = false;
  uint8_t format = 0;  // MTBUF
  uint8_t dmask = 0;
  uint8_t dim = 0;
  uint8_t nsa_dwords = 0;
  std::array<uint8_t, 4 * kMaxNsaDwords> address = {};  // VGPR numbers

  // Exports
  uint8_t target = 0;
  uint8_t enable = 0;
  bool done = false, compressed = false, valid_mask = false;

  friend bool operator==(const Instruction&, const Instruction&) = default;
};

// Returns true if a literal follows the instruction.
inline bool HasLiteral(const Instruction& inst) {
  if (Info(inst.op).Has(opcode_flag::kLiteral)) return true;
  for (const Operand& s : inst.src) {
    if (s.is_literal()) return true;
  }
  return false;
}

}  // namespace kiln::amd::isa

#endif  // KILN_CORE_AMD_ISA_INSTRUCTION_H_
