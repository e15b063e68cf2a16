#include "core/sim/scene/dispatch.h"

#include "gtest/gtest.h"

namespace kiln::sim::scene {
namespace {

ClientBuffer At(uint32_t binding, uint32_t element) {
  ClientBuffer b;
  b.where = {0, binding, element};
  b.bytes.resize(4);
  return b;
}

TEST(Dispatch, FindsElementsAndRepeatsOneForOthers) {
  Dispatch d;
  d.buffers = {At(1, 0), At(2, 0), At(2, 3)};
  EXPECT_EQ(FindBound(d.buffers, {0, 2, 3}), &d.buffers[2]);
  EXPECT_EQ(FindBound(d.buffers, {0, 2, 1}), &d.buffers[1]);
  EXPECT_EQ(FindBound(d.buffers, {1, 2, 0}), nullptr);
  d.buffers[0].bound = false;
  EXPECT_EQ(FindBound(d.buffers, {0, 1, 0}), nullptr);
}

TEST(Dispatch, ArraysWithoutLengthEndWithTheLastElement) {
  Dispatch d;
  d.buffers = {At(2, 0), At(2, 3)};
  EXPECT_EQ(CountBound(d, {0, 2, 0}), 4u);
  EXPECT_EQ(CountBound(d, {0, 2, 2}), 2u);
  EXPECT_EQ(CountBound(d, {0, 1, 0}), 0u);
}

TEST(Dispatch, AddressesDoNotOverlap) {
  Dispatch d;
  d.buffers = {At(1, 0), At(2, 0)};
  d.buffers[0].bytes.resize(70000);
  AssignAddresses(absl::MakeSpan(d.buffers));
  EXPECT_GE(d.buffers[1].address, d.buffers[0].address + 70000);
}

TEST(Dispatch, WindowsShareBytes) {
  Dispatch d;
  d.buffers = {At(1, 0), At(2, 0)};
  d.buffers[0].bytes = {1, 2, 3, 4, 5, 6, 7, 8};
  d.buffers[1].window = ByteWindow{false, 0, 2, 4};
  ASSERT_TRUE(CheckWindows(d).ok());
  BytesOf(d.buffers[1], d)[0] = 9;
  EXPECT_EQ(d.buffers[0].bytes[2], 9);
  AssignAddresses(absl::MakeSpan(d.buffers));
  EXPECT_EQ(d.buffers[1].address, d.buffers[0].address + 2);
  ClientImage image;
  image.window = ByteWindow{false, 0, 0, 8};
  d.images = {image};
  EXPECT_EQ(BytesOf(d.images[0], d).data(), d.buffers[0].bytes.data());
  // A copy has its own.
  Dispatch copy = d;
  BytesOf(copy.buffers[1], copy)[0] = 1;
  EXPECT_EQ(d.buffers[0].bytes[2], 9);
}

TEST(Dispatch, RefusesWindowsOutside) {
  Dispatch d;
  d.buffers = {At(1, 0), At(2, 0)};
  for (const ByteWindow& w : {ByteWindow{false, 0, 2, 3}, ByteWindow{false, 5, 0, 1},
                              ByteWindow{false, 1, 0, 0}, ByteWindow{true, 0, 0, 0}}) {
    d.buffers[1].window = w;
    EXPECT_FALSE(CheckWindows(d).ok());
  }
}

TEST(Dispatch, WorkgroupsWithinTheLimitFromABaseThatTheProgramAdds) {
  Dispatch d;
  d.groups = {65535, 1, 1};
  EXPECT_TRUE(CheckWorkgroups(d, true).ok());
  d.base = {1, 0, 0};
  EXPECT_FALSE(CheckWorkgroups(d, false).ok());
  d.groups = {1, 1, 1};
  EXPECT_TRUE(CheckWorkgroups(d, false).ok());
  EXPECT_FALSE(CheckWorkgroups(d, true).ok());
}

}  // namespace
}  // namespace kiln::sim::scene
