// Tests where fragment programs find their inputs: see fragment.h.
#include "core/intel/abi/fragment.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/intel/abi/abi.h"
#include "core/intel/abi/width_abi.h"
#include "core/intel/device/device.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using out::PayloadPart;

constexpr char kInterfaces[] =
    "input 0 location 0.0 f32 x2\n"
    "input 1 location 0.2 f32 x2\n"
    "input 2 location 1.0 i32 x1 flat\n"
    "input 3 location 2.0 f32 x1 array 3\n"
    "input 4 location 7.0 f32 x4 noperspective centroid\n"
    "input 5 builtin frag_coord f32 x4\n"
    "input 6 builtin primitive_id i32 x1\n"
    "input 7 builtin sample_position f32 x2\n"
    "output 0 location 0.0 f32 x4\n"
    "output 1 location 3.0 f32 x4\n";

mir::Module Module(const std::string& interfaces, const std::string& body) {
  absl::StatusOr<mir::Module> m = mir::Parse(absl::StrCat(
      "mir 1\nentry \"main\"\nstage fragment\n", interfaces, "body {\n", body, "return\n}\n"));
  EXPECT_TRUE(m.ok()) << m.status();
  if (!m.ok()) return {};
  EXPECT_TRUE(mir::Verify(*m).ok()) << mir::Verify(*m);
  return *std::move(m);
}

FragmentAbi Assigned(const std::string& body, const FragmentState& state = {}) {
  absl::StatusOr<FragmentAbi> abi = AssignFragment(Module(kInterfaces, body), state);
  EXPECT_TRUE(abi.ok()) << abi.status();
  return abi.ok() ? *std::move(abi) : FragmentAbi();
}

// Packed components share an attribute; only elements that are read have one; built-ins come last.
TEST(FragmentAbi, AttributesAreWhatIsReadAscending) {
  const FragmentAbi abi = Assigned(R"(
    %0:i32 = load_input[6, 0]
    %1:f32 = load_input[1, 0]
    %2:f32 = load_input.indexed[3, 0] 2
    %3:f32 = load_input[0, 0]
    %4:f32 = bitcast %0
    store_output[0, 0] %1, %2, %3, %4
)");
  ASSERT_EQ(abi.attributes.size(), 3u);
  EXPECT_EQ(abi.attributes[0].location, 0u);
  EXPECT_EQ(abi.attributes[1].location, 4u);
  EXPECT_EQ(abi.attributes[2].builtin, "primitive_id");
  EXPECT_TRUE(abi.attributes[2].flat);
  EXPECT_EQ(abi.slots[0][0], 0u);
  EXPECT_EQ(abi.slots[1][0], 0u);
  EXPECT_EQ(abi.slots[2][0], FragmentAbi::kNoSlot);
  EXPECT_EQ(abi.slots[3], (std::vector<uint32_t>{FragmentAbi::kNoSlot, FragmentAbi::kNoSlot, 1}));
}

TEST(FragmentAbi, AnElementChosenByValueMayBeAny) {
  const FragmentAbi abi = Assigned(R"(
    %0:i32 = load_input[2, 0]
    %1:f32 = load_input.indexed[3, 0] %0
    store_output[0, 0] %1
)");
  ASSERT_EQ(abi.attributes.size(), 4u);
  EXPECT_EQ(abi.slots[3], (std::vector<uint32_t>{1, 2, 3}));
}

TEST(FragmentAbi, PayloadHasWhatIsReadTwiceFor32Lanes) {
  const FragmentAbi abi = Assigned(R"(
    %0:f32 = load_input[0, 0]
    %1:f32 = load_input[4, 0]
    %2:f32, %3:f32 = load_input[5, 2]
    store_output[0, 0] %0, %1, %3
)");
  EXPECT_EQ(abi.parts,
            (std::vector<PayloadPart>{PayloadPart::kPerspectivePixel, PayloadPart::kLinearPixel,
                                      PayloadPart::kSourceW}));
  const FragmentPayload eight = PayloadAt(abi, 8);
  EXPECT_EQ(eight.RegisterOf(PayloadPart::kPerspectivePixel, 0), 2u);
  EXPECT_EQ(eight.RegisterOf(PayloadPart::kSourceW, 0), 6u);
  EXPECT_EQ(eight.registers, 7u);
  const FragmentPayload wide = PayloadAt(abi, 32);
  EXPECT_EQ(wide.RegisterOf(PayloadPart::kPixelPositions, 16), 2u);
  EXPECT_EQ(wide.RegisterOf(PayloadPart::kPerspectivePixel, 0), 3u);
  EXPECT_EQ(wide.RegisterOf(PayloadPart::kPerspectivePixel, 16), 13u);
  EXPECT_EQ(wide.RegisterOf(PayloadPart::kSourceW, 16), 21u);
  EXPECT_EQ(wide.registers, 23u);
}

