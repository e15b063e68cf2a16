#include "core/front/state/bindings.h"

#include "gtest/gtest.h"

namespace kiln::front {
namespace {

constexpr uint32_t kBound = 10;

TEST(BindingsTest, IdsAreUnboundAtFirstAndBeyondTheBound) {
  Bindings bindings(kBound);
  bindings.BindValue(9, 1, {ValueId(1)});
  EXPECT_EQ(bindings.Of(3).kind, Binding::kNone);
  EXPECT_EQ(bindings.Of(kBound).kind, Binding::kNone);
  EXPECT_EQ(bindings.Of(~0u).kind, Binding::kNone);
}

TEST(BindingsTest, KeepsLeaves) {
  Bindings bindings(kBound);
  bindings.BindValue(3, 7, {ValueId(1), ValueId(2)});
  bindings.BindValue(4, 7, {ValueId(5), ValueId(6)});
  const Binding& binding = bindings.Of(3);
  EXPECT_EQ(binding.kind, Binding::kValue);
  EXPECT_EQ(binding.type, 7u);
  EXPECT_EQ(bindings.value(binding, 0), ValueId(1));
  EXPECT_EQ(bindings.value(binding, 1), ValueId(2));
}

TEST(BindingsTest, AnotherCopyTakesTheSamePlace) {
  Bindings bindings(kBound);
  bindings.BindValue(3, 7, {ValueId(1)});
  const uint32_t place = bindings.Of(3).value;
  bindings.Unbind(3);
  EXPECT_EQ(bindings.Of(3).kind, Binding::kNone);
  bindings.BindValue(3, 7, {ValueId(8)});
  EXPECT_EQ(bindings.Of(3).value, place);
  EXPECT_EQ(bindings.value(bindings.Of(3), 0), ValueId(8));
}

TEST(BindingsTest, KeepsPointersAndImagesApart) {
  Bindings bindings(kBound);
  Pointer pointer;
  pointer.variable = 5;
  bindings.BindPointer(3, pointer);
  ImageHandle image;
  image.sampler.variable = 6;
  bindings.BindImage(4, image);
  bindings.BindSlots(5, 7, 20);
  EXPECT_EQ(bindings.Of(3).kind, Binding::kPointer);
  EXPECT_EQ(bindings.pointer(bindings.Of(3)).variable, 5u);
  EXPECT_EQ(bindings.Of(4).kind, Binding::kImage);
  EXPECT_EQ(bindings.image(bindings.Of(4)).sampler.variable, 6u);
  EXPECT_EQ(bindings.Of(5).kind, Binding::kSlots);
  EXPECT_EQ(bindings.Of(5).slot, 20u);
  pointer.variable = 9;
  bindings.BindPointer(3, pointer);
  EXPECT_EQ(bindings.pointer(bindings.Of(3)).variable, 9u);
}

TEST(BindingsTest, NumbersTexels) {
  Bindings bindings(kBound);
  TexelPointer texel;
  texel.image.variable = 3;
  EXPECT_EQ(bindings.AddTexel(texel), 0u);
  texel.image.variable = 4;
  EXPECT_EQ(bindings.AddTexel(texel), 1u);
  EXPECT_EQ(bindings.texel(0).image.variable, 3u);
  EXPECT_EQ(bindings.texel(1).image.variable, 4u);
}

}  // namespace
}  // namespace kiln::front
