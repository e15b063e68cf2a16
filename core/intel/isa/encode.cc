// The encoder: see encode.h. Writes fields through the layout table, form by form; the first value
// that does not fit becomes the error.
#include "core/intel/isa/encode.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/intel/isa/codes.h"
#include "core/intel/isa/fields.h"

namespace kiln::intel::isa {
namespace {

// Returns the distance in elements between neighbouring channels if the region is evenly spaced
// over `channels` channels, else nullopt.
std::optional<int> EvenStride(const Region& region, int channels) {
  if (region.vstride == Region::kVxH) return std::nullopt;
  if (region.width >= channels) return region.hstride;
  if (region.width == 1) return region.vstride;
  if (region.vstride == region.width * region.hstride) return region.hstride;
  return std::nullopt;
}

template <Generation kGen>
class Writer {
 public:
  explicit Writer(const Instruction& inst) : inst_(inst), info_(Info(inst.op)) {}

  absl::StatusOr<std::array<uint8_t, 16>> Write() {
    if (!HasOpcode(kGen, inst_.op)) Fail("opcode");
    if (!error_.ok()) return error_;
    WriteCommon();
    switch (info_.format) {
      case Format::kNullary: break;
      case Format::kBasic: WriteBasic(); break;
      case Format::kTernary: WriteTernary(); break;
      case Format::kMath: WriteMath(); break;
      case Format::kSend: WriteSend(); break;
      case Format::kSync: WriteSync(); break;
      case Format::kJmpi:
      case Format::kBranchJ:
      case Format::kBranchJU:
      case Format::kCall:
      case Format::kRet: WriteBranch(); break;
    }
    if (!error_.ok()) return error_;
    return ToBytes(word_);
  }

 private:
  void Fail(absl::string_view what) {
    if (error_.ok()) {
      error_ = absl::InvalidArgumentError(
          absl::StrCat(info_.mnemonic, ": ", what, " cannot be encoded on ", Name(kGen)));
    }
  }

  // Always inlined, like the functions that pass fields to it: nearly all callers name the field,
  // and its bit range is then a constant.
  [[gnu::always_inline]] void Set(Field field, uint64_t value) {
    const FieldLayout& layout = Layout<kGen>(field);
    if (layout.width < 64 && value >> layout.width != 0) return Fail(layout.name);
    SetField<kGen>(word_, field, value);
  }

  // Sets a code from one of the lookup functions; absent if the value has none.
  [[gnu::always_inline]] void SetCode(Field field, std::optional<int> code) {
    if (!code) return Fail(Layout<kGen>(field).name);
    Set(field, static_cast<uint64_t>(*code));
  }

  std::optional<int> RegisterType(Type type) { return CodeOf<kGen>(CodeGroup::kRegType, type); }
  std::optional<int> Hstride(int hstride) { return CodeOf<kGen>(CodeGroup::kHstride, hstride); }

  void WriteCommon() {
    SetCode(Field::kOpcode, info_.code[Index(kGen)]);
    Set(Field::kSwsb, inst_.swsb);
    SetCode(Field::kExecSize, CodeOf<kGen>(CodeGroup::kExecSize, inst_.exec_size));
    if (inst_.channel_offset % 4 != 0) Fail("channel offset");
    Set(Field::kChannelOffset, inst_.channel_offset / 4);
    Set(Field::kFlagNr, inst_.flag_nr);
    Set(Field::kFlagSubNr, inst_.flag_subnr);
    Set(Field::kPredCtrl, static_cast<uint64_t>(inst_.pred));
    Set(Field::kPredInverse, inst_.pred_inverse);
    Set(Field::kDebug, inst_.debug);
    Set(Field::kNoMask, inst_.no_mask);
    Set(Field::kAtomic, inst_.atomic);
    if (inst_.thread_switch || inst_.no_dd_clear || inst_.no_dd_check) Fail("thread control");
    if (inst_.pred != PredCtrl::kNone && !info_.pred) Fail("predicate");
    if (inst_.cmod != CondMod::kNone && !info_.cmod) Fail("conditional modifier");
    if (inst_.saturate && !info_.saturate) Fail("saturate");
  }

