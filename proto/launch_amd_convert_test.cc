// AMD's part of launch records: what it says comes back, the peer tool's JSON is read, and what
// contradicts the common part or the hardware is refused.
#include <string>

#include "gtest/gtest.h"
#include "proto/launch_record_convert.h"

namespace kiln::proto {
namespace {

out::LaunchRecord Record(const char* stage) {
  out::LaunchRecord r;
  r.stage = stage;
  r.dispatch_width = 64;
  r.code_bytes = 64;
  r.resources = {{out::ResourceKind::kCombinedImageSampler, 0, 2}};
  r.descriptor_memory = {{0, 0, 0, 1, 32, 96, out::DescriptorForm::kImageResource},
                         {0, 0, 0, 1, 112, 96, out::DescriptorForm::kSamplerResource}};
  r.push = {{0, 4, out::PushSource::kClientPushConstants, 8}};
  out::AmdLaunch& amd = r.arch.emplace<out::AmdLaunch>();
  amd.rsrc1 = 1;
  amd.rsrc2 = 2;
  amd.rsrc3 = 3;
  amd.vgprs = 24;
  amd.instruction_bytes = 44;
  amd.address_high = 0xffff8000;
  amd.preferred_wave_size = true;
  amd.push_first_sgpr = 3;
  amd.push_sgprs = 1;
  amd.user_sgprs = {{0, out::SgprContent::kDriverTable},
                    {2, out::SgprContent::kDescriptorMemory, 5}};
  return r;
}

out::LaunchRecord Fragment() {
  out::LaunchRecord r = Record("fragment");
  r.fragment.inputs = {{0, "point_coord"}, {4}};
  std::get<out::AmdLaunch>(r.arch).fragment = {1, 2, 3, 4, 5, 6, {7, 8}};
  return r;
}

out::LaunchRecord Vertex() {
  out::LaunchRecord r = Record("vertex");
  r.vertex.attributes = {5};
  out::AmdVertex& v = std::get<out::AmdLaunch>(r.arch).vertex;
  v.attributes = {{5, 1, 8, 16, 2, "float", 32, true, true, 3}};
  v.primgen_passthru_en = true;
  v.ge_cntl = 1;
  v.spi_shader_pos_format = 3;
  v.pa_cl_vs_out_cntl = 4;
  v.spi_vs_out_config = 5;
  v.ge_max_output_per_subgroup = 6;
  v.ge_ngg_subgrp_cntl = 7;
  v.vgt_gs_onchip_cntl = 8;
  v.spi_shader_idx_format = 9;
  v.vgt_shader_stages_en = 10;
  v.parameters = {{0, "primitive_id", 1, true}, {7, "", 0x120, false}};
  return r;
}

// Every field of the struct is in the message, and back: two writings of different structs differ.
void ExpectComesBack(const out::LaunchRecord& record) {
  const v1::LaunchRecord written = ToProto(record);
  const absl::StatusOr<out::LaunchRecord> read = FromProto(written);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(ToProto(*read).SerializeAsString(), written.SerializeAsString());
  EXPECT_EQ(ToProto(*LaunchRecordFromJson(LaunchRecordToJson(record))).SerializeAsString(),
            written.SerializeAsString());
}

TEST(LaunchAmd, ComesBackAsItWasWritten) {
  ExpectComesBack(Record("compute"));
  ExpectComesBack(Fragment());
  ExpectComesBack(Vertex());
  const absl::StatusOr<out::LaunchRecord> read = FromProto(ToProto(Vertex()));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->descriptor_memory[1].form, out::DescriptorForm::kSamplerResource);
  const out::AmdLaunch& amd = out::AmdOf(*read);
  EXPECT_EQ(amd.rsrc1 + 10 * amd.rsrc2 + 100 * amd.rsrc3, 321u);
  EXPECT_EQ(amd.vgprs, 24u);
  EXPECT_EQ(amd.instruction_bytes, 44u);
  EXPECT_EQ(amd.address_high, 0xffff8000u);
  EXPECT_TRUE(amd.preferred_wave_size);
  EXPECT_EQ(amd.push_first_sgpr, 3u);
  EXPECT_EQ(amd.user_sgprs[1].what, out::SgprContent::kDescriptorMemory);
  EXPECT_EQ(amd.user_sgprs[1].memory, 5u);
  const out::AmdVertex& v = amd.vertex;
  EXPECT_EQ(v.attributes[0].buffer, 1u);
  EXPECT_EQ(v.attributes[0].stride, 16u);
  EXPECT_TRUE(v.attributes[0].typed && v.attributes[0].per_instance);
  EXPECT_EQ(v.attributes[0].divisor, 3u);
  EXPECT_TRUE(v.primgen_passthru_en);
  EXPECT_EQ(v.spi_vs_out_config, 5u);
  EXPECT_EQ(v.ge_max_output_per_subgroup, 6u);
  EXPECT_EQ(v.ge_ngg_subgrp_cntl, 7u);
  EXPECT_EQ(v.vgt_gs_onchip_cntl, 8u);
  EXPECT_EQ(v.spi_shader_idx_format, 9u);
  EXPECT_EQ(v.vgt_shader_stages_en, 10u);
  EXPECT_EQ(v.parameters[0].builtin, "primitive_id");
  EXPECT_TRUE(v.parameters[0].per_primitive);
  EXPECT_EQ(v.parameters[1].spi_ps_input_cntl, 0x120u);
}

TEST(LaunchAmd, HasTheFragmentsRegisters) {
  const absl::StatusOr<out::LaunchRecord> read = FromProto(ToProto(Fragment()));
  ASSERT_TRUE(read.ok()) << read.status();
  const out::AmdFragment& f = out::AmdOf(*read).fragment;
  EXPECT_EQ(f.spi_ps_input_ena, 1u);
  EXPECT_EQ(f.spi_ps_input_addr, 2u);
  EXPECT_EQ(f.spi_shader_col_format, 3u);
  EXPECT_EQ(f.cb_shader_mask, 4u);
  EXPECT_EQ(f.spi_shader_z_format, 5u);
  EXPECT_EQ(f.db_shader_control, 6u);
  EXPECT_EQ(f.spi_ps_input_cntl, (std::vector<uint32_t>{7, 8}));
}

// As tests/peer writes it for Mesa's binaries.
TEST(LaunchAmd, ReadsThePeersJson) {
  const absl::StatusOr<out::LaunchRecord> read = LaunchRecordFromJson(R"({
    "record_version": 2, "target": "gfx1030", "file": "a.spv", "stage": "compute",
    "code_bytes": 712, "dispatch_width": 32, "push_constant_bytes": 4,
    "push_data": [{"at": 0, "bytes": 4, "source": "client_push_constants", "offset": 0},
                  {"at": 4, "bytes": 12, "source": "num_workgroups", "offset": 0}],
    "compute": {"local_size": [64, 1, 1], "uses_barrier": false},
    "amd": {"rsrc1": 1613496325, "rsrc2": 148, "instruction_bytes": 692,
            "push_first_sgpr": 2, "push_sgprs": 4,
            "user_sgprs": [{"sgpr": 0, "what": "scratch_base"}]}})");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(out::AmdOf(*read).rsrc1, 1613496325u);
  EXPECT_EQ(out::AmdOf(*read).user_sgprs[0].what, out::SgprContent::kScratchBase);
  EXPECT_EQ(read->push[1].source, out::PushSource::kNumWorkgroups);
}