// With several samples the position of interpolation matters; if each lane is a sample, all inputs
// are interpolated there.
TEST(FragmentAbi, PlacesOfSeveralSamples) {
  const std::string body =
      "%0:f32 = load_input[4, 0]\n%1:f32 = load_input[7, 0]\nstore_output[0, 0] %0, %1\n";
  FragmentState state;
  state.samples = 4;
  EXPECT_EQ(Assigned(body, state).parts, (std::vector<PayloadPart>{PayloadPart::kLinearCentroid}));
  state.sample_shading = true;
  EXPECT_EQ(Assigned(body, state).parts,
            (std::vector<PayloadPart>{PayloadPart::kLinearSample, PayloadPart::kPositionOffsets}));
}

// The clipper must be told, whether the coordinates come in the payload or in messages.
TEST(FragmentAbi, CoordinatesWithoutPerspectiveAreNoted) {
  const std::string interfaces =
      "input 0 location 0.0 f32 x1\ninput 1 location 1.0 f32 x1 noperspective\n"
      "output 0 location 0.0 f32 x4\n";
  const auto noted = [&](const std::string& load) {
    const absl::StatusOr<FragmentAbi> abi =
        AssignFragment(Module(interfaces, load + "store_output[0, 0] %0\n"), {});
    EXPECT_TRUE(abi.ok()) << abi.status();
    return abi.ok() && abi->nonperspective;
  };
  EXPECT_FALSE(noted("%0:f32 = load_input[0, 0]\n"));
  EXPECT_TRUE(noted("%0:f32 = load_input[1, 0]\n"));
  EXPECT_FALSE(noted("%0:f32 = interpolate[0, offset 0] 0.25f, 0.25f\n"));
  EXPECT_TRUE(noted("%0:f32 = interpolate[1, offset 0] 0.25f, 0.25f\n"));
}

TEST(FragmentAbi, TargetsAreAttachmentsThatAreWritten) {
  const std::string body = "store_output[0, 0] 1f\nstore_output[1, 0] 1f\n";
  const FragmentAbi all = Assigned(body);
  ASSERT_EQ(all.targets.size(), 2u);
  EXPECT_EQ(all.targets[1].location, 3u);
  EXPECT_EQ(all.targets[1].surface, 1u);
  FragmentState state;
  state.attachments.emplace();
  EXPECT_TRUE(Assigned(body, state).targets.empty());
  state.attachments->push_back({.location = 3});
  const FragmentAbi one = Assigned(body, state);
  ASSERT_EQ(one.targets.size(), 1u);
  EXPECT_EQ(one.targets[0].location, 3u);
  EXPECT_EQ(one.targets[0].surface, 0u);
}

// Hardware takes alpha from the first render target that is written, and none from a null target.
// It cannot combine this with a sample mask.
TEST(FragmentAbi, AlphaToCoverageIsHardwaresForTarget0Alone) {
  const std::string first = "store_output[0, 0] 1f\n", both = first + "store_output[1, 0] 1f\n";
  FragmentState state;
  state.alpha_to_coverage = true;
  state.attachments.emplace();
  const auto masks = [&](const std::string& body) {
    const FragmentAbi abi = Assigned(body, state);
    EXPECT_EQ(abi.writes_sample_mask, abi.masks_by_alpha);
    return abi.masks_by_alpha;
  };
  EXPECT_TRUE(masks(first)) << "nothing is attached";
  state.attachments->push_back({.location = 0});
  EXPECT_FALSE(masks(first));
  EXPECT_FALSE(masks(both)) << "location 3 is not attached";
  state.attachments->push_back({.location = 3});
  EXPECT_TRUE(masks(both));
  EXPECT_FALSE(masks("store_output[1, 0] 1f\n")) << "no alpha is written";
  state.alpha_to_coverage = false;
  EXPECT_FALSE(masks(both));
}

