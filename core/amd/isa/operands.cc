// Operands: see operands.h.
#include "core/amd/isa/operands.h"

#include <algorithm>
#include <bit>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"

namespace kiln::amd::isa {
namespace {

// The parts of an image instruction's address, from its mnemonic.
struct ImageShape {
  bool coordinates = true, derivatives = false, half_derivatives = false, lod = false;
  int words = 0;  // offset, bias, compare: always a register each
  bool bvh = false, bvh64 = false;
};

ImageShape MakeShape(absl::string_view mnemonic) {
  ImageShape shape;
  if (absl::StrContains(mnemonic, "bvh")) {
    shape.bvh = true;
    shape.bvh64 = absl::StrContains(mnemonic, "bvh64");
    return shape;
  }
  shape.coordinates = mnemonic != "image_get_resinfo";
  shape.lod = mnemonic == "image_get_resinfo";
  for (absl::string_view part : absl::StrSplit(mnemonic, '_')) {
    if (part == "c" || part == "o" || part == "b") ++shape.words;
    if (part == "d" || part == "cd") shape.derivatives = true;
    if (part == "g16") shape.half_derivatives = true;
    if (part == "l" || part == "cl" || part == "mip") shape.lod = true;
  }
  return shape;
}

const ImageShape& ShapeOf(Opcode op) {
  static const auto* const kShapes = [] {
    auto* shapes = new std::array<ImageShape, kOpcodeCount>();
    for (int i = 0; i < kOpcodeCount; ++i) {
      if (Info(i).encoding == Encoding::kMimg) {
        (*shapes)[static_cast<size_t>(i)] = MakeShape(Info(i).mnemonic);
      }
    }
    return shapes;
  }();
  return (*kShapes)[static_cast<size_t>(op)];
}

struct Dimension {
  int coordinates, derivatives;  // of both directions together
};
// 1D, 2D, 3D, cube, 1D array, 2D array, 2D MS, 2D MS array
constexpr Dimension kDimensions[8] = {{1, 2}, {2, 4}, {3, 6}, {3, 4},
                                      {2, 2}, {3, 4}, {3, 4}, {4, 4}};

int OperandDwords(const Instruction& inst, Type type, Wave wave) {
  if (type == Type::kData) return ImageDataDwords(inst);
  if (type == Type::kAddr) return ImageAddressDwords(inst);
  return Dwords(type, wave);
}

struct Builder {
  const Instruction& inst;
  const OpcodeInfo& info;
  Wave wave;
  OperandUses& uses;

  void Explicit(Member member, const Operand& operand, Type type, int dwords, bool read,
                bool written) {
    if (!operand.exists() || !Exists(inst, member)) return;
    OperandUse use;
    use.operand = operand;
    use.type = type;
    use.dwords = static_cast<uint8_t>(dwords);
    use.read = read;
    use.written = written;
    use.member = member;
    uses.Add(use);
  }

