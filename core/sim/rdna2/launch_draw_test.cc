#include "core/sim/rdna2/launch_draw.h"

#include <cstring>

#include "core/sim/rdna2/memory.h"
#include "core/sim/rdna2/resource/descriptor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

using out::SgprContent;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(LaunchDraw, FillsRegistersByTheirContents) {
  DrawRegisters from;
  from.vertex_buffers = 1;
  from.first_vertex = 2;
  from.draw_id = 3;
  from.base_instance = 4;
  from.view_index = 5;
  from.ngg_culling = 6;
  from.pixel_state = 7;
  from.ngg_viewport = {1, 2, 3, 4};
  WaveState w;
  uint32_t at = 8;
  for (SgprContent what :
       {SgprContent::kVertexBuffers, SgprContent::kFirstVertex, SgprContent::kDrawId,
        SgprContent::kBaseInstance, SgprContent::kViewIndex, SgprContent::kNggCulling,
        SgprContent::kPixelState}) {
    EXPECT_EQ(SgprsOf(what), 1u);
    FillDrawRegister(from, {at, what, 0}, w);
    EXPECT_EQ(w.scalar[at], at - 7);
    ++at;
  }
  ASSERT_EQ(SgprsOf(SgprContent::kNggViewport), 4u);
  FillDrawRegister(from, {at, SgprContent::kNggViewport, 0}, w);
  EXPECT_EQ(w.scalar[at + 3], 0x40800000u);
}

out::LaunchRecord RecordOf(const std::vector<out::AmdAttribute>& attributes) {
  out::LaunchRecord record;
  record.arch.emplace<out::AmdLaunch>().vertex.attributes = attributes;
  return record;
}

out::AmdAttribute Attribute(uint32_t location, uint32_t offset, uint32_t components) {
  return {location, 0, offset, 24, components, "float", 32};
}

scene::VertexInputs Draw() {
  scene::VertexInputs draw;
  draw.inputs = {{0, false, 1, 2, 1, {10, 11, 20, 21, 30, 31}}, {1, false, 1, 1, 1, {5, 6, 7}}};
  return draw;
}

TEST(LaunchDraw, PlacesAttributes) {
  scene::AddressSpace space;
  VertexBuffers buffers;
  const out::LaunchRecord record = RecordOf({Attribute(0, 0, 2), Attribute(1, 8, 4)});
  ASSERT_TRUE(buffers.Build(record, Draw(), space).ok());
  ASSERT_EQ(buffers.descriptors().size(), 16u);
  BufferWords words;
  std::memcpy(words.data(), buffers.descriptors().data(), 16);
  const BufferResource resource = DecodeBuffer(words);
  EXPECT_EQ(resource.stride, 24u);
  EXPECT_EQ(resource.records, 3u);
  Memory memory;
  memory.space = space;
  std::array<uint32_t, 6> element;
  ASSERT_TRUE(memory.Read(resource.base + 24, 24, reinterpret_cast<uint8_t*>(element.data())));
  EXPECT_THAT(element, ElementsAre(20, 21, 6, 0, 0, 1));
}

// The V# of an attribute that is typed is its own: the components that are given.
TEST(LaunchDraw, TypedAttributesHaveTheirFormat) {
  scene::AddressSpace space;
  VertexBuffers buffers;
  out::AmdAttribute first = {0, 0, 0, 0, 4, "float", 32, true};
  out::AmdAttribute second = {1, 1, 0, 0, 1, "float", 32, true};
  ASSERT_TRUE(buffers.Build(RecordOf({first, second}), Draw(), space).ok());
  ASSERT_EQ(buffers.descriptors().size(), 32u);
  BufferWords words;
  std::memcpy(words.data(), buffers.descriptors().data(), 16);
  const BufferResource resource = DecodeBuffer(words);
  EXPECT_EQ(resource.stride, 8u);
  EXPECT_EQ(resource.records, 3u);
  EXPECT_EQ(resource.format, 62);
  EXPECT_EQ(resource.select[2], kSelect0);
  EXPECT_EQ(resource.select[3], kSelect1);
  first.stride = 8;
  EXPECT_FALSE(VertexBuffers().Build(RecordOf({first}), Draw(), space).ok());
}

// Programs that fetch attributes are compiled for their rates.
TEST(LaunchDraw, RatesAreThoseOfThePipeline) {
  scene::AddressSpace space;
  out::AmdAttribute a = {0, 0, 0, 0, 4, "float", 32, true, true, 2};
  const auto code = [&](const scene::VertexInputs& draw) {
    return VertexBuffers().Build(RecordOf({a}), draw, space).code();
  };
  scene::VertexInputs draw = Draw();
  EXPECT_EQ(code(draw), absl::StatusCode::kUnimplemented);
  draw.inputs[0].per_instance = true;
  EXPECT_EQ(code(draw), absl::StatusCode::kUnimplemented);
  draw.inputs[0].step = 2;
  EXPECT_EQ(code(draw), absl::StatusCode::kOk);
}

TEST(LaunchDraw, RefusesOtherAttributes) {
  const auto error = [](const out::AmdAttribute& a, const scene::VertexInputs& draw) {
    scene::AddressSpace space;
    return VertexBuffers().Build(RecordOf({a}), draw, space);
  };
  out::AmdAttribute half = Attribute(0, 0, 2);
  half.bits = 16;
  EXPECT_EQ(error(half, Draw()).code(), absl::StatusCode::kUnimplemented);
  scene::VertexInputs instanced = Draw();
  instanced.inputs[0].per_instance = true;
  EXPECT_EQ(error(Attribute(0, 0, 2), instanced).code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(error(Attribute(0, 20, 2), Draw()).message()), HasSubstr("place"));
  out::AmdAttribute far = Attribute(0, 0, 2);
  far.stride = 1 << 14;
  EXPECT_THAT(std::string(error(far, Draw()).message()), HasSubstr("place"));
  EXPECT_THAT(std::string(error(Attribute(3, 0, 2), Draw()).message()), HasSubstr("place"));
}

}  // namespace
}  // namespace kiln::sim::rdna2