  void WriteBasic() {
    Set(Field::kAccWrite, inst_.acc_write);
    Set(Field::kSaturate, inst_.saturate);
    Set(Field::kCondMod, static_cast<uint64_t>(inst_.cmod));
    WriteDst();
    if (info_.nsrc > 0) WriteSource<0>(info_.nsrc == 1);
    if (info_.nsrc > 1) WriteSource<1>(true);
  }

  void WriteMath() {
    if (inst_.math == MathFunction::kInvm || inst_.math == MathFunction::kRsqrtm) {
      return Fail("math function");
    }
    Set(Field::kAccWrite, inst_.acc_write);
    Set(Field::kSaturate, inst_.saturate);
    SetCode(Field::kMathFunction, CodeOf<kGen>(CodeGroup::kMath, inst_.math));
    WriteDst();
    const bool binary = MathIsBinary(inst_.math);
    WriteSource<0>(!binary);
    if (binary) {
      WriteSource<1>(true);
    } else {
      // The absent source reads as null of the same type, which is what assemblers write.
      SetCode(Field::kSrc1Type, RegisterType(inst_.src[0].type));
    }
  }

  [[gnu::always_inline]] void WriteRegister(const Operand& operand, Field is_grf, Field nr) {
    if (operand.file == File::kGrf) {
      Set(is_grf, 1);
      if (operand.nr > 127) Fail("register number");
      return Set(nr, operand.nr);
    }
    if (operand.file != File::kArf) return Fail("register file");
    const std::optional<int> kind = CodeOf<kGen>(CodeGroup::kArchRegister, operand.arf);
    if (!kind || operand.nr > 15) return Fail("architecture register");
    Set(nr, static_cast<uint64_t>(*kind << 4 | operand.nr));
  }

  void WriteIndirect(const Operand& operand, Field indirect, Field imm, Field sub) {
    if (operand.file != File::kGrf || operand.address_imm < -512 || operand.address_imm > 511) {
      return Fail("indirect address");
    }
    Set(indirect, 1);
    Set(imm, static_cast<uint64_t>(operand.address_imm) & 0x3ff);
    Set(sub, operand.address_subnr);
  }

  void WriteDst() {
    const Operand& dst = inst_.dst;
    if (dst.negate || dst.absolute) Fail("destination modifier");
    SetCode(Field::kDstType, RegisterType(dst.type));
    SetCode(Field::kDstHstride, Hstride(dst.region.hstride));
    if (dst.indirect) {
      return WriteIndirect(dst, Field::kDstIndirect, Field::kDstAddressImm, Field::kDstAddressSub);
    }
    WriteRegister(dst, Field::kDstIsGrf, Field::kDstNr);
    Set(Field::kDstSubNr, dst.subnr);
  }

  template <int i>
  void WriteSource(bool last) {
    constexpr SourceFields f = kSourceFields[i];
    const Operand& src = inst_.src[i];
    const bool immediate = src.file == File::kImm;
    SetCode(f.type, CodeOf<kGen>(immediate ? CodeGroup::kImmType : CodeGroup::kRegType, src.type));
    if (immediate) return WriteImmediate(f.is_imm, src, last);
    if ((src.negate || src.absolute) && !info_.src_modifiers) Fail("source modifier");
    Set(f.negate, src.negate);
    Set(f.absolute, src.absolute);
    SetCode(f.vstride, CodeOf<kGen>(CodeGroup::kVstride, src.region.vstride));
    SetCode(f.width, CodeOf<kGen>(CodeGroup::kWidth, src.region.width));
    SetCode(f.hstride, Hstride(src.region.hstride));
    if (src.indirect) {
      return WriteIndirect(src, f.indirect, f.address_imm, f.address_sub);
    }
    WriteRegister(src, f.is_grf, f.nr);
    Set(f.subnr, src.subnr);
  }

  // Only the last source may be an immediate. Words are written twice, since the hardware reads
  // either half.
  [[gnu::always_inline]] void WriteImmediate(Field is_imm, const Operand& src, bool last) {
    if (!last || src.negate || src.absolute) return Fail("immediate operand");
    Set(is_imm, 1);
    switch (ByteSize(src.type)) {
      case 2:
        if (src.imm >> 16 != 0) return Fail("immediate");
        return Set(Field::kImm32, src.imm << 16 | src.imm);
      case 4: return Set(Field::kImm32, src.imm);
      default: return Fail("immediate of 8 bytes");
    }
  }

