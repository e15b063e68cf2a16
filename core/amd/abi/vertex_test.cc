// Tests which attributes, exports and registers vertex programs get: see vertex.h.
#include "core/amd/abi/vertex.h"

#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using Source = VertexParameter::Source;

absl::StatusOr<VertexAbi> Assign(const std::string& interfaces, const std::string& body,
                                 const PipelineState& state = {}) {
  const auto m = mir::Parse(absl::StrCat("mir 1\nentry \"main\"\nstage vertex\n", interfaces,
                                         "body {\n", body, "return\n}\n"));
  EXPECT_TRUE(m.ok()) << m.status();
  if (!m.ok()) return m.status();
  EXPECT_EQ(mir::Verify(*m), absl::OkStatus());
  return AssignVertex(*m, state);
}

out::LaunchRecord Described(const VertexAbi& abi) {
  out::LaunchRecord record;
  record.arch.emplace<out::AmdLaunch>();
  DescribeVertex(abi, record);
  return record;
}

out::AmdVertex RegistersOf(const std::string& interfaces, const std::string& body,
                           const PipelineState& state = {}) {
  const auto abi = Assign(interfaces, body, state);
  EXPECT_TRUE(abi.ok()) << abi.status();
  return abi.ok() ? out::AmdOf(Described(*abi)).vertex : out::AmdVertex();
}

// Returns the parameters, each as its name and SPI_PS_INPUT_CNTL.
std::string Parameters(const out::AmdVertex& v) {
  std::string text;
  for (const out::AmdParameter& p : v.parameters) {
    absl::StrAppend(&text, p.builtin.empty() ? absl::StrCat(p.location) : p.builtin, ":",
                    p.spi_ps_input_cntl, p.per_primitive ? "p " : " ");
  }
  return text;
}

constexpr char kPosition[] = "output 0 builtin position f32 x4\n";
constexpr char kStored[] = "store_output[0, 0] 0f, 0f, 0f, 1f\n";

// The next stage reads viewport and distances; locations that it does not read are removed earlier.
PipelineState WithoutPrimitiveId() {
  PipelineState state;
  state.next_stage_reads.emplace();
  state.next_stage_built_ins = {.viewport = true, .distances = true, .primitive_id = false};
  return state;
}

TEST(VertexAbi, AttributesHaveDescriptorsByLocation) {
  const auto abi = Assign(
      "input 0 location 1.0 f32 x2\ninput 1 location 1.2 f32 x1\ninput 2 location 4.0 f32 x4\n"
      "input 3 location 7.0 i32 x4 array 3\noutput 0 builtin position f32 x4\n",
      "%0:f32 = load_input[0, 0]\n%1:f32 = load_input[1, 0]\n"
      "%2:i32 = load_input.indexed[3, 1] 2\n%3:f32 = i2f %2\nstore_output[0, 0] %0, %1, %3, %0\n");
  ASSERT_TRUE(abi.ok()) << abi.status();
  ASSERT_EQ(abi->attributes.size(), 2u);
  EXPECT_EQ(abi->attributes[0].location, 1u);  // of two variables
  EXPECT_EQ(abi->attributes[0].components, 3u);
  EXPECT_EQ(abi->attributes[1].location, 9u);  // the one element that is read
  EXPECT_EQ(abi->attributes[1].components, 2u);
  EXPECT_EQ(abi->attributes[1].type, "int");
  EXPECT_EQ(abi->of[1][0], 0u);
  EXPECT_EQ(abi->of[2][0], VertexAbi::kNoAttribute);
  EXPECT_EQ(abi->of[3][2], 1u);
  EXPECT_TRUE(abi->reads_vertex_id && abi->reads_first_vertex);
  EXPECT_FALSE(abi->reads_instance_id);
  const out::LaunchRecord record = Described(*abi);
  EXPECT_EQ(record.vertex.attributes, (std::vector<uint32_t>{1, 9}));
  const out::AmdAttribute& second = out::AmdOf(record).vertex.attributes[1];
  EXPECT_TRUE(second.typed && second.buffer == 1 && !second.per_instance);
}

TEST(VertexAbi, RatesChooseTheNumberThatFetches) {
  PipelineState state;
  state.instance_rates = {{0, 3}};
  const std::string two = "input 0 location 0.0 f32 x1\n";
  const auto abi = Assign(two + kPosition,
                          "%0:f32 = load_input[0, 0]\nstore_output[0, 0] %0, %0, %0, %0\n", state);
  ASSERT_TRUE(abi.ok()) << abi.status();
  EXPECT_TRUE(abi->reads_instance_id && abi->reads_base_instance);
  EXPECT_FALSE(abi->reads_vertex_id);
  EXPECT_EQ(abi->EsVgprCompCnt(), 3u);
  EXPECT_EQ(abi->input_vgprs(), 9u);
  EXPECT_EQ(out::AmdOf(Described(*abi)).vertex.attributes[0].divisor, 3u);
  state.instance_rates = {{0, 0}};
  EXPECT_FALSE(
      Assign(two, "%0:f32 = load_input[0, 0]\n%1:f32 = fadd %0, %0\n", state)->reads_instance_id);
}

