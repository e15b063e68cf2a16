// The rules of gfx1030: see verify.h. Sources by the names of core/amd/SOURCES.md.
#include "core/amd/isa/verify.h"

#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/amd/isa/disasm.h"
#include "core/amd/isa/operands.h"
#include "core/amd/isa/verify_program.h"

namespace kiln::amd::isa {
namespace {

namespace flag = opcode_flag;

bool IsVector(const OpcodeInfo& info) { return IsVectorAlu(info.encoding); }

// ---- Operands ----

// Returns true for what takes a place on the constant bus; literals are counted apart.
bool TakesBus(const Operand& operand) {
  const int code = operand.code;
  if (code < 128) return code != kNull;
  return (code >= kSharedBase && code <= kPopsExitingWaveId) ||
         (code >= kVccz && code <= kLdsDirect);
}

// Returns the scalars that the instruction reads over the constant bus, a literal among them.
int BusReads(const Instruction& inst, const OperandUses& uses) {
  std::array<std::pair<uint16_t, uint8_t>, 8> seen;
  size_t count = 0;
  const auto add = [&](uint16_t code, uint8_t dwords) {
    const std::pair<uint16_t, uint8_t> key(code, dwords);
    if (std::find(seen.begin(), seen.begin() + count, key) != seen.begin() + count) return;
    seen[count++] = key;
  };
  for (const OperandUse& use : uses) {
    // exec is not read over the bus by what it masks.
    if (!use.read || (use.implicit && use.operand.code != kVccLo)) continue;
    if (use.member == Member::kDst && !use.implicit) continue;
    if (TakesBus(use.operand)) add(use.operand.code, use.dwords);
  }
  return static_cast<int>(count) + (HasLiteral(inst) ? 1 : 0);
}

bool IsShift64(const Instruction& inst) {
  return inst.op == Opcode::kVLshlrevB64 || inst.op == Opcode::kVLshrrevB64 ||
         inst.op == Opcode::kVAshrrevI64;
}

bool BusIsOverrun(const Instruction& inst, Wave, const OperandUses& uses) {
  if (!IsVector(Info(inst.op))) return false;
  return BusReads(inst, uses) > (IsShift64(inst) ? 1 : 2);
}

bool VgprsPastTheEnd(const Instruction&, Wave, const OperandUses& uses) {
  for (const OperandUse& use : uses) {
    if (use.operand.is_vgpr() && use.operand.vgpr() + use.dwords > kVgprCount) return true;
  }
  return false;
}

// Returns true if scalar registers from `code` on, that many, are all of one kind and aligned.
bool IsScalarTuple(int code, int dwords) {
  if (dwords <= 1) return true;
  if (code == kNull) return dwords == 2;
  const int align = dwords == 2 ? 2 : 4;
  // Longer tuples may end in vcc, as Mesa's s[104:107] does.
  const int end = dwords == 2 ? kSgprCount : kVccHi + 1;
  if (code < kSgprCount) return code % align == 0 && code + dwords <= end;
  if (code == kVccLo || code == kExecLo) return dwords == 2;
  if (code >= kTtmp0 && code < kTtmp0 + kTtmpCount) {
    return code % align == 0 && code + dwords <= kTtmp0 + kTtmpCount;
  }
  return false;
}

bool BadScalarTuple(const Instruction& inst, Wave, const OperandUses& uses) {
  for (const OperandUse& use : uses) {
    if (use.operand.is_scalar_register() && inst.op != Opcode::kVInterpMovF32 &&
        !IsScalarTuple(use.operand.code, use.dwords)) {
      return true;
    }
  }
  return false;
}

// Sources that must be of one file.
bool WrongFile(const Instruction& inst, Wave, const OperandUses&) {
  const OpcodeInfo& info = Info(inst.op);
  constexpr uint64_t kScalarOnly[] = {flag::kSsrc0, flag::kSsrc1, flag::kSsrc2};
  for (int i = 0; i < 3; ++i) {
    const Operand& s = inst.src[i];
    if (!s.exists()) continue;
    // A lane that is read or written is not chosen by a literal.
    const bool lane = i == 1 && !info.Has(flag::kSsrc2);
    const bool scalar = !s.is_vgpr() && !(lane && s.is_literal());
    if (info.Has(kScalarOnly[i]) && !scalar) return true;
    if (info.src[i] == Type::kMask && !s.is_scalar_register()) return true;
    const bool vgpr = (i == 0 && info.Has(flag::kVsrc0)) ||
                      (IsVector(info) && Dwords(info.src[i]) > 2) ||
                      (info.unit == Unit::kInterpolate && inst.op != Opcode::kVInterpMovF32);
    if (vgpr && !s.is_vgpr()) return true;
    if (i == 0 && info.Has(flag::kReg0) && !s.is_scalar_register()) return true;
  }
  return false;
}

bool IsReversed(const OpcodeInfo& info) {
  for (absl::string_view part : {"_subrev_", "_lshlrev_", "_lshrrev_", "_ashrrev_"}) {
    if (absl::StrContains(info.mnemonic, part)) return true;
  }
  return false;
}

bool BadLdsDirect(const Instruction& inst, Wave, const OperandUses&) {
  for (int i = 0; i < 3; ++i) {
    if (inst.src[i].code != kLdsDirect) continue;
    const OpcodeInfo& info = Info(inst.op);
    if (i != 0 || !IsVector(info) || inst.form == Form::kSdwa || IsReversed(info)) return true;
    if (info.Has(flag::kSsrc0)) return true;
  }
  return false;
}

// Returns true if the first register of `mask`, which the first pass writes, is one of `read`'s.
bool FirstOverlaps(const OperandUse& mask, const OperandUse& read) {
  return read.operand.code <= mask.operand.code &&
         mask.operand.code < read.operand.code + read.dwords;
}

bool MaskOverlapsScalar(const Instruction& inst, Wave wave, const OperandUses& uses) {
  const OpcodeInfo& info = Info(inst.op);
  if (wave != Wave::k64 || !IsVector(info)) return false;
  const bool mask = info.dst == Type::kMask || info.Has(flag::kCarryOut);
  if (!mask) return false;
  for (const OperandUse& w : uses) {
    if (!w.written || !w.operand.is_scalar_register() || w.operand.code == kNull) continue;
    for (const OperandUse& r : uses) {
      // The carry is read by halves, as it is written; so is the implicit vcc.
      if (!r.read || r.implicit || r.type == Type::kMask) continue;
      if (r.operand.is_scalar_register() && FirstOverlaps(w, r)) return true;
    }
  }
  return false;
}

bool WritesOverSources(const Instruction& inst, Wave wave, const OperandUses&) {
  return OverlapsSumsOfDifferences(inst, wave);
}

// ---- Privilege ----

// Returns true for a write to a ttmp, STATUS, TBA or TMA.
bool WritesPrivileged(const Instruction& inst, Wave, const OperandUses& uses) {
  if (WritesTrapRegisters(uses)) return true;
  if (inst.op != Opcode::kSSetregB32 && inst.op != Opcode::kSSetregImm32B32) return false;
  constexpr int kStatus = 2, kTbaLow = 16, kTmaHigh = 19;
  const int number = inst.simm & 0x3f;
  return number == kStatus || (number >= kTbaLow && number <= kTmaHigh);
}

// ---- Vector ALU ----

bool BadDppControl(const Instruction& inst, Wave, const OperandUses&) {
  if (inst.form != Form::kDpp16) return false;
  const int c = inst.dpp.control;
  const bool good = c < 0x100 || (c > 0x100 && c < 0x110) || (c > 0x110 && c < 0x120) ||
                    (c > 0x120 && c < 0x130) || c == 0x140 || c == 0x141 ||
                    (c >= 0x150 && c < 0x170);
  return !good;
}

bool SignsOfPackedIntegers(const Instruction& inst, Wave, const OperandUses&) {
  const OpcodeInfo& info = Info(inst.op);
  if (info.encoding != Encoding::kVop3p || info.Has(flag::kMix)) return false;
  for (int i = 0; i < 3; ++i) {
    const bool is_float = info.src[i] == Type::kPF16 || info.src[i] == Type::kF32;
    if (!is_float && ((inst.neg | inst.neg_hi) >> i & 1) != 0) return true;
  }
  return false;
}

bool BadAttribute(const Instruction& inst, Wave, const OperandUses&) {
  constexpr int kLastAttribute = 32;
  return inst.attribute > kLastAttribute;
}

// ---- Scalar ----

bool BadCounter(const Instruction& inst, Wave, const OperandUses&) {
  switch (inst.op) {
    case Opcode::kSWaitcnt: return (inst.simm & 0x80) != 0;
    case Opcode::kSWaitcntVscnt:
    case Opcode::kSWaitcntVmcnt:
    case Opcode::kSWaitcntLgkmcnt: return inst.simm > 63 || inst.src[0].code != kNull;
    case Opcode::kSWaitcntExpcnt: return inst.simm > 7 || inst.src[0].code != kNull;
    default: return false;
  }
}

bool BadClauseLength(const Instruction& inst, Wave, const OperandUses&) {
  if (inst.op != Opcode::kSClause) return false;
  // Bits 11:8 break the clause after so many instructions.
  const int length = inst.simm & 0x3f;
  return length < 1 || length > 62 || (inst.simm & 0xf0c0) != 0;
}

bool BadHwreg(const Instruction& inst, Wave, const OperandUses&) {
  if (inst.op != Opcode::kSGetregB32 && inst.op != Opcode::kSSetregB32 &&
      inst.op != Opcode::kSSetregImm32B32) {
    return false;
  }
  const int offset = inst.simm >> 6 & 31, size = (inst.simm >> 11 & 31) + 1;
  return offset + size > 32;
}

bool BadMessage(const Instruction& inst, Wave, const OperandUses&) {
  if (inst.op != Opcode::kSSendmsg && inst.op != Opcode::kSSendmsghalt) return false;
  // Bits 6:4 are an operation, 9:8 a stream. The names are LLVM's; 8 is early primitive
  // deallocation, 7 the end of an ordered pixel shader.
  constexpr uint32_t kExisting = 0b1000'1111'1111'1110;
  const bool geometry = (inst.simm & 0xf) == 2;
  return (kExisting >> (inst.simm & 0xf) & 1) == 0 || inst.simm >> 10 != 0 ||
         (geometry && (inst.simm >> 4 & 3) == 0);
}

bool BadImmediate(const Instruction& inst, Wave, const OperandUses&) {
  switch (inst.op) {
    case Opcode::kSRoundMode:
    case Opcode::kSDenormMode: return inst.simm > 15;
    case Opcode::kSInstPrefetch:
    case Opcode::kSSetprio: return inst.simm > 3;
    case Opcode::kSEndpgm:
    case Opcode::kSWakeup:
    case Opcode::kSBarrier:
    case Opcode::kSIcacheInv:
    case Opcode::kSTtracedata:
    case Opcode::kSEndpgmSaved:
    case Opcode::kSEndpgmOrderedPsDone:
    case Opcode::kSCodeEnd:
    case Opcode::kSWaitIdle: return inst.simm != 0;
    default: return false;
  }
}

// ---- Memory ----

bool BadScalarDestination(const Instruction& inst, Wave, const OperandUses&) {
  if (Info(inst.op).encoding != Encoding::kSmem || !inst.dst.exists()) return false;
  return inst.dst.code == kM0 || inst.dst.code == kExecLo || inst.dst.code == kExecHi;
}

bool BadScalarOffset(const Instruction& inst, Wave, const OperandUses&) {
  const OpcodeInfo& info = Info(inst.op);
  if (info.encoding != Encoding::kSmem) return false;
  if (info.src[0] == Type::kN) return inst.offset != 0 || inst.glc || inst.dlc;
  return info.src[0] == Type::kB128 && inst.offset < 0;
}

bool BadFlatOffset(const Instruction& inst, Wave, const OperandUses&) {
  return Info(inst.op).encoding == Encoding::kFlat && (inst.offset < 0 || inst.offset > 2047);
}

bool BadDlc(const Instruction& inst, Wave, const OperandUses&) { return HasDlcOfStores(inst); }

bool BadTfe(const Instruction& inst, Wave, const OperandUses&) {
  const OpcodeInfo& info = Info(inst.op);
  if (!inst.tfe || !IsBuffer(info.encoding)) return false;
  return inst.lds || !info.Has(flag::kLoad);
}

bool BadCacheInvalidation(const Instruction& inst, Wave, const OperandUses&) {
  if (inst.op != Opcode::kBufferGl0Inv && inst.op != Opcode::kBufferGl1Inv) return false;
  Instruction bare;
  bare.op = inst.op;
  return !(inst == bare);
}

bool BadGds(const Instruction& inst, Wave, const OperandUses&) {
  const OpcodeInfo& info = Info(inst.op);
  if (info.encoding != Encoding::kDs) return false;
  if (info.Has(flag::kGds)) return !inst.gds;
  const bool lanes = inst.op == Opcode::kDsPermuteB32 || inst.op == Opcode::kDsBpermuteB32 ||
                     inst.op == Opcode::kDsSwizzleB32;
  return lanes && inst.gds;
}

// ---- Images ----

bool IsImage(const OpcodeInfo& info) { return info.encoding == Encoding::kMimg; }
bool IsBvh(const OpcodeInfo& info) { return IsImage(info) && info.dst != Type::kData; }

bool BadDmask(const Instruction& inst, Wave, const OperandUses&) {
  const OpcodeInfo& info = Info(inst.op);
  if (!IsImage(info) || IsBvh(info)) return false;
  if (info.Has(flag::kGather)) return std::popcount(inst.dmask) != 1;
  if (!info.Has(flag::kAtomic)) return false;
  const bool two =
      inst.op == Opcode::kImageAtomicCmpswap || inst.op == Opcode::kImageAtomicFcmpswap;
  return two ? inst.dmask != 3 && inst.dmask != 15 : inst.dmask != 1 && inst.dmask != 3;
}

bool BadDimension(const Instruction& inst, Wave, const OperandUses&) {
  const OpcodeInfo& info = Info(inst.op);
  if (!IsImage(info) || IsBvh(info)) return false;
  const bool samples = inst.dim >= 6;
  if (inst.op == Opcode::kImageMsaaLoad) return !samples;
  const bool sampled = info.src[2] != Type::kN;
  const bool mip = absl::StrContains(info.mnemonic, "_mip");
  return samples && (sampled || mip);
}

bool BadRay(const Instruction& inst, Wave, const OperandUses&) {
  if (!IsBvh(Info(inst.op))) return false;
  return inst.dmask != 15 || inst.dim != 0 || !inst.unnormalised || !inst.r128 || inst.glc ||
         inst.slc || inst.dlc || inst.tfe || inst.lwe || inst.d16;
}

bool BadD16(const Instruction& inst, Wave, const OperandUses&) {
  const OpcodeInfo& info = Info(inst.op);
  if (!inst.d16 || IsBvh(info)) return false;
  return info.Has(flag::kAtomic) || absl::StrContains(info.mnemonic, "_pck") ||
         inst.op == Opcode::kImageGetResinfo || inst.op == Opcode::kImageGetLod;
}

bool BadAddressParts(const Instruction& inst, Wave, const OperandUses&) {
  if (inst.nsa_dwords == 0) return false;
  const int parts = ImageAddressDwords(inst);
  if (inst.nsa_dwords != (parts - 1 + 3) / 4) return true;
  for (size_t i = static_cast<size_t>(parts - 1); i < inst.address.size(); ++i) {
    if (inst.address[i] != 0) return true;
  }
  return false;
}

// ---- Exports ----

bool BadTarget(const Instruction& inst, Wave, const OperandUses&) {
  if (inst.op != Opcode::kExp) return false;
  const int t = inst.target;
  return !(t <= 9 || (t >= 12 && t <= 16) || t == 20 || t >= 32);
}

bool BadEnable(const Instruction& inst, Wave, const OperandUses&) {
  if (inst.op != Opcode::kExp) return false;
  if (inst.target == 20 && inst.enable != 1 && inst.enable != 3) return true;
  if (!inst.compressed) return false;
  const int low = inst.enable & 3, high = inst.enable >> 2;
  return (low != 0 && low != 3) || (high != 0 && high != 3);
}

constexpr absl::string_view kBusSource = "SOURCES.md, the constant bus; ISA guide";
constexpr absl::string_view kGuide8 = "ISA guide; LLVM";

constexpr uint32_t Of(std::initializer_list<Encoding> encodings) {
  uint32_t bits = 0;
  for (const Encoding e : encodings) bits |= 1u << static_cast<int>(e);
  return bits;
}
constexpr uint32_t kOfImages = Of({Encoding::kMimg}), kOfExports = Of({Encoding::kExp}),
                   kOfScalarMemory = Of({Encoding::kSmem}), kOfSopp = Of({Encoding::kSopp}),
                   kOfBuffers = Of({Encoding::kMubuf, Encoding::kMtbuf});

constexpr Rule kRules[] = {
    {"constant bus", "a vector instruction reads at most two scalars, a 64-bit shift one",
     kBusSource, BusIsOverrun},
    {"VGPR tuples", "registers end within v255", "ISA guide; LLVM", VgprsPastTheEnd},
    {"scalar tuples",
     "pairs are even, longer ones multiples of four, and all registers are of one kind",
     "ISA guide; LLVM", BadScalarTuple},
    {"register files", "an operand is of the file that the opcode wants there",
     "ISA guide, the opcodes' pages; LLVM", WrongFile},
    {"lds_direct",
     "lds_direct is source 0 of a vector instruction that is neither SDWA nor reversed",
     "ISA guide; LLVM", BadLdsDirect},
    {"lane masks in wave64",
     "no scalar that is read is the first register of a lane mask that is written",
     "SOURCES.md, lane masks in wave64", MaskOverlapsScalar},
    {"trap registers", "a program that is no trap handler writes no ttmp, STATUS, TBA or TMA",
     "ISA guide, 3.4 and 3.10", WritesPrivileged},
    {"sums of differences", "the result of v_qsad or v_mqsad lies over none of its sources",
     "ERRATA.md, 11: LLVM; Mesa, aco_live_var_analysis.cpp", WritesOverSources,
     Of({Encoding::kVop3})},
    {"DPP control", "the control is quad_perm, row_shl, shr, ror, mirror, share or xmask",
     "ISA guide; Mesa, aco_ir.h", BadDppControl},
    {"signs of packed integers", "neg_lo and neg_hi are for floats", "ISA guide",
     SignsOfPackedIntegers, Of({Encoding::kVop3p})},
    {"interpolated attribute", "there are attributes 0 to 32", "ISA guide; LLVM", BadAttribute},
    {"wait counters", "counters are within their bits, and the register is null",
     "ISA guide; Mesa, aco_insert_waitcnt.cpp", BadCounter, Of({Encoding::kSopp, Encoding::kSopk})},
    {"clause length", "a clause has 2 to 63 instructions",
     "ISA guide, S_CLAUSE; Mesa, aco_form_hard_clauses.cpp", BadClauseLength, kOfSopp},
    {"bits of a hardware register", "offset and size stay within 32 bits", "ISA guide, S_GETREG",
     BadHwreg, Of({Encoding::kSopk})},
    {"messages", "a message exists", "ISA guide, S_SENDMSG", BadMessage, kOfSopp},
    {"immediates", "an immediate is within its bits, and 0 where there is none", "ISA guide",
     BadImmediate, kOfSopp},
    {"scalar load destination", "a scalar load does not write m0 or exec",
     "Mesa, aco_validate.cpp; LLVM", BadScalarDestination, kOfScalarMemory},
    {"scalar memory offset",
     "the offset of a buffer is not negative, and what has no address has no offset",
     "ISA guide; LLVM", BadScalarOffset, kOfScalarMemory},
    {"flat offset", "the offset of a FLAT access is 0 to 2047", "ISA guide; LLVM", BadFlatOffset,
     Of({Encoding::kFlat})},
    {"dlc", "dlc is for loads, not for stores and atomics", "Mesa, README-ISA.md", BadDlc},
    {"tfe", "of buffer accesses only loads to registers report failures", "LLVM", BadTfe,
     kOfBuffers},
    {"cache invalidations", "buffer_gl0_inv and gl1_inv have no fields", "LLVM",
     BadCacheInvalidation, kOfBuffers},
    {"gds", "gds is set where only GDS has the operation, and not on lane operations",
     "ISA guide; LLVM", BadGds, Of({Encoding::kDs})},
    {"dmask", "gather4 selects one channel, an atomic those of its operand", kGuide8, BadDmask,
     kOfImages},
    {"image dimension", "only what addresses texels addresses samples; msaa_load does", kGuide8,
     BadDimension, kOfImages},
    {"rays", "a ray's intersection has dmask 15, unorm and r128, and no other fields",
     "ISA guide; Mesa, aco_instruction_selection.cpp", BadRay, kOfImages},
    {"d16", "d16 is for what loads, samples, gathers or stores texels", kGuide8, BadD16},
    {"parts of an address", "NSA has as many dwords as the address needs, the rest of them 0",
     "ISA guide; Mesa, aco_assembler.cpp", BadAddressParts, kOfImages},
    {"export target", "the target exists", "ISA guide; LLVM", BadTarget, kOfExports},
    {"export channels", "compressed channels come in pairs, and a primitive has one or two",
     "ISA guide; Mesa, aco_validate.cpp", BadEnable, kOfExports},
    {kBranchTargets, "a branch goes to an instruction of the program", "ISA guide", nullptr},
    {kEnd, "nothing falls off the end", "ISA guide", nullptr},
    {kClauses,
     "a clause has as many memory instructions of one kind as it says, and no branch goes into it",
     "ISA guide, S_CLAUSE", nullptr},
    {kPermlaneHazard, "v_permlane does not follow a v_cmpx immediately",
     "ISA guide 6.10; LLVM, GCNHazardRecognizer.cpp, and Mesa, aco_insert_NOPs.cpp, of gfx10.1 alone",
     nullptr},
    {kDenormHazard,
     "within three instructions of a float atomic, s_denorm_mode follows a wait or a vector operation",
     "LLVM, GCNHazardRecognizer.cpp", nullptr},
};

}  // namespace

absl::Span<const Rule> Rules() { return kRules; }

std::vector<const Rule*> BrokenBy(const Instruction& inst, Wave wave) {
  using RuleList = std::vector<const Rule*>;
  static const std::array<RuleList, kEncodingCount> by_encoding = [] {
    std::array<RuleList, kEncodingCount> lists;
    for (const Rule& rule : kRules) {
      for (size_t e = 0; e < lists.size(); ++e) {
        if (rule.broken != nullptr && (rule.of >> e & 1) != 0) lists[e].push_back(&rule);
      }
    }
    return lists;
  }();
  RuleList broken;
  const OperandUses uses = OperandsOf(inst, wave);
  for (const Rule* rule : by_encoding[static_cast<size_t>(Info(inst.op).encoding)]) {
    if (rule->broken(inst, wave, uses)) broken.push_back(rule);
  }
  return broken;
}

std::vector<Finding> Verify(absl::Span<const PlacedInstruction> program, Wave wave) {
  std::vector<std::vector<const Rule*>> broken(program.size());
  for (size_t i = 0; i < program.size(); ++i) broken[i] = BrokenBy(program[i].inst, wave);
  VerifyProgram(program, [&](size_t i, absl::string_view name) {
    const Rule* rule = std::find_if(std::begin(kRules), std::end(kRules),
                                    [&](const Rule& r) { return r.name == name; });
    broken[i].push_back(rule);
  });
  std::vector<Finding> findings;
  for (size_t i = 0; i < program.size(); ++i) {
    for (const Rule* rule : broken[i]) {
      findings.push_back({program[i].offset, rule->name,
                          absl::StrCat(rule->statement, ": ", Disassemble(program[i].inst, wave))});
    }
  }
  return findings;
}

}  // namespace kiln::amd::isa
