// Selects texel operations as MIMG and, for texel buffers, MUBUF instructions.
//
// The order of address parts, dimensions, masks: core/amd/isa/instruction.h and operands.h; cube
// coordinates and what code changes in samplers: Mesa 25.0.7, ac_nir_lower_tex.c; sizes from
// descriptors: ac_nir_lower_resinfo.c.
#include "core/amd/select/images.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/amd/select/barriers.h"

namespace kiln::amd {
namespace {

enum Dim : uint8_t { k1D, k2D, k3D, kCube, k1DArray, k2DArray, k2DMsaa, k2DMsaaArray };

// Storage images take the faces of a cube as layers.
Dim DimOf(const mir::ImageInfo& info, bool storage) {
  switch (info.dim) {
    case mir::ImageDim::k1D: return info.arrayed ? k1DArray : k1D;
    case mir::ImageDim::k3D: return k3D;
    case mir::ImageDim::kCube: return storage ? k2DArray : kCube;
    default: break;
  }
  if (info.multisampled) return info.arrayed ? k2DMsaaArray : k2DMsaa;
  return info.arrayed ? k2DArray : k2D;
}

// Returns the opcode with this name, which is made of parts in the order of the mnemonics.
Opcode Named(absl::string_view name) {
  for (int i = 0; i < isa::kOpcodeCount; ++i) {
    const isa::OpcodeInfo& info = isa::Info(i);
    if (info.encoding == isa::Encoding::kMimg && info.mnemonic == name) {
      return info.op;
    }
  }
  return Opcode::kSNop;
}

int CountBits(uint32_t mask) { return __builtin_popcount(mask); }

// The same operation on images, whose dmask says how wide it is, and on buffers of one dword and of
// two.
struct AtomicOpcodes {
  Opcode image, buffer, wide_buffer;
};

AtomicOpcodes OpcodesOf(mir::AtomicOp op) {
  using A = mir::AtomicOp;
  using enum Opcode;
  switch (op) {
    case A::kIncrement:
    case A::kAdd: return {kImageAtomicAdd, kBufferAtomicAdd, kBufferAtomicAddX2};
    case A::kDecrement:
    case A::kSub: return {kImageAtomicSub, kBufferAtomicSub, kBufferAtomicSubX2};
    case A::kSmin: return {kImageAtomicSmin, kBufferAtomicSmin, kBufferAtomicSminX2};
    case A::kUmin: return {kImageAtomicUmin, kBufferAtomicUmin, kBufferAtomicUminX2};
    case A::kSmax: return {kImageAtomicSmax, kBufferAtomicSmax, kBufferAtomicSmaxX2};
    case A::kUmax: return {kImageAtomicUmax, kBufferAtomicUmax, kBufferAtomicUmaxX2};
    case A::kAnd: return {kImageAtomicAnd, kBufferAtomicAnd, kBufferAtomicAndX2};
    case A::kOr: return {kImageAtomicOr, kBufferAtomicOr, kBufferAtomicOrX2};
    case A::kXor: return {kImageAtomicXor, kBufferAtomicXor, kBufferAtomicXorX2};
    case A::kExchange: return {kImageAtomicSwap, kBufferAtomicSwap, kBufferAtomicSwapX2};
    case A::kCompareExchange:
      return {kImageAtomicCmpswap, kBufferAtomicCmpswap, kBufferAtomicCmpswapX2};
    default: return {kSNop, kSNop, kSNop};
  }
}

Opcode AtomicOf(mir::AtomicOp op, bool buffer, bool wide) {
  const AtomicOpcodes ops = OpcodesOf(op);
  return !buffer ? ops.image : wide ? ops.wide_buffer : ops.buffer;
}

}  // namespace

// ---- Descriptors.

Operand Images::Image(const Access& a) {
  const bool buffer = a.info.dim == mir::ImageDim::kBuffer;
  return descriptors_.Load(m_.inst(a.id).imm0, Source(a, a.sources.image_index), 0, buffer ? 4 : 8);
}

// Gathers clear TRUNC_COORD, which is set for samplers that take the nearest texel.
Operand Images::Sampler(const Access& a, bool gather) {
  const uint32_t image = m_.inst(a.id).imm0;
  const bool combined = a.texel->sampler == mir::TexelOp::kNoSampler;
  const Operand words =
      combined
          ? descriptors_.Load(image, Source(a, a.sources.image_index), kImageDescriptorBytes, 4)
          : descriptors_.Load(a.texel->sampler, Source(a, a.sources.sampler_index), 0, 4);
  if (!gather) return words;
  constexpr uint32_t kTruncCoord = 1u << 27;
  const Operand first = e_.Salu(Opcode::kSAndB32, {e_.Component(words, 0), Imm(~kTruncCoord)});
  return e_.Vector({first, e_.Component(words, 1), e_.Component(words, 2), e_.Component(words, 3)},
                   kFileS);
}

// ---- Addresses.

// Six bits each at bits 0, 8 and 16. Returns none where there are no offsets.
Operand Images::PackedOffsets(const Access& a) {
  if (a.sources.offsets >= 0) {
    Operand packed;
    for (int i = 0; i < a.sources.num_offsets; ++i) {
      const Operand part =
          e_.Valu(Opcode::kVAndB32, {Imm(0x3f), e_.Src(Source(a, a.sources.offsets + i))});
      packed =
          i == 0 ? part
                 : e_.Valu(Opcode::kVLshlOrB32, {part, Imm(8 * static_cast<uint32_t>(i)), packed});
    }
    return packed;
  }
  uint32_t bits = 0;
  for (size_t i = 0; i < 3; ++i) {
    bits |= (static_cast<uint32_t>(a.texel->offset[i]) & 0x3f) << (8 * i);
  }
  return bits == 0 ? Operand() : Imm(bits);
}

// The face, and coordinates on it, of a direction; the layer of an array is rounded to even.
void Images::AddCube(const Access& a, Parts& parts) {
  const auto at = [&](int i) { return e_.Src(Source(a, a.sources.coordinates + i)); };
  const Operand x = at(0), y = at(1), z = at(2);
  Operand major = e_.Valu(Opcode::kVCubemaF32, {x, y, z});
  major.mods = Operand::kAbsolute;
  const Operand inverse = e_.Valu(Opcode::kVRcpF32, {major});
  const Operand half_more = Imm(0x3fc00000);  // 1.5
  for (const Opcode op : {Opcode::kVCubescF32, Opcode::kVCubetcF32}) {
    const Operand on_face = e_.Valu(op, {x, y, z});
    parts.push_back(e_.Valu(Opcode::kVFmaF32, {on_face, inverse, half_more}));
  }
  Operand face = e_.Valu(Opcode::kVCubeidF32, {x, y, z});
  if (a.info.arrayed) {
    const Operand layer = e_.Valu(Opcode::kVRndneF32, {at(3)});
    face = e_.Valu(Opcode::kVFmaF32, {layer, Imm(0x41000000), face});  // 8.0
  }
  parts.push_back(face);
}

void Images::AddCoordinates(const Access& a, Parts& parts) {
  if (a.sampled && a.info.dim == mir::ImageDim::kCube) return AddCube(a, parts);
  for (int i = 0; i < a.sources.num_coordinates; ++i) {
    const Operand c = e_.Src(Source(a, a.sources.coordinates + i));
    const bool layer = a.sampled && a.info.arrayed && i + 1 == a.sources.num_coordinates;
    parts.push_back(layer ? e_.Valu(Opcode::kVRndneF32, {c}) : c);
  }
}

Operand Images::Emit(Opcode op, const Access& a, const Parts& parts, const Operand& sampler,
                     Extra extra, const Operand& data, int result_dwords) {
  const mir::Inst& inst = m_.inst(a.id);
  if ((inst.flags & (mir::kCoherent | mir::kVolatile)) != 0) {
    const isa::OpcodeInfo& info = isa::Info(op);
    if (info.Has(isa::opcode_flag::kStore)) extra.cache |= kGlc;
    if (info.Has(isa::opcode_flag::kLoad)) extra.cache |= kGlc | kDlc;
  }
  Parts registers;
  for (const Operand& p : parts) registers.push_back(e_.ToV(p));
  absl::InlinedVector<Operand, 16> uses;
  // Three registers of addresses of their own take one dword more, which a copy would, too.
  constexpr size_t kMaxParts = 13;
  const bool apart = registers.size() > 1 && registers.size() <= kMaxParts;
  uses.push_back(apart ? registers[0] : e_.Vector(registers, kFileV));
  uses.push_back(Image(a));
  uses.push_back(sampler);
  uses.push_back(data);
  if (apart) uses.insert(uses.end(), registers.begin() + 1, registers.end());
  while (!Exists(uses.back())) uses.pop_back();
  if (result_dwords == 0) {
    e_.EmitRaw(Op(op), {}, uses, extra);
    return {};
  }
  const Operand def = Use(e_.New(kFileV, result_dwords), 0, result_dwords);
  const uint8_t of_lanes = NeedsQuad(inst) ? uint8_t{lir::kReadsLanes} : uint8_t{0};
  e_.EmitRaw(Op(op), absl::MakeConstSpan(&def, 1), uses, extra,
             static_cast<uint8_t>(e_.OrderOf(a.id) | of_lanes));
  return def;
}

// Sets the results that dmask selects from the dwords returned, in order; the others have no uses.
void Images::SetTexel(const Access& a, const Operand& data, uint32_t dmask) {
  int next = 0;
  for (int i = 0; i < m_.inst(a.id).num_results; ++i) {
    const bool returned = (dmask >> i & 1) != 0;
    e_.SetLoaded(m_.result(a.id, i), returned ? e_.Component(data, next++) : Imm(0));
  }
}

// The level of a sample without derivatives that has a bias or a least level: such a sample has
// level 0, to which sampler and sample add their biases before the least level holds. The
// instruction adds the sampler's bias (S# word 2, 13:0, in 256ths) to the level that it is given,
// so that a least level is given without it.
Operand Images::LevelOf(const Access& a, const Operand& sampler) {
  const Operand bias = a.sources.bias >= 0 ? e_.Src(Source(a, a.sources.bias)) : Imm(0);
  if (a.sources.min_lod < 0) return bias;
  const Operand fixed = e_.Salu(Opcode::kSBfeI32, {e_.Component(sampler, 2), Imm(14u << 16)});
  const Operand number = e_.Valu(Opcode::kVCvtF32I32, {fixed});
  const Operand least = e_.ToV(e_.Src(Source(a, a.sources.min_lod)));
  const Operand minus_256th = Imm(0xbb800000);
  const Operand given = e_.Valu(Opcode::kVFmaF32, {number, minus_256th, least});
  return e_.Valu(Opcode::kVMaxF32, {bias, given});
}

// ---- Operations.

absl::Status Images::Sample(const Access& a) {
  const mir::Op op = m_.inst(a.id).op;
  const bool gather = op == mir::Op::kGather;
  const bool implicit = op == mir::Op::kSampleImplicit;
  std::string name = gather ? "image_gather4" : "image_sample";
  Parts parts;
  const Operand offsets = PackedOffsets(a);
  if (Exists(offsets)) parts.push_back(offsets);
  const bool compare = a.sources.dref >= 0;
  if (compare) absl::StrAppend(&name, "_c");
  const mir::ValueId lod = Source(a, a.sources.lod);
  const bool level_zero = lod.valid() ? m_.IsConstant(lod) && m_.value(lod).bits == 0
                                      : !implicit && a.sources.ddx < 0 && a.sources.bias < 0;
  const bool has_level = !implicit && !lod.valid() && a.sources.ddx < 0 &&
                         (a.sources.bias >= 0 || a.sources.min_lod >= 0);
  const bool has_min = a.sources.min_lod >= 0 && !has_level;
  const Operand sampler = Sampler(a, gather);
  if (a.sources.ddx >= 0) {
    absl::StrAppend(&name, "_d");
  } else if (level_zero && !has_min && !has_level) {
    absl::StrAppend(&name, "_lz");
  } else if (lod.valid() || has_level) {
    absl::StrAppend(&name, "_l");
  } else if (a.sources.bias >= 0) {
    absl::StrAppend(&name, "_b");
    parts.push_back(e_.Src(Source(a, a.sources.bias)));
  }
  if (has_min) absl::StrAppend(&name, "_cl");
  if (Exists(offsets)) absl::StrAppend(&name, "_o");
  if (compare) parts.push_back(e_.Src(Source(a, a.sources.dref)));
  if (a.sources.ddx >= 0) {
    for (int i = 0; i < a.sources.num_derivatives; ++i) {
      parts.push_back(e_.Src(Source(a, a.sources.ddx + i)));
    }
    for (int i = 0; i < a.sources.num_derivatives; ++i) {
      parts.push_back(e_.Src(Source(a, a.sources.ddy + i)));
    }
  }
  AddCoordinates(a, parts);
  if (lod.valid() && !(level_zero && !has_min)) parts.push_back(e_.Src(lod));
  if (has_level) parts.push_back(LevelOf(a, sampler));
  if (has_min) parts.push_back(e_.Src(Source(a, a.sources.min_lod)));
  const Opcode opcode = Named(name);
  if (opcode == Opcode::kSNop) return e_.Unexpected(absl::StrCat("no instruction ", name));
  Extra extra;
  extra.dim = DimOf(a.info, false);
  const uint32_t used = e_.UsedMask(a.id);
  if (gather) {
    extra.dmask = static_cast<uint8_t>(compare ? 1 : 1 << a.texel->component);
    SetTexel(a, Emit(opcode, a, parts, sampler, extra, {}, 4), 15);
    return absl::OkStatus();
  }
  const uint32_t dmask = compare ? 1 : used == 0 ? 1 : used;
  extra.dmask = static_cast<uint8_t>(dmask);
  SetTexel(a, Emit(opcode, a, parts, sampler, extra, {}, CountBits(dmask)), dmask);
  return absl::OkStatus();
}

// The first result is the clamped level, the second the level before clamps.
absl::Status Images::Lod(const Access& a) {
  Parts parts;
  AddCoordinates(a, parts);
  Extra extra;
  mir::ImageInfo info = a.info;
  info.arrayed = false;
  extra.dim = DimOf(info, false);
  extra.dmask = 3;
  SetTexel(a, Emit(Opcode::kImageGetLod, a, parts, Sampler(a, false), extra, {}, 2), 3);
  return absl::OkStatus();
}

absl::Status Images::Fetch(const Access& a) {
  const bool storage = m_.inst(a.id).op == mir::Op::kImageLoad;
  Parts parts;
  const Operand offsets = PackedOffsets(a);
  for (int i = 0; i < a.sources.num_coordinates; ++i) {
    Operand c = e_.Src(Source(a, a.sources.coordinates + i));
    if (Exists(offsets) && i < mir::SpatialCount(a.info.dim)) {
      c = a.sources.offsets >= 0
              ? e_.Valu(Opcode::kVAddNcU32, {e_.Src(Source(a, a.sources.offsets + i)), c})
              : e_.Add(c, Imm(static_cast<uint32_t>(
                              static_cast<int32_t>(a.texel->offset[static_cast<size_t>(i)]))));
    }
    parts.push_back(c);
  }
  if (a.sources.sample >= 0) parts.push_back(e_.Src(Source(a, a.sources.sample)));
  const mir::ValueId lod = Source(a, a.sources.lod);
  const bool mip = lod.valid() && !(m_.IsConstant(lod) && m_.value(lod).bits == 0);
  if (mip) parts.push_back(e_.Src(lod));
  Extra extra;
  extra.dim = DimOf(a.info, storage);
  extra.flags = kUnnormalised;
  const uint32_t used = e_.UsedMask(a.id);
  const uint32_t dmask = used == 0 ? 1 : used;
  extra.dmask = static_cast<uint8_t>(dmask);
  const Opcode op = mip ? Opcode::kImageLoadMip : Opcode::kImageLoad;
  SetTexel(a, Emit(op, a, parts, {}, extra, {}, CountBits(dmask)), dmask);
  return absl::OkStatus();
}

namespace {

// Returns how many components texels of the format have, which are the first ones; four if it is
// not declared.
int ComponentsOf(mir::ImageFormat format) {
  switch (format) {
#define FORMAT(enumerator, text, numeric, r, g, b, a) \
  case mir::ImageFormat::enumerator:                  \
    return ((r) != 0) + ((g) != 0) + ((b) != 0) + ((a) != 0);
#include "core/mir/formats.def"
#undef FORMAT
    case mir::ImageFormat::kUnknown: break;
  }
  return 4;
}

}  // namespace

// Returns the components that the image keeps.
Images::Parts Images::StoredValues(const Access& a) {
  Parts values;
  for (int i = 0; i < std::min(a.sources.num_values, ComponentsOf(a.info.format)); ++i) {
    values.push_back(e_.Src(Source(a, a.sources.values + i)));
  }
  return values;
}

absl::Status Images::Store(const Access& a) {
  Parts parts;
  AddCoordinates(a, parts);
  if (a.sources.sample >= 0) parts.push_back(e_.Src(Source(a, a.sources.sample)));
  const Parts values = StoredValues(a);
  Extra extra;
  extra.dim = DimOf(a.info, true);
  extra.flags = kUnnormalised;
  extra.dmask = static_cast<uint8_t>((1u << values.size()) - 1);
  Emit(Opcode::kImageStore, a, parts, {}, extra, e_.Vector(values, kFileV), 0);
  return absl::OkStatus();
}

// Atomic loads and stores of texels, which are one dword or two, are plain ones of the device's
// level, as those of buffers (Atomics).
absl::Status Images::AtomicMove(const Access& a) {
  const bool load = a.texel->atomic == mir::AtomicOp::kLoad;
  const bool buffer = a.info.dim == mir::ImageDim::kBuffer;
  if (load && e_.UsedMask(a.id) == 0) return absl::OkStatus();
  if (load) KeepOrder(e_);
  Extra extra;
  extra.cache = load ? kGlc | kDlc : kGlc;
  const int dwords = m_.inst(a.id).num_results;
  Parts values;
  for (int i = 0; i < a.sources.num_values; ++i) {
    values.push_back(e_.Src(Source(a, a.sources.values + i)));
  }
  const Operand data = load ? Operand() : e_.Vector(values, kFileV);
  Operand loaded;
  if (buffer) {
    extra.flags = kIdxen;
    const Operand index = e_.ToV(e_.Src(Source(a, a.sources.coordinates)));
    const Operand resource = Image(a);
    if (load) {
      loaded = Use(e_.New(kFileV, dwords), 0, dwords);
      e_.EmitRaw(Op(dwords == 2 ? Opcode::kBufferLoadFormatXy : Opcode::kBufferLoadFormatX),
                 {loaded}, {index, resource, Imm(0)}, extra);
    } else {
      e_.EmitRaw(Op(dwords == 2 ? Opcode::kBufferStoreFormatXy : Opcode::kBufferStoreFormatX), {},
                 {index, resource, Imm(0), data}, extra);
    }
  } else {
    Parts parts;
    AddCoordinates(a, parts);
    if (a.sources.sample >= 0) parts.push_back(e_.Src(Source(a, a.sources.sample)));
    extra.dim = DimOf(a.info, true);
    extra.flags = kUnnormalised;
    extra.dmask = static_cast<uint8_t>((1u << dwords) - 1);
    loaded = Emit(load ? Opcode::kImageLoad : Opcode::kImageStore, a, parts, {}, extra, data,
                  load ? dwords : 0);
  }
  for (int i = 0; load && i < dwords; ++i) e_.Set(m_.result(a.id, i), e_.Component(loaded, i));
  return absl::OkStatus();
}

absl::Status Images::Atomic(const Access& a) {
  const mir::AtomicOp asked = a.texel->atomic;
  if (asked == mir::AtomicOp::kLoad || asked == mir::AtomicOp::kStore) return AtomicMove(a);
  const bool buffer = a.info.dim == mir::ImageDim::kBuffer;
  const int size = m_.inst(a.id).num_results;  // in dwords
  const Opcode op = AtomicOf(asked, buffer, size == 2);
  if (op == Opcode::kSNop) return e_.Unexpected("an atomic that has no instruction");
  Parts values;
  for (int i = 0; i < a.sources.num_values; ++i) {
    values.push_back(e_.Src(Source(a, a.sources.values + i)));
  }
  const bool adds_one = asked == mir::AtomicOp::kIncrement || asked == mir::AtomicOp::kDecrement;
  const int missing = values.empty() ? size : 0;
  for (int i = 0; i < missing; ++i) values.push_back(Imm(adds_one && i == 0 ? 1 : 0));
  if (asked == mir::AtomicOp::kCompareExchange) {  // the value before the comparator
    std::rotate(values.begin(), values.begin() + size, values.end());
  }
  const Operand data = e_.Vector(values, kFileV);
  const auto dwords = static_cast<int>(values.size());
  const bool used = e_.UsedMask(a.id) != 0;
  Extra extra;
  if (used) extra.cache = kGlc;
  Operand old;
  if (buffer) {
    extra.flags = kIdxen;
    const Operand index = e_.ToV(e_.Src(Source(a, a.sources.coordinates)));
    const Operand resource = Image(a);
    if (used) {
      old = Use(e_.New(kFileV, dwords), 0, dwords);
      e_.EmitRaw(Op(op), {old}, {index, resource, Imm(0), data}, extra);
    } else {
      e_.EmitRaw(Op(op), {}, {index, resource, Imm(0), data}, extra);
    }
  } else {
    Parts parts;
    AddCoordinates(a, parts);
    if (a.sources.sample >= 0) parts.push_back(e_.Src(Source(a, a.sources.sample)));
    extra.dim = DimOf(a.info, true);
    extra.flags = kUnnormalised;
    extra.dmask = static_cast<uint8_t>((1u << dwords) - 1);
    old = Emit(op, a, parts, {}, extra, data, used ? dwords : 0);
  }
  for (int i = 0; used && i < size; ++i) e_.Set(m_.result(a.id, i), e_.Component(old, i));
  return absl::OkStatus();
}

// ---- Queries.

Operand Images::Field(const Operand& word, uint32_t low, uint32_t bits) {
  return e_.Salu(Opcode::kSBfeU32, {word, Imm(bits << 16 | low)});
}

// Returns the size at a level, at least 1.
Operand Images::AtLevel(const Operand& size, const Operand& level) {
  if (e_.IsScalar(level)) {
    return e_.Salu(Opcode::kSMaxU32, {e_.Salu(Opcode::kSLshrB32, {size, level}), Imm(1)});
  }
  return e_.Valu(Opcode::kVMaxU32, {Imm(1), e_.Valu(Opcode::kVLshrrevB32, {level, size})});
}

// Sets results from what the descriptor says; of a null one, whose word 1 is 0, all are 0.
void Images::SetUnlessNull(const Access& a, const Operand& words, absl::Span<const Operand> sizes) {
  const Operand exists = e_.SaluScc(Opcode::kSCmpLgU32, {e_.Component(words, 1), Imm(0)});
  const bool scalar =
      std::all_of(sizes.begin(), sizes.end(), [&](const Operand& o) { return e_.IsScalar(o); });
  const Operand mask =
      scalar ? Operand() : e_.Salu(Opcode::kSCselectB32, {Imm(~0u), Imm(0)}, exists);
  for (size_t i = 0; i < sizes.size(); ++i) {
    e_.Set(m_.result(a.id, static_cast<int>(i)),
           scalar ? e_.Salu(Opcode::kSCselectB32, {sizes[i], Imm(0)}, exists)
                  : e_.Commuted(Opcode::kVAndB32, mask, sizes[i]));
  }
}

// Word 4 has the last layer and the first one; of images of one layer, whose type is 2D, it may
// have a pitch instead of the last layer.
Operand Images::Layers(const Access& a, const Operand& words) {
  constexpr uint32_t kType2D = 9;
  const Operand end = Field(e_.Component(words, 4), 0, 13),
                first = Field(e_.Component(words, 4), 16, 13);
  Operand layers = e_.Salu(Opcode::kSAddU32, {e_.Salu(Opcode::kSSubU32, {end, first}), Imm(1)});
  if (a.info.dim == mir::ImageDim::kCube) {
    // Division by 6 of at most 13 bits: times 2^18 / 6, rounded up.
    return e_.Salu(Opcode::kSLshrB32, {e_.Salu(Opcode::kSMulI32, {layers, Imm(43691)}), Imm(18)});
  }
  if (a.info.dim != mir::ImageDim::k2D || a.info.multisampled) return layers;
  const Operand type = Field(e_.Component(words, 3), 28, 4);
  const Operand is_2d = e_.SaluScc(Opcode::kSCmpEqU32, {type, Imm(kType2D)});
  return e_.Salu(Opcode::kSCselectB32, {Imm(1), layers}, is_2d);
}

// A view of slices of a storage image (ARRAY_PITCH, word 5, is 1) has the first and last slice of
// its level in word 4; others have the depth of level 0 there.
Operand Images::Depth(const Access& a, const Operand& words, const Operand& level) {
  const Operand last = Field(e_.Component(words, 4), 0, 13);
  const Operand depth = AtLevel(e_.Salu(Opcode::kSAddU32, {last, Imm(1)}), level);
  if (m_.resources[m_.inst(a.id).imm0].kind != mir::ResourceKind::kStorageImage) return depth;
  const Operand first = Field(e_.Component(words, 4), 16, 13);
  const Operand slices =
      e_.Salu(Opcode::kSAddU32, {e_.Salu(Opcode::kSSubU32, {last, first}), Imm(1)});
  const Operand pitch = Field(e_.Component(words, 5), 0, 4);
  const Operand is_view = e_.SaluScc(Opcode::kSCmpEqU32, {pitch, Imm(1)});
  return e_.Salu(Opcode::kSCselectB32, {slices, depth}, is_view);
}

// The fields of a T#: width minus 1 in bits 31:30 of word 1 and 11:0 of word 2, height minus 1 in
// word 2, base and last level in word 3, depth minus 1 or last layer, and first layer, in word 4.
absl::Status Images::Size(const Access& a) {
  const mir::Op op = m_.inst(a.id).op;
  const Operand words = Image(a);
  if (a.info.dim == mir::ImageDim::kBuffer) {
    e_.Set(m_.result(a.id), e_.Component(words, 2));
    return absl::OkStatus();
  }
  const Operand base = Field(e_.Component(words, 3), 12, 4);
  const Operand last = Field(e_.Component(words, 3), 16, 4);
  Parts sizes;
  if (op == mir::Op::kImageSamples) {
    sizes.push_back(a.info.multisampled ? e_.Salu(Opcode::kSLshlB32, {Imm(1), last}) : Imm(1));
  } else if (op == mir::Op::kImageLevels) {
    sizes.push_back(e_.Salu(Opcode::kSAddU32, {e_.Salu(Opcode::kSSubU32, {last, base}), Imm(1)}));
  } else {
    const mir::ValueId lod = Source(a, a.sources.lod);
    const Operand level = lod.valid() ? e_.Add(base, e_.Src(lod)) : base;
    const auto at_level = [&](const Operand& minus_one) {
      const Operand size = e_.Salu(Opcode::kSAddU32, {minus_one, Imm(1)});
      return a.info.multisampled ? size : AtLevel(size, level);
    };
    sizes.push_back(at_level(
        e_.Salu(Opcode::kSOrB32,
                {Field(e_.Component(words, 1), 30, 2),
                 e_.Salu(Opcode::kSLshlB32, {Field(e_.Component(words, 2), 0, 12), Imm(2)})})));
    if (a.info.dim != mir::ImageDim::k1D) {
      sizes.push_back(at_level(Field(e_.Component(words, 2), 14, 14)));
    }
    if (a.info.dim == mir::ImageDim::k3D) sizes.push_back(Depth(a, words, level));
    if (a.info.arrayed) sizes.push_back(Layers(a, words));
  }
  SetUnlessNull(a, words, sizes);
  return absl::OkStatus();
}

// ---- Texel buffers: elements by index through a typed V#.

absl::Status Images::Buffer(const Access& a) {
  const mir::Inst& inst = m_.inst(a.id);
  constexpr Opcode kLoads[] = {Opcode::kSNop, Opcode::kBufferLoadFormatX,
                               Opcode::kBufferLoadFormatXy, Opcode::kBufferLoadFormatXyz,
                               Opcode::kBufferLoadFormatXyzw};
  const Operand index = e_.ToV(e_.Src(Source(a, a.sources.coordinates)));
  const Operand resource = Image(a);
  Extra extra;
  extra.flags = kIdxen;
  const bool coherent = (inst.flags & (mir::kCoherent | mir::kVolatile)) != 0;
  if (inst.op == mir::Op::kImageStore) {
    if (coherent) extra.cache = kGlc;
    constexpr Opcode kStores[] = {Opcode::kSNop, Opcode::kBufferStoreFormatX,
                                  Opcode::kBufferStoreFormatXy, Opcode::kBufferStoreFormatXyz,
                                  Opcode::kBufferStoreFormatXyzw};
    const Parts values = StoredValues(a);
    e_.EmitRaw(Op(kStores[values.size()]), {}, {index, resource, Imm(0), e_.Vector(values, kFileV)},
               extra);
    return absl::OkStatus();
  }
  if (coherent) extra.cache = kGlc | kDlc;
  const uint32_t used = e_.UsedMask(a.id);
  int dwords = 1;
  while (dwords < 4 && used >> dwords != 0) ++dwords;
  const Operand def = Use(e_.New(kFileV, dwords), 0, dwords);
  e_.EmitRaw(Op(kLoads[dwords]), {def}, {index, resource, Imm(0)}, extra, e_.OrderOf(a.id));
  SetTexel(a, def, (1u << dwords) - 1);
  return absl::OkStatus();
}

absl::Status Images::VisitImage(mir::InstId id) {
  using mir::Op;
  const mir::Inst& inst = m_.inst(id);
  Access a;
  a.id = id;
  a.texel = &m_.texel_ops[inst.imm1];
  a.info = m_.resources[inst.imm0].image;
  a.sources = mir::TexelSourcesOf(inst.op, inst.flags, *a.texel, a.info);
  a.sampled = mir::IsSampling(inst.op);
  if ((inst.flags & mir::kNonUniform) != 0 &&
      ((a.sources.image_index >= 0 && !e_.IsUniform(Source(a, a.sources.image_index))) ||
       (a.sources.sampler_index >= 0 && !e_.IsUniform(Source(a, a.sources.sampler_index))))) {
    return e_.Unexpected("a descriptor that differs between lanes");
  }
  if (a.info.dim == mir::ImageDim::kBuffer &&
      (inst.op == Op::kFetch || inst.op == Op::kImageLoad || inst.op == Op::kImageStore)) {
    return Buffer(a);
  }
  switch (inst.op) {
    case Op::kSample:
    case Op::kSampleImplicit:
    case Op::kGather: return Sample(a);
    case Op::kImageLod: return Lod(a);
    case Op::kFetch:
    case Op::kImageLoad: return Fetch(a);
    case Op::kImageStore: return Store(a);
    case Op::kImageAtomic:
    case Op::kImageAtomic64: return Atomic(a);
    default: return Size(a);
  }
}

}  // namespace kiln::amd