TEST(VertexAbi, APositionAlone) {
  EXPECT_EQ(RegistersOf(kPosition, kStored).spi_vs_out_config, 0x100u);  // the primitive's number
  PipelineState state = WithoutPrimitiveId();
  state.primitive_culling = PrimitiveCulling::kOff;
  const out::AmdVertex v = RegistersOf(kPosition, kStored, state);
  EXPECT_TRUE(v.primgen_passthru_en);
  EXPECT_EQ(v.ge_cntl, 0x10080u);
  EXPECT_EQ(v.ge_max_output_per_subgroup, 128u);
  EXPECT_EQ(v.ge_ngg_subgrp_cntl, 1u);
  EXPECT_EQ(v.vgt_gs_onchip_cntl, 0x20040080u);
  EXPECT_EQ(v.spi_shader_idx_format, 1u);
  EXPECT_EQ(v.vgt_shader_stages_en & ~(1u << 22), 0x2012010u);
  EXPECT_EQ(v.spi_shader_pos_format, 4u);
  EXPECT_EQ(v.pa_cl_vs_out_cntl, 0u);
  EXPECT_EQ(v.spi_vs_out_config, 0x80u);  // no parameters
}

TEST(VertexAbi, PositionsFollowEachOther) {
  const out::AmdVertex v = RegistersOf(
      absl::StrCat(kPosition,
                   "output 1 builtin point_size f32 x1\n"
                   "output 2 builtin clip_distance f32 x1 array 3\n"
                   "output 3 builtin cull_distance f32 x1 array 3\noutput 4 builtin layer i32 x1\n"
                   "output 5 builtin viewport_index i32 x1\n"),
      absl::StrCat(kStored,
                   "store_output.indexed[2, 0] 0, 1f\nstore_output.indexed[2, 0] 2, 1f\n"
                   "store_output.indexed[3, 0] 1, 1f\nstore_output[4, 0] 1\n"
                   "store_output[1, 0] 1f\nstore_output[5, 0] 1\n"),
      WithoutPrimitiveId());
  EXPECT_EQ(v.spi_shader_pos_format, 0x4444u);
  // Clip distances 0 and 2, cull distance 1, which is number 4 of all.
  EXPECT_EQ(v.pa_cl_vs_out_cntl,
            0x05u | 0x15u << 8 | 1u << 16 | 1u << 18 | 1u << 19 | 1u << 21 | 3u << 22 | 1u << 24);
  EXPECT_EQ(Parameters(v), "viewport:0 clip_distance_0:1 clip_distance_1:2 ");
  EXPECT_EQ(v.spi_vs_out_config, 2u << 1);
}

// Vectors of 64 bits are two variables of dwords when they come here, the second of the location
// after the first. Vulkan's attribute, and so its rate, is the first's.
TEST(VertexAbi, HalvesOfWideAttributesHaveOneRate) {
  const auto divisor = [](const std::string& inputs, uint32_t number) {
    PipelineState state;
    state.instance_rates = {{2, 3}};
    const auto abi = Assign(absl::StrCat(inputs, kPosition),
                            "%0:i32, %1:i32, %2:i32, %3:i32 = load_input[0, 0]\n"
                            "%4:i32 = load_input[1, 0]\n%5:i32 = iadd %0, %4\n"
                            "%6:f32 = bitcast %5\nstore_output[0, 0] %6, %6, %6, %6\n",
                            state);
    EXPECT_TRUE(abi.ok()) << abi.status();
    return abi.ok() && abi->attributes.size() == 2 ? abi->attributes[number].divisor : 99u;
  };
  constexpr char kFirst[] = "input 0 location 2.0 i32 x4 ;%7\n";
  const std::string wide = absl::StrCat(kFirst, "input 1 location 3.0 i32 x4 ;%7\n");
  EXPECT_EQ(divisor(wide, 0), 3u);
  EXPECT_EQ(divisor(wide, 1), 3u);
  const std::string two = absl::StrCat(kFirst, "input 1 location 3.0 i32 x4 ;%8\n");
  EXPECT_EQ(divisor(two, 0), 3u);
  EXPECT_EQ(divisor(two, 1), std::nullopt);
}

constexpr char kOutputs[] =
    "input 0 location 0.0 f32 x1\noutput 0 location 2.1 f32 x2\noutput 1 location 5.0 f32 x4\n"
    "output 2 builtin position f32 x4\n";