TEST(FragmentAbi, AlphaToCoverageBesideAMask) {
  FragmentState state;
  state.alpha_to_coverage = true;
  const std::string interfaces =
      "output 0 location 0.0 f32 x4\noutput 1 builtin sample_mask i32 x1 array 1\n";
  const std::string color = "store_output[0, 0] 1f\n";
  const std::string mask = "store_output.indexed[1, 0] 0, 1\n";
  const auto masks = [&](const std::string& body) {
    const absl::StatusOr<FragmentAbi> abi = AssignFragment(Module(interfaces, body), state);
    EXPECT_TRUE(abi.ok()) << abi.status();
    return abi.ok() && abi->masks_by_alpha;
  };
  EXPECT_FALSE(masks(color));
  EXPECT_TRUE(masks(color + mask));
  EXPECT_FALSE(masks(mask));
}

// Depth, stencil and a sample mask need a surface even if no colour has one; other surfaces come
// after it.
TEST(FragmentAbi, OutputsWithoutAColourHaveANullSurface) {
  const std::string interfaces =
      "modes depth any\nresource 0 ssbo 0.0.0\n"
      "output 0 location 0.0 f32 x4\noutput 1 builtin sample_mask i32 x1 array 1\n"
      "output 2 builtin frag_depth f32 x1\noutput 3 builtin frag_stencil_ref i32 x1\n";
  const auto kinds = [&](const std::string& body, const PipelineState& state) {
    std::vector<out::SurfaceContent> kinds;
    const absl::StatusOr<Abi> abi =
        AssignAbi(Module(interfaces, body + "store_ssbo[0, align 4] 0, 1\n"), Tgl(), state);
    EXPECT_TRUE(abi.ok()) << abi.status();
    if (!abi.ok()) return kinds;
    for (const TableSurface& s : abi->binding_table) kinds.push_back(s.what);
    return kinds;
  };
  using Content = out::SurfaceContent;
  using Kinds = std::vector<Content>;
  const Kinds buffer = {Content::kResource};
  const Kinds behind_null = {Content::kNull, Content::kResource};
  const Kinds behind_colour = {Content::kColorOutput, Content::kResource};
  PipelineState none;
  none.fragment.attachments.emplace();
  for (const char* output :
       {"store_output.indexed[1, 0] 0, 1\n", "store_output[2, 0] 1f\n", "store_output[3, 0] 1\n"}) {
    EXPECT_EQ(kinds(output, none), behind_null) << output;
    EXPECT_EQ(kinds(output, {}), behind_colour) << output;
  }
  EXPECT_EQ(kinds("store_output[0, 0] 1f\n", none), buffer);
  EXPECT_EQ(kinds("demote true\n", none), buffer);
}

// State marks an attribute as flat as a whole.
TEST(FragmentAbi, ALocationThatIsFlatInPartIsTwoAttributes) {
  const std::string interfaces =
      "input 0 location 0.0 f32 x1\ninput 1 location 0.1 f32 x1 flat\n"
      "input 2 location 0.2 f32 x1 noperspective\noutput 0 location 0.0 f32 x4\n";
  const std::string body =
      "%0:f32 = load_input[0, 0]\n%1:f32 = load_input[1, 0]\n%2:f32 = load_input[2, 0]\n"
      "store_output[0, 0] %0, %1, %2\n";
  const absl::StatusOr<FragmentAbi> abi = AssignFragment(Module(interfaces, body), {});
  ASSERT_TRUE(abi.ok()) << abi.status();
  ASSERT_EQ(abi->attributes.size(), 2u);
  EXPECT_FALSE(abi->attributes[0].flat);
  EXPECT_TRUE(abi->attributes[1].flat);
  EXPECT_EQ(abi->attributes[1].location, 0u);
  EXPECT_EQ(abi->slots[0][0], 0u);
  EXPECT_EQ(abi->slots[1][0], 1u);
  EXPECT_EQ(abi->slots[2][0], 0u);
}

