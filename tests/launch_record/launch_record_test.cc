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
std::string Vertex() { return FileText("tests/launch_record/vertex.launch.json"); }

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
  EXPECT_EQ(r->push_constant_bytes, 20u);
  EXPECT_EQ(r->compute.local_size, (std::array<uint32_t, 3>{8, 5, 1}));
  EXPECT_TRUE(r->compute.uses_barrier);
  const out::IntelLaunch& intel = out::IntelOf(*r);
  EXPECT_EQ(intel.push_first_register, 1u);
  EXPECT_EQ(intel.push_registers, 3u);
  EXPECT_EQ(intel.compute.cross_thread_registers, 2u);
  EXPECT_EQ(intel.compute.per_thread_registers, 1u);
  EXPECT_EQ(intel.compute.threads_per_group, 3u);
  EXPECT_EQ(intel.compute.last_thread_mask, 255u);
  EXPECT_EQ(r->shared_bytes, 1024u);
  EXPECT_EQ(r->scratch_bytes_per_thread, 2048u);
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
  EXPECT_EQ(r->push[4].at, 44u);
  EXPECT_EQ(r->resources[r->push[4].resource].set, 1u);
  EXPECT_EQ(r->resources[r->push[4].resource].binding, 2u);
  EXPECT_EQ(r->push[4].element, 3u);
  EXPECT_EQ(r->push[4].offset, 32u);
  EXPECT_EQ(r->push[4].bytes, 16u);
  EXPECT_EQ(r->push[5].memory, 5u);
}

TEST(LaunchRecord, Tables) {
  const absl::StatusOr<out::LaunchRecord> r = proto::LaunchRecordFromJson(Sample());
  ASSERT_TRUE(r.ok()) << r.status();
  ASSERT_EQ(r->resources.size(), 6u);
  EXPECT_EQ(r->resources[0].kind, out::ResourceKind::kSsbo);
  EXPECT_EQ(r->resources[0].binding, 4u);
  EXPECT_EQ(r->resources[1].elements, 2u);
  EXPECT_EQ(r->resources[2].kind, out::ResourceKind::kSampler);
  const out::IntelLaunch& intel = out::IntelOf(*r);
  ASSERT_EQ(intel.binding_table.size(), 3u);
  EXPECT_EQ(intel.binding_table[0].what, out::SurfaceContent::kDescriptorMemory);
  EXPECT_EQ(intel.binding_table[0].memory, 5u);
  EXPECT_EQ(intel.binding_table[1].what, out::SurfaceContent::kResource);
  EXPECT_EQ(intel.binding_table[2].resource, 1u);
  EXPECT_EQ(intel.binding_table[2].element, 1u);
  ASSERT_EQ(intel.sampler_table.size(), 1u);
  EXPECT_EQ(intel.sampler_table[0].resource, 2u);
  EXPECT_EQ(intel.sampler_table[0].element, 2u);
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
  EXPECT_EQ(images.element, 1u);
  EXPECT_EQ(images.count, 300u);
  EXPECT_EQ(images.offset, 64u);
  EXPECT_EQ(images.stride, 8u);
  EXPECT_EQ(images.form, out::DescriptorForm::kHandles);
  const out::Resource& resource = r->resources[images.resource];
  EXPECT_EQ(resource.kind, out::ResourceKind::kStorageImage);
  EXPECT_EQ(resource.set, 5u);
  EXPECT_EQ(resource.binding, 7u);
  EXPECT_EQ(resource.format, "r32ui");
  EXPECT_EQ(r->descriptor_memory[1].form, out::DescriptorForm::kAddress);
}

