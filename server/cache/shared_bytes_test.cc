// Tests shared bytes: their end, and that the allocation is no larger than they need.
#include "server/cache/shared_bytes.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace kiln::cache {
namespace {

TEST(SharedBytesTest, AreThoseThatWereGiven) {
  const std::string text(1000, 't');
  const SharedBytes bytes(text);
  EXPECT_EQ(*bytes, text);
  EXPECT_EQ(bytes->size(), 1000u);
  const SharedBytes empty{std::string_view()};
  EXPECT_NE(empty, nullptr);
  EXPECT_TRUE(empty->empty());
  EXPECT_EQ(SharedBytes(), nullptr);
}

TEST(SharedBytesTest, LiveAsLongAsTheLastCopy) {
  SharedBytes first(std::string(100, 'a'));
  SharedBytes second = first;
  SharedBytes third = std::move(first);
  EXPECT_EQ(second->data(), third->data());
  second.reset();
  second = third;
  third = nullptr;
  EXPECT_EQ(*second, std::string(100, 'a'));
  const SharedBytes& itself = second;
  second = itself;
  EXPECT_EQ(second->size(), 100u);
}

TEST(SharedBytesTest, ManyThreadsShareThem) {
  const SharedBytes bytes(std::string(64, 's'));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&bytes] {
      for (int i = 0; i < 10'000; ++i) {
        SharedBytes copy = bytes;  // NOLINT(performance-unnecessary-copy-initialization): tested
        ASSERT_EQ(copy->back(), 's');
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(bytes->size(), 64u);
}

TEST(SharedBytesTest, ATagIsBesideTheBytes) {
  const auto write = [](char* to) { to[0] = 'x'; };
  const SharedBytes tagged = SharedBytes::Make(1, write, {.status = 7});
  EXPECT_EQ(*tagged, "x");
  EXPECT_EQ(tagged.tag().status, 7);
  EXPECT_EQ(SharedBytes::Make(1, write).tag(), ResultTag());
}

// Size classes of allocators are an eighth to a fifth apart.
TEST(SharedBytesTest, TakeLittleMoreThanTheirSize) {
  for (size_t size : {100, 1000, 4097, 100'000, 1'000'000}) {
    const SharedBytes bytes(std::string(size, 'x'));
    EXPECT_GE(bytes.allocated(), size);
    EXPECT_LE(bytes.allocated(), size + 48 + size / 4) << size;
  }
}

}  // namespace
}  // namespace kiln::cache
