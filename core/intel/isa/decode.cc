// Decoder, see decode.h. Gen12: reads fields through the layout table, form by form.
#include "core/intel/isa/decode.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/intel/isa/codes.h"
#include "core/intel/isa/compact.h"
#include "core/intel/isa/fields.h"

namespace kiln::intel::isa {
namespace {

constexpr Generation kGen = Generation::kGen12;

int SignExtend(uint64_t value, int bits) {
  const uint64_t sign = uint64_t{1} << (bits - 1);
  return static_cast<int>(static_cast<int64_t>((value ^ sign) - sign));
}

// Reads one instruction's fields; the first reserved value met becomes the error.
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
      case Format::kNullary:
        break;
      case Format::kBasic:
        ReadBasic();
        break;
      case Format::kTernary:
        ReadTernary();
        break;
      case Format::kMath:
        ReadMath();
        break;
      case Format::kSend:
        ReadSend();
        break;
      case Format::kSync:
        ReadSync();
        break;
      case Format::kJmpi:
      case Format::kBranchJ:
      case Format::kBranchJU:
      case Format::kCall:
      case Format::kRet:
        ReadBranch();
        break;
    }
    if (!error_.ok()) return error_;
    return inst_;
  }

 private:
  uint64_t Get(Field field) const { return GetField(kGen, word_, field); }
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
    if (exec > 5) return Fail("execution size", exec);
    inst_.exec_size = static_cast<uint8_t>(1 << exec);
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
    if (function == 0 || function == 8 ||
        !HasMathFunction(kGen, static_cast<MathFunction>(function))) {
      return Fail("math function", function);
    }
    inst_.math = static_cast<MathFunction>(function);
    if (inst_.math == MathFunction::kInvm || inst_.math == MathFunction::kRsqrtm) {
      return Fail("math macro (not supported)", function);
    }
    ReadDst();
    ReadSource(0);
    if (MathIsBinary(inst_.math)) ReadSource(1);
  }

  // File, kind and number of a directly addressed register.
  void ReadRegister(Operand& operand, bool is_grf, uint64_t nr) {
    if (is_grf) {
      operand.file = File::kGrf;
      if (nr > 127) Fail("register number", nr);
      operand.nr = static_cast<uint8_t>(nr);
      return;
    }
    operand.file = File::kArf;
    const std::optional<Arf> arf = ArfFromCode(static_cast<int>(nr >> 4));
    if (!arf) return Fail("architecture register", nr);
    operand.arf = *arf;
    operand.nr = nr & 15;
  }

  Type ReadType(Field field, bool immediate) {
    const uint64_t code = Get(field);
    const std::optional<Type> type = Gen12TypeFromCode(static_cast<int>(code), immediate);
    if (!type) Fail("type", code);
    return type.value_or(Type::kUD);
  }

  void ReadDst() {
    Operand& dst = inst_.dst;
    dst.type = ReadType(Field::kDstType, false);
    const uint64_t hstride = Get(Field::kDstHstride);
    dst.region = {0, 1, static_cast<uint8_t>(hstride == 0 ? 0 : 1 << (hstride - 1))};
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
    const uint64_t vstride = Get(f.vstride), width = Get(f.width), hstride = Get(f.hstride);
    if (vstride > 6 && vstride != 15) Fail("vertical stride", vstride);
    if (width > 4) Fail("width", width);
    if (!error_.ok()) return;
    src.region.vstride = vstride == 15  ? Region::kVxH
                         : vstride == 0 ? uint8_t{0}
                                        : static_cast<uint8_t>(1 << (vstride - 1));
    src.region.width = static_cast<uint8_t>(1 << width);
    src.region.hstride = static_cast<uint8_t>(hstride == 0 ? 0 : 1 << (hstride - 1));
  }

  // Immediates of 8 bytes keep their upper half where src0 and the modifier would be.
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
    dst.region = {0, 1, static_cast<uint8_t>(1 << Get(Field::kT3DstHstride))};
    ReadRegister(dst, Flag(Field::kDstIsGrf), Get(Field::kDstNr));
    dst.subnr = static_cast<uint8_t>(Get(Field::kDstSubNr));
    ReadTernarySource0();
    ReadTernarySource1();
    ReadTernarySource2();
  }

  Type ReadTernaryType(Field field) {
    const uint64_t code = Get(field);
    const std::optional<Type> type =
        Gen12TernaryTypeFromCode(static_cast<int>(code), Flag(Field::kT3Float));
    if (!type) Fail("three-source type", code);
    return type.value_or(Type::kUD);
  }

  // Width is not encoded: it is what makes rows of the horizontal stride fill the vertical one.
  static Region TernaryRegion(uint64_t vstride_code, uint64_t hstride_code) {
    const int vstride = Gen12TernaryVstrideFromCode(static_cast<int>(vstride_code));
    const int hstride = hstride_code == 0 ? 0 : 1 << (hstride_code - 1);
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
    src.region = TernaryRegion(Get(Field::kT3Src0Vstride), Get(Field::kSrc0Hstride));
    ReadRegister(src, Flag(Field::kSrc0IsGrf), Get(Field::kSrc0Nr));
    src.subnr = static_cast<uint8_t>(Get(Field::kSrc0SubNr));
  }

  void ReadTernarySource1() {
    Operand& src = inst_.src[1];
    src.type = ReadTernaryType(Field::kT3Src1Type);
    src.negate = Flag(Field::kT3Src1Negate);
    src.absolute = Flag(Field::kT3Src1Absolute);
    src.region = TernaryRegion(Get(Field::kT3Src1Vstride), Get(Field::kSrc1Hstride));
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
    const uint64_t code = Get(Field::kT3Src2Hstride);
    const int hstride = code == 0 ? 0 : 1 << (code - 1);
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
    inst_.jip = static_cast<int32_t>(Get(Field::kJip));
    if (format == Format::kBranchJU) inst_.uip = static_cast<int32_t>(Get(Field::kUip));
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

}  // namespace

