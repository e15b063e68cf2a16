// Tests message_pack.h against bytes of the specification's table of formats.
#include "core/out/message_pack.h"

#include <string>

#include "gtest/gtest.h"

namespace kiln::out {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes Number(uint64_t value) {
  MessagePack m;
  m.Number(value);
  return m.bytes();
}

TEST(MessagePack, NumbersTakeTheShortestForm) {
  EXPECT_EQ(Number(127), Bytes({127}));
  EXPECT_EQ(Number(128), Bytes({0xcc, 128}));
  EXPECT_EQ(Number(256), Bytes({0xcd, 1, 0}));
  EXPECT_EQ(Number(65536), Bytes({0xce, 0, 1, 0, 0}));
  EXPECT_EQ(Number(uint64_t{1} << 32), Bytes({0xcf, 0, 0, 0, 1, 0, 0, 0, 0}));
}

TEST(MessagePack, SizesTakeTheShortestForm) {
  MessagePack m;
  m.Map(15);
  m.Map(16);
  m.Array(15);
  m.Array(65536);
  EXPECT_EQ(m.bytes(), Bytes({0x8f, 0xde, 0, 16, 0x9f, 0xdd, 0, 1, 0, 0}));
}

TEST(MessagePack, TextsHaveTheirLength) {
  for (const auto& [size, head] : {std::pair<size_t, Bytes>{31, {0xbf}},
                                   {32, {0xd9, 32}},
                                   {256, {0xda, 1, 0}},
                                   {65536, {0xdb, 0, 1, 0, 0}}}) {
    MessagePack m;
    m.Text(std::string(size, 'x'));
    Bytes want = head;
    want.resize(head.size() + size, 'x');
    EXPECT_EQ(m.bytes(), want) << size;
  }
}

TEST(MessagePack, Truths) {
  MessagePack m;
  m.Truth(true);
  m.Truth(false);
  EXPECT_EQ(m.bytes(), Bytes({0xc3, 0xc2}));
}

}  // namespace
}  // namespace kiln::out
