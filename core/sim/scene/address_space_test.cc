#include "core/sim/scene/address_space.h"

#include <array>

#include "gtest/gtest.h"

namespace kiln::sim::scene {
namespace {

using Bytes = std::array<uint8_t, 8>;

TEST(AddressSpace, ResolvesWithinOneAllocation) {
  AddressSpace space;
  Bytes first{}, second{};
  const uint64_t a = space.Map(absl::MakeSpan(first)), b = space.Map(absl::MakeSpan(second));
  EXPECT_EQ(a, AddressSpace::kFirstAddress);
  EXPECT_EQ(b, a + AddressSpace::kAlignment);
  EXPECT_EQ(*space.Resolve(b + 4, 4), second.data() + 4);
  EXPECT_FALSE(space.Resolve(b + 4, 5).ok());
  EXPECT_FALSE(space.Resolve(a - 1, 1).ok());
}

TEST(AddressSpace, RefusesAddressesThatAreTakenOrNotAligned) {
  AddressSpace space;
  Bytes first{}, second{};
  const uint64_t at = 5 * AddressSpace::kAlignment;
  ASSERT_TRUE(space.MapAt(at, absl::MakeSpan(first)).ok());
  EXPECT_FALSE(space.MapAt(at, absl::MakeSpan(second)).ok());
  EXPECT_FALSE(space.MapAt(at + 4, absl::MakeSpan(second)).ok());
}

}  // namespace
}  // namespace kiln::sim::scene