TEST(LaunchRecord, FragmentPayload) {
  const absl::StatusOr<out::LaunchRecord> r = proto::LaunchRecordFromJson(Fragment());
  ASSERT_TRUE(r.ok()) << r.status();
  const out::IntelFragment& f = out::IntelOf(*r).fragment;
  ASSERT_EQ(f.payload.size(), 7u);
  EXPECT_EQ(f.payload[2].what, out::PayloadPart::kPixelPositions);
  EXPECT_EQ(f.payload[2].first_lane, 16u);
  EXPECT_EQ(f.payload[3].what, out::PayloadPart::kPerspectiveCentroid);
  EXPECT_EQ(f.payload[3].reg, 3u);
  EXPECT_EQ(f.payload[3].registers, 4u);
  EXPECT_EQ(f.payload[6].what, out::PayloadPart::kPositionOffsets);
  EXPECT_TRUE(f.vector_mask);
  EXPECT_FALSE(f.interpolator_messages);
  EXPECT_TRUE(f.nonperspective);
  EXPECT_EQ(out::IntelOf(*r).binding_table[1].location, 4u);
}

TEST(LaunchRecord, FragmentFacts) {
  const absl::StatusOr<out::LaunchRecord> r = proto::LaunchRecordFromJson(Fragment());
  ASSERT_TRUE(r.ok()) << r.status();
  const out::FragmentLaunch& f = r->fragment;
  EXPECT_EQ(f.colors, (std::vector<uint32_t>{0, 4}));
  EXPECT_EQ(f.depth, out::DepthOutput::kGreater);
  EXPECT_TRUE(f.writes_sample_mask);
  EXPECT_FALSE(f.writes_stencil);
  EXPECT_FALSE(f.dual_source);
  EXPECT_TRUE(f.uses_discard);
  EXPECT_TRUE(f.has_side_effects);
  EXPECT_TRUE(f.per_sample);
  EXPECT_EQ(f.samples, 4u);
  EXPECT_TRUE(f.alpha_to_coverage);
}

// Ranges keep the order of their registers, in both directions.
TEST(LaunchRecord, FragmentRangesOfUniformBuffers) {
  const absl::StatusOr<out::LaunchRecord> read = proto::LaunchRecordFromJson(Fragment());
  ASSERT_TRUE(read.ok()) << read.status();
  const absl::StatusOr<out::LaunchRecord> again = proto::LaunchRecordFromJson(Text(*read));
  ASSERT_TRUE(again.ok()) << again.status();
  for (const out::LaunchRecord* r : {&*read, &*again}) {
    EXPECT_EQ(out::IntelOf(*r).push_registers, 4u);
    ASSERT_EQ(r->push.size(), 3u);
    for (int i : {1, 2}) EXPECT_EQ(r->push[i].source, out::PushSource::kUbo);
    EXPECT_EQ(r->push[1].at, 32u);
    EXPECT_EQ(r->push[1].bytes, 64u);
    EXPECT_EQ(r->push[1].offset, 96u);
    EXPECT_EQ(r->resources[r->push[1].resource].set, 2u);
    EXPECT_EQ(r->resources[r->push[1].resource].binding, 1u);
    EXPECT_EQ(r->push[2].at, 96u);
    EXPECT_EQ(r->resources[r->push[2].resource].binding, 5u);
    EXPECT_EQ(r->push[2].element, 6u);
  }
}

TEST(LaunchRecord, FragmentSetup) {
  const absl::StatusOr<out::LaunchRecord> r = proto::LaunchRecordFromJson(Fragment());
  ASSERT_TRUE(r.ok()) << r.status();
  const out::FragmentLaunch& f = r->fragment;
  ASSERT_EQ(f.inputs.size(), 3u);
  EXPECT_EQ(f.inputs[0].location, 3u);
  EXPECT_EQ(f.inputs[0].builtin, "");
  ASSERT_EQ(f.inputs[0].parts.size(), 1u);
  EXPECT_EQ(f.inputs[0].parts[0].components, 3u);
  EXPECT_EQ(f.inputs[1].builtin, "primitive_id");
  EXPECT_TRUE(f.inputs[1].flat);
  const out::IntelFragment& intel = out::IntelOf(*r).fragment;
  EXPECT_EQ(intel.setup_first_register, 17u);
  EXPECT_EQ(intel.setup_slots, 3u);
  EXPECT_EQ(intel.input_slots, (std::vector<uint32_t>{0, 1, 2}));
}