absl::StatusOr<DecodedInstruction> Decode(Generation gen, absl::Span<const uint8_t> bytes) {
  if (gen != Generation::kGen12) return absl::UnimplementedError("decoder: only Gen12 is built");
  if (bytes.size() < 8) return absl::InvalidArgumentError("truncated instruction");
  DecodedInstruction decoded;
  Word128 word;
  const uint64_t first = LoadHalf(bytes);
  const bool compacted = IsCompacted(first);
  if (compacted) {
    absl::StatusOr<Word128> full = Expand(first);
    if (!full.ok()) return full.status();
    word = *full;
    decoded.length = 8;
  } else {
    if (bytes.size() < 16) return absl::InvalidArgumentError("truncated instruction");
    word = FromBytes(bytes);
  }
  absl::StatusOr<Instruction> inst = Reader(word).Read();
  if (!inst.ok()) return inst.status();
  decoded.inst = *inst;
  decoded.inst.compacted = compacted;
  return decoded;
}

absl::StatusOr<std::vector<PlacedInstruction>> DecodeProgram(Generation gen,
                                                             absl::Span<const uint8_t> bytes) {
  std::vector<PlacedInstruction> program;
  program.reserve(bytes.size() / 16);
  size_t offset = 0;
  while (offset < bytes.size()) {
    absl::StatusOr<DecodedInstruction> decoded = Decode(gen, bytes.subspan(offset));
    if (!decoded.ok()) {
      return absl::Status(decoded.status().code(),
                          absl::StrCat("offset ", offset, ": ", decoded.status().message()));
    }
    program.push_back({static_cast<uint32_t>(offset), decoded->inst});
    offset += static_cast<size_t>(decoded->length);
  }
  return program;
}

}  // namespace kiln::intel::isa
