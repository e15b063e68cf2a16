// Text in LLVM's syntax: see disasm.h. Operands first, then the modifiers in the order in which the
// assembler wants them.
#include "core/amd/isa/disasm.h"

#include <set>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/amd/isa/operands.h"

namespace kiln::amd::isa {
namespace {

std::string Tuple(absl::string_view file, int first, int dwords) {
  if (dwords == 1) return absl::StrCat(file, first);
  return absl::StrFormat("%s[%d:%d]", file, first, first + dwords - 1);
}

// Returns the text of a constant or named source; of other numbers, which do not decode, "?".
std::string ConstantText(int code, Type type) {
  if (code < kIntMinus1) return absl::StrCat(code - kInt0);
  if (code <= kIntLast) return absl::StrCat(-(code - kIntMinus1 + 1));
  constexpr absl::string_view kBases[] = {"src_shared_base", "src_shared_limit", "src_private_base",
                                          "src_private_limit", "src_pops_exiting_wave_id"};
  if (code >= kSharedBase && code <= kPopsExitingWaveId)
    return std::string(kBases[code - kSharedBase]);
  constexpr absl::string_view kFloats[] = {"0.5", "-0.5", "1.0", "-1.0",
                                           "2.0", "-2.0", "4.0", "-4.0"};
  if (code >= kHalf && code < kInvTwoPi) return std::string(kFloats[code - kHalf]);
  if (code == kInvTwoPi) return Dwords(type) == 2 ? "0.15915494309189532" : "0.15915494";
  if (code < kVccz || code > kLdsDirect) return "?";
  constexpr absl::string_view kRest[] = {"src_vccz", "src_execz", "src_scc", "src_lds_direct"};
  return std::string(kRest[code - kVccz]);
}

std::string Register(int code, int dwords) {
  if (code >= 256) return Tuple("v", code - 256, dwords);
  if (code < kSgprCount) return Tuple("s", code, dwords);
  if (code == kVccLo && dwords == 2) return "vcc";
  if (code == kExecLo && dwords == 2) return "exec";
  if (code >= kTtmp0 && code < kTtmp0 + kTtmpCount) return Tuple("ttmp", code - kTtmp0, dwords);
  switch (code) {
    case kVccLo: return "vcc_lo";
    case kVccHi: return "vcc_hi";
    case kM0: return "m0";
    case kNull: return "null";
    case kExecLo: return "exec_lo";
    default: return "exec_hi";
  }
}

class Printer {
 public:
  Printer(const Instruction& inst, Wave wave) : inst_(inst), info_(Info(inst.op)), wave_(wave) {}

  std::string Text();

 private:
  // ---- Operands ----

  std::string Mask(uint16_t code) const { return Register(code, MaskDwords(wave_)); }

  std::string Plain(const Operand& operand, Type type, int dwords) const {
    if (operand.is_literal()) return absl::StrFormat("0x%x", inst_.literal);
    if (operand.is_scalar_register() || operand.is_vgpr()) return Register(operand.code, dwords);
    return ConstantText(operand.code, type);
  }

  std::string WithMods(int i, std::string text) const {
    const bool neg = (inst_.neg >> i & 1) != 0 && !IsPackedFormat();
    if ((inst_.abs >> i & 1) != 0) text = absl::StrCat("|", text, "|");
    if ((inst_.sdwa.sext >> i & 1) != 0) text = absl::StrCat("sext(", text, ")");
    // A minus before a number would make another number of it.
    if (neg && !absl::StartsWith(text, "|") && !inst_.src[i].is_vgpr() &&
        !inst_.src[i].is_scalar_register()) {
      return absl::StrCat("neg(", text, ")");
    }
    return neg ? absl::StrCat("-", text) : text;
  }
  // v_fma_mix has signs like VOP3; the other packed operations have neg_lo and neg_hi.
  bool IsPackedFormat() const {
    return info_.encoding == Encoding::kVop3p && !info_.Has(opcode_flag::kMix);
  }

