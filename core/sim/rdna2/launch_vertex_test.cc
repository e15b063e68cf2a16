#include "core/sim/rdna2/launch_vertex.h"

#include "core/sim/rdna2/draw_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

WaveState Filled(const VertexGroup& group, uint32_t number) {
  WaveState w;
  w.size = isa::Wave::k64;
  w.number = number;
  w.vector.resize(16);
  FillVertexWave(group, w);
  return w;
}

TEST(LaunchVertex, GroupsTakeVerticesOfOneInstance) {
  VertexProgram p = VertexProgramOf();
  p.draw.count = 130;
  p.draw.instances = 2;
  const std::vector<VertexGroup> groups = VertexGroups(p.record, {}, false, false, p.draw);
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_EQ(groups[0].count, 128u);
  EXPECT_EQ(groups[0].primitives.size(), 126u);
  EXPECT_THAT(groups[1].runs, ElementsAre(ElementsAre(128), ElementsAre(129)));
  EXPECT_EQ(groups[1].count, 2u);
  EXPECT_EQ(groups[1].primitives[0].number, 126u);
  EXPECT_THAT(groups[1].primitives[0].vertices, ElementsAre(0, 1, 1));
  EXPECT_EQ(groups[2].runs[0][0], 130u);
  EXPECT_EQ(groups[2].primitives[0].number, 0u);
  EXPECT_EQ(VertexGroups(p.record, {}, true, false, p.draw)[0].runs[0][0], 258u);
}

TEST(LaunchVertex, CountsOfGroupAndWave) {
  VertexProgram p = VertexProgramOf();
  const std::vector<VertexGroup> groups = VertexGroups(p.record, {}, false, false, p.draw);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].Waves(), 2u);
  const WaveState w = Filled(groups[0], 1);
  EXPECT_EQ(w.scalar[2] & ~0xfffu, 80u << 12 | 78u << 22);
  EXPECT_EQ(w.scalar[3] & ~0xff0000u, 16u | 14u << 8 | 1u << 24 | 2u << 28);
}

TEST(LaunchVertex, LanesHaveAPrimitiveAndAVertex) {
  VertexProgram p = VertexProgramOf();
  p.draw.count = 4;
  p.draw.indices = {9, 8, 7, 6};
  p.draw.instances = 2;
  std::vector<VertexGroup> groups = VertexGroups(p.record, {}, false, false, p.draw);
  WaveState w = Filled(groups[1], 0);
  EXPECT_EQ(w.vector[0][1], 1u | 2u << 16);
  EXPECT_EQ(w.vector[1][1], 3u);
  EXPECT_EQ(w.vector[2][1], 1u);
  EXPECT_EQ(w.vector[5][3], 6u);
  EXPECT_EQ(w.vector[8][3], 1u);
  std::get<out::AmdLaunch>(p.record.arch).vertex.primgen_passthru_en = true;
  w = Filled(groups[1], 0);
  EXPECT_EQ(w.vector[0][1], 1u | 2u << 10 | 3u << 20 | 1u << 9 | 1u << 19 | 1u << 29);
}

TEST(LaunchVertex, WavesOfPrimitivesAlone) {
  VertexProgram p = VertexProgramOf();
  p.draw.count = 300;
  for (uint32_t i = 0; i < p.draw.count; ++i) p.draw.indices.push_back(i % 10);
  p.draw.instances = 2;
  InputAssembly list = {InputAssembly::Topology::kTriangleList, {}, true, true};
  const std::vector<VertexGroup> groups = VertexGroups(p.record, list, false, false, p.draw);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].count, 20u);
  EXPECT_EQ(groups[0].Waves(), 2u);
  const WaveState w = Filled(groups[0], 1);
  EXPECT_EQ(w.scalar[2] & ~0xfffu, 20u << 12 | 128u << 22);
  EXPECT_EQ(w.scalar[3] & ~0xff0000u, 64u << 8 | 1u << 24 | 2u << 28);
  EXPECT_EQ(w.vector[0][63], 11u | 12u << 16) << "primitive 27 of the second instance";
  EXPECT_EQ(w.vector[2][63], 27u);
  EXPECT_EQ(Filled(groups[0], 0).vector[5][11], 1u);
  EXPECT_EQ(Filled(groups[0], 0).vector[8][11], 1u);
}

