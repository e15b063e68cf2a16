// Tests which registers, exports and state fragment programs get: see fragment.h.
#include "core/amd/abi/fragment.h"

#include <optional>
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

absl::StatusOr<FragmentAbi> Assign(const std::string& interfaces, const std::string& body,
                                   const FragmentState& state = {}) {
  const auto m = mir::Parse(absl::StrCat("mir 1\nentry \"main\"\nstage fragment\n", interfaces,
                                         "body {\n", body, "return\n}\n"));
  EXPECT_TRUE(m.ok()) << m.status();
  if (!m.ok()) return m.status();
  EXPECT_EQ(mir::Verify(*m), absl::OkStatus());
  return AssignFragment(*m, state);
}

constexpr char kColour[] = "output 0 location 0.0 f32 x4\n";
constexpr char kZeros[] = "store_output[0, 0] 0f, 0f, 0f, 0f\n";
constexpr char kStore[] = "store_output[0, 0] %0, %0, %0, %0\n";

TEST(Fragment, BarycentricsAreThereWhateverIsRead) {
  const auto f = Assign("", "");
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(f->inputs, 2u);
  EXPECT_EQ(f->input_vgprs(), 2u);
  EXPECT_FALSE(f->NeedsExport());
}

TEST(Fragment, RegistersFollowEachOther) {
  const auto f = Assign(absl::StrCat("input 0 builtin frag_coord f32 x4\n", kColour),
                        absl::StrCat("%0:f32 = load_input[0, 3]\n", kStore));
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(f->VgprOf(FragmentVgpr::kPerspectiveCentre), 0u);
  EXPECT_EQ(f->VgprOf(FragmentVgpr::kPositionW), 2u);
  ASSERT_EQ(f->colours.size(), 1u);
  EXPECT_EQ(f->colours[0].format, ExportFormat::kAbgr32);
}

TEST(Fragment, MasksOfStateChooseTheFormat) {
  FragmentState state;
  state.attachments.emplace();
  state.attachments->push_back({.location = 0, .write_mask = 1});
  const auto f = Assign(absl::StrCat("input 0 location 0.0 f32 x1\n", kColour),
                        absl::StrCat("%0:f32 = load_input[0, 0]\n", kStore), state);
  ASSERT_TRUE(f.ok()) << f.status();
  ASSERT_EQ(f->colours.size(), 1u);
  EXPECT_EQ(f->colours[0].format, ExportFormat::kR32);
}

// Returns the record of a program that stores to the output and does what `body` says.
out::AmdFragment StateOf(const std::string& interfaces, const std::string& body,
                         const FragmentState& state = {}) {
  const auto m = mir::Parse(absl::StrCat("mir 1\nentry \"main\"\nstage fragment\n", interfaces,
                                         "body {\n", body, "return\n}\n"));
  EXPECT_TRUE(m.ok()) << m.status();
  const auto f = AssignFragment(*m, state);
  EXPECT_TRUE(f.ok()) << f.status();
  out::LaunchRecord record;
  record.arch.emplace<out::AmdLaunch>();
  DescribeFragment(*m, *f, record);
  return std::get<out::AmdLaunch>(record.arch).fragment;
}

// Mesa 25.0.7, radv_shader.c (radv_precompute_registers_hw_fs), ac_get_spi_shader_z_format.
TEST(Fragment, RegistersOfDepthAndCoverage) {
  const std::string depth = "output 1 builtin frag_depth f32 x1\n";
  const std::string colour = std::string(kColour);
  const std::string values = "store_output[0, 0] 0f, 0f, 0f, 0.5f\n";
  const std::string deep = values + "store_output[1, 0] 0.5f\n";
  out::AmdFragment f = StateOf(colour, values);
  EXPECT_EQ(f.db_shader_control, 0x10u);
  EXPECT_EQ(f.spi_shader_z_format, 0u);
  f = StateOf("modes depth less\n" + colour + depth, deep);
  EXPECT_EQ(f.db_shader_control, 0x10u | 1 | 1u << 13);
  EXPECT_EQ(f.spi_shader_z_format, 1u);
  f = StateOf("modes early_tests post_depth\n" + colour, values);
  EXPECT_EQ(f.db_shader_control, 0x10u | 1u << 12 | 1u << 23);
  FragmentState state;
  state.alpha_to_coverage = true;
  EXPECT_EQ(StateOf(colour, values, state).spi_shader_z_format, 0u) << "the hardware's";
  state.alpha_to_one = true;
  f = StateOf(colour, values, state);
  EXPECT_EQ(f.spi_shader_z_format, 3u);
  EXPECT_EQ(f.db_shader_control, 0x10u | 1u << 7);
}

