// Tests memory.h.
#include "core/sim/rdna2/memory.h"

#include <vector>

#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

TEST(MemoryTest, TheLastDwordMayBeIncomplete) {
  std::vector<uint8_t> bytes = {1, 2, 3, 4, 5, 6};
  Memory memory;
  const uint64_t at = memory.space.Map(absl::MakeSpan(bytes));
  uint8_t got[4] = {};
  ASSERT_TRUE(memory.Read(at + 4, 4, got));
  EXPECT_EQ(got[1], 6);
  EXPECT_EQ(got[2], 0xa5);
  const uint8_t given[4] = {9, 9, 9, 9};
  ASSERT_TRUE(memory.Write(at + 4, 4, given));
  EXPECT_EQ(bytes, (std::vector<uint8_t>{1, 2, 3, 4, 9, 9}));
  EXPECT_FALSE(memory.Read(at + 8, 4, got));
  EXPECT_FALSE(memory.Write(at - 4, 4, given));
}

TEST(MemoryTest, ImagesByTheirAddress) {
  scene::ClientImage image;
  Memory memory;
  memory.images.push_back({0x10000, &image, {}});
  EXPECT_EQ(memory.ImageAt(0x10000)->image, &image);
  EXPECT_EQ(memory.ImageAt(0x20000), nullptr);
}

}  // namespace
}  // namespace kiln::sim::rdna2
