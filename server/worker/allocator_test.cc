// Tests that the allocator takes a worker's setting: jemalloc only prints a line about an option
// that it does not know.
#include <gtest/gtest.h>

#include <cstddef>

namespace kiln::worker {
namespace {

// jemalloc's function; null where jemalloc is not linked (sanitised builds).
extern "C" int mallctl(const char*, void*, size_t*, void*, size_t) __attribute__((weak));

TEST(Allocator, DoesNotTrimItsCacheWithinAGibibyte) {
  if (mallctl == nullptr) GTEST_SKIP() << "a sanitiser has an allocator of its own";
  size_t bytes = 0, size = sizeof(bytes);
  ASSERT_EQ(mallctl("opt.tcache_gc_incr_bytes", &bytes, &size, nullptr, 0), 0);
  EXPECT_EQ(bytes, size_t{1} << 30);
}

// The cache's bounds, of which the setting's comment tells.
TEST(Allocator, ItsCacheIsBounded) {
  if (mallctl == nullptr) GTEST_SKIP() << "a sanitiser has an allocator of its own";
  size_t largest = 0, size = sizeof(largest);
  ASSERT_EQ(mallctl("opt.tcache_max", &largest, &size, nullptr, 0), 0);
  EXPECT_EQ(largest, size_t{32} << 10);
  unsigned objects = 0;
  size = sizeof(objects);
  ASSERT_EQ(mallctl("opt.tcache_nslots_small_max", &objects, &size, nullptr, 0), 0);
  EXPECT_EQ(objects, 200u);
}

}  // namespace
}  // namespace kiln::worker
