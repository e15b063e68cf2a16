// Graphics stages, rule by rule: the Vulkan and SPIR-V specifications (stages.h names the
// sections), on quads written out here.
#include "core/oracle/stages.h"

#include <cstring>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/base/float_bits.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "core/oracle/interp.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::oracle {
namespace {

using testing::Each;
using testing::ElementsAre;
using Dwords = std::vector<uint32_t>;
using Values = std::vector<uint64_t>;

// A fragment with %0 = its number, %1 = its byte offset in a storage buffer of a dword each, which
// starts as zeros; %2 = an input that is 1, 2, 4, 8 in the four fragments of a quad; an output of
// one float.
struct Fragments {
  explicit Fragments(const std::string& body, uint32_t invocations = 4) {
    text = absl::StrCat(
        "mir 1 stage fragment input 0 location 0.0 i32 x1 flat input 1 location 1.0 f32 x1 "
        "input 2 location 2.0 f32 x2 array 2 sample output 0 location 0.0 f32 x2 "
        "output 1 location 1.0 i32 x1 array 2 resource 0 ssbo 0.0.0 "
        "resource 1 combined 0.1.0 image 2d float rgba32f private 0 16 body {\n"
        "%0:i32 = load_input[0, 0] %1:i32 = shl %0, 2 %2:f32 = load_input[1, 0]\n",
        body, "\n}");
    inputs.stage.invocations = invocations;
    inputs.stage.inputs.resize(2);
    for (uint32_t i = 0; i < invocations; ++i) {
      inputs.stage.inputs[0].push_back(i);
      inputs.stage.inputs[1].push_back(AsBits(static_cast<float>(1 << i % 4)));
    }
    inputs.buffers.push_back({0, 0, 0, std::vector<uint8_t>(4 * invocations)});
    BoundImage image;
    image.binding = 1;
    image.format = mir::ImageFormat::kRgba32f;
    image.width = image.height = 8;
    image.levels = 4;
    image.bytes.resize(16 * image.Texels());
    for (size_t t = 0; t < image.Texels(); ++t) {
      const float level = t < 64 ? 0 : t < 80 ? 1 : t < 84 ? 2 : 3;
      std::memcpy(&image.bytes[16 * t], &level, 4);
    }
    inputs.images.push_back(image);
    BoundSampler sampler;
    sampler.binding = 1;
    sampler.linear_mips = true;
    inputs.samplers.push_back(sampler);
  }

  InterpStatistics Go() {
    const absl::StatusOr<mir::Module> m = mir::Parse(text);
    EXPECT_TRUE(m.ok()) << m.status() << text;
    EXPECT_EQ(mir::Verify(*m), absl::OkStatus());
    const absl::StatusOr<InterpStatistics> run = Interpret(*m, inputs);
    EXPECT_TRUE(run.ok()) << run.status();
    return run.ok() ? *run : InterpStatistics();
  }
  Dwords Stored() {
    Dwords d(inputs.buffers[0].bytes.size() / 4);
    std::memcpy(d.data(), inputs.buffers[0].bytes.data(), 4 * d.size());
    return d;
  }
  std::vector<float> StoredFloats() {
    std::vector<float> f;
    for (uint32_t d : Stored()) f.push_back(AsFloat(d));
    return f;
  }

