// Tests the slots of attributes, and the slots of outputs in the URB entry.
#include "core/intel/abi/vertex.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/intel/abi/abi.h"
#include "core/intel/abi/launch.h"
#include "core/intel/abi/width_abi.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

mir::Module Module(const std::string& interfaces, const std::string& body) {
  const auto m = mir::Parse(absl::StrCat("mir 1\nentry \"main\"\nstage vertex\n", interfaces,
                                         "body {\n", body, "return\n}\n"));
  EXPECT_TRUE(m.ok()) << m.status();
  const absl::Status s = mir::Verify(*m);
  EXPECT_TRUE(s.ok()) << s;
  return *m;
}

TEST(VertexAbi, SlotsAreDenseAndTheDrawsValuesLast) {
  const mir::Module m = Module(
      "input 0 location 1.0 f32 x2\ninput 1 location 1.2 f32 x1\ninput 2 location 4.0 f32 x4\n"
      "input 3 location 7.0 f32 x4 array 3\ninput 4 builtin instance_index i32 x1\n"
      "input 5 builtin draw_index i32 x1\noutput 0 builtin position f32 x4\n",
      "%0:f32 = load_input[0, 0]\n%1:f32 = load_input[1, 0]\n"
      "%2:f32 = load_input.indexed[3, 1] 2\n%3:i32 = load_input[4, 0]\n%4:i32 = load_input[5, 0]\n"
      "%5:f32 = i2f %3\n%6:f32 = i2f %4\nstore_output[0, 0] %0, %1, %2, %5\n");
  const auto abi = AssignVertex(m);
  ASSERT_TRUE(abi.ok()) << abi.status();
  EXPECT_EQ(abi->SetupSlots(), 4u);
  ASSERT_EQ(abi->attributes.size(), 2u);
  EXPECT_EQ(abi->attributes[0], 1u);  // two variables share it
  EXPECT_EQ(abi->attributes[1], 9u);  // the one element that is read
  EXPECT_EQ(abi->slots[0][0], 0u);
  EXPECT_EQ(abi->slots[1][0], 0u);
  EXPECT_EQ(abi->slots[2][0], VertexAbi::kNoSlot);
  EXPECT_EQ(abi->slots[3][2], 1u);
  const SlotComponent base = abi->SlotOf(out::VertexValue::kBaseInstance);
  EXPECT_EQ(base.slot, 2u);
  EXPECT_EQ(base.component, 1u);
  EXPECT_EQ(abi->SlotOf(out::VertexValue::kInstanceIdFromZero).component, 3u);
  EXPECT_EQ(abi->SlotOf(out::VertexValue::kDrawId).slot, 3u);
}

