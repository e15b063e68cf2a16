// See draw_testing.h.
#include "core/sim/rdna2/draw_testing.h"

#include <cstring>
#include <utility>

#include "core/base/float_bits.h"

namespace kiln::sim::rdna2 {
namespace {

std::vector<uint8_t> Bytes(const Words& words) {
  std::vector<uint8_t> bytes(4 * words.size());
  if (!words.empty()) std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

// A record of `vgprs` registers, a multiple of 8, without user SGPRs.
out::LaunchRecord RecordFor(const char* stage, uint32_t lanes, const Words& body, uint32_t vgprs) {
  out::LaunchRecord record;
  record.target = "gfx1030";
  record.stage = stage;
  record.dispatch_width = lanes;
  out::AmdLaunch amd;
  amd.vgprs = vgprs;
  amd.rsrc1 =
      (vgprs / (lanes == 32 ? 8 : 4) - 1) | 0xc0u << 12 | 1u << 21 | 1u << 25;  // MEM_ORDERED
  amd.instruction_bytes = static_cast<uint32_t>(4 * body.size());
  amd.address_high = 0xffff8000;
  record.arch = amd;
  return record;
}

scene::FragmentInputs FragmentDraw() {
  scene::FragmentInputs draw;
  draw.width = draw.height = 4;
  scene::Primitive shape;
  shape.number = 7;
  shape.weight = {{{-0.25, -0.25, 1}, {0.25, 0, 0}, {0, 0.25, 0}}};
  shape.depth = {0, 0.25, 0.25};
  shape.values = {{0, 0, {AsBits(1.0f), AsBits(3.0f), AsBits(5.0f)}}};
  draw.primitives = {shape};
  for (uint16_t y : {0, 2}) {
    for (uint16_t x : {0, 2}) draw.quads.push_back({0, x, y, {1, 1, 1, 1}});
  }
  scene::RenderTarget target;
  target.texels.resize(4 * 16);
  draw.targets = {target};
  return draw;
}

}  // namespace

Words Joined(std::initializer_list<Words> parts) {
  Words all;
  for (const Words& p : parts) all.insert(all.end(), p.begin(), p.end());
  return all;
}

FragmentProgram ProgramOf(Words body) {
  FragmentProgram p;
  p.body = std::move(body);
  p.record = RecordFor("fragment", p.lanes, p.body, 16);
  p.record.fragment.inputs = {{0, "", false, {{0, 1, "float", 32}}}};
  p.record.fragment.colors = {0};
  p.record.fragment.samples = 1;
  out::AmdFragment& f = std::get<out::AmdLaunch>(p.record.arch).fragment;
  f.spi_ps_input_ena = f.spi_ps_input_addr = 2;
  f.spi_shader_col_format = 9;
  f.cb_shader_mask = 0xf;
  f.spi_ps_input_cntl = {0};
  p.draw = FragmentDraw();
  return p;
}

absl::StatusOr<scene::FragmentInputs> RunDraw(FragmentProgram p) {
  scene::Dispatch dispatch;
  dispatch.draw = std::move(p.draw);
  const absl::StatusOr<scene::RunStats> stats = Run(Bytes(p.body), p.record, p.options, dispatch);
  if (!stats.ok()) return stats.status();
  return *std::move(dispatch.draw);
}

float ColorAt(const scene::FragmentInputs& draw, uint32_t x, uint32_t y, uint32_t component,
              size_t target) {
  return AsFloat(draw.targets[target].texels[4 * draw.At(x, y, 0) + component]);
}

VertexProgram VertexProgramOf(Words body) {
  VertexProgram p;
  p.body = std::move(body);
  if (p.body.empty()) {
    p.body = Joined({kRequest, kPackPrimitives, kExportPrimitives, kWaitExports, kShadeVertices,
                     kExportPosition, kExportParameter, kEndProgram});
  }
  p.record = RecordFor("vertex", 64, p.body, 16);
  p.record.vertex.outputs = {{0, {{0, 2, "float", 32}}}};
  auto& amd = std::get<out::AmdLaunch>(p.record.arch);
  amd.rsrc1 |= 2u << 29;  // GS_VGPR_COMP_CNT
  amd.rsrc2 |= 3u << 16;  // ES_VGPR_COMP_CNT
  amd.vertex.ge_cntl = 128 | 128 << 9;
  amd.vertex.spi_shader_pos_format = 4;
  amd.vertex.parameters = {{0, "", 0, false}};
  p.draw.count = 80;
  return p;
}

absl::StatusOr<scene::VertexInputs> RunVertices(VertexProgram p) {
  scene::Dispatch dispatch;
  dispatch.vertices = std::move(p.draw);
  const absl::StatusOr<scene::RunStats> stats = Run(Bytes(p.body), p.record, p.options, dispatch);
  if (!stats.ok()) return stats.status();
  return *std::move(dispatch.vertices);
}

}  // namespace kiln::sim::rdna2
