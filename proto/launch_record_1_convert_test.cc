// Records of version 1: the lists that version 2 has, and places that follow from the rest.
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "proto/launch_record_convert.h"

namespace kiln::proto {
namespace {

using out::ResourceKind;
using out::VertexValue;

// `parts`: keys of the record, as JSON.
absl::StatusOr<out::LaunchRecord> Read(const std::string& parts) {
  return LaunchRecordFromJson(R"({"record_version": 1, "dispatch_width": 8, )" + parts + "}");
}

std::string Refusal(const std::string& parts) {
  return std::string(Read(parts).status().message());
}

// The table of samplers does not say that one belongs to an image. Entry 1 does, which has elements
// in memory only; entry 0 does not.
TEST(Version1, SamplersOfImagesAreOneResourceWithThem) {
  const auto r = Read(R"(
    "sampler_table": [{"index": 0, "kind": "sampler", "set": 0, "binding": 3, "element": 1},
                      {"index": 1, "kind": "sampler", "set": 0, "binding": 4, "element": 6}],
    "descriptor_memory": [{"memory": 0, "kind": "combined_image_sampler", "set": 0, "binding": 4,
                           "element": 0, "count": 5, "stride": 8, "form": "handles"}])");
  ASSERT_TRUE(r.ok()) << r.status();
  ASSERT_EQ(r->resources.size(), 2u);
  EXPECT_EQ(r->resources[0].kind, ResourceKind::kSampler);
  EXPECT_EQ(r->resources[0].elements, 2u);
  EXPECT_EQ(r->resources[1].kind, ResourceKind::kCombinedImageSampler);
  EXPECT_EQ(r->resources[1].elements, 7u);
  EXPECT_EQ(out::IntelOf(*r).sampler_table[1].resource, 1u);
  EXPECT_EQ(r->descriptor_memory[0].resource, 1u);
}

TEST(Version1, ElementsOfABindingAreOneResource) {
  const auto r = Read(R"("binding_table": [
    {"index": 0, "kind": "null_color_output"},
    {"index": 1, "kind": "ssbo", "set": 0, "binding": 2, "element": 3},
    {"index": 2, "kind": "ssbo", "set": 0, "binding": 2, "element": 1},
    {"index": 3, "kind": "storage_image", "set": 0, "binding": 2, "element": 0, "format": "r32ui"}],
    "push": {"parts": [{"bytes": 4, "source": "buffer_address",
                        "ubo": {"kind": "ssbo", "set": 0, "binding": 2, "element": 7}}]})");
  ASSERT_TRUE(r.ok()) << r.status();
  ASSERT_EQ(r->resources.size(), 2u);
  EXPECT_EQ(r->resources[0].kind, ResourceKind::kSsbo);
  EXPECT_EQ(r->resources[0].elements, 8u);
  EXPECT_EQ(r->resources[1].format, "r32ui");
  EXPECT_EQ(r->push[0].resource, 0u);
  EXPECT_EQ(r->push[0].element, 7u);
  const auto& table = out::IntelOf(*r).binding_table;
  EXPECT_EQ(table[0].what, out::SurfaceContent::kNull);
  EXPECT_EQ(table[1].element, 3u);
  EXPECT_EQ(table[2].resource, 0u);
  EXPECT_EQ(table[3].resource, 1u);
}

// Version 2 has the size of the client's constants only where some are read.
TEST(Version1, PushConstantsThatAreRead) {
  const auto bytes = [](const std::string& parts) {
    const auto r = Read(R"("push_constant_bytes": 8, )" + parts);
    EXPECT_TRUE(r.ok()) << r.status();
    return r.ok() ? r->push_constant_bytes : ~0u;
  };
  EXPECT_EQ(bytes(R"("push": {"parts": [{"source": "client_push_constants"}]})"), 8u);
  EXPECT_EQ(bytes(R"("binding_table": [{"kind": "push_constants"}])"), 8u);
  EXPECT_EQ(bytes(R"("push": {"parts": [{"source": "subgroup_id"}]})"), 0u);
}

constexpr char kVertex[] = R"("stage": "vertex", "vertex": {
    "registers": [{"register": 0, "registers": 1, "what": "header"},
                  {"register": 1, "registers": 1, "what": "urb_handles"}],
    "setup": {"first_register": 3, "slots": 4, "attributes": [
      {"slot": 0, "register": 3, "location": 5}, {"slot": 1, "register": 7, "location": 6},
      {"slot": 2, "register": 11, "system_values": [{"component": 1, "builtin": "base_instance"},
                                                    {"component": 3, "builtin": "instance_id_from_zero"}]},
      {"slot": 3, "register": 15, "system_values": [{"component": 0, "builtin": "draw_id"},
                                                    {"component": 1, "builtin": "is_indexed_draw"}]}]},
    "outputs": {"slots": 1}})";

TEST(Version1, PlacesOfAttributesAreThoseOfVersion2) {
  const auto r = Read(kVertex);
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(r->vertex.attributes, (std::vector<uint32_t>{5, 6}));
  EXPECT_EQ(r->vertex.system_values,
            (std::vector<VertexValue>{VertexValue::kBaseInstance, VertexValue::kInstanceIdFromZero,
                                      VertexValue::kDrawId, VertexValue::kIsIndexedDraw}));
  EXPECT_EQ(out::IntelOf(*r).vertex.setup_slots, 4u);
}