// State must list the parts of a message: everything that is stored, defined or not.
TEST(FragmentAbi, OutputsAreThoseThatAreStored) {
  const std::string interfaces =
      "input 0 location 0.0 f32 x4\noutput 0 location 0.0 f32 x4\n"
      "output 1 builtin sample_mask i32 x1 array 1\noutput 2 builtin frag_depth f32 x1\n";
  const std::string head = "modes depth any\n";
  const auto of = [&](const std::string& body) {
    absl::StatusOr<FragmentAbi> abi = AssignFragment(Module(head + interfaces, body), {});
    EXPECT_TRUE(abi.ok()) << abi.status();
    return abi.ok() ? *std::move(abi) : FragmentAbi();
  };
  const FragmentAbi none = of("store_output[0, 0] 1f\n");
  EXPECT_EQ(none.depth, out::DepthOutput::kOff);
  EXPECT_FALSE(none.writes_sample_mask);
  const FragmentAbi undefined = of("store_output[2, 0] undef.f32\n");
  EXPECT_EQ(undefined.depth, out::DepthOutput::kAny);
  EXPECT_TRUE(of("store_output.indexed[1, 0] 0, 1\n").writes_sample_mask);
}

// VkPhysicalDeviceLimits::maxFragmentDualSrcAttachments is 1.
TEST(FragmentAbi, ASecondSourceOfBlendingIsForTarget0) {
  const std::string interfaces =
      "output 0 location 0.0 f32 x4\noutput 1 location 0.0 f32 x4 index 1\n";
  const std::string other = "output 2 location 1.0 f32 x4\n";
  const std::string both = "store_output[0, 0] 1f\nstore_output[1, 0] 1f\n";
  const absl::StatusOr<FragmentAbi> abi = AssignFragment(Module(interfaces, both), {});
  ASSERT_TRUE(abi.ok()) << abi.status();
  EXPECT_TRUE(abi->dual_source);
  EXPECT_EQ(CauseOf(AssignFragment(Module(interfaces + other, both), {}).status()),
            "fragment_outputs");
  // Without a render target there is nothing to blend.
  FragmentState state;
  state.attachments.emplace();
  const absl::StatusOr<FragmentAbi> unattached = AssignFragment(Module(interfaces, both), state);
  ASSERT_TRUE(unattached.ok()) << unattached.status();
  EXPECT_FALSE(unattached->dual_source);
}

TEST(FragmentAbi, SixteenSamplesHaveNo32Lanes) {
  const mir::Module m = Module(kInterfaces, "store_output[0, 0] 1f\n");
  FragmentState state;
  for (const uint32_t samples : {8u, 16u}) {
    state.samples = samples;
    Abi abi;
    abi.device = &Tgl();
    absl::StatusOr<FragmentAbi> fragment = AssignFragment(m, state);
    ASSERT_TRUE(fragment.ok()) << fragment.status();
    abi.fragment = *std::move(fragment);
    EXPECT_TRUE(AtWidth(m, abi, 16).ok());
    EXPECT_EQ(CauseOf(AtWidth(m, abi, 32).status()), samples == 16 ? "fragment_width" : "ok");
  }
}

TEST(FragmentAbi, ThreadsStartWithWhatFitsTheRegisterFile) {
  // 32 attributes take 64 registers, constants 60: with the payload of 8 lanes, these are all
  // registers.
  const mir::Module m =
      Module("input 0 location 0.0 f32 x4 array 32\noutput 0 location 0.0 f32 x4\n",
             "%0:f32 = load_input.indexed[0, 0] 3\nstore_output[0, 0] %0\n");
  Abi abi;
  abi.device = &Tgl();
  absl::StatusOr<FragmentAbi> fragment = AssignFragment(m, {});
  ASSERT_TRUE(fragment.ok()) << fragment.status();
  abi.fragment = *std::move(fragment);
  const uint32_t room = 128 - kSetupRegisters * abi.fragment->setup_slots;
  for (const int width : {8, 16, 32}) {
    abi.cross_thread_registers = room - PayloadAt(*abi.fragment, width).registers;
    EXPECT_TRUE(AtWidth(m, abi, width).ok());
    ++abi.cross_thread_registers;
    EXPECT_EQ(CauseOf(AtWidth(m, abi, width).status()), "thread_payload_too_large");
  }
}

