// The generator: see amd_generator.h.
#include "tests/isa/amd_generator.h"

#include <algorithm>
#include <vector>

#include "core/amd/isa/operands.h"

namespace kiln::tests {

using namespace amd::isa;  // NOLINT: the vocabulary of this file
namespace flag = amd::isa::opcode_flag;

int AmdGenerator::dwords(Type type) const { return Dwords(type, wave_); }

Operand AmdGenerator::VgprTuple(int dwords) {
  // Ends of the file more often than chance would have them.
  if (Chance(5)) return Vgpr(0);
  if (Chance(5)) return Vgpr(kVgprCount - std::max(1, dwords));
  return Vgpr(Pick(kVgprCount + 1 - std::max(1, dwords)));
}

Operand AmdGenerator::ScalarTuple(int dwords, bool destination) {
  const int align = dwords <= 1 ? 1 : dwords == 2 ? 2 : 4;
  if (dwords <= 2 && Chance(10)) return Sgpr(kVccLo);
  if (dwords <= 2 && Chance(5)) return Sgpr(kNull);
  if (dwords <= 2 && Chance(5)) return Sgpr(kExecLo);
  if (dwords == 1 && Chance(5)) return Sgpr(destination || Chance(50) ? kM0 : kVccHi);
  // Trap handlers alone write theirs.
  if (dwords <= 2 && !destination && Chance(5)) {
    return Sgpr(kTtmp0 + align * Pick(kTtmpCount / align));
  }
  return Sgpr(align * Pick((kSgprCount - std::max(1, dwords)) / align + 1));
}

Operand AmdGenerator::Constant(Type type) {
  // Integers of 16 bits take no float constants.
  const bool floats = !(Is16Bit(type) && !IsFloat(type));
  if (floats && Chance(35)) return Source(kHalf + Pick(kInvTwoPi - kHalf + 1));
  return Source(kInt0 + Pick(kIntLast - kInt0 + 1));
}

uint32_t AmdGenerator::LiteralFor(Type type) {
  if (Is16Bit(type) || info_->Has(flag::kMix)) return 0x1001 + static_cast<uint32_t>(Pick(0x1000));
  uint32_t value = rng_() | 0x00010000;            // no inline constant has this bit and ...
  if (value >> 16 == 0xffff) value &= 0x7fffffff;  // ... is not a small negative number
  return value | 1;
}

Operand AmdGenerator::ScalarSource(Type type) {
  const int n = dwords(type);
  if (literal_left_ && Chance(15)) {
    literal_left_ = false;
    inst_.literal = LiteralFor(type);
    return Source(kLiteralCode);
  }
  if (Chance(25)) return Constant(type);
  if (n == 1 && Chance(4)) return Source(Chance(50) ? kScc : Chance(50) ? kVccz : kExecz);
  if (Chance(4)) return Source(kSharedBase + Pick(4));
  return ScalarTuple(n, false);
}

Operand AmdGenerator::VectorSource(int i) {
  const Type type = info_->src[i];
  if (Chance(45) || dwords(type) > 2) return VgprTuple(dwords(type));
  if (Chance(35)) return Constant(type);
  if (scalars_left_ == 0) return VgprTuple(dwords(type));
  const bool may = literal_left_;
  const Operand source = ScalarSource(type);
  if (source.code == kNull || source.is_inline_constant()) return source;
  if (may && !literal_left_ && type == Type::kMask) return VgprTuple(1);
  --scalars_left_;
  return source;
}

void AmdGenerator::ScalarAlu() {
  literal_left_ = info_->encoding != Encoding::kSopk && info_->encoding != Encoding::kSopp;
  if (info_->dst != Type::kN) inst_.dst = ScalarTuple(dwords(info_->dst), true);
  for (int i = 0; i < 2; ++i) {
    if (info_->src[i] == Type::kN) continue;
    const bool reg = info_->encoding == Encoding::kSopk || (i == 0 && info_->Has(flag::kReg0));
    inst_.src[i] = reg ? ScalarTuple(dwords(info_->src[i]), true) : ScalarSource(info_->src[i]);
  }
  if (info_->Has(flag::kLiteral)) inst_.literal = rng_();
  if (info_->encoding == Encoding::kSopk || info_->encoding == Encoding::kSopp) {
    inst_.simm = static_cast<uint16_t>(rng_());
  }
  switch (inst_.op) {
    case Opcode::kSWaitcnt: inst_.simm &= 0xff7f; break;
    case Opcode::kSEndpgm:
    case Opcode::kSWakeup:
    case Opcode::kSBarrier:
    case Opcode::kSIcacheInv:
    case Opcode::kSTtracedata:
    case Opcode::kSEndpgmSaved:
    case Opcode::kSEndpgmOrderedPsDone:
    case Opcode::kSCodeEnd:
    case Opcode::kSWaitIdle: inst_.simm = 0; break;
    default: break;
  }
}

void AmdGenerator::VectorOperands(bool long_form) {
  // 64-bit shifts read one scalar (Mesa 25.0.7, aco_validate.cpp), others two.
  const bool shift64 = info_->unit == Unit::kValu64 && dwords(info_->src[1]) == 2 &&
                       info_->encoding == Encoding::kVop3 && info_->src[2] == Type::kN;
  scalars_left_ = shift64 ? 1 : 2;
  literal_left_ = !HasExtension(inst_.form) && !info_->Has(flag::kLiteral);
  if (info_->Has(flag::kLiteral)) {
    inst_.literal = LiteralFor(info_->dst);
    --scalars_left_;
  }
  if (info_->Has(flag::kVccR) || info_->Has(flag::kMaskIn)) --scalars_left_;
  if (Exists(inst_, Member::kDst)) {
    const bool scalar = info_->Has(flag::kSDst) || info_->encoding == Encoding::kVopc;
    inst_.dst = scalar ? ScalarTuple(dwords(info_->dst), true) : VgprTuple(dwords(info_->dst));
  }
  if (info_->Has(flag::kCarryOut) && long_form) {
    inst_.sdst = ScalarTuple(dwords(Type::kMask), true);
  }
  const uint64_t scalar_only[] = {flag::kSsrc0, flag::kSsrc1, flag::kSsrc2};
  for (int i = 0; i < 3; ++i) {
    if (!Exists(inst_, static_cast<Member>(static_cast<int>(Member::kSrc0) + i))) continue;
    const Type type = info_->src[i];
    const bool short_vgpr =
        i == 1 && !long_form && info_->encoding != Encoding::kVop3p && inst_.form != Form::kSdwa;
    const bool dpp = inst_.form == Form::kDpp16 || inst_.form == Form::kDpp8;
    if (type == Type::kMask) {
      inst_.src[i] = ScalarTuple(dwords(type), false);
    } else if (info_->Has(scalar_only[i])) {
      // v_writelane's value and v_permlane's selectors may be literals, lanes may not.
      const bool lane = i == 1 && !info_->Has(flag::kSsrc2);
      if (!lane && literal_left_ && Chance(20)) {
        inst_.literal = LiteralFor(type);
        inst_.src[i] = Source(kLiteralCode);
        --scalars_left_;
        literal_left_ = false;
        continue;
      }
      literal_left_ = false;
      inst_.src[i] = Chance(30) ? Source(kInt0 + Pick(32)) : ScalarTuple(1, false);
    } else if (short_vgpr || dpp || (i == 0 && info_->Has(flag::kVsrc0))) {
      inst_.src[i] = VgprTuple(dwords(type));
    } else {
      inst_.src[i] = VectorSource(i);
    }
  }
}

void AmdGenerator::VectorModifiers(bool long_form) {
  const bool packed = info_->encoding == Encoding::kVop3p;
  const auto set = [&](Member m, uint32_t all, int percent) {
    for (uint32_t bit = 1, i = 0; bit <= all; bit <<= 1, ++i) {
      // LLVM's text has no signs of literals of 64 bits.
      const bool sign = m == Member::kNeg || m == Member::kAbs;
      if (sign && i < 3 && info_->src[i] == Type::kF64 && inst_.src[i].is_literal()) continue;
      // LLVM has text for signs of packed integers, which have no meaning.
      const bool floats = i < 3 && (IsFloat(info_->src[i]) || info_->src[i] == Type::kPF16);
      if (packed && (sign || m == Member::kNegHi) && !floats) continue;
      if (Chance(percent) && Permits(inst_, m, Get(inst_, m) | bit)) {
        Set(inst_, m, Get(inst_, m) | bit);
      }
    }
  };
  if (!long_form && !packed && !HasExtension(inst_.form)) return;
  if (inst_.form == Form::kDpp8) return;
  set(Member::kNeg, 7, 25);
  if (FormatOf(*info_, inst_.form) != Format::kVop3b && !(packed && !info_->Has(flag::kMix))) {
    set(Member::kAbs, 7, 25);
  }
  if (packed && !info_->Has(flag::kMix)) set(Member::kNegHi, 7, 25);
  if (inst_.form == Form::kDpp16) return;
  if (inst_.form != Form::kSdwa && (long_form || packed)) set(Member::kOpSel, 15, 25);
  if (info_->encoding != Encoding::kVopc || long_form) set(Member::kClamp, 1, 25);
  if (!packed && (info_->encoding != Encoding::kVopc || long_form)) set(Member::kOmod, 3, 20);
  if (packed) {
    // A third bit without a third source: the assembler's, which sets it.
    inst_.op_sel_hi = static_cast<uint8_t>(Chance(50) ? 7 : rng_() & 7);
    if (info_->src[2] == Type::kN) inst_.op_sel_hi |= 4;
    if (info_->Has(flag::kMix) && Chance(50)) inst_.op_sel_hi = 0;
  }
}

void AmdGenerator::Dpp() {
  inst_.dpp.fetch_inactive = Chance(50);
  if (inst_.form == Form::kDpp8) {
    inst_.dpp.lanes = rng_() & 0xffffff;
    return;
  }
  const int kinds[] = {0x000, 0x100, 0x110, 0x120, 0x140, 0x150, 0x160};
  const int kind = kinds[Pick(7)];
  int control = kind + Pick(16);
  if (kind == 0) control = Pick(256);
  if (kind >= 0x100 && kind <= 0x120) control = kind + 1 + Pick(15);
  if (kind == 0x140) control = kind + Pick(2);
  inst_.dpp.control = static_cast<uint16_t>(control);
  inst_.dpp.row_mask = static_cast<uint8_t>(Pick(16));
  inst_.dpp.bank_mask = static_cast<uint8_t>(Pick(16));
  inst_.dpp.bound_control = Chance(50);
}

void AmdGenerator::Sdwa() {
  const bool compare = info_->encoding == Encoding::kVopc;
  if (!compare) {
    inst_.sdwa.dst_sel = static_cast<uint8_t>(Pick(7));
    inst_.sdwa.dst_unused = static_cast<uint8_t>(Pick(3));
  } else if (Exists(inst_, Member::kSdst) && Chance(70)) {
    do inst_.sdst = ScalarTuple(dwords(Type::kMask), true);
    while (inst_.sdst.code == kVccLo);  // which has a shorter spelling
  }
  inst_.sdwa.src_sel[0] = static_cast<uint8_t>(Pick(7));
  if (info_->src[1] != Type::kN) inst_.sdwa.src_sel[1] = static_cast<uint8_t>(Pick(7));
  for (uint32_t bit = 1; bit <= 2; bit <<= 1) {
    const uint32_t sext = inst_.sdwa.sext | bit;
    if (Chance(25) && Permits(inst_, Member::kSext, sext)) {
      inst_.sdwa.sext = static_cast<uint8_t>(sext);
    }
  }
}

bool AmdGenerator::LiesOverASource() const {
  for (size_t i = 0; i < 3; ++i) {
    const Operand& source = inst_.src[i];
    if (!source.is_vgpr()) continue;
    const bool apart = source.vgpr() >= inst_.dst.vgpr() + dwords(info_->dst) ||
                       inst_.dst.vgpr() >= source.vgpr() + dwords(info_->src[i]);
    if (!apart) return true;
  }
  return false;
}

void AmdGenerator::VectorAlu() {
  const bool long_form = info_->encoding == Encoding::kVop3 || inst_.form == Form::kVop3;
  VectorOperands(long_form);
  const bool apart = inst_.op == Opcode::kVQsadPkU16U8 || inst_.op == Opcode::kVMqsadPkU16U8 ||
                     inst_.op == Opcode::kVMqsadU32U8;
  while (apart && LiesOverASource()) inst_.dst = VgprTuple(dwords(info_->dst));
  VectorModifiers(long_form);
  if (inst_.form == Form::kSdwa) Sdwa();
  if (inst_.form == Form::kDpp16 || inst_.form == Form::kDpp8) Dpp();
}

void AmdGenerator::Interpolation() {
  inst_.dst = VgprTuple(1);
  inst_.attribute = static_cast<uint8_t>(Pick(33));
  inst_.channel = static_cast<uint8_t>(Pick(4));
  if (info_->encoding == Encoding::kVintrp) {
    inst_.src[0] = inst_.op == Opcode::kVInterpMovF32 ? Source(Pick(3)) : VgprTuple(1);
    return;
  }
  for (int i = 1; i < 3; ++i) {
    if (info_->src[i] != Type::kN) inst_.src[i] = VgprTuple(1);
  }
  inst_.high = Chance(50);
  VectorModifiers(true);
}

void AmdGenerator::ScalarMemory() {
  if (info_->dst != Type::kN) {
    do inst_.dst = ScalarTuple(dwords(info_->dst), true);
    while (inst_.dst.code == kExecLo || inst_.dst.code == kM0 || inst_.dst.code == kNull);
  }
  inst_.glc = info_->src[0] != Type::kN && Chance(50);
  inst_.dlc = info_->src[0] != Type::kN && Chance(50);
  if (info_->src[0] == Type::kN) return;
  const bool buffer = info_->src[0] == Type::kB128;
  do inst_.src[0] = ScalarTuple(buffer ? 4 : 2, false);
  while (inst_.src[0].code == kExecLo || inst_.src[0].code == kNull);
  if (Chance(40)) {
    do inst_.src[1] = ScalarTuple(1, false);
    while (inst_.src[1].code == kNull || inst_.src[1].code >= kExecLo);
    if (Chance(50)) return;
  }
  inst_.offset = buffer ? Pick(1 << 20) : Pick(1 << 21) - (1 << 20);
}

void AmdGenerator::Lds() {
  if (info_->dst != Type::kN) inst_.dst = VgprTuple(dwords(info_->dst));
  for (int i = 0; i < 3; ++i) {
    if (info_->src[i] != Type::kN) inst_.src[i] = VgprTuple(dwords(info_->src[i]));
  }
  inst_.gds = info_->Has(flag::kGds) ||
              (info_->src[0] != Type::kN && info_->Has(flag::kAtomic) && Chance(20));
  inst_.offset = Pick(info_->Has(flag::kTwo) ? 256 : 65536);
  if (info_->Has(flag::kTwo)) inst_.offset1 = static_cast<uint8_t>(Pick(256));
}

void AmdGenerator::Buffer() {
  if (info_->src[1] == Type::kN) return;
  inst_.lds = info_->Has(flag::kLds) && Chance(20);
  // LLVM's text has no tfe of MTBUF.
  inst_.tfe =
      info_->encoding == Encoding::kMubuf && !inst_.lds && info_->Has(flag::kLoad) && Chance(20);
  inst_.idxen = Chance(50);
  inst_.offen = Chance(50);
  if (!inst_.lds) inst_.dst = VgprTuple(dwords(info_->dst) + (inst_.tfe ? 1 : 0));
  if (inst_.idxen || inst_.offen) inst_.src[0] = VgprTuple(inst_.idxen && inst_.offen ? 2 : 1);
  inst_.src[1] = ScalarTuple(4, false);
  inst_.src[2] = Chance(30) ? Source(kInt0 + Pick(81)) : ScalarTuple(1, false);
  inst_.offset = Chance(20) ? 4095 : Pick(4096);
  inst_.glc = Chance(50);
  inst_.slc = Chance(50);
  inst_.dlc = !(IsBuffer(info_->encoding) && info_->Has(flag::kAtomic)) && Chance(50);
  if (info_->encoding == Encoding::kMtbuf) inst_.format = static_cast<uint8_t>(Pick(128));
}

void AmdGenerator::Image() {
  const bool bvh = info_->dst != Type::kData;
  const bool atomic = info_->Has(flag::kAtomic);
  inst_.dmask = static_cast<uint8_t>(1 + Pick(15));
  if (info_->Has(flag::kGather)) inst_.dmask = static_cast<uint8_t>(1 << Pick(4));
  if (atomic) {
    const bool two =
        inst_.op == Opcode::kImageAtomicCmpswap || inst_.op == Opcode::kImageAtomicFcmpswap;
    const bool wide = Chance(30);
    inst_.dmask = two ? (wide ? 15 : 3) : wide ? 3 : 1;
  }
  // Only what addresses texels by number addresses samples.
  const bool sampled = info_->src[2] != Type::kN;
  const bool mip = inst_.op == Opcode::kImageLoadMip || inst_.op == Opcode::kImageStoreMip ||
                   inst_.op == Opcode::kImageLoadMipPck ||
                   inst_.op == Opcode::kImageLoadMipPckSgn || inst_.op == Opcode::kImageStoreMipPck;
  inst_.dim = static_cast<uint8_t>(Pick(sampled || mip ? 6 : 8));
  if (inst_.op == Opcode::kImageMsaaLoad) inst_.dim = static_cast<uint8_t>(6 + Pick(2));
  inst_.a16 = Chance(30);
  if (bvh) {
    inst_.dmask = 15;
    inst_.dim = 0;
    inst_.unnormalised = inst_.r128 = true;
  } else {
    inst_.unnormalised = Chance(50);
    inst_.r128 = Chance(20);
    inst_.glc = Chance(50);
    inst_.slc = Chance(50);
    inst_.dlc = !(IsBuffer(info_->encoding) && info_->Has(flag::kAtomic)) && Chance(50);
    inst_.tfe = !atomic && info_->Has(flag::kLoad) && Chance(20);
    inst_.lwe = !atomic && info_->Has(flag::kLoad) && Chance(20);
    const bool packed = inst_.op == Opcode::kImageLoadPck || inst_.op == Opcode::kImageLoadPckSgn ||
                        inst_.op == Opcode::kImageLoadMipPck ||
                        inst_.op == Opcode::kImageLoadMipPckSgn ||
                        inst_.op == Opcode::kImageStorePck || inst_.op == Opcode::kImageStoreMipPck;
    inst_.d16 = !atomic && !packed && inst_.op != Opcode::kImageGetResinfo &&
                inst_.op != Opcode::kImageGetLod && Chance(20);
  }
  inst_.dst = VgprTuple(ImageDataDwords(inst_));
  if (info_->Has(flag::kGather) && inst_.d16) {
    // LLVM has no gather4 with both d16 and tfe, and takes four registers at the end of the file.
    inst_.tfe = inst_.lwe = false;
    inst_.dst = Vgpr(Pick(kVgprCount - 3));
  }
  inst_.src[1] = ScalarTuple(bvh ? 4 : 8, false);
  if (info_->src[2] != Type::kN) inst_.src[2] = ScalarTuple(4, false);
  const int parts = ImageAddressDwords(inst_);
  if (parts > 1 && parts <= 13 && Chance(50)) {
    inst_.src[0] = VgprTuple(1);
    inst_.nsa_dwords = static_cast<uint8_t>((parts - 1 + 3) / 4);
    for (int i = 0; i + 1 < parts; ++i) {
      inst_.address[static_cast<size_t>(i)] = static_cast<uint8_t>(rng_());
    }
  } else {
    inst_.src[0] = VgprTuple(parts);
  }
}

void AmdGenerator::Flat() {
  const bool scratch = info_->encoding == Encoding::kScratch;
  const bool atomic = info_->Has(flag::kAtomic);
  inst_.glc = Chance(50);
  inst_.slc = Chance(50);
  inst_.dlc = !(IsBuffer(info_->encoding) && info_->Has(flag::kAtomic)) && Chance(50);
  if (info_->dst != Type::kN && (!atomic || inst_.glc)) inst_.dst = VgprTuple(dwords(info_->dst));
  const auto scalar = [&](int n) {
    do inst_.src[2] = ScalarTuple(n, false);
    while (inst_.src[2].code == kNull);
  };
  if (scratch) {
    const int mode = Pick(3);
    if (mode == 0) inst_.src[0] = VgprTuple(1);
    if (mode == 1) scalar(1);
  } else {
    const bool saddr = info_->encoding == Encoding::kGlobal && Chance(50);
    if (saddr) scalar(2);
    if (info_->src[0] != Type::kN) inst_.src[0] = VgprTuple(saddr ? 1 : 2);
  }
  if (info_->src[1] != Type::kN) inst_.src[1] = VgprTuple(dwords(info_->src[1]));
  const bool flat = info_->encoding == Encoding::kFlat;
  inst_.offset = flat ? Pick(2048) : Pick(4096) - 2048;
}

void AmdGenerator::Export() {
  const int targets[] = {Pick(8), 8, 9, 12 + Pick(5), 20, 32 + Pick(32)};
  inst_.target = static_cast<uint8_t>(targets[Chance(40) ? 0 : Pick(6)]);
  inst_.compressed = inst_.target < 9 && Chance(30);
  inst_.enable = static_cast<uint8_t>(inst_.compressed ? 3 * Pick(2) + 12 * Pick(2) : Pick(16));
  if (inst_.target == 20) inst_.enable = 1;
  inst_.done = Chance(50);
  inst_.valid_mask = Chance(50);
  for (int i = 0; i < 4; ++i) {
    if (Exists(inst_, static_cast<Member>(static_cast<int>(Member::kSrc0) + i))) {
      inst_.src[static_cast<size_t>(i)] = VgprTuple(1);
    }
  }
}

Instruction AmdGenerator::Make(Opcode op, Form form) {
  inst_ = Instruction();
  inst_.op = op;
  inst_.form = form;
  info_ = &Info(op);
  const Encoding e = info_->encoding;
  if (info_->unit == Unit::kInterpolate) {
    Interpolation();
  } else if (IsScalarAlu(e)) {
    ScalarAlu();
  } else if (IsVectorAlu(e)) {
    VectorAlu();
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
  } else {
    Export();
  }
  return inst_;
}

}  // namespace kiln::tests