  std::string SourceText(int i) const {
    const Type type = info_.src[i];
    return WithMods(i, Plain(inst_.src[i], type, Dwords(type, wave_)));
  }
  std::string DstText() const { return Register(inst_.dst.code, DstDwords()); }
  int DstDwords() const {
    const int dwords = info_.dst == Type::kData ? ImageDataDwords(inst_) : Dwords(info_.dst, wave_);
    // The assembler counts the status register of tfe, but not for MTBUF, and not that of lwe.
    if (info_.dst == Type::kData) return dwords - (inst_.lwe && !inst_.tfe ? 1 : 0);
    return dwords + (info_.encoding == Encoding::kMubuf && inst_.tfe ? 1 : 0);
  }

  void Operand1(std::string text) { operands_.push_back(std::move(text)); }
  void Modifier(std::string text) { modifiers_.push_back(std::move(text)); }
  void Flag(bool set, absl::string_view name) {
    if (set) modifiers_.emplace_back(name);
  }
  void Sources(int n) {
    for (int i = 0; i < n; ++i) {
      if (Exists(inst_, static_cast<Member>(static_cast<int>(Member::kSrc0) + i))) {
        Operand1(SourceText(i));
      }
    }
  }

  // ---- Formats ----

  void Scalar();
  void Waitcnt();
  void ScalarMemory();
  void Vector();
  void VectorModifiers();
  void PackedModifiers();
  void DppModifiers();
  void SdwaModifiers();
  void Interpolation();
  void Lds();
  void Buffer();
  void Image();
  void Flat();
  void Export();
  std::string Name() const;