TEST(LaunchRecord, ComesBackAsItWasRead) {
  for (const std::string& text : {Sample(), Fragment(), Vertex()}) {
    absl::StatusOr<out::LaunchRecord> r = proto::LaunchRecordFromJson(text);
    ASSERT_TRUE(r.ok()) << r.status();
    r->loadable_by = out::LoadableBy::kLevelZero;
    out::IntelOf(*r).fragment.beside_narrower = r->stage == "fragment";
    const absl::StatusOr<out::LaunchRecord> again = proto::LaunchRecordFromJson(Text(*r));
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(Text(*again), Text(*r));
    EXPECT_EQ(again->loadable_by, out::LoadableBy::kLevelZero);
    EXPECT_EQ(out::IntelOf(*again).fragment.beside_narrower, r->stage == "fragment");
  }
}

// Users have files of version 1: they say the same.
TEST(LaunchRecord, BothVersionsSayTheSame) {
  for (const std::string stage : {"compute", "fragment", "vertex"}) {
    const std::string path = "tests/launch_record/" + stage;
    const auto old = proto::LaunchRecordFromJson(FileText((path + ".1.launch.json").c_str()));
    const auto now = proto::LaunchRecordFromJson(FileText((path + ".launch.json").c_str()));
    ASSERT_TRUE(old.ok()) << old.status();
    ASSERT_TRUE(now.ok()) << now.status();
    EXPECT_EQ(Text(*old), Text(*now));
  }
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
std::string InVertex(const std::string& from, const std::string& to) {
  return Replaced(Vertex(), from, to);
}

TEST(LaunchRecord, RefusesWhatItDoesNotKnow) {
  const std::string bad[] = {
      InFragment("\"what\":\"header\"", "\"what\":\"footer\""),
      InFragment("\"depth\":\"greater\"", "\"depth\":\"deeper\""),
      InFragment("\"colors\":[0,4]", "\"colors\":[0,8]"),
      InFragment("\"colors\":[0,4]", "\"colors\":[0,1,2,3,4,5,6,7,0]"),
      InFragment("[0,1,2]", "[0,1,3]"),
      InFragment("[0,1,2]", "[0,1]"),
      Replaced("\"client_push_constants\"", "\"moon_phase\""),
      Replaced("\"kind\":\"ssbo\"", "\"kind\":\"teapot\""),
      Replaced("\"form\":\"address\"", "\"form\":\"letter\""),
      Replaced("\"what\":\"resource\"", "\"what\":\"ssbo\""),
      Replaced("\"resource\":1,", "\"resource\":6,"),
      Replaced("\"resource\":2,", "\"resource\":6,"),
      Replaced("\"resource\":3,", "\"resource\":6,"),
      Replaced("\"resource\":4,", "\"resource\":6,"),
      Replaced("0102feff", "0102fe"),
      Replaced("0102feff", "0102fexx"),
      Replaced("\"record_version\": 2", "\"record_version\": 3"),
      Replaced("\"intel\"", "\"zilog\""),
      Replaced("[8,5,1]", "[8,5]"),
      Replaced("\"code_bytes\": 640", "\"code_bytes\": \"many\""),
      InVertex("\"draw_id\"", "\"frame_id\""),
      InVertex("\"layer\"", "\"leaf\""),
      InVertex("\"slot\": 6", "\"slot\": 7"),
      InVertex("\"component\": 3,", "\"component\": 4,"),
      InVertex("\"instance_multiplier\": 3", "\"instance_multiplier\": 0"),
      "{",
  };
  for (const std::string& json : bad) {
    EXPECT_EQ(proto::LaunchRecordFromJson(json).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace kiln
