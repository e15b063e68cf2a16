#include "core/out/read_message_pack.h"

#include "core/out/message_pack.h"
#include "gtest/gtest.h"

namespace kiln::out {
namespace {

using Kind = PackedValue::Kind;

// Returns the writer's bytes of values of each size, in one array.
MessagePack Values() {
  MessagePack m;
  m.Array(9);
  m.Number(127);
  m.Number(200);
  m.Number(0x1234);
  m.Number(0x12345678);
  m.Number(0x123456789abcdef0);
  m.Truth(true);
  m.Text("short");
  m.Text(std::string(300, 'x'));
  m.Map(2);
  m.Text("a");
  m.Array(0);
  m.Text("b");
  m.Truth(false);
  return m;
}

TEST(ReadMessagePack, ReadsWhatTheWriterWrites) {
  const auto v = ReadMessagePack(Values().bytes());
  ASSERT_TRUE(v.ok()) << v.status();
  ASSERT_EQ(v->kind, Kind::kArray);
  ASSERT_EQ(v->items.size(), 9u);
  const uint64_t numbers[] = {127, 200, 0x1234, 0x12345678, 0x123456789abcdef0};
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(v->items[i].kind, Kind::kNumber);
    EXPECT_EQ(v->items[i].number, numbers[i]);
  }
  EXPECT_EQ(v->items[5].kind, Kind::kTruth);
  EXPECT_EQ(v->items[5].number, 1u);
  EXPECT_EQ(v->items[6].text, "short");
  EXPECT_EQ(v->items[7].text, std::string(300, 'x'));
  ASSERT_NE(v->items[8].Find("a"), nullptr);
  EXPECT_EQ(v->items[8].Find("a")->kind, Kind::kArray);
  ASSERT_NE(v->items[8].Find("b"), nullptr);
  EXPECT_EQ(v->items[8].Find("b")->number, 0u);
  EXPECT_EQ(v->items[8].Find("c"), nullptr);
  EXPECT_EQ(v->Find("a"), nullptr);
}

TEST(ReadMessagePack, BytesThatEndTooEarlyAreAnError) {
  const std::vector<uint8_t> whole = Values().bytes();
  for (size_t n = 0; n < whole.size(); ++n) {
    EXPECT_FALSE(ReadMessagePack(absl::MakeConstSpan(whole).first(n)).ok()) << n;
  }
}

// Kinds that metadata do not have: what follows them is still read.
TEST(ReadMessagePack, OtherKindsAreSkipped) {
  const std::vector<std::vector<uint8_t>> others = {{0xc0},
                                                    {0xff},
                                                    {0xc4, 2, 1, 2},
                                                    {0xc5, 0, 1, 7},
                                                    {0xc7, 1, 5, 9},
                                                    {0xca, 1, 2, 3, 4},
                                                    {0xcb, 1, 2, 3, 4, 5, 6, 7, 8},
                                                    {0xd0, 0x80},
                                                    {0xd1, 0x80, 0},
                                                    {0xd4, 1, 2},
                                                    {0xd5, 1, 2, 3}};
  for (const std::vector<uint8_t>& other : others) {
    std::vector<uint8_t> bytes = {0x92};
    bytes.insert(bytes.end(), other.begin(), other.end());
    bytes.push_back(42);
    const auto v = ReadMessagePack(bytes);
    ASSERT_TRUE(v.ok()) << v.status() << " " << int{other[0]};
    EXPECT_EQ(v->items.at(0).kind, Kind::kOther);
    EXPECT_EQ(v->items.at(1).number, 42u);
  }
}

TEST(ReadMessagePack, HostileBytesAreErrors) {
  EXPECT_FALSE(ReadMessagePack({}).ok());
  EXPECT_FALSE(ReadMessagePack(std::vector<uint8_t>{0xc1}).ok());
  EXPECT_FALSE(ReadMessagePack(std::vector<uint8_t>{0xdd, 0xff, 0xff, 0xff, 0xff}).ok());
  EXPECT_FALSE(ReadMessagePack(std::vector<uint8_t>(1000, 0x91)).ok());  // nested
}

}  // namespace
}  // namespace kiln::out
