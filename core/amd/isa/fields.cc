// Formats and members: see fields.h.
#include "core/amd/isa/fields.h"

#include <array>
#include <type_traits>

namespace kiln::amd::isa {
namespace {

constexpr Field kFields[] = {
#define KILN_RDNA2_FIELD(format, member, shift, coding, low, width) \
  {Format::k##format, Member::k##member, shift, Coding::k##coding, low, width},
#include "core/amd/isa/fields.def"
#undef KILN_RDNA2_FIELD
};

struct Range {
  size_t begin = 0, end = 0;
};

constexpr std::array<Range, kFormatCount> MakeRanges() {
  std::array<Range, kFormatCount> ranges = {};
  for (size_t i = 0; i < std::size(kFields); ++i) {
    Range& range = ranges[static_cast<size_t>(kFields[i].format)];
    if (range.end == 0) range.begin = i;
    range.end = i + 1;
  }
  return ranges;
}
constexpr std::array<Range, kFormatCount> kRanges = MakeRanges();

constexpr bool RangesAreWhole() {
  for (size_t f = 0; f < kFormatCount; ++f) {
    for (size_t i = kRanges[f].begin; i < kRanges[f].end; ++i) {
      if (static_cast<size_t>(kFields[i].format) != f) return false;
    }
  }
  return true;
}
static_assert(RangesAreWhole(), "the rows of a format stand together");

uint32_t Low(int width) { return width == 32 ? ~0u : (1u << width) - 1; }

bool TakesSext(const OpcodeInfo& info, int i) {
  return info.src[i] != Type::kN && info.src[i] != Type::kMask && !TakesMods(info, i);
}

// Returns the bits of those sources for which `f` holds.
template <typename F>
uint32_t SourceBits(F f) {
  uint32_t bits = 0;
  for (int i = 0; i < 3; ++i) bits |= f(i) ? 1u << i : 0;
  return bits;
}

int Parameters(const OpcodeInfo& info) {
  int n = 0;
  while (n < 3 && info.src[n] != Type::kN) ++n;
  return n;
}

}  // namespace

absl::Span<const Field> FieldsOf(Format format) {
  const Range& range = kRanges[static_cast<size_t>(format)];
  return absl::MakeConstSpan(kFields + range.begin, range.end - range.begin);
}

Prefix PrefixOf(Format format) {
  const auto top = [](uint32_t value, int bits) {
    return Prefix{value << (32 - bits), ~0u << (32 - bits)};
  };
  switch (format) {
    case Format::kSop2: return top(0b10, 2);
    case Format::kSopk: return top(0b1011, 4);
    case Format::kSop1: return top(0b101111101, 9);
    case Format::kSopc: return top(0b101111110, 9);
    case Format::kSopp: return top(0b101111111, 9);
    case Format::kSmem: return top(0b111101, 6);
    case Format::kVop2: return top(0b0, 1);
    case Format::kVop1: return top(0b0111111, 7);
    case Format::kVopc: return top(0b0111110, 7);
    case Format::kVop3:
    case Format::kVop3b:
    case Format::kVop3i: return top(0b110101, 6);
    case Format::kVop3p: return top(0b110011, 6);
    case Format::kVintrp: return top(0b110010, 6);
    case Format::kDs: return top(0b110110, 6);
    case Format::kMubuf: return top(0b111000, 6);
    case Format::kMtbuf: return top(0b111010, 6);
    case Format::kMimg: return top(0b111100, 6);
    case Format::kFlat: return top(0b110111, 6);
    case Format::kExp: return top(0b111110, 6);
    default: return {0, 0};
  }
}

int DwordsOf(Format format) {
  switch (format) {
    case Format::kSmem:
    case Format::kVop3:
    case Format::kVop3b:
    case Format::kVop3i:
    case Format::kVop3p:
    case Format::kDs:
    case Format::kMubuf:
    case Format::kMtbuf:
    case Format::kMimg:
    case Format::kFlat:
    case Format::kExp: return 2;
    default: return 1;
  }
}

uint64_t BitsOf(Format format) {
  uint64_t bits = PrefixOf(format).mask;
  for (const Field& f : FieldsOf(format)) bits |= uint64_t{Low(f.width)} << f.low;
  return bits;
}

bool HasForm(const OpcodeInfo& info, Form form) {
  switch (form) {
    case Form::kPlain: return true;
    case Form::kVop3: return info.Has(opcode_flag::kVop3);
    case Form::kDpp16:
    case Form::kDpp8: return info.Has(opcode_flag::kDpp);
    case Form::kSdwa: return info.Has(opcode_flag::kSdwa);
  }
  return false;
}

Format FormatOf(const OpcodeInfo& info, Form form) {
  if (info.encoding == Encoding::kVop3 || form == Form::kVop3) {
    if (info.Has(opcode_flag::kCarryOut)) return Format::kVop3b;
    return info.unit == Unit::kInterpolate ? Format::kVop3i : Format::kVop3;
  }
  switch (info.encoding) {
    case Encoding::kSop1: return Format::kSop1;
    case Encoding::kSop2: return Format::kSop2;
    case Encoding::kSopk: return Format::kSopk;
    case Encoding::kSopc: return Format::kSopc;
    case Encoding::kSopp: return Format::kSopp;
    case Encoding::kSmem: return Format::kSmem;
    case Encoding::kVop1: return Format::kVop1;
    case Encoding::kVop2: return Format::kVop2;
    case Encoding::kVopc: return Format::kVopc;
    case Encoding::kVop3p: return Format::kVop3p;
    case Encoding::kVintrp: return Format::kVintrp;
    case Encoding::kDs: return Format::kDs;
    case Encoding::kMubuf: return Format::kMubuf;
    case Encoding::kMtbuf: return Format::kMtbuf;
    case Encoding::kMimg: return Format::kMimg;
    case Encoding::kExp: return Format::kExp;
    default: return Format::kFlat;
  }
}

Format ExtensionOf(const OpcodeInfo& info, Form form) {
  if (form == Form::kDpp16) return Format::kDpp16;
  if (form == Form::kDpp8) return Format::kDpp8;
  return info.encoding == Encoding::kVopc ? Format::kSdwaVopc : Format::kSdwa;
}

bool KeepsUnused(Encoding encoding) {
  return IsBuffer(encoding) || encoding == Encoding::kExp || encoding == Encoding::kScratch;
}

const Operand& OperandOf(const Instruction& inst, Member operand) {
  switch (operand) {
    case Member::kDst: return inst.dst;
    case Member::kSdst: return inst.sdst;
    case Member::kSrc1: return inst.src[1];
    case Member::kSrc2: return inst.src[2];
    case Member::kSrc3: return inst.src[3];
    case Member::kDstOrSrc0: return Info(inst.op).dst != Type::kN ? inst.dst : inst.src[0];
    default: return inst.src[0];
  }
}

Operand& OperandOf(Instruction& inst, Member operand) {
  return const_cast<Operand&>(OperandOf(static_cast<const Instruction&>(inst), operand));
}

// Members that are plain numbers: one row each for reading and writing.
#define KILN_NUMBERS(ROW)                 \
  ROW(kSimm, simm)                        \
  ROW(kNeg, neg)                          \
  ROW(kAbs, abs)                          \
  ROW(kOpSel, op_sel)                     \
  ROW(kOpSelHi, op_sel_hi)                \
  ROW(kClamp, clamp)                      \
  ROW(kOmod, omod)                        \
  ROW(kDppControl, dpp.control)           \
  ROW(kRowMask, dpp.row_mask)             \
  ROW(kBankMask, dpp.bank_mask)           \
  ROW(kBoundControl, dpp.bound_control)   \
  ROW(kFetchInactive, dpp.fetch_inactive) \
  ROW(kDppLanes, dpp.lanes)               \
  ROW(kDstSel, sdwa.dst_sel)              \
  ROW(kDstUnused, sdwa.dst_unused)        \
  ROW(kSel0, sdwa.src_sel[0])             \
  ROW(kSel1, sdwa.src_sel[1])             \
  ROW(kSext, sdwa.sext)                   \
  ROW(kAttribute, attribute)              \
  ROW(kChannel, channel)                  \
  ROW(kHigh, high)                        \
  ROW(kOffset, offset)                    \
  ROW(kGlc, glc)                          \
  ROW(kSlc, slc)                          \
  ROW(kDlc, dlc)                          \
  ROW(kTfe, tfe)                          \
  ROW(kLwe, lwe)                          \
  ROW(kLds, lds)                          \
  ROW(kGds, gds)                          \
  ROW(kIdxen, idxen)                      \
  ROW(kOffen, offen)                      \
  ROW(kUnnormalised, unnormalised)        \
  ROW(kR128, r128)                        \
  ROW(kA16, a16)                          \
  ROW(kD16, d16)                          \
  ROW(kBufferFormat, format)              \
  ROW(kDmask, dmask)                      \
  ROW(kDim, dim)                          \
  ROW(kNsaDwords, nsa_dwords)             \
  ROW(kTarget, target)                    \
  ROW(kEnable, enable)                    \
  ROW(kDone, done)                        \
  ROW(kCompressed, compressed)            \
  ROW(kValidMask, valid_mask)

uint32_t Get(const Instruction& inst, Member member) {
  const OpcodeInfo& info = Info(inst.op);
  switch (member) {
#define KILN_ROW(name, place) \
  case Member::name: return static_cast<uint32_t>(inst.place);
    KILN_NUMBERS(KILN_ROW)
#undef KILN_ROW
    case Member::kNegHi: return info.Has(opcode_flag::kMix) ? inst.abs : inst.neg_hi;
    case Member::kDsOffset: {
      const uint32_t offset = static_cast<uint32_t>(inst.offset);
      if (!info.Has(opcode_flag::kTwo)) return offset;
      return offset > 0xff ? ~0u : offset | inst.offset1 << 8;  // ~0 does not fit the field
    }
    case Member::kSegment:
      return info.encoding == Encoding::kGlobal ? 2 : info.encoding == Encoding::kScratch ? 1 : 0;
    case Member::kOp: return inst.form == Form::kVop3 ? Vop3Code(info) : info.code;
    default: return OperandOf(inst, member).code;
  }
}

void Set(Instruction& inst, Member member, uint32_t value) {
  const OpcodeInfo& info = Info(inst.op);
  switch (member) {
#define KILN_ROW(name, place)                                                         \
  case Member::name:                                                                  \
    inst.place = static_cast<std::remove_reference_t<decltype((inst.place))>>(value); \
    break;
    KILN_NUMBERS(KILN_ROW)
#undef KILN_ROW
    case Member::kNegHi:
      (info.Has(opcode_flag::kMix) ? inst.abs : inst.neg_hi) = static_cast<uint8_t>(value);
      break;
    case Member::kDsOffset: {
      const bool two = info.Has(opcode_flag::kTwo);
      inst.offset = static_cast<int32_t>(two ? value & 0xff : value);
      inst.offset1 = static_cast<uint8_t>(two ? value >> 8 : 0);
      break;
    }
    case Member::kSegment:
    case Member::kOp: break;  // the opcode says it
    default: OperandOf(inst, member).code = static_cast<uint16_t>(value);
  }
}

#undef KILN_NUMBERS

bool Permits(const Instruction& inst, Member member, uint32_t value) {
  if (value == 0) return true;
  const OpcodeInfo& info = Info(inst.op);
  const bool packed = info.encoding == Encoding::kVop3p;
  const uint32_t sources = Low(Parameters(info));
  switch (member) {
    case Member::kNeg:
    case Member::kNegHi:
      if (packed) return (value & ~sources) == 0;
      return (value & ~SourceBits([&](int i) { return TakesMods(info, i); })) == 0;
    case Member::kAbs: return (value & ~SourceBits([&](int i) { return TakesMods(info, i); })) == 0;
    case Member::kSext:
      return (value & ~SourceBits([&](int i) { return TakesSext(info, i); })) == 0;
    case Member::kOpSel:
      if (packed) return (value & ~sources) == 0;
      if (!info.Has(opcode_flag::kOpSel | opcode_flag::kOpSelByMesa)) return false;
      if (info.Has(opcode_flag::kSsrc2)) return value <= 3;  // v_permlane
      return (value & ~(sources | 0b1000)) == 0;
    case Member::kClamp:
      return inst.form == Form::kSdwa ? !info.Has(opcode_flag::kLiteral)
                                      : info.Has(opcode_flag::kClamp);
    case Member::kOmod: return info.Has(opcode_flag::kOmod);
    case Member::kSel1: return info.src[1] != Type::kN && value <= 6;
    case Member::kSel0:
    case Member::kDstSel: return value <= 6;
    case Member::kDstUnused: return value <= 2;
    case Member::kGds: return info.encoding == Encoding::kDs;
    case Member::kLds: return info.Has(opcode_flag::kLds);
    case Member::kDlc: return !(IsBuffer(info.encoding) && info.Has(opcode_flag::kAtomic));
    default: return true;
  }
}

absl::string_view NameOf(Member member) {
  static constexpr absl::string_view kNames[] = {
      "dst",      "sdst",    "src0",       "src1",     "src2",      "src3",       "sdst or src",
      "op",       "simm16",  "neg",        "abs",      "neg_hi",    "op_sel",     "op_sel_hi",
      "clamp",    "omod",    "dpp_ctrl",   "row_mask", "bank_mask", "bound_ctrl", "fi",
      "dpp8",     "dst_sel", "dst_unused", "src0_sel", "src1_sel",  "sext",       "attr",
      "attrchan", "high",    "offset",     "offset",   "seg",       "glc",        "slc",
      "dlc",      "tfe",     "lwe",        "lds",      "gds",       "idxen",      "offen",
      "unorm",    "r128",    "a16",        "d16",      "format",    "dmask",      "dim",
      "nsa",      "target",  "en",         "done",     "compr",     "vm"};
  return kNames[static_cast<size_t>(member)];
}

}  // namespace kiln::amd::isa