TEST(Version1, OtherPlacesAreRefused) {
  const auto refusal = [](const char* from, const char* to) {
    const std::string changed = absl::StrReplaceAll(kVertex, {{from, to}});
    EXPECT_NE(changed, kVertex) << from;
    return Refusal(changed);
  };
  EXPECT_EQ(refusal("\"slot\": 1", "\"slot\": 2"), "launch record: attribute slot 2 of 4 at r7");
  EXPECT_EQ(refusal("\"register\": 7", "\"register\": 8"),
            "launch record: attribute slot 1 of 4 at r8");
  EXPECT_EQ(refusal("\"slots\": 4", "\"slots\": 3"), "launch record: attribute slot 3 of 3 at r15");
  EXPECT_EQ(refusal("\"component\": 3", "\"component\": 2"),
            "launch record: instance_id_from_zero in component 2 of slot 2");
  EXPECT_EQ(refusal("base_instance\"}", "base_instance\"}, {\"builtin\": \"draw_id\"}"),
            "launch record: draw_id in component 0 of slot 2");
  EXPECT_EQ(refusal("\"location\": 6",
                    "\"system_values\": [{\"component\": 0, \"builtin\": \"draw_id\"}]"),
            "launch record: base_instance in component 1 of slot 2");
  EXPECT_EQ(refusal("\"urb_handles\"", "\"handles\""),
            "launch record: a vertex payload is r0, header, and r1, URB handles");
  EXPECT_EQ(
      Refusal(R"("push": {"first_register": 2, "parts": [{"register": 1, "source": "ubo"}]})"),
      "launch record: r1 is in front of the push constants");
}

TEST(Version1, ColourOutputsThatDoNotExistAreRefused) {
  EXPECT_EQ(Refusal(R"("binding_table": [{"kind": "color_output", "location": 8}])"),
            "launch record: a colour output at location 8");
  std::string many = R"({"kind": "color_output"})";
  for (int i = 0; i < 8; ++i) many += R"(, {"kind": "color_output"})";
  EXPECT_EQ(Refusal(R"("binding_table": [)" + many + "]"),
            "launch record: 9 colour outputs; at most 8");
}

TEST(Version1, NamesThatAreNotKnownAreRefused) {
  EXPECT_EQ(Refusal(R"("binding_table": [{"kind": "teapot"}])"),
            "launch record: unknown surface kind 'teapot'");
  EXPECT_EQ(Refusal(R"("binding_table": [{"kind": "resource"}])"),
            "launch record: unknown surface kind 'resource'")
      << "a word of version 2";
  EXPECT_EQ(Refusal(R"("descriptor_memory": [{"kind": "ubo", "form": "letter"}])"),
            "launch record: unknown form of descriptor 'letter'");
  EXPECT_EQ(Refusal(R"("descriptor_memory": [{"kind": "null", "form": "address"}])"),
            "launch record: unknown kind of descriptor 'null'");
  EXPECT_EQ(Refusal(R"("push": {"parts": [{"source": "moon_phase"}]})"),
            "launch record: unknown push source 'moon_phase'");
  EXPECT_EQ(Refusal(R"("loadable_by": "hand")"), "launch record: unknown loader 'hand'");
  EXPECT_EQ(Refusal(R"("fragment": {"per_sample_dispatch": "sometimes"})"),
            "launch record: unknown per-sample dispatch 'sometimes'");
  EXPECT_EQ(Refusal(R"("fragment": {"alpha_to_coverage": "sometimes"})"),
            "launch record: unknown alpha to coverage 'sometimes'");
  EXPECT_EQ(Refusal(R"("fragment": {"setup": {"per_primitive_slots": 1}})"),
            "launch record: per-primitive attributes are not known");
  EXPECT_EQ(Refusal(R"("fragment": {"setup": {"slots": 1, "attributes": [{"slot": 1}]}})"),
            "launch record: attribute slot 1 of 1");
  EXPECT_EQ(Refusal(R"("constant_data": {"bytes": 1, "hex": "0"})"),
            "launch record: constant_data.hex");
}

// Records of tests/peer said it by the mask alone.
TEST(Version1, AnInputIsFlatByItsAttributeOrTheMask) {
  const auto r =
      Read(R"("fragment": {"setup": {"slots": 40, "flat_mask": 2147483650, "attributes": [
    {"slot": 0, "location": 0}, {"slot": 1, "location": 1}, {"slot": 2, "location": 2, "flat": true},
    {"slot": 31, "location": 3}, {"slot": 33, "location": 4}]}})");
  ASSERT_TRUE(r.ok()) << r.status();
  std::vector<bool> flat;
  for (const out::FragmentInput& input : r->fragment.inputs) flat.push_back(input.flat);
  EXPECT_EQ(flat, (std::vector<bool>{false, true, true, true, false}));
}

// Written by hand, perhaps: what has no version is of the first.
TEST(Version1, IsWhatHasNoVersion) {
  const auto r = LaunchRecordFromJson(R"({"stage": "compute", "push": {"registers": 5}})");
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(out::IntelOf(*r).push_registers, 5u);
}

}  // namespace
}  // namespace kiln::proto
