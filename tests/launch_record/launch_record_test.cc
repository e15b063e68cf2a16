#include <fstream>
#include <iterator>
#include <string>

#include "core/out/launch_record.h"
#include "gtest/gtest.h"
#include "proto/launch_record_convert.h"

namespace kiln {
namespace {

std::string Sample() {
  std::ifstream f("tests/launch_record/compute.launch.json");
  return std::string(std::istreambuf_iterator<char>(f), {});
}

// Everything out::LaunchRecord holds, as text, so that records can be compared.
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

std::string Replaced(const std::string& from, const std::string& to) {
  std::string s = Sample();
  const size_t at = s.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return s.replace(at, from.size(), to);
}

TEST(LaunchRecord, RefusesWhatItDoesNotKnow) {
  const std::string bad[] = {
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
