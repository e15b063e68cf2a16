#include <fstream>
#include <iterator>
#include <string>

#include "core/out/launch_record.h"
#include "gtest/gtest.h"
#include "proto/launch_record_convert.h"

namespace kiln {
namespace {

std::string FileText(const char* path) {
  std::ifstream f(path);
  return std::string(std::istreambuf_iterator<char>(f), {});
}

std::string Sample() { return FileText("tests/launch_record/compute.launch.json"); }
std::string Fragment() { return FileText("tests/launch_record/fragment.launch.json"); }

// Returns all fields of out::LaunchRecord as text, so that records can be compared.
std::string Text(const out::LaunchRecord& r) { return proto::LaunchRecordToJson(r); }

TEST(LaunchRecord, ReadsWhatThePeerToolWrites) {
  const absl::StatusOr<out::LaunchRecord> r = proto::LaunchRecordFromJson(Sample());
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(r->target, "tgl");
  EXPECT_EQ(r->entry_point, "main");
  EXPECT_EQ(r->stage, "compute");
  EXPECT_EQ(r->loadable_by, out::LoadableBy::kNone);
  EXPECT_EQ(r->code_bytes, 640u);
  EXPECT_EQ(r->dispatch_width, 16u);
  EXPECT_EQ(r->grf_used, 128u);
  EXPECT_EQ(r->push_constant_bytes, 20u);
  EXPECT_EQ(r->push_first_register, 1u);
  EXPECT_EQ(r->push_registers, 3u);
  EXPECT_EQ(r->compute.cross_thread_registers, 2u);
  EXPECT_EQ(r->compute.per_thread_registers, 1u);
  EXPECT_EQ(r->compute.local_size, (std::array<uint32_t, 3>{8, 5, 1}));
  EXPECT_EQ(r->compute.threads_per_group, 3u);
  EXPECT_EQ(r->compute.last_thread_mask, 255u);
  EXPECT_TRUE(r->compute.uses_barrier);
  EXPECT_TRUE(r->compute.uses_num_workgroups);
  EXPECT_EQ(r->shared_bytes, 1024u);
  EXPECT_EQ(r->scratch_bytes_per_thread, 2048u);
  EXPECT_TRUE(r->needs_descriptor_memory);
  EXPECT_EQ(r->constant_data, (std::vector<uint8_t>{1, 2, 0xfe, 0xff}));
}

TEST(LaunchRecord, PushParts) {
  const absl::StatusOr<out::LaunchRecord> r = proto::LaunchRecordFromJson(Sample());
  ASSERT_TRUE(r.ok()) << r.status();
  using out::PushSource;
  const PushSource want[] = {PushSource::kClientPushConstants,
                             PushSource::kDriverInternal,
                             PushSource::kDriverAllOnes,
                             PushSource::kNumWorkgroups,
                             PushSource::kUbo,
                             PushSource::kDescriptorMemory,
                             PushSource::kSubgroupId};
  ASSERT_EQ(r->push.size(), std::size(want));
  for (size_t i = 0; i < std::size(want); ++i) EXPECT_EQ(r->push[i].source, want[i]) << i;
  EXPECT_EQ(r->push[4].ubo.set, 1u);
  EXPECT_EQ(r->push[4].ubo.binding, 2u);
  EXPECT_EQ(r->push[4].ubo.element, 3u);
  EXPECT_EQ(r->push[4].offset, 32u);
  EXPECT_EQ(r->push[4].bytes, 16u);
  EXPECT_EQ(r->push[5].ubo.set, 5u);
}

TEST(LaunchRecord, Tables) {
  const absl::StatusOr<out::LaunchRecord> r = proto::LaunchRecordFromJson(Sample());
  ASSERT_TRUE(r.ok()) << r.status();
  ASSERT_EQ(r->binding_table.size(), 3u);
  EXPECT_EQ(r->binding_table[0].kind, out::SurfaceKind::kDescriptorMemory);
  EXPECT_EQ(r->binding_table[0].descriptor.set, 5u);
  EXPECT_EQ(r->binding_table[1].kind, out::SurfaceKind::kSsbo);
  EXPECT_EQ(r->binding_table[1].descriptor.binding, 4u);
  EXPECT_EQ(r->binding_table[2].descriptor.element, 1u);
  ASSERT_EQ(r->sampler_table.size(), 1u);
  EXPECT_EQ(r->sampler_table[0].descriptor.element, 2u);
  ASSERT_EQ(r->relocations.size(), 1u);
  EXPECT_EQ(r->relocations[0].what, "constant_data_address_low");
  EXPECT_EQ(r->relocations[0].delta, 8u);
}

TEST(LaunchRecord, DescriptorMemory) {
  const absl::StatusOr<out::LaunchRecord> r = proto::LaunchRecordFromJson(Sample());
  ASSERT_TRUE(r.ok()) << r.status();
  ASSERT_EQ(r->descriptor_memory.size(), 2u);
  const out::DescriptorRange& images = r->descriptor_memory[0];
  EXPECT_EQ(images.memory, 5u);
  EXPECT_EQ(images.kind, out::SurfaceKind::kStorageImage);
  EXPECT_EQ(images.first.set, 5u);
  EXPECT_EQ(images.first.binding, 7u);
  EXPECT_EQ(images.first.element, 1u);
  EXPECT_EQ(images.count, 300u);
  EXPECT_EQ(images.offset, 64u);
  EXPECT_EQ(images.stride, 8u);
  EXPECT_EQ(images.form, out::DescriptorForm::kHandles);
  EXPECT_EQ(images.format, "r32ui");
  EXPECT_EQ(r->descriptor_memory[1].form, out::DescriptorForm::kAddress);
}

TEST(LaunchRecord, FragmentPayload) {
  const absl::StatusOr<out::LaunchRecord> r = proto::LaunchRecordFromJson(Fragment());
  ASSERT_TRUE(r.ok()) << r.status();
  const out::FragmentLaunch& f = r->fragment;
  ASSERT_EQ(f.payload.size(), 7u);
  EXPECT_EQ(f.payload[2].what, out::PayloadPart::kPixelPositions);
  EXPECT_EQ(f.payload[2].first_lane, 16u);
  EXPECT_EQ(f.payload[3].what, out::PayloadPart::kPerspectiveCentroid);
  EXPECT_EQ(f.payload[3].reg, 3u);
  EXPECT_EQ(f.payload[3].registers, 4u);
  EXPECT_EQ(f.payload[6].what, out::PayloadPart::kPositionOffsets);
  EXPECT_EQ(f.depth, out::DepthOutput::kGreater);
  EXPECT_TRUE(f.writes_sample_mask);
  EXPECT_FALSE(f.writes_stencil);
  EXPECT_FALSE(f.dual_source);
  EXPECT_TRUE(f.uses_discard);
  EXPECT_TRUE(f.has_side_effects);
  EXPECT_TRUE(f.vector_mask);
  EXPECT_TRUE(f.per_sample);
  EXPECT_FALSE(f.interpolator_messages);
  EXPECT_TRUE(f.nonperspective);
  EXPECT_EQ(f.samples, 4u);
  EXPECT_TRUE(f.sample_shading);
  EXPECT_TRUE(f.alpha_to_coverage);
  EXPECT_EQ(r->binding_table[1].location, 4u);
}

// Ranges keep the order of their registers, in both directions.
TEST(LaunchRecord, FragmentRangesOfUniformBuffers) {
  const absl::StatusOr<out::LaunchRecord> read = proto::LaunchRecordFromJson(Fragment());
  ASSERT_TRUE(read.ok()) << read.status();
  const absl::StatusOr<out::LaunchRecord> again = proto::LaunchRecordFromJson(Text(*read));
  ASSERT_TRUE(again.ok()) << again.status();
  for (const out::LaunchRecord* r : {&*read, &*again}) {
    EXPECT_EQ(r->push_registers, 4u);
    ASSERT_EQ(r->push.size(), 3u);
    for (int i : {1, 2}) EXPECT_EQ(r->push[i].source, out::PushSource::kUbo);
    EXPECT_EQ(r->push[1].reg, 14u);
    EXPECT_EQ(r->push[1].bytes, 64u);
    EXPECT_EQ(r->push[1].offset, 96u);
    EXPECT_EQ(r->push[1].ubo.set, 2u);
    EXPECT_EQ(r->push[1].ubo.binding, 1u);
    EXPECT_EQ(r->push[2].reg, 16u);
    EXPECT_EQ(r->push[2].ubo.binding, 5u);
    EXPECT_EQ(r->push[2].ubo.element, 6u);
  }
}

TEST(LaunchRecord, FragmentSetup) {
  const absl::StatusOr<out::LaunchRecord> r = proto::LaunchRecordFromJson(Fragment());
  ASSERT_TRUE(r.ok()) << r.status();
  const out::FragmentLaunch& f = r->fragment;
  EXPECT_EQ(f.setup_first_register, 17u);
  EXPECT_EQ(f.setup_slots, 3u);
  EXPECT_EQ(f.flat_mask, 2u);
  ASSERT_EQ(f.attributes.size(), 3u);
  EXPECT_EQ(f.attributes[0].location, 3u);
  EXPECT_EQ(f.attributes[0].builtin, "");
  EXPECT_EQ(f.attributes[1].builtin, "primitive_id");
  EXPECT_TRUE(f.attributes[1].flat);
  EXPECT_EQ(f.attributes[2].first_component, 2u);
}

TEST(LaunchRecord, FragmentRoundTrip) {
  const absl::StatusOr<out::LaunchRecord> r = proto::LaunchRecordFromJson(Fragment());
  ASSERT_TRUE(r.ok()) << r.status();
  const absl::StatusOr<out::LaunchRecord> again = proto::LaunchRecordFromJson(Text(*r));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(Text(*again), Text(*r));
  ASSERT_EQ(again->fragment.payload.size(), 7u);
  EXPECT_EQ(again->fragment.attributes.size(), 3u);
  EXPECT_EQ(again->fragment.setup_slots, 3u);
  EXPECT_EQ(again->fragment.depth, out::DepthOutput::kGreater);
  EXPECT_TRUE(again->fragment.per_sample);
  EXPECT_TRUE(again->fragment.nonperspective);
  EXPECT_EQ(again->fragment.samples, 4u);
  EXPECT_TRUE(again->fragment.sample_shading);
  EXPECT_TRUE(again->fragment.alpha_to_coverage);
}

TEST(LaunchRecord, ThirtyTwoLanesOfFragments) {
  absl::StatusOr<out::LaunchRecord> r = proto::LaunchRecordFromJson(Fragment());
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_FALSE(r->fragment.beside_narrower);
  r->fragment.beside_narrower = true;
  const absl::StatusOr<out::LaunchRecord> again = proto::LaunchRecordFromJson(Text(*r));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again->fragment.beside_narrower);
}

TEST(LaunchRecord, RoundTrip) {
  absl::StatusOr<out::LaunchRecord> r = proto::LaunchRecordFromJson(Sample());
  ASSERT_TRUE(r.ok()) << r.status();
  r->loadable_by = out::LoadableBy::kLevelZero;
  const absl::StatusOr<out::LaunchRecord> again = proto::LaunchRecordFromJson(Text(*r));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(Text(*again), Text(*r));
  EXPECT_EQ(again->loadable_by, out::LoadableBy::kLevelZero);
  EXPECT_EQ(again->push.size(), r->push.size());
  ASSERT_EQ(again->descriptor_memory.size(), 2u);
  EXPECT_EQ(again->descriptor_memory[0].format, "r32ui");
  EXPECT_EQ(again->descriptor_memory[1].stride, 16u);
}

std::string Replaced(std::string s, const std::string& from, const std::string& to) {
  const size_t at = s.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return s.replace(at, from.size(), to);
}

std::string Replaced(const std::string& from, const std::string& to) {
  return Replaced(Sample(), from, to);
}
std::string InFragment(const std::string& from, const std::string& to) {
  return Replaced(Fragment(), from, to);
}

TEST(LaunchRecord, RefusesWhatItDoesNotKnow) {
  const std::string bad[] = {
      InFragment("\"what\":\"header\"", "\"what\":\"footer\""),
      InFragment("\"depth\":\"greater\"", "\"depth\":\"deeper\""),
      InFragment("\"per_sample_dispatch\":\"always\"", "\"per_sample_dispatch\":\"sometimes\""),
      InFragment("\"alpha_to_coverage\":\"always\"", "\"alpha_to_coverage\":\"sometimes\""),
      InFragment("\"slot\":2", "\"slot\":3"),
      InFragment("\"per_primitive_slots\":0", "\"per_primitive_slots\":1"),
      Replaced("\"client_push_constants\"", "\"moon_phase\""),
      Replaced("\"kind\":\"ssbo\"", "\"kind\":\"teapot\""),
      Replaced("\"form\":\"address\"", "\"form\":\"letter\""),
      Replaced("0102feff", "0102fe"),
      Replaced("0102feff", "0102fexx"),
      Replaced("\"record_version\": 1", "\"record_version\": 2"),
      Replaced("[8,5,1]", "[8,5]"),
      Replaced("\"code_bytes\": 640", "\"code_bytes\": \"many\""),
      "{",
  };
  for (const std::string& json : bad) {
    EXPECT_EQ(proto::LaunchRecordFromJson(json).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace kiln
