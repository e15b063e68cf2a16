// The decoder: see decode.h. Reads fields through the layout table, form by form.
#include "core/intel/isa/decode.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/intel/isa/codes.h"
#include "core/intel/isa/compact.h"
#include "core/intel/isa/fields.h"

namespace kiln::intel::isa {
namespace {

int SignExtend(uint64_t value, int bits) {
  const uint64_t sign = uint64_t{1} << (bits - 1);
  return static_cast<int>(static_cast<int64_t>((value ^ sign) - sign));
}

// Reads one instruction's fields; the first reserved value found becomes the error.
template <Generation kGen>
class Reader {
 public:
  explicit Reader(const Word128& word) : word_(word) {}

  absl::StatusOr<Instruction> Read() {
    const int code = static_cast<int>(Get(Field::kOpcode));
    const std::optional<Opcode> op = OpcodeFromHw(kGen, code);
    if (!op) return absl::InvalidArgumentError(absl::StrCat("no opcode has the code ", code));
    inst_.op = *op;
    ReadCommon();
    switch (Info(*op).format) {
      case Format::kNullary: break;
      case Format::kBasic: ReadBasic(); break;
      case Format::kTernary: ReadTernary(); break;
      case Format::kMath: ReadMath(); break;
      case Format::kSend: ReadSend(); break;
      case Format::kSync: ReadSync(); break;
      case Format::kJmpi:
      case Format::kBranchJ:
      case Format::kBranchJU:
      case Format::kCall:
      case Format::kRet: ReadBranch(); break;
    }
    if (!error_.ok()) return error_;
    return inst_;
  }

 private:
  uint64_t Get(Field field) const { return GetField<kGen>(word_, field); }
  bool Flag(Field field) const { return Get(field) != 0; }

  void Fail(absl::string_view what, uint64_t value) {
    if (error_.ok()) {
      error_ = absl::InvalidArgumentError(
          absl::StrCat(Info(inst_.op).mnemonic, ": reserved ", what, " ", value));
    }
  }

  void ReadCommon() {
    inst_.swsb = static_cast<uint8_t>(Get(Field::kSwsb));
    const uint64_t exec = Get(Field::kExecSize);
    const std::optional<int> channels = ValueOf<kGen>(CodeGroup::kExecSize, exec);
    if (!channels) return Fail("execution size", exec);
    inst_.exec_size = static_cast<uint8_t>(*channels);
    inst_.channel_offset = static_cast<uint8_t>(4 * Get(Field::kChannelOffset));
    inst_.flag_nr = static_cast<uint8_t>(Get(Field::kFlagNr));
    inst_.flag_subnr = static_cast<uint8_t>(Get(Field::kFlagSubNr));
    const uint64_t pred = Get(Field::kPredCtrl);
    if (pred > static_cast<uint64_t>(PredCtrl::kAll32h)) return Fail("predicate control", pred);
    inst_.pred = static_cast<PredCtrl>(pred);
    inst_.pred_inverse = Flag(Field::kPredInverse);
    inst_.debug = Flag(Field::kDebug);
    inst_.no_mask = Flag(Field::kNoMask);
    inst_.atomic = Flag(Field::kAtomic);
  }

  void ReadBasic() {
    inst_.acc_write = Flag(Field::kAccWrite);
    inst_.saturate = Flag(Field::kSaturate);
    const uint64_t cmod = Get(Field::kCondMod);
    if (cmod == 7 || cmod > 9) return Fail("conditional modifier", cmod);
    inst_.cmod = static_cast<CondMod>(cmod);
    ReadDst();
    for (int i = 0; i < Info(inst_.op).nsrc; ++i) ReadSource(i);
  }

  void ReadMath() {
    inst_.acc_write = Flag(Field::kAccWrite);
    inst_.saturate = Flag(Field::kSaturate);
    const uint64_t function = Get(Field::kMathFunction);
    const std::optional<int> math = ValueOf<kGen>(CodeGroup::kMath, function);
    if (!math) return Fail("math function", function);
    inst_.math = static_cast<MathFunction>(*math);
    if (inst_.math == MathFunction::kInvm || inst_.math == MathFunction::kRsqrtm) {
      return Fail("math macro (not supported)", function);
    }
    ReadDst();
    ReadSource(0);
    if (MathIsBinary(inst_.math)) ReadSource(1);
  }