  const Instruction& inst_;
  const OpcodeInfo& info_;
  const Wave wave_;
  std::vector<std::string> operands_, modifiers_;
};

// Prints s_waitcnt's counters; those at their maximum wait for nothing and are left out.
void Printer::Waitcnt() {
  const int vm = (inst_.simm & 0xf) | (inst_.simm >> 10 & 0x30);
  const int exp = inst_.simm >> 4 & 7, lgkm = inst_.simm >> 8 & 0x3f;
  if ((inst_.simm & 0x80) != 0 || (vm == 0x3f && exp == 7 && lgkm == 0x3f)) {
    return Operand1(absl::StrFormat("0x%x", inst_.simm));
  }
  if (vm != 0x3f) Modifier(absl::StrCat("vmcnt(", vm, ")"));
  if (exp != 7) Modifier(absl::StrCat("expcnt(", exp, ")"));
  if (lgkm != 0x3f) Modifier(absl::StrCat("lgkmcnt(", lgkm, ")"));
}

std::string HwregText(uint16_t simm) {
  return absl::StrFormat("hwreg(%d, %d, %d)", simm & 0x3f, simm >> 6 & 0x1f,
                         (simm >> 11 & 0x1f) + 1);
}

// Returns true if the SOPP opcode has an operand.
bool HasImmediate(Opcode op) {
  switch (op) {
    case Opcode::kSEndpgm:
    case Opcode::kSWakeup:
    case Opcode::kSBarrier:
    case Opcode::kSIcacheInv:
    case Opcode::kSTtracedata:
    case Opcode::kSEndpgmSaved:
    case Opcode::kSEndpgmOrderedPsDone:
    case Opcode::kSCodeEnd:
    case Opcode::kSWaitIdle: return false;
    default: return true;
  }
}

void Printer::Scalar() {
  if (info_.encoding == Encoding::kSopp) {
    if (inst_.op == Opcode::kSWaitcnt) return Waitcnt();
    if (HasImmediate(inst_.op) || inst_.simm != 0) Operand1(absl::StrCat(inst_.simm));
    return;
  }
  const bool sets = inst_.op == Opcode::kSSetregB32 || inst_.op == Opcode::kSSetregImm32B32;
  if (sets) Operand1(HwregText(inst_.simm));
  if (Exists(inst_, Member::kDst)) Operand1(DstText());
  Sources(2);
  if (inst_.op == Opcode::kSSetregImm32B32) Operand1(absl::StrFormat("0x%x", inst_.literal));
  if (info_.encoding != Encoding::kSopk || sets) return;
  Operand1(inst_.op == Opcode::kSGetregB32 ? HwregText(inst_.simm) : absl::StrCat(inst_.simm));
}

void Printer::ScalarMemory() {
  if (Exists(inst_, Member::kDst)) Operand1(DstText());
  if (Exists(inst_, Member::kSrc0)) Operand1(SourceText(0));
  const bool has_register = inst_.src[1].exists() && Exists(inst_, Member::kSrc1);
  if (has_register) Operand1(SourceText(1));
  if (Exists(inst_, Member::kSrc0)) {
    const bool negative = inst_.offset < 0;
    const std::string offset =
        absl::StrFormat("%s0x%x", negative ? "-" : "", negative ? -inst_.offset : inst_.offset);
    if (!has_register) Operand1(offset);
    if (has_register && inst_.offset != 0) Modifier("offset:" + offset);
  }
  Flag(inst_.glc, "glc");
  Flag(inst_.dlc, "dlc");
}

std::string BitList(absl::string_view name, uint32_t bits, int n) {
  std::vector<int> list;
  for (int i = 0; i < n; ++i) list.push_back(static_cast<int>(bits >> i & 1));
  return absl::StrCat(name, ":[", absl::StrJoin(list, ","), "]");
}

int SourceCount(const OpcodeInfo& info) {
  int n = 0;
  while (n < 3 && info.src[n] != Type::kN) ++n;
  return n;
}

void Printer::PackedModifiers() {
  const int n = SourceCount(info_);
  const uint32_t all = (1u << n) - 1;
  if (inst_.op_sel != 0) Modifier(BitList("op_sel", inst_.op_sel, n));
  const uint32_t plain = info_.Has(opcode_flag::kMix) ? 0 : all;
  if ((inst_.op_sel_hi & all) != plain) Modifier(BitList("op_sel_hi", inst_.op_sel_hi, n));
  if (IsPackedFormat()) {
    if (inst_.neg != 0) Modifier(BitList("neg_lo", inst_.neg, n));
    if (inst_.neg_hi != 0) Modifier(BitList("neg_hi", inst_.neg_hi, n));
  }
  Flag(inst_.clamp, "clamp");
}

void Printer::VectorModifiers() {
  constexpr absl::string_view kOmods[] = {"", "mul:2", "mul:4", "div:2"};
  if (inst_.op_sel != 0) {
    const int n = SourceCount(info_);
    // v_permlane uses two of the bits, for other things.
    const bool permlane = info_.Has(opcode_flag::kSsrc2);
    uint32_t bits = inst_.op_sel & ((1u << n) - 1);
    if (!permlane) bits |= (inst_.op_sel >> 3 & 1u) << n;
    Modifier(BitList("op_sel", bits, permlane ? 2 : n + 1));
  }
  Flag(inst_.clamp, "clamp");
  if (inst_.omod != 0) Modifier(std::string(kOmods[inst_.omod & 3]));
}

std::string DppControlText(int control) {
  const int low = control & 0xf;
  if (control < 0x100) {
    return absl::StrFormat("quad_perm:[%d,%d,%d,%d]", control & 3, control >> 2 & 3,
                           control >> 4 & 3, control >> 6 & 3);
  }
  switch (control & 0x1f0) {
    case 0x100: return absl::StrCat("row_shl:", low);
    case 0x110: return absl::StrCat("row_shr:", low);
    case 0x120: return absl::StrCat("row_ror:", low);
    case 0x140: return low == 0 ? "row_mirror" : "row_half_mirror";
    case 0x150: return absl::StrCat("row_share:", low);
    default: return absl::StrCat("row_xmask:", low);
  }
}

void Printer::DppModifiers() {
  if (inst_.form == Form::kDpp8) {
    std::vector<int> lanes;
    for (int i = 0; i < 8; ++i) lanes.push_back(static_cast<int>(inst_.dpp.lanes >> (3 * i) & 7));
    Modifier(absl::StrCat("dpp8:[", absl::StrJoin(lanes, ","), "]"));
  } else {
    Modifier(DppControlText(inst_.dpp.control));
    Modifier(
        absl::StrFormat("row_mask:0x%x bank_mask:0x%x", inst_.dpp.row_mask, inst_.dpp.bank_mask));
    Flag(inst_.dpp.bound_control, "bound_ctrl:1");
  }
  Flag(inst_.dpp.fetch_inactive, "fi:1");
}

void Printer::SdwaModifiers() {
  constexpr absl::string_view kSels[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                         "WORD_0", "WORD_1", "DWORD",  "?"};
  constexpr absl::string_view kUnused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "?"};
  constexpr absl::string_view kOmods[] = {"", "mul:2", "mul:4", "div:2"};
  Flag(inst_.clamp, "clamp");
  if (inst_.omod != 0) Modifier(std::string(kOmods[inst_.omod & 3]));
  const Sdwa& s = inst_.sdwa;
  if (info_.encoding != Encoding::kVopc) {
    Modifier(absl::StrCat("dst_sel:", kSels[s.dst_sel & 7]));
    Modifier(absl::StrCat("dst_unused:", kUnused[s.dst_unused & 3]));
  }
  Modifier(absl::StrCat("src0_sel:", kSels[s.src_sel[0] & 7]));
  if (info_.src[1] != Type::kN) Modifier(absl::StrCat("src1_sel:", kSels[s.src_sel[1] & 7]));
}

void Printer::Vector() {
  const bool long_form = info_.encoding == Encoding::kVop3 || inst_.form == Form::kVop3;
  if (Exists(inst_, Member::kDst)) Operand1(DstText());
  if (info_.encoding == Encoding::kVopc && !long_form && !IsCmpx(info_)) {
    Operand1(Mask(inst_.sdst.exists() ? inst_.sdst.code : kVccLo));
  }
  if (info_.Has(opcode_flag::kCarryOut)) Operand1(Mask(long_form ? inst_.sdst.code : kVccLo));
  Sources(1);
  // fmamk has its literal between the sources, fmaak behind them.
  const bool literal = info_.Has(opcode_flag::kLiteral);
  const bool middle = literal && absl::StartsWith(info_.mnemonic, "v_fmamk");
  const std::string text = absl::StrFormat("0x%x", inst_.literal);
  if (middle) Operand1(text);
  for (int i = 1; i < 3; ++i) {
    if (Exists(inst_, static_cast<Member>(static_cast<int>(Member::kSrc0) + i))) {
      Operand1(SourceText(i));
    }
  }
  if (literal && !middle) Operand1(text);
  if (info_.Has(opcode_flag::kMaskIn) && !long_form) Operand1(Mask(kVccLo));
  if (info_.encoding == Encoding::kVop3p) return PackedModifiers();
  if (long_form) return VectorModifiers();
  if (inst_.form == Form::kSdwa) return SdwaModifiers();
  if (inst_.form != Form::kPlain) DppModifiers();
}

void Printer::Interpolation() {
  Operand1(DstText());
  constexpr absl::string_view kParameters[] = {"p10", "p20", "p0"};
  if (inst_.op == Opcode::kVInterpMovF32) {
    Operand1(std::string(kParameters[inst_.src[0].code % 3]));
  } else {
    Operand1(SourceText(info_.encoding == Encoding::kVintrp ? 0 : 1));
  }
  Operand1(absl::StrCat("attr", inst_.attribute, ".", std::string(1, "xyzw"[inst_.channel & 3])));
  if (info_.encoding == Encoding::kVop3 && info_.src[2] != Type::kN) Operand1(SourceText(2));
  Flag(inst_.high, "high");
  if (info_.encoding == Encoding::kVop3) VectorModifiers();
}

void Printer::Lds() {
  if (Exists(inst_, Member::kDst)) Operand1(DstText());
  Sources(3);
  if (info_.Has(opcode_flag::kTwo)) {
    if (inst_.offset != 0) Modifier(absl::StrCat("offset0:", inst_.offset));
    if (inst_.offset1 != 0) Modifier(absl::StrCat("offset1:", inst_.offset1));
  } else if (inst_.offset != 0) {
    Modifier(absl::StrCat("offset:", inst_.offset));
  }
  Flag(inst_.gds, "gds");
}

void Printer::Buffer() {
  if (info_.src[1] == Type::kN) return;  // cache invalidations
  if (Exists(inst_, Member::kDst)) Operand1(DstText());
  Operand1(Exists(inst_, Member::kSrc0)
               ? Register(inst_.src[0].code, inst_.idxen && inst_.offen ? 2 : 1)
               : "off");
  Operand1(SourceText(1));
  std::string soffset = SourceText(2);
  if (info_.encoding == Encoding::kMtbuf) absl::StrAppend(&soffset, " format:", inst_.format);
  Operand1(soffset);
  Flag(inst_.idxen, "idxen");
  Flag(inst_.offen, "offen");
  if (inst_.offset != 0) Modifier(absl::StrCat("offset:", inst_.offset));
  Flag(inst_.glc, "glc");
  Flag(inst_.slc, "slc");
  Flag(inst_.dlc, "dlc");
  Flag(inst_.tfe, "tfe");
  Flag(inst_.lds, "lds");
}

void Printer::Image() {
  constexpr absl::string_view kDims[] = {"1D",       "2D",       "3D",      "CUBE",
                                         "1D_ARRAY", "2D_ARRAY", "2D_MSAA", "2D_MSAA_ARRAY"};
  const bool bvh = info_.dst != Type::kData;
  if (Exists(inst_, Member::kDst)) Operand1(DstText());
  const int dwords = ImageAddressDwords(inst_);
  if (inst_.nsa_dwords != 0) {
    std::vector<std::string> parts = {Register(inst_.src[0].code, 1)};
    for (int i = 0; i + 1 < dwords && i < 4 * inst_.nsa_dwords; ++i) {
      parts.push_back(absl::StrCat("v", inst_.address[static_cast<size_t>(i)]));
    }
    Operand1(absl::StrCat("[", absl::StrJoin(parts, ", "), "]"));
  } else {
    Operand1(Register(inst_.src[0].code, dwords));
  }
  // The assembler wants the name of a long descriptor under r128 too.
  Operand1(Register(inst_.src[1].code, bvh ? 4 : 8));
  if (Exists(inst_, Member::kSrc2)) Operand1(SourceText(2));
  if (bvh) return Flag(inst_.a16, "a16");
  Modifier(absl::StrFormat("dmask:0x%x", inst_.dmask));
  Modifier(absl::StrCat("dim:SQ_RSRC_IMG_", kDims[inst_.dim & 7]));
  Flag(inst_.unnormalised, "unorm");
  Flag(inst_.glc, "glc");
  Flag(inst_.slc, "slc");
  Flag(inst_.dlc, "dlc");
  Flag(inst_.r128, "r128");
  Flag(inst_.a16, "a16");
  Flag(inst_.tfe, "tfe");
  Flag(inst_.lwe, "lwe");
  Flag(inst_.d16, "d16");
}

void Printer::Flat() {
  if (Exists(inst_, Member::kDst)) Operand1(DstText());
  const bool scratch = info_.encoding == Encoding::kScratch;
  const bool saddr = inst_.src[2].exists() && Exists(inst_, Member::kSrc2);
  if (info_.src[0] != Type::kN) {
    const int dwords = scratch || (saddr && info_.encoding == Encoding::kGlobal) ? 1 : 2;
    const bool address = Exists(inst_, Member::kSrc0) && inst_.src[0].exists();
    Operand1(address ? Register(inst_.src[0].code, dwords) : "off");
  }
  if (Exists(inst_, Member::kSrc1)) Operand1(SourceText(1));
  if (info_.encoding != Encoding::kFlat) {
    Operand1(saddr ? Register(inst_.src[2].code, scratch ? 1 : 2) : "off");
  }
  if (inst_.offset != 0) Modifier(absl::StrCat("offset:", inst_.offset));
  Flag(inst_.glc, "glc");
  Flag(inst_.slc, "slc");
  Flag(inst_.dlc, "dlc");
  Flag(inst_.lds, "lds");
}

std::string TargetText(int target) {
  if (target < 8) return absl::StrCat("mrt", target);
  if (target == 8) return "mrtz";
  if (target == 9) return "null";
  if (target >= 12 && target <= 16) return absl::StrCat("pos", target - 12);
  if (target == 20) return "prim";
  if (target >= 32) return absl::StrCat("param", target - 32);
  return absl::StrCat("invalid_target_", target);
}

void Printer::Export() {
  std::string first = TargetText(inst_.target);
  for (int i = 0; i < 4; ++i) {
    // Under compr each register holds two halves and is named twice.
    const int at = inst_.compressed ? i / 2 : i;
    const Operand& source = inst_.src[static_cast<size_t>(at)];
    const bool on = (inst_.enable >> i & 1) != 0;
    const std::string text = on ? Register(source.code, 1) : "off";
    if (i == 0) {
      absl::StrAppend(&first, " ", text);
      Operand1(first);
    } else {
      Operand1(text);
    }
  }
  Flag(inst_.done, "done");
  Flag(inst_.compressed, "compr");
  Flag(inst_.valid_mask, "vm");
}

std::string Printer::Name() const {
  absl::string_view suffix;
  if (inst_.form == Form::kVop3) suffix = "_e64";
  if (inst_.form == Form::kSdwa) suffix = "_sdwa";
  if (HasExtension(inst_.form) && inst_.form != Form::kSdwa) suffix = "_dpp";
  if (inst_.form == Form::kPlain &&
      (info_.Has(opcode_flag::kVop3) || info_.encoding == Encoding::kVintrp)) {
    suffix = "_e32";
  }
  return absl::StrCat(info_.mnemonic, suffix);
}

std::string Printer::Text() {
  const Encoding e = info_.encoding;
  if (info_.unit == Unit::kInterpolate) {
    Interpolation();
  } else if (IsVectorAlu(e)) {
    Vector();
  } else if (e == Encoding::kSmem) {
    ScalarMemory();
  } else if (e == Encoding::kDs) {
    Lds();
  } else if (IsBuffer(e)) {
    Buffer();
  } else if (e == Encoding::kMimg) {
    Image();
  } else if (IsFlatFormat(e)) {
    Flat();
  } else if (e == Encoding::kExp) {
    Export();
  } else {
    Scalar();
  }
  std::string text = Name();
  if (!operands_.empty()) absl::StrAppend(&text, " ", absl::StrJoin(operands_, ", "));
  if (!modifiers_.empty()) absl::StrAppend(&text, " ", absl::StrJoin(modifiers_, " "));
  return text;
}

}  // namespace

