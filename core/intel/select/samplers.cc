// Selects sampled images and uniform texel buffers: makes parameter lists of sampler messages,
// which core/intel/messages lowers.
//
// Choice of the message: those with implicit levels take derivatives within quads, in fragments
// alone; a constant level 0 has messages of its own (sample_lz, ld_lz). Texel offsets go into the
// header, which has 4 bits for each, the same for all lanes. Offsets that a gather selects by value
// are parameters of gather4_po; those of a fetch are added to the coordinates. A header is sent
// only if it holds something: offsets, the channel to gather, the handle of a sampler. Then it also
// masks components without uses; without a header, components after the last used one are not
// requested. Parameters are in the order of the message table; MIR says which of them the shader
// gives, and those between are 0. Images with several samples are read by way of their control
// surface (ld_mcs).
#include <bit>
#include <cassert>

#include "core/intel/select/samplers.h"
#include "core/intel/select/texel_parts.h"

namespace kiln::intel {

namespace {

using isa::ParamKind;
using Message = isa::Message;

constexpr ParamKind kCoordinates[] = {ParamKind::kU, ParamKind::kV, ParamKind::kR,
                                      ParamKind::kArrayIndex};
constexpr ParamKind kByX[] = {ParamKind::kDuDx, ParamKind::kDvDx, ParamKind::kDrDx};
constexpr ParamKind kByY[] = {ParamKind::kDuDy, ParamKind::kDvDy, ParamKind::kDrDy};

bool FitsNibble(int v) { return v >= -8 && v <= 7; }

// Header dword 2: u in bits 11:8, v 7:4, r 3:0.
uint32_t OffsetBits(const std::array<int8_t, 3>& offset) {
  uint32_t bits = 0;
  for (int8_t v : offset) bits = bits << 4 | (static_cast<uint32_t>(v) & 15);
  return bits;
}

bool HasOffset(const mir::TexelOp& t) {
  return t.offset[0] != 0 || t.offset[1] != 0 || t.offset[2] != 0;
}

}  // namespace

// Emits one sampler message; the response has `components`.
Operand Samplers::SendSampler(const SamplerCall& call, Where where, int components) {
  std::vector<Operand> uses;
  if (call.header) uses.push_back(SamplerHeader(call));
  const auto list = isa::Params(abi_.device->generation, call.message);
  size_t last = 0;
  std::vector<const Operand*> given(list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    for (const SamplerCall::Param& p : call.params) {
      if (p.kind != list[i].kind) continue;
      given[i] = &p.operand;
      last = i + 1;
    }
  }
  for (size_t i = 0; i < last; ++i) {
    const Operand o = given[i] == nullptr ? Imm(0, Type::kUD) : Retype(*given[i], Type::kUD);
    if (IsImm(o)) {
      uses.push_back(o);
    } else {
      uses.push_back(where == Where::kLanes ? e_.ToLanes(o) : e_.LanePart(o, 8, 0));
    }
  }
  isa::MessageFields message;
  message.message = call.message;
  message.bti = static_cast<uint8_t>(call.surface.bti);
  message.sampler = static_cast<uint8_t>(call.sampler);
  message.header = call.header.has_value();
  const uint16_t op = call.quad ? kQuadSampler : kSampler;
  lir::InstFields fields = where == Where::kLanes ? e_.Fields(where) : e_.UniformFields(8);
  messages_.Complete(op, message, call.surface, fields, uses);
  const Operand def =
      e_.Def(where == Where::kLanes ? e_.NewG(components) : e_.NewRegisters(components), Type::kUD);
  b_.Emit(op, fields, absl::Span<const Operand>(&def, 1), uses);
  return def;
}

Operand Samplers::SamplerHeader(const SamplerCall& call) {
  lir::InstFields fields = e_.UniformFields(8);
  std::vector<Operand> uses = {Use(launch_.r0(), Type::kUD, 0, 8)};
  if (call.offsets) {
    uses.push_back(*call.header == 0 ? *call.offsets
                                     : e_.Alu(Opcode::kOr, Type::kUD, Where::kUniform,
                                              {*call.offsets, Imm(*call.header, Type::kUD)}));
  } else {
    fields.aux = *call.header;
  }
  if (call.sampler_handle) uses.push_back(*call.sampler_handle);
  const Operand header = e_.Def(e_.NewRegisters(1), Type::kUD);
  b_.Emit(call.offsets ? kChosenSamplerHeader : kSamplerHeader, fields,
          absl::Span<const Operand>(&header, 1), uses);
  return header;
}

// Puts offsets that lower_nonuniform made uniform into the header, where OffsetBits puts constant
// ones. Vulkan leaves offsets beyond -8 to 7 undefined (minTexelOffset, maxTexelOffset).
void Samplers::AddChosenOffsets(mir::InstId id, const mir::TexelOp& t, const mir::TexelSources& s,
                                SamplerCall& call) {
  const auto alu = [&](Opcode op, const Operand& a, const Operand& b) {
    return e_.Alu(op, Type::kUD, Where::kUniform, {a, b});
  };
  call.header = 0;
  for (int i = 0; i < s.num_offsets; ++i) {
    const Operand offset = e_.Offset(descriptors_.UniformIndex(m_.source(id, s.offsets + i)),
                                     static_cast<uint32_t>(int32_t{t.offset[i]}), Where::kUniform);
    const uint32_t shift = 8 - 4 * static_cast<uint32_t>(i);
    if (IsImm(offset)) {
      call.header = *call.header | (offset.id & 15) << shift;
      continue;
    }
    Operand nibble = alu(Opcode::kAnd, offset, Imm(15, Type::kUD));
    if (shift != 0) nibble = alu(Opcode::kShl, nibble, Imm(shift, Type::kUD));
    call.offsets = call.offsets ? alu(Opcode::kOr, *call.offsets, nibble) : nibble;
  }
  if (!call.offsets && call.header == 0u && !call.sampler_handle) call.header.reset();
}

// Emits a message with its used components, and sets the results.
void Samplers::SampleInto(mir::InstId id, SamplerCall& call) {
  const uint32_t used = e_.UsedMask(id);
  if (used == 0) return;
  uint32_t mask = (2u << (std::bit_width(used) - 1)) - 1;
  if (isa::AnswersWhole(call.message)) {
    mask = 15;
  } else if (call.header) {
    mask = used;
    call.header = *call.header | (~mask & 15) << 12;
  }
  const Operand response = SendSampler(call, e_.WhereOf(m_.result(id)), std::popcount(mask));
  int k = 0;
  for (int i = 0; i < m_.inst(id).num_results; ++i) {
    if (!(mask >> i & 1)) continue;
    e_.Set(m_.result(id, i), e_.Component(response, k++));
  }
}

absl::Status Samplers::VisitSample(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::TexelOp& t = m_.texel_ops[inst.imm1];
  const mir::TexelSources s = mir::TexelSourcesOf(m_, id);
  SamplerCall call;
  descriptors_.AddTo(id, s, call);
  const auto source = [&](int i) { return e_.Src(m_.source(id, i), Type::kF); };
  for (int i = 0; i < s.num_coordinates; ++i) {
    call.Add(kCoordinates[i], source(s.coordinates + i));
  }
  if (s.dref >= 0) call.Add(ParamKind::kRef, source(s.dref));
  if (inst.op == mir::Op::kGather) {
    if (absl::Status e = GatherMessage(id, t, s, call); !e.ok()) return e;
  } else {
    if (inst.op == mir::Op::kSampleImplicit && s.dref >= 0 && s.bias >= 0 && s.min_lod >= 0) {
      return e_.Refuse(inst, "sample_form", "sample with bias, reference and minimum level");
    }
    SampleMessage(id, s, call);
    if (s.num_offsets > 0) {
      AddChosenOffsets(id, t, s, call);
    } else if (HasOffset(t)) {
      for (int8_t v : t.offset) {
        // CheckFeatures refuses others.
        if (!FitsNibble(v)) return e_.Unexpected(inst, "texel offset beyond 4 bits");
      }
      call.header = OffsetBits(t.offset);
    }
  }
  SampleInto(id, call);
  return absl::OkStatus();
}

void Samplers::SampleMessage(mir::InstId id, const mir::TexelSources& s, SamplerCall& call) {
  const mir::Inst& inst = m_.inst(id);
  const bool compares = s.dref >= 0;
  const auto source = [&](int i) { return e_.Src(m_.source(id, i), Type::kF); };
  if (s.ddx >= 0) {
    // No messages exist for these two: mid/lower_gradients lowers them.
    assert(m_.resources[inst.imm0].image.dim != mir::ImageDim::kCube);
    assert(!compares || s.min_lod < 0);
    for (int i = 0; i < s.num_derivatives; ++i) {
      call.Add(kByX[i], source(s.ddx + i));
      call.Add(kByY[i], source(s.ddy + i));
    }
    if (s.min_lod >= 0) call.Add(ParamKind::kMinLod, source(s.min_lod));
    call.message = compares ? Message::kSampleDC : Message::kSampleD;
    return;
  }
  if (inst.op == mir::Op::kSampleImplicit) {
    call.quad = true;
    if (s.min_lod >= 0) call.Add(ParamKind::kMinLod, source(s.min_lod));
    if (s.bias >= 0) {
      call.Add(ParamKind::kBias, source(s.bias));
      call.message = compares ? Message::kSampleBC : Message::kSampleB;
    } else {
      call.message = compares ? Message::kSampleC : Message::kSample;
    }
    return;
  }
  Operand lod = s.lod >= 0 ? source(s.lod) : s.bias >= 0 ? source(s.bias) : Imm(0, Type::kF);
  if (s.min_lod >= 0) {
    lod =
        e_.MinMax(e_.WhereOf(m_.result(id)), Type::kF, true, e_.ToRegister(lod), source(s.min_lod));
  }
  if (IsImm(lod) && lod.id == 0) {
    call.message = compares ? Message::kSampleCLz : Message::kSampleLz;
    return;
  }
  call.Add(ParamKind::kLod, lod);
  call.message = compares ? Message::kSampleLC : Message::kSampleL;
}

absl::Status Samplers::GatherMessage(mir::InstId id, const mir::TexelOp& t,
                                     const mir::TexelSources& s, SamplerCall& call) {
  const bool compares = s.dref >= 0;
  bool chosen = s.offsets >= 0;
  for (int8_t v : t.offset) chosen |= !FitsNibble(v);
  call.message = compares ? Message::kGather4C : Message::kGather4;
  call.header = uint32_t{t.component} << 16;
  if (!chosen) {
    call.header = *call.header | OffsetBits(t.offset);
    return absl::OkStatus();
  }
  if (m_.resources[m_.inst(id).imm0].image.dim != mir::ImageDim::k2D) {
    return e_.Refuse(m_.inst(id), "texel_offset_range", "texel offset chosen by value");
  }
  call.message = compares ? Message::kGather4PoC : Message::kGather4Po;
  constexpr ParamKind kOffsets[] = {ParamKind::kOffsetU, ParamKind::kOffsetV};
  for (int i = 0; i < 2; ++i) {
    call.Add(kOffsets[i], s.offsets >= 0
                              ? e_.Src(m_.source(id, s.offsets + i), Type::kUD)
                              : Imm(static_cast<uint32_t>(int32_t{t.offset[i]}), Type::kUD));
  }
  return absl::OkStatus();
}

absl::Status Samplers::VisitFetch(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::TexelOp& t = m_.texel_ops[inst.imm1];
  const mir::TexelSources s = mir::TexelSourcesOf(m_, id);
  SamplerCall call;
  descriptors_.AddTo(id, s, call);
  for (int i = 0; i < s.num_coordinates; ++i) {
    const mir::ValueId v = m_.source(id, s.coordinates + i);
    const int offset = i < 3 ? t.offset[i] : 0;
    call.Add(kCoordinates[i],
             e_.Offset(e_.Src(v, Type::kUD), static_cast<uint32_t>(offset), e_.WhereOf(v)));
  }
  if (m_.resources[inst.imm0].image.multisampled) {
    AddSampleParams(id, s, call);
  } else {
    const Operand lod = s.lod >= 0 ? e_.Src(m_.source(id, s.lod), Type::kUD) : Imm(0, Type::kUD);
    const bool zero = IsImm(lod) && lod.id == 0;
    call.message = zero ? Message::kLdLz : Message::kLd;
    if (!zero) call.Add(ParamKind::kLod, lod);
  }
  SampleInto(id, call);
  return absl::OkStatus();
}

// Selects the level that would be read, and the level before it is clamped.
absl::Status Samplers::VisitLod(mir::InstId id) {
  const mir::TexelSources s = mir::TexelSourcesOf(m_, id);
  SamplerCall call;
  call.quad = true;
  call.message = Message::kLod;
  descriptors_.AddTo(id, s, call);
  const int spatial = mir::SpatialCount(m_.resources[m_.inst(id).imm0].image.dim);
  for (int i = 0; i < spatial; ++i) {
    call.Add(kCoordinates[i], e_.Src(m_.source(id, s.coordinates + i), Type::kF));
  }
  SampleInto(id, call);
  return absl::OkStatus();
}

// The control surface tells where a pixel's samples are, in the first two dwords of a response that
// always has four (Mesa 25.0.7, emit_mcs_fetch in brw_fs_nir.cpp).
void Samplers::AddSampleParams(mir::InstId id, const mir::TexelSources& s, SamplerCall& call) {
  SamplerCall mcs = call;
  mcs.message = Message::kLdMcs;
  const Operand control = SendSampler(mcs, e_.WhereOf(m_.result(id)), 4);
  call.message = Message::kLd2dmsW;
  call.Add(ParamKind::kSampleIndex, e_.Src(m_.source(id, s.sample), Type::kUD));
  call.Add(ParamKind::kMcs, e_.Component(control, 0));
  call.Add(ParamKind::kMcsHigh, e_.Component(control, 1));
}

}  // namespace kiln::intel