  void Implicit(uint16_t code, int dwords, bool read, bool written) {
    if (!read && !written) return;
    OperandUse use;
    use.operand = {code};
    use.dwords = static_cast<uint8_t>(dwords);
    use.read = read;
    use.written = written;
    use.implicit = true;
    uses.Add(use);
  }
};

void AddDst(Builder& b) {
  const OpcodeInfo& info = b.info;
  const bool stores = info.Has(opcode_flag::kStore);
  const bool atomic = info.Has(opcode_flag::kAtomic);
  // Buffers and images have one field for data, whatever its direction.
  const bool shared = IsBuffer(info.encoding) || info.encoding == Encoding::kMimg;
  // The status has only failures written to it: what it was before is part of the result.
  const bool status = b.inst.tfe || b.inst.lwe;
  const bool read = info.Has(opcode_flag::kDstR) || (shared && (stores || atomic || status));
  const bool written = !(shared && (stores || (atomic && !b.inst.glc)));
  int dwords = OperandDwords(b.inst, info.dst, b.wave);
  if (IsBuffer(info.encoding) && b.inst.tfe) ++dwords;
  b.Explicit(Member::kDst, b.inst.dst, info.dst, dwords, read, written);
  b.Explicit(Member::kSdst, b.inst.sdst, Type::kMask, MaskDwords(b.wave), false, true);
}

// Returns the dwords of a source that are not what its type says.
int SourceDwords(const Builder& b, int i) {
  const Instruction& inst = b.inst;
  const Encoding e = b.info.encoding;
  if (IsBuffer(e) && i == 0) return inst.idxen && inst.offen ? 2 : 1;
  if (e == Encoding::kGlobal && i == 0) return inst.src[2].exists() ? 1 : 2;
  if (e == Encoding::kMimg && i == 0 && inst.nsa_dwords != 0) return 1;
  if (e == Encoding::kMimg && i == 1 && inst.r128) return 4;
  if (inst.op == Opcode::kVInterpMovF32) return 0;
  return OperandDwords(inst, b.info.src[i], b.wave);
}

template <int i>
void AddSource(Builder& b) {
  const Operand& operand = b.inst.src[i];
  if (!operand.exists()) return;
  constexpr auto kMember = static_cast<Member>(static_cast<int>(Member::kSrc0) + i);
  const bool written = i == 0 && b.info.Has(opcode_flag::kSrc0W);
  b.Explicit(kMember, operand, b.info.src[i], SourceDwords(b, i), true, written);
}

void AddSources(Builder& b) {
  AddSource<0>(b);
  AddSource<1>(b);
  AddSource<2>(b);
  if (b.info.encoding == Encoding::kExp) {
    b.Explicit(Member::kSrc3, b.inst.src[3], Type::kB32, 1, true, false);
  }
  if (b.info.encoding != Encoding::kMimg) return;
  const int parts = std::min(ImageAddressDwords(b.inst) - 1, 4 * b.inst.nsa_dwords);
  for (int i = 0; i < parts; ++i) {
    OperandUse use;
    use.operand = Vgpr(b.inst.address[static_cast<size_t>(i)]);
    use.type = Type::kB32;
    use.read = true;
    use.member = Member::kSrc0;
    b.uses.Add(use);
  }
}

void AddImplicit(Builder& b) {
  using namespace opcode_flag;  // NOLINT: flags
  const OpcodeInfo& info = b.info;
  const bool short_form = info.encoding != Encoding::kVop3 && b.inst.form != Form::kVop3;
  const int mask = MaskDwords(b.wave);
  const bool mask_in = info.Has(kMaskIn) && short_form;
  const bool carry = info.Has(kCarryOut) && short_form;
  const bool compares = info.dst == Type::kMask && info.encoding == Encoding::kVopc && short_form &&
                        !b.inst.sdst.exists();
  b.Implicit(kVccLo, mask, info.Has(kVccR) || mask_in, carry || compares);
  b.Implicit(kExecLo, mask, info.Has(kExecR) || ReadsExec(info), info.Has(kExecW));
  b.Implicit(kM0, 1, info.Has(kM0R) || b.inst.gds || b.inst.lds, false);
  b.Implicit(kScc, 0, info.Has(kSccR), info.Has(kSccW));
}

}  // namespace

bool ReadsExec(const OpcodeInfo& info) {
  return info.encoding >= Encoding::kVop1 && !info.Has(opcode_flag::kAnyLane);
}

int ImageDataDwords(const Instruction& inst) {
  const OpcodeInfo& info = Info(inst.op);
  if (info.dst != Type::kData) return Dwords(info.dst);
  const bool four = info.Has(opcode_flag::kGather);
  int dwords = four ? 4 : std::max(1, std::popcount(inst.dmask));
  if (inst.d16) dwords = (dwords + 1) / 2;
  return dwords + (inst.tfe || inst.lwe ? 1 : 0);
}

int ImageAddressDwords(const Instruction& inst) {
  const OpcodeInfo& info = Info(inst.op);
  if (info.encoding != Encoding::kMimg) return 0;
  const ImageShape& shape = ShapeOf(inst.op);
  // Node pointer, extent, origin, direction and inverse direction of a ray; a16 packs the last two.
  if (shape.bvh) return (inst.a16 ? 8 : 11) + (shape.bvh64 ? 1 : 0);
  const Dimension& dim = kDimensions[inst.dim & 7];
  const int components = (shape.coordinates ? dim.coordinates : 0) + (shape.lod ? 1 : 0);
  int dwords = shape.words + (inst.a16 ? (components + 1) / 2 : components);
  if (shape.derivatives) {
    // Each direction's halves are packed by themselves.
    const int each = dim.derivatives / 2;
    dwords += shape.half_derivatives ? 2 * ((each + 1) / 2) : dim.derivatives;
  }
  return dwords;
}

bool WritesTrapRegisters(const OperandUses& uses) {
  return std::any_of(uses.begin(), uses.end(), [](const OperandUse& use) {
    const int first = use.operand.code;
    return use.written && first < kTtmp0 + kTtmpCount && first + use.dwords > kTtmp0;
  });
}

bool HasDlcOfStores(const Instruction& inst) {
  const OpcodeInfo& info = Info(inst.op);
  return inst.dlc && (info.Has(opcode_flag::kStore) || info.Has(opcode_flag::kAtomic));
}

bool OverlapsSumsOfDifferences(const Instruction& inst, Wave wave) {
  if (inst.op != Opcode::kVQsadPkU16U8 && inst.op != Opcode::kVMqsadPkU16U8 &&
      inst.op != Opcode::kVMqsadU32U8) {
    return false;
  }
  const int first = inst.dst.code, end = first + Dwords(Info(inst.op).dst);
  const OperandUses uses = OperandsOf(inst, wave);
  return std::any_of(uses.begin(), uses.end(), [&](const OperandUse& use) {
    return use.read && use.operand.is_vgpr() && use.operand.code < end &&
           use.operand.code + use.dwords > first;
  });
}

OperandUses OperandsOf(const Instruction& inst, Wave wave) {
  OperandUses uses;  // the caller's object: a copy would cost as much as half of the rest
  Builder b{inst, Info(inst.op), wave, uses};
  AddDst(b);
  AddSources(b);
  AddImplicit(b);
  return uses;
}

}  // namespace kiln::amd::isa
