// See launch_vertex.h.
#include "core/sim/rdna2/launch_vertex.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/sim/rdna2/vertex_outputs.h"

namespace kiln::sim::rdna2 {
namespace {

constexpr uint32_t kMaxWaves = 15;

// Vertices' inputs begin behind those of primitives.
constexpr uint32_t kFirstVertexVgpr = 5;

// Vertices of a workgroup: the machine's least, and the most of triangles (Mesa 25.0.7,
// radv_shader_info.c, gfx10_get_ngg_info).
constexpr uint32_t kMinVertices = 29, kMaxVertices = 253;

uint32_t Field(uint32_t value, int low, int bits) { return value >> low & ((1u << bits) - 1); }

// GE_CNTL: PRIM_GRP_SIZE, VERT_GRP_SIZE.
uint32_t MostPrimitives(const out::LaunchRecord& r) {
  return Field(out::AmdOf(r).vertex.ge_cntl, 0, 9);
}
uint32_t MostVertices(const out::LaunchRecord& r) {
  return Field(out::AmdOf(r).vertex.ge_cntl, 9, 9);
}

// Returns the views that each instance is drawn for, ascending.
std::vector<uint32_t> ViewsOf(const out::LaunchRecord& record) {
  if (record.vertex.view_mask == 0) return {0};
  std::vector<uint32_t> views;
  for (uint32_t v = 0; v < 32; ++v) {
    if ((record.vertex.view_mask >> v & 1) != 0) views.push_back(v);
  }
  return views;
}

// Returns the lanes that a wave has of `count`.
uint32_t LanesOf(uint32_t count, uint32_t wave, uint32_t lanes) {
  const uint32_t before = wave * lanes;
  return count <= before ? 0 : std::min(lanes, count - before);
}

void FillPrimitive(const VertexGroup& of, uint32_t number, size_t lane, WaveState& w) {
  const out::AmdLaunch& amd = out::AmdOf(*of.record);
  const std::array<uint32_t, 3>& v = of.primitives[number].vertices;
  if (amd.vertex.primgen_passthru_en) {
    // Bits 9, 19 and 29 are the edge flags, all on at first; exports ignore them here.
    constexpr uint32_t kEdgeFlags = 1u << 9 | 1u << 19 | 1u << 29;
    w.vector[0][lane] = v[0] | v[1] << 10 | v[2] << 20 | kEdgeFlags;
  } else {
    w.vector[0][lane] = v[0] | v[1] << 16;
  }
  const uint32_t more = Field(amd.rsrc1, 29, 2);  // GS_VGPR_COMP_CNT
  if (more >= 1) w.vector[1][lane] = v[2];
  if (more >= 2) w.vector[2][lane] = of.primitives[number].number;
  if (more >= 3) w.vector[3][lane] = 0;
}

void FillVertex(const VertexGroup& of, uint32_t number, size_t lane, WaveState& w) {
  const scene::VertexRun run = scene::RunAt(*of.draw, of.runs[number][0]);
  w.vector[kFirstVertexVgpr][lane] = run.number;
  const uint32_t more = Field(out::AmdOf(*of.record).rsrc2, 16, 2);  // ES_VGPR_COMP_CNT
  if (more >= 3) w.vector[kFirstVertexVgpr + 3][lane] = run.instance / of.views;
}

// Returns true if the registers of other units than GE_CNTL say the same of a workgroup and of v0,
// as far as a record has them (0: not).
bool RegistersAgree(const out::LaunchRecord& r) {
  const out::AmdVertex& v = out::AmdOf(r).vertex;
  const uint32_t vertices = MostVertices(r), primitives = MostPrimitives(r);
  if (const uint32_t most = v.ge_max_output_per_subgroup; most != 0 && most < vertices) {
    return false;
  }
  const uint32_t onchip = vertices | primitives << 11 | primitives << 22;
  if (v.vgt_gs_onchip_cntl != 0 && v.vgt_gs_onchip_cntl != onchip) return false;
  if (v.ge_ngg_subgrp_cntl > 1 || v.spi_shader_idx_format > 1) return false;
  const uint32_t stages = v.vgt_shader_stages_en;
  constexpr int kGsW32En = 22, kPrimgenPassthruEn = 25;
  return stages == 0 || ((Field(stages, kGsW32En, 1) != 0) == (r.dispatch_width == 32) &&
                         (Field(stages, kPrimgenPassthruEn, 1) != 0) == v.primgen_passthru_en);
}

}  // namespace

absl::Status CheckVertexRecord(const out::LaunchRecord& record, const scene::VertexInputs& draw) {
  const uint32_t vertices = MostVertices(record), primitives = MostPrimitives(record);
  if (vertices < kMinVertices || vertices > kMaxVertices || primitives < 1 ||
      VertexWaves(record) > kMaxWaves) {
    return absl::InvalidArgumentError("launch record: size of a workgroup of vertices");
  }
  if (!RegistersAgree(record)) {
    return absl::InvalidArgumentError(
        "launch record: registers that do not agree with GE_CNTL, the waves' size or v0");
  }
  if (Field(out::AmdOf(record).rsrc1, 27, 1) != 0) {
    return absl::InvalidArgumentError(
        "launch record: a primitive shader in WGP mode, in which the machine can hang");
  }
  const uint32_t positions = PositionExports(record);
  if (positions < 1 || positions > kPositions || ParameterExports(record) > kParameters) {
    return absl::InvalidArgumentError("launch record: number of exports");
  }
  constexpr uint64_t kMaxSlots = kPositions + 2 * kParameters + 1;
  return scene::CheckVertexInputs(record.vertex.attributes, 16 * kMaxSlots, draw);
}

uint32_t VertexInputVgprs(const out::LaunchRecord& record) {
  const uint32_t more = Field(out::AmdOf(record).rsrc2, 16, 2);  // ES_VGPR_COMP_CNT
  return kFirstVertexVgpr + 1 + more;
}

uint32_t VertexWaves(const out::LaunchRecord& record) {
  const uint32_t lanes = record.dispatch_width;
  return (std::max(MostVertices(record), MostPrimitives(record)) + lanes - 1) / lanes;
}

std::vector<VertexGroup> VertexGroups(const out::LaunchRecord& record,
                                      const InputAssembly& assembly, bool opposite, bool culls,
                                      scene::VertexInputs& draw) {
  // Each instance runs once for each view, as runs of an instance of its own.
  const std::vector<uint32_t> views = ViewsOf(record);
  const auto view_count = static_cast<uint32_t>(views.size());
  draw.instances *= view_count;
  for (scene::VertexInput& input : draw.inputs) input.step *= view_count;
  PrepareOutputs(record, draw);
  std::vector<VertexGroup> groups;
  for (AssembledGroup& assembled :
       Assemble(draw, assembly, MostVertices(record), MostPrimitives(record), view_count)) {
    VertexGroup& g = groups.emplace_back();
    g.record = &record;
    g.draw = &draw;
    g.count = static_cast<uint32_t>(assembled.vertices.size());
    g.view = views[assembled.instance % view_count];
    g.views = view_count;
    g.runs = std::move(assembled.vertices);
    g.primitives = std::move(assembled.primitives);
    g.culls = culls;
    g.exported_at.resize(g.primitives.size());
    g.of_primitives.resize(g.primitives.size());
    g.of_vertices.resize(g.count);
  }
  if (opposite) std::reverse(groups.begin(), groups.end());
  return groups;
}

void FillVertexWave(const VertexGroup& of, WaveState& w) {
  const auto lanes = static_cast<uint32_t>(w.lanes());
  const auto primitives = static_cast<uint32_t>(of.primitives.size());
  const uint32_t own_vertices = LanesOf(of.count, w.number, lanes);
  const uint32_t own_primitives = LanesOf(primitives, w.number, lanes);
  // The ordered id of the group [11:0] and the wave's id [23:16] are numbers that no program needs:
  // any that show in results of a program which does not mask them.
  constexpr uint32_t kOrderedId = 0xa5b, kWaveId = 0xb7 << 16;
  w.SetScalar(2, kOrderedId | of.count << 12 | primitives << 22);
  w.SetScalar(3, own_vertices | own_primitives << 8 | kWaveId | w.number << 24 | of.Waves() << 28);
  w.SetScalar(5, of.record->scratch_bytes_per_thread * w.number);
  for (uint32_t lane = 0; lane < own_primitives; ++lane) {
    FillPrimitive(of, w.number * lanes + lane, lane, w);
  }
  for (uint32_t lane = 0; lane < own_vertices; ++lane) {
    FillVertex(of, w.number * lanes + lane, lane, w);
  }
}

}  // namespace kiln::sim::rdna2