  void WriteTernary() {
    Set(Field::kAccWrite, inst_.acc_write);
    Set(Field::kSaturate, inst_.saturate);
    Set(Field::kCondMod, static_cast<uint64_t>(inst_.cmod));
    const Operand& dst = inst_.dst;
    Set(Field::kT3Float, IsFloat(dst.type));
    SetCode(Field::kT3DstType, TernaryType(dst.type));
    if (dst.indirect || dst.negate || dst.absolute) Fail("destination");
    if (dst.subnr % 8 != 0) Fail("unaligned destination");
    SetCode(Field::kT3DstHstride, CodeOf<kGen>(CodeGroup::kTernaryDstHstride, dst.region.hstride));
    WriteRegister(dst, Field::kDstIsGrf, Field::kDstNr);
    Set(Field::kDstSubNr, dst.subnr);
    WriteTernarySource0();
    WriteTernarySource1();
    WriteTernarySource2();
    for (const Operand& src : inst_.src) {
      if (src.indirect) Fail("indirect source");
      if ((src.negate || src.absolute) && !info_.src_modifiers) Fail("source modifier");
      if (src.file != File::kImm) continue;
      if (src.imm >> 16 != 0 || src.negate || src.absolute) Fail("immediate");
    }
  }

  // Either all operands are float or none is: one bit holds for all.
  std::optional<int> TernaryType(Type type) {
    if (IsFloat(type) != IsFloat(inst_.dst.type)) return std::nullopt;
    return CodeOf<kGen>(TernaryTypes(IsFloat(type)), type);
  }

  std::optional<int> TernaryVstride(int vstride) {
    return CodeOf<kGen>(CodeGroup::kTernaryVstride, vstride);
  }

  // Any evenly spaced region has a form <vstride;hstride> of its own.
  void WriteTernaryRegion(const Region& region, Field vstride, Field hstride) {
    const std::optional<int> code = TernaryVstride(region.vstride);
    const bool as_given = code && (region.hstride == 0 || region.vstride < region.hstride
                                       ? region.width == 1
                                       : region.width * region.hstride == region.vstride);
    if (as_given) {
      Set(vstride, static_cast<uint64_t>(*code));
      return SetCode(hstride, Hstride(region.hstride));
    }
    const std::optional<int> stride = EvenStride(region, inst_.exec_size);
    if (!stride) return Fail("region");
    SetCode(vstride, TernaryVstride(*stride == 0 ? 0 : 8));
    SetCode(hstride, Hstride(*stride));
  }

  void WriteTernarySource0() {
    const Operand& src = inst_.src[0];
    SetCode(Field::kT3Src0Type, TernaryType(src.type));
    if (src.file == File::kImm) {
      Set(Field::kSrc0IsImm, 1);
      return Set(Field::kT3Src0Imm, src.imm);
    }
    Set(Field::kSrc0Negate, src.negate);
    Set(Field::kSrc0Absolute, src.absolute);
    WriteTernaryRegion(src.region, Field::kT3Src0Vstride, Field::kSrc0Hstride);
    WriteRegister(src, Field::kSrc0IsGrf, Field::kSrc0Nr);
    Set(Field::kSrc0SubNr, src.subnr);
  }

  void WriteTernarySource1() {
    const Operand& src = inst_.src[1];
    SetCode(Field::kT3Src1Type, TernaryType(src.type));
    Set(Field::kT3Src1Negate, src.negate);
    Set(Field::kT3Src1Absolute, src.absolute);
    WriteTernaryRegion(src.region, Field::kT3Src1Vstride, Field::kSrc1Hstride);
    WriteRegister(src, Field::kSrc1IsGrf, Field::kSrc1Nr);
    Set(Field::kSrc1SubNr, src.subnr);
  }

