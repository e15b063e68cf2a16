#include "core/sim/rdna2/vertex_outputs.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

using testing::ElementsAre;

out::LaunchRecord RecordOf(const out::AmdVertex& state) {
  out::LaunchRecord record;
  record.arch.emplace<out::AmdLaunch>().vertex = state;
  return record;
}

const scene::VertexOutput* Named(const scene::VertexInputs& draw, const std::string& name) {
  for (const scene::VertexOutput& o : draw.outputs) {
    if (o.builtin == name) return &o;
  }
  return nullptr;
}

// Returns the components of an output of a run.
std::vector<uint32_t> Values(const scene::VertexInputs& draw, const scene::VertexOutput& output,
                             uint32_t run) {
  std::vector<uint32_t> values;
  for (const scene::VertexOutput::Component& c : output.components) {
    values.push_back(draw.entries[draw.At(run, c.slot, c.component)]);
  }
  return values;
}

TEST(VertexOutputs, UnpacksWhatPositionsHave) {
  out::AmdVertex state;
  state.spi_shader_pos_format = 0x444;
  // Point size, layer, viewport; one clip and one cull distance.
  state.pa_cl_vs_out_cntl = 0x01 | 0x03 << 8 | 1 << 16 | 1 << 18 | 1 << 19 | 1 << 21 | 1 << 22;
  const out::LaunchRecord record = RecordOf(state);
  scene::VertexInputs draw;
  draw.count = 2;
  PrepareOutputs(record, draw);
  ExportedVertex vertex;
  for (uint32_t t = 0; t < 3; ++t) vertex.channels[t] = 0xf;
  vertex.values[0] = {1, 2, 3, 4};
  vertex.values[1] = {50, 0, 6 | 7 << 16, 0};
  vertex.values[2] = {8, 9, 0, 0};
  WriteOutputs(record, vertex, 1, draw);
  const auto of = [&](const char* name) {
    const scene::VertexOutput* output = Named(draw, name);
    return output == nullptr ? std::vector<uint32_t>() : Values(draw, *output, 1);
  };
  EXPECT_THAT(of("position"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(of("point_size"), ElementsAre(50));
  EXPECT_THAT(of("layer"), ElementsAre(6));
  EXPECT_THAT(of("viewport"), ElementsAre(7));
  EXPECT_THAT(of("clip_distance"), ElementsAre(8));
  EXPECT_THAT(of("cull_distance"), ElementsAre(9));
  EXPECT_EQ(draw.written[draw.At(0, 0, 0)], 0);
}

TEST(VertexOutputs, ParametersByNumberAndDefault) {
  out::AmdVertex state;
  state.spi_shader_pos_format = 4;
  state.parameters = {{0, "primitive_id", 1, true},
                      {3, "", 0, false},
                      {5, "", 0x20 | 1 << 8, false},
                      {6, "", 0x20 | 2 << 8, false}};
  const out::LaunchRecord record = RecordOf(state);
  EXPECT_EQ(ParameterExports(record), 2u);
  EXPECT_EQ(ParameterAt(record, 1)->builtin, "primitive_id");
  EXPECT_EQ(ParameterAt(record, 2), nullptr);
  scene::VertexInputs draw;
  draw.count = 1;
  PrepareOutputs(record, draw);
  ASSERT_EQ(draw.outputs.size(), 4u);
  ExportedVertex vertex;
  vertex.channels[kPositions] = 0x5;
  vertex.values[kPositions] = {1, 2, 3, 4};
  WriteOutputs(record, vertex, 0, draw);
  EXPECT_EQ(draw.outputs[1].location, 3u);
  EXPECT_THAT(Values(draw, draw.outputs[1], 0), ElementsAre(1, 0, 3, 0));
  EXPECT_EQ(draw.written[draw.At(0, draw.outputs[1].components[1].slot, 1)], 0);
  constexpr uint32_t kOne = 0x3f800000;
  EXPECT_THAT(Values(draw, draw.outputs[2], 0), ElementsAre(0, 0, 0, kOne));
  EXPECT_THAT(Values(draw, draw.outputs[3], 0), ElementsAre(kOne, kOne, kOne, 0));
}

}  // namespace
}  // namespace kiln::sim::rdna2
