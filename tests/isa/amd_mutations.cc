// The mutations: see amd_mutations.h. By what they change: operands, vector modifiers, scalar
// instructions, memory, images, exports, programs.
#include "tests/isa/amd_mutations.h"

#include <algorithm>
#include <string>

namespace kiln::tests {
namespace {

using namespace amd::isa;  // NOLINT: the vocabulary of this file
namespace flag = amd::isa::opcode_flag;

using Rng = std::mt19937;
using Program = std::vector<Instruction>;

int Pick(Rng& rng, int n) { return static_cast<int>(rng() % static_cast<uint32_t>(n)); }

const OpcodeInfo& Of(const Instruction& i) { return Info(i.op); }
bool Alu(const Instruction& i) { return IsVectorAlu(Of(i).encoding); }
bool Long(const Instruction& i) {
  return (Of(i).encoding == Encoding::kVop3 || i.form == Form::kVop3) &&
         Of(i).unit != Unit::kInterpolate;
}
bool Image(const Instruction& i) { return Of(i).encoding == Encoding::kMimg; }
bool Texels(const Instruction& i) { return Image(i) && Of(i).dst == Type::kData; }
bool Named(const Instruction& i, const char* part) {
  return std::string(Of(i).mnemonic).find(part) != std::string::npos;
}
int Width(Type t, Wave wave) { return t == Type::kMask ? (wave == Wave::k64 ? 2 : 1) : Dwords(t); }

constexpr char kBus[] = "ISA guide; Mesa, aco_validate.cpp";
constexpr char kGuide3[] = "ISA guide";
constexpr char kFiles[] = "ISA guide, the opcodes' pages";
constexpr char kImages[] = "ISA guide";

// ---- Operands ----

bool ThreeScalars(Instruction& i, Wave, Rng& rng) {
  if (!Long(i) || Of(i).Has(flag::kVsrc0 | flag::kSsrc0 | flag::kMaskIn | flag::kVccR))
    return false;
  for (Type t : Of(i).src) {
    if (Dwords(t) != 1) return false;
  }
  const int first = Pick(rng, 100);
  for (int s = 0; s < 3; ++s) i.src[s] = Sgpr(first + s);
  i.literal = 0;
  return true;
}
bool TwoScalarsAndALiteral(Instruction& i, Wave wave, Rng& rng) {
  if (!ThreeScalars(i, wave, rng)) return false;
  i.src[Pick(rng, 3)] = Source(kLiteralCode);
  i.literal = 0x12345678;
  return true;
}
bool TwoScalarsAndTheMask(Instruction& i, Wave, Rng& rng) {
  if (i.op != Opcode::kVDivFmasF32 && !(Of(i).Has(flag::kMaskIn) && i.form == Form::kVop3)) {
    return false;
  }
  const int first = Pick(rng, 50);
  i.src[0] = Sgpr(first);
  i.src[1] = Sgpr(first + 1);
  i.src[2] = i.op == Opcode::kVDivFmasF32 ? Vgpr(0) : Sgpr(100);
  i.literal = 0;
  return true;
}
bool NamedScalarTooMany(Instruction& i, Wave wave, Rng& rng) {
  if (!ThreeScalars(i, wave, rng)) return false;
  const int codes[] = {kVccz, kExecz, kScc, kM0, kExecLo, kVccLo, kTtmp0, kSharedBase};
  i.src[Pick(rng, 3)] = Source(codes[Pick(rng, 8)]);
  return true;
}
bool TwoScalarsOfAShift(Instruction& i, Wave, Rng& rng) {
  if (i.op != Opcode::kVLshlrevB64 && i.op != Opcode::kVLshrrevB64 &&
      i.op != Opcode::kVAshrrevI64) {
    return false;
  }
  i.src[0] = Sgpr(Pick(rng, 40));
  i.src[1] = Sgpr(50 + 2 * Pick(rng, 20));
  i.literal = 0;
  return true;
}
bool DestinationPastTheEnd(Instruction& i, Wave wave, Rng& rng) {
  const int n = Width(Of(i).dst, wave);
  if (!i.dst.is_vgpr() || n < 2) return false;
  i.dst = Vgpr(kVgprCount - 1 - Pick(rng, n - 1));
  return true;
}
bool SourcePastTheEnd(Instruction& i, Wave wave, Rng& rng) {
  const int s = Pick(rng, 3);
  const int n = Width(Of(i).src[s], wave);
  // Addresses of global accesses may be single registers.
  const bool address = IsFlatFormat(Of(i).encoding) && s == 0 && i.src[2].exists();
  if (!i.src[s].is_vgpr() || n < 2 || address) return false;
  i.src[s] = Vgpr(kVgprCount - 1 - Pick(rng, n - 1));
  return true;
}
bool TexelsPastTheEnd(Instruction& i, Wave, Rng&) {
  if (!Texels(i) || Of(i).Has(flag::kGather | flag::kAtomic) || i.d16) return false;
  i.dmask = 3;
  i.dst = Vgpr(255);
  return true;
}
bool StatusPastTheEnd(Instruction& i, Wave, Rng&) {
  if (!i.tfe || Of(i).encoding != Encoding::kMubuf) return false;
  i.dst = Vgpr(kVgprCount - Dwords(Of(i).dst));
  return true;
}
bool AddressPastTheEnd(Instruction& i, Wave, Rng&) {
  if (!Texels(i) || i.nsa_dwords != 0 || Of(i).op != Opcode::kImageSampleL) return false;
  i.src[0] = Vgpr(255);
  i.dim = 1;
  return true;
}
// The scalar source or destination of more than one register; -1: the destination.
bool ScalarOperand(Instruction& i, Wave wave, Rng& rng, int least, Operand** operand, int* dwords) {
  const int s = Pick(rng, 4) - 1;
  const Type type = s < 0 ? Of(i).dst : Of(i).src[s];
  *operand = s < 0 ? &i.dst : &i.src[s];
  *dwords = Width(type, wave);
  // r128 halves a descriptor.
  if (i.r128 && Of(i).src[1] == Type::kB256) return false;
  const bool flat_address = IsFlatFormat(Of(i).encoding) && s == 2;
  return (*operand)->is_scalar_register() && *dwords >= least &&
         !(flat_address && Of(i).encoding == Encoding::kScratch);
}
bool OddPair(Instruction& i, Wave wave, Rng& rng) {
  Operand* o = nullptr;
  int n = 0;
  if (!ScalarOperand(i, wave, rng, 2, &o, &n)) return false;
  *o = Sgpr(1 + 2 * Pick(rng, 50));
  return true;
}
bool UnalignedFour(Instruction& i, Wave wave, Rng& rng) {
  Operand* o = nullptr;
  int n = 0;
  if (!ScalarOperand(i, wave, rng, 4, &o, &n)) return false;
  *o = Sgpr(2 + 4 * Pick(rng, 20));
  return true;
}
bool TuplePastVcc(Instruction& i, Wave wave, Rng& rng) {
  Operand* o = nullptr;
  int n = 0;
  if (!ScalarOperand(i, wave, rng, 8, &o, &n)) return false;
  *o = Sgpr(104);
  return true;
}
bool TupleIntoM0(Instruction& i, Wave wave, Rng& rng) {
  Operand* o = nullptr;
  int n = 0;
  if (!ScalarOperand(i, wave, rng, 2, &o, &n)) return false;
  *o = Sgpr(kM0);
  return true;
}
bool TupleOfExecTooLong(Instruction& i, Wave wave, Rng& rng) {
  Operand* o = nullptr;
  int n = 0;
  if (!ScalarOperand(i, wave, rng, 8, &o, &n)) return false;
  *o = Sgpr(kTtmp0 + 12);  // 120: four registers remain
  return true;
}
bool ScalarOfALaneOperation(Instruction& i, Wave, Rng& rng) {
  if (!Of(i).Has(flag::kVsrc0)) return false;
  i.src[0] = Pick(rng, 2) != 0 ? Sgpr(Pick(rng, 100)) : Source(kInt0 + 5);
  return true;
}
bool VgprAsASelector(Instruction& i, Wave, Rng& rng) {
  if (!Of(i).Has(flag::kSsrc1) || !Alu(i)) return false;
  const int s = Of(i).Has(flag::kSsrc2) && Pick(rng, 2) != 0 ? 2 : 1;
  i.src[s] = Vgpr(Pick(rng, 256));
  return true;
}
bool LiteralAsASelector(Instruction& i, Wave, Rng&) {
  if (i.op != Opcode::kVReadlaneB32 && i.op != Opcode::kVWritelaneB32) return false;
  if (i.src[0].is_literal()) i.src[0] = Sgpr(1);
  i.src[1] = Source(kLiteralCode);
  i.literal = 0x12345;
  return true;
}
bool VgprAsAMask(Instruction& i, Wave, Rng& rng) {
  if (!Of(i).Has(flag::kMaskIn) || i.form != Form::kVop3) return false;
  i.src[2] = Pick(rng, 2) != 0 ? Vgpr(Pick(rng, 256)) : Source(kInt0 + 1);
  return true;
}
bool ScalarAsAnAttributesPosition(Instruction& i, Wave, Rng& rng) {
  if (Of(i).unit != Unit::kInterpolate || Of(i).encoding != Encoding::kVop3) return false;
  i.src[1] = Sgpr(Pick(rng, 100));
  return true;
}
bool ConstantAsAProgramCounter(Instruction& i, Wave, Rng& rng) {
  if (!Of(i).Has(flag::kReg0)) return false;
  i.src[0] = Source(kInt0 + Pick(rng, 64));
  i.literal = 0;
  return true;
}
bool ScalarOf128Bits(Instruction& i, Wave, Rng& rng) {
  if (i.op != Opcode::kVMqsadU32U8) return false;
  i.src[2] = Sgpr(4 * Pick(rng, 20));
  return true;
}
bool LdsAsSource1(Instruction& i, Wave, Rng&) {
  if (!Long(i) || Of(i).src[1] == Type::kN || Of(i).Has(flag::kSsrc1)) return false;
  i.src[1] = Source(kLdsDirect);
  i.src[0] = Vgpr(0);
  if (Of(i).src[2] != Type::kN && !Of(i).Has(flag::kMaskIn)) i.src[2] = Vgpr(4);
  i.literal = 0;
  return true;
}
bool LdsReversed(Instruction& i, Wave, Rng&) {
  if (!Named(i, "_subrev_f") && !Named(i, "_lshlrev_b32")) return false;
  if (i.form != Form::kPlain) return false;
  i.src[0] = Source(kLdsDirect);
  i.literal = 0;
  return true;
}
bool LdsOfSdwa(Instruction& i, Wave, Rng&) {
  if (i.form != Form::kSdwa) return false;
  i.src[0] = Source(kLdsDirect);
  return true;
}
bool LdsOfScalar(Instruction& i, Wave, Rng&) {
  if (Of(i).encoding != Encoding::kSop2 || Of(i).src[0] == Type::kN) return false;
  i.src[0] = Source(kLdsDirect);
  if (i.src[1].is_literal()) i.src[1] = Source(kInt0);
  i.literal = 0;
  return true;
}
bool MaskOverItsScalar(Instruction& i, Wave wave, Rng& rng) {
  if (wave != Wave::k64 || Of(i).encoding != Encoding::kVopc || i.form != Form::kVop3) return false;
  if (Of(i).dst != Type::kMask || Dwords(Of(i).src[0]) != 1) return false;
  const int at = 2 * Pick(rng, 40);
  i.dst = Sgpr(at);
  i.src[0] = Sgpr(at);
  i.src[1] = Vgpr(0);
  i.literal = 0;
  return true;
}
bool CarryOverItsScalar(Instruction& i, Wave wave, Rng& rng) {
  if (wave != Wave::k64 || !i.sdst.exists() || Dwords(Of(i).src[0]) != 1) return false;
  const int at = 2 * Pick(rng, 40);
  i.sdst = Sgpr(at);
  i.src[0] = Sgpr(at);
  i.src[1] = Vgpr(0);
  if (Of(i).src[2] != Type::kN && Of(i).src[2] != Type::kMask) i.src[2] = Vgpr(0);
  if (Of(i).src[2] == Type::kMask) i.src[2] = Sgpr(100);
  i.literal = 0;
  return true;
}
bool VccOverItsScalar(Instruction& i, Wave wave, Rng&) {
  if (wave != Wave::k64 || Of(i).encoding != Encoding::kVopc || i.form != Form::kPlain)
    return false;
  if (Of(i).dst != Type::kMask || Dwords(Of(i).src[0]) != 1) return false;
  i.src[0] = Sgpr(kVccLo);
  i.literal = 0;
  return true;
}

// ---- Vector modifiers ----

// ---- Privilege ----

bool WriteOfATtmp(Instruction& i, Wave wave, Rng& rng) {
  const int n = std::max(1, Width(Of(i).dst, wave));
  if (!i.dst.exists() || !i.dst.is_scalar_register() || n > 4) return false;
  i.dst = Sgpr(kTtmp0 + 4 * Pick(rng, kTtmpCount / 4));
  return true;
}
bool WriteOfATrapsHardwareRegister(Instruction& i, Wave, Rng& rng) {
  if (i.op != Opcode::kSSetregB32 && i.op != Opcode::kSSetregImm32B32) return false;
  const int numbers[] = {2, 16, 17, 18, 19};
  i.simm = static_cast<uint16_t>(numbers[Pick(rng, 5)] | 31 << 11);
  return true;
}

bool SumOverItsSource(Instruction& i, Wave, Rng& rng) {
  if (i.op != Opcode::kVQsadPkU16U8 && i.op != Opcode::kVMqsadPkU16U8 &&
      i.op != Opcode::kVMqsadU32U8) {
    return false;
  }
  const Operand& source = i.src[Pick(rng, 3)];
  if (!source.is_vgpr() || source.vgpr() + Dwords(Of(i).dst) > kVgprCount) return false;
  i.dst = source;
  return true;
}

bool ReservedDppControl(Instruction& i, Wave, Rng& rng) {
  if (i.form != Form::kDpp16) return false;
  const int controls[] = {
      0x100, 0x110, 0x120, 0x130 + Pick(rng, 16), 0x142 + Pick(rng, 14), 0x170 + Pick(rng, 0x90)};
  i.dpp.control = static_cast<uint16_t>(controls[Pick(rng, 6)]);
  return true;
}
bool DppOfAScalar(Instruction& i, Wave, Rng& rng) {
  if (i.form != Form::kDpp16 && i.form != Form::kDpp8) return false;
  i.src[0] = Pick(rng, 2) != 0 ? Sgpr(3) : Source(kInt0);
  return true;
}
bool DppWithout(Instruction& i, Wave, Rng&) {
  if (i.form != Form::kPlain || !Alu(i) || Of(i).Has(flag::kDpp)) return false;
  i.form = Form::kDpp16;
  return true;
}
bool SdwaWithout(Instruction& i, Wave, Rng&) {
  if (i.form != Form::kPlain || !Alu(i) || Of(i).Has(flag::kSdwa)) return false;
  i.form = Form::kSdwa;
  return true;
}
bool LiteralOfAnExtension(Instruction& i, Wave, Rng&) {
  if (i.form != Form::kSdwa) return false;
  i.src[0] = Source(kLiteralCode);
  i.literal = 0x12345678;
  return true;
}
bool ReservedSelection(Instruction& i, Wave, Rng& rng) {
  if (i.form != Form::kSdwa) return false;
  i.sdwa.src_sel[0] = 7;
  if (Of(i).encoding != Encoding::kVopc && Pick(rng, 2) != 0) i.sdwa.dst_unused = 3;
  return true;
}
bool SignOfAnInteger(Instruction& i, Wave, Rng& rng) {
  if (!Long(i) || Of(i).Has(flag::kMods)) return false;
  const int s = Pick(rng, 2);
  if (Of(i).src[s] != Type::kU32 && Of(i).src[s] != Type::kI32) return false;
  i.neg |= static_cast<uint8_t>(1 << s);
  return true;
}
bool SextOfAFloat(Instruction& i, Wave, Rng&) {
  if (i.form != Form::kSdwa || Of(i).src[0] != Type::kF32) return false;
  i.sdwa.sext |= 1;
  return true;
}
bool HalvesOfDwords(Instruction& i, Wave, Rng&) {
  if (!Long(i) || Of(i).src[0] != Type::kF32) return false;
  i.op_sel = 1;
  return true;
}
bool OmodOfAnInteger(Instruction& i, Wave, Rng&) {
  if (!Long(i) || Of(i).dst != Type::kU32) return false;
  i.omod = 1;
  return true;
}
bool ClampOfBits(Instruction& i, Wave, Rng&) {
  if (!Long(i) || Of(i).dst != Type::kB32 || Of(i).src[0] != Type::kB32) return false;
  i.clamp = true;
  return true;
}
bool SignOfPackedIntegers(Instruction& i, Wave, Rng& rng) {
  if (Of(i).encoding != Encoding::kVop3p) return false;
  if (Of(i).src[0] != Type::kPI16 && Of(i).src[0] != Type::kPU16) return false;
  (Pick(rng, 2) != 0 ? i.neg : i.neg_hi) |= 1;
  return true;
}
bool AttributePastTheLast(Instruction& i, Wave, Rng& rng) {
  if (Of(i).unit != Unit::kInterpolate) return false;
  i.attribute = static_cast<uint8_t>(33 + Pick(rng, 31));
  return true;
}
bool ParameterPastTheLast(Instruction& i, Wave, Rng&) {
  if (i.op != Opcode::kVInterpMovF32) return false;
  i.src[0] = Source(3);
  return true;
}

// ---- Scalar instructions ----

bool CounterOutOfRange(Instruction& i, Wave, Rng& rng) {
  if (i.op == Opcode::kSWaitcnt) {
    i.simm |= 0x80;
    return true;
  }
  if (!Named(i, "s_waitcnt_") || Of(i).encoding != Encoding::kSopk) return false;
  i.simm = static_cast<uint16_t>(64 + Pick(rng, 1000));
  return true;
}
bool CounterPlusARegister(Instruction& i, Wave, Rng& rng) {
  if (!Named(i, "s_waitcnt_") || Of(i).encoding != Encoding::kSopk) return false;
  i.src[0] = Sgpr(Pick(rng, 100));
  i.simm = 0;
  return true;
}
bool ClauseTooLong(Instruction& i, Wave, Rng& rng) {
  if (i.op != Opcode::kSClause) return false;
  const int lengths[] = {0, 63, 64 + Pick(rng, 64), 0x1000 + Pick(rng, 0x1000)};
  i.simm = static_cast<uint16_t>(lengths[Pick(rng, 4)]);
  return true;
}
bool BitsPastARegister(Instruction& i, Wave, Rng& rng) {
  if (!Named(i, "s_getreg") && !Named(i, "s_setreg")) return false;
  const int offset = 1 + Pick(rng, 31);
  i.simm = static_cast<uint16_t>(1 | offset << 6 | 31 << 11);
  return true;
}
bool NoMessage(Instruction& i, Wave, Rng& rng) {
  if (i.op != Opcode::kSSendmsg) return false;
  const int none[] = {0, 12, 13, 14};
  i.simm = static_cast<uint16_t>(none[Pick(rng, 4)]);
  return true;
}
bool ImmediateTooLarge(Instruction& i, Wave, Rng& rng) {
  if (i.op != Opcode::kSRoundMode && i.op != Opcode::kSDenormMode &&
      i.op != Opcode::kSInstPrefetch && i.op != Opcode::kSSetprio) {
    return false;
  }
  i.simm = static_cast<uint16_t>(16 + Pick(rng, 1000));
  return true;
}
bool ImmediateOfNone(Instruction& i, Wave, Rng& rng) {
  if (i.op != Opcode::kSEndpgm && i.op != Opcode::kSBarrier && i.op != Opcode::kSCodeEnd)
    return false;
  i.simm = static_cast<uint16_t>(1 + Pick(rng, 1000));
  return true;
}

// ---- Memory ----

bool LoadToM0(Instruction& i, Wave, Rng& rng) {
  if (i.op != Opcode::kSLoadDword && i.op != Opcode::kSBufferLoadDword) return false;
  i.dst = Sgpr(Pick(rng, 2) != 0 ? kM0 : kExecLo);
  return true;
}
bool NegativeBufferOffset(Instruction& i, Wave, Rng& rng) {
  if (!Named(i, "s_buffer_load")) return false;
  i.offset = -1 - Pick(rng, 1000);
  return true;
}
bool ScalarOffsetOutOfRange(Instruction& i, Wave, Rng& rng) {
  if (!Named(i, "s_load")) return false;
  i.offset = Pick(rng, 2) != 0 ? 1 << 20 : -(1 << 20) - 1;
  return true;
}
bool BufferOffsetOutOfRange(Instruction& i, Wave, Rng& rng) {
  if (!IsBuffer(Of(i).encoding) || Of(i).src[1] == Type::kN) return false;
  i.offset = Pick(rng, 2) != 0 ? 4096 : -4;
  return true;
}
bool LiteralBufferOffset(Instruction& i, Wave, Rng&) {
  if (!IsBuffer(Of(i).encoding) || Of(i).src[1] == Type::kN) return false;
  i.src[2] = Source(kLiteralCode);
  i.literal = 0x12345;
  return true;
}
bool NegativeFlatOffset(Instruction& i, Wave, Rng& rng) {
  if (Of(i).encoding != Encoding::kFlat) return false;
  i.offset = -1 - Pick(rng, 2000);
  return true;
}
bool GlobalOffsetOutOfRange(Instruction& i, Wave, Rng& rng) {
  if (!IsFlatFormat(Of(i).encoding)) return false;
  i.offset = Pick(rng, 2) != 0 ? 2048 : -2049;
  return true;
}
bool FailureOfAStore(Instruction& i, Wave, Rng&) {
  if (!IsBuffer(Of(i).encoding) || !Of(i).Has(flag::kStore | flag::kAtomic)) return false;
  i.tfe = true;
  i.dst = Vgpr(0);
  return true;
}
bool FailureOfAnLdsLoad(Instruction& i, Wave, Rng&) {
  if (!i.lds || !IsBuffer(Of(i).encoding)) return false;
  i.tfe = true;
  return true;
}
bool FieldOfAnInvalidation(Instruction& i, Wave, Rng& rng) {
  if (!Named(i, "buffer_gl")) return false;
  if (Pick(rng, 2) != 0) {
    i.glc = true;
  } else {
    i.offset = 4;
  }
  return true;
}
bool DlcOfAStore(Instruction& i, Wave, Rng&) {
  if (!Of(i).Has(flag::kStore) || Of(i).encoding == Encoding::kDs) return false;
  i.dlc = true;
  return true;
}
bool DlcOfAnAtomic(Instruction& i, Wave, Rng&) {
  if (!Of(i).Has(flag::kAtomic) || !IsBuffer(Of(i).encoding)) return false;
  i.dlc = true;
  return true;
}
bool GdsMissing(Instruction& i, Wave, Rng&) {
  if (!Of(i).Has(flag::kGds)) return false;
  i.gds = false;
  return true;
}
bool GdsOfALaneOperation(Instruction& i, Wave, Rng&) {
  if (!Named(i, "ds_bpermute") && !Named(i, "ds_permute") && !Named(i, "ds_swizzle")) return false;
  i.gds = true;
  return true;
}
bool LdsOffsetOutOfRange(Instruction& i, Wave, Rng&) {
  if (Of(i).encoding != Encoding::kDs) return false;
  i.offset = Of(i).Has(flag::kTwo) ? 256 : 65536;
  return true;
}

// ---- Images ----

bool GatherOfTwoChannels(Instruction& i, Wave, Rng& rng) {
  if (!Of(i).Has(flag::kGather)) return false;
  const int masks[] = {0, 3, 5, 7, 15, 12};
  i.dmask = static_cast<uint8_t>(masks[Pick(rng, 6)]);
  return true;
}
bool AtomicOfOddChannels(Instruction& i, Wave, Rng& rng) {
  if (!Image(i) || !Of(i).Has(flag::kAtomic)) return false;
  const int masks[] = {0, 2, 4, 5, 7, 8, 9};
  i.dmask = static_cast<uint8_t>(masks[Pick(rng, 7)]);
  i.dst = Vgpr(0);
  return true;
}
bool SamplesSampled(Instruction& i, Wave, Rng& rng) {
  if (!Texels(i) || Of(i).src[2] == Type::kN) return false;
  i.dim = static_cast<uint8_t>(6 + Pick(rng, 2));
  i.nsa_dwords = 0;
  i.address = {};
  i.src[0] = Vgpr(0);
  return true;
}
bool SamplesOfNone(Instruction& i, Wave, Rng& rng) {
  if (i.op != Opcode::kImageMsaaLoad) return false;
  i.dim = static_cast<uint8_t>(Pick(rng, 6));
  i.nsa_dwords = 0;
  i.address = {};
  i.src[0] = Vgpr(0);
  return true;
}
bool HalfTexelsOfNone(Instruction& i, Wave, Rng&) {
  if (!Texels(i) || (!Of(i).Has(flag::kAtomic) && !Named(i, "_pck") && !Named(i, "_resinfo"))) {
    return false;
  }
  i.d16 = true;
  return true;
}
bool FieldOfARay(Instruction& i, Wave, Rng& rng) {
  if (!Image(i) || Texels(i)) return false;
  switch (Pick(rng, 5)) {
    case 0: i.dmask = 7; break;
    case 1: i.unnormalised = false; break;
    case 2: i.r128 = false; break;
    case 3: i.glc = true; break;
    default: i.dim = 1; break;
  }
  return true;
}
bool PartsMissing(Instruction& i, Wave, Rng&) {
  if (i.nsa_dwords < 2) return false;
  --i.nsa_dwords;
  for (size_t b = 4u * i.nsa_dwords; b < i.address.size(); ++b) i.address[b] = 0;
  return true;
}
bool PartsTooMany(Instruction& i, Wave, Rng&) {
  if (i.nsa_dwords == 0 || i.nsa_dwords > 2) return false;
  ++i.nsa_dwords;
  return true;
}

// ---- Exports ----

bool TargetOfNone(Instruction& i, Wave, Rng& rng) {
  if (i.op != Opcode::kExp) return false;
  const int none[] = {10, 11, 17, 18, 19, 21, 25, 31};
  i.target = static_cast<uint8_t>(none[Pick(rng, 8)]);
  return true;
}
bool HalfAPair(Instruction& i, Wave, Rng& rng) {
  if (i.op != Opcode::kExp || !i.compressed) return false;
  const int masks[] = {1, 2, 4, 8, 7, 13};
  i.enable = static_cast<uint8_t>(masks[Pick(rng, 6)]);
  i.src = {};
  if ((i.enable & 3) != 0) i.src[0] = Vgpr(1);
  if ((i.enable & 12) != 0) i.src[1] = Vgpr(2);
  return true;
}
bool PrimitiveOfNone(Instruction& i, Wave, Rng&) {
  if (i.op != Opcode::kExp || i.compressed) return false;
  i.target = 20;
  i.enable = 2;
  i.src = {};
  i.src[1] = Vgpr(2);
  return true;
}

// ---- Programs ----

Instruction Simm(Opcode op, int simm) {
  Instruction i;
  i.op = op;
  i.simm = static_cast<uint16_t>(simm);
  return i;
}
Instruction ScalarLoad() {
  Instruction i;
  i.op = Opcode::kSLoadDword;
  i.dst = Sgpr(0);
  i.src[0] = Sgpr(2);
  return i;
}
Instruction FloatAtomic(Rng& rng) {
  const Opcode ops[] = {Opcode::kGlobalAtomicFmin, Opcode::kGlobalAtomicFmaxX2,
                        Opcode::kGlobalAtomicFcmpswap};
  Instruction i;
  i.op = ops[Pick(rng, 3)];
  i.src[0] = Vgpr(0);
  i.src[1] = Vgpr(2);
  return i;
}

bool BranchOut(Program& p, Rng& rng) {
  const int distance = Pick(rng, 2) != 0 ? 20000 : -20000;
  p.insert(p.begin() + Pick(rng, static_cast<int>(p.size())),
           Simm(Opcode::kSCbranchScc0, distance));
  return true;
}
bool BranchIntoALoad(Program& p, Rng&) {
  p.insert(p.begin(), Simm(Opcode::kSCbranchExecz, 1));
  p.insert(p.begin() + 1, ScalarLoad());
  return true;
}
bool NoEnd(Program& p, Rng&) {
  p.pop_back();
  p.push_back(Simm(Opcode::kSCbranchScc1, 0));
  p.back() = ScalarLoad();
  return true;
}
bool MixedClause(Program& p, Rng& rng) {
  Program clause = {Simm(Opcode::kSClause, 2), ScalarLoad(), ScalarLoad(), ScalarLoad()};
  clause[size_t{2} + Pick(rng, 2)] = Pick(rng, 2) != 0 ? Simm(Opcode::kSNop, 0) : FloatAtomic(rng);
  p.insert(p.begin(), clause.begin(), clause.end());
  return true;
}
bool ClausePastTheEnd(Program& p, Rng& rng) {
  p.insert(p.end() - 1, {Simm(Opcode::kSClause, 3 + Pick(rng, 50)), ScalarLoad(), ScalarLoad()});
  return true;
}
// A clause of scalar loads before the program.
constexpr int kDwordsOfALoad = 2;
void PutAClause(Program& p, int loads) {
  p.insert(p.begin(), Simm(Opcode::kSClause, loads - 1));
  for (int i = 0; i < loads; ++i) p.insert(p.begin() + 1, ScalarLoad());
}
bool WaitInAClause(Program& p, Rng& rng) {
  const Opcode ops[] = {Opcode::kSWaitcnt, Opcode::kSBarrier, Opcode::kSClause,
                        Opcode::kSCbranchScc0, Opcode::kSEndpgm};
  const int loads = 2 + Pick(rng, 6);
  PutAClause(p, loads);
  const Opcode op = ops[Pick(rng, 5)];
  p.insert(p.begin() + 1 + Pick(rng, loads), Simm(op, op == Opcode::kSClause ? 1 : 0));
  return true;
}
bool BranchIntoAClause(Program& p, Rng& rng) {
  const int loads = 2 + Pick(rng, 6);
  PutAClause(p, loads);
  // To a load, from before or behind the clause.
  const int to = Pick(rng, loads) * kDwordsOfALoad;
  if (Pick(rng, 2) != 0) {
    p.insert(p.begin(), Simm(Opcode::kSCbranchScc1, 1 + to));
  } else {
    p.insert(p.begin() + 1 + loads, Simm(Opcode::kSCbranchScc1, to - loads * kDwordsOfALoad - 1));
  }
  return true;
}
bool AtomicAmongLoads(Program& p, Rng& rng) {
  Instruction load;
  load.op = Opcode::kGlobalLoadDword;
  load.src[0] = Vgpr(0);
  load.dst = Vgpr(2);
  Program clause = {Simm(Opcode::kSClause, 2), load, load, load};
  clause[size_t{1} + Pick(rng, 3)] = FloatAtomic(rng);
  p.insert(p.begin(), clause.begin(), clause.end());
  return true;
}
bool PermlaneAfterCmpx(Program& p, Rng& rng) {
  Instruction compare, permlane;
  compare.op = Pick(rng, 2) != 0 ? Opcode::kVCmpxEqU32 : Opcode::kVCmpxLtF32;
  compare.src = {Vgpr(0), Vgpr(1)};
  permlane.op = Pick(rng, 2) != 0 ? Opcode::kVPermlane16B32 : Opcode::kVPermlanex16B32;
  permlane.dst = Vgpr(0);
  permlane.src = {Vgpr(1), Sgpr(0), Sgpr(1)};
  p.insert(p.begin() + Pick(rng, static_cast<int>(p.size())), {compare, permlane});
  return true;
}
bool DenormAfterAtomic(Program& p, Rng& rng) {
  Program part = {FloatAtomic(rng)};
  for (int n = Pick(rng, 3); n > 0; --n) part.push_back(Simm(Opcode::kSNop, 0));
  part.push_back(Simm(Opcode::kSDenormMode, 15));
  p.insert(p.begin() + Pick(rng, static_cast<int>(p.size())), part.begin(), part.end());
  return true;
}

}  // namespace

const std::vector<AmdMutation>& AmdMutations() {
  static const auto* const kMutations = new std::vector<AmdMutation>{
      {"three scalars", kBus, ThreeScalars},
      {"two scalars and a literal", kBus, TwoScalarsAndALiteral},
      {"two scalars and the mask", kBus, TwoScalarsAndTheMask},
      {"a named scalar too many", kBus, NamedScalarTooMany},
      {"two scalars of a 64-bit shift", kBus, TwoScalarsOfAShift},
      {"destination past v255", kGuide3, DestinationPastTheEnd},
      {"source past v255", kGuide3, SourcePastTheEnd},
      {"texels past v255", kGuide3, TexelsPastTheEnd},
      {"status of tfe past v255", kGuide3, StatusPastTheEnd},
      {"address past v255", kGuide3, AddressPastTheEnd},
      {"odd pair", "ISA guide", OddPair},
      {"four registers not at a multiple of four", "ISA guide", UnalignedFour},
      {"tuple that runs past vcc", "ISA guide", TuplePastVcc},
      {"tuple at m0", "ISA guide", TupleIntoM0},
      {"tuple past ttmp15", "ISA guide", TupleOfExecTooLong},
      {"scalar source of a lane operation", kFiles, ScalarOfALaneOperation},
      {"VGPR as a lane selector", kFiles, VgprAsASelector},
      {"literal as a lane selector", kFiles, LiteralAsASelector},
      {"VGPR or constant as a lane mask", kFiles, VgprAsAMask},
      {"scalar source of an interpolation", kFiles, ScalarAsAnAttributesPosition},
      {"constant as a register to jump to", kFiles, ConstantAsAProgramCounter},
      {"scalar of 128 bits", kFiles, ScalarOf128Bits},
      {"lds_direct as source 1", "ISA guide; LLVM", LdsAsSource1},
      {"lds_direct of a reversed operation", "LLVM", LdsReversed},
      {"lds_direct with SDWA", "LLVM", LdsOfSdwa},
      {"lds_direct of a scalar operation", "ISA guide", LdsOfScalar},
      {"mask over its scalar source", "ISA guide 6.2.4", MaskOverItsScalar},
      {"carry over its scalar source", "ISA guide 6.2.4", CarryOverItsScalar},
      {"vcc over its scalar source", "ISA guide 6.2.4", VccOverItsScalar},
      {"write of a ttmp", "ISA guide, 3.10", WriteOfATtmp},
      {"write of a hardware register of trap handlers", "ISA guide, 3.4",
       WriteOfATrapsHardwareRegister},
      {"sum of differences over a source", "LLVM; Mesa, aco_live_var_analysis.cpp",
       SumOverItsSource},
      {"reserved DPP control", "ISA guide", ReservedDppControl},
      {"DPP of a scalar", "ISA guide", DppOfAScalar},
      {"DPP of an opcode without", "Mesa, aco_ir.cpp, can_use_DPP", DppWithout},
      {"SDWA of an opcode without", "Mesa, aco_ir.cpp, can_use_SDWA", SdwaWithout},
      {"literal with SDWA", "ISA guide", LiteralOfAnExtension},
      {"reserved selection", "ISA guide", ReservedSelection},
      {"sign of an integer", "ISA guide", SignOfAnInteger},
      {"sign extension of a float", "ISA guide", SextOfAFloat},
      {"op_sel of dwords", "ISA guide", HalvesOfDwords},
      {"omod of an integer", "ISA guide", OmodOfAnInteger},
      {"clamp of bits", "ISA guide; LLVM", ClampOfBits},
      {"sign of packed integers", "ISA guide", SignOfPackedIntegers},
      {"attribute past the last", "LLVM", AttributePastTheLast},
      {"parameter past the last", "ISA guide", ParameterPastTheLast},
      {"counter out of range", "ISA guide", CounterOutOfRange},
      {"counter plus a register", "Mesa, aco_insert_waitcnt.cpp", CounterPlusARegister},
      {"clause too long or short", "ISA guide", ClauseTooLong},
      {"bits past a hardware register", "ISA guide", BitsPastARegister},
      {"message that does not exist", "ISA guide", NoMessage},
      {"immediate too large", "ISA guide", ImmediateTooLarge},
      {"immediate where there is none", "ISA guide", ImmediateOfNone},
      {"scalar load to m0 or exec", "Mesa, aco_validate.cpp; LLVM", LoadToM0},
      {"negative offset of a scalar buffer", "LLVM", NegativeBufferOffset},
      {"scalar offset out of range", "ISA guide", ScalarOffsetOutOfRange},
      {"buffer offset out of range", "ISA guide", BufferOffsetOutOfRange},
      {"literal as a buffer's offset", "ISA guide", LiteralBufferOffset},
      {"negative offset of FLAT", "LLVM", NegativeFlatOffset},
      {"offset of FLAT, global or scratch out of range", "ISA guide", GlobalOffsetOutOfRange},
      {"failure status of a buffer store or atomic", "LLVM", FailureOfAStore},
      {"failure status of a load to LDS", "LLVM", FailureOfAnLdsLoad},
      {"fields of a cache invalidation", "LLVM", FieldOfAnInvalidation},
      {"dlc of a buffer atomic", "Mesa, README-ISA; LLVM", DlcOfAnAtomic},
      {"dlc of a store", "Mesa, README-ISA", DlcOfAStore},
      {"gds missing", "ISA guide", GdsMissing},
      {"gds of a lane operation", "ISA guide", GdsOfALaneOperation},
      {"LDS offset out of range", "ISA guide", LdsOffsetOutOfRange},
      {"gather4 of several channels", kImages, GatherOfTwoChannels},
      {"atomic of odd channels", kImages, AtomicOfOddChannels},
      {"sampling of samples", kImages, SamplesSampled},
      {"msaa_load without samples", "LLVM", SamplesOfNone},
      {"d16 of what has no halves", kImages, HalfTexelsOfNone},
      {"a field of a ray", "ISA guide", FieldOfARay},
      {"parts of an address missing", "ISA guide", PartsMissing},
      {"parts of an address too many", "ISA guide", PartsTooMany},
      {"target that does not exist", "ISA guide", TargetOfNone},
      {"half a pair of compressed channels", "ISA guide", HalfAPair},
      {"primitive without its first channel", "Mesa, ac_nir_lower_ngg.c", PrimitiveOfNone},
  };
  return *kMutations;
}

const std::vector<AmdProgramMutation>& AmdProgramMutations() {
  static const auto* const kMutations = new std::vector<AmdProgramMutation>{
      {"branch out of the program", "ISA guide", BranchOut},
      {"branch into an instruction", "ISA guide", BranchIntoALoad},
      {"no end", "ISA guide", NoEnd},
      {"clause of several kinds", "ISA guide", MixedClause},
      {"clause longer than its loads", "ISA guide", ClausePastTheEnd},
      {"wait, branch or clause in a clause", "ISA guide, S_CLAUSE", WaitInAClause},
      {"branch into a clause", "Mesa, aco_form_hard_clauses.cpp", BranchIntoAClause},
      {"atomic without result among loads", "Mesa, aco_form_hard_clauses.cpp", AtomicAmongLoads},
      {"permlane after v_cmpx", "ISA guide 6.10", PermlaneAfterCmpx},
      {"denormal mode after a float atomic", "LLVM, GCNHazardRecognizer.cpp", DenormAfterAtomic},
  };
  return *kMutations;
}

}  // namespace kiln::tests