  void WriteTernarySource2() {
    const Operand& src = inst_.src[2];
    SetCode(Field::kT3Src2Type, TernaryType(src.type));
    if (src.file == File::kImm) {
      Set(Field::kT3Src2IsImm, 1);
      return Set(Field::kT3Src2Imm, src.imm);
    }
    Set(Field::kT3Src2Negate, src.negate);
    Set(Field::kT3Src2Absolute, src.absolute);
    const std::optional<int> stride = EvenStride(src.region, inst_.exec_size);
    if (!stride) return Fail("region of src2");
    SetCode(Field::kT3Src2Hstride, Hstride(*stride));
    WriteRegister(src, Field::kT3Src2IsGrf, Field::kT3Src2Nr);
    Set(Field::kT3Src2SubNr, src.subnr);
  }

  // Sends address whole registers: types, regions and sub-registers of operands are not encoded.
  void WriteSend() {
    const SendFields& send = inst_.send;
    Set(Field::kSfid, static_cast<uint64_t>(send.sfid));
    Set(Field::kEot, send.eot);
    WriteRegister(inst_.dst, Field::kDstIsGrf, Field::kDstNr);
    WriteRegister(inst_.src[0], Field::kSrc0IsGrf, Field::kSrc0Nr);
    if (inst_.src[1].file != File::kNone) {
      WriteRegister(inst_.src[1], Field::kSrc1IsGrf, Field::kSrc1Nr);
    }
    if (send.desc_is_register) {
      Set(Field::kDescIsReg, 1);
    } else {
      Set(Field::kDesc, send.desc);
    }
    if (send.ex_desc_is_register) {
      Set(Field::kExDescIsReg, 1);
      Set(Field::kExDescAddress, send.ex_desc_address);
    } else {
      if ((send.ex_desc & 0x3f) != 0) return Fail("extended descriptor bits 5:0");
      Set(Field::kExDescHigh, send.ex_desc >> 6);
    }
  }

  void WriteSync() {
    Set(Field::kSyncFunction, static_cast<uint64_t>(inst_.sync));
    Set(Field::kDstHstride, 1);  // as assemblers write it
    const Operand& src = inst_.src[0];
    if (src.file == File::kNone) return;
    if (src.file != File::kImm) {
      WriteRegister(src, Field::kSrc0IsGrf, Field::kSrc0Nr);
      return Set(Field::kSrc0SubNr, src.subnr);
    }
    Set(Field::kSrc0IsImm, 1);
    SetCode(Field::kSrc0Type, CodeOf<kGen>(CodeGroup::kImmType, Type::kUD));
    Set(Field::kImm32, src.imm);
  }

  void WriteBranch() {
    Set(Field::kBranchControl, inst_.branch_control);
    if (info_.format == Format::kCall) {
      WriteRegister(inst_.dst, Field::kDstIsGrf, Field::kDstNr);
      Set(Field::kDstSubNr, inst_.dst.subnr);
    }
    const Operand& src = inst_.src[0];
    if (info_.format == Format::kRet || src.file == File::kGrf) {
      if (info_.format == Format::kBranchJU) return Fail("register target");
      WriteRegister(src, Field::kSrc0IsGrf, Field::kSrc0Nr);
      return Set(Field::kSrc0SubNr, src.subnr);
    }
    Set(Field::kJipIsImm, 1);
    Set(Field::kJip, Distance(inst_.jip));
    if (info_.format != Format::kBranchJU) return;
    Set(Field::kUipIsImm, 1);
    Set(Field::kUip, Distance(inst_.uip));
  }

  uint64_t Distance(int32_t bytes) {
    if (bytes % kBranchUnit<kGen> != 0) Fail("branch distance");
    return static_cast<uint32_t>(bytes / kBranchUnit<kGen>);
  }

  const Instruction& inst_;
  const OpcodeInfo& info_;
  Word128 word_;
  absl::Status error_;
};

}  // namespace

absl::StatusOr<std::array<uint8_t, 16>> Encode(Generation gen, const Instruction& inst) {
  using Bytes = absl::StatusOr<std::array<uint8_t, 16>>;
  return AtDoor<Bytes, kOpcodeTable, kFieldTable, kCodeTable>(
      gen, [&](auto g) { return Writer<decltype(g)::value>(inst).Write(); });
}

}  // namespace kiln::intel::isa
