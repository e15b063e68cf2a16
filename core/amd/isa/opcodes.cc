// The tables behind opcodes.h.
#include "core/amd/isa/opcodes.h"

namespace kiln::amd::isa {
namespace internal {
namespace {

// Short names for the flags column.
using namespace opcode_flag;  // NOLINT: the vocabulary of opcodes.def
constexpr uint64_t Clamp = kClamp, Omod = kOmod, OpSel = kOpSel, Vop3 = kVop3, Dpp = kDpp,
                   Sdwa = kSdwa, Literal = kLiteral, Mods = kMods, Mix = kMix, MaskIn = kMaskIn,
                   CarryOut = kCarryOut, SDst = kSDst, Vsrc0 = kVsrc0, Ssrc0 = kSsrc0,
                   Ssrc1 = kSsrc1, Ssrc2 = kSsrc2, Reg0 = kReg0, OpSelByMesa = kOpSelByMesa,
                   DstR = kDstR, Src0W = kSrc0W, SccR = kSccR, SccW = kSccW, VccR = kVccR,
                   ExecR = kExecR, ExecW = kExecW, AnyLane = kAnyLane, M0R = kM0R, Load = kLoad,
                   Store = kStore, Atomic = kAtomic, Two = kTwo, Gds = kGds, Lds = kLds,
                   Gather = kGather, End = kEnd;

}  // namespace

const OpcodeInfo kOpcodes[kOpcodeCount] = {
#define KILN_RDNA2_OPCODE(name, mnemonic, encoding, code, dst, s0, s1, s2, unit, flags) \
  {Opcode::k##name,       mnemonic,                                                     \
   Encoding::k##encoding, code,                                                         \
   Type::k##dst,          {Type::k##s0, Type::k##s1, Type::k##s2},                      \
   Unit::k##unit,         flags},
#include "core/amd/isa/opcodes.def"
#undef KILN_RDNA2_OPCODE
};

namespace {

constexpr int kCodes = 1024;  // VOP3 has 10 bits, the other formats fewer

struct Numbers {
  std::array<std::array<int16_t, kCodes>, kEncodingCount> opcode;  // -1: none
};

Numbers MakeNumbers() {
  Numbers numbers;
  for (auto& row : numbers.opcode) row.fill(-1);
  for (const OpcodeInfo& info : kOpcodes) {
    numbers.opcode[static_cast<size_t>(info.encoding)][info.code] = static_cast<int16_t>(info.op);
  }
  return numbers;
}

}  // namespace
}  // namespace internal

std::optional<Opcode> FindOpcode(Encoding encoding, uint32_t code) {
  static const internal::Numbers kNumbers = internal::MakeNumbers();
  if (code >= internal::kCodes) return std::nullopt;
  const int16_t op = kNumbers.opcode[static_cast<size_t>(encoding)][code];
  return op < 0 ? std::nullopt : std::optional<Opcode>(static_cast<Opcode>(op));
}

uint32_t Vop3Code(const OpcodeInfo& info) {
  switch (info.encoding) {
    case Encoding::kVopc: return info.code + kVop3OfVopc;
    case Encoding::kVop2: return info.code + kVop3OfVop2;
    case Encoding::kVop1: return info.code + kVop3OfVop1;
    default: return info.code;
  }
}

std::optional<Opcode> OpcodeOfVop3(uint32_t code) {
  constexpr uint32_t kVop2End = 0x140, kVop1End = 0x200;
  std::optional<Opcode> op;
  if (code < kVop3OfVop2) {
    op = FindOpcode(Encoding::kVopc, code);
  } else if (code < kVop2End) {
    op = FindOpcode(Encoding::kVop2, code - kVop3OfVop2);
  } else if (code >= kVop3OfVop1 && code < kVop1End) {
    op = FindOpcode(Encoding::kVop1, code - kVop3OfVop1);
  } else {
    return FindOpcode(Encoding::kVop3, code);
  }
  return op && Info(*op).Has(opcode_flag::kVop3) ? op : std::nullopt;
}

}  // namespace kiln::amd::isa