constexpr char kPositionStored[] = "store_output[2, 0] 0f, 0f, 0f, 1f\n";

TEST(VertexAbi, ParametersAscendByLocation) {
  const std::string body =
      absl::StrCat(kPositionStored,
                   "%0:f32 = load_input[0, 0]\nstore_output[1, 0] %0, 0f, 0f, 0f\n"
                   "store_output[0, 0] %0, 1f\n");
  EXPECT_EQ(Parameters(RegistersOf(kOutputs, body, WithoutPrimitiveId())), "2:0 5:1 ");
  const out::AmdVertex v = RegistersOf(kOutputs, body);
  EXPECT_EQ(Parameters(v), "primitive_id:2p 2:0 5:1 ");
  EXPECT_EQ(v.spi_vs_out_config, 1u << 1 | 1u << 8);
  EXPECT_EQ(Assign(kOutputs, body)->GsVgprCompCnt(), 2u);
}

// Four constants need no export, if the next stage is known; what is not stored may be any of them.
TEST(VertexAbi, ConstantsAreDefaults) {
  const auto of = [](const std::string& first, const std::string& second) {
    return Parameters(RegistersOf(kOutputs,
                                  absl::StrCat(kPositionStored, "store_output[1, 0] ", first,
                                               "\nstore_output[0, 0] ", second, "\n"),
                                  WithoutPrimitiveId()));
  };
  EXPECT_EQ(of("0f, 0f, 0f, 0f", "0f, 0f"), "2:32 5:32 ");
  EXPECT_EQ(of("0f, 0f, 0f, 1f", "1f, 1f"), "2:544 5:288 ");
  EXPECT_EQ(of("1f, 1f, 1f, 0f", "1f, 0f"), "2:0 5:544 ");
  EXPECT_EQ(of("1f, 1f, 1f, 1f", "0.5f, 0.5f"), "2:0 5:800 ");
  const std::string body = absl::StrCat(
      kPositionStored, "store_output[1, 0] 0f, 0f, 0f, 0f\nstore_output[0, 0] 1f, 1f\n");
  EXPECT_EQ(Parameters(RegistersOf(kOutputs, body)), "primitive_id:2p 2:0 5:1 ");
}

TEST(VertexAbi, UnderMultiviewTheLayerIsTheView) {
  PipelineState state;
  state.view_mask = 6;
  const auto abi = Assign(kPosition, kStored, state);
  ASSERT_TRUE(abi.ok()) << abi.status();
  EXPECT_TRUE(abi->reads_view && abi->positions.layer);
  EXPECT_EQ(Described(*abi).vertex.view_mask, 6u);
  const absl::Status layer =
      Assign("output 0 builtin layer i32 x1\n", "store_output[0, 0] 1\n", state).status();
  EXPECT_EQ(CauseOf(layer), "multiview_layer");
}

TEST(VertexAbi, RefusesWhatDoesNotFit) {
  const auto cause = [](const std::string& interfaces, const std::string& body) {
    return CauseOf(Assign(interfaces, body).status());
  };
  EXPECT_EQ(
      cause("input 0 location 0.0 i64 x1\n", "%0:i64 = load_input[0, 0]\n%1:i64 = iadd %0, %0\n"),
      "vertex_inputs");
  EXPECT_EQ(cause("output 0 location 0.0 i64 x1\n", "store_output[0, 0] 7i64\n"), "vertex_outputs");
  EXPECT_EQ(cause("output 0 builtin clip_distance f32 x1 array 9\n",
                  "store_output.indexed[0, 0] 0, 1f\n"),
            "vertex_outputs");
}

// All the locations that Vulkan has fit: the primitive's number makes room for them, unless the
// next stage is known to read it.
TEST(VertexAbi, ThirtyTwoLocationsAreParameters) {
  std::string interfaces = "input 0 location 0.0 f32 x1\n", body = "%0:f32 = load_input[0, 0]\n";
  PipelineState reads_number;
  reads_number.next_stage_built_ins = {.viewport = false, .distances = false, .primitive_id = true};
  for (int i = 0; i < 33; ++i) {
    absl::StrAppend(&interfaces, "output ", i, " location ", i, ".0 f32 x1\n");
    absl::StrAppend(&body, "store_output[", i, ", 0] %0\n");
    const auto abi = Assign(interfaces, body);
    EXPECT_EQ(CauseOf(abi.status()), i < 32 ? "ok" : "vertex_outputs") << i;
    EXPECT_EQ(abi.ok() && abi->exports_primitive_id(), i < 31) << i;
    EXPECT_EQ(CauseOf(Assign(interfaces, body, reads_number).status()),
              i < 31 ? "ok" : "vertex_outputs");
  }
}

}  // namespace
}  // namespace kiln::amd
