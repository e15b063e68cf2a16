// The bit fields of the instruction formats, as data.
//
// The rows are in fields.def. Encoder and decoder are loops over them: a field moves some bits of a
// member of Instruction, by its coding, to some bits of the instruction.
#ifndef KILN_CORE_AMD_ISA_FIELDS_H_
#define KILN_CORE_AMD_ISA_FIELDS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/amd/isa/instruction.h"

namespace kiln::amd::isa {

// The formats. kVop3b has a scalar second destination, kVop3i an attribute in place of source 0.
// From kDpp16 on: the dword that follows a short form.
enum class Format : uint8_t {
  kSop2,
  kSopk,
  kSop1,
  kSopc,
  kSopp,
  kSmem,
  kVop2,
  kVop1,
  kVopc,
  kVop3,
  kVop3b,
  kVop3i,
  kVop3p,
  kVintrp,
  kDs,
  kMubuf,
  kMtbuf,
  kMimg,
  kFlat,
  kExp,
  kDpp16,
  kDpp8,
  kSdwa,
  kSdwaVopc,
};
inline constexpr int kFormatCount = 24;

// The members of Instruction that fields hold. Operands first.
enum class Member : uint8_t {
  kDst,
  kSdst,
  kSrc0,
  kSrc1,
  kSrc2,
  kSrc3,
  kDstOrSrc0,  // the one of the two that the opcode has
  kOp,
  kSimm,
  kNeg,
  kAbs,
  kNegHi,  // abs of v_fma_mix
  kOpSel,
  kOpSelHi,
  kClamp,
  kOmod,
  kDppControl,
  kRowMask,
  kBankMask,
  kBoundControl,
  kFetchInactive,
  kDppLanes,
  kDstSel,
  kDstUnused,
  kSel0,
  kSel1,
  kSext,
  kAttribute,
  kChannel,
  kHigh,
  kOffset,
  kDsOffset,  // offset, or offset and offset1
  kSegment,   // of FLAT: follows from the opcode
  kGlc,
  kSlc,
  kDlc,
  kTfe,
  kLwe,
  kLds,
  kGds,
  kIdxen,
  kOffen,
  kUnnormalised,
  kR128,
  kA16,
  kD16,
  kBufferFormat,
  kDmask,
  kDim,
  kNsaDwords,
  kTarget,
  kEnable,
  kDone,
  kCompressed,
  kValidMask,
};
constexpr bool IsOperand(Member m) { return m <= Member::kDstOrSrc0; }

enum class Coding : uint8_t {
  kNumber,
  kSigned,
  kScalar,           // s0 .. exec_hi
  kSource,           // any source that the field's width can name
  kVgpr,             // without bit 8
  kResult,           // a VGPR; scalar for VOPC and opcodes that say so; exec for v_cmpx
  kByte,             // the lower eight bits of a source
  kNotVgpr,          // bit 8 of a source, inverted
  kPair,             // a scalar register, halved
  kQuad,             // a scalar register, quartered
  kOrNull,           // a scalar register; null if there is none
  kOrVcc,            // bit 7 and a scalar register, 0 if there is none
  kVgprOrParameter,  // v_interp_mov: the number of a parameter
  kScalarAddress,    // of FLAT: null if there is none, 0x7f if there is no address at all
};

struct Field {
  Format format;
  Member member;
  uint8_t shift;  // of the bits of the member
  Coding coding;
  uint8_t low, width;
};

// Returns the fields of a format.
absl::Span<const Field> FieldsOf(Format format);

// The constant bits that tell a format, in its first dword.
struct Prefix {
  uint32_t value, mask;
};
Prefix PrefixOf(Format format);

// Returns the dwords of a format without literals and NSA addresses.
int DwordsOf(Format format);

// Returns all bits that the fields and the prefix of a format take.
uint64_t BitsOf(Format format);

// Returns the format of an instruction of this opcode and form, which must exist.
Format FormatOf(const OpcodeInfo& info, Form form);

// Returns true if the opcode has the form.
bool HasForm(const OpcodeInfo& info, Form form);

// Returns the format of the dword behind this form; the form must have one.
Format ExtensionOf(const OpcodeInfo& info, Form form);
constexpr bool HasExtension(Form form) { return form >= Form::kDpp16; }

// The number in the field of source 0 that announces the form.
inline constexpr uint32_t kSdwaMarker = 249, kDpp16Marker = 250, kDpp8Marker = 233;

// Returns true if the instruction has the operand; if not, its field is 0, or in formats whose
// compilers leave other bits there (KeepsUnused) any VGPR, which Instruction then holds.
inline bool Exists(const Instruction& inst, Member operand);
bool KeepsUnused(Encoding encoding);

// Reads and writes a member as a number. Operands are their codes.
uint32_t Get(const Instruction& inst, Member member);
void Set(Instruction& inst, Member member, uint32_t value);

// Returns true if the instruction may have this number there: modifiers are permitted by opcode,
// form and source.
bool Permits(const Instruction& inst, Member member, uint32_t value);

// Returns the operand behind an operand's member.
Operand& OperandOf(Instruction& inst, Member operand);
const Operand& OperandOf(const Instruction& inst, Member operand);

// Returns true if a nine-bit source may have this number (markers are none).
constexpr bool IsSource(uint32_t code) {
  return code <= kIntLast || (code >= kSharedBase && code <= kInvTwoPi) ||
         (code >= kVccz && code < 512);
}

absl::string_view NameOf(Member member);

// ---- Implementation. Exists is here since it is called for each operand of each instruction. ----

namespace internal {

// Returns true if an export has source `i`.
inline bool ExportsFrom(const Instruction& inst, int i) {
  if (!inst.compressed) return (inst.enable >> i & 1) != 0;
  return i < 2 && (inst.enable >> (2 * i) & 3) != 0;
}

}  // namespace internal

inline bool Exists(const Instruction& inst, Member operand) {
  const OpcodeInfo& info = Info(inst.op);
  const bool long_form = info.encoding == Encoding::kVop3 || inst.form == Form::kVop3;
  switch (operand) {
    case Member::kDst:
      if (info.encoding == Encoding::kVopc && !long_form) return false;  // vcc
      if (IsBuffer(info.encoding) && inst.lds) return false;
      if (IsFlatFormat(info.encoding) && info.Has(opcode_flag::kAtomic)) return inst.glc;
      return info.dst != Type::kN;
    case Member::kSdst:
      if (info.encoding == Encoding::kVopc) return inst.form == Form::kSdwa && !IsCmpx(info);
      return info.Has(opcode_flag::kCarryOut) && long_form;
    case Member::kSrc0:
    case Member::kSrc1:
    case Member::kSrc2: {
      const int i = static_cast<int>(operand) - static_cast<int>(Member::kSrc0);
      if (info.encoding == Encoding::kExp) return internal::ExportsFrom(inst, i);
      if (IsBuffer(info.encoding) && i == 0 && !inst.idxen && !inst.offen) return false;
      // Scratch has one address: a VGPR or a scalar. 0x7f in the scalar's field is none.
      if (info.encoding == Encoding::kScratch && i == 0) return !inst.src[2].exists();
      if (info.encoding == Encoding::kScratch && i == 2) return inst.src[2].code != kExecHi;
      if (inst.op == Opcode::kVInterpMovF32 && i == 0) return true;
      if (i == 2 && info.Has(opcode_flag::kMaskIn)) return long_form;
      return info.src[i] != Type::kN;
    }
    case Member::kSrc3: return info.encoding == Encoding::kExp && internal::ExportsFrom(inst, 3);
    case Member::kDstOrSrc0: return info.dst != Type::kN || info.src[0] != Type::kN;
    default: return false;
  }
}

}  // namespace kiln::amd::isa

#endif  // KILN_CORE_AMD_ISA_FIELDS_H_
