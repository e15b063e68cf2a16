#include "core/sim/rdna2/interpolation.h"

#include <utility>
#include <vector>

#include "core/base/float_bits.h"
#include "core/sim/rdna2/draw_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

using testing::HasSubstr;

// Returns red at (x, y) of a program whose v2 is the colour.
float Red(FragmentProgram p, uint32_t x, uint32_t y) {
  auto draw = RunDraw(std::move(p));
  EXPECT_TRUE(draw.ok()) << draw.status();
  return draw.ok() ? ColorAt(*draw, x, y, 0) : -1;
}

FragmentProgram Reading(const Words& instructions) {
  return ProgramOf(Joined({kReady, instructions, kExportV2, kEndProgram}));
}

uint32_t& ControlOf(FragmentProgram& p) {
  return std::get<out::AmdLaunch>(p.record.arch).fragment.spi_ps_input_cntl[0];
}

const Words kMoveP0 = {0xc80a0002}, kMoveP10 = {0xc80a0000}, kMoveP20 = {0xc80a0001};

TEST(Interpolation, AddsBothDifferences) {
  // 1 + 2 i + 4 j at the centre of (1, 2): i = 1.5 / 4, j = 2.5 / 4.
  EXPECT_EQ(Red(Reading(kInterpolate), 1, 2), 1 + 2 * 0.375f + 4 * 0.625f);
  EXPECT_EQ(Red(Reading(kInterpolate), 3, 0), 1 + 2 * 0.875f + 4 * 0.125f);
}

TEST(Interpolation, MovesParameters) {
  EXPECT_EQ(Red(Reading(kMoveP0), 1, 2), 1.0f);
  EXPECT_EQ(Red(Reading(kMoveP10), 1, 2), 2.0f);
  EXPECT_EQ(Red(Reading(kMoveP20), 1, 2), 4.0f);
}

TEST(Interpolation, FlatAttributesAreTheProvokingVertexs) {
  FragmentProgram p = Reading(kInterpolate);
  ControlOf(p) = 1 << 10;
  EXPECT_EQ(Red(p, 3, 3), 1.0f);
  p = Reading(kMoveP10);
  ControlOf(p) = 1 << 10;
  EXPECT_EQ(RunDraw(p).status().code(), absl::StatusCode::kInvalidArgument);
}

// FLAT_SHADE, bit 5 of OFFSET; with ROTATE_PC_PTR in the order of the primitive's own vertices.
TEST(Interpolation, PerVertexAttributesAreTheVerticesValues) {
  constexpr uint32_t kPerVertex = 1 << 10 | 1 << 5, kOwnOrder = kPerVertex | 1 << 11;
  const auto red = [](const Words& move, uint32_t control, uint32_t number) {
    // LOAD_PROVOKING_VTX: the first place has vertex (3 - n) % 3, where n is the number plus 1.
    FragmentProgram p = Reading(move);
    std::get<out::AmdLaunch>(p.record.arch).rsrc1 |= 1u << 27;
    p.draw.primitives[0].number = number;
    ControlOf(p) = control;
    return Red(std::move(p), 1, 2);
  };
  for (uint32_t number = 0; number < 3; ++number) {
    EXPECT_EQ(red(kMoveP0, kOwnOrder, number), 1.0f);
    EXPECT_EQ(red(kMoveP10, kOwnOrder, number), 3.0f);
    EXPECT_EQ(red(kMoveP20, kOwnOrder, number), 5.0f);
    EXPECT_EQ(red(kInterpolate, 0, number), 1 + 2 * 0.375f + 4 * 0.625f);
    EXPECT_EQ(red(kMoveP0, 1 << 10, number), 1.0f);
  }
  EXPECT_EQ(red(kMoveP0, kPerVertex, 2), 1.0f);
  EXPECT_EQ(red(kMoveP10, kPerVertex, 2), 3.0f);
  EXPECT_EQ(red(kMoveP0, kPerVertex, 0), 5.0f);
  EXPECT_EQ(red(kMoveP10, kPerVertex, 0), 1.0f);
  EXPECT_EQ(red(kMoveP20, kPerVertex, 0), 3.0f);
  EXPECT_EQ(red(kMoveP0, kPerVertex, 1), 3.0f);
  FragmentProgram p = Reading(kInterpolate);
  ControlOf(p) = kOwnOrder;
  EXPECT_THAT(std::string(RunDraw(p).status().message()), HasSubstr("has values of vertices"));
}

// Runs a program with a vertex program that has these parameters.
absl::StatusOr<scene::FragmentInputs> RunLinked(FragmentProgram p,
                                                std::vector<out::AmdParameter> parameters) {
  out::LaunchRecord vertex;
  vertex.arch.emplace<out::AmdLaunch>().vertex.parameters = std::move(parameters);
  p.options.vertex_record = &vertex;
  return RunDraw(std::move(p));
}

float RedOf(const absl::StatusOr<scene::FragmentInputs>& draw) {
  EXPECT_TRUE(draw.ok()) << draw.status();
  return draw.ok() ? ColorAt(*draw, 1, 2, 0) : -1;
}