TEST(VertexAbi, OutputsHavePlacesOfTheirOwn) {
  const mir::Module m = Module(
      "output 0 location 0.0 f32 x4\noutput 1 location 5.1 f32 x2\noutput 2 location 8.0 f32 x4\n"
      "output 3 builtin position f32 x4\noutput 4 builtin clip_distance f32 x1 array 3\n"
      "output 5 builtin cull_distance f32 x1 array 2\noutput 6 builtin layer i32 x1\n",
      "store_output[1, 0] 1f, 2f\nstore_output[3, 0] 0f, 0f, 0f, 1f\n"
      "store_output.indexed[4, 0] 0, 1f\nstore_output.indexed[5, 0] 1, 1f\nstore_output[6, 0] 1\n");
  const auto abi = AssignVertex(m);
  ASSERT_TRUE(abi.ok()) << abi.status();
  std::string slots;
  for (const out::VueSlot& slot : abi->vue) absl::StrAppend(&slots, slot.slot, " ");
  EXPECT_EQ(slots, "0 1 2 3 9 ");
  EXPECT_EQ(abi->vue_slots, 10u);
  EXPECT_TRUE(abi->vue[0].parts[1].from_shader);   // layer
  EXPECT_FALSE(abi->vue[0].parts[3].from_shader);  // point size
  EXPECT_TRUE(abi->vue[2].written && abi->vue[3].written);
  // Cull distances follow clip distances.
  const SlotComponent cull = OutputPlace(m, m.outputs[5], 1, 0);
  EXPECT_EQ(cull.slot, 3u);
  EXPECT_EQ(cull.component, 0u);
  EXPECT_EQ(OutputPlace(m, m.outputs[1], 0, 1).component, 2u);
  Abi all;
  all.device = &Tgl();
  all.vertex = *abi;
  const auto at_width = AtWidth(m, all, 8);
  ASSERT_TRUE(at_width.ok());
  const out::LaunchRecord record = LaunchOf(m, all, *at_width);
  EXPECT_EQ(record.stage, "vertex");
  ASSERT_EQ(record.vertex.outputs.size(), 1u);
  EXPECT_EQ(record.vertex.outputs[0].location, 5u);
  ASSERT_EQ(record.vertex.outputs[0].parts.size(), 1u);
  EXPECT_EQ(record.vertex.outputs[0].parts[0].component, 1u);
  const out::IntelVertex& launch = out::IntelOf(record).vertex;
  EXPECT_EQ(launch.urb_entry_size, 3u);  // ten slots
  // One of three and one of two distances are stored: the others cut nothing.
  EXPECT_EQ(launch.clip_distance_mask, 1u);
  EXPECT_EQ(launch.cull_distance_mask, 16u);
  EXPECT_EQ(CauseOf(AtWidth(m, all, 16).status()), "vertex_width");
}

// A slot counts as written if the program writes it.
TEST(VertexAbi, DistancesWithoutStoresAreDeclaredOnly) {
  const mir::Module m =
      Module("output 0 builtin position f32 x4\noutput 1 builtin clip_distance f32 x1 array 8\n",
             "store_output[0, 0] 0f, 0f, 0f, 1f\nstore_output.indexed[1, 0] 2, 1f\n");
  const auto abi = AssignVertex(m);
  ASSERT_TRUE(abi.ok()) << abi.status();
  ASSERT_EQ(abi->vue.size(), 4u);
  EXPECT_TRUE(abi->vue[2].written);
  EXPECT_FALSE(abi->vue[3].written);
  ASSERT_EQ(abi->vue[2].parts.size() + abi->vue[3].parts.size(), 8u);
  EXPECT_TRUE(abi->vue[2].parts[2].from_shader);
  EXPECT_FALSE(abi->vue[2].parts[1].from_shader);
  EXPECT_FALSE(abi->vue[3].parts[0].from_shader);
}

TEST(VertexAbi, RefusesOutputsThatHaveNoPlace) {
  const auto distances = [](int clip, int cull) {
    return CauseOf(
        AssignVertex(
            Module(absl::StrCat("output 0 builtin clip_distance f32 x1 array ", clip,
                                "\noutput 1 builtin cull_distance f32 x1 array ", cull, "\n"),
                   "store_output.indexed[0, 0] 0, 1f\n"
                   "store_output.indexed[1, 0] 0, 1f\n"))
            .status());
  };
  EXPECT_EQ(distances(7, 1), "ok");
  EXPECT_EQ(distances(7, 2), "vertex_outputs");
  EXPECT_EQ(distances(32, 1), "vertex_outputs");
  const auto location = [](int n) {
    return CauseOf(AssignVertex(Module(absl::StrCat("output 0 location ", n, ".0 f32 x1\n"),
                                       "store_output[0, 0] 1f\n"))
                       .status());
  };
  EXPECT_EQ(location(31), "ok");
  EXPECT_EQ(location(32), "vertex_outputs");
  EXPECT_EQ(location(2100), "vertex_outputs");
}