  // Reads file, kind and number of a directly addressed register.
  void ReadRegister(Operand& operand, bool is_grf, uint64_t nr) {
    if (is_grf) {
      operand.file = File::kGrf;
      if (nr > 127) Fail("register number", nr);
      operand.nr = static_cast<uint8_t>(nr);
      return;
    }
    operand.file = File::kArf;
    const std::optional<int> arf = ValueOf<kGen>(CodeGroup::kArchRegister, nr >> 4);
    if (!arf) return Fail("architecture register", nr);
    operand.arf = static_cast<Arf>(*arf);
    operand.nr = nr & 15;
  }

  Type ReadType(Field field, bool immediate) {
    const uint64_t code = Get(field);
    const std::optional<int> type =
        ValueOf<kGen>(immediate ? CodeGroup::kImmType : CodeGroup::kRegType, code);
    if (!type) Fail("type", code);
    return type ? static_cast<Type>(*type) : Type::kUD;
  }

  uint8_t Hstride(Field field) {
    const uint64_t code = Get(field);
    const std::optional<int> hstride = ValueOf<kGen>(CodeGroup::kHstride, code);
    if (!hstride) Fail("horizontal stride", code);
    return static_cast<uint8_t>(hstride.value_or(0));
  }

  void ReadDst() {
    Operand& dst = inst_.dst;
    dst.type = ReadType(Field::kDstType, false);
    dst.region = {0, 1, Hstride(Field::kDstHstride)};
    if (Flag(Field::kDstIndirect)) {
      dst.file = File::kGrf;
      dst.indirect = true;
      dst.address_imm = static_cast<int16_t>(SignExtend(Get(Field::kDstAddressImm), 10));
      dst.address_subnr = static_cast<uint8_t>(Get(Field::kDstAddressSub));
    } else {
      ReadRegister(dst, Flag(Field::kDstIsGrf), Get(Field::kDstNr));
      dst.subnr = static_cast<uint8_t>(Get(Field::kDstSubNr));
    }
  }

  void ReadSource(int i) {
    const SourceFields& f = kSourceFields[i];
    Operand& src = inst_.src[i];
    const bool immediate = Flag(f.is_imm);
    src.type = ReadType(f.type, immediate);
    if (immediate) return ReadImmediate(src);
    src.negate = Flag(f.negate);
    src.absolute = Flag(f.absolute);
    ReadRegion(f, src);
    if (Flag(f.indirect)) {
      src.file = File::kGrf;
      src.indirect = true;
      src.address_imm = static_cast<int16_t>(SignExtend(Get(f.address_imm), 10));
      src.address_subnr = static_cast<uint8_t>(Get(f.address_sub));
    } else {
      ReadRegister(src, Flag(f.is_grf), Get(f.nr));
      src.subnr = static_cast<uint8_t>(Get(f.subnr));
    }
  }

  void ReadRegion(const SourceFields& f, Operand& src) {
    const std::optional<int> vstride = ValueOf<kGen>(CodeGroup::kVstride, Get(f.vstride));
    const std::optional<int> width = ValueOf<kGen>(CodeGroup::kWidth, Get(f.width));
    if (!vstride) return Fail("vertical stride", Get(f.vstride));
    if (!width) return Fail("width", Get(f.width));
    src.region = {static_cast<uint8_t>(*vstride), static_cast<uint8_t>(*width), Hstride(f.hstride)};
  }

  // Reads an immediate. Immediates of 8 bytes have their upper half at the bits of src0 and of the
  // conditional modifier.
  void ReadImmediate(Operand& src) {
    src.file = File::kImm;
    src.imm = Get(Field::kImm32);
    if (ByteSize(src.type) == 2) src.imm &= 0xffff;
    if (ByteSize(src.type) == 8) {
      src.imm |= GetBits(word_, 95, 64) << 32;
      inst_.cmod = CondMod::kNone;
    }
  }

  void ReadTernary() {
    inst_.acc_write = Flag(Field::kAccWrite);
    inst_.saturate = Flag(Field::kSaturate);
    const uint64_t cmod = Get(Field::kCondMod);
    if (cmod == 7 || cmod > 9) return Fail("conditional modifier", cmod);
    inst_.cmod = static_cast<CondMod>(cmod);
    Operand& dst = inst_.dst;
    dst.type = ReadTernaryType(Field::kT3DstType);
    const uint64_t hstride = Get(Field::kT3DstHstride);
    const std::optional<int> stride = ValueOf<kGen>(CodeGroup::kTernaryDstHstride, hstride);
    if (!stride) return Fail("destination stride", hstride);
    dst.region = {0, 1, static_cast<uint8_t>(*stride)};
    ReadRegister(dst, Flag(Field::kDstIsGrf), Get(Field::kDstNr));
    dst.subnr = static_cast<uint8_t>(Get(Field::kDstSubNr));
    ReadTernarySource0();
    ReadTernarySource1();
    ReadTernarySource2();
  }