// The draw has other values at location 0 than the constant, which a register with FLAT_SHADE kept
// would read.
TEST(Interpolation, ConstantsReplaceRegisters) {
  constexpr uint32_t kOnes = 0x20 | 3 << 8, kZeros = 0x20;
  for (const uint32_t control : {0u, 1u << 10, 1u << 19}) {
    FragmentProgram p = Reading(kMoveP0);
    ControlOf(p) = control;
    EXPECT_EQ(RedOf(RunLinked(p, {{0, "", kOnes, false}})), 1.0f) << control;
    EXPECT_EQ(RedOf(RunLinked(p, {{0, "", kZeros, false}})), 0.0f) << control;
    EXPECT_EQ(RedOf(RunLinked(p, {})), 0.0f) << control;
  }
  EXPECT_EQ(RedOf(RunLinked(Reading(kInterpolate), {{0, "", kOnes, false}})), 1.0f);
  FragmentProgram p = Reading(kMoveP10);
  ControlOf(p) = 1 << 10 | 1 << 11 | 1 << 5;
  p.record.fragment.inputs[0].per_vertex = true;
  const absl::Status constant = RunLinked(p, {{0, "", kOnes, false}}).status();
  EXPECT_EQ(constant.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(constant.message()), HasSubstr("values of each vertex at location 0"));
  EXPECT_EQ(RedOf(RunLinked(p, {{0, "", 0, false}})), 3.0f);
}

// OFFSET says what is read, not the location.
TEST(Interpolation, ParametersAreFoundByNumber) {
  FragmentProgram p = Reading(kMoveP0);
  p.draw.primitives[0].values.push_back({5, 0, {AsBits(7.0f), AsBits(8.0f), AsBits(9.0f)}});
  EXPECT_EQ(RedOf(RunLinked(p, {{0, "", 1, false}, {5, "", 0, false}})), 1.0f);
  ControlOf(p) = 1;  // a record whose OFFSET is not 0: parameter 1 instead of 0
  EXPECT_EQ(RedOf(RunLinked(p, {{0, "", 0, false}, {5, "", 1, false}})), 7.0f);
}

TEST(Interpolation, InputsOfPrimitivesAreLast) {
  FragmentProgram p = Reading(kMoveP0);
  p.record.fragment.inputs = {{0, "primitive_id", true, {}}, {0, "", false, {}}};
  std::get<out::AmdLaunch>(p.record.arch).fragment.spi_ps_input_cntl = {1 << 10, 0};
  const std::vector<out::AmdParameter> parameters = {{0, "primitive_id", 1, true},
                                                     {0, "", 0, false}};
  EXPECT_THAT(std::string(RunLinked(p, parameters).status().message()),
              HasSubstr("input 1 is of vertices, behind one of primitives"));
  std::swap(p.record.fragment.inputs[0], p.record.fragment.inputs[1]);
  std::get<out::AmdLaunch>(p.record.arch).fragment.spi_ps_input_cntl = {0, 1 << 10};
  EXPECT_EQ(RedOf(RunLinked(p, parameters)), 1.0f);
}

TEST(Interpolation, ReadsHalves) {
  // v_interp_p1ll_f16 v3, v0; v_interp_p2_f16 v2, v1, v3; v_cvt_f32_f16 v2, v2
  FragmentProgram p = Reading({0xd7420003, 0x00020000, 0xd75a0002, 0x040e0200, 0x7e041702});
  ControlOf(p) = 1 << 19 | 1 << 24;
  p.draw.primitives[0].values = {{0, 0, {0x3c00, 0x4200, 0x4500}}};  // 1, 3, 5
  EXPECT_EQ(Red(p, 1, 2), 4.25f);
}

TEST(Interpolation, KnowsBuiltIns) {
  FragmentProgram p = Reading(kMoveP0);
  p.record.fragment.inputs[0] = {0, "primitive_id", true, {}};
  ControlOf(p) = 1 << 10;
  auto draw = RunDraw(p);
  ASSERT_TRUE(draw.ok()) << draw.status();
  EXPECT_EQ(draw->targets[0].texels[0], 7u);
  p.record.fragment.inputs[0].builtin = "point_coord";
  p.draw.primitives[0].built_ins = {{"point_coord", 0, {AsBits(8.0f), 0, 0}}};
  EXPECT_EQ(Red(p, 0, 0), 8.0f);
}

TEST(Interpolation, RefusesWrongM0AndAttributes) {
  const auto error = [](FragmentProgram p) { return RunDraw(std::move(p)).status(); };
  const absl::Status unset = error(ProgramOf(Joined({kInterpolate, kExportV2, kEndProgram})));
  EXPECT_EQ(unset.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(unset.message()), HasSubstr("m0 is not prim_mask"));
  EXPECT_THAT(std::string(error(Reading({0xc80a0402})).message()), HasSubstr("of 1 attributes"));
  TestProgram compute;
  compute.body = kInterpolate;
  EXPECT_THAT(std::string(ErrorOf(compute).message()), HasSubstr("not in a fragment program"));
}

}  // namespace
}  // namespace kiln::sim::rdna2
