// Tests the registers and the launch record that describe a vertex program: see vertex.h. Mesa's
// register headers (25.0.7, sid.h) say which bits these are.
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "core/amd/abi/vertex.h"
#include "core/out/launch_record.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using Source = VertexParameter::Source;

out::LaunchRecord Described(const VertexAbi& abi, uint32_t width = 64) {
  out::LaunchRecord record;
  record.dispatch_width = width;
  record.arch.emplace<out::AmdLaunch>();
  DescribeVertex(abi, record);
  return record;
}

out::AmdVertex RegistersOf(const VertexAbi& abi, uint32_t width = 64) {
  return out::AmdOf(Described(abi, width)).vertex;
}

TEST(VertexRecord, ValuesOfTheDrawThatAreRead) {
  VertexAbi abi;
  EXPECT_TRUE(Described(abi).vertex.system_values.empty());
  abi.reads_first_vertex = abi.reads_vertex_id = abi.reads_draw_id = true;
  const auto values = Described(abi).vertex.system_values;
  EXPECT_EQ(values.size(), 3u);
  abi.reads_base_instance = abi.reads_instance_id = true;
  EXPECT_EQ(Described(abi).vertex.system_values.size(), 5u);
  abi.view_mask = 5;
  EXPECT_EQ(Described(abi).vertex.view_mask, 5u);
}

TEST(VertexRecord, AttributesAreBuffersInOrder) {
  VertexAbi abi;
  abi.attributes = {{3, 2, "float", std::nullopt}, {7, 4, "int", 5}, {9, 1, "float", 0}};
  const out::LaunchRecord record = Described(abi);
  EXPECT_EQ(record.vertex.attributes, (std::vector<uint32_t>{3, 7, 9}));
  const std::vector<out::AmdAttribute>& list = out::AmdOf(record).vertex.attributes;
  ASSERT_EQ(list.size(), 3u);
  for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(list[i].buffer, i);
  EXPECT_EQ(list[0].components, 2u);
  EXPECT_FALSE(list[0].per_instance);
  EXPECT_EQ(list[1].type, "int");
  EXPECT_TRUE(list[1].per_instance);
  EXPECT_EQ(list[1].divisor, 5u);
  EXPECT_TRUE(list[2].per_instance);
  EXPECT_EQ(list[2].divisor, 0u);
}

// SPI_SHADER_POS_FORMAT has four components for each export, PA_CL_VS_OUT_CNTL says what they are.
TEST(VertexRecord, PositionExports) {
  VertexAbi abi;
  EXPECT_EQ(RegistersOf(abi).spi_shader_pos_format, 0x4u);
  EXPECT_EQ(RegistersOf(abi).pa_cl_vs_out_cntl, 0u);
  abi.positions.point_size = true;
  EXPECT_EQ(RegistersOf(abi).spi_shader_pos_format, 0x44u);
  EXPECT_EQ(RegistersOf(abi).pa_cl_vs_out_cntl, 1u << 16 | 1u << 21 | 1u << 24);
  abi.positions.point_size = false;
  abi.positions.layer = true;
  EXPECT_EQ(RegistersOf(abi).pa_cl_vs_out_cntl, 1u << 18 | 1u << 21 | 1u << 24);
  abi.positions.layer = false;
  abi.positions.viewport = true;
  EXPECT_EQ(RegistersOf(abi).pa_cl_vs_out_cntl, 1u << 19 | 1u << 21 | 1u << 24);
}

// Clip distances are enabled in [7:0], both kinds in [15:8]; each four of them are an export.
TEST(VertexRecord, Distances) {
  VertexAbi abi;
  abi.positions.clip = 0x03;
  abi.positions.cull = 0x04;
  EXPECT_EQ(RegistersOf(abi).spi_shader_pos_format, 0x44u);
  EXPECT_EQ(RegistersOf(abi).pa_cl_vs_out_cntl, 0x03u | 0x07u << 8 | 1u << 22 | 1u << 24);
  abi.positions.cull = 0x10;
  EXPECT_EQ(RegistersOf(abi).spi_shader_pos_format, 0x444u);
  EXPECT_EQ(RegistersOf(abi).pa_cl_vs_out_cntl, 0x03u | 0x13u << 8 | 3u << 22 | 1u << 24);
  abi.positions.clip = 0;
  EXPECT_EQ(RegistersOf(abi).spi_shader_pos_format, 0x44u);
  EXPECT_EQ(RegistersOf(abi).pa_cl_vs_out_cntl, 0x10u << 8 | 1u << 23 | 1u << 24);
}