TEST(LaunchVertex, EachInstanceRunsForEachView) {
  VertexProgram p = VertexProgramOf();
  p.record.vertex.view_mask = 0x12;
  p.draw.count = 4;
  p.draw.instances = 3;
  const std::vector<VertexGroup> groups = VertexGroups(p.record, {}, false, false, p.draw);
  ASSERT_EQ(groups.size(), 6u);
  EXPECT_EQ(p.draw.Runs(), 24u);
  EXPECT_EQ(groups[2].view, 1u);
  EXPECT_EQ(groups[5].view, 4u);
  EXPECT_EQ(Filled(groups[4], 0).vector[8][0], 2u);
  EXPECT_EQ(Filled(groups[5], 0).vector[8][0], 2u);
}

TEST(LaunchVertex, RefusesWhatCannotBeLaunched) {
  const auto error = [](auto change) {
    VertexProgram p = VertexProgramOf();
    change(p, std::get<out::AmdLaunch>(p.record.arch).vertex);
    return std::string(CheckVertexRecord(p.record, p.draw).message());
  };
  EXPECT_EQ(error([](auto&, auto&) {}), "");
  EXPECT_THAT(error([](auto&, auto& v) { v.ge_cntl = 0; }), HasSubstr("size of a workgroup"));
  for (uint32_t vertices : {28u, 254u}) {
    EXPECT_THAT(error([=](auto&, auto& v) { v.ge_cntl = 128 | vertices << 9; }),
                HasSubstr("size of a workgroup"));
  }
  for (uint32_t vertices : {29u, 253u}) {
    EXPECT_EQ(error([=](auto&, auto& v) { v.ge_cntl = 128 | vertices << 9; }), "");
  }
  EXPECT_EQ(error([](auto& p, auto& v) {
              v.ge_max_output_per_subgroup = 128;
              v.ge_ngg_subgrp_cntl = v.spi_shader_idx_format = 1;
              v.vgt_gs_onchip_cntl = 0x20040080;
              v.vgt_shader_stages_en = p.record.dispatch_width == 32 ? 0x412010 : 0x12010;
            }),
            "");
  const auto disagrees = HasSubstr("do not agree");
  EXPECT_THAT(error([](auto&, auto& v) { v.ge_max_output_per_subgroup = 127; }), disagrees);
  EXPECT_THAT(error([](auto&, auto& v) { v.vgt_gs_onchip_cntl = 0x20040081; }), disagrees);
  EXPECT_THAT(error([](auto&, auto& v) { v.ge_ngg_subgrp_cntl = 2; }), disagrees);
  EXPECT_THAT(error([](auto&, auto& v) { v.spi_shader_idx_format = 2; }), disagrees);
  EXPECT_THAT(error([](auto& p, auto& v) {
                v.vgt_shader_stages_en = p.record.dispatch_width == 32 ? 0x12010 : 0x412010;
              }),
              disagrees);
  EXPECT_THAT(error([](auto& p, auto& v) {
                v.vgt_shader_stages_en = p.record.dispatch_width == 32 ? 0x2412010 : 0x2012010;
              }),
              disagrees);
  EXPECT_THAT(error([](auto&, auto& v) { v.spi_shader_pos_format = 0; }), HasSubstr("of exports"));
  EXPECT_THAT(error([](auto& p, auto&) { p.record.vertex.attributes = {1}; }),
              HasSubstr("no input at location 1"));
}

}  // namespace
}  // namespace kiln::sim::rdna2