std::string Disassemble(const Instruction& inst, Wave wave) { return Printer(inst, wave).Text(); }

std::string RegisterName(Operand operand) {
  return operand.code == kScc ? "scc" : Register(operand.code, 1);
}

int64_t BranchTarget(const PlacedInstruction& placed) {
  const OpcodeInfo& info = Info(placed.inst.op);
  const bool sopk = info.encoding == Encoding::kSopk, sopp = info.encoding == Encoding::kSopp;
  if (info.unit != Unit::kBranch || (!sopk && !sopp)) return -1;
  return int64_t{placed.offset} + placed.length +
         4 * int64_t{static_cast<int16_t>(placed.inst.simm)};
}

std::string DisassembleProgram(absl::Span<const PlacedInstruction> program, Wave wave) {
  std::set<int64_t> starts, labels;
  for (const PlacedInstruction& p : program) starts.insert(p.offset);
  for (const PlacedInstruction& p : program) {
    const int64_t target = BranchTarget(p);
    if (starts.count(target) != 0) labels.insert(target);
  }
  std::string text;
  for (const PlacedInstruction& p : program) {
    if (labels.count(p.offset) != 0) absl::StrAppend(&text, "L", p.offset, ":\n");
    std::string line = Disassemble(p.inst, wave);
    const int64_t target = BranchTarget(p);
    if (labels.count(target) != 0) {
      // The distance is the last word of a branch.
      line = absl::StrCat(line.substr(0, line.rfind(' ')), " L", target);
    }
    absl::StrAppend(&text, "  ", line, "\n");
  }
  return text;
}

}  // namespace kiln::amd::isa