  std::string text;
  LaunchInputs inputs;
};

constexpr char kStoreFloat[] = " store_ssbo[0, align 4] %1, %9 return";

// ---- Derivatives ----

std::vector<float> Derivative(const std::string& op, uint32_t undefined_seed = 0) {
  Fragments run(absl::StrCat("%9:f32 = ", op, " %2", kStoreFloat));
  run.inputs.undefined_seed = undefined_seed;
  EXPECT_EQ(run.Go().undefined_results, 0);
  return run.StoredFloats();
}

TEST(Stages, FineDerivativesAreOfTheirOwnRowOrColumn) {
  EXPECT_THAT(Derivative("ddx[fine]"), ElementsAre(1, 1, 4, 4));
  EXPECT_THAT(Derivative("ddy[fine]"), ElementsAre(3, 6, 3, 6));
}

TEST(Stages, CoarseDerivativesAreThoseOfTheFirst) {
  EXPECT_THAT(Derivative("ddx[coarse]"), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(Derivative("ddy[coarse]"), ElementsAre(3, 3, 3, 3));
}

TEST(Stages, DerivativesThatMayBeEither) {
  EXPECT_THAT(Derivative("ddx[any]"), ElementsAre(1, 1, 4, 4));
  EXPECT_THAT(Derivative("ddx[any]", 2), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(Derivative("ddy[coarse]", 1), ElementsAre(3, 6, 3, 6));
  EXPECT_THAT(Derivative("ddy[fine]", 2), ElementsAre(3, 6, 3, 6));
}

TEST(Stages, DerivativesOfHalfsAreHalfs) {
  Fragments run(absl::StrCat("%3:f16 = f2f %2 %4:f16 = ddx[fine] %3 %9:f32 = f2f %4", kStoreFloat));
  run.Go();
  EXPECT_THAT(run.StoredFloats(), ElementsAre(1, 1, 4, 4));
}

TEST(Stages, DerivativesInComputeAreOfLinearQuads) {
  const absl::StatusOr<mir::Module> m = mir::Parse(
      "mir 1 local_size 8, 1, 1 resource 0 ssbo 0.0.0 body { %0:i32 = local_index "
      "%1:i32 = shl %0, 2 %2:i32 = imul %0, %0 %3:f32 = u2f %2 %4:f32 = ddy[any] %3 "
      "store_ssbo[0, align 4] %1, %4 return }");
  ASSERT_TRUE(m.ok()) << m.status();
  LaunchInputs inputs;
  inputs.buffers.push_back({0, 0, 0, std::vector<uint8_t>(32)});
  ASSERT_TRUE(Interpret(*m, inputs).ok());
  std::vector<float> f(8);
  std::memcpy(f.data(), inputs.buffers[0].bytes.data(), 32);
  EXPECT_THAT(f, ElementsAre(4, 8, 4, 8, 20, 24, 20, 24));
}

TEST(Stages, ADerivativeInAQuadThatIsNotWholeIsUndefined) {
  const std::string body = absl::StrCat(
      "%3:bool = ult %0, 5 %9:f32 = if %3 { %4:f32 = ddx[fine] %2 yield %4 } else { yield 7f }",
      kStoreFloat);
  Fragments run(body, 8);
  EXPECT_EQ(run.Go().undefined_results, 1);
  EXPECT_THAT(run.StoredFloats(), ElementsAre(1, 1, 4, 4, 0, 7, 7, 7));
  Fragments random(body, 8);
  random.inputs.undefined_seed = 5;
  random.Go();
  EXPECT_NE(random.StoredFloats()[4], 0);
  EXPECT_EQ(random.StoredFloats()[3], 4);
}

TEST(Stages, DerivativesRoundAsSumsDo) {
  bool moved = false;
  for (uint32_t seed = 1; seed < 20; ++seed) {
    Fragments run(
        absl::StrCat("%3:bool = ieq %0, 1 %4:f32 = select %3, 1e-8f, 1f "
                     "%9:f32 = ddx[fine] %4",
                     kStoreFloat));
    run.inputs.perturb_seed = seed;
    run.Go();
    moved |= run.StoredFloats()[0] != -1;
    EXPECT_NEAR(run.StoredFloats()[0], -1, 1e-6f);
  }
  EXPECT_TRUE(moved);
}

// ---- Helpers and kills ----

TEST(Stages, HelpersFromTheStartHaveNoEffectButOnDerivatives) {
  Fragments run(
      "%3:bool = helper_invocation %4:i32 = select %3, 100, 1 %5:i32 = ssbo_atomic[0, add] 0, %4 "
      "store_private[0, align 4] 4, %2 %6:f32 = load_private[0, align 4] 4 %7:f32 = ddx[fine] %6 "
      "store_output[0, 0] %7 return");
  run.inputs.stage.helpers = {false, true, false, false};
  run.Go();
  EXPECT_EQ(run.Stored()[0], 3u);
  EXPECT_THAT(run.inputs.stage.live, ElementsAre(true, false, true, true));
  EXPECT_THAT(run.inputs.stage.outputs[0],
              ElementsAre(AsBits(1), 0, AsBits(4), AsBits(4), 0, 0, 0, 0));
}

// On a path without stores an output is undefined, component by component; helpers and killed lanes
// have none.
TEST(Stages, WhatIsNotStoredIsUndefined) {
  const auto outputs = [](uint32_t seed) {
    Fragments run(
        "%3:bool = ult %0, 2 if %3 { store_output[0, 0] 5f yield } else { yield } "
        "%4:bool = ieq %0, 2 terminate %4 return");
    run.inputs.stage.helpers = {false, true, false, false};
    run.inputs.undefined_seed = seed;
    run.inputs.stage.outputs = {std::vector<uint64_t>(8, 9)};
    run.Go();
    return run.inputs.stage.outputs[0];
  };
  EXPECT_THAT(outputs(0), ElementsAre(AsBits(5), 9, 9, 9, 9, 9, 9, 9));
  std::vector<std::set<uint64_t>> seen(8);
  for (uint32_t seed = 1; seed <= 8; ++seed) {
    const std::vector<uint64_t> values = outputs(seed);
    for (size_t i = 0; i < 8; ++i) seen[i].insert(values[i]);
  }
  for (const size_t kept : {0, 1, 2, 5, 6}) EXPECT_EQ(seen[kept].size(), 1u) << kept;
  for (const size_t random : {3, 4, 7}) EXPECT_GT(seen[random].size(), 4u) << random;
}

TEST(Stages, WhatAnAtomicGivesAHelperIsUndefined) {
  const auto given = [](uint32_t seed) {
    Fragments run(
        "%3:i32 = ssbo_atomic[0, load] 0 %4:f32 = u2f %3 %5:f32 = ddx[fine] %4 "
        "store_output[0, 0] %5 return");
    run.inputs.stage.helpers = {false, true, false, false};
    run.inputs.buffers[0].bytes[0] = 7;
    run.inputs.undefined_seed = seed;
    run.Go();
    return run.inputs.stage.outputs[0][0];
  };
  EXPECT_NE(given(2), given(6));
  EXPECT_EQ(given(0), AsBits(-7));
}

TEST(Stages, HelpersMayTakePartInSubgroupsOrNot) {
  const auto stored = [](uint32_t seed) {
    Fragments run(
        "%3:i32 = reduce[iadd, 0] 1 %4:f32 = u2f %3 %5:f32 = quad_swap[1] %2 %6:f32 = fadd %4, %5 "
        "store_output[0, 0] %6 return");
    run.inputs.stage.helpers = {false, true, false, false};
    run.inputs.undefined_seed = seed;
    run.Go();
    run.inputs.stage.outputs[0].resize(4);  // nothing stores the second component
    return run.inputs.stage.outputs[0];
  };
  EXPECT_THAT(stored(2), ElementsAre(AsBits(6), 0, AsBits(12), AsBits(8)));
  EXPECT_THAT(stored(3), ElementsAre(AsBits(5), 0, AsBits(11), AsBits(7)));
}

// Helpers take part as in reads of quads (SPV_KHR_quad_control: a vote is that of all invocations
// of the quad).
TEST(Stages, HelpersTakePartInReductionsOfQuads) {
  const auto stored = [](uint32_t lanes) {
    Fragments run(absl::StrCat("%3:i32 = reduce[iadd, ", lanes,
                               "] 1 %4:f32 = u2f %3 store_output[0, 0] %4 return"));
    run.inputs.stage.helpers = {false, true, false, false};
    run.inputs.undefined_seed = 3;
    run.Go();
    return run.inputs.stage.outputs[0][0];
  };
  EXPECT_EQ(stored(4), AsBits(4));
  EXPECT_EQ(stored(8), AsBits(3));
}

// SPIR-V: "Any stores to memory after this instruction are suppressed and the fragment does not
// write outputs to the framebuffer"; "It is not considered a flow control instruction".
TEST(Stages, DemotedLanesGoOnAsHelpers) {
  Fragments run(
      "%3:bool = ieq %0, 1 store_ssbo[0, align 4] %1, 5 %4:bool = helper_invocation demote %3 "
      "%5:bool = helper_invocation store_ssbo[0, align 4] %1, 6 %6:f32 = ddx[fine] %2 "
      "%7:i32 = select %5, 10, 0 %8:i32 = select %4, 1, %7 store_output.indexed[1, 0] 1, %8 "
      "store_output[0, 1] %6 return");
  EXPECT_EQ(run.Go().undefined_results, 0);
  EXPECT_THAT(run.Stored(), ElementsAre(6, 5, 6, 6));
  EXPECT_THAT(run.inputs.stage.live, ElementsAre(true, false, true, true));
  EXPECT_THAT(run.inputs.stage.outputs[0],
              ElementsAre(0, 0, 0, 0, AsBits(1), 0, AsBits(4), AsBits(4)));
  EXPECT_THAT(run.inputs.stage.outputs[1], testing::Each(0));
}

TEST(Stages, HelperInvocationSeesADemoteOfItsLane) {
  Fragments run(
      "%3:bool = ieq %0, 1 %4:bool = helper_invocation demote %3 %5:bool = helper_invocation "
      "%6:f32 = select %4, 100f, 0f %7:f32 = select %5, 10f, %6 %8:f32 = ddx[fine] %7 "
      "store_output[0, 0] %8 return");
  run.Go();
  EXPECT_EQ(run.inputs.stage.outputs[0][0], AsBits(10));
}

TEST(Stages, DemotedLanesStayInTheirLoop) {
  Fragments run(
      "loop (%3:i32 = 0) { %4:bool = uge %3, 4 if %4 { break } else { yield } "
      "%5:bool = ieq %3, %0 demote %5 %6:f32 = ddx[fine] %2 store_ssbo[0, align 4] %1, %6 "
      "%7:i32 = iadd %3, 1 continue %7 } return");
  EXPECT_EQ(run.Go().undefined_results, 0);
  // Each lane stores until it is demoted, in the iteration of its own number.
  EXPECT_THAT(run.StoredFloats(), ElementsAre(0, 1, 4, 4));
  EXPECT_THAT(run.inputs.stage.live, testing::Each(false));
}

class Ends : public testing::TestWithParam<std::string> {};

// "Only instructions these invocations executed before [it] will have observable side effects."
TEST_P(Ends, LanesHaveNoEffectsLater) {
  Fragments run(absl::StrCat("%3:bool = ieq %0, 1 store_ssbo[0, align 4] %1, 5 ", GetParam(),
                             " %3 store_ssbo[0, align 4] %1, 6 store_output[0, 0] %2 return"));
  run.inputs.stage.outputs = {{9, 9, 9, 9, 9, 9, 9, 9}};
  EXPECT_EQ(run.Go().undefined_results, 0);
  EXPECT_THAT(run.Stored(), ElementsAre(6, 5, 6, 6));
  EXPECT_THAT(run.inputs.stage.outputs[0],
              ElementsAre(AsBits(1), 9, AsBits(4), AsBits(8), 9, 9, 9, 9));
}

TEST_P(Ends, DerivativesBesideThemAreUndefined) {
  Fragments run(
      absl::StrCat("%3:bool = ieq %0, 1 ", GetParam(), " %3 %9:f32 = ddx[fine] %2", kStoreFloat),
      8);
  EXPECT_EQ(run.Go().undefined_results, 3);
  EXPECT_THAT(run.StoredFloats(), ElementsAre(0, 0, 0, 0, 1, 1, 4, 4));
}

TEST_P(Ends, LanesLeaveLoopsAndIfs) {
  Fragments run(
      absl::StrCat("loop (%3:i32 = 0) { %4:bool = uge %3, 9 if %4 { break } else { yield } "
                   "%5:bool = ieq %3, %0 if %5 { ",
                   GetParam(),
                   " true unreachable } else { yield } "
                   "store_ssbo[0, align 4] %1, %3 %7:i32 = iadd %3, 1 continue %7 } "
                   "store_ssbo[0, align 4] %1, 77 return"));
  run.inputs.stage.inputs[0][3] = 3 + 4 * 8;  // live; its store is outside of the buffer
  run.Go();
  EXPECT_THAT(run.Stored(), ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(run.inputs.stage.live, ElementsAre(false, false, false, true));
}

INSTANTIATE_TEST_SUITE_P(Kills, Ends, testing::Values("discard", "terminate"));

TEST(Stages, AProgramMayEndAllItsLanes) {
  Fragments run("terminate true unreachable");
  run.Go();
  EXPECT_THAT(run.inputs.stage.live, ElementsAre(false, false, false, false));
}

// ---- Inputs and outputs ----

TEST(Stages, InputsAreTakenWhereTheyAreDeclaredAndAsked) {
  Fragments run(
      "%3:f32, %4:f32 = load_input.indexed[2, 0] 1 %5:f32 = interpolate.indexed[2, centroid 0] 1 "
      "%6:f32 = interpolate.indexed[2, sample 0] 1, 1 "
      "%7:f32 = interpolate.indexed[2, offset 1] 1, 0.25f, -0.5f "
      "%8:f32 = fmul %5, 10f %9:f32 = fmul %6, 100f %10:f32 = fadd %3, %8 %11:f32 = fadd %10, %9 "
      "store_output[0, 0] %11, %7 return");
  StageData& data = run.inputs.stage;
  // Element 1 of the array: component 0 is 1 at the centre, rises by 4 to the right; component 1 is
  // 2 and rises by 8 downwards.
  data.inputs.resize(3);
  data.slopes.resize(3);
  data.inputs[2].assign(16, 0);
  data.slopes[2].assign(16, {0, 0});
  for (int lane = 0; lane < 4; ++lane) {
    data.inputs[2][8 + lane] = AsBits(1);
    data.slopes[2][8 + lane] = {4, 0};
    data.inputs[2][12 + lane] = AsBits(2);
    data.slopes[2][12 + lane] = {1, 8};
  }
  data.samples = {{0.25f, 0}, {-0.25f, 0}};
  data.sample_ids = {0, 1, 0, 1};
  data.centroids.assign(4, {0.5f, 0.5f});
  EXPECT_EQ(run.Go().undefined_results, 0);
  // Declared at the sample: 2 or 0; at the centroid 3; at sample 1: 0.
  EXPECT_EQ(data.outputs[0][0], AsBits(2 + 30 + 0));
  EXPECT_EQ(data.outputs[0][1], AsBits(0 + 30 + 0));
  EXPECT_EQ(data.outputs[0][4], AsBits(2 + 0.25f - 4));
}

TEST(Stages, WhatIsNotThereIsUndefined) {
  EXPECT_EQ(Fragments("%3:f32 = load_input.indexed[2, 0] 2 return").Go().undefined_results, 4);
  EXPECT_EQ(Fragments("store_output.indexed[1, 0] 2, 7 return").Go().undefined_results, 4);
  EXPECT_EQ(Fragments("%3:f32 = interpolate[1, sample 0] 1 return").Go().undefined_results, 4);
  EXPECT_EQ(Fragments("%3:f32 = interpolate[1, offset 0] 0f, 0.75f return").Go().undefined_results,
            4);
}

TEST(Stages, FragmentsComeInQuads) {
  Fragments run("return", 6);
  const absl::StatusOr<mir::Module> m = mir::Parse(run.text);
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(Interpret(*m, run.inputs).status().code(), absl::StatusCode::kInvalidArgument);
}

// They have positions in a subgroup and do nothing.
TEST(Stages, QuadsThatAreOffDoNotRun) {
  Fragments run("%3:i32 = reduce[iadd, 0] 1 store_ssbo[0, align 4] %1, %3 return", 12);
  run.inputs.stage.off = {true, true, true, true};
  run.inputs.subgroup_size = 8;
  const absl::StatusOr<mir::Module> m = mir::Parse(run.text);
  ASSERT_TRUE(m.ok()) << m.status();
  ASSERT_TRUE(Interpret(*m, run.inputs).ok());
  EXPECT_EQ(run.inputs.stage.live, (std::vector<bool>{false, false, false, false, true, true, true,
                                                      true, true, true, true, true}));
  Dwords stored(12);
  std::memcpy(stored.data(), run.inputs.buffers[0].bytes.data(), 48);
  EXPECT_THAT(stored, ElementsAre(0, 0, 0, 0, 4, 4, 4, 4, 4, 4, 4, 4));
}

TEST(Stages, VerticesWriteWhatTheyRead) {
  const absl::StatusOr<mir::Module> m = mir::Parse(
      "mir 1 stage vertex input 0 location 0.0 f32 x2 input 1 builtin vertex_index i32 x1 "
      "output 0 builtin position f32 x4 body { %0:f32, %1:f32 = load_input[0, 0] "
      "%2:i32 = load_input[1, 0] %3:f32 = u2f %2 store_output[0, 0] %0, %1, %3, 1f return }");
  ASSERT_TRUE(m.ok()) << m.status();
  ASSERT_EQ(mir::Verify(*m), absl::OkStatus());
  LaunchInputs inputs;
  inputs.stage.invocations = 3;
  inputs.stage.inputs = {{1, 2, 3, 4, 5, 6}, {7, 8, 9}};
  ASSERT_TRUE(Interpret(*m, inputs).ok());
  EXPECT_THAT(inputs.stage.outputs[0], ElementsAre(1, 2, 3, 4, 5, 6, AsBits(7), AsBits(8),
                                                   AsBits(9), AsBits(1), AsBits(1), AsBits(1)));
}

// Elements of attributes and of outputs by value; of two stores the later counts, and an output
// that a vertex does not store keeps its value.
TEST(Stages, VerticesChooseElements) {
  const absl::StatusOr<mir::Module> m = mir::Parse(
      "mir 1 stage vertex input 0 location 0.0 i32 x1 array 2 input 1 builtin vertex_index i32 x1 "
      "output 0 location 0.0 i32 x2 array 2 body { %0:i32 = load_input[1, 0] "
      "%1:i32 = load_input.indexed[0, 0] %0 store_output.indexed[0, 1] %0, %0 %2:bool = ult %0, 1 "
      "if %2 { store_output.indexed[0, 1] 0, %1 yield } else { yield } return }");
  ASSERT_TRUE(m.ok()) << m.status();
  ASSERT_EQ(mir::Verify(*m), absl::OkStatus());
  LaunchInputs inputs;
  inputs.stage.invocations = 3;
  inputs.stage.inputs = {{5, 6, 7, 15, 16, 17}, {0, 1, 9}};
  const auto run = Interpret(*m, inputs);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->undefined_results, 2)
      << "the third vertex loads and stores an element that is not";
  EXPECT_THAT(inputs.stage.outputs[0], ElementsAre(0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 1, 0));
  EXPECT_THAT(inputs.stage.live, Each(true));
}

// Vertices need not fill quads, and the last subgroup is partial.
TEST(Stages, VerticesAreInSubgroups) {
  const absl::StatusOr<mir::Module> m = mir::Parse(
      "mir 1 stage vertex input 0 builtin vertex_index i32 x1 output 0 location 0.0 i32 x2 body { "
      "%0:i32 = load_input[0, 0] %1:i32 = reduce[iadd, 0] %0 %2:i32 = subgroup_invocation "
      "store_output[0, 0] %1, %2 return }");
  ASSERT_TRUE(m.ok()) << m.status();
  ASSERT_EQ(mir::Verify(*m), absl::OkStatus());
  LaunchInputs inputs;
  inputs.subgroup_size = 4;
  inputs.stage.invocations = 6;
  inputs.stage.inputs = {{1, 2, 3, 4, 5, 6}};
  ASSERT_TRUE(Interpret(*m, inputs).ok());
  EXPECT_THAT(inputs.stage.outputs[0], ElementsAre(10, 10, 10, 10, 11, 11, 0, 1, 2, 3, 0, 1));
}

// ---- Texels ----

// Coordinates that move by 2 texels of level 0 from column to column and by 4 from row to row:
// level 2.
constexpr char kCoordinates[] =
    "%3:i32 = and %0, 1 %4:i32 = ushr %0, 1 %5:f32 = u2f %3 %6:f32 = u2f %4 "
    "%7:f32 = fmul %5, 0.25f %8:f32 = fmul %6, 0.5f ";

TEST(Stages, ImplicitSamplesTakeTheLevelOfTheirQuad) {
  Fragments run(absl::StrCat(kCoordinates,
                             "%9:f32, %10:f32, %11:f32, %12:f32 = sample_implicit[1, texel] %7, %8",
                             kStoreFloat));
  run.Go();
  EXPECT_THAT(run.StoredFloats(), testing::Each(2));
  Fragments biased(absl::StrCat(
      kCoordinates,
      "%9:f32, %10:f32, %11:f32, %12:f32 = sample_implicit[1, texel bias] %7, %8, -0.5f",
      kStoreFloat));
  biased.Go();
  EXPECT_THAT(biased.StoredFloats(), testing::Each(1.5f));
}

TEST(Stages, QueriedLevelsAreClampedAndNot) {
  const std::string body =
      absl::StrCat(kCoordinates, "%9:f32, %10:f32 = image_lod[1, texel] %7, %8");
  Fragments level(absl::StrCat(body, " store_output[0, 0] %9, %10 return"));
  level.inputs.samplers[0].max_lod = 1.25f;
  level.Go();
  EXPECT_EQ(level.inputs.stage.outputs[0][0], AsBits(1.25f));
  EXPECT_EQ(level.inputs.stage.outputs[0][4], AsBits(2));
  level.inputs.samplers[0].linear_mips = false;
  level.Go();
  EXPECT_EQ(level.inputs.stage.outputs[0][0], AsBits(1));
}

TEST(Stages, ImplicitLevelsOfQuadsThatAreNotWholeAreUndefined) {
  Fragments run(
      "%3:bool = ult %0, 3 if %3 { %9:f32, %10:f32, %11:f32, %12:f32 = "
      "sample_implicit[1, texel] %2, %2 yield } else { yield } return");
  EXPECT_EQ(run.Go().undefined_results, 3);
}

// Every level is filled with its number.
TEST(Stages, SamplesOfUndefinedLevelsAreOfALevelThatThereIs) {
  for (uint32_t seed = 0; seed <= 8; ++seed) {
    Fragments run(absl::StrCat(
        kCoordinates,
        "%13:bool = ult %0, 3 if %13 { %9:f32, %10:f32, %11:f32, %12:f32 = sample_implicit[1, texel] "
        "%7, %8 store_ssbo[0, align 4] %1, %9 yield } else { yield } return"));
    run.inputs.undefined_seed = seed;
    run.inputs.samplers[0].min_lod = 1;
    run.inputs.samplers[0].max_lod = 1;
    run.Go();
    EXPECT_THAT(run.StoredFloats(), ElementsAre(1, 1, 1, 0)) << seed;
  }
}

// The values of the first vertex come first, each by invocation.
TEST(Stages, PerVertexInputsHaveAValueForEachVertex) {
  const auto m = mir::Parse(
      "mir 1 stage fragment input 0 location 0.0 i32 x2 array 2 per_vertex "
      "output 0 location 0.0 i32 x4 body { %0:i32 = interpolate.indexed[0, vertex0 1] 1 "
      "%1:i32, %2:i32 = interpolate.indexed[0, vertex2 0] 0 "
      "%3:i32 = interpolate.indexed[0, vertex1 0] 1 "
      "store_output[0, 0] %0, %1, %2, %3 return }");
  ASSERT_TRUE(m.ok()) << m.status();
  ASSERT_EQ(mir::Verify(*m), absl::OkStatus());
  LaunchInputs inputs;
  inputs.stage.inputs.resize(1);
  // 100 vertex + 10 element + component, plus 1000 times the invocation.
  for (uint64_t vertex = 0; vertex < 3; ++vertex) {
    for (uint64_t n = 0; n < 4; ++n) {
      for (uint64_t lane = 0; lane < 4; ++lane) {
        inputs.stage.inputs[0].push_back(1000 * lane + 100 * vertex + 10 * (n / 2) + n % 2);
      }
    }
  }
  ASSERT_TRUE(Interpret(*m, inputs).ok());
  EXPECT_THAT(inputs.stage.outputs[0], ElementsAre(11, 1011, 2011, 3011, 200, 1200, 2200, 3200, 201,
                                                   1201, 2201, 3201, 110, 1110, 2110, 3110));
}

}  // namespace
}  // namespace kiln::oracle
