#include "server/worker/check_state.h"

#include <gtest/gtest.h>

#include <string>

namespace kiln::worker {
namespace {

using kiln::v1::ColorAttachment;
using kiln::v1::PipelineState;

// Returns the field that is wrong; empty if none is.
std::string Wrong(const PipelineState& state) {
  const auto wrong = WrongState(state);
  EXPECT_LE(wrong.size(), 1u);
  return wrong.empty() ? "" : wrong[0].first;
}

PipelineState Attachment(uint32_t location, uint32_t mask = 15, int type = 0) {
  PipelineState state;
  auto* a = state.mutable_fragment()->mutable_color()->add_attachments();
  a->set_location(location);
  a->set_write_mask(mask);
  a->set_type(static_cast<ColorAttachment::NumericType>(type));
  return state;
}

constexpr char kAttachments[] = "options.state.fragment.color.attachments";

TEST(CheckState, Attachments) {
  EXPECT_EQ(Wrong({}), "");
  EXPECT_EQ(Wrong(Attachment(kMaxAttachments - 1)), "");
  EXPECT_EQ(Wrong(Attachment(kMaxAttachments)), kAttachments);
  EXPECT_EQ(Wrong(Attachment(0, 0)), "") << "no component is a mask";
  EXPECT_EQ(Wrong(Attachment(0, 16)), kAttachments);
  EXPECT_EQ(Wrong(Attachment(0, 15, ColorAttachment::UINT)), "");
  EXPECT_EQ(Wrong(Attachment(0, 15, 3)), kAttachments);
  const auto precise = [](int type, int precision) {
    PipelineState state = Attachment(0, 15, type);
    state.mutable_fragment()->mutable_color()->mutable_attachments(0)->set_precision(
        static_cast<ColorAttachment::Precision>(precision));
    return Wrong(state);
  };
  for (const int type : {ColorAttachment::FLOAT, ColorAttachment::SINT, ColorAttachment::UINT}) {
    const bool is_float = type == ColorAttachment::FLOAT;
    EXPECT_EQ(precise(type, ColorAttachment::BITS_32), "");
    EXPECT_EQ(precise(type, ColorAttachment::INT_16), is_float ? kAttachments : "");
    for (const int p :
         {ColorAttachment::FLOAT_16, ColorAttachment::UNORM_16, ColorAttachment::SNORM_16}) {
      EXPECT_EQ(precise(type, p), is_float ? "" : kAttachments);
    }
    EXPECT_EQ(precise(type, 5), kAttachments);
  }
  PipelineState twice = Attachment(1);
  twice.mutable_fragment()->mutable_color()->add_attachments()->set_location(1);
  EXPECT_EQ(Wrong(twice), kAttachments);
}

TEST(CheckState, Samples) {
  for (uint32_t n = 0; n < 40; ++n) {
    PipelineState state;
    state.mutable_fragment()->set_samples(n);
    const bool good = n == 0 || n == 1 || n == 2 || n == 4 || n == 8 || n == 16;
    EXPECT_EQ(Wrong(state), good ? "" : "options.state.fragment.samples") << n;
  }
}

TEST(CheckState, WhatTheNextStageReads) {
  const auto reads = [](uint32_t location, uint32_t components) {
    PipelineState state;
    auto* l = state.mutable_next_stage_reads()->add_locations();
    l->set_location(location);
    l->set_components(components);
    return state;
  };
  constexpr char kReads[] = "options.state.next_stage_reads.locations";
  EXPECT_EQ(Wrong(reads(kMaxLocations - 1, 1)), "");
  EXPECT_EQ(Wrong(reads(kMaxLocations, 1)), kReads);
  EXPECT_EQ(Wrong(reads(0, 0)), kReads);
  EXPECT_EQ(Wrong(reads(0, 16)), kReads);
  PipelineState twice = reads(2, 1);
  *twice.mutable_next_stage_reads()->add_locations() = twice.next_stage_reads().locations(0);
  EXPECT_EQ(Wrong(twice), kReads);
}

TEST(CheckState, BuiltinsThatTheNextStageReads) {
  PipelineState state;
  state.mutable_next_stage_reads()->add_builtins("viewport");
  state.mutable_next_stage_reads()->add_builtins("primitive_id");
  EXPECT_EQ(Wrong(state), "");
  constexpr char kBuiltins[] = "options.state.next_stage_reads.builtins";
  state.mutable_next_stage_reads()->add_builtins("viewport");
  EXPECT_EQ(Wrong(state), kBuiltins) << "twice";
  state.mutable_next_stage_reads()->set_builtins(2, "position");
  EXPECT_EQ(Wrong(state), kBuiltins);
}

TEST(CheckState, InstanceRates) {
  PipelineState state;
  state.add_instance_rates()->set_location(kMaxLocations - 1);
  EXPECT_EQ(Wrong(state), "");
  state.add_instance_rates()->set_location(kMaxLocations - 1);
  EXPECT_EQ(Wrong(state), "options.state.instance_rates") << "twice";
  state.mutable_instance_rates(1)->set_location(kMaxLocations);
  EXPECT_EQ(Wrong(state), "options.state.instance_rates");
}

TEST(CheckState, PrimitiveCulling) {
  PipelineState state;
  for (const auto good : {PipelineState::CULLING_ON, PipelineState::CULLING_OFF}) {
    state.set_primitive_culling(good);
    EXPECT_EQ(Wrong(state), "");
  }
  state.set_primitive_culling(static_cast<PipelineState::PrimitiveCulling>(3));
  EXPECT_EQ(Wrong(state), "options.state.primitive_culling");
}

TEST(CheckState, EveryWrongFieldIsNamed) {
  PipelineState state = Attachment(99);
  state.mutable_fragment()->set_samples(3);
  state.mutable_next_stage_reads()->add_locations();
  EXPECT_EQ(WrongState(state).size(), 3u);
}

TEST(CheckState, WhatSayingNothingSays) {
  kiln::v1::FragmentState state;
  EXPECT_TRUE(IsDefault(state));
  state.set_samples(1);
  EXPECT_TRUE(IsDefault(state));
  state.mutable_color();  // no attachment: no output is written
  EXPECT_FALSE(IsDefault(state));
  state.clear_color();
  state.set_alpha_to_one(true);
  EXPECT_FALSE(IsDefault(state));
}

}  // namespace
}  // namespace kiln::worker
