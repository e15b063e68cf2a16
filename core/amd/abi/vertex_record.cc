// The registers and the launch record of vertex programs: see vertex.h.
#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/amd/abi/vertex.h"

namespace kiln::amd {
namespace {

using Source = VertexParameter::Source;

uint32_t PosFormat(const PositionParts& p) {
  constexpr uint32_t kFourComponents = 4;
  uint32_t r = 0;
  for (uint32_t i = 0; i < p.exports(); ++i) r |= kFourComponents << (4 * i);
  return r;
}

uint32_t VsOutCntl(const PositionParts& p) {
  constexpr uint32_t kUsePointSize = 1u << 16, kUseLayer = 1u << 18, kUseViewport = 1u << 19,
                     kMiscVector = 1u << 21, kSideBus = 1u << 24;
  constexpr uint32_t kFirstDistanceVector = 22;
  uint32_t r = p.clip | static_cast<uint32_t>(p.clip | p.cull) << 8;
  if (p.point_size) r |= kUsePointSize;
  if (p.layer) r |= kUseLayer;
  if (p.viewport) r |= kUseViewport;
  if (p.miscellaneous()) r |= kMiscVector;
  for (uint32_t n = 0; n < 2; ++n) {
    if (p.group(n)) r |= 1u << (kFirstDistanceVector + n);
  }
  if (p.miscellaneous() || p.exports() > 1) r |= kSideBus;
  return r;
}

uint32_t VsOutConfig(const VertexAbi& abi) {
  constexpr uint32_t kNoParameters = 1u << 7;
  const uint32_t vertices = abi.vertex_exports();
  const uint32_t primitives = abi.exports_primitive_id() ? 1 : 0;
  return (std::max(vertices, 1u) - 1) << 1 | (vertices + primitives == 0 ? kNoParameters : 0) |
         primitives << 8;
}

// The most vertices that the hardware gives a workgroup, whatever the topology is: strips of
// triangles with adjacency have the lowest bound (Mesa 25.0.7, radv_shader_info.c,
// gfx10_get_ngg_info).
constexpr uint32_t kMaxVertices = 251;

// VGT_GS_ONCHIP_CNTL: vertices, primitives, primitives of instances.
uint32_t OnchipCntl(uint32_t primitives, uint32_t vertices) {
  return vertices | primitives << 11 | primitives << 22;
}

// VGT_SHADER_STAGES_EN of a pipeline with a vertex and perhaps a fragment program.
uint32_t ShaderStagesEn(bool passthrough, uint32_t width) {
  constexpr uint32_t kVerticesFromProgram = 2u << 3;  // ES_EN
  constexpr uint32_t kPrimgen = 1u << 13, kTwoPrimitiveGroups = 2u << 15, kWave32 = 1u << 22,
                     kPrimgenPassthrough = 1u << 25;
  return kVerticesFromProgram | kPrimgen | kTwoPrimitiveGroups | (width == 32 ? kWave32 : 0) |
         (passthrough ? kPrimgenPassthrough : 0);
}

out::AmdParameter Described(const VertexParameter& p) {
  constexpr uint32_t kDefault = 0x20;  // OFFSET of a constant, which DEFAULT_VAL [9:8] chooses
  out::AmdParameter r;
  switch (p.source) {
    case Source::kViewport: r.builtin = "viewport"; break;
    case Source::kLocation: r.location = p.number; break;
    case Source::kDistances: r.builtin = absl::StrCat("clip_distance_", p.number); break;
    case Source::kPrimitiveId: r.builtin = "primitive_id"; break;
  }
  r.spi_ps_input_cntl =
      p.exported() ? p.slot : kDefault | (p.slot - VertexParameter::kConstant) << 8;
  r.per_primitive = p.source == Source::kPrimitiveId;
  return r;
}

// Built-ins come first in a record.
std::vector<out::AmdParameter> DescribedParameters(const VertexAbi& abi) {
  std::vector<out::AmdParameter> list;
  for (const bool locations : {false, true}) {
    for (const VertexParameter& p : abi.parameters) {
      if ((p.source == Source::kLocation) == locations) list.push_back(Described(p));
    }
  }
  return list;
}

}  // namespace

void DescribeVertex(const VertexAbi& abi, out::LaunchRecord& r) {
  using out::VertexValue;
  const std::pair<VertexValue, bool> kValues[] = {
      {VertexValue::kFirstVertex, abi.reads_first_vertex},
      {VertexValue::kBaseInstance, abi.reads_base_instance},
      {VertexValue::kVertexIdFromZero, abi.reads_vertex_id},
      {VertexValue::kInstanceIdFromZero, abi.reads_instance_id},
      {VertexValue::kDrawId, abi.reads_draw_id}};
  for (const auto& [value, read] : kValues) {
    if (read) r.vertex.system_values.push_back(value);
  }
  r.vertex.outputs = abi.outputs;
  r.vertex.view_mask = abi.view_mask;
  out::AmdVertex& amd = std::get<out::AmdLaunch>(r.arch).vertex;
  for (const VertexAttribute& a : abi.attributes) {
    r.vertex.attributes.push_back(a.location);
    out::AmdAttribute& to = amd.attributes.emplace_back();
    to.location = a.location;
    to.buffer = static_cast<uint32_t>(amd.attributes.size()) - 1;
    to.components = a.components;
    to.type = a.type;
    to.bits = 32;
    to.typed = true;
    to.per_instance = a.divisor.has_value();
    to.divisor = a.divisor.value_or(0);
  }
  amd.primgen_passthru_en = !abi.culls;
  const uint32_t vertices = std::min(abi.group_size, kMaxVertices);
  amd.ge_cntl = abi.group_size | vertices << 9;
  amd.ge_max_output_per_subgroup = vertices;
  amd.ge_ngg_subgrp_cntl = 1;  // PRIM_AMP_FACTOR
  amd.vgt_gs_onchip_cntl = OnchipCntl(abi.group_size, vertices);
  amd.spi_shader_idx_format = 1;  // one component: the packed primitive
  amd.vgt_shader_stages_en = ShaderStagesEn(amd.primgen_passthru_en, r.dispatch_width);
  amd.spi_shader_pos_format = PosFormat(abi.positions);
  amd.pa_cl_vs_out_cntl = VsOutCntl(abi.positions);
  amd.spi_vs_out_config = VsOutConfig(abi);
  amd.parameters = DescribedParameters(abi);
}

}  // namespace kiln::amd