  Type ReadTernaryType(Field field) {
    const uint64_t code = Get(field);
    const std::optional<int> type = ValueOf<kGen>(TernaryTypes(Flag(Field::kT3Float)), code);
    if (!type) Fail("three-source type", code);
    return type ? static_cast<Type>(*type) : Type::kUD;
  }

  // Width is not encoded: it is the number of elements at the horizontal stride that fill the
  // vertical one.
  Region TernaryRegion(Field vstride_field, Field hstride_field) {
    const uint64_t code = Get(vstride_field);
    const int vstride = ValueOf<kGen>(CodeGroup::kTernaryVstride, code).value_or(-1);
    if (vstride < 0) Fail("three-source vertical stride", code);
    const int hstride = Hstride(hstride_field);
    const int width = hstride == 0 || vstride < hstride ? 1 : vstride / hstride;
    return {static_cast<uint8_t>(vstride), static_cast<uint8_t>(width),
            static_cast<uint8_t>(hstride)};
  }

  void ReadTernarySource0() {
    Operand& src = inst_.src[0];
    src.type = ReadTernaryType(Field::kT3Src0Type);
    if (Flag(Field::kSrc0IsImm)) {
      src.file = File::kImm;
      src.imm = Get(Field::kT3Src0Imm);
      return;
    }
    src.negate = Flag(Field::kSrc0Negate);
    src.absolute = Flag(Field::kSrc0Absolute);
    src.region = TernaryRegion(Field::kT3Src0Vstride, Field::kSrc0Hstride);
    ReadRegister(src, Flag(Field::kSrc0IsGrf), Get(Field::kSrc0Nr));
    src.subnr = static_cast<uint8_t>(Get(Field::kSrc0SubNr));
  }

  void ReadTernarySource1() {
    Operand& src = inst_.src[1];
    src.type = ReadTernaryType(Field::kT3Src1Type);
    src.negate = Flag(Field::kT3Src1Negate);
    src.absolute = Flag(Field::kT3Src1Absolute);
    src.region = TernaryRegion(Field::kT3Src1Vstride, Field::kSrc1Hstride);
    ReadRegister(src, Flag(Field::kSrc1IsGrf), Get(Field::kSrc1Nr));
    src.subnr = static_cast<uint8_t>(Get(Field::kSrc1SubNr));
  }

  void ReadTernarySource2() {
    Operand& src = inst_.src[2];
    src.type = ReadTernaryType(Field::kT3Src2Type);
    if (Flag(Field::kT3Src2IsImm)) {
      src.file = File::kImm;
      src.imm = Get(Field::kT3Src2Imm);
      return;
    }
    src.negate = Flag(Field::kT3Src2Negate);
    src.absolute = Flag(Field::kT3Src2Absolute);
    const int hstride = Hstride(Field::kT3Src2Hstride);
    src.region = {static_cast<uint8_t>(8 * hstride), static_cast<uint8_t>(hstride == 0 ? 1 : 8),
                  static_cast<uint8_t>(hstride)};
    ReadRegister(src, Flag(Field::kT3Src2IsGrf), Get(Field::kT3Src2Nr));
    src.subnr = static_cast<uint8_t>(Get(Field::kT3Src2SubNr));
  }

  void ReadSend() {
    if (Flag(Field::kFusionControl)) return Fail("fusion control", 1);
    SendFields& send = inst_.send;
    const uint64_t sfid = Get(Field::kSfid);
    if (sfid == 1 || sfid > 13) return Fail("shared function", sfid);
    send.sfid = static_cast<Sfid>(sfid);
    send.eot = Flag(Field::kEot);
    ReadRegister(inst_.dst, Flag(Field::kDstIsGrf), Get(Field::kDstNr));
    ReadRegister(inst_.src[0], Flag(Field::kSrc0IsGrf), Get(Field::kSrc0Nr));
    ReadRegister(inst_.src[1], Flag(Field::kSrc1IsGrf), Get(Field::kSrc1Nr));
    send.desc_is_register = Flag(Field::kDescIsReg);
    if (!send.desc_is_register) send.desc = static_cast<uint32_t>(Get(Field::kDesc));
    send.ex_desc_is_register = Flag(Field::kExDescIsReg);
    if (send.ex_desc_is_register) {
      send.ex_desc_address = static_cast<uint8_t>(Get(Field::kExDescAddress));
    } else {
      send.ex_desc = static_cast<uint32_t>(Get(Field::kExDescHigh)) << 6;
    }
  }

