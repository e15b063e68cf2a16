// Restrictions of the EU: see verify.h. "PRM regions" is the chapter Register Region Restrictions
// of the public manuals (volume 7, Execution Unit), whose wording the rules shorten.
#include "core/intel/isa/verify.h"

#include <algorithm>
#include <array>
#include <bit>

#include "absl/strings/str_cat.h"
#include "core/intel/isa/codes.h"
#include "core/intel/isa/disasm.h"
#include "core/intel/isa/footprint.h"
#include "core/intel/isa/verify_flow.h"
#include "core/intel/isa/verify_messages.h"
#include "core/intel/isa/verify_targets.h"

namespace kiln::intel::isa {
namespace {

bool HasTypes(const Instruction& inst) {
  switch (Info(inst.op).format) {
    case Format::kBasic:
    case Format::kTernary:
    case Format::kMath: return true;
    default: return false;
  }
}

bool IsTernary(const Instruction& inst) { return Info(inst.op).format == Format::kTernary; }

int SourceCount(const Instruction& inst) {
  if (!HasTypes(inst)) return 0;
  if (inst.op == Opcode::kMath) return MathIsBinary(inst.math) ? 2 : 1;
  return Info(inst.op).nsrc;
}

bool IsNull(const Operand& o) { return o.file == File::kArf && o.arf == Arf::kNull; }
bool IsAccumulator(const Operand& o) { return o.file == File::kArf && o.arf == Arf::kAccumulator; }
bool IsByte(Type type) { return type == Type::kUB || type == Type::kB; }
bool IsInteger(Type type) { return !IsFloat(type); }

// Returns true if `f` holds for any source.
template <typename F>
bool AnySource(const Instruction& inst, F f) {
  for (int i = 0; i < SourceCount(inst); ++i) {
    if (f(inst.src[i])) return true;
  }
  return false;
}

// Returns true if `f` holds for any directly addressed register source of the two-source forms,
// whose regions are spelled out.
template <typename F>
bool AnyRegion(const Instruction& inst, F f) {
  if (IsTernary(inst)) return false;
  return AnySource(inst, [&](const Operand& src) {
    return src.file != File::kImm && src.region.vstride != Region::kVxH && f(src);
  });
}

// Returns the type in which is computed: bytes and words as words; mixed half and single as single.
Type ExecutionTypeOf(Type type) {
  switch (type) {
    case Type::kUB:
    case Type::kB:
    case Type::kUW:
    case Type::kW:
    case Type::kV:
    case Type::kUV: return Type::kW;
    case Type::kUD:
    case Type::kD: return Type::kD;
    case Type::kUQ:
    case Type::kQ: return Type::kQ;
    case Type::kVF: return Type::kF;
    default: return type;
  }
}

bool IsMixedPair(Type a, Type b) {
  return (a == Type::kF && b == Type::kHF) || (a == Type::kHF && b == Type::kF);
}

bool IsMixedFloat(const Instruction& inst) {
  const int n = SourceCount(inst);
  if (n == 0 || n > 2) return false;
  const Type dst = inst.dst.type, a = inst.src[0].type, b = inst.src[n - 1].type;
  return IsMixedPair(dst, a) || IsMixedPair(dst, b) || IsMixedPair(a, b);
}

Type ExecutionType(const Instruction& inst) {
  const Type a = ExecutionTypeOf(inst.src[0].type);
  if (SourceCount(inst) == 1) return a == Type::kHF ? inst.dst.type : a;
  const Type b = ExecutionTypeOf(inst.src[1].type);
  if (IsMixedFloat(inst)) return Type::kF;
  return ByteSize(a) >= ByteSize(b) ? a : b;
}

// Returns true for a mov that only copies bits.
bool IsRawMove(const Instruction& inst) {
  const Operand& src = inst.src[0];
  if (inst.op != Opcode::kMov || inst.saturate || src.negate || src.absolute) return false;
  return ByteSize(src.type) == ByteSize(inst.dst.type) &&
         IsFloat(src.type) == IsFloat(inst.dst.type) && src.type != Type::kV &&
         src.type != Type::kUV && src.type != Type::kVF;
}

int DstStrideBytes(const Instruction& inst) {
  return inst.dst.region.hstride * ByteSize(inst.dst.type);
}

bool PackedByteDst(const Instruction& inst) {
  return IsByte(inst.dst.type) && inst.dst.region.hstride == 1;
}

// Returns true if destination rules apply at all.
bool ChecksDst(const Instruction& inst) {
  return HasTypes(inst) && !IsTernary(inst) && inst.exec_size > 1;
}

bool ConvertsHalfAndInteger(const Instruction& inst) {
  return AnySource(inst, [&](const Operand& src) {
    return (inst.dst.type == Type::kHF && IsInteger(src.type)) ||
           (src.type == Type::kHF && IsInteger(inst.dst.type));
  });
}

// Returns the offset past the last byte that a source touches, from the start of its first
// register.
int SpanBytes(const Operand& src, int channels) {
  const int width = std::min<int>(src.region.width, channels);
  const int rows = std::max(1, channels / width);
  const int last = (rows - 1) * src.region.vstride + (width - 1) * src.region.hstride;
  return src.subnr + (last + 1) * ByteSize(src.type);
}

// ---- The predicates, in the order of the table ----

bool NoOpcode(Generation gen, const Instruction& inst) {
  return inst.op == Opcode::kIllegal || !HasOpcode(gen, inst.op);
}

bool BadChannels(Generation, const Instruction& inst) {
  const int exec = inst.exec_size, offset = inst.channel_offset;
  return !std::has_single_bit(inst.exec_size) || offset + exec > 32 ||
         offset % std::max(4, exec) != 0;
}

bool BadTypes(Generation gen, const Instruction& inst) {
  return AnySource(inst, [&](const Operand& src) {
    // Immediates of three-source instructions have 16 bits, whatever the other operands have.
    if (IsTernary(inst) && src.file == File::kImm) return ByteSize(src.type) != 2;
    return !LegalTypes(gen, inst.op, inst.dst.type, src.type);
  });
}

bool NullSource(Generation, const Instruction& inst) { return AnySource(inst, IsNull); }

bool ByteSecondSource(Generation, const Instruction& inst) {
  for (int i = 1; i < SourceCount(inst); ++i) {
    if (IsByte(inst.src[i].type)) return true;
  }
  return false;
}

bool PackedByteComputed(Generation, const Instruction& inst) {
  return ChecksDst(inst) && PackedByteDst(inst) && !IsRawMove(inst);
}

bool HalfIntegerStride(Generation, const Instruction& inst) {
  return ChecksDst(inst) && !PackedByteDst(inst) && ConvertsHalfAndInteger(inst) &&
         (DstStrideBytes(inst) != 4 || inst.dst.subnr % 4 != 0);
}

bool HalfConversionStride(Generation, const Instruction& inst) {
  if (!ChecksDst(inst) || inst.dst.type != Type::kHF || ConvertsHalfAndInteger(inst)) return false;
  if (!AnySource(inst, [](const Operand& s) { return s.type == Type::kF; })) return false;
  const int hstride = inst.dst.region.hstride;
  return hstride != 2 && !(hstride == 1 && inst.dst.subnr % 16 == 0);
}

bool NarrowDstStride(Generation, const Instruction& inst) {
  if (!ChecksDst(inst) || PackedByteDst(inst) || IsMixedFloat(inst)) return false;
  const int exec = ByteSize(ExecutionType(inst));
  if (exec <= ByteSize(inst.dst.type)) return false;
  if (IsByte(inst.dst.type) && IsRawMove(inst)) return false;
  return DstStrideBytes(inst) != exec;
}

bool NarrowDstAlignment(Generation, const Instruction& inst) {
  if (!ChecksDst(inst) || PackedByteDst(inst) || IsMixedFloat(inst) || inst.dst.indirect) {
    return false;
  }
  const int exec = ByteSize(ExecutionType(inst));
  if (exec <= ByteSize(inst.dst.type)) return false;
  const int offset = inst.dst.subnr % exec;
  return IsByte(inst.dst.type) ? offset > 1 : offset != 0;
}

bool WidthBeyondExec(Generation, const Instruction& inst) {
  return AnyRegion(inst, [&](const Operand& s) { return s.region.width > inst.exec_size; });
}

bool OneRowStride(Generation, const Instruction& inst) {
  return AnyRegion(inst, [&](const Operand& s) {
    const Region& r = s.region;
    return r.width == inst.exec_size && r.hstride != 0 && r.vstride != r.width * r.hstride;
  });
}

bool WidthOneStride(Generation, const Instruction& inst) {
  return AnyRegion(inst,
                   [](const Operand& s) { return s.region.width == 1 && s.region.hstride != 0; });
}

bool ScalarStrides(Generation, const Instruction& inst) {
  return inst.exec_size == 1 && AnyRegion(inst, [](const Operand& s) {
           return s.region.width == 1 && (s.region.vstride != 0 || s.region.hstride != 0);
         });
}

bool BroadcastWidth(Generation, const Instruction& inst) {
  return AnyRegion(inst, [](const Operand& s) {
    return s.region.vstride == 0 && s.region.hstride == 0 && s.region.width != 1;
  });
}

// The first two of three sources have rows as long as the strides say; the last has no rows and
// only has to fit a register.
bool TernaryRowCrossesRegister(const Instruction& inst) {
  for (int i = 0; i < SourceCount(inst); ++i) {
    const Operand& s = inst.src[i];
    if (s.file == File::kImm || s.region.hstride == 0) continue;
    const int step = s.region.hstride * ByteSize(s.type);
    const int row = i < 2 ? s.region.vstride / s.region.hstride : kGrfBytes / step;
    const int lanes = std::clamp<int>(row, 1, inst.exec_size);
    if (s.subnr / kGrfBytes != (s.subnr + (lanes - 1) * step) / kGrfBytes) return true;
  }
  return false;
}

bool RowCrossesRegister(Generation, const Instruction& inst) {
  if (IsTernary(inst)) return TernaryRowCrossesRegister(inst);
  return AnyRegion(inst, [&](const Operand& s) {
    const int size = ByteSize(s.type);
    const int width = std::min<int>(s.region.width, inst.exec_size);
    for (int row = 0; row < inst.exec_size / width; ++row) {
      const int first = s.subnr + row * s.region.vstride * size;
      const int last = first + (width - 1) * s.region.hstride * size + size - 1;
      if (first / kGrfBytes != last / kGrfBytes) return true;
    }
    return false;
  });
}

bool ZeroDstStride(Generation, const Instruction& inst) {
  return HasTypes(inst) && !IsNull(inst.dst) && inst.dst.region.hstride == 0;
}

bool WideSource(Generation, const Instruction& inst) {
  return AnySource(inst, [&](const Operand& s) {
    return s.file != File::kImm && !s.indirect && s.region.vstride != Region::kVxH &&
           SpanBytes(s, inst.exec_size) > 2 * kGrfBytes;
  });
}

bool WideDst(Generation, const Instruction& inst) {
  if (!HasTypes(inst) || IsNull(inst.dst) || inst.dst.indirect) return false;
  const int last = (inst.exec_size - 1) * DstStrideBytes(inst) + ByteSize(inst.dst.type);
  return inst.dst.subnr + last > 2 * kGrfBytes;
}

bool BeyondRegisterFile(Generation, const Instruction& inst) {
  const auto beyond = [](const Operand& o, int bytes) {
    return o.file == File::kGrf && !o.indirect && o.nr * kGrfBytes + bytes > kGrfCount * kGrfBytes;
  };
  if (IsSend(inst.op)) {
    const SendLengths n = LengthsOf(inst);
    const SendFields& s = inst.send;
    return (!s.desc_is_register &&
            (beyond(inst.src[0], n.mlen * kGrfBytes) || beyond(inst.dst, n.rlen * kGrfBytes))) ||
           (!s.ex_desc_is_register && beyond(inst.src[1], n.ex_mlen * kGrfBytes));
  }
  if (!HasTypes(inst)) return false;
  if (beyond(inst.dst, inst.dst.subnr + (inst.exec_size - 1) * DstStrideBytes(inst) +
                           ByteSize(inst.dst.type))) {
    return true;
  }
  return AnySource(inst, [&](const Operand& s) {
    return s.region.vstride != Region::kVxH && beyond(s, SpanBytes(s, inst.exec_size));
  });
}

bool MisalignedOperand(Generation, const Instruction& inst) {
  if (!HasTypes(inst)) return false;
  const auto bad = [](const Operand& o) {
    return o.file != File::kImm && !o.indirect && o.subnr % ByteSize(o.type) != 0;
  };
  return bad(inst.dst) || AnySource(inst, bad);
}

// Returns true if the number does not exist in its kind: there are f0 and f1, sr0 and sr1, and one
// register of other kinds.
bool NoSuchRegister(const Operand& o) {
  if (o.file != File::kArf) return false;
  switch (o.arf) {
    case Arf::kAccumulator: return false;  // the field cannot name one that does not exist
    case Arf::kFlag:
    case Arf::kState: return o.nr > 1;
    default: return o.nr > 0;
  }
}

bool MissingRegister(Generation, const Instruction& inst) {
  const bool sends = IsSend(inst.op), syncs = Info(inst.op).format == Format::kSync;
  if (!HasTypes(inst) && !sends && !syncs) return false;
  if (!syncs && NoSuchRegister(inst.dst)) return true;
  const int n = sends ? 2 : syncs ? 1 : SourceCount(inst);
  return std::any_of(inst.src.begin(), inst.src.begin() + n, NoSuchRegister);
}

bool SyncOperand(Generation, const Instruction& inst) {
  if (Info(inst.op).format != Format::kSync) return false;
  const bool masks = inst.sync == SyncFunction::kAllRd || inst.sync == SyncFunction::kAllWr;
  return !IsNull(inst.src[0]) && inst.src[0].file != File::kNone &&
         !(masks && inst.src[0].file == File::kImm);
}

bool MixedIndirect(Generation, const Instruction& inst) {
  return IsMixedFloat(inst) && AnySource(inst, [](const Operand& s) { return s.indirect; });
}

bool MixedWide(Generation, const Instruction& inst) {
  if (!IsMixedFloat(inst) || inst.exec_size <= 8) return false;
  // A mov to single only converts; the reference compiler makes it 16 wide.
  if (inst.op == Opcode::kMov && inst.dst.type == Type::kF) return false;
  return inst.dst.type == Type::kF || (inst.dst.type == Type::kHF && inst.dst.region.hstride == 1);
}

bool MixedMathInput(Generation, const Instruction& inst) {
  return inst.op == Opcode::kMath && IsMixedFloat(inst) && AnySource(inst, [](const Operand& s) {
           return s.type == Type::kHF && s.file != File::kImm && s.region.hstride <= 1 &&
                  s.region.vstride != 0;
         });
}

bool VectorImmediateDst(Generation, const Instruction& inst) {
  if (!HasTypes(inst) || IsTernary(inst)) return false;
  return AnySource(inst, [&](const Operand& s) {
    if (s.type == Type::kVF) return inst.dst.subnr % 16 != 0 || DstStrideBytes(inst) != 4;
    if (s.type != Type::kV && s.type != Type::kUV) return false;
    return inst.dst.subnr % 16 != 0 || DstStrideBytes(inst) != 2;
  });
}

bool MisplacedImmediate(Generation, const Instruction& inst) {
  const int n = SourceCount(inst);
  if (IsTernary(inst)) {
    return inst.src[1].file == File::kImm ||
           (inst.src[0].file == File::kImm && inst.src[2].file == File::kImm);
  }
  return inst.src[0].file == File::kImm && (n == 2 || inst.op == Opcode::kMovi);
}

// An immediate among three sources (MisplacedImmediate says which) has 16 bits; experiments have
// shown where its type may differ from the others'.
bool TernaryImmediate(Generation, const Instruction& inst) {
  if (!IsTernary(inst)) return false;
  const auto bad = [&](int i) {
    const Operand& s = inst.src[i];
    if (s.file != File::kImm) return false;
    switch (inst.op) {
      case Opcode::kMad: return i == 2 && IsFloat(s.type);
      case Opcode::kCsel: return IsFloat(s.type) && inst.src[1].type != s.type;
      case Opcode::kBfe: return IsSigned(s.type) != IsSigned(inst.dst.type);
      default: return inst.op == Opcode::kBfi2;
    }
  };
  return bad(0) || bad(2);
}

bool ModifiedDwordMultiply(Generation, const Instruction& inst) {
  if (inst.op != Opcode::kMul || ExecutionType(inst) != Type::kD) return false;
  return AnySource(inst, [](const Operand& s) {
    return s.file != File::kImm && ByteSize(s.type) != 4 && (s.negate || s.absolute);
  });
}

bool DwordProduct(Generation, const Instruction& inst) {
  return inst.op == Opcode::kMul && !IsFloat(inst.src[0].type) && ByteSize(inst.src[0].type) == 4 &&
         ByteSize(inst.src[1].type) == 4;
}

bool SelectWithoutChoice(Generation, const Instruction& inst) {
  return inst.op == Opcode::kSel && (inst.pred == PredCtrl::kNone) == (inst.cmod == CondMod::kNone);
}

bool CompareWithoutCondition(Generation, const Instruction& inst) {
  return (inst.op == Opcode::kCmp || inst.op == Opcode::kCmpn || inst.op == Opcode::kCsel) &&
         inst.cmod == CondMod::kNone;
}

bool MathOperands(Generation, const Instruction& inst) {
  if (inst.op != Opcode::kMath) return false;
  return inst.dst.file != File::kGrf || inst.dst.indirect || AnySource(inst, IsAccumulator) ||
         AnySource(inst, [](const Operand& s) { return s.indirect; });
}

bool MathWidth(Generation, const Instruction& inst) {
  if (inst.op != Opcode::kMath) return false;
  return inst.exec_size > (IsIntegerDivision(inst.math) ? 8 : 16);
}

bool HalfMathWidth(Generation, const Instruction& inst) {
  return inst.op == Opcode::kMath && inst.exec_size > 8 &&
         (inst.dst.type == Type::kHF ||
          AnySource(inst, [](const Operand& s) { return s.type == Type::kHF; }));
}

bool DivisionModifiers(Generation, const Instruction& inst) {
  return inst.op == Opcode::kMath && MathIsBinary(inst.math) && IsInteger(inst.dst.type) &&
         AnySource(inst, [](const Operand& s) { return s.negate || s.absolute; });
}

bool MathTypes(Generation, const Instruction& inst) {
  if (inst.op != Opcode::kMath) return false;
  const bool integers = IsIntegerDivision(inst.math);
  return IsInteger(inst.dst.type) != integers ||
         AnySource(inst, [&](const Operand& s) { return IsInteger(s.type) != integers; });
}

bool LogicModifiers(Generation, const Instruction& inst) {
  return Info(inst.op).bitwise && AnySource(inst, [](const Operand& s) { return s.absolute; });
}

// Returns the number of channels that one result of an anyNh or allNh predicate combines; 0 for the
// other predicates.
int PredicateGroup(PredCtrl pred) {
  if (pred < PredCtrl::kAny2h) return 0;
  return 2 << ((static_cast<int>(pred) - static_cast<int>(PredCtrl::kAny2h)) / 2);
}

bool NarrowPredicate(Generation, const Instruction& inst) {
  return HasTypes(inst) && inst.exec_size > 1 && PredicateGroup(inst.pred) > inst.exec_size;
}

bool TernaryDst(Generation, const Instruction& inst) {
  if (!IsTernary(inst)) return false;
  if (inst.dst.file == File::kArf) return inst.dst.arf != Arf::kAccumulator;
  return inst.dst.subnr % 8 != 0;
}

bool SendFiles(Generation, const Instruction& inst) {
  if (!IsSend(inst.op)) return false;
  const auto grf_or_null = [](const Operand& o) {
    return (o.file == File::kGrf && !o.indirect) || IsNull(o) || o.file == File::kNone;
  };
  return inst.src[0].file != File::kGrf || inst.src[0].indirect || !grf_or_null(inst.src[1]) ||
         !grf_or_null(inst.dst);
}

bool EotPayload(Generation, const Instruction& inst) {
  if (!IsSend(inst.op) || !inst.send.eot) return false;
  const auto low = [](const Operand& o) { return o.file == File::kGrf && o.nr < 112; };
  return low(inst.src[0]) || low(inst.src[1]);
}

bool PayloadOverlap(Generation, const Instruction& inst) {
  if (!IsSend(inst.op) || inst.src[1].file != File::kGrf) return false;
  const SendLengths n = LengthsOf(inst);
  const int mlen = inst.send.desc_is_register ? 1 : n.mlen;
  const int ex_mlen = inst.send.ex_desc_is_register ? 1 : n.ex_mlen;
  return inst.src[0].nr < inst.src[1].nr + ex_mlen && inst.src[1].nr < inst.src[0].nr + mlen;
}

bool SendLengthMismatch(Generation, const Instruction& inst) {
  if (!IsSend(inst.op)) return false;
  const SendFields& s = inst.send;
  const SendLengths n = LengthsOf(inst);
  return (!s.desc_is_register && n.mlen == 0) ||
         (!s.desc_is_register && n.rlen > 0 && inst.dst.file != File::kGrf) ||
         (!s.ex_desc_is_register && (n.ex_mlen > 0) != (inst.src[1].file == File::kGrf));
}

bool BadScoreboard(Generation, const Instruction& inst) {
  const int b = inst.swsb;
  const bool out_of_order = IsSend(inst.op) || inst.op == Opcode::kMath;
  const bool eot = IsSend(inst.op) && inst.send.eot;
  const bool combined = (b & 0x80) != 0;
  const bool sets = b >> 4 == 4;
  if (combined) return (b >> 4 & 7) == 0;
  if (out_of_order && !eot) return !sets;
  return (sets && !out_of_order) || (b > 7 && b < 0x20) || b > 0x4f;
}

bool AccumulatorStride(Generation, const Instruction& inst) {
  return HasTypes(inst) && IsAccumulator(inst.dst) && inst.dst.subnr == 0 &&
         inst.dst.region.hstride != 1;
}

bool EotWithoutDistance(Generation, const Instruction& inst) {
  return IsSend(inst.op) && inst.send.eot && inst.swsb != 1;
}

bool NullBranch(Generation, const Instruction& inst) {
  if (!IsBranch(inst.op) || Info(inst.op).format == Format::kRet) return false;
  if (inst.src[0].file == File::kGrf) return false;
  const bool nowhere = inst.jip == 0 && inst.op != Opcode::kWhile;  // an empty endless loop
  return nowhere || inst.jip % 8 != 0 || inst.uip % 8 != 0;
}

// A rule with a source for Gen12; the older generations have not been checked.
constexpr Rulings OnGen12(absl::string_view source) {
  return {Ruling{}, Ruling{}, Ruling{Cell::kValue, source}};
}

// A rule about a feature that begins with Gen12.
constexpr Rulings SinceGen12(absl::string_view source) {
  constexpr Ruling kBefore = {Cell::kAbsent,
                              "Mesa 25.0.7, brw_eu_inst.h: no scoreboard byte before Gen12"};
  return {kBefore, kBefore, Ruling{Cell::kValue, source}};
}

constexpr Restriction kRestrictions[] = {
    {"opcode", "the opcode exists and is not illegal", OnGen12("BSpec opcode list"), NoOpcode},
    {"channels", "execution size and channel offset lie within 32 channels, aligned",
     OnGen12("PRM volume 7, execution masks"), BadChannels},
    {"types", "the opcode takes these types", OnGen12("BSpec instruction pages"), BadTypes},
    {"null source", "sources are not null", OnGen12("PRM volume 7, null register"), NullSource},
    {"byte second source", "src1 and src2 are not of byte type", OnGen12("PRM Gen11 regions"),
     ByteSecondSource},
    {"packed byte destination", "only a raw mov writes packed bytes", OnGen12("PRM regions"),
     PackedByteComputed},
    {"half to integer", "conversions between integer and half write dword-aligned, dword stride",
     OnGen12("PRM volume 2a, mov"), HalfIntegerStride},
    {"float to half", "half results have stride 2, or are packed and oword-aligned",
     OnGen12("PRM regions, relaxed alignment for words"), HalfConversionStride},
    {"narrow destination stride", "a destination narrower than the execution type has its stride",
     OnGen12("PRM regions"), NarrowDstStride},
    {"narrow destination alignment",
     "a destination narrower than the execution type is aligned to it", OnGen12("PRM regions"),
     NarrowDstAlignment},
    {"width", "execution size >= width", OnGen12("PRM regions"), WidthBeyondExec},
    {"one row", "width = execution size and stride: vertical stride = width x horizontal stride",
     OnGen12("PRM regions"), OneRowStride},
    {"width one", "width 1: horizontal stride 0", OnGen12("PRM regions"), WidthOneStride},
    {"scalar", "execution size 1, width 1: both strides 0", OnGen12("PRM regions"), ScalarStrides},
    {"broadcast", "both strides 0: width 1", OnGen12("PRM regions"), BroadcastWidth},
    {"row in register", "a row of a region does not cross a register boundary",
     OnGen12("PRM regions"), RowCrossesRegister},
    {"destination stride", "the destination's stride is not 0", OnGen12("PRM regions"),
     ZeroDstStride},
    {"wide source", "a source spans at most two registers", OnGen12("PRM regions"), WideSource},
    {"wide destination", "a destination spans at most two registers", OnGen12("PRM regions"),
     WideDst},
    {"register file", "operands and payloads end within r127",
     OnGen12("PRM volume 7, register file"), BeyondRegisterFile},
    {"architecture register",
     "the architecture register exists: null, a0, f0, f1, sr0, sr1, cr0, ...",
     OnGen12("PRM volume 7, ARF registers; iga64 (flip_bits)"), MissingRegister},
    {"sync operand", "sync takes null; allrd and allwr may take an immediate mask",
     OnGen12("BSpec sync; iga64 (flip_bits)"), SyncOperand},
    {"operand alignment", "sub-registers are multiples of the type's size",
     OnGen12("PRM volume 7, direct addressing"), MisalignedOperand},
    {"mixed float indirect", "mixed float takes no indirect source", OnGen12("PRM SKL mixed mode"),
     MixedIndirect},
    {"mixed float width", "mixed float to single or packed half: at most 8 channels",
     OnGen12("PRM SKL mixed mode"), MixedWide},
    {"mixed float math", "mixed float math takes half inputs strided",
     OnGen12("PRM SKL mixed mode"), MixedMathInput},
    {"vector immediate",
     "V and UV need a word stride, VF a dword stride, both an oword-aligned destination",
     OnGen12("PRM volume 7, immediate vectors"), VectorImmediateDst},
    {"immediate place",
     "only the last source is immediate; of three sources the first or last; of movi none",
     OnGen12("BSpec instruction formats"), MisplacedImmediate},
    {"three-source immediate",
     "a half immediate of mad is the addend, of csel beside halves; one of bfe has the sign of the "
     "result's type; bfi2 has none",
     OnGen12("Mesa 25.0.7, brw_opt_combine_constants.cpp, supports_src_as_imm; brw_eu_emit.c; "
             "ERRATA.md"),
     TernaryImmediate},
    {"dword product", "mul does not take two dwords: one factor is a word",
     OnGen12(
         "Mesa 25.0.7: has_integer_dword_mul is false; IGC, visa/HWCaps.inc: noDwDstForDwordMul"),
     DwordProduct},
    {"dword multiply modifier", "dword times a narrower integer: no modifier on the narrower",
     OnGen12("Wa_1604601757"), ModifiedDwordMultiply},
    {"select", "sel has either a predicate or a conditional modifier",
     OnGen12("PRM volume 2a, sel"), SelectWithoutChoice},
    {"compare", "cmp, cmpn and csel have a conditional modifier", OnGen12("PRM volume 2a, cmp"),
     CompareWithoutCondition},
    {"math operands", "math writes a GRF and reads no accumulator and nothing indirect",
     OnGen12("PRM volume 2a, math"), MathOperands},
    {"math width", "math has at most 16 channels, integer division 8",
     OnGen12("PRM volume 2a, math"), MathWidth},
    {"half math width", "math on half floats has at most 8 channels",
     OnGen12("reference compiler's legal widths of math"), HalfMathWidth},
    {"division modifiers", "integer division has no source modifiers",
     OnGen12("PRM volume 2a, math"), DivisionModifiers},
    {"math types", "integer division is of integers, all other math of floats",
     OnGen12("PRM volume 2a, math"), MathTypes},
    {"logic modifiers", "sources of logic may be inverted, but have no absolute value",
     OnGen12("PRM volume 7, source modifiers"), LogicModifiers},
    {"predicate group", "anyNh and allNh need an execution size of at least N, or 1",
     OnGen12("PRM volume 7, predication"), NarrowPredicate},
    {"three-source destination",
     "a three-source destination is a GRF, 8-byte aligned, or an accumulator",
     OnGen12("BSpec three-source format; Mesa 25.0.7, brw_lower_3src_null_dest"), TernaryDst},
    {"send files", "payload and response of send are GRFs; second payload and response may be null",
     OnGen12("BSpec send"), SendFiles},
    {"end-of-thread payload", "a send that ends the thread reads r112 to r127",
     OnGen12("PRM volume 2a, send"), EotPayload},
    {"payload overlap", "the two payloads of send do not overlap", OnGen12("PRM volume 2a, sends"),
     PayloadOverlap},
    {"send lengths", "lengths are those of the operands present", OnGen12("BSpec send"),
     SendLengthMismatch},
    {"message", "the descriptor is that of a message of the shared function",
     OnGen12("PRM volumes 2d and 7, messages; messages.def"), UnknownMessage},
    {"message header", "messages have a header exactly if they need one",
     OnGen12("PRM volume 7, message headers; messages.def"), MessageHeader},
    {"message lengths", "payloads and response have the lengths that the message requires",
     OnGen12("PRM volume 7, messages; messages.def"), MessageLengths},
    {"target write order", "writes to render targets wait for those of earlier threads: sendc",
     OnGen12("Mesa 25.0.7, brw_lower_logical_sends.cpp, lower_fb_write_logical_send"),
     TargetWriteUnordered},
    {"message channels",
     "writes to render targets and the URB and interpolations are for the channels of the "
     "instruction",
     OnGen12("Mesa 25.0.7, brw_lower_logical_sends.cpp; PRM volume 7, slot group"),
     MessageChannels},
    {"end-of-thread message",
     "the thread ends with a write to a render target or the URB, or with the thread spawner's "
     "message",
     OnGen12("PRM volume 2a, send, EOT"), EndMessage},
    {"block channels", "blocks of several registers have an execution size of at least 16",
     OnGen12("Mesa and IGC, see ERRATA.md"), BlockChannels},
    {"sampler payload", "a sampler message has at most 11 registers, header included",
     OnGen12("PRM, 3D Sampler, message length"), SamplerPayload},
    {"scoreboard", "the scoreboard byte is valid; send and math set a token",
     SinceGen12("PRM Gen12 SWSB"), BadScoreboard},
    {"accumulator stride", "an accumulator destination at offset 0 has stride 1",
     OnGen12("Wa_14014617373"), AccumulatorStride},
    {"end-of-thread wait", "a send that ends the thread waits with distance 1 and no more",
     SinceGen12("Wa_14013672992"), EotWithoutDistance},
    {"branch distance", "branches have a nonzero offset in units of 8 bytes",
     OnGen12("BSpec branches"), NullBranch},
    {"branch target", "branches go to an instruction of the program or its end",
     OnGen12("BSpec branches"), nullptr},
    {"structure", "if, else, endif, while, break and cont nest and name each other",
     OnGen12("PRM volume 2a, if, else, endif, while, break, cont, halt"), nullptr},
    {"halts",
     "all halts jump to after the last, which is for all channels and outside control flow",
     OnGen12("Mesa 25.0.7, brw_generator.cpp, patch_halt_jumps"), nullptr},
    {"last target",
     "of the writes to render targets of a group of channels only the last is marked last; the "
     "last of all ends the thread",
     OnGen12("Mesa 25.0.7, brw_fs_visitor.cpp, emit_fb_writes"), nullptr},
    {"target parts", "all writes to render targets have the same parts",
     OnGen12("Mesa 25.0.7, brw_fs_visitor.cpp, emit_fb_writes"), nullptr},
    {"end of thread", "the program can end a thread", OnGen12("PRM volume 2a, send"), nullptr},
    {"accumulator at end", "a written accumulator is cleared before the thread ends",
     OnGen12("Wa_14010017096"), nullptr},
};

const Restriction* Named(absl::string_view name) {
  for (const Restriction& r : kRestrictions) {
    if (r.name == name) return &r;
  }
  return nullptr;
}

std::string Explain(Generation gen, const Restriction& r, const Instruction& inst) {
  return absl::StrCat(r.rule, " (", r.by[Index(gen)].source, "): ", Disassemble(gen, inst));
}

// Returns true if an instruction, or the end of the program, is at this offset.
bool IsTarget(absl::Span<const PlacedInstruction> program, int64_t offset) {
  const auto it =
      std::lower_bound(program.begin(), program.end(), offset,
                       [](const PlacedInstruction& p, int64_t value) { return p.offset < value; });
  if (it != program.end()) return it->offset == offset;
  return offset == int64_t{program.back().offset} + ByteLength(program.back().inst);
}

bool TargetsExist(absl::Span<const PlacedInstruction> program, const PlacedInstruction& p) {
  const Instruction& inst = p.inst;
  const Format format = Info(inst.op).format;
  if (!IsBranch(inst.op) || format == Format::kRet || inst.src[0].file == File::kGrf) return true;
  const int64_t base = inst.op == Opcode::kCalla ? 0 : p.offset;
  return IsTarget(program, base + inst.jip) &&
         (format != Format::kBranchJU || IsTarget(program, base + inst.uip));
}

// Returns true for a mov that clears acc0 and acc1. WritesAccumulator below is true for it, too.
bool ClearsAccumulator(const Instruction& inst) {
  return inst.op == Opcode::kMov && IsAccumulator(inst.dst) && inst.dst.nr == 0 && inst.no_mask &&
         inst.src[0].file == File::kImm && inst.src[0].imm == 0;
}

bool WritesAccumulator(const Instruction& inst) {
  return HasTypes(inst) &&
         (inst.acc_write || Info(inst.op).writes_accumulator || IsAccumulator(inst.dst));
}

// A row is a rule of the generation only if its ruling says that it holds.
bool Holds(Generation gen, const Restriction& r) { return r.by[Index(gen)].cell == Cell::kValue; }

std::vector<const Restriction*> Broken(Generation gen, const Instruction& inst) {
  std::vector<const Restriction*> out;
  for (const Restriction& r : kRestrictions) {
    if (r.broken != nullptr && Holds(gen, r) && r.broken(gen, inst)) out.push_back(&r);
  }
  return out;
}

}  // namespace

absl::Span<const Restriction> Restrictions() { return kRestrictions; }

const ColumnTable& RestrictionTable() {
  static constexpr ColumnTable table = {
      "restriction", std::size(kRestrictions), [](size_t row) { return kRestrictions[row].name; },
      [](Generation gen, size_t row) { return kRestrictions[row].by[Index(gen)].cell; }};
  return table;
}

absl::StatusOr<std::vector<const Restriction*>> BrokenBy(Generation gen, const Instruction& inst) {
  if (absl::Status s = CheckColumn(RestrictionTable(), gen); !s.ok()) return s;
  return Broken(gen, inst);
}

absl::StatusOr<std::vector<Finding>> Verify(Generation gen,
                                            absl::Span<const PlacedInstruction> program) {
  if (absl::Status s = CheckColumn(RestrictionTable(), gen); !s.ok()) return s;
  std::vector<Finding> findings;
  const Restriction& accumulator_at_end = *Named("accumulator at end");
  bool ends = false, accumulator_dirty = false;
  for (const PlacedInstruction& p : program) {
    if (WritesAccumulator(p.inst)) accumulator_dirty = !ClearsAccumulator(p.inst);
    if (accumulator_dirty && Holds(gen, accumulator_at_end) && IsSend(p.inst.op) &&
        p.inst.send.eot) {
      const Restriction& r = accumulator_at_end;
      findings.push_back({p.offset, r.name, Explain(gen, r, p.inst)});
    }
    for (const Restriction* r : Broken(gen, p.inst)) {
      findings.push_back({p.offset, r->name, Explain(gen, *r, p.inst)});
    }
    if (!TargetsExist(program, p)) {
      const Restriction& r = *Named("branch target");
      findings.push_back({p.offset, r.name, Explain(gen, r, p.inst)});
    }
    ends |= IsSend(p.inst.op) && p.inst.send.eot;
  }
  const auto add = [&](absl::string_view name, const std::vector<size_t>& indices) {
    const Restriction& r = *Named(name);
    if (!Holds(gen, r)) return;
    for (const size_t i : indices) {
      findings.push_back({program[i].offset, r.name, Explain(gen, r, program[i].inst)});
    }
  };
  add("structure", MisplacedControlFlow(program));
  add("halts", UnmetHalts(program));
  add("last target", MisplacedLastTargets(gen, program));
  add("target parts", UnequalTargetWrites(gen, program));
  if (!ends) {
    const Restriction& r = *Named("end of thread");
    findings.push_back({program.empty() ? 0 : program.back().offset, r.name, std::string(r.rule)});
  }
  return findings;
}

}  // namespace kiln::intel::isa
