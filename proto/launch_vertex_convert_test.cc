// Vertex records in the peer tool's JSON (written by hand in its form): their values after reading,
// the round trip, and refused ones.
#include <string>

#include "absl/strings/str_replace.h"
#include "core/out/launch_record.h"
#include "gtest/gtest.h"
#include "proto/launch_record_convert.h"

namespace kiln::proto {
namespace {

using out::VertexValue;
using out::VueContent;
using out::VueValue;

constexpr char kRecord[] = R"({
  "record_version": 1, "target": "tgl", "stage": "vertex", "entry_point": "main", "dispatch_width": 8,
  "push": {"first_register": 2, "registers": 1, "parts": [
    {"register": 2, "byte": 0, "bytes": 4, "source": "client_push_constants", "offset": 0}]},
  "vertex": {
    "registers": [{"register": 0, "registers": 1, "what": "header"},
                  {"register": 1, "registers": 1, "what": "urb_handles"}],
    "payload_registers": 2,
    "setup": {"first_register": 3, "slots": 3, "urb_read_length": 2, "attributes": [
      {"slot": 0, "register": 3, "registers": 4, "location": 5,
       "inputs": [{"component": 0, "components": 3, "type": "float", "bits": 32}]},
      {"slot": 1, "register": 7, "registers": 4, "system_values": [
        {"component": 0, "register": 7, "builtin": "first_vertex"},
        {"component": 2, "register": 9, "builtin": "vertex_id_from_zero"}]},
      {"slot": 2, "register": 11, "registers": 4, "system_values": [
        {"component": 0, "register": 11, "builtin": "draw_id"}]}]},
    "outputs": {"slots": 6, "separate": true, "urb_entry_size": 2, "clip_distance_mask": 3,
      "cull_distance_mask": 4, "vue": [
      {"slot": 0, "what": "header", "written": true, "parts": [
        {"component": 1, "builtin": "layer", "from_shader": true},
        {"component": 3, "builtin": "point_size", "from_shader": false}]},
      {"slot": 1, "what": "position", "written": true},
      {"slot": 2, "what": "distances", "written": true, "parts": [
        {"component": 1, "builtin": "clip_distance", "element": 1},
        {"component": 2, "builtin": "cull_distance", "element": 0}]},
      {"slot": 4, "what": "primitive_id", "written": false},
      {"slot": 5, "what": "location", "location": 7, "written": true,
       "outputs": [{"component": 0, "components": 4, "type": "float", "bits": 32}]}]}}})";

void ExpectAll(const out::VertexLaunch& v) {
  EXPECT_EQ(v.setup_first_register, 3u);
  EXPECT_EQ(v.setup_slots, 3u);
  ASSERT_EQ(v.attributes.size(), 3u);
  EXPECT_EQ(v.attributes[0].location, 5u);
  EXPECT_TRUE(v.attributes[0].system_values.empty());
  ASSERT_EQ(v.attributes[1].system_values.size(), 2u);
  EXPECT_EQ(v.attributes[1].system_values[1].component, 2u);
  EXPECT_EQ(v.attributes[1].system_values[1].what, VertexValue::kVertexIdFromZero);
  EXPECT_EQ(v.attributes[2].system_values[0].what, VertexValue::kDrawId);
  EXPECT_EQ(v.vue_slots, 6u);
  EXPECT_TRUE(v.separate);
  EXPECT_EQ(v.urb_entry_size, 2u);
  EXPECT_EQ(v.clip_distance_mask, 3u);
  EXPECT_EQ(v.cull_distance_mask, 4u);
  ASSERT_EQ(v.vue.size(), 5u);
  EXPECT_EQ(v.vue[0].what, VueContent::kHeader);
  EXPECT_EQ(v.vue[0].parts[0].what, VueValue::kLayer);
  EXPECT_TRUE(v.vue[0].parts[0].from_shader);
  EXPECT_FALSE(v.vue[0].parts[1].from_shader);
  EXPECT_EQ(v.vue[1].what, VueContent::kPosition);
  EXPECT_EQ(v.vue[2].parts[0].element, 1u);
  EXPECT_EQ(v.vue[2].parts[1].what, VueValue::kCullDistance);
  EXPECT_EQ(v.vue[3].what, VueContent::kBuiltin);
  EXPECT_EQ(v.vue[3].builtin, "primitive_id");
  EXPECT_FALSE(v.vue[3].written);
  EXPECT_EQ(v.vue[4].slot, 5u);
  EXPECT_EQ(v.vue[4].location, 7u);
  EXPECT_TRUE(v.vue[4].written);
}