// From number 16 on, an attribute has the number of its slot of the vertex, counted from the first
// one that is read: location l is in slot 4 + l, distances are in 2 and 3.
TEST(FragmentAbi, AttributesFrom16OnAreWhereTheVertexHasThem) {
  const std::string interfaces =
      "input 0 location 1.0 f32 x4 array 16\ninput 1 location 20.0 f32 x4\n"
      "input 2 location 23.0 f32 x4\ninput 3 builtin clip_distance f32 x1 array 2\n"
      "input 4 builtin primitive_id i32 x1\noutput 0 location 0.0 f32 x4\n";
  const std::string many = "%0:f32 = load_input.indexed[0, 0] %3\n%1:f32 = load_input[1, 0]\n";
  const auto of = [&](const std::string& body) {
    absl::StatusOr<FragmentAbi> abi =
        AssignFragment(Module(interfaces, "%3:i32 = load_input[4, 0]\n" + body), {});
    EXPECT_TRUE(abi.ok()) << abi.status();
    return abi.ok() ? *std::move(abi) : FragmentAbi();
  };
  const FragmentAbi all = of(many + "%2:f32 = load_input[2, 0]\nstore_output[0, 0] %0, %1, %2\n");
  EXPECT_EQ(all.slots[0][14], 14u) << "location 15";
  EXPECT_EQ(all.slots[0][15], 16u) << "location 16: slot 20, of those from 4 on";
  EXPECT_EQ(all.slots[1][0], 20u);
  EXPECT_EQ(all.slots[2][0], 15u);
  EXPECT_EQ(all.slots[4][0], 17u) << "made by fixed functions";
  EXPECT_EQ(all.setup_slots, 21u);
  ASSERT_EQ(all.attributes.size(), 19u);
  EXPECT_EQ(all.attributes[18].location, 20u);
  EXPECT_EQ(all.attributes[17].builtin, "primitive_id");
  const FragmentAbi clipped = of(many +
                                 "%2:f32 = load_input.indexed[3, 0] 0\n"
                                 "store_output[0, 0] %0, %1, %2\n");
  EXPECT_EQ(clipped.slots[0][13], 16u) << "location 14: slot 18, of those from 2 on";
  EXPECT_EQ(clipped.slots[0][14], 17u);
  EXPECT_EQ(clipped.slots[0][15], 13u);
  EXPECT_EQ(clipped.slots[1][0], 14u);
  EXPECT_EQ(clipped.slots[3][0], 15u);
  EXPECT_EQ(clipped.setup_slots, 19u);
}

TEST(FragmentAbi, RefusesWhatSetupDataDoesNotHave) {
  const auto cause = [](const std::string& interfaces, const std::string& body) {
    const absl::StatusOr<FragmentAbi> abi = AssignFragment(Module(interfaces, body), {});
    return CauseOf(abi.status());
  };
  EXPECT_EQ(cause("input 0 location 0.0 f32 x1 array 33\ninput 1 location 40.0 i32 x1 flat\n"
                  "output 0 location 0.0 f32 x4\n",
                  "%0:i32 = load_input[1, 0]\n%1:f32 = load_input.indexed[0, 0] %0\n"
                  "store_output[0, 0] %1\n"),
            "fragment_inputs");
  const auto distances = [&](int clip, int cull) {
    return cause(absl::StrCat("input 0 builtin clip_distance f32 x1 array ", clip,
                              "\ninput 1 builtin cull_distance f32 x1 array ", cull,
                              "\noutput 0 location 0.0 f32 x4\n"),
                 "%0:f32 = load_input.indexed[0, 0] 0\n%1:f32 = load_input.indexed[1, 0] 0\n"
                 "store_output[0, 0] %0, %1\n");
  };
  const auto beside = [&](int location) {
    return cause(absl::StrCat("input 0 location ", location,
                              ".0 f32 x4\ninput 1 builtin clip_distance f32 x1 array 1\n"
                              "output 0 location 0.0 f32 x4\n"),
                 "%0:f32 = load_input[0, 0]\n%1:f32 = load_input.indexed[1, 0] 0\n"
                 "store_output[0, 0] %0, %1\n");
  };
  EXPECT_EQ(beside(29), "ok");
  EXPECT_EQ(beside(30), "fragment_inputs") << "slots 2 to 34";
  EXPECT_EQ(distances(5, 3), "ok");
  EXPECT_EQ(distances(6, 3), "fragment_inputs");
}

}  // namespace
}  // namespace kiln::intel
