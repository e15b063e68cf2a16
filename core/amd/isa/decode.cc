// The decoder: see decode.h. Format and opcode first, then a loop over the rows of fields.def:
// numbers before operands, because some numbers decide which operands there are.
#include "core/amd/isa/decode.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/amd/isa/fields.h"

namespace kiln::amd::isa {
namespace {

absl::Status Bad(absl::string_view what) { return absl::InvalidArgumentError(what); }

absl::Status BadField(const Instruction& inst, const Field& field, uint32_t bits) {
  return Bad(
      absl::StrCat(Info(inst.op).mnemonic, ": ", NameOf(field.member), ": reserved value ", bits));
}

uint32_t Extract(uint64_t dwords, int low, int width) {
  return static_cast<uint32_t>(dwords >> low & ((uint64_t{1} << width) - 1));
}

// The formats by their prefixes; the first that fits. VOP3's kinds follow from the opcode.
constexpr Format kFormats[] = {
    Format::kSop1, Format::kSopc,  Format::kSopp,  Format::kSopk, Format::kSop2,  Format::kVop1,
    Format::kVopc, Format::kVop2,  Format::kSmem,  Format::kVop3, Format::kVop3p, Format::kVintrp,
    Format::kDs,   Format::kMubuf, Format::kMtbuf, Format::kMimg, Format::kFlat,  Format::kExp};

std::optional<Format> FormatOfDword(uint32_t dword) {
  for (Format f : kFormats) {
    const Prefix prefix = PrefixOf(f);
    if ((dword & prefix.mask) == prefix.value) return f;
  }
  return std::nullopt;
}

// Returns the number that the pieces of a member make.
uint32_t NumberOf(Format format, Member member, uint64_t dwords) {
  uint32_t number = 0;
  for (const Field& f : FieldsOf(format)) {
    if (f.member == member) number |= Extract(dwords, f.low, f.width) << f.shift;
  }
  return number;
}

// Returns nothing for the reserved segment of FLAT.
std::optional<Encoding> EncodingOf(Format format, uint64_t dwords) {
  switch (format) {
    case Format::kSop1: return Encoding::kSop1;
    case Format::kSop2: return Encoding::kSop2;
    case Format::kSopk: return Encoding::kSopk;
    case Format::kSopc: return Encoding::kSopc;
    case Format::kSopp: return Encoding::kSopp;
    case Format::kSmem: return Encoding::kSmem;
    case Format::kVop1: return Encoding::kVop1;
    case Format::kVop2: return Encoding::kVop2;
    case Format::kVopc: return Encoding::kVopc;
    case Format::kVop3p: return Encoding::kVop3p;
    case Format::kVintrp: return Encoding::kVintrp;
    case Format::kDs: return Encoding::kDs;
    case Format::kMubuf: return Encoding::kMubuf;
    case Format::kMtbuf: return Encoding::kMtbuf;
    case Format::kMimg: return Encoding::kMimg;
    case Format::kFlat: {
      constexpr Encoding kSegments[] = {Encoding::kFlat, Encoding::kScratch, Encoding::kGlobal};
      const uint32_t segment = NumberOf(format, Member::kSegment, dwords);
      return segment < std::size(kSegments) ? std::optional(kSegments[segment]) : std::nullopt;
    }
    case Format::kExp: return Encoding::kExp;
    default: return Encoding::kVop3;
  }
}

// The form that the number in source 0 of VOP1, VOP2 and VOPC announces.
Form FormOf(Format format, uint32_t dword) {
  if (format != Format::kVop1 && format != Format::kVop2 && format != Format::kVopc) {
    return Form::kPlain;
  }
  switch (dword & 0x1ff) {
    case kSdwaMarker: return Form::kSdwa;
    case kDpp16Marker: return Form::kDpp16;
    case kDpp8Marker:
    case kDpp8Marker + 1: return Form::kDpp8;
    default: return Form::kPlain;
  }
}

bool ReadNumber(Instruction& inst, const Field& field, uint32_t bits) {
  uint32_t value = bits;
  if (field.coding == Coding::kSigned) {
    const uint32_t sign = 1u << (field.width - 1);
    value = (bits ^ sign) - sign;
  } else {
    value = bits << field.shift;
  }
  if (!Permits(inst, field.member, value)) return false;
  // A member in pieces: keep what is there.
  if (field.coding != Coding::kSigned) value |= Get(inst, field.member);
  Set(inst, field.member, value);
  return true;
}

// Reads an operand whose slot exists. Returns false for a reserved value.
bool ReadOperand(Instruction& inst, const Field& field, uint32_t bits) {
  const OpcodeInfo& info = Info(inst.op);
  Operand& operand = OperandOf(inst, field.member);
  const auto set = [&](uint32_t code) {
    operand.code = static_cast<uint16_t>(code);
    return true;
  };
  switch (field.coding) {
    case Coding::kScalar: return set(bits);
    case Coding::kSource: return IsSource(bits) && set(bits);
    case Coding::kVgpr: return set(bits + 256);
    case Coding::kResult:
      if (info.Has(opcode_flag::kSDst) || info.encoding == Encoding::kVopc) {
        return bits < 128 && set(bits);
      }
      return set(bits + 256);
    case Coding::kByte: return set(bits + 256);
    case Coding::kNotVgpr:
      if (bits != 0) operand.code = static_cast<uint16_t>(operand.code - 256);
      return IsSource(operand.code) && !operand.is_literal();
    case Coding::kPair: return set(2 * bits);
    case Coding::kQuad: return set(4 * bits);
    case Coding::kOrNull: return bits == kNull || set(bits);
    case Coding::kOrVcc: return bits == 0 || (bits >= 128 && set(bits - 128));
    case Coding::kVgprOrParameter:
      if (inst.op == Opcode::kVInterpMovF32) return bits < 3 && set(bits);
      return set(bits + 256);
    default: return false;
  }
}

// FLAT's scalar address, which says where scratch has its address; read before the VGPR.
bool ReadScalarAddress(Instruction& inst, uint32_t bits) {
  const Encoding encoding = Info(inst.op).encoding;
  if (bits == kNull) return true;
  if (encoding == Encoding::kFlat) return false;
  if (bits == kExecHi && encoding != Encoding::kScratch) return false;
  inst.src[2].code = static_cast<uint16_t>(bits);
  return true;
}

bool ReadAbsent(Instruction& inst, const Field& field, uint32_t bits) {
  const OpcodeInfo& info = Info(inst.op);
  if (field.coding == Coding::kResult && IsCmpx(info) && inst.form == Form::kVop3) {
    return bits == kExecLo;
  }
  if (bits != 0 && KeepsUnused(info.encoding) && field.coding == Coding::kVgpr) {
    OperandOf(inst, field.member) = Vgpr(static_cast<int>(bits));
    return true;
  }
  if (field.coding == Coding::kOrNull && bits == kNull) {
    OperandOf(inst, field.member) = Sgpr(kNull);
    return true;
  }
  return bits == 0;
}

absl::Status ReadNumbers(Instruction& inst, Format format, uint64_t dwords) {
  if (const uint64_t extra = dwords & ~BitsOf(format); extra != 0) {
    return Bad(absl::StrFormat("%s: bits 0x%x are not used", Info(inst.op).mnemonic, extra));
  }
  for (const Field& f : FieldsOf(format)) {
    if (IsOperand(f.member) || f.member == Member::kOp || f.member == Member::kSegment) continue;
    const uint32_t bits = Extract(dwords, f.low, f.width);
    if (!ReadNumber(inst, f, bits)) return BadField(inst, f, bits);
  }
  return absl::OkStatus();
}

absl::Status ReadOperands(Instruction& inst, Format format, uint64_t dwords) {
  for (const Field& f : FieldsOf(format)) {
    if (!IsOperand(f.member)) continue;
    const uint32_t bits = Extract(dwords, f.low, f.width);
    if (f.member == Member::kSrc0 && f.width == 9 && HasExtension(inst.form)) continue;  // marker
    bool good = false;
    if (f.coding == Coding::kScalarAddress) {
      good = ReadScalarAddress(inst, bits);
    } else if (Exists(inst, f.member)) {
      good = ReadOperand(inst, f, bits);
    } else {
      good = ReadAbsent(inst, f, bits);
    }
    if (!good) return BadField(inst, f, bits);
  }
  // Scratch without address and with nothing in the VGPR field: neither operand exists.
  if (inst.src[2].code == kExecHi && Info(inst.op).encoding == Encoding::kScratch &&
      !inst.src[0].exists()) {
    inst.src[2] = Operand();
  }
  return absl::OkStatus();
}

class Reader {
 public:
  explicit Reader(absl::Span<const uint8_t> bytes) : bytes_(bytes) {}

