// Intel's part of launch records: what it says comes back, and what contradicts the common part or
// itself is refused.
#include <string>

#include "gtest/gtest.h"
#include "proto/launch_record_convert.h"

namespace kiln::proto {
namespace {

using out::VueContent;
using out::VueValue;

out::LaunchRecord Vertex() {
  out::LaunchRecord r;
  r.stage = "vertex";
  r.vertex.attributes = {5};
  r.vertex.system_values = {out::VertexValue::kFirstVertex, out::VertexValue::kDrawId};
  r.vertex.outputs = {{7, {{0, 4, "float", 32}}}};
  r.resources = {{out::ResourceKind::kCombinedImageSampler, 1, 2}};
  out::IntelLaunch& intel = r.arch.emplace<out::IntelLaunch>();
  intel.push_first_register = 2;
  intel.push_registers = 1;
  intel.binding_table = {{0, out::SurfaceContent::kResource}};
  intel.sampler_table = {{3, 0}};
  intel.vertex.setup_first_register = 3;
  intel.vertex.setup_slots = 3;
  intel.vertex.vue_slots = 6;
  intel.vertex.urb_entry_size = 2;
  intel.vertex.clip_distance_mask = 2;
  out::VueSlot header, distances;
  header.written = true;
  header.parts = {{1, VueValue::kLayer, 0, true}, {3, VueValue::kPointSize, 0, false}};
  distances = {2, VueContent::kDistances, 0, "", {{1, VueValue::kClipDistance, 1, true}}, true};
  intel.vertex.vue = {header,
                      distances,
                      {4, VueContent::kBuiltin, 0, "primitive_id", {}, false},
                      {5, VueContent::kLocation, 7, "", {}, true}};
  return r;
}

TEST(LaunchIntel, ComesBackAsItWasWritten) {
  const v1::LaunchRecord written = ToProto(Vertex());
  const absl::StatusOr<out::LaunchRecord> read = FromProto(written);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(ToProto(*read).SerializeAsString(), written.SerializeAsString());
  const out::IntelLaunch& intel = out::IntelOf(*read);
  EXPECT_EQ(intel.push_first_register, 2u);
  EXPECT_EQ(intel.sampler_table[0].index, 3u);
  const out::IntelVertex& v = intel.vertex;
  EXPECT_EQ(v.setup_slots, 3u);
  EXPECT_EQ(v.clip_distance_mask, 2u);
  ASSERT_EQ(v.vue.size(), 4u);
  EXPECT_TRUE(v.vue[0].parts[0].from_shader);
  EXPECT_FALSE(v.vue[0].parts[1].from_shader);
  EXPECT_EQ(v.vue[1].parts[0].element, 1u);
  EXPECT_EQ(v.vue[2].what, VueContent::kBuiltin);
  EXPECT_EQ(v.vue[2].builtin, "primitive_id");
  EXPECT_FALSE(v.vue[2].written);
  EXPECT_EQ(v.vue[3].location, 7u);
}

// Applies a change to the message, and returns the refusal.
template <typename Change>
std::string Refusal(Change change) {
  v1::LaunchRecord record = ToProto(Vertex());
  change(*record.mutable_intel());
  return std::string(FromProto(record).status().message());
}

TEST(LaunchIntel, RefusesWhatItDoesNotKnow) {
  using Intel = v1::LaunchIntel;
  EXPECT_EQ(Refusal([](Intel&) {}), "");
  EXPECT_EQ(Refusal([](Intel& i) { i.mutable_binding_table(0)->set_what("ubo"); }),
            "launch record: unknown content of a surface 'ubo'");
  EXPECT_EQ(Refusal([](Intel& i) { i.mutable_binding_table(0)->set_resource(1); }),
            "launch record: surface 0 has no resource");
  EXPECT_EQ(Refusal([](Intel& i) { i.mutable_sampler_table(0)->set_resource(1); }),
            "launch record: sampler 3 has no resource");
  EXPECT_EQ(Refusal([](Intel& i) { i.mutable_vertex()->set_vue_slots(5); }),
            "launch record: VUE slot 5");
  const auto part = [](Intel& i) { return i.mutable_vertex()->mutable_vue(0)->mutable_parts(0); };
  EXPECT_EQ(Refusal([&](Intel& i) { part(i)->set_builtin("leaf"); }),
            "launch record: unknown part of the VUE 'leaf'");
  EXPECT_EQ(Refusal([&](Intel& i) { part(i)->set_component(4); }),
            "launch record: component of a part of the VUE");
  EXPECT_EQ(Refusal([](Intel& i) { i.mutable_fragment()->add_payload()->set_what("footer"); }),
            "launch record: unknown payload part 'footer'");
  EXPECT_EQ(Refusal([](Intel& i) { i.mutable_fragment()->add_input_slots(0); }),
            "launch record: slots of 1 inputs, there are 0");
}

TEST(LaunchRecord, HasAPartAndAVersion) {
  out::LaunchRecord none = Vertex();
  none.arch = std::monostate();
  EXPECT_EQ(FromProto(ToProto(none)).status().message(),
            "launch record: no part for an architecture");
  v1::LaunchRecord old = ToProto(Vertex());
  old.set_record_version(1);
  EXPECT_EQ(FromProto(old).status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace kiln::proto
