// Selects storage images and storage texel buffers, by typed surface messages, and sizes of images.
//
// Typed messages have 8 lanes (PRM, "Typed Surface Read"): wider threads send one for each 8, with
// the payload's parts moved to registers of their own. Coordinates and data are two payloads. A
// read requests only the components used, a write only those that the format has. Formats that
// cannot be read, and floats with atomics, are bound as 32-bit integers (abi.h) and converted here:
// 10-bit channels by shifts and a factor, 11 and 10-bit floats by way of halves, whose exponent
// they share. Such a float is truncated when it is stored, as Vulkan allows.
#include <algorithm>
#include <array>
#include <bit>

#include "core/intel/select/access.h"
#include "core/intel/select/images.h"
#include "core/intel/select/texel_parts.h"

namespace kiln::intel {

namespace {

constexpr uint32_t kFloatOne = 0x3f800000u;

// Returns the number of channels of a texel; all if the format is not known.
int Channels(mir::ImageFormat format) {
  static constexpr std::array<uint8_t, 4> kBits[] = {
      {1, 1, 1, 1},
#define FORMAT(enumerator, text, numeric, r, g, b, a) {r, g, b, a},
#include "core/mir/formats.def"
#undef FORMAT
  };
  int n = 0;
  for (uint8_t bits : kBits[static_cast<int>(format)]) n += bits != 0;
  return n;
}

}  // namespace

Operand Images::RegisterPayload(absl::Span<const Operand> parts) {
  if (parts.size() == 1) return parts[0];
  int registers = 0;
  for (const Operand& p : parts) registers += p.comps / 8;
  const Operand all = e_.Def(e_.NewRegisters(registers), Type::kUD);
  b_.Emit(kCollect, e_.Fields(Where::kUniform), absl::Span<const Operand>(&all, 1), parts);
  return all;
}

// Returns operands for 8 lanes from `group` on as one payload; an equal payload of this block is
// reused.
Operand Images::TypedPayload(absl::Span<const Operand> list, Where where, int group) {
  std::vector<Operand> parts;
  if (where == Where::kLanes && width_ == 8) {
    for (const Operand& o : list) parts.push_back(e_.ToLanes(o));
    return e_.Payload(parts);
  }
  const auto same = [](const Operand& a, const Operand& b) {
    return a.kind == b.kind && a.id == b.id && a.comp == b.comp && a.mods == b.mods;
  };
  for (const CachedPayload& c : *payloads_) {
    if (c.group == group &&
        std::equal(c.parts.begin(), c.parts.end(), list.begin(), list.end(), same)) {
      return c.payload;
    }
  }
  for (const Operand& o : list) parts.push_back(e_.LanePart(o, 8, group));
  payloads_->push_back({{list.begin(), list.end()}, group, RegisterPayload(parts)});
  return payloads_->back().payload;
}

// Sends one typed message for 8 lanes from `group` on.
void Images::SendTyped(const TypedCall& call, const Operand& def, Where where, int group) {
  const auto payload = [&](const std::vector<Operand>& list) {
    return TypedPayload(list, where, group);
  };
  std::vector<Operand> uses = {payload(call.address)};
  if (!call.data.empty()) uses.push_back(payload(call.data));
  isa::MessageFields message = call.message;
  message.bti = static_cast<uint8_t>(call.surface.bti);
  message.high_slots = (group & 8) != 0;
  lir::InstFields fields = e_.Fields(where);
  fields.width = 8;
  fields.group = static_cast<uint8_t>(group);
  const bool returns = IsValue(def);
  messages_.Emit(call.op, fields, message, absl::Span<const Operand>(&def, returns ? 1 : 0), uses,
                 call.surface);
}

// Returns the results one after the other: a vector in G, or registers.
Operand Images::Typed(const TypedCall& call, Where where) {
  if (where == Where::kUniform || width_ == 8) {
    Operand def;
    if (call.results != 0) {
      def = e_.Def(where == Where::kUniform ? e_.NewRegisters(call.results) : e_.NewG(call.results),
                   Type::kUD);
    }
    SendTyped(call, def, where, 0);
    return def;
  }
  std::vector<Operand> responses;
  for (int group = 0; group < width_; group += 8) {
    Operand def;
    if (call.results != 0) def = e_.Def(e_.NewRegisters(call.results), Type::kUD);
    SendTyped(call, def, where, group);
    responses.push_back(def);
  }
  if (call.results == 0) return {};
  const Operand joined = e_.Def(e_.NewG(call.results), Type::kUD);
  b_.Emit(kJoin, e_.Fields(where), absl::Span<const Operand>(&joined, 1), responses);
  return joined;
}

absl::Status Images::VisitImage(mir::InstId id) {
  switch (m_.inst(id).op) {
    case mir::Op::kImageLoad:
    case mir::Op::kImageStore:
    case mir::Op::kImageAtomic: return VisitStorageImage(id);
    case mir::Op::kImageSize:
    case mir::Op::kImageLevels:
    case mir::Op::kImageSamples: return VisitImageQuery(id);
    case mir::Op::kFetch: return samplers_.VisitFetch(id);
    case mir::Op::kImageLod: return samplers_.VisitLod(id);
    default: return samplers_.VisitSample(id);
  }
}

absl::Status Images::VisitStorageImage(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::ImageInfo& info = m_.resources[inst.imm0].image;
  const mir::TexelSources s = mir::TexelSourcesOf(m_, id);
  if (info.multisampled)
    return e_.Refuse(inst, "multisampled_storage_image", "storage image with several samples");
  // Channels of 10 and 11 bits are parts of halves.
  if (info.format == mir::ImageFormat::kR11g11b10f && !e_.device_has().half_floats)
    return e_.Refuse(inst, "half_floats", "storage image with floats of 10 and 11 bits");
  TypedCall call;
  call.surface = descriptors_.ImageOf(id, s);
  for (int i = 0; i < s.num_coordinates; ++i) {
    call.address.push_back(e_.Src(m_.source(id, s.coordinates + i), Type::kUD));
  }
  std::vector<Operand> values;
  for (int i = 0; i < s.num_values; ++i) {
    values.push_back(e_.Src(m_.source(id, s.values + i), Type::kUD));
  }
  switch (inst.op) {
    case mir::Op::kImageLoad: LoadTexel(id, call); break;
    case mir::Op::kImageStore: StoreTexel(id, call, values); break;
    default: return TexelAtomic(id, call, values);
  }
  return absl::OkStatus();
}

void Images::LoadTexel(mir::InstId id, TypedCall& call) {
  const mir::Inst& inst = m_.inst(id);
  const Where where = e_.WhereOf(m_.result(id));
  const bool raw = abi_.raw_image[inst.imm0];
  const uint32_t used = e_.UsedMask(id);
  if (used == 0) return;
  const uint32_t mask = raw ? 1 : used;
  call.op = (inst.flags & mir::kVolatile) != 0 ? kMsgOrderedRead : kMsgRead;
  call.message.message = isa::Message::kTypedRead;
  call.message.channels = static_cast<uint8_t>(mask);
  call.results = std::popcount(mask);
  const Operand response = Typed(call, where);
  if (raw) {
    const mir::ImageFormat format = m_.resources[inst.imm0].image.format;
    for (int i = 0; i < 4; ++i) {
      if (used >> i & 1) {
        e_.Set(m_.result(id, i), UnpackChannel(where, format, e_.Component(response, 0), i));
      }
    }
    return;
  }
  int k = 0;
  for (int i = 0; i < 4; ++i) {
    if (used >> i & 1) e_.Set(m_.result(id, i), e_.Component(response, k++));
  }
}

void Images::StoreTexel(mir::InstId id, TypedCall& call, std::vector<Operand>& values) {
  const mir::Inst& inst = m_.inst(id);
  const mir::ImageFormat format = m_.resources[inst.imm0].image.format;
  if (abi_.raw_image[inst.imm0]) {
    values = {PackTexel(format, values)};
  } else {
    values.resize(Channels(format));
  }
  call.op = kMsgWrite;
  call.message.message = isa::Message::kTypedWrite;
  call.message.channels = static_cast<uint8_t>((1u << values.size()) - 1);
  call.data = values;
  Typed(call, Where::kLanes);
}

absl::Status Images::TexelAtomic(mir::InstId id, TypedCall& call, std::vector<Operand>& values) {
  const mir::Inst& inst = m_.inst(id);
  const mir::AtomicOp op = m_.texel_ops[inst.imm1].atomic;
  if (op == mir::AtomicOp::kLoad) {
    call.op = kMsgOrderedRead;
    call.message.message = isa::Message::kTypedRead;
    call.message.channels = 1;
    call.results = 1;
    e_.Set(m_.result(id), e_.Component(Typed(call, Where::kLanes), 0));
    return absl::OkStatus();
  }
  if (op == mir::AtomicOp::kStore) {
    call.op = kMsgWrite;
    call.message.message = isa::Message::kTypedWrite;
    call.message.channels = 1;
    call.data = values;
    Typed(call, Where::kLanes);
    return absl::OkStatus();
  }
  const std::optional<isa::AtomicOp> code = AtomicOpOf(op);
  if (!code) return e_.Unexpected(inst, "atomic operation not selected");
  const bool returns = e_.Used(m_.result(id));
  call.op = kMsgAtomic;
  call.message.message = isa::Message::kTypedAtomic;
  call.message.op = static_cast<uint8_t>(*code);
  call.message.returns = returns;
  call.data = values;
  call.results = returns ? 1 : 0;
  const Operand before = Typed(call, Where::kLanes);
  if (returns) e_.Set(m_.result(id), e_.Component(before, 0));
  return absl::OkStatus();
}

// Returns a field of bits of a packed texel (10 bits, for example) as the component that the shader
// sees.
Operand Images::UnpackChannel(Where where, mir::ImageFormat format, Operand texel, int channel) {
  const auto bits = [&](uint32_t down, uint32_t mask) {
    Operand o = texel;
    if (down != 0) o = e_.Alu(Opcode::kShr, Type::kUD, where, {o, Imm(down, Type::kUD)});
    return mask == 0 ? o : e_.Alu(Opcode::kAnd, Type::kUD, where, {o, Imm(mask, Type::kUD)});
  };
  if (format == mir::ImageFormat::kR32f) {
    return channel == 0 ? texel : Imm(channel == 3 ? kFloatOne : 0, Type::kF);
  }
  if (format == mir::ImageFormat::kR11g11b10f) {
    if (channel == 3) return Imm(kFloatOne, Type::kF);
    // Exponents of halves, mantissas without the last 4 or 5 bits.
    const Operand half =
        channel == 0 ? e_.Alu(Opcode::kAnd, Type::kUD, where,
                              {e_.Alu(Opcode::kShl, Type::kUD, where, {texel, Imm(4, Type::kUD)}),
                               Imm(0x7ff0, Type::kUD)})
                     : bits(channel == 1 ? 7 : 17, channel == 1 ? 0x7ff0 : 0x7fe0);
    return e_.Alu(Opcode::kMov, Type::kF, where, {Retype(half, Type::kHF)});
  }
  const uint32_t range = channel == 3 ? 3 : 1023;
  const Operand value = bits(10 * static_cast<uint32_t>(channel), channel == 3 ? 0 : range);
  if (format == mir::ImageFormat::kRgb10a2ui) return value;
  const float scale = 1.0f / static_cast<float>(range);
  const Operand number = e_.Alu(Opcode::kMov, Type::kF, where, {value});
  return e_.Alu(Opcode::kMul, Type::kF, where,
                {number, Imm(std::bit_cast<uint32_t>(scale), Type::kF)});
}

// Returns one channel as an integer in its low bits.
Operand Images::PackChannel(mir::ImageFormat format, const Operand& value, int channel) {
  constexpr Where where = Where::kLanes;
  if (format == mir::ImageFormat::kRgb10a2ui) {
    const uint32_t top = channel == 3 ? 3 : 1023;
    return e_.MinMax(where, Type::kUD, false, e_.ToRegister(value), Imm(top, Type::kUD));
  }
  if (format == mir::ImageFormat::kRgb10a2) {
    const float top = channel == 3 ? 3 : 1023;
    const Operand in = e_.Mov(Type::kF, where, Retype(value, Type::kF));
    Extra saturate;
    saturate.saturate = true;
    const Operand clamped = e_.Alu(Opcode::kMov, Type::kF, where, {in}, saturate);
    const Operand scaled = e_.Alu(Opcode::kMul, Type::kF, where,
                                  {clamped, Imm(std::bit_cast<uint32_t>(top), Type::kF)});
    return e_.Mov(Type::kUD, where, e_.Alu(Opcode::kRnde, Type::kF, where, {scaled}));
  }
  // A half of at least 0, without the mantissa bits that the channel lacks. Finite values stay
  // finite; infinity and NaN are not less than infinity and are not changed.
  constexpr uint32_t kLargest = 0x477fe000, kInfinity = 0x7f800000;  // 65504
  const Operand in = e_.ToRegister(Retype(value, Type::kF));
  const Operand positive = e_.MinMax(where, Type::kF, true, in, Imm(0, Type::kF));
  const Operand finite = e_.MinMax(where, Type::kF, false, positive, Imm(kLargest, Type::kF));
  const Flag less = e_.CompareFlag(where, CondMod::kL, in, Imm(kInfinity, Type::kF));
  Operand any = e_.SelectByFlag(where, Type::kF, less, finite, in);
  any.mods = Operand::kAbsolute;
  const Operand half = Use(e_.NewG(), Type::kUD);
  e_.EmitRaw(kF2f16, e_.Fields(where), {half}, {any});
  return e_.Alu(Opcode::kShr, Type::kUD, where, {half, Imm(channel == 2 ? 5 : 4, Type::kUD)});
}

Operand Images::PackTexel(mir::ImageFormat format, absl::Span<const Operand> values) {
  constexpr Where where = Where::kLanes;
  if (format == mir::ImageFormat::kR32f) return values[0];
  const bool floats = format == mir::ImageFormat::kR11g11b10f;
  const uint32_t step = floats ? 11 : 10;
  Operand texel = PackChannel(format, values[0], 0);
  for (int i = 1; i < (floats ? 3 : 4); ++i) {
    const Operand channel = PackChannel(format, values[i], i);
    texel = e_.Alu(Opcode::kOr, Type::kUD, where,
                   {texel, e_.Alu(Opcode::kShl, Type::kUD, where,
                                  {channel, Imm(step * static_cast<uint32_t>(i), Type::kUD)})});
  }
  return texel;
}

// resinfo of level 0 and sampleinfo are sent once for the thread. Sizes of other levels are
// computed, so no message depends on a level that may not exist (Wa_14012320009 requires this on
// some parts).
absl::Status Images::VisitImageQuery(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::ImageInfo& info = m_.resources[inst.imm0].image;
  const mir::TexelSources s = mir::TexelSourcesOf(m_, id);
  SamplerCall call;
  call.surface = descriptors_.ImageOf(id, s);
  if (inst.op == mir::Op::kImageSamples) {
    constexpr uint32_t kOnlyX = 0xe << 12;
    call.message = isa::Message::kSampleinfo;
    call.header = kOnlyX;
    e_.SetAnswer(m_.result(id), e_.Component(samplers_.SendSampler(call, Where::kUniform, 1), 0));
    return absl::OkStatus();
  }
  call.message = isa::Message::kResinfo;
  call.Add(isa::ParamKind::kLod, Imm(0, Type::kUD));
  if (inst.op == mir::Op::kImageLevels) {
    e_.SetAnswer(m_.result(id), e_.Component(samplers_.SendSampler(call, Where::kUniform, 4), 3));
    return absl::OkStatus();
  }
  const int layers = info.arrayed ? mir::SizeCount(info) - 1 : -1;
  const Operand size = samplers_.SendSampler(call, Where::kUniform, mir::SizeCount(info));
  for (int i = 0; i < inst.num_results; ++i) {
    Operand o = e_.Component(size, i);
    if (i == layers) {
      o = LayersOf(id, o, e_.Component(size, 0));
    } else if (s.lod >= 0) {
      o = SizeOfLevel(o, m_.source(id, s.lod), e_.WhereOf(m_.result(id, i)));
    }
    e_.SetAnswer(m_.result(id, i), o);
  }
  return absl::OkStatus();
}

// Returns the layers of an array. Storage cubes are arrays of faces; sampled cubes are counted in
// cubes. A surface with a single layer is no array, and the response is 0 (Wa_1806565034); all
// sizes of a null surface are 0.
Operand Images::LayersOf(mir::InstId id, Operand layers, Operand width) {
  constexpr Where where = Where::kUniform;
  const mir::Resource& r = m_.resources[m_.inst(id).imm0];
  if (r.image.dim == mir::ImageDim::kCube) {
    return r.kind == mir::ResourceKind::kStorageImage ? SixthOf(layers) : layers;
  }
  const Operand least = e_.MinMax(where, Type::kUD, false, width, Imm(1, Type::kUD));
  return e_.MinMax(where, Type::kUD, true, layers, least);
}

// Converts a number of faces below 2048 * 6 to a number of cubes: 43691 / 2^18 is slightly more
// than 1/6.
Operand Images::SixthOf(const Operand& faces) {
  const Operand product =
      e_.Alu(Opcode::kMul, Type::kUD, Where::kUniform, {faces, Imm(43691, Type::kUW)});
  return e_.Alu(Opcode::kShr, Type::kUD, Where::kUniform, {product, Imm(18, Type::kUD)});
}

Operand Images::SizeOfLevel(const Operand& size, mir::ValueId lod, Where where) {
  const Operand level = e_.Src(lod, Type::kUD);
  if (IsImm(level) && level.id == 0) return size;
  const Operand shifted = e_.Alu(Opcode::kShr, Type::kUD, where, {size, level});
  const Operand least = e_.MinMax(where, Type::kUD, true, shifted, Imm(1, Type::kUD));
  return e_.MinMax(where, Type::kUD, false, least, size);  // 0 for a null surface
}

}  // namespace kiln::intel