TEST(LaunchVertex, ComesBackAsItWasRead) {
  const absl::StatusOr<out::LaunchRecord> read = LaunchRecordFromJson(kRecord);
  ASSERT_TRUE(read.ok()) << read.status();
  ExpectAll(read->vertex);
  const std::string json = LaunchRecordToJson(*read);
  const absl::StatusOr<out::LaunchRecord> again = LaunchRecordFromJson(json);
  ASSERT_TRUE(again.ok()) << again.status();
  ExpectAll(again->vertex);
  EXPECT_EQ(LaunchRecordToJson(*again), json);
}

TEST(LaunchVertex, ViewsComeBack) {
  const absl::StatusOr<out::LaunchRecord> without = LaunchRecordFromJson(kRecord);
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_EQ(without->vertex.view_mask, 0u);
  EXPECT_EQ(without->vertex.instance_multiplier, 1u);
  EXPECT_EQ(LaunchRecordToJson(*without).find("views"), std::string::npos);
  const std::string viewed = absl::StrReplaceAll(
      kRecord,
      {{"\"vertex\": {", "\"vertex\": {\"views\": {\"mask\": 13, \"instance_multiplier\": 3},"}});
  const absl::StatusOr<out::LaunchRecord> read = LaunchRecordFromJson(viewed);
  ASSERT_TRUE(read.ok()) << read.status();
  const absl::StatusOr<out::LaunchRecord> again = LaunchRecordFromJson(LaunchRecordToJson(*read));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->vertex.view_mask, 13u);
  EXPECT_EQ(again->vertex.instance_multiplier, 3u);
  const std::string none = absl::StrReplaceAll(viewed, {{"multiplier\": 3", "multiplier\": 0"}});
  EXPECT_FALSE(LaunchRecordFromJson(none).ok());
}

TEST(LaunchVertex, WritesWhatFollowsFromSlots) {
  const absl::StatusOr<out::LaunchRecord> read = LaunchRecordFromJson(kRecord);
  ASSERT_TRUE(read.ok()) << read.status();
  const v1alpha::LaunchVertex v = ToProto(*read).vertex();
  EXPECT_EQ(v.payload_registers(), 2u);
  EXPECT_EQ(v.registers(1).what(), "urb_handles");
  EXPECT_EQ(v.setup().urb_read_length(), 2u);
  EXPECT_EQ(v.setup().attributes(1).register_(), 7u);
  EXPECT_EQ(v.setup().attributes(1).registers(), 4u);
  EXPECT_EQ(v.setup().attributes(1).system_values(1).register_(), 9u);
}

TEST(LaunchVertex, RefusesWhatItDoesNotKnow) {
  const auto refusal = [](const char* from, const char* to) {
    const std::string json = absl::StrReplaceAll(kRecord, {{from, to}});
    EXPECT_NE(json, kRecord) << from;
    return std::string(LaunchRecordFromJson(json).status().message());
  };
  EXPECT_EQ(refusal("\"draw_id\"", "\"frame_id\""),
            "launch record: unknown system value 'frame_id'");
  EXPECT_EQ(refusal("\"layer\"", "\"leaf\""), "launch record: unknown part of the VUE 'leaf'");
  EXPECT_EQ(refusal("\"urb_handles\"", "\"handles\""),
            "launch record: a vertex payload is r0, header, and r1, URB handles");
  EXPECT_EQ(refusal("\"register\": 7, \"registers\"", "\"register\": 8, \"registers\""),
            "launch record: attribute slot 1 of 3 at r8");
  EXPECT_EQ(refusal("\"slots\": 3", "\"slots\": 2"), "launch record: attribute slot 2 of 2 at r11");
  EXPECT_EQ(refusal("\"slot\": 5", "\"slot\": 6"), "launch record: VUE slot 6");
  EXPECT_EQ(refusal("\"component\": 3", "\"component\": 4"),
            "launch record: component of a part of the VUE");
}

}  // namespace
}  // namespace kiln::proto