TEST(VertexRecord, Parameters) {
  VertexAbi abi;
  EXPECT_EQ(RegistersOf(abi).spi_vs_out_config, 1u << 7);  // none
  constexpr uint32_t kConstant = VertexParameter::kConstant;
  abi.parameters = {{Source::kLocation, 2, kConstant + 3},
                    {Source::kViewport, 0, 0},
                    {Source::kLocation, 5, 1},
                    {Source::kDistances, 1, 2},
                    {Source::kPrimitiveId, 0, 3}};
  const out::AmdVertex v = RegistersOf(abi);
  // Exports of vertices less 1, and one of primitives.
  EXPECT_EQ(v.spi_vs_out_config, 2u << 1 | 1u << 8);
  ASSERT_EQ(v.parameters.size(), 5u);
  EXPECT_EQ(v.parameters[0].builtin, "viewport");
  EXPECT_EQ(v.parameters[1].builtin, "clip_distance_1");
  EXPECT_EQ(v.parameters[2].builtin, "primitive_id");
  EXPECT_TRUE(v.parameters[2].per_primitive);
  EXPECT_EQ(v.parameters[2].spi_ps_input_cntl, 3u);
  EXPECT_EQ(v.parameters[3].location, 2u);  // a constant: OFFSET 32, DEFAULT_VAL
  EXPECT_EQ(v.parameters[3].spi_ps_input_cntl, 0x20u | 3u << 8);
  EXPECT_EQ(v.parameters[4].location, 5u);
  EXPECT_EQ(v.parameters[4].spi_ps_input_cntl, 1u);
  abi.parameters = {{Source::kPrimitiveId, 0, 0}};
  EXPECT_EQ(RegistersOf(abi).spi_vs_out_config, 1u << 8);
}

TEST(VertexRecord, Workgroups) {
  VertexAbi abi;
  const out::AmdVertex small = RegistersOf(abi, 32);
  EXPECT_EQ(small.ge_cntl, 128u | 128u << 9);
  EXPECT_EQ(small.vgt_gs_onchip_cntl, 128u | 128u << 11 | 128u << 22);
  EXPECT_EQ(small.ge_max_output_per_subgroup, 128u);
  EXPECT_EQ(small.ge_ngg_subgrp_cntl, 1u);
  EXPECT_EQ(small.spi_shader_idx_format, 1u);
  abi.group_size = 256;
  const out::AmdVertex large = RegistersOf(abi, 32);
  EXPECT_EQ(large.ge_cntl, 256u | 251u << 9);
  EXPECT_EQ(large.vgt_gs_onchip_cntl, 251u | 256u << 11 | 256u << 22);
  EXPECT_EQ(large.ge_max_output_per_subgroup, 251u);
}

// Primitives are packed by the hardware unless the program tests them.
TEST(VertexRecord, StagesOfBothWaveSizes) {
  constexpr uint32_t kWave32 = 1u << 22, kPassthrough = 1u << 25;
  VertexAbi abi;
  EXPECT_TRUE(RegistersOf(abi).primgen_passthru_en);
  const uint32_t common = RegistersOf(abi).vgt_shader_stages_en & ~kPassthrough;
  EXPECT_EQ(common, 2u << 3 | 1u << 13 | 2u << 15);
  EXPECT_EQ(RegistersOf(abi, 32).vgt_shader_stages_en, common | kWave32 | kPassthrough);
  abi.culls = true;
  EXPECT_FALSE(RegistersOf(abi).primgen_passthru_en);
  EXPECT_EQ(RegistersOf(abi).vgt_shader_stages_en, common);
  EXPECT_EQ(RegistersOf(abi, 32).vgt_shader_stages_en, common | kWave32);
}

}  // namespace
}  // namespace kiln::amd