  bool Next(uint32_t* dword) {
    if (bytes_.size() < at_ + 4) return false;
    *dword = 0;
    for (size_t b = 0; b < 4; ++b) *dword |= uint32_t{bytes_[at_ + b]} << (8 * b);
    at_ += 4;
    return true;
  }
  int length() const { return static_cast<int>(at_); }

 private:
  absl::Span<const uint8_t> bytes_;
  size_t at_ = 0;
};

constexpr absl::string_view kShort = "the program ends within an instruction";

absl::Status ReadTail(Instruction& inst, Reader& reader) {
  if (HasLiteral(inst) && !reader.Next(&inst.literal)) return Bad(kShort);
  const Encoding encoding = Info(inst.op).encoding;
  if (HasLiteral(inst) && !IsScalarAlu(encoding) && !IsVectorAlu(encoding)) {
    return Bad(absl::StrCat(Info(inst.op).mnemonic, ": a literal in this format"));
  }
  for (int i = 0; i < inst.nsa_dwords; ++i) {
    uint32_t dword = 0;
    if (!reader.Next(&dword)) return Bad(kShort);
    for (int b = 0; b < 4; ++b) {
      inst.address[size_t{4} * i + b] = static_cast<uint8_t>(dword >> (8 * b));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DecodedInstruction> Decode(absl::Span<const uint8_t> bytes) {
  Reader reader(bytes);
  uint32_t low = 0, high = 0;
  if (!reader.Next(&low)) return Bad(kShort);
  const auto format = FormatOfDword(low);
  if (!format) return Bad(absl::StrFormat("0x%08x is no format", low));
  if (DwordsOf(*format) == 2 && !reader.Next(&high)) return Bad(kShort);
  const uint64_t dwords = uint64_t{high} << 32 | low;

  const uint32_t number = NumberOf(*format, Member::kOp, dwords);
  const auto encoding = EncodingOf(*format, dwords);
  const auto op = *format == Format::kVop3 ? OpcodeOfVop3(number)
                  : encoding               ? FindOpcode(*encoding, number)
                                           : std::nullopt;
  if (!op) return Bad(absl::StrFormat("0x%08x: there is no opcode 0x%x", low, number));
  DecodedInstruction decoded;
  Instruction& inst = decoded.inst;
  inst.op = *op;
  const OpcodeInfo& info = Info(*op);
  inst.form = FormOf(*format, low);
  if (*format == Format::kVop3 && info.encoding != Encoding::kVop3) inst.form = Form::kVop3;
  if (!HasForm(info, inst.form)) {
    return Bad(absl::StrCat(info.mnemonic, ": does not have this form"));
  }
  const Format exact = FormatOf(info, inst.form);
  if (auto status = ReadNumbers(inst, exact, dwords); !status.ok()) return status;
  uint32_t extension = 0;
  if (HasExtension(inst.form)) {
    if (!reader.Next(&extension)) return Bad(kShort);
    if (auto status = ReadNumbers(inst, ExtensionOf(info, inst.form), extension); !status.ok()) {
      return status;
    }
    if (inst.form == Form::kDpp8) inst.dpp.fetch_inactive = (low & 0x1ff) == kDpp8Marker + 1;
  }
  if (auto status = ReadOperands(inst, exact, dwords); !status.ok()) return status;
  if (HasExtension(inst.form)) {
    auto status = ReadOperands(inst, ExtensionOf(info, inst.form), extension);
    if (!status.ok()) return status;
  }
  if (auto status = ReadTail(inst, reader); !status.ok()) return status;
  decoded.length = reader.length();
  return decoded;
}

absl::StatusOr<std::vector<PlacedInstruction>> DecodeProgram(absl::Span<const uint8_t> bytes) {
  std::vector<PlacedInstruction> program;
  for (size_t at = 0; at < bytes.size();) {
    const auto decoded = Decode(bytes.subspan(at));
    if (!decoded.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("byte ", at, ": ", decoded.status().message()));
    }
    program.push_back({static_cast<uint32_t>(at), decoded->length, decoded->inst});
    at += static_cast<size_t>(decoded->length);
  }
  return program;
}

}  // namespace kiln::amd::isa