  void ReadSync() {
    const uint64_t function = Get(Field::kSyncFunction);
    if (function == 1 || (function > 3 && function < 14)) return Fail("sync function", function);
    inst_.sync = static_cast<SyncFunction>(function);
    Operand& src = inst_.src[0];
    if (Flag(Field::kSrc0IsImm)) {
      src.file = File::kImm;
      src.type = Type::kUD;
      src.imm = Get(Field::kImm32);
      return;
    }
    ReadRegister(src, Flag(Field::kSrc0IsGrf), Get(Field::kSrc0Nr));
    src.subnr = static_cast<uint8_t>(Get(Field::kSrc0SubNr));
  }

  void ReadBranch() {
    inst_.branch_control = Flag(Field::kBranchControl);
    const Format format = Info(inst_.op).format;
    if (format == Format::kCall) {
      ReadRegister(inst_.dst, Flag(Field::kDstIsGrf), Get(Field::kDstNr));
      inst_.dst.subnr = static_cast<uint8_t>(Get(Field::kDstSubNr));
      inst_.dst.region.hstride = 1;
    }
    if (format == Format::kRet || !Flag(Field::kJipIsImm)) {
      if (format == Format::kBranchJU) return Fail("register target", 0);
      Operand& src = inst_.src[0];
      if (!Flag(Field::kSrc0IsGrf)) return Fail("target register", Get(Field::kSrc0Nr));
      ReadRegister(src, true, Get(Field::kSrc0Nr));
      src.subnr = static_cast<uint8_t>(Get(Field::kSrc0SubNr));
      return;
    }
    inst_.jip = Distance(Field::kJip);
    if (format == Format::kBranchJU) inst_.uip = Distance(Field::kUip);
  }

  // In bytes.
  int32_t Distance(Field field) const {
    return static_cast<int32_t>(static_cast<uint32_t>(Get(field)) * uint32_t{kBranchUnit<kGen>});
  }

  const Word128 word_;
  Instruction inst_;
  absl::Status error_;
};

uint64_t LoadHalf(absl::Span<const uint8_t> bytes) {
  uint64_t half = 0;
  for (int i = 7; i >= 0; --i) half = half << 8 | bytes[i];
  return half;
}

template <Generation gen>
absl::StatusOr<DecodedInstruction> DecodeFor(absl::Span<const uint8_t> bytes) {
  if (bytes.size() < 8) return absl::InvalidArgumentError("truncated instruction");
  DecodedInstruction decoded;
  Word128 word;
  word.lo = LoadHalf(bytes);
  const bool compacted = GetField<gen>(word, Field::kCompacted) != 0;
  if (compacted) {
    absl::StatusOr<Word128> full = Expand(gen, word.lo);
    if (!full.ok()) return full.status();
    word = *full;
    decoded.length = 8;
  } else {
    if (bytes.size() < 16) return absl::InvalidArgumentError("truncated instruction");
    word = FromBytes(bytes);
  }
  absl::StatusOr<Instruction> inst = Reader<gen>(word).Read();
  if (!inst.ok()) return inst.status();
  decoded.inst = *inst;
  decoded.inst.compacted = compacted;
  return decoded;
}

}  // namespace

absl::StatusOr<DecodedInstruction> Decode(Generation gen, absl::Span<const uint8_t> bytes) {
  using Decoded = absl::StatusOr<DecodedInstruction>;
  return AtDoor<Decoded, kOpcodeTable, kFieldTable, kCodeTable>(
      gen, [&](auto g) { return DecodeFor<decltype(g)::value>(bytes); });
}

absl::StatusOr<std::vector<PlacedInstruction>> DecodeProgram(Generation gen,
                                                             absl::Span<const uint8_t> bytes) {
  std::vector<PlacedInstruction> program;
  program.reserve(bytes.size() / 16);
  size_t offset = 0;
  while (offset < bytes.size()) {
    absl::StatusOr<DecodedInstruction> decoded = Decode(gen, bytes.subspan(offset));
    if (!decoded.ok()) {
      return WithMessage(decoded.status(),
                         absl::StrCat("offset ", offset, ": ", decoded.status().message()));
    }
    program.push_back({static_cast<uint32_t>(offset), decoded->inst});
    offset += static_cast<size_t>(decoded->length);
  }
  return program;
}

}  // namespace kiln::intel::isa
