// The encoder: see encode.h. Every field is written by its row of fields.def; then the encoder
// refuses members of which some bit went into no field.
#include "core/amd/isa/encode.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "core/amd/isa/fields.h"

namespace kiln::amd::isa {
namespace {

absl::Status Refuse(const Instruction& inst, absl::string_view field, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(Info(inst.op).mnemonic, ": ", field, ": ", why));
}

bool Fits(uint32_t value, int width) { return width >= 32 || value >> width == 0; }

// Returns the bits of an operand that exists, or nothing if its field cannot name it.
std::optional<uint32_t> OperandBits(const Instruction& inst, const Field& field, uint32_t code) {
  const OpcodeInfo& info = Info(inst.op);
  const bool scalar = code < 128;
  switch (field.coding) {
    case Coding::kScalar: return scalar ? std::optional(code) : std::nullopt;
    case Coding::kSource:
      return IsSource(code) && Fits(code, field.width) ? std::optional(code) : std::nullopt;
    case Coding::kVgpr:
      if (inst.form == Form::kSdwa && field.member == Member::kSrc1) return code & 0xff;
      return code >= 256 && code < 512 ? std::optional(code - 256) : std::nullopt;
    case Coding::kResult:
      if (info.Has(opcode_flag::kSDst) || info.encoding == Encoding::kVopc) {
        return scalar ? std::optional(code) : std::nullopt;
      }
      return code >= 256 && code < 512 ? std::optional(code - 256) : std::nullopt;
    case Coding::kByte: return IsSource(code) ? std::optional(code & 0xff) : std::nullopt;
    case Coding::kNotVgpr:
      return IsSource(code) && code != kLiteralCode ? std::optional(code < 256 ? 1u : 0u)
                                                    : std::nullopt;
    case Coding::kPair: return scalar && code % 2 == 0 ? std::optional(code / 2) : std::nullopt;
    case Coding::kQuad: return scalar && code % 4 == 0 ? std::optional(code / 4) : std::nullopt;
    case Coding::kOrNull: return scalar && code != kNull ? std::optional(code) : std::nullopt;
    case Coding::kOrVcc: return scalar ? std::optional(code | 0x80) : std::nullopt;
    case Coding::kVgprOrParameter:
      if (inst.op == Opcode::kVInterpMovF32) return code < 3 ? std::optional(code) : std::nullopt;
      return code >= 256 && code < 512 ? std::optional(code - 256) : std::nullopt;
    default: return std::nullopt;
  }
}

// Returns the field of an operand that is not there, although its slot may be.
std::optional<uint32_t> AbsentBits(const Instruction& inst, const Field& field, bool slot) {
  const OpcodeInfo& info = Info(inst.op);
  switch (field.coding) {
    case Coding::kOrNull: return slot ? kNull : 0;
    case Coding::kOrVcc: return 0;
    case Coding::kResult: return IsCmpx(info) ? kExecLo : slot ? std::nullopt : std::optional(0u);
    case Coding::kVgpr:
      // Scratch has an address in a VGPR, in a scalar register, or neither.
      if (info.encoding == Encoding::kScratch && field.member == Member::kSrc0) return 0;
      return slot ? std::nullopt : std::optional(0u);
    default: return slot ? std::nullopt : std::optional(0u);
  }
}

// FLAT's scalar address: a register, null, or 0x7f if scratch has no address at all. Where the
// unused VGPR field has other bits than 0, source 2 itself is 0x7f.
std::optional<uint32_t> ScalarAddressBits(const Instruction& inst) {
  const Encoding encoding = Info(inst.op).encoding;
  const Operand& operand = inst.src[2];
  if (!operand.exists()) {
    return encoding == Encoding::kScratch && !inst.src[0].exists() ? kExecHi : kNull;
  }
  const bool none = operand.code == kExecHi;
  const bool bad = encoding == Encoding::kFlat || !operand.is_scalar_register() ||
                   operand.code == kNull ||
                   (none && (encoding != Encoding::kScratch || !inst.src[0].exists()));
  return bad ? std::nullopt : std::optional<uint32_t>(operand.code);
}

// Returns true for an operand that the opcode does not use, but whose field keeps what it names.
bool MayKeep(const Instruction& inst, const Operand& operand) {
  return KeepsUnused(Info(inst.op).encoding) && operand.is_vgpr() && operand.vgpr() != 0;
}

// Returns nothing if the instruction's operand does not fit the field (RefuseOperand tells why).
std::optional<uint32_t> BitsOfOperand(const Instruction& inst, const Field& field) {
  if (field.member == Member::kSrc0 && HasExtension(inst.form) && field.width == 9) {
    if (inst.form == Form::kSdwa) return kSdwaMarker;
    if (inst.form == Form::kDpp16) return kDpp16Marker;
    return kDpp8Marker + (inst.dpp.fetch_inactive ? 1 : 0);
  }
  if (field.coding == Coding::kScalarAddress) return ScalarAddressBits(inst);
  const Operand& operand = OperandOf(inst, field.member);
  const bool slot = Exists(inst, field.member);
  if (!operand.exists()) return AbsentBits(inst, field, slot);
  // An instruction without an offset register may name null (Mesa) or nothing (LLVM).
  if (!slot && field.coding == Coding::kOrNull && operand.code == kNull) return kNull;
  if (!slot && !MayKeep(inst, operand)) return std::nullopt;
  return OperandBits(inst, field, operand.code);
}

// Returns the error for an operand that BitsOfOperand has no bits for.
absl::Status RefuseOperand(const Instruction& inst, const Field& field) {
  const bool is_address = field.coding == Coding::kScalarAddress;
  const absl::string_view name = is_address ? "saddr" : NameOf(field.member);
  const Operand& operand = is_address ? inst.src[2] : OperandOf(inst, field.member);
  if (!operand.exists()) return Refuse(inst, name, "an operand is missing");
  if (!is_address && !Exists(inst, field.member) && !MayKeep(inst, operand)) {
    return Refuse(inst, name, "there is no such operand");
  }
  return Refuse(inst, name, absl::StrCat("cannot hold operand ", operand.code));
}

// Returns the bits of a member that is no operand, whose number is `value`.
absl::StatusOr<uint32_t> BitsOfNumber(const Instruction& inst, const Field& field, uint32_t value) {
  const auto refuse = [&](absl::string_view why) {
    return Refuse(inst, NameOf(field.member), why);
  };
  if (!Permits(inst, field.member, value)) return refuse("is not for this instruction");
  if (field.coding == Coding::kSigned) {
    const int32_t number = static_cast<int32_t>(value), limit = 1 << (field.width - 1);
    if (number < -limit || number >= limit) return refuse("out of range");
    return value & ((1u << field.width) - 1);
  }
  if (field.member == Member::kDsOffset && value > 0xffff) return refuse("out of range");
  return value >> field.shift;
}

// Takes the bits of a field that is no operand out of `left`.
void Take(const Field& field, uint64_t mask, Instruction& left) {
  const bool whole = field.coding == Coding::kSigned;
  Set(left, field.member,
      whole ? 0 : Get(left, field.member) & ~static_cast<uint32_t>(mask << field.shift));
}

// Writes the fields of a format. The bits that they take leave `left`, which must be a bare opcode
// in the end.
absl::Status Write(const Instruction& inst, Format format, uint64_t& out, Instruction& left) {
  for (const Field& field : FieldsOf(format)) {
    const uint64_t mask = (uint64_t{1} << field.width) - 1;
    if (IsOperand(field.member)) {
      const std::optional<uint32_t> bits = BitsOfOperand(inst, field);
      if (!bits) return RefuseOperand(inst, field);
      out |= (*bits & mask) << field.low;
      if (field.shift == 0 && !(HasExtension(inst.form) && field.width == 9)) {
        OperandOf(left, field.member) = Operand();
      }
      continue;
    }
    const uint32_t value = Get(inst, field.member);
    if (value == 0) continue;  // as most are: every member may be 0
    const auto bits = BitsOfNumber(inst, field, value);
    if (!bits.ok()) return bits.status();
    out |= (*bits & mask) << field.low;
    Take(field, mask, left);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Encoded> Encode(const Instruction& inst) {
  const OpcodeInfo& info = Info(inst.op);
  if (!HasForm(info, inst.form)) return Refuse(inst, "form", "the opcode does not have it");
  const Format format = FormatOf(info, inst.form);
  Instruction left = inst;
  uint64_t base = PrefixOf(format).value;
  if (auto status = Write(inst, format, base, left); !status.ok()) return status;
  Encoded encoded;
  const auto add = [&](uint32_t dword) { encoded.dword[encoded.count++] = dword; };
  add(static_cast<uint32_t>(base));
  if (DwordsOf(format) == 2) add(static_cast<uint32_t>(base >> 32));
  if (HasExtension(inst.form)) {
    uint64_t extension = 0;
    const Format format2 = ExtensionOf(info, inst.form);
    if (auto status = Write(inst, format2, extension, left); !status.ok()) return status;
    add(static_cast<uint32_t>(extension));
    if (inst.form == Form::kDpp8) left.dpp.fetch_inactive = false;
  }
  if (HasLiteral(inst)) {
    if (HasExtension(inst.form)) return Refuse(inst, "literal", "not with DPP or SDWA");
    if (!IsScalarAlu(info.encoding) && !IsVectorAlu(info.encoding)) {
      return Refuse(inst, "literal", "not in this format");
    }
    add(inst.literal);
    left.literal = 0;
  }
  for (int i = 0; i < inst.nsa_dwords && i < kMaxNsaDwords; ++i) {
    uint32_t dword = 0;
    for (int b = 3; b >= 0; --b) {
      uint8_t& byte = left.address[size_t{4} * i + b];
      dword = dword << 8 | byte;
      byte = 0;
    }
    add(dword);
  }
  Instruction bare;
  bare.op = inst.op;
  bare.form = inst.form;
  if (!(left == bare)) return Refuse(inst, "a field", "is set that this form does not have");
  return encoded;
}

absl::StatusOr<std::vector<uint8_t>> EncodeProgram(absl::Span<const Instruction> program) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < program.size(); ++i) {
    const auto encoded = Encode(program[i]);
    if (!encoded.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("instruction ", i, ": ", encoded.status().message()));
    }
    for (uint32_t dword : encoded->dwords()) {
      for (int b = 0; b < 4; ++b) bytes.push_back(static_cast<uint8_t>(dword >> (8 * b)));
    }
  }
  return bytes;
}

}  // namespace kiln::amd::isa
