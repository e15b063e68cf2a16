// Tests which frames are found in bytes, and which are not.
#include "server/cache/frame.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "server/cache/record.h"

namespace kiln::cache {
namespace {

constexpr Salt kSalt = 0x1122334455667788;

std::string Noise(uint32_t seed, size_t bytes) {
  std::mt19937 random(seed);
  std::string s(bytes, '\0');
  for (char& c : s) c = static_cast<char>(random());
  return s;
}

std::string Frame(std::string_view key, std::string_view value,
                  RecordClass record_class = RecordClass::kRecord, Salt salt = kSalt) {
  std::string record;
  EXPECT_TRUE(SealRecord(key, value, &record));
  return MakeFrame(salt, record_class, key, record);
}

// Returns the values found, by key.
std::map<std::string, std::string> Find(std::string_view bytes) {
  std::map<std::string, std::string> values;
  FindFrames(bytes, kSalt, [&](const FoundFrame& found) {
    std::string_view record = found.frame;
    EXPECT_EQ(TakeOffFrame(&record), found.record_class);
    EXPECT_TRUE(OpenRecord(found.key, record, &values[found.key]));
  });
  return values;
}

TEST(FrameTest, IsTakenOffAgain) {
  for (RecordClass c : {RecordClass::kRecord, RecordClass::kInvalid, RecordClass::kErased}) {
    const std::string frame = MakeFrame(kSalt, c, "key", "record");
    std::string_view rest = frame;
    EXPECT_EQ(TakeOffFrame(&rest), c);
    EXPECT_EQ(rest, "record");
  }
  for (std::string_view other : {"", "KLR1 of an earlier version", "KLF"}) {
    std::string_view rest = other;
    EXPECT_EQ(TakeOffFrame(&rest), RecordClass::kRecord);
    EXPECT_EQ(rest, other);
  }
}

TEST(FrameTest, AreFoundAmongOtherBytes) {
  const std::string bytes = Noise(1, 100) + Frame("a", Noise(2, 1000)) + Frame("b", "") +
                            Noise(3, 7) + Frame("", "of no key") + Noise(4, 50);
  EXPECT_EQ(Find(bytes), (std::map<std::string, std::string>{
                             {"", "of no key"}, {"a", Noise(2, 1000)}, {"b", ""}}));
}

// A flipped bit costs only the record it is in, and never changes one into another.
TEST(FrameTest, AFlippedBitCostsOneRecordAtMost) {
  const std::map<std::string, std::string> all = {
      {"first", Noise(1, 60)}, {"second", Noise(2, 60)}, {"third", Noise(3, 60)}};
  std::string bytes;
  for (const auto& [key, value] : all) bytes += Frame(key, value);
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
    const auto found = Find(bytes);
    EXPECT_GE(found.size(), all.size() - 1) << bit;
    for (const auto& [key, value] : found) {
      ASSERT_TRUE(all.contains(key)) << bit;
      EXPECT_EQ(value, all.at(key)) << bit;
    }
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
  }
}

// A client's bytes that do not compress are stored as they are: a record imitated in them is not
// taken for one, even if the record around them is damaged.
TEST(FrameTest, WhatAClientSentIsNoRecord) {
  std::string bytes = Frame(
      "its own", Noise(1, 100) + Frame("another's", "forged", RecordClass::kRecord, kSalt + 1));
  EXPECT_EQ(Find(bytes).size(), 1u);
  bytes[30] = static_cast<char>(bytes[30] ^ 1);
  EXPECT_EQ(Find(bytes).size(), 0u);
}

TEST(FrameTest, SaltsDiffer) { EXPECT_NE(NewSalt(), NewSalt()); }

TEST(FrameTest, LogBlocksAreJoined) {
  constexpr size_t kBlock = 32 << 10, kHeader = 7;
  const std::string content = Noise(5, 100'000);
  std::string log;
  for (size_t at = 0; at < content.size(); at += kBlock - kHeader) {
    log += std::string(kHeader, 'h') + content.substr(at, kBlock - kHeader);
  }
  JoinLogBlocks(&log);
  EXPECT_EQ(log, content);
  std::string cut(kBlock + 3, 'x');
  JoinLogBlocks(&cut);
  EXPECT_EQ(cut.size(), kBlock - kHeader);
}

}  // namespace
}  // namespace kiln::cache
