#include "core/target/resource_kind.h"

#include <set>

#include "gtest/gtest.h"

namespace kiln {
namespace {

TEST(ResourceKindOf, TellsAllKindsApart) {
  std::set<out::ResourceKind> kinds;
  for (int i = 0; i <= static_cast<int>(mir::ResourceKind::kStorageTexelBuffer); ++i) {
    kinds.insert(ResourceKindOf(static_cast<mir::ResourceKind>(i)));
  }
  EXPECT_EQ(kinds.size(), 8u);
  EXPECT_EQ(ResourceKindOf(mir::ResourceKind::kUniformBuffer), out::ResourceKind::kUbo);
  EXPECT_EQ(ResourceKindOf(mir::ResourceKind::kStorageBuffer), out::ResourceKind::kSsbo);
}

}  // namespace
}  // namespace kiln