TEST(Fragment, RegistersOfKillsAndStores) {
  const std::string input = "input 0 location 0.0 f32 x1\nresource 0 ssbo 0.0.0\n";
  const std::string kill = "%0:f32 = load_input[0, 0]\n%1:bool = flt %0, 0f\nterminate %1\n";
  out::AmdFragment f = StateOf(input, kill);
  EXPECT_EQ(f.db_shader_control, 0x10u | 1u << 6);
  EXPECT_EQ(f.spi_shader_col_format, 1u) << "the export that kills must not be skipped";
  EXPECT_EQ(f.cb_shader_mask, 0u);
  f = StateOf(input, "store_ssbo[0, align 4] 0, 1\n");
  EXPECT_EQ(f.db_shader_control, 1u << 9 | 1u << 10) << "late tests";
  EXPECT_EQ(f.spi_shader_col_format, 0u);
}

// The viewport's index is an attribute of the provoking vertex, after the other ones of vertices.
TEST(Fragment, TheViewportIsTheLastAttributeOfVertices) {
  const auto f = Assign(absl::StrCat("input 0 location 0.0 f32 x1\n"
                                     "input 1 builtin viewport_index i32 x1\n"),
                        "%0:f32 = load_input[0, 0]\n%1:i32 = load_input[1, 0]\n");
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(f->viewport, std::optional<uint32_t>(1));
  EXPECT_EQ(f->controls, (std::vector<uint32_t>{0, 1u << 10}));
}

// The hardware finds what primitives export by its position.
TEST(Fragment, ThePrimitivesNumberIsTheLastAttribute) {
  const auto f = Assign(absl::StrCat("input 0 location 0.0 f32 x1\n"
                                     "input 1 builtin viewport_index i32 x1\n"
                                     "input 2 builtin primitive_id i32 x1\n"),
                        "%0:f32 = load_input[0, 0]\n%1:i32 = load_input[1, 0]\n"
                        "%2:i32 = load_input[2, 0]\n");
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(f->viewport, std::optional<uint32_t>(1));
  ASSERT_EQ(f->attributes.list.size(), 3u);
  EXPECT_EQ(f->attributes.list[1].input.builtin, "viewport");
  EXPECT_EQ(f->attributes.list[2].input.builtin, "primitive_id");
  EXPECT_EQ(f->attributes.of[0], (std::vector<uint32_t>{0}));
  EXPECT_EQ(f->attributes.of[2], (std::vector<uint32_t>{2}));
}

TEST(Fragment, ASecondSourceIsTheSecondExport) {
  const std::string outputs =
      "output 0 location 0.0 f32 x4\noutput 1 location 0.0 f32 x4 index 1\n";
  const out::AmdFragment f =
      StateOf(outputs, absl::StrCat(kZeros, "store_output[1, 0] 0f, 0f, 0f, 0f\n"));
  EXPECT_EQ(f.spi_shader_col_format, 0x99u);
  EXPECT_EQ(f.cb_shader_mask, 0xffu);
  const auto refused = Assign(
      "output 0 location 0.0 f32 x4\noutput 1 location 0.0 f32 x4 index 1\n"
      "output 2 location 1.0 f32 x4\n",
      absl::StrCat(kZeros, "store_output[1, 0] 0f\nstore_output[2, 0] 0f\n"));
  EXPECT_EQ(CauseOf(refused.status()), "fragment_outputs");
}

TEST(Fragment, HelpersAreNotedWhereTheyMatter) {
  const std::string input = "input 0 location 0.0 f32 x1\n";
  const std::string load = "%0:f32 = load_input[0, 0]\n", slope = "%1:f32 = ddx[any] %0\n";
  const auto helpers = [&](const std::string& body) { return Assign(input, body)->helpers; };
  EXPECT_EQ(helpers(load), Helpers::kNone);
  EXPECT_EQ(helpers(load + slope), Helpers::kUnnoted);
  EXPECT_EQ(helpers(load + slope + "%2:bool = flt %1, 0f\ndemote %2\n"), Helpers::kNoted);
  EXPECT_EQ(helpers(load + "%2:bool = flt %0, 0f\ndemote %2\n"), Helpers::kNone);
}

// Mesa 25.0.7, ac_choose_spi_color_formats: the same formats for these attachments.
TEST(Fragment, ThePrecisionOfAttachmentsChoosesTheFormat) {
  const auto state = [](AttachmentPrecision precision, AttachmentType type, uint8_t mask) {
    FragmentState s;
    s.attachments.emplace();
    s.attachments->push_back({.type = type, .write_mask = mask, .precision = precision});
    return s;
  };
  const auto of = [&](AttachmentPrecision precision, AttachmentType type, uint8_t mask) {
    return StateOf(kColour, kZeros, state(precision, type, mask));
  };
  using P = AttachmentPrecision;
  using T = AttachmentType;
  for (const uint8_t mask : {15, 1, 4}) {
    EXPECT_EQ(of(P::kFloat16, T::kFloat, mask).spi_shader_col_format, 4u);
    EXPECT_EQ(of(P::kUnorm16, T::kFloat, mask).spi_shader_col_format, 5u);
    EXPECT_EQ(of(P::kSnorm16, T::kFloat, mask).spi_shader_col_format, 6u);
    EXPECT_EQ(of(P::kInt16, T::kUint, mask).spi_shader_col_format, 7u);
    EXPECT_EQ(of(P::kInt16, T::kSint, mask).spi_shader_col_format, 8u);
    EXPECT_EQ(of(P::kInt16, T::kSint, mask).cb_shader_mask, 15u);
  }
  EXPECT_EQ(of(P::k32, T::kFloat, 1).spi_shader_col_format, 1u);
  EXPECT_EQ(of(P::k32, T::kFloat, 3).spi_shader_col_format, 2u);
  EXPECT_EQ(of(P::k32, T::kFloat, 9).spi_shader_col_format, 3u);
  EXPECT_EQ(of(P::k32, T::kFloat, 15).spi_shader_col_format, 9u);
  EXPECT_EQ(of(P::kFloat16, T::kFloat, 0).spi_shader_col_format, 0u);
}