// Applies a change to the message, and returns the refusal.
template <typename Change>
std::string Refusal(const out::LaunchRecord& record, Change change) {
  v1::LaunchRecord message = ToProto(record);
  change(message);
  return std::string(FromProto(message).status().message());
}

TEST(LaunchAmd, RefusesWhatItDoesNotKnow) {
  using Message = v1::LaunchRecord;
  const out::LaunchRecord v = Vertex(), f = Fragment();
  EXPECT_EQ(Refusal(v, [](Message&) {}), "");
  EXPECT_EQ(Refusal(v, [](Message& m) { m.set_dispatch_width(16); }),
            "launch record: waves of 16 lanes");
  EXPECT_EQ(Refusal(v, [](Message& m) { m.set_code_bytes(40); }),
            "launch record: 44 bytes of instructions in 40 bytes of code");
  EXPECT_EQ(Refusal(v, [](Message& m) { m.mutable_push_data(0)->set_bytes(8); }),
            "launch record: push data at byte 0 of 4");
  EXPECT_EQ(Refusal(v, [](Message& m) { m.mutable_amd()->set_push_first_sgpr(106); }),
            "launch record: push data in SGPRs that do not exist");
  const auto sgpr = [](Message& m) { return m.mutable_amd()->mutable_user_sgprs(0); };
  EXPECT_EQ(Refusal(v, [&](Message& m) { sgpr(m)->set_what("tea"); }),
            "launch record: unknown content of SGPRs 'tea'");
  EXPECT_EQ(Refusal(v, [&](Message& m) { sgpr(m)->set_sgpr(106); }), "launch record: SGPR 106");
  const auto vertex = [](Message& m) { return m.mutable_amd()->mutable_vertex(); };
  EXPECT_EQ(Refusal(v, [&](Message& m) { vertex(m)->mutable_attributes(0)->set_location(6); }),
            "launch record: attribute at location 6 is not read");
  EXPECT_EQ(Refusal(f, [](Message& m) { m.mutable_fragment()->mutable_inputs()->RemoveLast(); }),
            "launch record: 2 attributes for 1 fragment inputs");
}

}  // namespace
}  // namespace kiln::proto