// A program that reads nothing still has to find its view, to write the layer.
TEST(VertexAbi, SeveralViewsNeedTheInstanceAndWriteTheLayer) {
  const mir::Module m =
      Module("output 0 builtin position f32 x4\n", "store_output[0, 0] 0f, 0f, 0f, 1f\n");
  for (const uint32_t mask : {0u, 0x4u, 0x5u}) {
    PipelineState state;
    state.view_mask = mask;
    const auto all = AssignAbi(m, Tgl(), state);
    ASSERT_TRUE(all.ok()) << all.status();
    EXPECT_EQ(all->vertex->SetupSlots(), mask == 0x5 ? 1u : 0u) << mask;
    const auto at_width = AtWidth(m, *all, 8);
    ASSERT_TRUE(at_width.ok());
    const out::LaunchRecord record = LaunchOf(m, *all, *at_width);
    EXPECT_EQ(record.vertex.view_mask, mask);
    EXPECT_EQ(record.vertex.instance_multiplier, mask == 0x5 ? 2u : 1u);
    EXPECT_EQ(out::IntelOf(record).vertex.vue[0].parts[1].from_shader, mask != 0);
  }
}

TEST(VertexAbi, TheLayerIsTheViewsWhereThereAreAny) {
  const mir::Module m = Module("output 0 builtin layer i32 x1\n", "store_output[0, 0] 1\n");
  EXPECT_TRUE(AssignVertex(m).ok());
  EXPECT_EQ(CauseOf(AssignVertex(m, {1}).status()), "multiview_layer");
  EXPECT_EQ(CauseOf(AssignVertex(m, {3}).status()), "multiview_layer");
  PipelineState state;
  state.view_mask = 0x10001;
  EXPECT_EQ(CauseOf(AssignAbi(m, Tgl(), state).status()), "too_many_views");
}

TEST(VertexAbi, RefusesMoreAttributesThanAreDelivered) {
  const std::string output = "output 0 builtin position f32 x4\n";
  for (const int elements : {29, 30}) {
    const mir::Module m = Module(absl::StrCat("input 0 location 0.0 f32 x1 array ", elements,
                                              "\ninput 1 builtin draw_index i32 x1\n", output),
                                 "%0:i32 = load_input[1, 0]\n%1:f32 = load_input.indexed[0, 0] %0\n"
                                 "store_output[0, 0] %1, %1, %1, %1\n");
    EXPECT_EQ(CauseOf(AssignVertex(m).status()), elements == 29 ? "ok" : "vertex_inputs");
  }
}

// 31 slots are 16 pairs, which with the header would be 130 registers.
TEST(VertexAbi, SlotsArriveInPairs) {
  const auto draw = [](int elements, bool vertex) {
    return Module(absl::StrCat("input 0 location 0.0 f32 x1 array ", elements,
                               "\ninput 1 builtin vertex_index i32 x1\n"
                               "input 2 builtin draw_index i32 x1\n"
                               "output 0 builtin position f32 x4\n"),
                  absl::StrCat("%0:i32 = load_input[", vertex ? 1 : 2,
                               ", 0]\n%1:i32 = load_input[2, 0]\n"
                               "%2:f32 = load_input.indexed[0, 0] %0\n%3:f32 = i2f %1\n"
                               "store_output[0, 0] %2, %3, %2, %2\n"));
  };
  EXPECT_EQ(CauseOf(AssignVertex(draw(29, false)).status()), "ok");
  EXPECT_EQ(CauseOf(AssignVertex(draw(29, true)).status()), "vertex_inputs");
  const mir::Module m = draw(28, false);  // 29 slots, 15 pairs
  Abi abi;
  abi.device = &Tgl();
  abi.vertex = *AssignVertex(m);
  EXPECT_EQ(AttributeRegisters(*abi.vertex), 120u);
  abi.cross_thread_registers = 6;
  EXPECT_EQ(CauseOf(AtWidth(m, abi, 8).status()), "ok");
  abi.cross_thread_registers = 7;
  EXPECT_EQ(CauseOf(AtWidth(m, abi, 8).status()), "thread_payload_too_large");
}

}  // namespace
}  // namespace kiln::intel