// Mesa 25.0.7, ac_choose_spi_color_formats, blend_alpha: 32_AR for red, 32_ABGR for red and green.
TEST(Fragment, AnAlphaThatBlendingReadsIsExported) {
  const auto format = [](uint8_t mask, AttachmentPrecision precision, bool reads) {
    FragmentState s;
    s.attachments.emplace();
    s.attachments->push_back(
        {.write_mask = mask, .precision = precision, .blend_reads_alpha = reads});
    return StateOf(kColour, kZeros, s).spi_shader_col_format;
  };
  using P = AttachmentPrecision;
  EXPECT_EQ(format(1, P::k32, true), 3u);
  EXPECT_EQ(format(3, P::k32, true), 9u);
  EXPECT_EQ(format(9, P::k32, true), 3u);
  EXPECT_EQ(format(0, P::k32, true), 0u) << "nothing is written, whatever is read";
  EXPECT_EQ(format(1, P::kFloat16, true), 4u);
  EXPECT_EQ(format(1, P::k32, false), 1u);
}

TEST(Fragment, ASecondSourceHasThePrecisionOfTheFirst) {
  FragmentState state;
  state.attachments.emplace();
  state.attachments->push_back({.precision = AttachmentPrecision::kFloat16});
  const out::AmdFragment f =
      StateOf("output 0 location 0.0 f32 x4\noutput 1 location 0.0 f32 x4 index 1\n",
              absl::StrCat(kZeros, "store_output[1, 0] 0f, 0f, 0f, 0f\n"), state);
  EXPECT_EQ(f.spi_shader_col_format, 0x44u);
}

// Mesa 25.0.7, radv_cmd_buffer.c, offset_to_ps_input.
TEST(Fragment, PerVertexAttributesAreReadAsExported) {
  const auto f =
      Assign("input 0 location 0.0 i32 x1 per_vertex\n", "%0:i32 = interpolate[0, vertex1 0]\n");
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(f->controls, (std::vector<uint32_t>{1u << 10 | 1u << 11 | 1u << 5}));
  EXPECT_EQ(f->inputs, 2u) << "no other barycentrics than the hardware must have";
  EXPECT_FALSE(f->barycentric);
  EXPECT_EQ(f->helpers, Helpers::kNone);
}

TEST(Fragment, WeightsOfVerticesAreBarycentricsOfTheirPosition) {
  FragmentState state;
  state.samples = 4;
  const auto f = Assign(
      "input 0 builtin bary_coord f32 x3 centroid\n"
      "input 1 builtin bary_coord_no_perspective f32 x3 noperspective\n",
      "%0:f32 = load_input[0, 0]\n%1:f32 = interpolate[1, sample 0] 1\n", state);
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_TRUE(f->barycentric);
  EXPECT_TRUE(f->controls.empty());
  EXPECT_EQ(f->inputs, 1u << 2 | 1u << 5);
  EXPECT_EQ(f->helpers, Helpers::kUnnoted) << "another position is found by slopes";
}

// Mesa 25.0.7, radv_nir_lower_fs_barycentric.c; others move i and j (ac_nir_lower_ps_early.c).
TEST(Fragment, MovedWeightsWithPerspectiveComeFromThePullModel) {
  const auto inputs = [](absl::string_view input, absl::string_view at, uint32_t samples) {
    FragmentState state;
    state.samples = samples;
    return Assign(absl::StrCat("input 0 ", input, "\n"), absl::StrCat("%0:f32 = ", at, "\n"), state)
        ->inputs;
  };
  constexpr char kWeights[] = "builtin bary_coord f32 x3";
  constexpr char kOffset[] = "interpolate[0, offset 0] 0.25f, 0f";
  constexpr char kSample[] = "interpolate[0, sample 0] 0";
  EXPECT_EQ(inputs(kWeights, kOffset, 1), 1u << 3);
  EXPECT_EQ(inputs(kWeights, kSample, 4), 1u << 3);
  EXPECT_EQ(inputs(kWeights, kSample, 1), 1u << 1) << "at the centre";
  EXPECT_EQ(inputs(kWeights, "interpolate[0, centroid 0]", 4), 1u << 2);
  EXPECT_EQ(inputs("builtin bary_coord_no_perspective f32 x3 noperspective", kOffset, 1), 1u << 5);
  EXPECT_EQ(inputs("location 0.0 f32 x1", kOffset, 1), 1u << 1);
}

}  // namespace
}  // namespace kiln::amd
