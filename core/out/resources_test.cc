#include "core/out/resources.h"

#include "gtest/gtest.h"

namespace kiln::out {
namespace {

TEST(Resources, AreInOrderAndNotRepeated) {
  std::vector<Resource> list;
  const Resource image{ResourceKind::kStorageImage, 1, 0, 1, "r32ui"};
  AddResource(image, list);
  AddResource({ResourceKind::kUbo, 1, 0, 3}, list);
  AddResource({ResourceKind::kSsbo, 0, 7}, list);
  AddResource({ResourceKind::kUbo, 1, 0, 2}, list);
  AddResource({ResourceKind::kStorageImage, 1, 0}, list);
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list[0].binding, 7u);
  EXPECT_EQ(list[1].kind, ResourceKind::kUbo);
  EXPECT_EQ(list[1].elements, 3u);
  EXPECT_EQ(list[2].format, "");
  EXPECT_EQ(FindResource(image, list), 3u);
  EXPECT_EQ(FindResource({ResourceKind::kUbo, 1, 0, 99}, list), 1u);
  EXPECT_EQ(FindResource({ResourceKind::kUbo, 1, 1}, list), std::nullopt);
  EXPECT_EQ(FindResource({ResourceKind::kSampler, 1, 0}, list), std::nullopt);
}

// Whichever of the two comes first.
TEST(Resources, AnyElementIncludesSomeOfThem) {
  for (const bool any_first : {false, true}) {
    std::vector<Resource> list;
    for (const bool any : {any_first, !any_first}) {
      AddResource({ResourceKind::kSsbo, 0, 0, any ? 0u : 5u}, list);
    }
    ASSERT_EQ(list.size(), 1u);
    EXPECT_EQ(list[0].elements, 0u);
  }
}

}  // namespace
}  // namespace kiln::out
