// Slots of attributes, and places of outputs in the URB entry.
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
  ASSERT_EQ(abi->attributes.size(), 4u);
  EXPECT_EQ(abi->attributes[0].location, 1u);  // two variables share it
  EXPECT_EQ(abi->attributes[1].location, 9u);  // the one element that is read
  EXPECT_EQ(abi->slots[0][0], 0u);
  EXPECT_EQ(abi->slots[1][0], 0u);
  EXPECT_EQ(abi->slots[2][0], VertexAbi::kNoSlot);
  EXPECT_EQ(abi->slots[3][2], 1u);
  const SlotComponent base = abi->PlaceOf(out::VertexValue::kBaseInstance);
  EXPECT_EQ(base.slot, 2u);
  EXPECT_EQ(base.component, 1u);
  EXPECT_EQ(abi->PlaceOf(out::VertexValue::kInstanceIdFromZero).component, 3u);
  EXPECT_EQ(abi->PlaceOf(out::VertexValue::kDrawId).slot, 3u);
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
  // Distances to cull by lie behind those to clip by.
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
  EXPECT_EQ(record.vertex.urb_entry_size, 3u);  // ten slots
  EXPECT_EQ(record.vertex.clip_distance_mask, 7u);
  EXPECT_EQ(record.vertex.cull_distance_mask, 24u);
  EXPECT_EQ(CauseOf(AtWidth(m, all, 16).status()), "vertex_width");
}

TEST(VertexAbi, RefusesMoreAttributesThanAreDelivered) {
  const std::string output = "output 0 builtin position f32 x4\n";
  for (const int elements : {29, 30}) {
    const mir::Module m = Module(
        absl::StrCat("input 0 location 0.0 f32 x1 array ", elements,
                     "\ninput 1 builtin draw_index i32 x1\n", output),
        "%0:i32 = load_input[1, 0]\n%1:f32 = load_input.indexed[0, 0] %0\n"
        "store_output[0, 0] %1, %1, %1, %1\n");
    EXPECT_EQ(CauseOf(AssignVertex(m).status()), elements == 29 ? "ok" : "vertex_inputs");
  }
}

}  // namespace
}  // namespace kiln::intel
